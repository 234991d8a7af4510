/* zarr_link.c - writes zarr_link, the list of links for hdmf-zarr. */
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/resolve/path.h"
#include "hdf5/references/references.h"
#include "hdf5/annotation/annotation.h"
#include <stdio.h>
#include <stdlib.h>

#define HERE "."  /* source of links within the store */
#define MARK "zl" /* on the root of our stores: some group has the attribute, or had */

const char *vz_dialect_links_attribute(const vz_node *group)
{
    return vz_dialect_zarr_names_of(group->zarr_format)->links;
}

/* The entries that there are, by name; of two the first. NULL: no memory. */
static vz_strmap *entries_by_name(const vz_json *old, vz_error *err)
{
    vz_strmap *entries = vz_strmap_new();
    for (size_t i = 0; entries && i < vz_json_length(old); i++) {
        const char *name = vz_json_get_string(vz_json_get(vz_json_at(old, i), "name"), NULL);
        if (!name || vz_strmap_get(entries, name) || vz_strmap_put(entries, name, vz_json_at(old, i), err))
            continue;
        vz_strmap_free(entries, NULL);
        return NULL;
    }
    if (!entries)
        vz_fail_memory(err);
    return entries;
}

static vz_json *new_entry(const vz_node *group, const char *name, const char *source, const char *path, vz_error *err)
{
    /* which nothing here has */
    const bool ids = vz_dialect_zarr_names_of(group->zarr_format)->link_ids;
    vz_json *entry = vz_json_object(err);
    if (entry && vz_json_set_text(entry, "name", name, err) && vz_json_set_text(entry, "source", source, err) &&
        vz_json_set_text(entry, "path", path, err) &&
        (!ids || vz_json_set(entry, "object_id", vz_json_null(err), err)) &&
        (!ids || vz_json_set(entry, "source_object_id", vz_json_null(err), err)))
        return entry;
    vz_json_free(entry);
    return NULL;
}

static bool append(vz_json *list, const vz_strmap *old, const vz_node *group, const vz_link *link, const char *source,
                   const char *path, vz_error *err)
{
    const vz_json *entry = vz_strmap_get(old, link->name);
    /* "L" has it */
    if (!vz_utf8_valid(path, strlen(path)) || !vz_utf8_valid(source, strlen(source)))
        return true;
    if (entry && vz_json_is(vz_json_get(entry, "source"), source) && vz_json_is(vz_json_get(entry, "path"), path))
        return vz_json_append(list, vz_json_copy(entry, err), err);
    return vz_json_append(list, new_entry(group, link->name, source, path, err), err);
}

/* HDF5 first looks for the file beside this store; the source is relative to the store itself. */
static bool append_external(vz_json *list, const vz_strmap *old, vz_node *group, const vz_link *link, vz_error *err)
{
    const char *file = (const char *)link->value + 1, *store = vz_hierarchy_path(group->hierarchy);
    const uint8_t *nul = link->value_size > 2 ? memchr(file, 0, link->value_size - 1) : NULL;
    const uint8_t *end = nul ? memchr(nul + 1, 0, (size_t)(link->value + link->value_size - nul - 1)) : NULL;
    const char *slash = strrchr(store, '/'), *path = nul ? (const char *)nul + 1 : "";
    char *target = NULL, *source = NULL;
    const vz_named named = vz_hierarchy_named(group->hierarchy, file);
    if (!end)
        return true;
    const int directory = *file != '/' && slash ? (int)(slash - store) + 1 : 0;
    bool ok = (asprintf(&target, "%.*s%s/%s", directory, store, file, path) >= 0 || (target = NULL, false)) &&
              (asprintf(&source, "%s%s", *file == '/' ? "" : "../", file) >= 0 || (source = NULL, false));
    if (!ok)
        vz_fail_memory(err);
    else if (*path == '/' && vz_path_look_named(target, &named) == VZ_PATH_ZARR)
        ok = append(list, old, group, link, source, path, err);
    free(target);
    free(source);
    return ok;
}

static bool append_inside(vz_json *list, const vz_strmap *old, vz_node *group, vz_link *link, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE, absent = VZ_ERROR_NONE;
    vz_node *node = link->kind == VZ_LINK_ALIAS ? vz_link_node(group, link, &absent) : NULL;
    char *path = link->kind == VZ_LINK_SOFT ? vz_source_path(group, link->target, &failed)
                 : node                     ? vz_node_path(node, &failed)
                                            : NULL;
    if (!path)
        return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
    const bool ok = append(list, old, group, link, HERE, path, err);
    free(path);
    return ok;
}

