/* lindi_objects.c - groups and links of a copy, as LINDI has them. */
#include "base/util/c_library.h"
#include "command/view/view_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* Groups that are still to be written: no depth is too much. */
typedef struct groups {
    vz_node **items;
    size_t count, capacity;
} groups;

static bool push(groups *list, vz_node *group, vz_error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        vz_node **items = vz_realloc_items(list->items, capacity, sizeof(*items));
        if (!items)
            return vz_fail_memory(err);
        list->items = items;
        list->capacity = capacity;
    }
    vz_node_ref(list->items[list->count++] = group);
    return true;
}

/* ---- documents ---- */

static bool write_group_document(vz_view *view, const char *prefix, vz_error *err)
{
    vz_json *document = vz_json_object(err);
    const bool ok = document && vz_json_set(document, "zarr_format", vz_json_int64(2, err), err) &&
                    vz_view_lindi_document(view, prefix, ".zgroup", document, err);
    vz_json_free(document);
    return ok;
}

/* {"_SOFT_LINK": {"path": path}} on a group, whatever is there. */
static bool write_soft_link(vz_view *view, const char *prefix, const char *path, vz_error *err)
{
    vz_json *link = vz_json_object(err), *attributes = NULL;
    bool ok = link && vz_json_set_text(link, "path", path, err) && (attributes = vz_json_object(err));
    if (ok) {
        ok = vz_json_set(attributes, "_SOFT_LINK", link, err);
        link = NULL;
    }
    ok = ok && write_group_document(view, prefix, err) && vz_view_lindi_write_attributes(view, prefix, attributes, err);
    vz_json_free(link);
    vz_json_free(attributes);
    return ok;
}

/* ---- groups ---- */

/* LINDI's reader counts every path from the root. */
static char *absolute_path(const vz_node *group, const char *path, vz_error *err)
{
    char *above = NULL, *made = NULL;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (*path != '/' && !(above = vz_node_path(group, err)))
        return NULL;
    if (asprintf(&made, "%s%s%s", above && above[1] ? above : "", above ? "/" : "", path) < 0) {
        made = NULL;
        vz_fail_memory(err);
    }
    free(above);
    return made;
}

/* A further hard link becomes a soft link to the object: two objects would be none. */
static bool write_link(vz_view *view, vz_node *group, const char *prefix, vz_link *link, vz_error *err)
{
    if (link->kind == VZ_LINK_USER)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "LINDI has no form for the external or user-defined link \"%.200s\": another name in .json than "
                       "one in .lindi.json makes a reference file that has",
                       link->name);
    vz_node *node = link->kind == VZ_LINK_ALIAS ? vz_link_node(group, link, err) : NULL;
    char *path = node                         ? vz_node_path(node, err)
                 : link->kind == VZ_LINK_SOFT ? absolute_path(group, link->target, err)
                                              : NULL;
    char *segment = path ? vz_segment_of_name(link->name, err) : NULL;
    char *key = segment ? vz_document_key_join(prefix, segment, err) : NULL;
    const bool ok = key && write_soft_link(view, key, path, err);
    free(key);
    free(segment);
    free(path);
    return ok;
}

static bool write_member(vz_view *view, vz_node *group, const char *prefix, vz_link *link, groups *left, vz_error *err)
{
    if (link->kind != VZ_LINK_NODE)
        return write_link(view, group, prefix, link, err);
    vz_node *node = vz_link_node(group, link, err);
    if (!node)
        return false;
    return node->kind == VZ_NODE_GROUP ? push(left, node, err) : vz_view_lindi_write_array(view, node, err);
}

static bool check_kind(const vz_node *group, const char *path, vz_error *err)
{
    return !vz_json_get(group->annotation, "k") ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "LINDI has no form for the committed datatype %.300s: another name in .json than one in .lindi.json "
                   "makes a reference file that has",
                   path);
}

static bool write_group(vz_view *view, vz_node *group, groups *left, vz_error *err)
{
    uint64_t count = 0;
    char *prefix = vz_node_prefix(group, err), *path = vz_node_path(group, err);
    vz_json *attributes =
        prefix && path && check_kind(group, path, err) ? vz_view_lindi_attributes(group, path, err) : NULL;
    bool ok = attributes && write_group_document(view, prefix, err) &&
              vz_view_lindi_write_attributes(view, prefix, attributes, err) && vz_group_count(group, &count, err);
    for (uint64_t i = 0; ok && i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_NAME, i, err);
        ok = link && write_member(view, group, prefix, link, left, err);
    }
    vz_json_free(attributes);
    free(prefix);
    free(path);
    return ok;
}

bool vz_view_write_lindi(vz_view *view, vz_error *err)
{
    groups left = {0};
    bool ok = push(&left, view->request->root, err);
    while (left.count > 0) {
        vz_node *group = left.items[--left.count];
        ok = ok && write_group(view, group, &left, err);
        vz_node_unref(group);
    }
    free(left.items);
    return ok;
}
