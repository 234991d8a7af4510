/* move_log.h - what is stored by a path finds the object that had it, wherever that went: moves
 * and deletions are logged (move_log.c), also of objects that go on without a name while
 * somebody holds them (deleted_objects.c). */
#ifndef VZ_NODES_MOVE_LOG_H
#define VZ_NODES_MOVE_LOG_H

#include "hierarchy/moves/moves.h"
#include "hierarchy/nodes/hierarchy.h"

/* The root's annotation says that the store holds references, and where what they lead to went. */
#define VZ_ANNOTATION_REFERENCES "rf"
#define VZ_ANNOTATION_MOVES      "mv"

/* A node and what is below went from one path to another (NULL: are deleted), and what is stored
 * must find it. Called after the name changed in the store, as vz_move_log_begin (writeback.h)
 * is before. */
bool vz_move_log_add(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err);

/* Logs the deletion of a node that is in use: `held` learns where references to it lead now. */
bool vz_move_log_add_held(vz_node *held, const char *from, vz_error *err);

/* Before anything appears in the store where something was: the last move is known to have
 * happened. */
bool vz_move_log_confirm(vz_hierarchy *hierarchy, vz_error *err);
bool vz_move_log_to_root(vz_hierarchy *hierarchy, vz_error *err); /* before the root's documents are written */
void vz_move_log_written(vz_hierarchy *hierarchy);                /* after, or when they were read */
void vz_move_log_recovered(vz_hierarchy *hierarchy); /* journals of dead writers go, if documents have all they tell */
void vz_move_log_close(vz_hierarchy *hierarchy);     /* the journal stays if it is still needed */

/* Shared by the files move_log*.c: all entries, NULL when out of memory; does the annotation of a
 * root say that moves are logged (then there may be a journal, too); is a move to that path (NULL:
 * a deletion) in the log; the number in front of a stored path, and where that begins. */
vz_moves *vz_move_log_all(vz_hierarchy *hierarchy, vz_error *err);
bool vz_move_log_is_announced(const vz_json *annotation);
bool vz_move_log_has(const vz_hierarchy *hierarchy, const char *to);
uint64_t vz_move_log_number_before(char *text, char **path);

/* A line of a journal: number, paths, and the keys that say whether it came to the change. Heap. */
char *vz_move_entry_line(uint64_t number, const char *from, const char *to, const char *from_key, const char *to_key,
                         vz_error *err);

#endif
