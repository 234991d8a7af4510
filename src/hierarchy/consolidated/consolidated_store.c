/* consolidated_store.c - a store seen through its consolidated metadata. It is used with the
 * option consolidated=use, or where each document would be a round trip. Documents come from the
 * copy, and a key that it does not list is absent; chunks come from the store below. Only for
 * reading. */
#include "hierarchy/consolidated/prefetch_internal.h"
#include "hierarchy/consolidated/consolidated_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include "store/layers/layer.h"
#include <errno.h>
#include <stdlib.h>

typedef struct view {
    vz_store base;
    vz_store *below;
    vz_store *documents; /* a memory store: key -> text */
    vz_small_prefetch prefetch;
    vz_store_class class;
} view;

static view *view_of(vz_store *store)
{
    return (view *)store;
}

static vz_store *holder(vz_store *store, const char *key)
{
    return vz_consolidated_has(key) ? view_of(store)->documents : view_of(store)->below;
}

static bool view_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return vz_store_get(holder(store, key), key, range, out, found, err);
}

static bool view_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                            bool *found, vz_error *err)
{
    return vz_store_get_ranges(holder(store, key), key, ranges, count, out, found, err);
}

static bool view_open_value(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value,
                            bool *found, vz_error *err)
{
    return vz_store_open_value(view_of(store)->below, key, use, value, found, err);
}

static bool view_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                            size_t count, vz_buffer *out, vz_error *err)
{
    return vz_store_read_value(view_of(store)->below, key, value, ranges, count, out, err);
}

static bool view_value_changed(vz_store *store, const char *key, const vz_store_value *value)
{
    return vz_store_value_changed(view_of(store)->below, key, value);
}

static void view_close_value(vz_store *store, vz_store_value *value)
{
    vz_store_close_value(view_of(store)->below, value);
}

static bool view_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    return vz_store_stat(holder(store, key), key, stamp, err);
}

static bool has_document(vz_store *documents, const char *prefix, const char *document, bool *has, vz_error *err)
{
    vz_stamp stamp = {0};
    char *key = vz_document_key_join(prefix, document, err);
    const bool ok = key && vz_store_stat(documents, key, &stamp, err);
    free(key);
    *has = stamp.exists;
    return ok;
}

/* Finds out from the documents whether an array or a group is at the prefix. The first Zarr format
 * that says so decides. */
static bool look(vz_store *documents, const char *prefix, vz_meta_document_kind *says, vz_error *err)
{
    *says = VZ_SAYS_NEITHER;
    for (size_t i = 0; i < VZ_ZARR_FORMATS && *says == VZ_SAYS_NEITHER; i++) {
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        bool is_array = false, is_group = false;
        if (zarr_format->says)
            *says = vz_node_document_look_says(documents, prefix, zarr_format);
        else if (!has_document(documents, prefix, zarr_format->array, &is_array, err) ||
                 (!is_array && !has_document(documents, prefix, zarr_format->group, &is_group, err)))
            return false;
        if (is_array || is_group)
            *says = is_array ? VZ_SAYS_ARRAY : VZ_SAYS_GROUP;
    }
    return true;
}

/* Members of groups, also of those without a document, are those of the copy; what an array
 * holds are chunks. */
static bool view_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_store *documents = view_of(store)->documents;
    vz_meta_document_kind says;
    if (!look(documents, prefix, &says, err))
        return false;
    if (says != VZ_SAYS_ARRAY) {
        const bool ok = vz_store_list(documents, prefix, entries, count, err);
        if (!ok || says == VZ_SAYS_GROUP || *count > 0)
            return ok;
    }
    return vz_store_list(view_of(store)->below, prefix, entries, count, err);
}

/* ---- batches, where the store below has them ---- */

typedef struct view_batch {
    vz_sub_batch rest; /* chunks */
    size_t *documents; /* numbers of requests that need no other store: for documents and prefetched
                        * chunks */
    size_t count;
    atomic_size_t next;
} view_batch;

static void free_batch(view_batch *s)
{
    free(s->documents);
    free(s);
}

static bool batch_open(vz_batch *batch, vz_error *err)
{
    view_batch *s = calloc(1, sizeof *s);
    size_t *rest = malloc((batch->count + 1) * sizeof *rest), rest_count = 0;
    bool ok = s && rest && (s->documents = malloc((batch->count + 1) * sizeof *rest));
    view *v = view_of(batch->store);
    vz_small_prefetch_trim(&v->prefetch);
    for (size_t i = 0; ok && i < batch->count; i++) {
        if (batch->requests[i].op == VZ_REQUEST_LIST || vz_consolidated_has(batch->requests[i].key) ||
            vz_small_prefetch_has(&v->prefetch, &batch->requests[i]))
            s->documents[s->count++] = i;
        else
            rest[rest_count++] = i;
    }
    ok = ok ? rest_count == 0 ||
                  vz_sub_batch_open(&s->rest, v->below, batch->requests, s->count ? rest : NULL, rest_count, err)
            : vz_fail_memory(err);
    if (ok && rest_count == batch->count)
        vz_small_prefetch_watch(&v->prefetch, v->documents, v->below, batch->requests, batch->count);
    free(rest);
    batch->state = s;
    if (!ok && s)
        free_batch(s);
    return ok;
}

