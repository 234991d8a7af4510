/* hash_index.h - the hash table of the project: which items of somebody's array may have a hash. The array, its items
 * and what makes two of them equal are the owner's: strmap, nummap, JSON objects, the chunk cache. Items are told by
 * their position. The owner seeds hashes where a store has a say in what is hashed. Not thread-safe; looking changes
 * nothing. */
#ifndef VZ_UTIL_HASH_INDEX_H
#define VZ_UTIL_HASH_INDEX_H

#include "base/util/error.h"
#include <stdint.h>

typedef struct vz_hash_index vz_hash_index; /* NULL: no items; free() ends it */

/* Room for so many items in all; *index may be NULL before. false: out of memory, or more than 2^31; nothing has
 * changed. */
bool vz_hash_index_reserve(vz_hash_index **index, size_t items, vz_error *err);
/* The items that may have the hash (the owner compares them), one after the other: *cursor starts at 0, false ends. */
bool vz_hash_index_next(const vz_hash_index *index, uint64_t hash, size_t *cursor, size_t *item);
/* Adds an item that is not there yet; there must be room for it. */
void vz_hash_index_add(vz_hash_index *index, uint64_t hash, size_t item);
/* Removes an item, which has that hash. */
void vz_hash_index_remove(vz_hash_index *index, uint64_t hash, size_t item);
/* The item of that hash is now at another position, where no item was. */
void vz_hash_index_move(vz_hash_index *index, uint64_t hash, size_t from, size_t to);
/* The items behind a position have moved forward by one. Time in proportion to the room, but for the first position. */
void vz_hash_index_close_gap(vz_hash_index *index, size_t position);

#endif
