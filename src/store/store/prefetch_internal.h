/* prefetch_internal.h - the answer to a GET, kept as a prefetched value. */
#ifndef VZ_STORE_PREFETCH_INTERNAL_H
#define VZ_STORE_PREFETCH_INTERNAL_H

#include "store/store/prefetch.h"

/* Keeps the answer to a GET. */
bool vz_prefetch_keep_answer(struct vz_prefetch_table *table, const vz_request *request, vz_buffer *bytes,
                             vz_error *err);

#endif