/* A link that only this attribute held becomes one of ours when its target is gone. Other readers
 * of the convention would give up the whole file, and HDF5 goes on showing the link. */
static bool keep_plain(vz_json *list, const vz_json *entry, vz_node *group, vz_link *link, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *path = link->kind == VZ_LINK_SOFT ? vz_source_path(group, link->target, &failed) : NULL;
    const bool leads_nowhere = link->kind == VZ_LINK_SOFT && !path;
    free(path);
    if (failed.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (leads_nowhere) {
        link->is_foreign = false;
        return vz_group_links_changed(group, err);
    }
    return !entry || vz_json_append(list, vz_json_copy(entry, err), err);
}

static bool append_link(vz_json *list, const vz_strmap *old, vz_node *group, vz_link *link, vz_error *err)
{
    if (link->kind == VZ_LINK_NODE || !vz_utf8_valid(link->name, strlen(link->name)))
        return true;
    if (link->is_foreign)
        return keep_plain(list, vz_strmap_get(old, link->name), group, link, err);
    if (link->kind != VZ_LINK_USER)
        return append_inside(list, old, group, link, err);
    return link->class != VZ_LINK_CLASS_EXTERNAL || append_external(list, old, group, link, err);
}

static vz_json *make_list(vz_node *group, const vz_json *old, vz_error *err)
{
    uint64_t count = 0;
    vz_json *list = vz_json_array(err);
    vz_strmap *entries = list ? entries_by_name(old, err) : NULL;
    bool ok = entries && vz_group_count(group, &count, err);
    for (uint64_t i = 0; ok && i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_CREATION, i, err);
        ok = link && append_link(list, entries, group, link, err);
    }
    vz_strmap_free(entries, NULL);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

/* Our own stores say on the root that some group has the attribute, so that others need not be
 * searched. */
static bool mark_root(vz_node *group, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(group->hierarchy);
    if (!vz_hierarchy_is_ours(group->hierarchy) || vz_annotation_get(root, MARK))
        return true;
    vz_json *mark = vz_json_int64(1, err);
    return mark && vz_annotation_set(root, MARK, mark, err);
}

bool vz_dialect_links_update(vz_node *group, vz_error *err)
{
    const vz_json *old = vz_node_attribute(group, vz_dialect_links_attribute(group));
    if (!group->members || (!old && !vz_edit_has_links(group)) || vz_node_is_behind_link(group))
        return true;
    vz_json *list = make_list(group, old, err);
    if (!list)
        return false;
    const size_t count = vz_json_length(list);
    if (count > 0 && !(old && vz_json_equal(old, list)))
        return vz_node_set_attribute(group, vz_dialect_links_attribute(group), list, err) && mark_root(group, err);
    vz_json_free(list);
    return count > 0 || !old || vz_node_remove_attribute(group, vz_dialect_links_attribute(group), err);
}

/* ---- after an object lost a name ---- */

/* A list that cannot be read is left as it is. */
static bool may_pass(const vz_error *unreadable, vz_error *err)
{
    return unreadable->class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool update_below(vz_node *group, vz_error *err)
{
    uint64_t count = 0;
    vz_error unreadable = VZ_ERROR_NONE;
    if (!vz_group_count(group, &count, &unreadable))
        return may_pass(&unreadable, err);
    if (vz_node_attribute(group, vz_dialect_links_attribute(group)) && !vz_dialect_links_update(group, err))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_NAME, i, err);
        if (!link)
            return false;
        if (link->kind != VZ_LINK_NODE || vz_link_is_array(link))
            continue;
        vz_node *node = vz_link_node(group, link, &unreadable);
        if (node ? node->kind == VZ_NODE_GROUP && !update_below(node, err) : !may_pass(&unreadable, err))
            return false;
    }
    return true;
}

bool vz_dialect_links_update_all(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(hierarchy);
    if (!vz_hierarchy_take_names_gone(hierarchy) || root->kind != VZ_NODE_GROUP ||
        (vz_hierarchy_is_ours(hierarchy) && !vz_annotation_get(root, MARK)))
        return true;
    return update_below(root, err);
}
