/* split_documents.c - the documents that consolidated metadata has copies of, each as its text.
 * They are cut out of the text around them, and each is parsed once, when it is asked for. */
#include "hierarchy/consolidated/consolidated_internal.h"
#include "hierarchy/documents/documents.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define FORMAT_KEY   "zarr_consolidated_format"
#define METADATA_KEY "metadata"

bool vz_consolidated_has(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash ? slash + 1 : key;
    return vz_zarr_is_node_document(name) || vz_zarr_is_attributes_document(name);
}

/* A member that is looked for, and its text; the list of them ends with a key that is NULL. */
typedef struct member {
    const char *key;
    vz_bytes text; /* data NULL: not there */
} member;

static bool find_members(void *context, const char *key, vz_bytes value, vz_error *err)
{
    (void)err;
    for (member *m = context; m->key; m++)
        if (strcmp(m->key, key) == 0)
            m->text = value;
    return true;
}

static vz_json *parse(vz_bytes text)
{
    return text.data ? vz_json_parse((const char *)text.data, text.size, NULL) : NULL;
}

static bool is_object(vz_bytes text, vz_error *err)
{
    return (text.data && *text.data == '{') || vz_fail(err, VZ_CORRUPT, "\"metadata\" is missing or no object");
}

/* ---- a document of its own, with keys and documents ---- */

static bool keep_document(void *documents, const char *key, vz_bytes value, vz_error *err)
{
    return !vz_consolidated_has(key) || vz_store_put(documents, key, value, err);
}

static bool fill_from_own(vz_store *documents, vz_bytes copy, vz_error *err)
{
    member members[] = {{.key = FORMAT_KEY}, {.key = METADATA_KEY}, {.key = NULL}};
    int64_t format = 0;
    if (!vz_json_each_member(copy, find_members, members, err))
        return false;
    vz_json *stated = parse(members[0].text);
    const bool known = vz_json_get_int64(stated, &format) && format == 1;
    vz_json_free(stated);
    if (!known)
        return vz_fail(err, VZ_UNSUPPORTED, "consolidated metadata of another format than 1");
    return is_object(members[1].text, err) && vz_json_each_member(members[1].text, keep_document, documents, err);
}

/* ---- a member of the group's document, with paths and documents ---- */

typedef struct nodes {
    vz_store *documents;
    const char *name; /* of each document */
} nodes;

static bool keep_node(void *context, const char *path, vz_bytes value, vz_error *err)
{
    const nodes *n = context;
    if (!*path)
        return true;
    char *key = vz_document_key_join(path, n->name, err);
    const bool ok = key && vz_store_put(n->documents, key, value, err);
    free(key);
    return ok;
}

/* The group's document says what is around the copy. */
static bool keep_around(const nodes *n, vz_bytes root, vz_bytes copy, vz_error *err)
{
    static const char nothing[] = "{}";
    const size_t before = (size_t)(copy.data - root.data), after = before + copy.size;
    vz_buffer text = {0};
    const bool ok = vz_buffer_append(&text, root.data, before, err) &&
                    vz_buffer_append(&text, nothing, sizeof nothing - 1, err) &&
                    vz_buffer_append(&text, root.data + after, root.size - after, err) &&
                    vz_store_put(n->documents, n->name, (vz_bytes){text.data, text.size}, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool fill_from_group(vz_store *documents, const vz_zarr_format *zarr_format, vz_bytes root, bool *found,
                            vz_error *err)
{
    member outer[] = {{.key = VZ_CONSOLIDATED}, {.key = NULL}};
    member inner[] = {{.key = "kind"}, {.key = METADATA_KEY}, {.key = NULL}};
    if (!vz_json_each_member(root, find_members, outer, err))
        return false;
    const vz_bytes copy = outer[0].text;
    *found = copy.data && *copy.data != 'n'; /* null */
    if (!*found)
        return true;
    vz_json *kind = vz_json_each_member(copy, find_members, inner, NULL) ? parse(inner[0].text) : NULL;
    const bool known = vz_json_is(kind, "inline");
    vz_json_free(kind);
    if (!known)
        return vz_fail(err, VZ_UNSUPPORTED, "consolidated metadata of another kind than \"inline\"");
    nodes n = {documents, zarr_format->group};
    return is_object(inner[1].text, err) && keep_around(&n, root, copy, err) &&
           vz_json_each_member(inner[1].text, keep_node, &n, err);
}

/* ---- which of them ---- */

static const char *holder_of(const vz_zarr_format *zarr_format)
{
    return zarr_format->consolidated ? zarr_format->consolidated : zarr_format->group;
}

/* *there: there is such a document, whatever it says. *found: it has a copy. */
static bool fill_from(vz_store *documents, vz_store *store, const vz_zarr_format *zarr_format, bool *there, bool *found,
                      vz_error *err)
{
    const char *name = holder_of(zarr_format);
    vz_buffer text = {0};
    vz_error failed = VZ_ERROR_NONE;
    vz_version version;
    bool ok = vz_document_get_first(store, "", name, &text, there, &version, err);
    *found = *there = ok && *there;
    if (*there) {
        const vz_bytes all = {text.data, text.size};
        ok = zarr_format->consolidated ? fill_from_own(documents, all, &failed)
                                       : fill_from_group(documents, zarr_format, all, found, &failed);
        if (!ok)
            vz_error_set(err, failed.class, "%s: %s", name, failed.text);
    }
    if (!ok)
        vz_error_where(err, store->path, name);
    vz_buffer_clear(&text);
    return ok;
}

/* All are asked for at once where each would be a round trip. The first document that is there
 * counts. */
static bool fill(vz_store *documents, vz_store *store, vz_error *err)
{
    const char *names[VZ_ZARR_FORMATS];
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        names[i] = holder_of(vz_zarr_formats[i]);
    if (!(store->capabilities & VZ_STORE_CHEAP) &&
        !vz_store_prefetch_up_to(store, names, VZ_ZARR_FORMATS, VZ_DOCUMENT_MAX_SIZE, err))
        return false;
    bool there = false, found = false;
    for (size_t i = 0; i < VZ_ZARR_FORMATS && !there; i++)
        if (!fill_from(documents, store, vz_zarr_formats[i], &there, &found, err))
            return false;
    if (found)
        return true;
    vz_fail(err, VZ_NOT_FOUND, "there is no consolidated metadata to use (option consolidated=use)");
    vz_error_where(err, store->path, holder_of(vz_zarr_formats[VZ_ZARR_FORMATS - 1]));
    return false;
}

vz_store *vz_consolidated_documents(vz_store *store, vz_error *err)
{
    vz_store *documents = vz_store_new_memory(err);
    if (!documents || fill(documents, store, err))
        return documents;
    vz_store_close(documents);
    return NULL;
}
