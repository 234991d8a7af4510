/* document_v3.c - zarr.json: metadata and attributes of a node in one document. */
#include "metadata/extension_v3.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include <stdlib.h>

vz_v3_kind vz_v3_kind_of(const vz_json *document)
{
    const vz_json *type = vz_json_get(document, "node_type");
    return vz_json_is(type, "array") ? VZ_V3_ARRAY : vz_json_is(type, "group") ? VZ_V3_GROUP : VZ_V3_NONE;
}

vz_v3_kind vz_v3_look(vz_store *store, const char *prefix)
{
    vz_buffer text = {0};
    bool found = false;
    const bool ok = vz_document_get(store, prefix, VZ_DOCUMENT_V3, &text, &found, NULL);
    vz_json *document =
        ok && found ? vz_document_parse(VZ_DOCUMENT_V3, (const char *)text.data, text.size, NULL) : NULL;
    const bool is_array = vz_v3_kind_of(document) == VZ_V3_ARRAY;
    vz_json_free(document);
    vz_buffer_clear(&text);
    return ok && !found ? VZ_V3_NONE : is_array ? VZ_V3_ARRAY : VZ_V3_GROUP;
}

/* ---- reading ---- */

static bool check_group(const vz_json *document, vz_error *err)
{
    static const char *const known[] = {"zarr_format", "node_type", VZ_V3_ATTRIBUTES, VZ_V3_CONSOLIDATED};
    int64_t format = 0;
    if (vz_v3_kind_of(document) != VZ_V3_GROUP)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"node_type\" is not \"group\"");
    if (!vz_json_get_int64(vz_json_get(document, "zarr_format"), &format) || format != 3)
        return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: zarr_format is not 3");
    return vz_v3_check_members(document, known, sizeof known / sizeof *known, err);
}

/* Takes the attributes out of a document, where an empty object keeps their place. NULL on failure. */
static vz_json *take_attributes(vz_json *document, vz_error *err)
{
    const vz_json *there = vz_json_get(document, VZ_V3_ATTRIBUTES);
    if (there && vz_json_kind_of(there) != VZ_JSON_OBJECT && vz_json_kind_of(there) != VZ_JSON_NULL) {
        vz_fail(err, VZ_CORRUPT, "zarr.json: \"attributes\" is %s, not an object", vz_json_kind_name(there));
        return NULL;
    }
    vz_json *attributes = vz_json_kind_of(there) == VZ_JSON_OBJECT ? vz_json_copy(there, err) : vz_json_object(err);
    if (attributes && vz_json_set(document, VZ_V3_ATTRIBUTES, vz_json_object(err), err))
        return attributes;
    vz_json_free(attributes);
    return NULL;
}

static void keep_document(vz_node *node, vz_json *document, const char *text, size_t size)
{
    vz_json_free(node->document);
    node->document = document;
    node->document_hash = vz_document_hash(text, size);
}

