/* token_paths.h - numbers for paths, for the life of the process: a tree of names per store (spots) holds them, so that a
 * rename carries a whole subtree along and a deletion retires one. Numbers are never used twice. State of the module
 * instance; knows no nodes. */
#ifndef VZ_NODES_TOKEN_PATHS_H
#define VZ_NODES_TOKEN_PATHS_H

#include "base/util/strmap.h"
#include <stdint.h>

typedef struct vz_spot {
    uint64_t token; /* 0: nobody asked */
    uint64_t identity;
    struct vz_spot *above; /* NULL: a store's root */
    char *name;
    vz_strmap *below; /* by their names; NULL: nothing */
} vz_spot;

/* The spot at "/a/b" of the store with that identity; NULL: there is none, or with `make` no memory. Borrowed until the
 * path, or one above it, is retired or moved. */
vz_spot *vz_spot_at(uint64_t identity, const char *path, bool make, vz_error *err);
/* Its number, made where it has none; 0 + err when out of memory. */
uint64_t vz_spot_token(uint64_t identity, const char *path, vz_error *err);
/* The same of the name below a spot. */
uint64_t vz_spot_token_below(vz_spot *above, const char *name, vz_error *err);
/* The path of a spot: heap, NULL when out of memory. */
char *vz_spot_path(const vz_spot *spot, vz_error *err);
/* The spot gets this number, one that was handed out; the one it had is nobody's. */
void vz_spot_take_token(vz_spot *spot, uint64_t token);
void vz_spots_retire(uint64_t identity, const char *path); /* with all below: the numbers are nobody's any more */
/* What was at `to` is retired. Out of memory: what moved is, too. */
void vz_spots_move(uint64_t identity, const char *from, const char *to);
void vz_spots_forget(uint64_t identity); /* the store was emptied or removed */

/* A number for what has no path: from the hash on the first that was never handed out. 0 + err when out of memory. */
uint64_t vz_token_new(uint64_t hash, vz_error *err);
/* Was the number handed out? *spot: where it is now; NULL: nowhere. */
bool vz_token_find(uint64_t token, vz_spot **spot);

#endif
