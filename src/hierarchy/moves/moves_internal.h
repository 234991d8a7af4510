/* moves_internal.h - the move history: move_history.c builds it, follow_path.c reads it.
 *
 * A moved object is one that a move names, or a group above it. A place is a name in a moved
 * object. It has intervals: which object was there until which move. An object that no move
 * names stays where it is and has no entry. Moves that are not needed may be missing. Then an
 * object seems to move to where another one is: from then on both are one object. */
#ifndef VZ_MOVES_MOVES_INTERNAL_H
#define VZ_MOVES_MOVES_INTERNAL_H

#include "base/util/hash.h"
#include "hierarchy/moves/moves.h"

#define VZ_STILL UINT64_MAX /* until now */

typedef struct vz_moves_object {
    struct vz_moves_object *above; /* now; NULL: the root, or deleted */
    char *name;                    /* there */
    struct vz_moves_object *same;  /* it came to where that one was; NULL: it did not */
    size_t came;                   /* index in `all` of the move that brought it, plus 1; 0: none */
    size_t deleted;                /* index in `all` of its deletion, plus 1; 0: none */
    uint64_t touched;              /* number of the last move below it */
    bool was_left;                 /* something moved away from below it */
    bool comes_back;               /* it comes back after its deletion, whose entry is needed */
    vz_strmap *places;             /* name -> place; NULL: none */
    struct vz_moves_object *next;  /* of all */
} vz_moves_object;

typedef struct vz_moves_interval {
    uint64_t until; /* before that move */
    vz_moves_object *object;
} vz_moves_interval;

typedef struct vz_moves_place {
    vz_moves_interval *intervals; /* one after the other */
    size_t count, capacity;
} vz_moves_place;

struct vz_moves {
    vz_moves_object *root, *objects;
    vz_moves_record *all;
    vz_moves_object **gone; /* of each move: the object that it deleted */
    size_t count, capacity;
    bool keeps_all;
};

/* all: every move that is added from now on is needed, as paths below VZ_NOWHERE are stored.
 * false: no longer. */
void vz_moves_keep(vz_moves *moves, bool all);

#endif
