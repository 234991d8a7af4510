/* mount.c - see mount.h. */
#include "object/mount.h"
#include <stdlib.h>

typedef struct mount {
    struct mount *next;
    vz_node *point;   /* one reference */
    vz_file *parent;  /* through which it was mounted */
    vz_handle *child; /* on the root of the mounted file: keeps that open; opened.full: the path of the point */
} mount;

static mount *mounts;

static mount *mount_at(const vz_node *point)
{
    for (mount *m = mounts; m; m = m->next)
        if (m->point == point)
            return m;
    return NULL;
}

static mount *mount_of(const vz_file *child)
{
    for (mount *m = mounts; m; m = m->next)
        if (m->child->file == child)
            return m;
    return NULL;
}

static mount *mount_of_root(const vz_node *root)
{
    for (mount *m = mounts; m; m = m->next)
        if (m->child->node == root)
            return m;
    return NULL;
}

vz_node *vz_mount_cross(vz_node *node)
{
    for (const mount *m; (m = mount_at(node));)
        node = m->child->node;
    return node;
}

bool vz_is_mount_point(const vz_node *node)
{
    return mount_at(node) != NULL;
}

vz_file *vz_mount_top(vz_file *file)
{
    for (const mount *m; (m = mount_of(file));)
        file = m->parent;
    return file;
}

bool vz_mount_point_of(const vz_file *file, vz_file **parent, vz_node **point)
{
    const mount *m = mount_of(file);
    if (!m)
        return false;
    *parent = m->parent;
    *point = m->point;
    return true;
}

vz_file *vz_mount_file_of(vz_file *file, const vz_node *node)
{
    if (file->hierarchy == node->hierarchy)
        return file;
    for (const mount *m = mounts; m; m = m->next) {
        if (m->child->file->hierarchy == node->hierarchy)
            return m->child->file;
        if (m->parent->hierarchy == node->hierarchy)
            return m->parent;
    }
    return file;
}

static bool check(const vz_file *parent, const vz_node *node, const vz_file *child, vz_error *err)
{
    if (vz_node_id_type(node) != H5I_GROUP)
        return vz_fail(err, VZ_INVALID, "mount point is not a group");
    if (mount_of(child))
        return vz_fail(err, VZ_BUSY, "file is already mounted");
    if (mount_at(node) || mount_of_root(node))
        return vz_fail(err, VZ_BUSY, "mount point is already in use");
    for (const vz_file *above = parent; above;) {
        const mount *m = mount_of(above);
        if (above->hierarchy == child->hierarchy)
            return vz_fail(err, VZ_INVALID, "mount would introduce a cycle");
        above = m ? m->parent : NULL;
    }
    if (parent->degree != child->degree)
        return vz_fail(err, VZ_INVALID, "mounted file has different file close degree than parent");
    return true;
}

bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_file *child, vz_error *err)
{
    parent = vz_mount_file_of(parent, node);
    if (!check(parent, node, child, err))
        return false;
    mount *m = calloc(1, sizeof *m);
    if (!m)
        return vz_fail_memory(err);
    *m = (mount){.next = mounts, .point = node, .parent = parent};
    m->child = vz_handle_open(child, H5I_GROUP, child->start, err);
    if (!m->child) {
        free(m);
        return false;
    }
    vz_node_ref(node);
    vz_opened_mounted(parent, path, child);
    m->child->opened.full = path ? strdup(path) : NULL;
    mounts = m;
    return true;
}

static mount *take(mount *wanted)
{
    for (mount **at = &mounts; *at; at = &(*at)->next)
        if (*at == wanted) {
            *at = wanted->next;
            return wanted;
        }
    return NULL;
}

/* The handle has no id: if what the child holds cannot be written, the second try drops it. */
static bool let_go(mount *m, vz_error *err)
{
    char *path = m->child->opened.full;
    m->child->opened.full = NULL;
    vz_opened_unmounted(m->parent, path, m->child->file);
    free(path);
    take(m);
    const bool ok = vz_handle_close(m->child, err) || (vz_handle_close(m->child, NULL), false);
    vz_node_unref(m->point);
    free(m);
    return ok;
}

bool vz_unmount(const vz_node *node, vz_error *err)
{
    mount *m = mount_at(node);
    if (!m)
        m = mount_of_root(node);
    return m ? let_go(m, err) : vz_fail(err, VZ_INVALID, "not a mount point");
}

void vz_mounts_drop(const vz_file *parent)
{
    for (mount *m = mounts; m; m = m->next)
        if (m->parent == parent) {
            let_go(m, NULL);
            vz_mounts_drop(parent); /* the list has changed, by more than this one perhaps */
            return;
        }
}
