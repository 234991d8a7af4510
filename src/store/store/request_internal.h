/* request_internal.h - requests done at once, versions of values that stay open between requests,
 * answers kept as prefetched values. */
#ifndef VZ_STORE_REQUEST_INTERNAL_H
#define VZ_STORE_REQUEST_INTERNAL_H

#include "store/store/request.h"
#include "store/store/prefetch.h"

/* A change that another process makes (store->repeats) is done: its answer tells nothing. */
static inline bool vz_request_is_repeated(const vz_store *store, vz_request *request)
{
    if (!store->repeats || !vz_request_changes(request))
        return false;
    request->failed = VZ_OK;
    request->version = (vz_version){0};
    return true;
}

/* One version of one key. It closes with its last user, or leaves the table when another one
 * needs the place. */
typedef struct vz_version_held {
    char *key;
    vz_store_value value;
    vz_version version;
    bool found;    /* false: there was no value */
    bool replaces; /* opened to be replaced: locked, where the store can */
    unsigned users;
    bool listed;   /* in the table: does not close with its last user */
    uint64_t used; /* when, in the table's own count */
} vz_version_held;

/* The version of the key that is held, or else the one that is there now. If `hold` says so, that
 * one is held from now on. One more user; NULL with err set. */
vz_version_held *vz_version_held_use(vz_store *store, const char *key, vz_request_hold hold, vz_error *err);
void vz_version_held_leave(vz_store *store, vz_version_held *held);

void vz_version_held_free(vz_store *store); /* when the store closes */

/* prefetch.c: keeps the answer to a GET as a prefetched value. */
bool vz_prefetch_keep_answer(struct vz_prefetch_table *table, const vz_request *request, vz_buffer *bytes,
                             vz_error *err);

/* prefetch.c: the value that is kept of that key is a chunk's. */
void vz_prefetch_mark_chunk(struct vz_prefetch_table *table, const char *key);

#endif