static bool answer(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    view *v = view_of(store);
    if (request->op == VZ_REQUEST_LIST)
        return view_list(store, request->key, &request->entries, &request->entry_count, err);
    return vz_consolidated_has(request->key) ? vz_request_do(v->documents, request, scratch, err)
                                             : vz_small_prefetch_answer(&v->prefetch, request, err);
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    view_batch *s = batch->state;
    const size_t next = batch->stopped ? s->count : atomic_fetch_add(&s->next, 1);
    if (batch->stopped)
        vz_sub_batch_stop(&s->rest);
    if (next >= s->count)
        return vz_sub_batch_next(&s->rest, scratch);
    vz_request *request = &batch->requests[s->documents[next]];
    vz_error failed = VZ_ERROR_NONE;
    if (!answer(batch->store, request, scratch, &failed))
        vz_batch_failed(batch, request, &failed);
    return request;
}

static void batch_close(vz_batch *batch)
{
    view_batch *s = batch->state;
    vz_error failed = VZ_ERROR_NONE;
    vz_small_prefetch *prefetch = &view_of(batch->store)->prefetch;
    if (!vz_sub_batch_close(&s->rest, &failed) && !atomic_exchange(&batch->failed, true))
        batch->error = failed;
    for (size_t i = 0; i < s->count; i++)
        if (!vz_consolidated_has(batch->requests[s->documents[i]].key))
            vz_small_prefetch_used(prefetch, &batch->requests[s->documents[i]]);
    vz_small_prefetch_end(prefetch);
    free_batch(s);
}

static void batch_drop(vz_batch *batch)
{
    view_batch *s = batch->state;
    vz_sub_batch_drop(&s->rest);
    vz_small_prefetch_drop(&view_of(batch->store)->prefetch);
    free_batch(s);
}

static const vz_batch_class view_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};

static bool view_renew(vz_store *store, vz_error *err)
{
    vz_small_prefetch_clear(&view_of(store)->prefetch);
    return vz_store_renew(view_of(store)->below, err);
}

static bool view_is_at(const vz_store *store, const char *path)
{
    return vz_store_is_at(((const view *)store)->below, path);
}

static int view_open_lock(const vz_store *store, const char *key)
{
    const vz_store *below = ((const view *)store)->below;
    errno = EOPNOTSUPP;
    return below->class->open_lock ? below->class->open_lock(below, key) : -1;
}

static void view_close(vz_store *store)
{
    view *v = view_of(store);
    vz_small_prefetch_clear(&v->prefetch);
    vz_store_close(v->documents);
    vz_store_close(v->below);
    free(store->path);
    free(v);
}

static const vz_store_class view_class = {
    .kind = "consolidated",
    .get = view_get,
    .get_ranges = view_get_ranges,
    .open_value = view_open_value, /* of chunks only: a document is read in one go */
    .read_value = view_read_value,
    .value_changed = view_value_changed,
    .close_value = view_close_value,
    .stat = view_stat,
    .list = view_list,
    .is_at = view_is_at,
    .open_lock = view_open_lock,
    .renew = view_renew,
    .close = view_close,
};

/* Takes neither on failure. */
static vz_store *view_over(vz_store *store, vz_store *documents, vz_error *err)
{
    view *v = calloc(1, sizeof *v);
    char *path = v ? strdup(store->path) : NULL;
    if (!path) {
        vz_fail_memory(err);
        free(v);
        return NULL;
    }
    vz_store_forget_prefetched(store, NULL);
    v->class = view_class;
    v->class.batches = store->class->batches ? &view_batches : NULL;
    v->base.class = &v->class;
    v->base.path = path;
    /* The copy lists groups, also where the store below cannot list. */
    v->base.capabilities = (store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_SCATTERS | VZ_STORE_IN_ONE)) |
                           VZ_STORE_LIST | VZ_STORE_AT_HAND;
    v->base.in_flight = store->in_flight;
    v->base.identity = store->identity;
    v->below = store;
    v->documents = documents;
    return &v->base;
}

vz_store *vz_consolidated_store(vz_store *store, vz_error *err)
{
    vz_store *documents = vz_consolidated_documents(store, err);
    vz_store *seen = documents ? view_over(store, documents, err) : NULL;
    if (seen)
        return seen;
    vz_store_close(documents);
    vz_store_close(store);
    return NULL;
}

/* A copy that does not tell what the root is, or of a format that we do not know, is none. */
vz_store *vz_consolidated_store_if(vz_store *store, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_store *documents = vz_consolidated_documents(store, &failed), *seen = NULL;
    vz_meta_document_kind says = VZ_SAYS_NEITHER;
    if (documents && look(documents, "", &says, &failed) && says == VZ_SAYS_GROUP)
        seen = view_over(store, documents, &failed);
    if (!seen)
        vz_store_close(documents);
    if (seen || failed.class != VZ_NO_MEMORY)
        return seen ? seen : store;
    vz_store_close(store);
    vz_fail_memory(err);
    return NULL;
}
