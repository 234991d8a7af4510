/* dialect_links.c - see dialect_links.h. */
#include "map/dialect_links.h"
#include <stdio.h>
#include <stdlib.h>

#define HERE "." /* source of links within the store */

/* What the conventions call the list; the newer ones are those of Zarr v3. */
static const char *attribute_of(const vz_node *group)
{
    return group->format == 3 ? "_LINKS" : "zarr_link";
}

/* ---- writing ---- */

/* The path of what a soft link leads to by directories alone; NULL: nothing, or no memory. */
static char *plain_target(vz_node *group, const char *target, vz_error *err)
{
    char *copy = strdup(target), *rest = copy, *part;
    vz_node *node = *target == '/' ? vz_hierarchy_root(group->hierarchy) : group;
    vz_error absent = VZ_ERROR_NONE;
    if (!copy)
        vz_fail_memory(err);
    while (node && rest && (part = strsep(&rest, "/"))) {
        if (!*part || strcmp(part, ".") == 0)
            continue;
        vz_link *link = node->kind == VZ_NODE_GROUP ? vz_group_find(node, part, &absent) : NULL;
        node = link && link->kind == VZ_LINK_NODE ? vz_link_node(node, link, &absent) : NULL;
    }
    char *path = copy && node ? vz_node_path(node, err) : NULL;
    free(copy);
    return path;
}

static vz_json *old_entry(const vz_json *old, const char *name)
{
    for (size_t i = 0; i < vz_json_length(old); i++)
        if (vz_json_is(vz_json_get(vz_json_at(old, i), "name"), name))
            return vz_json_at(old, i);
    return NULL;
}

/* Format 2's entries have places for ids, which nothing here has. */
static vz_json *new_entry(const vz_node *group, const char *name, const char *source, const char *path, vz_error *err)
{
    const bool ids = group->format == 2;
    vz_json *entry = vz_json_object(err);
    if (entry && vz_json_set(entry, "name", vz_json_text(name, err), err) &&
        vz_json_set(entry, "source", vz_json_text(source, err), err) &&
        vz_json_set(entry, "path", vz_json_text(path, err), err) &&
        (!ids || vz_json_set(entry, "object_id", vz_json_null(err), err)) &&
        (!ids || vz_json_set(entry, "source_object_id", vz_json_null(err), err)))
        return entry;
    vz_json_free(entry);
    return NULL;
}

static bool append(vz_json *list, const vz_json *old, const vz_node *group, const vz_link *link, const char *source,
                   const char *path, vz_error *err)
{
    const vz_json *entry = old_entry(old, link->name);
    if (entry && vz_json_is(vz_json_get(entry, "source"), source) && vz_json_is(vz_json_get(entry, "path"), path))
        return vz_json_append(list, vz_json_copy(entry, err), err);
    return vz_json_append(list, new_entry(group, link->name, source, path, err), err);
}

/* The file is looked for beside this store, where HDF5 looks first; the source is told from within the store. */
static bool append_external(vz_json *list, const vz_json *old, vz_node *group, const vz_link *link, vz_error *err)
{
    const char *file = (const char *)link->value + 1, *store = vz_hierarchy_path(group->hierarchy);
    const uint8_t *nul = link->value_size > 2 ? memchr(file, 0, link->value_size - 1) : NULL;
    const uint8_t *end = nul ? memchr(nul + 1, 0, (size_t)(link->value + link->value_size - nul - 1)) : NULL;
    const char *slash = strrchr(store, '/'), *path = nul ? (const char *)nul + 1 : "";
    char *target = NULL, *source = NULL;
    int no_errno;
    if (!end)
        return true;
    const int directory = *file != '/' && slash ? (int)(slash - store) + 1 : 0;
    bool ok = (asprintf(&target, "%.*s%s/%s", directory, store, file, path) >= 0 || (target = NULL, false)) &&
              (asprintf(&source, "%s%s", *file == '/' ? "" : "../", file) >= 0 || (source = NULL, false));
    if (!ok)
        vz_fail_memory(err);
    else if (*path == '/' && vz_path_look(target, &no_errno) == VZ_PATH_ZARR)
        ok = append(list, old, group, link, source, path, err);
    free(target);
    free(source);
    return ok;
}

