/* read_v3.c - metadata and attributes of a node in one document: read. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

vz_meta_document_kind vz_node_document_says(const vz_zarr_format *zarr_format, const char *text, size_t size)
{
    vz_json *document = vz_document_parse(zarr_format->array, text, size, NULL);
    const vz_meta_document_kind says = zarr_format->says(document);
    vz_json_free(document);
    return says;
}

vz_meta_document_kind vz_node_document_look_says(vz_store *store, const char *prefix, const vz_zarr_format *zarr_format)
{
    vz_buffer text = {0};
    bool found = false;
    const bool ok = vz_document_get(store, prefix, zarr_format->array, &text, &found, NULL);
    const bool is_array =
        ok && found && vz_node_document_says(zarr_format, (const char *)text.data, text.size) == VZ_SAYS_ARRAY;
    vz_buffer_clear(&text);
    return ok && !found ? VZ_SAYS_NEITHER : is_array ? VZ_SAYS_ARRAY : VZ_SAYS_GROUP;
}

/* An annotation beside the attributes becomes one of them. */
static bool move_annotation(vz_json *document, vz_json *attributes, vz_error *err)
{
    vz_json *member = vz_json_detach(document, VZ_ANNOTATION);
    const vz_json *note = vz_json_get(member, VZ_ANNOTATION_NOTE);
    const bool ok = !note || vz_json_set(attributes, VZ_ANNOTATION_NETCDF, vz_json_copy(note, err), err);
    vz_json_free(member);
    return ok;
}

/* Takes the attributes out of a document, where an empty object keeps their place. NULL on
 * failure. */
vz_json *vz_node_detach_joint_attributes(vz_json *document, vz_error *err)
{
    const vz_json *there = vz_json_get(document, VZ_ATTRIBUTES);
    if (there && vz_json_kind_of(there) != VZ_JSON_OBJECT && vz_json_kind_of(there) != VZ_JSON_NULL) {
        vz_fail(err, VZ_CORRUPT, "zarr.json: \"attributes\" is %s, not an object", vz_json_kind_name(there));
        return NULL;
    }
    vz_json *attributes = vz_json_kind_of(there) == VZ_JSON_OBJECT ? vz_json_copy(there, err) : vz_json_object(err);
    if (attributes && move_annotation(document, attributes, err) &&
        vz_json_set(document, VZ_ATTRIBUTES, vz_json_object(err), err))
        return attributes;
    vz_json_free(attributes);
    return NULL;
}

static void keep_document(vz_node *node, vz_json *document, const char *text, size_t size)
{
    vz_json_free(node->document);
    node->document = document;
    node->document_hash = vz_hash_text(text, size);
    vz_node_keep_version(node, false, NULL);
}

/* Metadata that is wrong is no reason to hide the attributes. */
static bool parse_meta(vz_node *node, const vz_json *document, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_meta *meta = node->zarr_format->load(document, &failed);
    if (!meta)
        meta = vz_node_outline(node, document, &failed);
    if (failed.class == VZ_NO_MEMORY) {
        vz_meta_free(meta);
        return vz_fail_memory(err);
    }
    vz_meta_free(node->meta);
    node->meta = meta;
    vz_node_set_meta_error(node, &failed);
    return true;
}

bool vz_node_parse_joint(vz_node *node, const char *text, size_t size, vz_error *err)
{
    vz_json *document = vz_document_parse(node->zarr_format->array, text, size, err);
    if (!document)
        return false;
    vz_json *attributes = NULL;
    bool ok =
        node->kind == VZ_NODE_ARRAY ? parse_meta(node, document, err) : node->zarr_format->check_group(document, err);
    ok = ok && (attributes = vz_node_detach_joint_attributes(document, err)) &&
         vz_node_set_attributes(node, attributes, 0, err);
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
        return vz_node_parse_joint(node, data, text->size, err);
    vz_json *document = vz_document_parse(node->zarr_format->array, data, text->size, err);
    vz_json *attributes = document ? vz_node_detach_joint_attributes(document, err) : NULL;
    vz_json_free(document);
    return attributes && vz_node_set_attributes(node, attributes, 0, err);
}

bool vz_node_load_joint_attributes(vz_node *node, vz_error *err)
{
    vz_buffer text = {0};
    bool found;
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_document_get(node->hierarchy->store, prefix, node->zarr_format->array, &text, &found, err);
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
