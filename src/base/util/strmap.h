/* strmap.h - a hash table from text to pointer, in insertion order for walks. Not thread-safe. */
#ifndef VZ_UTIL_STRMAP_H
#define VZ_UTIL_STRMAP_H

#include "base/util/error.h"

typedef struct vz_strmap vz_strmap;

vz_strmap *vz_strmap_new(void); /* NULL: out of memory */
/* The same, of keys that are the caller's: each stays where and what it is as long as its entry is there. */
vz_strmap *vz_strmap_new_borrowing(void);
bool vz_strmap_reserve(vz_strmap *map, size_t count, vz_error *err); /* room for so many entries in all, at once */
void vz_strmap_free(vz_strmap *map, void (*free_value)(void *));     /* free_value may be NULL */
void *vz_strmap_get(const vz_strmap *map, const char *key);          /* NULL: absent */
/* Copies the key; replaces the value of a key that is there (its place in the order stays). Values are not NULL. */
bool vz_strmap_put(vz_strmap *map, const char *key, void *value, vz_error *err);
void *vz_strmap_remove(vz_strmap *map, const char *key); /* the value it had, or NULL; linear time is not acceptable */
size_t vz_strmap_count(const vz_strmap *map);
/* Walk in insertion order: *cursor starts at 0. The map may lose the current key during a walk, nothing else. */
bool vz_strmap_next(const vz_strmap *map, size_t *cursor, const char **key, void **value);

#endif
