/* move_log.h - what is stored by a path finds the object that had it, wherever that went: moves and deletions are
 * logged (move_log.c), also of objects that go on without a name while somebody holds them (deleted_objects.c). */
#ifndef VZ_NODES_MOVE_LOG_H
#define VZ_NODES_MOVE_LOG_H

#include "hierarchy/moves/moves.h"
#include "hierarchy/nodes/hierarchy.h"

/* The root's annotation says that the store holds references, and where what they lead to went. */
#define VZ_ANNOTATION_REFERENCES "rf"
#define VZ_ANNOTATION_MOVES      "mv"

/* A node and what is below went from one path to another (NULL: are deleted), and what is stored must find it. Called
 * after the name changed in the store, as vz_move_log_begin (writeback.h) is before. */
bool vz_move_log_add(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err);
/* The same for a deletion of what somebody holds: `held` learns where references to it lead now. */
bool vz_move_log_add_held(vz_node *held, const char *from, vz_error *err);
/* Before anything appears in the store where something was: the last move is known to have happened. */
bool vz_move_log_confirm(vz_hierarchy *hierarchy, vz_error *err);
bool vz_move_log_to_root(vz_hierarchy *hierarchy, vz_error *err); /* before the root's documents are written */
void vz_move_log_written(vz_hierarchy *hierarchy);                /* after, or when they were read */
void vz_move_log_recovered(vz_hierarchy *hierarchy); /* journals of dead writers go, if documents have all they tell */
void vz_move_log_forget(vz_hierarchy *hierarchy);    /* the root's annotation is another one */
void vz_move_log_close(vz_hierarchy *hierarchy);     /* the journal stays if it is still needed */
/* Is there a journal that may tell the name of what stands under a segment? */
bool vz_move_log_may_spell(const vz_hierarchy *hierarchy);
/* The name of what stands under that segment in a group, as a journal tells it; *name NULL: it does not. Borrowed. */
bool vz_move_log_spelling(vz_node *group, const char *segment, const char **name, vz_error *err);

/* Where a stored path leads now: heap, below VZ_NOWHERE if it was deleted. */
char *vz_move_log_follow(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err);
/* The same of what vz_hierarchy_stored_path made. */
char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err);

/* What the files move_log*.c share: all entries, NULL when out of memory; does the annotation of a root say that
 * moves are logged (then there may be a journal, too); is a move to that path (NULL: a deletion) in the log; the number
 * in front of a stored path, and where that begins. */
vz_moves *vz_move_log_all(vz_hierarchy *hierarchy, vz_error *err);
bool vz_move_log_is_announced(const vz_json *annotation);
bool vz_move_log_has(const vz_hierarchy *hierarchy, const char *to);
uint64_t vz_move_log_number_before(char *text, char **path);

/* -- Move record --
 * the move log as it is read, an entry for each move or deletion: from the root's annotation, from
 * journals. For move_log.c and move_record.c. */
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
