/* move_record.h - the move log as it is read, an entry for each move or deletion: from the root's annotation, from
 * journals. For move_log.c and move_record.c. */
#ifndef VZ_NODES_MOVE_RECORD_H
#define VZ_NODES_MOVE_RECORD_H

#include "hierarchy/nodes/hierarchy.h"

typedef struct vz_move_entry {
    uint64_t number;
    char *from, *to; /* heap; to NULL: deleted */
    char *segment;   /* heap; how the store spells the last part of `to`, if not so; NULL: so, or not told */
    size_t place;    /* among those read */
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
/* A line of a journal: number, paths, and the keys that say whether it came to the change. Heap. */
char *vz_move_entry_line(uint64_t number, const char *from, const char *to, const char *from_key, const char *to_key,
                         vz_error *err);
/* The line after it, where it did. Heap. */
char *vz_move_entry_line_done(uint64_t number, vz_error *err);
vz_json *vz_move_entry_json(uint64_t number, const char *from, const char *to, vz_error *err);

#endif
