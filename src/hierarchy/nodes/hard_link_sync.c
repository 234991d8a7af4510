/* hard_link_sync.c - both sides of every further hard link say where the other one is, before
 * documents are written. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

typedef struct reconciling {
    bool any; /* nodes with more than one name */
} reconciling;

/* Texts of a list of names by the present path of each. */
static vz_strmap *texts_by_path(const vz_node *node, const vz_json *list, vz_error *err)
{
    vz_strmap *texts = vz_strmap_new();
    bool ok = texts != NULL || vz_fail_memory(err);
    for (size_t i = 0; ok && i < vz_json_length(list); i++) {
        const char *stored = vz_json_get_string(vz_json_at(list, i), NULL);
        char *path = stored ? vz_hierarchy_path_of_stored(node->hierarchy, stored, err) : NULL;
        ok = !stored || (path && vz_strmap_put(texts, path, vz_json_at(list, i), err));
        free(path);
    }
    if (ok)
        return texts;
    vz_strmap_free(texts, NULL);
    return NULL;
}

/* In the text that was there, where it still leads to the path. Removes it from `texts`. */
static bool append_path(vz_json *paths, vz_strmap *texts, const vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *path = vz_node_path_of_name(member->group, member->link.name, &failed);
    const vz_json *old = path ? vz_strmap_remove(texts, path) : NULL;
    char *fresh = path && !old ? vz_hierarchy_stored_path(member->group->hierarchy, path, &failed) : NULL;
    free(path);
    if (!old && !fresh)
        return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
    const bool ok = vz_json_append(paths, old ? vz_json_copy(old, err) : vz_json_text(fresh, err), err);
    free(fresh);
    return ok;
}

/* Names that other processes added since we read the list stay on it. */
static bool append_elsewhere(vz_json *paths, const vz_node *node, vz_error *err)
{
    vz_strmap *known = vz_json_length(node->names_elsewhere) ? texts_by_path(node, paths, err) : NULL;
    bool ok = known || !vz_json_length(node->names_elsewhere);
    for (size_t i = 0; ok && i < vz_json_length(node->names_elsewhere); i++) {
        const vz_json *entry = vz_json_at(node->names_elsewhere, i);
        const char *stored = vz_json_get_string(entry, NULL);
        char *path = stored ? vz_hierarchy_path_of_stored(node->hierarchy, stored, err) : NULL;
        ok = !stored || (path && (vz_strmap_get(known, path) || vz_json_append(paths, vz_json_copy(entry, err), err)));
        free(path);
    }
    vz_strmap_free(known, NULL);
    return ok;
}

/* The names as they are to be written; *same: as they were. */
static vz_json *list_names(const vz_node *node, const vz_json *old, bool *same, vz_error *err)
{
    vz_json *paths = vz_json_array(err);
    vz_strmap *texts = paths ? texts_by_path(node, old, err) : NULL;
    bool ok = texts != NULL;
    for (const vz_member *member = node->aliases; ok && member; member = member->next_name)
        ok = append_path(paths, texts, member, err);
    *same = ok && vz_strmap_count(texts) == 0 && vz_json_length(paths) == vz_json_length(old);
    ok = ok && append_elsewhere(paths, node, err);
    *same = *same && vz_json_length(paths) == vz_json_length(old);
    vz_strmap_free(texts, NULL);
    if (ok)
        return paths;
    vz_json_free(paths);
    return NULL;
}

static bool reconcile_names(vz_node *node, reconciling *s, vz_error *err)
{
    const vz_json *old = vz_json_get(node->annotation, VZ_ANNOTATION_NAMES);
    if (!node->aliases_known || (!node->aliases && !old)) /* what nobody looked at has not
                                                           * changed */
        return true;
    if (vz_node_is_behind_link(node))
        return true;
    bool same;
    vz_json *paths = list_names(node, old, &same, err);
    if (!paths)
        return false;
    const size_t count = vz_json_length(paths);
    s->any = s->any || count > 0;
    if (same) {
        vz_json_free(paths);
        return true;
    }
    if (count > 0)
        return vz_json_set(node->annotation, VZ_ANNOTATION_NAMES, paths, err) && vz_node_annotated(node, err);
    vz_json_free(paths);
    vz_json_remove(node->annotation, VZ_ANNOTATION_NAMES);
    return vz_node_annotated(node, err);
}

/* Does what the name says lead to that path? *since: what it must say with the path if it does
 * not. */
static bool says(const vz_member *member, const char *path, bool *leads, uint64_t *since, vz_error *err)
{
    vz_hierarchy *hierarchy = member->group->hierarchy;
    char *now = vz_root_move_log_follow(hierarchy, member->link.target, member->link.since, err);
    *leads = now && strcmp(now, path) == 0;
    free(now);
    return now && (*leads || vz_hierarchy_since(hierarchy, path, since, err));
}

/* The name says where its node is now. */
static bool reconcile_target(vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool leads = false;
    uint64_t since;
    char *path = member->leads_to ? vz_node_path(member->leads_to, &failed) : NULL;
    if (!path)
        return failed.class == VZ_OK || vz_fail_memory(err);
    const bool ok = says(member, path, &leads, &since, err);
    if (!ok || leads) {
        free(path);
        return ok;
    }
    free(member->link.target);
    member->link.target = path;
    member->link.since = since;
    return vz_group_links_changed(member->group, err);
}

static bool reconcile_node(vz_node *node, void *context, vz_error *err)
{
    if (!reconcile_names(node, context, err))
        return false;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->members && node->members->others > 0 &&
           vz_strmap_next(node->members->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        if (member->link.kind == VZ_LINK_ALIAS && !reconcile_target(member, err))
            return false;
    }
    return true;
}

bool vz_aliases_reconcile(vz_hierarchy *hierarchy, vz_error *err)
{
    reconciling s = {0};
    const uint64_t changed = hierarchy->hard_links.names_changed;
    if (!hierarchy->hard_links.any || hierarchy->array_root || !hierarchy->dirty.nodes ||
        changed == hierarchy->hard_links.names_reconciled)
        return true;
    if (!vz_hierarchy_each_loaded(hierarchy, reconcile_node, &s, err))
        return false;
    hierarchy->hard_links.names_reconciled = changed;
    vz_node *root = hierarchy->root;
    if (!s.any || vz_json_get(root->annotation, VZ_ANNOTATION_ALIASES))
        return true;
    vz_json *mark = vz_json_int64(1, err);
    return mark && vz_json_set(root->annotation, VZ_ANNOTATION_ALIASES, mark, err) && vz_node_annotated(root, err);
}
