/* mount.c - see mount.h. */
#include "object/mount.h"
#include <stdlib.h>

static bool check(const vz_file *parent, const vz_node *node, const vz_file *child, vz_error *err)
{
    if (vz_node_id_type(node) != H5I_GROUP)
        return vz_fail(err, VZ_INVALID, "mount point is not a group");
    if (vz_mount_of(child))
        return vz_fail(err, VZ_BUSY, "file is already mounted");
    if (vz_mount_at(node) || vz_mount_of_root(node))
        return vz_fail(err, VZ_BUSY, "mount point is already in use");
    for (const vz_file *above = parent; above;) {
        const vz_mount_entry *m = vz_mount_of(above);
        if (above->hierarchy == child->hierarchy)
            return vz_fail(err, VZ_INVALID, "mount would introduce a cycle");
        above = m ? m->parent : NULL;
    }
    if (parent->degree != child->degree)
        return vz_fail(err, VZ_INVALID, "mounted file has different file close degree than parent");
    return true;
}

bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_handle *child, vz_error *err)
{
    parent = vz_mount_file_of(parent, node);
    if (!check(parent, node, child->file, err))
        return false;
    vz_mount_entry *m = calloc(1, sizeof *m);
    if (!m)
        return vz_fail_memory(err);
    *m = (vz_mount_entry){.point = node, .parent = parent, .child = child};
    vz_node_ref(node);
    vz_opened_mounted(parent, path, child->file);
    child->opened.full = path ? strdup(path) : NULL;
    vz_mount_list(m);
    return true;
}

static vz_handle *take_off(vz_mount_entry *m)
{
    vz_handle *child = m->child;
    char *path = child->opened.full;
    child->opened.full = NULL;
    vz_opened_unmounted(m->parent, path, child->file);
    free(path);
    vz_mount_unlist(m);
    vz_node_unref(m->point);
    free(m);
    return child;
}

vz_handle *vz_mount_take(const vz_node *node, vz_error *err)
{
    vz_mount_entry *m = vz_mount_at(node);
    if (!m)
        m = vz_mount_of_root(node);
    if (m)
        return take_off(m);
    vz_fail(err, VZ_INVALID, "not a mount point");
    return NULL;
}

vz_handle *vz_mount_take_first(const vz_file *parent)
{
    vz_mount_entry *m = vz_mount_first_in(parent);
    return m ? take_off(m) : NULL;
}
