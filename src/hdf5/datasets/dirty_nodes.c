/* dirty_nodes.c - searches a store for nodes to convert before it is written. */
#include "hdf5/datasets/finalize_internal.h"

#include "hdf5/dialects/hdmf.h"
#include "hdf5/dialects/dialects.h"

/* A node that cannot be read, or is in the form of another program, is left as it is. */
static bool may_pass(const vz_error *failed, vz_error *err)
{
    if (failed->class == VZ_UNSUPPORTED || failed->class == VZ_CORRUPT || failed->class == VZ_NOT_FOUND)
        return true;
    if (err && err->class == VZ_OK)
        *err = *failed;
    return false;
}

static bool rewrite_array(vz_node *node, bool forms, bool references, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_node_understood(node) || (forms && !vz_restructure_array(node, &failed) && !may_pass(&failed, err)))
        return !vz_node_understood(node);
    failed = VZ_ERROR_NONE;
    return !references || vz_restructure_references(node, &failed) || may_pass(&failed, err);
}

static bool rewrite(vz_node *node, unsigned due, vz_error *err)
{
    const vz_writer *writer = vz_writer_of_node(node);
    const bool references = due & VZ_DUE_REFERENCES, forms = writer->shows_late && due & VZ_DUE_FORMS;
    return (node->kind != VZ_NODE_ARRAY || rewrite_array(node, forms, references, err)) &&
           (!references || vz_hdmf_update_references(node, err)) &&
           (!writer->finish_attributes || writer->finish_attributes(node, err));
}

bool vz_finalize_node(vz_node *node, vz_error *err)
{
    return rewrite(node, node->is_new ? VZ_DUE_FORMS : 0, err);
}

static bool rewrite_below(vz_node *group, unsigned due, vz_error *err);

static bool rewrite_member(vz_node *node, unsigned due, vz_error *err)
{
    if (vz_node_is_behind_link(node))
        return true;
    vz_node_ref(node);
    const bool ok = rewrite(node, due, err) && (node->kind != VZ_NODE_GROUP || rewrite_below(node, due, err));
    vz_node_unref(node);
    return ok;
}

static bool rewrite_below(vz_node *group, unsigned due, vz_error *err)
{
    uint64_t count = 0;
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_group_count(group, &count, &failed))
        return may_pass(&failed, err);
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_NAME, i, err);
        if (!link)
            return false;
        if (link->kind != VZ_LINK_NODE)
            continue;
        vz_node *node = vz_link_node(group, link, &failed);
        if (node ? !rewrite_member(node, due, err) : !may_pass(&failed, err))
            return false;
        failed = VZ_ERROR_NONE;
    }
    return true;
}

bool vz_finalize_all(vz_hierarchy *hierarchy, vz_error *err)
{
    return rewrite_member(vz_hierarchy_root(hierarchy), vz_hierarchy_due(hierarchy), err);
}
