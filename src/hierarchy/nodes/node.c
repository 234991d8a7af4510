/* node.c - the life of a node: made, referenced, unlinked, freed; where it is. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

vz_node *vz_node_new_unread(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err)
{
    vz_node *node = calloc(1, sizeof *node);
    if (!node) {
        vz_fail_memory(err);
        return NULL;
    }
    node->hierarchy = hierarchy;
    node->kind = kind;
    node->zarr_format = hierarchy->zarr_format;
    return node;
}

bool vz_node_no_attributes(vz_node *node, vz_error *err)
{
    node->attributes = vz_json_object(err);
    node->annotation = vz_json_object(err);
    return node->attributes && node->annotation;
}

vz_node *vz_node_new(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err)
{
    vz_node *node = vz_node_new_unread(hierarchy, kind, err);
    if (!node || vz_node_no_attributes(node, err))
        return node;
    vz_node_free(node);
    return NULL;
}

/* ---- new nodes ---- */

static vz_node *finish_new(vz_node *node, vz_error *err)
{
    node->is_new = true;
    node->refs = 1;
    if (vz_node_make_unlinked(node, err))
        return node;
    vz_node_free(node);
    return NULL;
}

static bool may_write(vz_hierarchy *hierarchy, vz_error *err)
{
    bool ok = true;
    if (!hierarchy->writable)
        ok = vz_fail(err, VZ_READ_ONLY, "the store was opened read-only");
    else if (vz_hierarchy_ownership(hierarchy, NULL) != VZ_OWNED)
        ok = vz_fail(err, VZ_READ_ONLY, "the store was opened before this process was forked: open it anew to write");
    if (!ok)
        vz_error_where(err, hierarchy->path, NULL);
    return ok;
}

/* Asked once: the store itself asks again at each write. */
static bool check_place(vz_node *node, vz_error *err)
{
    if (node->may_change || node->is_new)
        return true;
    char *prefix = vz_node_prefix(node, err);
    node->may_change = prefix && vz_store_check_change(node->hierarchy->store, prefix, err);
    free(prefix);
    return node->may_change;
}

bool vz_node_is_behind_link(vz_node *node)
{
    vz_error refused = VZ_ERROR_NONE;
    return !check_place(node, &refused) && refused.class == VZ_PERMISSION;
}

bool vz_node_check_writable(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (!may_write(hierarchy, err))
        return false;
    if (!hierarchy->array_root || node != hierarchy->root)
        return check_place(node, err);
    vz_fail(err, VZ_UNSUPPORTED, "the store is one array: its root group cannot be changed");
    vz_error_where(err, hierarchy->path, "/");
    return false;
}

bool vz_node_check_elements(vz_node *node, vz_error *err)
{
    if (!vz_node_check_writable(node, err))
        return false;
    if (node->kind != VZ_NODE_ARRAY || !node->meta || !node->meta->is_referenced)
        return true;
    char *path = vz_node_path(node, NULL);
    vz_fail(err, VZ_UNSUPPORTED,
            "its chunks are references to another file: elements and extents cannot be changed (h5zarr convert makes "
            "a store with chunks of its own)");
    vz_error_where(err, node->hierarchy->path, path);
    free(path);
    return false;
}

vz_node *vz_group_new(vz_hierarchy *hierarchy, bool track_order, vz_error *err)
{
    if (!may_write(hierarchy, err))
        return NULL;
    vz_node *node = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    if (node && !(node->members = vz_members_new(node, err))) {
        vz_node_free(node);
        return NULL;
    }
    if (!node)
        return NULL;
    node->track_order = track_order;
    return finish_new(node, err);
}

vz_node *vz_node_new_array_like(vz_hierarchy *hierarchy, const vz_zarr_format *zarr_format, vz_meta *meta,
                                vz_error *err)
{
    vz_node *node = may_write(hierarchy, err) ? vz_node_new(hierarchy, VZ_NODE_ARRAY, err) : NULL;
    if (!node) {
        vz_meta_free(meta);
        return NULL;
    }
    node->meta = meta;
    node->zarr_format = zarr_format;
    return finish_new(node, err);
}

