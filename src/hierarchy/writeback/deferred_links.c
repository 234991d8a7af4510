/* deferred_links.c - further hard links of a new object wait until the object is in the store: if
 * the writer died in between, they would lead nowhere. A group that is written before is written
 * without them, and once more later. */
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/nodes/member.h"
#include <stdlib.h>

struct vz_deferred_links {
    vz_node *group; /* a reference */
    vz_json *whole; /* NULL, or the whole attribute with its links for other readers ... */
    vz_json *left;  /* ... and as it was written */
    struct vz_deferred_links *next;
};

/* ---- the attribute with links for other readers ---- */

static bool is_deferred(const vz_node *group, const vz_json *entry)
{
    const char *name = vz_json_get_string(vz_json_get(entry, "name"), NULL);
    const vz_link *link = name ? vz_strmap_get(group->members->by_name, name) : NULL;
    return link && vz_link_is_deferred(group, link);
}

/* The list without deferred names; NULL: no memory. */
static vz_json *without_deferred(const vz_node *group, const vz_json *list, vz_error *err)
{
    vz_json *rest = vz_json_array(err);
    for (size_t i = 0; rest && i < vz_json_length(list); i++) {
        const vz_json *entry = vz_json_at(list, i);
        if (!is_deferred(group, entry) && !vz_json_append(rest, vz_json_copy(entry, err), err)) {
            vz_json_free(rest);
            return NULL;
        }
    }
    return rest;
}

static bool leave_out(struct vz_deferred_links *deferred, vz_error *err)
{
    vz_node *group = deferred->group;
    const char *attribute = vz_links_attribute(group);
    const vz_json *list = attribute ? vz_json_get(group->attributes, attribute) : NULL;
    if (!list)
        return true;
    deferred->whole = vz_json_copy(list, err);
    deferred->left = deferred->whole ? without_deferred(group, list, err) : NULL;
    vz_json *copy = deferred->left ? vz_json_copy(deferred->left, err) : NULL;
    return copy && vz_json_set(group->attributes, attribute, copy, err);
}

/* Links of another writer that came to the list meanwhile stay. */
static bool append_left_out(const struct vz_deferred_links *deferred, vz_json *list, vz_error *err)
{
    for (size_t i = 0; i < vz_json_length(deferred->whole); i++) {
        const vz_json *entry = vz_json_at(deferred->whole, i);
        bool left = false;
        for (size_t k = 0; k < vz_json_length(deferred->left) && !left; k++)
            left = vz_json_equal(vz_json_at(deferred->left, k), entry);
        if (!left && !vz_json_append(list, vz_json_copy(entry, err), err))
            return false;
    }
    return true;
}

static bool put_back(const struct vz_deferred_links *deferred, vz_error *err)
{
    const char *attribute = vz_links_attribute(deferred->group);
    const vz_json *now = deferred->left ? vz_json_get(deferred->group->attributes, attribute) : NULL;
    if (!deferred->left)
        return true;
    if (now && vz_json_equal(now, deferred->left))
        return vz_node_set_attribute(deferred->group, attribute, vz_json_copy(deferred->whole, err), err);
    vz_json *list = now ? vz_json_copy(now, err) : vz_json_array(err);
    if (list && append_left_out(deferred, list, err))
        return vz_node_set_attribute(deferred->group, attribute, list, err);
    vz_json_free(list);
    return false;
}

/* ---- groups ---- */

static bool has_deferred(const vz_node *group)
{
    size_t cursor = 0;
    const char *name;
    void *link;
    if (group->kind != VZ_NODE_GROUP || !group->members || group->members->others == 0)
        return false;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &link))
        if (vz_link_is_deferred(group, link))
            return true;
    return false;
}

static void forget(struct vz_deferred_links *deferred)
{
    vz_node_unref(deferred->group);
    vz_json_free(deferred->whole);
    vz_json_free(deferred->left);
    free(deferred);
}

bool vz_flush_deferred_links_leave_out(vz_flush *flush, vz_node *group, vz_error *err)
{
    if (!has_deferred(group))
        return true;
    struct vz_deferred_links *deferred = calloc(1, sizeof *deferred);
    if (!deferred)
        return vz_fail_memory(err);
    deferred->group = group;
    vz_node_ref(group);
    if (!leave_out(deferred, err)) {
        forget(deferred);
        return false;
    }
    deferred->next = flush->deferred;
    flush->deferred = deferred;
    return true;
}

bool vz_flush_deferred_links_put_back(vz_flush *flush, bool write)
{
    bool ok = true;
    while (flush->deferred) {
        struct vz_deferred_links *deferred = flush->deferred;
        vz_node *group = deferred->group;
        flush->deferred = deferred->next;
        const bool back = put_back(deferred, &flush->now) && vz_group_links_changed(group, &flush->now) &&
                          (!write || has_deferred(group) || vz_flush_node_documents(flush, group, &flush->now));
        ok = vz_flush_note(flush, back) && ok;
        forget(deferred);
    }
    return ok;
}
