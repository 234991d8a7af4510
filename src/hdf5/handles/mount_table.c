/* mount_table.c - which file is mounted where: a list, looked through. */
#include "hdf5/handles/file_internal.h"

static vz_mount_entry *mounts; /* state of the module instance */

vz_mount_entry *vz_mount_at(const vz_node *point)
{
    for (vz_mount_entry *m = mounts; m; m = m->next)
        if (m->point == point)
            return m;
    return NULL;
}

vz_mount_entry *vz_mount_of(const vz_file *child)
{
    for (vz_mount_entry *m = mounts; m; m = m->next)
        if (m->child->file == child)
            return m;
    return NULL;
}

vz_mount_entry *vz_mount_of_root(const vz_node *root)
{
    for (vz_mount_entry *m = mounts; m; m = m->next)
        if (m->child->node == root)
            return m;
    return NULL;
}

vz_node *vz_mount_cross(vz_node *node)
{
    for (const vz_mount_entry *m; (m = vz_mount_at(node));)
        node = m->child->node;
    return node;
}

bool vz_mount_is_point(const vz_node *node)
{
    return vz_mount_at(node) != NULL;
}

vz_file *vz_mount_top(vz_file *file)
{
    for (const vz_mount_entry *m; (m = vz_mount_of(file));)
        file = m->parent;
    return file;
}

bool vz_mount_point_of(const vz_file *file, vz_file **parent, vz_node **point)
{
    const vz_mount_entry *m = vz_mount_of(file);
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
    for (const vz_mount_entry *m = mounts; m; m = m->next) {
        if (m->child->file->hierarchy == node->hierarchy)
            return m->child->file;
        if (m->parent->hierarchy == node->hierarchy)
            return m->parent;
    }
    return file;
}

vz_mount_entry *vz_mount_first_in(const vz_file *parent)
{
    for (vz_mount_entry *m = mounts; m; m = m->next)
        if (m->parent == parent)
            return m;
    return NULL;
}

size_t vz_mount_handles(const vz_file *file)
{
    size_t handles = file->refs;
    for (const vz_mount_entry *m = mounts; m; m = m->next)
        handles -= (size_t)(m->child->file == file) + (size_t)(m->above->file == file);
    return handles;
}

static void count_below(const vz_file *file, vz_mount_count *count)
{
    count->files += file->object != NULL;
    count->objects += vz_mount_handles(file) - (file->object ? 1 : 0);
    for (const vz_mount_entry *m = mounts; m; m = m->next)
        if (m->parent == file)
            count_below(m->child->file, count);
}

vz_mount_count vz_mount_count_open(vz_file *file)
{
    vz_mount_count count = {0};
    count_below(vz_mount_top(file), &count);
    return count;
}

vz_file *vz_mount_top_on(const vz_file *file)
{
    for (const vz_mount_entry *m = mounts; m; m = m->next)
        if (m->parent->hierarchy == file->hierarchy || m->child->file->hierarchy == file->hierarchy)
            return vz_mount_top(m->parent);
    return NULL;
}

bool vz_mount_each(vz_file *top, bool (*call)(vz_file *file, vz_error *err), vz_error *err)
{
    bool ok = call(top, err);
    for (const vz_mount_entry *m = mounts; ok && m; m = m->next)
        if (m->parent == top)
            ok = vz_mount_each(m->child->file, call, err);
    return ok;
}

void vz_mount_list(vz_mount_entry *m)
{
    m->next = mounts;
    mounts = m;
}

void vz_mount_unlist(const vz_mount_entry *m)
{
    for (vz_mount_entry **at = &mounts; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            return;
        }
}