vz_node *vz_node_new_array(vz_hierarchy *hierarchy, vz_meta *meta, vz_error *err)
{
    const vz_zarr_format *zarr_format = hierarchy->zarr_format;
    if (!zarr_format->adapt || zarr_format->adapt(meta, (uint64_t)hierarchy->options.shards, err))
        return vz_node_new_array_like(hierarchy, zarr_format, meta, err);
    vz_meta_free(meta);
    return NULL;
}

/* ---- use ---- */

static vz_chunks_document document_of(vz_node *node)
{
    return (vz_chunks_document){.place = node->hierarchy->path,
                                .zarr_format = node->zarr_format,
                                .json = &node->document,
                                .hash = &node->document_hash,
                                .is_new = &node->is_new,
                                .may_lack = vz_hierarchy_ranks_leader_owes(node->hierarchy),
                                .seen = &node->seen};
}

bool vz_node_check_same(vz_node *node, vz_error *err)
{
    if (node->is_new || node->kind != VZ_NODE_ARRAY || !node->document_hash || !vz_node_is_linked(node))
        return true;
    const vz_chunks_document document = document_of(node);
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_array_document_check(&document, node->hierarchy->store, node->meta, prefix, true, err);
    free(prefix);
    return ok;
}

void vz_node_set_meta_error(vz_node *node, const vz_error *failed)
{
    free(node->meta_error);
    node->meta_error = failed->class == VZ_OK ? NULL : malloc(sizeof *failed);
    if (node->meta_error)
        *node->meta_error = *failed;
}

const vz_error *vz_node_meta_error(const vz_node *node)
{
    static const vz_error forgotten = {.class = VZ_NO_MEMORY, .text = "out of memory"};
    return node->meta_error ? node->meta_error : &forgotten;
}

bool vz_node_fail_meta(const vz_node *node, vz_error *err)
{
    if (err && err->class == VZ_OK)
        *err = *vz_node_meta_error(node);
    return false;
}

vz_meta *vz_node_outline(const vz_node *node, const vz_json *document, vz_error *failed)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_meta *outline = failed->class == VZ_NO_MEMORY ? NULL : node->zarr_format->outline(document, &ignored);
    if (ignored.class == VZ_NO_MEMORY)
        *failed = ignored;
    return outline;
}

vz_array *vz_node_io(vz_node *node, vz_error *err)
{
    vz_hierarchy_keep_inherited(node->hierarchy); /* or a read in a child could write out what it
                                                   * evicts */
    if (node->io)
        return node->io;
    if (node->kind != VZ_NODE_ARRAY) {
        vz_fail(err, VZ_INVALID, "a group has no data");
        return NULL;
    }
    if (!vz_node_understood(node)) {
        vz_node_fail_meta(node, err);
        return NULL;
    }
    char *prefix = vz_node_prefix(node, err);
    if (prefix && node->meta->is_referenced)
        node->io = vz_node_open_referenced(node, prefix, err);
    else if (prefix)
        node->io = vz_array_open(node->hierarchy->store, node->meta, prefix, node->hierarchy->options.skip_fill, err);
    if (node->io && !node->meta->is_referenced) {
        const vz_chunks_document document = document_of(node);
        vz_array_watch(node->io, &document);
        vz_array_set_new(node->io, node->hierarchy->ranks.comm ? NULL : &node->is_new);
        if (node->hierarchy->ranks.without_locks)
            vz_array_refuse_parts(node->io);
    }
    if (node->io)
        vz_array_set_chunk_max(node->io, (uint64_t)node->hierarchy->options.chunk_max);
    else
        vz_error_where(err, node->hierarchy->path, prefix);
    free(prefix);
    return node->io;
}
