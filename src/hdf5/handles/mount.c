/* mount.c - see file.h. */
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include <stdlib.h>

static bool check(const vz_file *parent, const vz_node *node, const vz_file *child, vz_error *err)
{
    if (vz_handle_node_id_type(node) != H5I_GROUP)
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
    m->above = vz_handle_open(parent, H5I_GROUP, parent->start, err);
    if (!m->above) {
        free(m);
        return false;
    }
    vz_node_ref(node);
    vz_opened_mounted(parent, path, child->file);
    child->opened.full = path ? strdup(path) : NULL;
    vz_mount_list(m);
    return true;
}

static void take_off(vz_mount_entry *m)
{
    char *path = m->child->opened.full;
    m->child->opened.full = NULL;
    vz_opened_unmounted(m->parent, path, m->child->file);
    free(path);
    vz_mount_unlist(m);
    m->next = NULL;
}

vz_mount_entry *vz_mount_take(const vz_node *node, vz_error *err)
{
    vz_mount_entry *m = vz_mount_at(node);
    if (!m)
        m = vz_mount_of_root(node);
    if (m)
        take_off(m);
    else
        vz_fail(err, VZ_INVALID, "not a mount point");
    return m;
}

vz_mount_entry *vz_mount_take_all(const vz_file *top)
{
    vz_mount_entry *taken = NULL, *m;
    while ((m = vz_mount_first_in(top))) {
        vz_mount_entry *below = vz_mount_take_all(m->child->file), *last = m;
        take_off(m);
        for (m->next = below; last->next; last = last->next)
            ;
        last->next = taken;
        taken = m;
    }
    return taken;
}

static bool is_idle(vz_file *file, vz_error *err)
{
    (void)err;
    for (const vz_file *other = vz_file_next_on(file->hierarchy, NULL); other;
         other = vz_file_next_on(file->hierarchy, other))
        if (vz_mount_handles(other) > 0)
            return false;
    return true;
}

bool vz_mount_is_used(vz_file *top)
{
    return !vz_mount_each(top, is_idle, NULL);
}
