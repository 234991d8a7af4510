/* hash.h - hash tables: an index of hashes, maps from numbers and from strings. */
#ifndef VZ_UTIL_HASH_H
#define VZ_UTIL_HASH_H

#include "base/util/error.h"
#include <stdint.h>

/* -- Hash index --
 * the hash table of the project: which items of somebody's array may have a hash. The array, its
 * items and what makes two of them equal are the owner's: strmap, nummap, JSON objects, the chunk
 * cache. Items are reported by their position. The owner seeds hashes where a store has a say in
 * what is hashed. Not thread-safe; looking changes nothing. */
typedef struct vz_hash_index vz_hash_index; /* NULL: no items; free() ends it */

/* Room for so many items in all; *index may be NULL before. false: out of memory, or more than
 * 2^31; nothing has changed. */
bool vz_hash_index_reserve(vz_hash_index **index, size_t items, vz_error *err);

/* The items that may have the hash (the owner compares them), one after the other: *cursor
 * starts at 0, false ends. */
bool vz_hash_index_next(const vz_hash_index *index, uint64_t hash, size_t *cursor, size_t *item);

/* Adds an item that is not there yet; there must be room for it. */
void vz_hash_index_add(vz_hash_index *index, uint64_t hash, size_t item);

/* Removes an item, which has that hash. */
void vz_hash_index_remove(vz_hash_index *index, uint64_t hash, size_t item);

/* The item of that hash is now at another position, where no item was. */
void vz_hash_index_move(vz_hash_index *index, uint64_t hash, size_t from, size_t to);

/* -- Number map --
 * a hash table from number to pointer. Zero-initialised = empty. Not thread-safe. */
typedef struct vz_nummap {
    struct vz_nummap_row *rows;
    size_t capacity, count;
    vz_hash_index *index;
} vz_nummap;

/* Where the number's value stands, until the next put or remove; NULL: the number is not there. */
void **vz_nummap_find(const vz_nummap *map, uint64_t number);

/* The value of a number; a number that is not there is added, with the value NULL. NULL with err
 * set: out of memory. */
void **vz_nummap_put(vz_nummap *map, uint64_t number, vz_error *err);
void vz_nummap_remove(vz_nummap *map, uint64_t number); /* which may be absent */

/* The values one after the other, in no order: *cursor starts at 0, false ends. Nothing may be
 * put or removed meanwhile. */
bool vz_nummap_next(const vz_nummap *map, size_t *cursor, void **value);
void vz_nummap_clear(vz_nummap *map); /* values are the caller's */

/* -- Strmap --
 * a hash table from text to pointer, in insertion order for walks. Not thread-safe. */
typedef struct vz_strmap vz_strmap;

vz_strmap *vz_strmap_new(void); /* NULL: out of memory */

/* A map that borrows its keys from the caller: a key stays valid and unchanged as long as its entry
 * is there. */
vz_strmap *vz_strmap_new_borrowing(void);
/* room for so many entries in all, at once */
bool vz_strmap_reserve(vz_strmap *map, size_t count, vz_error *err);
void vz_strmap_free(vz_strmap *map, void (*free_value)(void *)); /* free_value may be NULL */
void *vz_strmap_get(const vz_strmap *map, const char *key);      /* NULL: absent */

/* Copies the key; replaces the value of a key that is there (its place in the order stays).
 * Values are not NULL. */
bool vz_strmap_put(vz_strmap *map, const char *key, void *value, vz_error *err);
void *vz_strmap_remove(vz_strmap *map, const char *key); /* the value it had, or NULL; linear time
                                                          * is not acceptable */
size_t vz_strmap_count(const vz_strmap *map);

/* Walk in insertion order: *cursor starts at 0. The map may lose the current key during a walk,
 * nothing else. */
bool vz_strmap_next(const vz_strmap *map, size_t *cursor, const char **key, void **value);

#endif
