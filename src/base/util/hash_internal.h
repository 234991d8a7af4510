/* hash_internal.h - an index whose items have moved. */
#ifndef VZ_UTIL_HASH_INTERNAL_H
#define VZ_UTIL_HASH_INTERNAL_H

#include "base/util/hash.h"

/* The items behind a position have moved forward by one. Time in proportion to the room, but for
 * the first position. */
void vz_hash_index_close_gap(vz_hash_index *index, size_t position);

#endif
