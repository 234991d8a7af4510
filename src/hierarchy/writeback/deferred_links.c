/* deferred_links.c - further names of what is new in the store wait until that is there, as they would lead nowhere if
 * the writer died in between: a group that is written before has them left out, and is written once more. */
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/nodes/member.h"
#include <stdlib.h>

struct vz_early {
    vz_node *group; /* a reference */
    vz_json *told;  /* NULL, or the attribute that tells its links to others, whole ... */
    vz_json *left;  /* ... and as it was written */
    struct vz_early *next;
};

/* ---- the attribute that tells links to others ---- */

static bool tells_early(const vz_node *group, const vz_json *entry)
{
    const char *name = vz_json_get_string(vz_json_get(entry, "name"), NULL);
    const vz_link *link = name ? vz_strmap_get(group->members->by_name, name) : NULL;
    return link && vz_link_is_early(group, link);
}

/* The list without entries of early names; NULL: no memory. */
static vz_json *without_early(const vz_node *group, const vz_json *list, vz_error *err)
{
    vz_json *rest = vz_json_array(err);
    for (size_t i = 0; rest && i < vz_json_length(list); i++) {
        const vz_json *entry = vz_json_at(list, i);
        if (!tells_early(group, entry) && !vz_json_append(rest, vz_json_copy(entry, err), err)) {
            vz_json_free(rest);
            return NULL;
        }
    }
    return rest;
}

static bool leave_out(struct vz_early *early, vz_error *err)
{
    vz_node *group = early->group;
    const char *attribute = vz_links_attribute(group);
    const vz_json *list = attribute ? vz_json_get(group->attributes, attribute) : NULL;
    if (!list)
        return true;
    early->told = vz_json_copy(list, err);
    early->left = early->told ? without_early(group, list, err) : NULL;
    vz_json *copy = early->left ? vz_json_copy(early->left, err) : NULL;
    return copy && vz_json_set(group->attributes, attribute, copy, err);
}

/* Links of another writer that came to the list meanwhile stay. */
static bool append_left_out(const struct vz_early *early, vz_json *list, vz_error *err)
{
    for (size_t i = 0; i < vz_json_length(early->told); i++) {
        const vz_json *entry = vz_json_at(early->told, i);
        bool left = false;
        for (size_t k = 0; k < vz_json_length(early->left) && !left; k++)
            left = vz_json_equal(vz_json_at(early->left, k), entry);
        if (!left && !vz_json_append(list, vz_json_copy(entry, err), err))
            return false;
    }
    return true;
}

static bool put_back(const struct vz_early *early, vz_error *err)
{
    const char *attribute = vz_links_attribute(early->group);
    const vz_json *now = early->left ? vz_json_get(early->group->attributes, attribute) : NULL;
    if (!early->left)
        return true;
    if (now && vz_json_equal(now, early->left))
        return vz_node_set_attribute(early->group, attribute, vz_json_copy(early->told, err), err);
    vz_json *list = now ? vz_json_copy(now, err) : vz_json_array(err);
    if (list && append_left_out(early, list, err))
        return vz_node_set_attribute(early->group, attribute, list, err);
    vz_json_free(list);
    return false;
}

/* ---- groups ---- */

static bool has_early(const vz_node *group)
{
    size_t cursor = 0;
    const char *name;
    void *link;
    if (group->kind != VZ_NODE_GROUP || !group->members || group->members->others == 0)
        return false;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &link))
        if (vz_link_is_early(group, link))
            return true;
    return false;
}

static void forget(struct vz_early *early)
{
    vz_node_unref(early->group);
    vz_json_free(early->told);
    vz_json_free(early->left);
    free(early);
}

bool vz_early_leave_out(vz_node *group, struct vz_early **list, vz_error *err)
{
    if (!has_early(group))
        return true;
    struct vz_early *early = calloc(1, sizeof *early);
    if (!early)
        return vz_fail_memory(err);
    early->group = group;
    vz_node_ref(group);
    if (!leave_out(early, err)) {
        forget(early);
        return false;
    }
    early->next = *list;
    *list = early;
    return true;
}

bool vz_early_put_back(struct vz_early **list, bool write, vz_error *err)
{
    bool ok = true;
    while (*list) {
        struct vz_early *early = *list;
        vz_error failed = VZ_ERROR_NONE;
        *list = early->next;
        const bool back = put_back(early, &failed) && vz_group_links_changed(early->group, &failed) &&
                          (!write || has_early(early->group) || vz_node_write_documents(early->group, &failed));
        if (!back && ok && err && err->class == VZ_OK)
            *err = failed;
        ok = ok && back;
        forget(early);
    }
    return ok;
}
