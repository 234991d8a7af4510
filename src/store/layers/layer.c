/* layer.c - see layer.h. Each function hands one call on, as often as the kind wants it made. */
#include "store/layers/layer_internal.h"
#include <stdlib.h>

static vz_layer *layer_of(vz_store *store)
{
    return (vz_layer *)store;
}

/* One call, and how often it was made. */
typedef struct attempt {
    vz_layer *layer;
    const char *key;
    unsigned made;
    vz_error failed;
} attempt;

static attempt attempt_of(vz_store *store, const char *key)
{
    return (attempt){.layer = layer_of(store), .key = key};
}

static bool may_begin(attempt *a)
{
    a->made++;
    a->failed = VZ_ERROR_NONE;
    return !a->layer->before || a->layer->before(a->layer, a->key, &a->failed);
}

static bool goes_on(attempt *a, bool ok)
{
    return !ok && a->layer->again && a->layer->again(a->layer, a->made, &a->failed);
}

static bool done(attempt *a, bool ok, vz_error *err)
{
    if (!ok && err && err->class == VZ_OK)
        *err = a->failed;
    return ok;
}

/* Makes `call`, in which the first attempt `a` and its error a.failed are visible, until it is
 * done, and returns. */
#define HAND_ON(store, key, call, undo)                                                                                \
    attempt a = attempt_of(store, key);                                                                                \
    vz_store *const below = a.layer->below;                                                                            \
    bool ok = may_begin(&a) && (call);                                                                                 \
    while (goes_on(&a, ok)) {                                                                                          \
        undo;                                                                                                          \
        ok = may_begin(&a) && (call);                                                                                  \
    }                                                                                                                  \
    return done(&a, ok, err)

/* ---- reading ---- */

static bool layer_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    const size_t before = out->size;
    HAND_ON(store, key, vz_store_get(below, key, range, out, found, &a.failed), out->size = before);
}

static void cut_all(vz_buffer *out, const size_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i].size = sizes[i];
}

static bool get_ranges_again(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                             const size_t *sizes, bool *found, vz_error *err)
{
    HAND_ON(store, key, vz_store_get_ranges(below, key, ranges, count, out, found, &a.failed),
            cut_all(out, sizes, count));
}

static bool layer_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                             bool *found, vz_error *err)
{
    size_t *sizes = malloc((count + 1) * sizeof *sizes);
    if (!sizes)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        sizes[i] = out[i].size;
    const bool ok = get_ranges_again(store, key, ranges, count, out, sizes, found, err);
    free(sizes);
    return ok;
}

static bool layer_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    HAND_ON(store, key, vz_store_stat(below, key, stamp, &a.failed), );
}

static bool layer_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    HAND_ON(store, prefix, vz_store_list(below, prefix, entries, count, &a.failed), );
}

/* ---- changing ---- */

static bool layer_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    HAND_ON(store, key, vz_store_put(below, key, value, &a.failed), );
}

static bool layer_put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    HAND_ON(store, key, vz_store_put_stamped(below, key, value, stamp, &a.failed), );
}

static bool layer_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    HAND_ON(store, key, vz_store_put_new(below, key, value, &a.failed), );
}

static bool change_once(vz_store *below, const char *key, const vz_bytes *value, const vz_version *version,
                        vz_version *now, vz_error *err)
{
    vz_request request = {.op = value ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = value ? *value : (vz_bytes){0},
                          .when = version->size ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .tells = value != NULL,
                          .version = *version};
    const bool ok = vz_request_do(below, &request, NULL, err);
    *now = ok && value ? request.version : (vz_version){0};
    return ok;
}

static bool layer_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                         vz_version *now, vz_error *err)
{
    HAND_ON(store, key, change_once(below, key, value, version, now, &a.failed), );
}

static bool layer_del(vz_store *store, const char *key, vz_error *err)
{
    HAND_ON(store, key, vz_store_del(below, key, &a.failed), );
}

static bool layer_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    HAND_ON(store, prefix, vz_store_del_tree(below, prefix, &a.failed), );
}

/* Made once: after a part of it a second attempt would find another state than the first. */
static bool layer_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    return vz_store_rename_tree(layer_of(store)->below, from, to, err);
}

/* ---- all of it ---- */

static bool layer_sync(vz_store *store, vz_error *err)
{
    HAND_ON(store, "", vz_store_sync(below, &a.failed), );
}

static bool layer_drain(vz_store *store, vz_error *err)
{
    return vz_store_drain(layer_of(store)->below, err);
}

static bool layer_owes(vz_store *store, const char *prefix)
{
    return vz_store_has_unwritten(layer_of(store)->below, prefix);
}

static bool layer_renew(vz_store *store, vz_error *err)
{
    return vz_store_renew(layer_of(store)->below, err);
}

static bool layer_is_at(const vz_store *store, const char *path)
{
    return vz_store_is_at(((const vz_layer *)store)->below, path);
}

static int layer_open_lock(const vz_store *store, const char *key)
{
    const vz_store *below = ((const vz_layer *)store)->below;
    return below->class->open_lock(below, key);
}

static void layer_close(vz_store *store)
{
    vz_store_close(layer_of(store)->below);
    free(store->path);
    free(store);
}

/* ---- batches: those of the store below ---- */

static bool open_batch(vz_batch *batch, vz_error *err)
{
    batch->state = vz_batch_open(layer_of(batch->store)->below, batch->requests, batch->count, err);
    return batch->state != NULL;
}

static vz_request *next_of_batch(vz_batch *batch, vz_buffer *scratch)
{
    if (batch->stopped)
        vz_batch_stop(batch->state);
    return vz_batch_next(batch->state, scratch);
}

static void close_batch(vz_batch *batch)
{
    batch->failed = !vz_batch_close(batch->state, &batch->error);
}

static void drop_batch(vz_batch *batch)
{
    vz_batch_drop(batch->state);
}

static const vz_batch_class layer_batches = {
    .open = open_batch, .next = next_of_batch, .close = close_batch, .drop = drop_batch};

/* ---- */

static vz_store_class class_over(const vz_store_class *below, const char *kind)
{
    return (vz_store_class){
        .kind = kind,
        .key_max = below->key_max,
        .del_tree_in_order = below->del_tree_in_order,
        .get = layer_get,
        .get_ranges = layer_get_ranges,
        .stat = layer_stat,
        .put = layer_put,
        .put_stamped = below->put_stamped ? layer_put_stamped : NULL,
        .put_new = layer_put_new,
        .change = below->change ? layer_change : NULL,
        .del = layer_del,
        .del_tree = layer_del_tree,
        .rename_tree = below->rename_tree ? layer_rename_tree : NULL,
        .list = layer_list,
        .sync = layer_sync,
        .drain = layer_drain,
        .has_unwritten = layer_owes,
        .renew = layer_renew,
        .is_at = layer_is_at,
        .open_lock = below->open_lock ? layer_open_lock : NULL,
        .batches = below->batches ? &layer_batches : NULL,
        .close = layer_close,
    };
}

vz_layer *vz_layer_new(vz_store *below, size_t size, const char *kind, vz_error *err)
{
    vz_layer *layer = calloc(1, size);
    char *path = layer ? strdup(below->path) : NULL;
    if (!path) {
        free(layer);
        vz_store_close(below);
        vz_fail_memory(err);
        return NULL;
    }
    layer->class = class_over(below->class, kind);
    layer->base.class = &layer->class;
    layer->base.path = path;
    layer->base.capabilities = below->capabilities;
    layer->base.in_flight = below->in_flight;
    layer->base.identity = below->identity;
    layer->below = below;
    return layer;
}
