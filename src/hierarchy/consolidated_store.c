/* consolidated_store.c - a store seen through its consolidated metadata (option consolidated=use, or where each
 * document would be a round trip): documents come from the copy, and what it does not list is not there; chunks come
 * from the store below. Only for reading. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "store/ahead.h"
#include "store/part.h"
#include <errno.h>
#include <stdlib.h>

typedef struct view {
    vz_store base;
    vz_store *below;
    vz_store *documents; /* a memory store: key -> text */
    vz_store_class class;
} view;

static view *view_of(vz_store *store)
{
    return (view *)store;
}

static bool is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash ? slash + 1 : key;
    return vz_is_node_document(name) || vz_is_attributes_document(name);
}

static vz_store *holder(vz_store *store, const char *key)
{
    return is_document(key) ? view_of(store)->documents : view_of(store)->below;
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

static bool view_open_value(vz_store *store, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                            vz_error *err)
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
    char *key = vz_key_join(prefix, document, err);
    const bool ok = key && vz_store_stat(documents, key, &stamp, err);
    free(key);
    *has = stamp.exists;
    return ok;
}

/* Members of groups, also of those without a document, are those of the copy; what an array holds are chunks. */
static bool view_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_store *documents = view_of(store)->documents;
    bool is_group, is_array;
    if (!has_document(documents, prefix, VZ_DOCUMENT_GROUP, &is_group, err) ||
        !has_document(documents, prefix, VZ_DOCUMENT_ARRAY, &is_array, err))
        return false;
    const vz_says kind = vz_document_look_says(documents, prefix, vz_spellings[0]);
    if (!is_array && kind != VZ_SAYS_ARRAY) {
        const bool ok = vz_store_list(documents, prefix, entries, count, err);
        if (!ok || is_group || kind == VZ_SAYS_GROUP || *count > 0)
            return ok;
    }
    return vz_store_list(view_of(store)->below, prefix, entries, count, err);
}

/* ---- batches, where the store below has them ---- */

typedef struct view_batch {
    vz_part rest;      /* chunks */
    size_t *documents; /* numbers of requests */
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
    for (size_t i = 0; ok && i < batch->count; i++) {
        if (batch->requests[i].op == VZ_REQUEST_LIST || is_document(batch->requests[i].key))
            s->documents[s->count++] = i;
        else
            rest[rest_count++] = i;
    }
    ok = ok ? rest_count == 0 || vz_part_open(&s->rest, view_of(batch->store)->below, batch->requests,
                                              s->count ? rest : NULL, rest_count, err)
            : vz_fail_memory(err);
    free(rest);
    batch->state = s;
    if (!ok && s)
        free_batch(s);
    return ok;
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    view_batch *s = batch->state;
    const size_t next = batch->stopped ? s->count : atomic_fetch_add(&s->next, 1);
    if (batch->stopped)
        vz_part_stop(&s->rest);
    if (next >= s->count)
        return vz_part_next(&s->rest, scratch);
    vz_request *request = &batch->requests[s->documents[next]];
    vz_error failed = VZ_ERROR_NONE;
    const bool lists = request->op == VZ_REQUEST_LIST;
    if (lists ? !view_list(batch->store, request->key, &request->entries, &request->entry_count, &failed)
              : !vz_request_do(view_of(batch->store)->documents, request, scratch, &failed))
        vz_batch_failed(batch, request, &failed);
    return request;
}

static void batch_close(vz_batch *batch)
{
    view_batch *s = batch->state;
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_part_close(&s->rest, &failed) && !atomic_exchange(&batch->failed, true))
        batch->error = failed;
    free_batch(s);
}

static void batch_drop(vz_batch *batch)
{
    view_batch *s = batch->state;
    vz_part_drop(&s->rest);
    free_batch(s);
}

static const vz_batch_class view_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};

