/* write_v3.c - metadata and attributes of a node in one document: written. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/node_state.h"

static bool print_own(const vz_node *node, vz_json *document, vz_error *err)
{
    if (node->kind == VZ_NODE_ARRAY)
        return !vz_node_understood(node) || node->zarr_format->write(node->meta, document, err);
    return node->zarr_format->write_group(document, err);
}

/* The node's document without attributes, and what another process made of both since. */
static vz_json *merged_document(vz_node *node, const vz_flush_current *now, const vz_json *ours, vz_error *err)
{
    vz_json *theirs = vz_flush_document_foreign(now, node->zarr_format->array, err);
    if (theirs)
        vz_json_remove(theirs, VZ_CONSOLIDATED); /* written before our change */
    vz_json *attributes = theirs ? vz_node_detach_joint_attributes(theirs, err) : NULL;
    if (attributes && vz_merge_attributes(node, attributes, err) && vz_merge_document(node, ours, theirs, err)) {
        if (vz_node_understood(node))
            vz_flush_document_adopt(node, theirs);
        return theirs;
    }
    vz_json_free(theirs);
    return NULL;
}

static vz_json *edited_document(vz_node *node, const vz_flush_current *now, vz_error *err)
{
    if (!node->document && node->kind == VZ_NODE_ARRAY && !node->meta) {
        vz_fail(err, VZ_CORRUPT, "%s cannot be read, so it is not written", node->zarr_format->array);
        return NULL;
    }
    vz_json *ours = node->document ? vz_json_copy(node->document, err) : vz_json_object(err);
    if (ours)
        vz_json_remove(ours, VZ_CONSOLIDATED);
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

/* The annotation of a netCDF array stands beside the attributes, which xarray shows. */
static bool move_annotation(const vz_node *node, vz_json *attributes, vz_json *document, vz_error *err)
{
    if (!node->netcdf || node->kind != VZ_NODE_ARRAY)
        return true;
    vz_json_remove(document, VZ_ANNOTATION);
    vz_json *text = vz_json_detach(attributes, VZ_ANNOTATION_NETCDF);
    if (!text)
        return true;
    vz_json *member = vz_json_object(err);
    if (member && vz_json_set(member, "must_understand", vz_json_bool(false, err), err) &&
        vz_json_set(member, VZ_ANNOTATION_NOTE, text, err))
        return vz_json_set(document, VZ_ANNOTATION, member, err);
    vz_json_free(member);
    return false;
}

/* Attributes and annotation stand in the document only while it is printed. */
static bool print_document(const vz_flush *flush, vz_node_document_write *write, const char *prefix, vz_error *err)
{
    vz_node *node = write->node;
    if (!vz_flush_attributes_to_print(node, flush->links, &write->kept, err))
        return false;
    vz_json *attributes = vz_attributes_seen(node, err);
    bool ok = attributes && move_annotation(node, attributes, write->document, err);
    if (!ok)
        vz_json_free(attributes);
    ok = ok && vz_json_set(write->document, VZ_ATTRIBUTES, attributes, err) &&
         vz_document_print(&write->printed, prefix, node->zarr_format->array, write->document, err);
    vz_flush_attributes_printed(node);
    vz_json_remove(write->document, VZ_ANNOTATION);
    return ok && vz_json_set(write->document, VZ_ATTRIBUTES, vz_json_object(err), err);
}

bool vz_flush_joint_write(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    vz_flush_current now = vz_flush_document_unseen(flush, node);
    if (!node->is_new &&
        !vz_flush_document_look(flush, node, prefix, node->zarr_format->array, node->document_hash, &now, err)) {
        vz_buffer_clear(&now.text);
        return false;
    }
    vz_node_document_write write = {.node = node,
                                    .document = edited_document(node, &now, err),
                                    .has_annotation = true,
                                    .when = now.when,
                                    .version = now.version};
    vz_buffer_clear(&now.text);
    if (write.document && print_document(flush, &write, prefix, err))
        return vz_flush_document_send(flush, &write, err);
    vz_flush_document_drop(&write);
    return false;
}
