/* moves.h - where names went: the moves and deletions of a store in their order, and what a path of any moment leads to
 * now. Plain memory. Adding and following take time with the length of a path, however many moves there are. */
#ifndef VZ_MOVES_MOVES_H
#define VZ_MOVES_MOVES_H

#include "base/util/bytes.h"

#define VZ_NOWHERE "/./" /* nothing is below: no link is called "." */

typedef struct vz_moves vz_moves;

vz_moves *vz_moves_new(vz_error *err);
void vz_moves_free(vz_moves *moves); /* NULL is fine */
/* What was at `from` is at `to` from then on; NULL: it was deleted. A `from` below VZ_NOWHERE is what was deleted and
 * comes back. Numbers do not fall. */
bool vz_moves_add(vz_moves *moves, uint64_t number, const char *from, const char *to, vz_error *err);
/* From now on all moves that are added are needed, or not any more: somebody knows paths below VZ_NOWHERE. */
void vz_moves_keep(vz_moves *moves, bool all);
uint64_t vz_moves_last(const vz_moves *moves); /* the largest number; 0: there are none */
/* Where the path of a moment leads now: heap. `since`: the number of the last move before that moment. What was deleted
 * is below VZ_NOWHERE. NULL: out of memory. */
char *vz_moves_follow(const vz_moves *moves, const char *path, uint64_t since, vz_error *err);
bool vz_path_is_nowhere(const char *path); /* is it below VZ_NOWHERE? */
/* The path that the object of a path below VZ_NOWHERE had. Borrowed from `path`. */
const char *vz_path_before_deletion(const char *path);

/* In the order of numbers, and how many; `is_needed`: without it, paths lead where they do. */
typedef struct vz_move_record {
    uint64_t number;
    char *from, *to; /* to NULL: deleted */
    bool is_needed;
} vz_move_record;
const vz_move_record *vz_moves_all(const vz_moves *moves, size_t *count);

#endif
