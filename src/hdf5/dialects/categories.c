/* categories.c - references to categories as AnnData 0.7 has them in Zarr. */
#include "hdf5/dialects/dialects.h"
#include "hierarchy/documents/documents.h"
#include "hdf5/types/elements.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTE "categories"
#define GROUP     "__categories/"

/* How many bytes of the node's path are its group's, with the slash; 0: none of that form. */
static size_t group_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* "__categories/<name>" in a path that begins with the column's group; NULL: the reference leads
 * elsewhere. */
static const char *relative(const char *column, const char *target)
{
    const size_t length = group_length(column);
    if (length == 0 || strncmp(column, target, length) != 0 || strncmp(target + length, GROUP, strlen(GROUP)) != 0)
        return NULL;
    const char *leaf = target + length + strlen(GROUP);
    return *leaf && !strchr(leaf, '/') ? target + length : NULL;
}

static bool enter_reference(vz_json **entry, vz_error *err)
{
    vz_json *type = vz_json_object(err);
    if (type && vz_json_set_text(type, "ref", "obj", err)) {
        if (!*entry)
            *entry = vz_json_object(err);
        if (*entry)
            return vz_json_set(*entry, "t", type, err);
    }
    vz_json_free(type);
    return false;
}

bool vz_categories_shorten(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err)
{
    if (node->kind != VZ_NODE_ARRAY || strcmp(name, ATTRIBUTE) != 0 || *entry)
        return true;
    const vz_json *reference = vz_elements_references(*json);
    const char *target = reference == *json ? NULL : vz_json_get_string(vz_json_get(reference, "path"), NULL);
    char *column = target ? vz_node_path(node, NULL) : NULL;
    const char *found = column ? relative(column, target) : NULL;
    vz_json *text = found ? vz_json_text(found, err) : NULL;
    free(column);
    if (!found)
        return true;
    if (!text || !enter_reference(entry, err)) {
        vz_json_free(text);
        return false;
    }
    vz_json_free(*json);
    *json = text;
    return true;
}

static vz_json *refer_to(vz_hierarchy *hierarchy, const char *path)
{
    uint64_t now;
    vz_json *json = vz_json_object(NULL), *reference = vz_json_object(NULL);
    bool ok = json && reference && vz_hierarchy_since(hierarchy, path, &now, NULL) &&
              vz_json_set_text(reference, "source", ".", NULL) &&
              vz_json_set(reference, "path", vz_text_json_of_path(path, NULL), NULL) &&
              vz_json_set(reference, "since", vz_json_uint64(now, NULL), NULL) &&
              vz_json_set_text(json, "zarr_dtype", "object", NULL);
    if (ok) {
        ok = vz_json_set(json, "value", reference, NULL);
        reference = NULL;
    }
    if (ok)
        return json;
    vz_json_free(reference);
    vz_json_free(json);
    return NULL;
}

vz_json *vz_categories_lengthen(const vz_node *node, const char *name, const vz_json *json, const vz_json *entry)
{
    const char *text = vz_json_get_string(json, NULL);
    if (!text || strcmp(name, ATTRIBUTE) != 0 || strncmp(text, GROUP, strlen(GROUP)) != 0 ||
        !vz_json_is(vz_json_get(vz_json_get(entry, "t"), "ref"), "obj"))
        return NULL;
    char *column = vz_node_path(node, NULL), *path = NULL;
    if (column && asprintf(&path, "%.*s%s", (int)group_length(column), column, text) < 0)
        path = NULL;
    vz_json *reference = path ? refer_to(node->hierarchy, path) : NULL;
    free(path);
    free(column);
    return reference;
}
