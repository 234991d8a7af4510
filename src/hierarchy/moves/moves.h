/* moves.h - the move history: moves and deletions of a store in order, and where a path of any
 * moment leads now. It stands in memory. Adding and following cost time by the length of a path,
 * not by the number of moves. */
#ifndef VZ_MOVES_MOVES_H
#define VZ_MOVES_MOVES_H

#include "base/util/bytes.h"

#define VZ_NOWHERE "/./" /* nothing is below: no link is called "." */

typedef struct vz_moves vz_moves;

vz_moves *vz_moves_new(vz_error *err);
void vz_moves_free(vz_moves *moves); /* NULL is fine */
/* Adds a move of the object at `from` to `to`; NULL: it was deleted. `from` below VZ_NOWHERE: a
 * deleted object comes back. Numbers never fall. */
bool vz_moves_add(vz_moves *moves, uint64_t number, const char *from, const char *to, vz_error *err);
/* all: every move that is added from now on is needed, as paths below VZ_NOWHERE are stored.
 * false: no longer. */
void vz_moves_keep(vz_moves *moves, bool all);
uint64_t vz_moves_last(const vz_moves *moves); /* the largest number; 0: there are none */
/* Where the path of a moment leads now. `since`: number of the last move before that moment. A
 * deleted object is below VZ_NOWHERE. Heap; NULL: out of memory. */
char *vz_moves_follow(const vz_moves *moves, const char *path, uint64_t since, vz_error *err);
bool vz_path_is_nowhere(const char *path); /* is it below VZ_NOWHERE? */
/* The path that the object of a path below VZ_NOWHERE had. Borrowed from `path`. */
const char *vz_path_before_deletion(const char *path);

/* A move. Paths lead to the right place without a move whose `is_needed` is false. */
typedef struct vz_move_record {
    uint64_t number;
    char *from, *to; /* to NULL: deleted */
    bool is_needed;
} vz_move_record;
const vz_move_record *vz_moves_all(const vz_moves *moves, size_t *count);

#endif
