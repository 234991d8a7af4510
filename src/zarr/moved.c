/* moved.c - where the objects went that references name. A reference in the store is a path. In a store that holds some
 * (the root's annotation has "rf") a move is noted in the root's annotation, "mv": {old path: path now}. */
#include "zarr/hierarchy.h"
#include <stdlib.h>

#define MOVED "mv"

/* What follows `prefix` in a path: "" or "/...", NULL when it is not below. */
static const char *below(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || (path[length] != '\0' && path[length] != '/'))
        return NULL;
    return path + length;
}

static char *join(const char *path, const char *rest, vz_error *err)
{
    char *whole = malloc(strlen(path) + strlen(rest) + 1);
    if (whole)
        strcat(strcpy(whole, path), rest);
    else
        vz_fail_memory(err);
    return whole;
}

static bool set_path(vz_json *moved, const char *from, const char *to, const char *rest, vz_error *err)
{
    char *path = join(to, rest, err);
    const bool ok = path && vz_json_set(moved, from, vz_json_text(path, err), err);
    free(path);
    return ok;
}

/* Paths that earlier moves led to, and that go along with this one. */
static bool carry_along(vz_json *moved, const char *from, const char *to, vz_error *err)
{
    const char *key, *rest;
    vz_json *value;
    for (size_t i = 0; vz_json_member(moved, i, &key, &value); i++) {
        const char *path = vz_json_get_string(value, NULL);
        if (path && (rest = below(path, from)) && !set_path(moved, key, to, rest, err))
            return false;
    }
    return true;
}

bool vz_moved_note(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (!vz_json_get(root->annotation, VZ_ANNOTATION_REFERENCES))
        return true;
    vz_json *moved = vz_json_get(root->annotation, MOVED);
    if (!moved) {
        moved = vz_json_object(err);
        if (!moved || !vz_json_set(root->annotation, MOVED, moved, err))
            return false;
    }
    if (!carry_along(moved, from, to, err) || !set_path(moved, from, to, "", err))
        return false;
    vz_json_remove(moved, to); /* it came back */
    if (vz_json_length(moved) == 0)
        vz_json_remove(root->annotation, MOVED);
    return vz_node_annotated(root, err);
}

/* The longest noted prefix counts. */
static char *moved_to(const vz_json *moved, const char *path, vz_error *err)
{
    const char *key, *rest, *best = NULL, *end = NULL;
    vz_json *value;
    size_t longest = 0;
    for (size_t i = 0; vz_json_member(moved, i, &key, &value); i++)
        if ((rest = below(path, key)) && strlen(key) > longest && vz_json_get_string(value, NULL)) {
            longest = strlen(key);
            best = vz_json_get_string(value, NULL);
            end = rest;
        }
    return best ? join(best, end, err) : NULL;
}

uint64_t vz_hierarchy_reference_token(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    const vz_json *moved = vz_json_get(hierarchy->root->annotation, MOVED);
    vz_error failure = VZ_ERROR_NONE;
    char *now = moved ? moved_to(moved, path, &failure) : NULL;
    uint64_t token = 0;
    if (failure.class != VZ_OK)
        vz_fail(err, failure.class, "%s", failure.text);
    else
        token = vz_hierarchy_path_token(hierarchy, path, err);
    /* The old path may have been given to another object since. */
    if (token && now && !vz_hierarchy_by_token(hierarchy, token, NULL))
        token = vz_hierarchy_path_token(hierarchy, now, err);
    free(now);
    return token;
}

bool vz_hierarchy_holds_references(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (vz_json_get(root->annotation, VZ_ANNOTATION_REFERENCES))
        return true;
    return vz_json_set(root->annotation, VZ_ANNOTATION_REFERENCES, vz_json_array(err), err) &&
           vz_node_annotated(root, err);
}
