/* stacked_store.h - a store over another one, which hands every call on. What is done on the way is the business of the
 * two that are made of it (slow_store.h, failing_store.h): before(), which each of them sets. */
#ifndef STACKED_STORE_H
#define STACKED_STORE_H

#include "store/request.h"
#include <stdlib.h>

typedef struct stacked_store {
    vz_store base;
    vz_store *below;
    /* Before each call but those of batches; false with err set: the call fails. */
    bool (*before)(struct stacked_store *store, const char *key, vz_error *err);
    vz_store_class class;
} stacked_store;

static stacked_store *stacked_of(vz_store *store)
{
    return (stacked_store *)store;
}

static bool stacked_before(vz_store *store, const char *key, vz_error *err)
{
    stacked_store *stacked = stacked_of(store);
    return !stacked->before || stacked->before(stacked, key, err);
}

static bool stacked_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return stacked_before(store, key, err) && vz_store_get(stacked_of(store)->below, key, range, out, found, err);
}

static bool stacked_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                               bool *found, vz_error *err)
{
    return stacked_before(store, key, err) &&
           vz_store_get_ranges(stacked_of(store)->below, key, ranges, count, out, found, err);
}

static bool stacked_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    return stacked_before(store, key, err) && vz_store_stat(stacked_of(store)->below, key, stamp, err);
}

static bool stacked_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return stacked_before(store, key, err) && vz_store_put(stacked_of(store)->below, key, value, err);
}

static bool stacked_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return stacked_before(store, key, err) && vz_store_put_new(stacked_of(store)->below, key, value, err);
}

static bool stacked_del(vz_store *store, const char *key, vz_error *err)
{
    return stacked_before(store, key, err) && vz_store_del(stacked_of(store)->below, key, err);
}

static bool stacked_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    return stacked_before(store, prefix, err) && vz_store_del_tree(stacked_of(store)->below, prefix, err);
}

static bool stacked_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return stacked_before(store, prefix, err) && vz_store_list(stacked_of(store)->below, prefix, entries, count, err);
}

static bool stacked_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                           vz_error *err)
{
    vz_request request = {.op = value ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = value ? *value : (vz_bytes){0},
                          .when = VZ_WHEN_VERSION,
                          .version = *version};
    return stacked_before(store, key, err) && vz_request_do(stacked_of(store)->below, &request, NULL, err);
}

static bool stacked_sync(vz_store *store, vz_error *err)
{
    return stacked_before(store, "", err) && vz_store_sync(stacked_of(store)->below, err);
}

static void stacked_close(vz_store *store)
{
    vz_store_close(stacked_of(store)->below);
    free(store->path);
    free(store);
}

static const vz_store_class stacked_class = {
    .kind = "stacked",
    .get = stacked_get,
    .get_ranges = stacked_get_ranges,
    .stat = stacked_stat,
    .put = stacked_put,
    .put_new = stacked_put_new,
    .del = stacked_del,
    .del_tree = stacked_del_tree,
    .list = stacked_list,
    .change = stacked_change,
    .sync = stacked_sync,
    .close = stacked_close,
};

/* Takes `below` over. `size`: of a struct that begins with a stacked_store. */
static stacked_store *stacked_new(vz_store *below, size_t size)
{
    stacked_store *stacked = calloc(1, size);
    stacked->class = stacked_class;
    stacked->base.class = &stacked->class;
    stacked->base.path = strdup(below->path);
    stacked->base.capabilities = below->capabilities;
    stacked->below = below;
    return stacked;
}

#endif