static bool append_inside(vz_json *list, const vz_json *old, vz_node *group, vz_link *link, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE, absent = VZ_ERROR_NONE;
    vz_node *node = link->kind == VZ_LINK_SECOND ? vz_link_node(group, link, &absent) : NULL;
    char *path = link->kind == VZ_LINK_SOFT ? plain_target(group, link->target, &failed)
                 : node                     ? vz_node_path(node, &failed)
                                            : NULL;
    if (!path)
        return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
    const bool ok = append(list, old, group, link, HERE, path, err);
    free(path);
    return ok;
}

static bool append_link(vz_json *list, const vz_json *old, vz_node *group, vz_link *link, vz_error *err)
{
    const vz_json *entry = link->is_plain ? old_entry(old, link->name) : NULL;
    if (link->kind == VZ_LINK_NODE || !vz_utf8_valid(link->name, strlen(link->name)))
        return true;
    if (link->is_plain)
        return !entry || vz_json_append(list, vz_json_copy(entry, err), err);
    if (link->kind != VZ_LINK_USER)
        return append_inside(list, old, group, link, err);
    return link->class != VZ_LINK_CLASS_EXTERNAL || append_external(list, old, group, link, err);
}

static vz_json *make_list(vz_node *group, const vz_json *old, vz_error *err)
{
    uint64_t count = 0;
    vz_json *list = vz_json_array(err);
    bool ok = list && vz_group_count(group, &count, err);
    for (uint64_t i = 0; ok && i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_CREATION, i, err);
        ok = link && append_link(list, old, group, link, err);
    }
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

bool vz_plain_settle_links(vz_node *group, vz_error *err)
{
    const vz_json *old = vz_node_attribute(group, attribute_of(group));
    if (!group->members || (!old && !vz_group_has_links(group)))
        return true;
    vz_json *list = make_list(group, old, err);
    if (!list)
        return false;
    const size_t count = vz_json_length(list);
    if (count > 0 && !(old && vz_json_equal(old, list)))
        return vz_node_set_attribute(group, attribute_of(group), list, err);
    vz_json_free(list);
    return count > 0 || !old || vz_node_remove_attribute(group, attribute_of(group), err);
}

/* ---- reading ---- */

/* An external link's value. A source is told from within the store, HDF5 looks beside it. */
static bool add_external(vz_node *group, const char *name, const char *source, const char *path, vz_error *err)
{
    const char *store = vz_hierarchy_path(group->hierarchy), *slash = strrchr(store, '/');
    const bool outside = strncmp(source, "../", 3) == 0;
    vz_buffer value = {0};
    const bool ok = vz_buffer_append(&value, "", 1, err) &&
                    (outside || *source == '/' || vz_buffer_printf(&value, err, "%s/", slash ? slash + 1 : store)) &&
                    vz_buffer_append(&value, source + (outside ? 3 : 0), strlen(source + (outside ? 3 : 0)) + 1, err) &&
                    vz_buffer_append(&value, path, strlen(path) + 1, err) &&
                    vz_group_add_foreign(group, name, VZ_LINK_USER, VZ_LINK_CLASS_EXTERNAL,
                                         (vz_bytes){.data = value.data, .size = value.size}, err);
    vz_buffer_clear(&value);
    return ok;
}

static const char *text_of(const vz_json *entry, const char *key)
{
    size_t length = 0;
    const char *text = vz_json_get_string(vz_json_get(entry, key), &length);
    return text && strlen(text) == length ? text : NULL;
}

bool vz_plain_read_links(vz_node *group, vz_error *err)
{
    const vz_json *list = vz_node_attribute(group, attribute_of(group));
    bool ok = true;
    for (size_t i = 0; ok && i < vz_json_length(list); i++) {
        const vz_json *entry = vz_json_at(list, i);
        const char *name = text_of(entry, "name"), *source = text_of(entry, "source"), *path = text_of(entry, "path");
        if (!name || !source || !path)
            continue;
        if (strcmp(source, HERE) == 0)
            ok = vz_group_add_foreign(group, name, VZ_LINK_SOFT, 0,
                                      (vz_bytes){.data = (const uint8_t *)path, .size = strlen(path)}, err);
        else
            ok = add_external(group, name, source, path, err);
    }
    return ok;
}
