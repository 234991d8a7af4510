/* bytes_internal.h - surrogate pairs in UTF-8, and hashes of keys, for this module. */
#ifndef VZ_UTIL_BYTES_INTERNAL_H
#define VZ_UTIL_BYTES_INTERNAL_H

#include "base/util/bytes.h"

/* Do the two halves of a surrogate pair stand there, in three bytes each? */
bool vz_utf8_is_pair(const void *data, size_t size);

/* Another one for the keys of a table, eight bytes at a time. A caller that does not know the
 * seed cannot choose keys that collide. Never stored. */
uint64_t vz_hash_key(const char *key, size_t size, uint64_t seed);

#endif
