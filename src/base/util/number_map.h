/* number_map.h - a hash table from number to pointer. Zero-initialised = empty. Not thread-safe. */
#ifndef VZ_UTIL_NUMBER_MAP_H
#define VZ_UTIL_NUMBER_MAP_H

#include "base/util/hash_index.h"

typedef struct vz_nummap {
    struct vz_nummap_row *rows;
    size_t capacity, count;
    vz_hash_index *index;
} vz_nummap;

/* Where the number's value stands, until the next put or remove; NULL: the number is not there. */
void **vz_nummap_find(const vz_nummap *map, uint64_t number);
/* The same; a number that is not there is added, with the value NULL. NULL with err set: out of memory. */
void **vz_nummap_put(vz_nummap *map, uint64_t number, vz_error *err);
void vz_nummap_remove(vz_nummap *map, uint64_t number); /* which may be absent */
/* The values one after the other, in no order: *cursor starts at 0, false ends. Nothing may be put or removed
 * meanwhile. */
bool vz_nummap_next(const vz_nummap *map, size_t *cursor, void **value);
void vz_nummap_clear(vz_nummap *map); /* values are the caller's */

#endif
