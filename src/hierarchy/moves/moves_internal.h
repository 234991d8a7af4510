/* moves_internal.h - the log of moves as move_history.c builds it up and follow_path.c reads it.
 *
 * Things are the objects that moves tell of, and the groups above them. Each place in a thing, a name, knows which
 * things were there from which move until which other one. What no move tells of stays in its place, and needs no
 * thing. Notes that are not needed may be missing, and then things seem to move to where others are: from then on both
 * are the same thing. */
#ifndef VZ_MOVES_MOVES_INTERNAL_H
#define VZ_MOVES_MOVES_INTERNAL_H

#include "base/util/hash.h"
#include "hierarchy/moves/moves.h"

#define VZ_STILL UINT64_MAX /* until now */

typedef struct vz_moved_object {
    struct vz_moved_object *above; /* now; NULL: the root, or deleted */
    char *name;                    /* there */
    struct vz_moved_object *same;  /* it came to where that one was; NULL: it did not */
    size_t came;                   /* by the move at that place in `all`, and one; 0: nobody told */
    size_t deleted;                /* the same of its deletion */
    uint64_t touched;              /* number of the last move below it */
    bool was_left;                 /* something moved away from below it */
    bool comes_back;               /* the same after it was deleted: the entry of that is needed */
    vz_strmap *places;             /* name -> place; NULL: none */
    struct vz_moved_object *next;  /* of all */
} vz_moved_object;

typedef struct vz_thing_stay {
    uint64_t until; /* before that move */
    vz_moved_object *thing;
} vz_thing_stay;

typedef struct vz_thing_place {
    vz_thing_stay *stays; /* one after the other */
    size_t count, capacity;
} vz_thing_place;

struct vz_moves {
    vz_moved_object *root, *things;
    vz_move_record *all;
    vz_moved_object **gone; /* of each of them: what it deleted */
    size_t count, capacity;
    bool keeps_all;
};

#endif