/* Metadata that is wrong is no reason to hide the attributes. */
static bool take_meta(vz_node *node, const vz_json *document, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_array_meta *meta = vz_meta_parse_v3(document, &failed);
    if (!meta && failed.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    vz_meta_free(node->meta);
    node->meta = meta;
    node->meta_error = failed;
    return true;
}

bool vz_v3_take_document(vz_node *node, const char *text, size_t size, vz_error *err)
{
    vz_json *document = vz_document_parse(VZ_DOCUMENT_V3, text, size, err);
    if (!document)
        return false;
    vz_json *attributes = NULL;
    bool ok = node->kind == VZ_NODE_ARRAY ? take_meta(node, document, err) : check_group(document, err);
    ok = ok && (attributes = take_attributes(document, err)) && vz_node_set_attributes(node, attributes, 0, err);
    if (ok)
        keep_document(node, document, text, size);
    else
        vz_json_free(document);
    return ok;
}

static bool load_from(vz_node *node, const vz_buffer *text, vz_error *err)
{
    const char *data = (const char *)text->data;
    if (node->kind == VZ_NODE_GROUP)
        return vz_v3_take_document(node, data, text->size, err);
    vz_json *document = vz_document_parse(VZ_DOCUMENT_V3, data, text->size, err);
    vz_json *attributes = document ? take_attributes(document, err) : NULL;
    vz_json_free(document);
    return attributes && vz_node_set_attributes(node, attributes, 0, err);
}

bool vz_v3_load_attributes(vz_node *node, vz_error *err)
{
    vz_buffer text = {0};
    bool found;
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_document_get(node->hierarchy->store, prefix, VZ_DOCUMENT_V3, &text, &found, err);
    if (ok && !found)
        ok = node->implicit || vz_fail(err, VZ_NOT_FOUND, "the node was deleted by another process");
    else if (ok)
        ok = load_from(node, &text, err);
    if (!ok && prefix)
        vz_error_where(err, node->hierarchy->path, prefix);
    vz_buffer_clear(&text);
    free(prefix);
    return ok;
}

/* ---- writing ---- */

static bool print_own(const vz_node *node, vz_json *document, vz_error *err)
{
    if (node->kind == VZ_NODE_ARRAY)
        return !node->meta || vz_meta_print(node->meta, document, err);
    return (vz_json_get(document, "zarr_format") || vz_json_set(document, "zarr_format", vz_json_int64(3, err), err)) &&
           (vz_json_get(document, "node_type") || vz_json_set(document, "node_type", vz_json_text("group", err), err));
}

/* The node's document without attributes, and what somebody else made of both since. */
static vz_json *merged_document(vz_node *node, const vz_current *now, const vz_json *ours, vz_error *err)
{
    vz_json *theirs = vz_document_foreign(now, VZ_DOCUMENT_V3, err);
    if (theirs)
        vz_json_remove(theirs, VZ_V3_CONSOLIDATED); /* written before our change */
    vz_json *attributes = theirs ? take_attributes(theirs, err) : NULL;
    if (attributes && vz_merge_attributes(node, attributes, err) && vz_merge_document(node, ours, theirs, err)) {
        if (node->meta)
            vz_document_adopt(node, theirs);
        return theirs;
    }
    vz_json_free(theirs);
    return NULL;
}

static vz_json *edited_document(vz_node *node, const vz_current *now, vz_error *err)
{
    if (!node->document && node->kind == VZ_NODE_ARRAY && !node->meta) {
        vz_fail(err, VZ_CORRUPT, "zarr.json cannot be read, so it is not written");
        return NULL;
    }
    vz_json *ours = node->document ? vz_json_copy(node->document, err) : vz_json_object(err);
    if (ours)
        vz_json_remove(ours, VZ_V3_CONSOLIDATED);
    if (ours && !print_own(node, ours, err)) {
        vz_json_free(ours);
        return NULL;
    }
    if (!ours || !now->is_foreign || !now->found)
        return ours;
    vz_json *theirs = merged_document(node, now, ours, err);
    vz_json_free(ours);
    return theirs;
}

/* Attributes and annotation stand in the document only while it is printed. */
static bool put_document(vz_node *node, const char *prefix, vz_json *document, vz_error *err)
{
    vz_json *kept;
    if (!vz_attributes_to_print(node, &kept, err))
        return false;
    bool ok = vz_json_set(document, VZ_V3_ATTRIBUTES, vz_attributes_seen(node, err), err) &&
              vz_document_put(node->hierarchy->store, prefix, VZ_DOCUMENT_V3, document, &node->document_hash, err);
    vz_attributes_printed(node, kept, ok);
    return ok && vz_json_set(document, VZ_V3_ATTRIBUTES, vz_json_object(err), err);
}

bool vz_v3_write(vz_node *node, const char *prefix, vz_error *err)
{
    vz_current now = {0};
    if (!node->is_new && !vz_document_look(node, prefix, VZ_DOCUMENT_V3, node->document_hash, &now, err)) {
        vz_buffer_clear(&now.text);
        return false;
    }
    vz_json *document = edited_document(node, &now, err);
    vz_buffer_clear(&now.text);
    if (document && put_document(node, prefix, document, err)) {
        vz_json_free(node->document);
        node->document = document;
        return true;
    }
    vz_json_free(document);
    return false;
}

/* ---- consolidated metadata ---- */

/* prefix/zarr.json as it is now. NULL without an error: there is none. */
static vz_json *document_now(vz_store *store, const char *prefix, uint64_t *hash, vz_error *err)
{
    vz_buffer text = {0};
    vz_error failed = VZ_ERROR_NONE;
    bool found;
    vz_json *document = NULL;
    if (vz_document_get(store, prefix, VZ_DOCUMENT_V3, &text, &found, err) && found) {
        *hash = vz_document_hash(text.data, text.size);
        document = vz_document_parse_whole(VZ_DOCUMENT_V3, (const char *)text.data, text.size, &failed);
        if (!document && failed.class == VZ_LIMIT) /* a copy that is too large for us must go all the same */
            document = vz_document_parse(VZ_DOCUMENT_V3, (const char *)text.data, text.size, err);
        else if (!document && err)
            *err = failed;
    }
    vz_buffer_clear(&text);
    return document;
}

bool vz_v3_drop_consolidated(vz_store *store, const char *prefix, uint64_t *hash, vz_json **removed, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    uint64_t now = 0;
    *removed = NULL;
    vz_json *document = document_now(store, prefix, &now, &failed);
    if (!document) {
        if (err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    vz_json *copy = vz_json_detach(document, VZ_V3_CONSOLIDATED);
    const bool follows = *hash == now;
    bool ok = true;
    if (copy && vz_json_kind_of(copy) != VZ_JSON_NULL)
        ok = vz_document_put(store, prefix, VZ_DOCUMENT_V3, document, &now, err);
    if (ok && follows)
        *hash = now;
    if (ok && copy && vz_json_kind_of(copy) != VZ_JSON_NULL)
        *removed = copy;
    else
        vz_json_free(copy);
    vz_json_free(document);
    return ok;
}

bool vz_v3_put_consolidated(vz_store *store, const char *prefix, uint64_t *hash, vz_json *copy, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    uint64_t now = 0;
    vz_json *document = document_now(store, prefix, &now, &failed);
    if (!document) {
        vz_json_free(copy);
        if (err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    const bool follows = *hash == now;
    const bool ok = vz_json_set(document, VZ_V3_CONSOLIDATED, copy, err) &&
                    vz_document_put(store, prefix, VZ_DOCUMENT_V3, document, &now, err);
    if (ok && follows)
        *hash = now;
    vz_json_free(document);
    return ok;
}
