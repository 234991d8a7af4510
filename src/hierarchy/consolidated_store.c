/* consolidated_store.c - a store seen through its consolidated metadata (option consolidated=use): documents come from
 * the copy, and what it does not list is not there; chunks come from the store below. Only for reading. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "store/ahead.h"
#include <errno.h>
#include <stdlib.h>

typedef struct view {
    vz_store base;
    vz_store *below;
    vz_store *documents; /* a memory store: key -> text */
} view;

static view *view_of(vz_store *store)
{
    return (view *)store;
}

static bool is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash ? slash + 1 : key;
    return strcmp(name, VZ_DOCUMENT_ARRAY) == 0 || strcmp(name, VZ_DOCUMENT_GROUP) == 0 ||
           strcmp(name, VZ_DOCUMENT_ATTRIBUTES) == 0 || strcmp(name, VZ_DOCUMENT_V3) == 0;
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

/* Members of groups are those of the copy; what an array holds are chunks. */
static bool view_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_store *documents = view_of(store)->documents;
    vz_stamp stamp = {0};
    char *key = vz_key_join(prefix, VZ_DOCUMENT_GROUP, err);
    const bool ok = key && vz_store_stat(documents, key, &stamp, err);
    free(key);
    if (!ok)
        return false;
    const bool is_group = stamp.exists || vz_v3_look(documents, prefix) == VZ_V3_GROUP;
    return vz_store_list(is_group ? documents : view_of(store)->below, prefix, entries, count, err);
}

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
    const vz_json *copy = vz_json_get(root, VZ_V3_CONSOLIDATED), *metadata = vz_json_get(copy, "metadata");
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

/* What zarr.json says counts before documents of format 2. */
static bool fill(vz_store *documents, vz_store *store, vz_error *err)
{
    vz_json *root = NULL, *copy = NULL;
    bool ok = read_whole(store, VZ_DOCUMENT_V3, &root, err);
    const bool is_v3 = root != NULL;
    ok = ok && (is_v3 || read_whole(store, VZ_DOCUMENT_CONSOLIDATED, &copy, err));
    const vz_json *inlined = vz_json_get(root, VZ_V3_CONSOLIDATED);
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

vz_store *vz_consolidated_store(vz_store *store, vz_error *err)
{
    vz_store *documents = load(store, err);
    vz_store_forget_ahead(store, NULL);
    view *v = documents ? calloc(1, sizeof *v) : NULL;
    char *path = v ? strdup(store->path) : NULL;
    if (!path) {
        if (documents)
            vz_fail_memory(err);
        free(v);
        vz_store_close(documents);
        vz_store_close(store);
        return NULL;
    }
    v->base.class = &view_class;
    v->base.path = path;
    v->base.capabilities = store->capabilities & (VZ_STORE_LIST | VZ_STORE_CHEAP);
    v->base.identity = store->identity;
    v->below = store;
    v->documents = documents;
    return &v->base;
}
