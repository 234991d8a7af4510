/* renew_nodes.c - netCDF nodes in the form of an earlier version get the form of today. */
#include "command/maintain/maintain_internal.h"
#include "hdf5/netcdf/renew.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"

/* left: nodes that leave the store, by their keys, each held. */
static bool renew_one(vz_hierarchy *hierarchy, const char *key, vz_strmap *left, bool *can, vz_error *err)
{
    bool leaves = false;
    vz_node *node = vz_open_at_prefix(hierarchy, key, err);
    if (!node || !vz_netcdf_renew(node, can, &leaves, err) || (leaves && !vz_strmap_put(left, key, node, err)))
        return false;
    if (leaves)
        vz_node_ref(node);
    return true;
}

static void release(void *value)
{
    vz_node_unref(value);
}

static bool each_node(vz_hierarchy *hierarchy, const vz_strmap *keys, bool (*visit)(vz_node *, vz_error *),
                      vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(keys, &cursor, &key, &value)) {
        vz_node *node = vz_open_at_prefix(hierarchy, key, err);
        if (!node || !visit(node, err))
            return false;
    }
    return true;
}

static bool write_groups(vz_node *node, vz_error *err)
{
    for (vz_node *group = node->kind == VZ_NODE_ARRAY ? node->parent : node; group; group = group->parent)
        if (vz_node_is_dirty(group) && !vz_flush_node(group, err))
            return false;
    return true;
}

/* An array's annotation stands in its group's before it leaves the array's document. */
static bool move_notes(vz_hierarchy *hierarchy, const vz_strmap *keys, vz_error *err)
{
    return vz_flush_write(hierarchy, err) && each_node(hierarchy, keys, vz_netcdf_renew_note, err) &&
           each_node(hierarchy, keys, write_groups, err) && vz_flush_write(hierarchy, err);
}

/* They stand in their group's annotation by now. */
static bool delete_left(vz_hierarchy *hierarchy, const vz_strmap *left, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(left, &cursor, &key, &value))
        if (!vz_store_del_tree(vz_hierarchy_store(hierarchy), key, err))
            return false;
    return true;
}

bool vz_renew_nodes(vz_hierarchy *hierarchy, const vz_strmap *keys, vz_renew_tell tell, void *context, vz_error *err)
{
    vz_strmap *left = vz_strmap_new();
    size_t cursor = 0;
    const char *key;
    void *value;
    bool ok = left || vz_fail_memory(err);
    while (ok && vz_strmap_next(keys, &cursor, &key, &value)) {
        bool can = false;
        ok = renew_one(hierarchy, key, left, &can, err);
        if (ok && can)
            tell(context, key);
    }
    ok = ok && move_notes(hierarchy, keys, err) && delete_left(hierarchy, left, err);
    if (left)
        vz_strmap_free(left, release);
    return ok;
}
