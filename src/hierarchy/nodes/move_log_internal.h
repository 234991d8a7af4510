/* move_log_internal.h - entries of the move log as they are read; paths followed through them. */
#ifndef VZ_NODES_MOVE_LOG_INTERNAL_H
#define VZ_NODES_MOVE_LOG_INTERNAL_H

#include "hierarchy/nodes/move_log.h"

/* Is there a journal that may tell the name of what stands under a segment? */
bool vz_move_log_has_stored_names(const vz_hierarchy *hierarchy);

/* The name of what stands under that segment in a group, as a journal tells it; *name NULL: it
 * does not. Borrowed. */
bool vz_move_log_stored_name(vz_node *group, const char *segment, const char **name, vz_error *err);

/* Where a stored path leads now: heap, below VZ_NOWHERE if it was deleted. */
char *vz_move_log_follow(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err);

/* Where a path made by vz_hierarchy_stored_path leads now. */
char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err);

/* -- Move record --
 * the move log as it is read, an entry for each move or deletion: from the root's annotation, from
 * journals. For move_log.c and move_record.c. */
typedef struct vz_move_entry {
    uint64_t number;
    char *from, *to; /* heap; to NULL: deleted */
    char *segment; /* heap; the last part of `to` as the store has it, if it differs; NULL: it does not, or is not known
                    */
    size_t place;  /* among those read */
} vz_move_entry;

typedef struct vz_move_entries {
    vz_move_entry *all;
    size_t count, capacity;
} vz_move_entries;

void vz_move_entries_clear(vz_move_entries *entries);

/* Adds those of a list [[number, old path, path now or null] ...]; what is none is passed over. */
bool vz_move_entries_read(vz_move_entries *entries, const vz_json *list, vz_error *err);

/* Adds what the store's journals tell, and `entries` does not yet. */
bool vz_move_entries_read_journals(vz_move_entries *entries, vz_hierarchy *hierarchy, vz_error *err);

/* In the order of their numbers. */
void vz_move_entries_sort(vz_move_entries *entries);

/* The line after it, where it did. Heap. */
char *vz_move_entry_line_done(uint64_t number, vz_error *err);
vz_json *vz_move_entry_json(uint64_t number, const char *from, const char *to, vz_error *err);

void vz_move_log_forget(vz_hierarchy *hierarchy); /* the root's annotation is another one */

#endif
