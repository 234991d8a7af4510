/* ahead.h - small values that are read before they are asked for, many at once, where each by itself would be a round
 * trip. On one thread. */
#ifndef VZ_STORE_AHEAD_H
#define VZ_STORE_AHEAD_H

#include "store/store.h"

/* Reads these keys, as one batch of requests, and keeps what was there for vz_store_take_ahead, and also that nothing
 * was. What cannot be read, or is more than is kept, is simply read when it is asked for. False with err set only for
 * want of memory. */
bool vz_store_read_ahead(vz_store *store, const char *const *keys, size_t count, vz_error *err);
/* Was the key read ahead? Then *found, and its bytes are in `out`, which was empty; it is told once. */
bool vz_store_take_ahead(vz_store *store, const char *key, vz_buffer *out, bool *found);
/* A key was changed, or (NULL) all may have been: it is read again. */
void vz_store_forget_ahead(vz_store *store, const char *key);

#endif