static void view_renew(vz_store *store)
{
    vz_store_renew(view_of(store)->below);
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

/* ---- the copy ---- */

static bool keep(vz_store *documents, const char *key, const vz_json *document, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok =
        vz_json_print(document, 0, &text, err) && vz_store_put(documents, key, (vz_bytes){text.data, text.size}, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool fill_v2(vz_store *documents, const vz_json *copy, vz_error *err)
{
    const vz_json *metadata = vz_json_get(copy, "metadata");
    int64_t format = 0;
    if (!vz_json_get_int64(vz_json_get(copy, "zarr_consolidated_format"), &format) || format != 1)
        return vz_fail(err, VZ_UNSUPPORTED, "consolidated metadata of another format than 1");
    if (!metadata || vz_json_kind_of(metadata) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, "\"metadata\" is missing or no object");
    const char *key;
    vz_json *document;
    for (size_t i = 0; vz_json_member(metadata, i, &key, &document); i++)
        if (is_document(key) && !keep(documents, key, document, err))
            return false;
    return true;
}

/* Metadata of each node by its path; the root's is the document around it. */
static bool fill_v3(vz_store *documents, const vz_json *root, vz_error *err)
{
    const vz_json *copy = vz_json_get(root, VZ_CONSOLIDATED), *metadata = vz_json_get(copy, "metadata");
    if (!vz_json_is(vz_json_get(copy, "kind"), "inline"))
        return vz_fail(err, VZ_UNSUPPORTED, "consolidated metadata of another kind than \"inline\"");
    if (!metadata || vz_json_kind_of(metadata) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, "\"metadata\" is missing or no object");
    const char *path;
    vz_json *document;
    bool ok = keep(documents, VZ_DOCUMENT_V3, root, err);
    for (size_t i = 0; ok && vz_json_member(metadata, i, &path, &document); i++) {
        char *key = *path ? vz_key_join(path, VZ_DOCUMENT_V3, err) : NULL;
        ok = !*path || (key && keep(documents, key, document, err));
        free(key);
    }
    return ok;
}

static bool read_whole(vz_store *store, const char *document, vz_json **value, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    *value = NULL;
    vz_version version;
    const bool ok = vz_document_get_first(store, "", document, &text, &found, &version, err) &&
                    (!found || (*value = vz_document_parse_whole(document, (const char *)text.data, text.size, err)));
    vz_buffer_clear(&text);
    return ok;
}

/* Both are asked for at once where each would be a round trip. What zarr.json says counts before documents of format 2.
 */
static bool fill(vz_store *documents, vz_store *store, vz_error *err)
{
    static const char *const names[] = {VZ_DOCUMENT_V3, VZ_DOCUMENT_CONSOLIDATED};
    vz_json *root = NULL, *copy = NULL;
    const bool is_far = !(store->capabilities & VZ_STORE_CHEAP);
    bool ok = (!is_far || vz_store_read_ahead_up_to(store, names, 2, VZ_DOCUMENT_MAX_SIZE, err)) &&
              read_whole(store, VZ_DOCUMENT_V3, &root, err);
    const bool is_v3 = root != NULL;
    ok = ok && (is_v3 || read_whole(store, VZ_DOCUMENT_CONSOLIDATED, &copy, err));
    const vz_json *inlined = vz_json_get(root, VZ_CONSOLIDATED);
    if (ok && (is_v3 ? !inlined || vz_json_kind_of(inlined) == VZ_JSON_NULL : !copy))
        ok = vz_fail(err, VZ_NOT_FOUND, "there is no consolidated metadata to use (option consolidated=use)");
    else if (ok)
        ok = is_v3 ? fill_v3(documents, root, err) : fill_v2(documents, copy, err);
    if (!ok)
        vz_error_where(err, store->path, is_v3 ? VZ_DOCUMENT_V3 : VZ_DOCUMENT_CONSOLIDATED);
    vz_json_free(root);
    vz_json_free(copy);
    return ok;
}

static vz_store *load(vz_store *store, vz_error *err)
{
    vz_store *documents = vz_store_new_memory(err);
    if (!documents || fill(documents, store, err))
        return documents;
    vz_store_close(documents);
    return NULL;
}

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
    vz_store_forget_ahead(store, NULL);
    v->class = view_class;
    v->class.batches = store->class->batches ? &view_batches : NULL;
    v->base.class = &v->class;
    v->base.path = path;
    v->base.capabilities = (store->capabilities & (VZ_STORE_LIST | VZ_STORE_CHEAP)) | VZ_STORE_AT_HAND;
    v->base.in_flight = store->in_flight;
    v->base.identity = store->identity;
    v->below = store;
    v->documents = documents;
    return &v->base;
}

vz_store *vz_consolidated_store(vz_store *store, vz_error *err)
{
    vz_store *documents = load(store, err);
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
    vz_store *documents = load(store, &failed), *seen = NULL;
    bool is_group = false;
    if (documents && vz_document_look_says(documents, "", vz_spellings[0]) != VZ_SAYS_GROUP)
        has_document(documents, "", VZ_DOCUMENT_GROUP, &is_group, NULL);
    else
        is_group = documents != NULL;
    if (is_group)
        seen = view_over(store, documents, &failed);
    if (!seen)
        vz_store_close(documents);
    if (seen || failed.class != VZ_NO_MEMORY)
        return seen ? seen : store;
    vz_store_close(store);
    vz_fail_memory(err);
    return NULL;
}
