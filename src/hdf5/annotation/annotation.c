/* annotation.c - the annotation of a node, member by member. */
#include "hdf5/annotation/annotation.h"

/* Does the annotation speak of the dtype the array has now? Without a guard it is taken to. */
static bool guard_holds(const vz_node *node)
{
    const vz_json *guard = vz_json_get(node->annotation, "z");
    if (!guard || !node->meta)
        return true;
    vz_json *dtype = vz_dtype_print_v2(node->meta->dtype, NULL);
    const bool holds = dtype && vz_json_equal(dtype, guard);
    vz_json_free(dtype);
    return holds;
}

/* These describe the dtype's elements or their encoding. */
static bool is_guarded(const char *key)
{
    return strcmp(key, "t") == 0 || strcmp(key, "p") == 0;
}

const vz_json *vz_annotation_get(const vz_node *node, const char *key)
{
    const vz_json *value = vz_json_get(node->annotation, key);
    return value && (!is_guarded(key) || guard_holds(node)) ? value : NULL;
}

static bool set(vz_node *node, const char *key, vz_json *take, vz_error *err)
{
    if (take)
        return vz_json_set(node->annotation, key, take, err);
    vz_json_remove(node->annotation, key);
    return true;
}

bool vz_annotation_set(vz_node *node, const char *key, vz_json *take, vz_error *err)
{
    const bool is_type = strcmp(key, "t") == 0 && node->meta;
    vz_json *guard = NULL;
    bool ok = node->annotation || (node->annotation = vz_json_object(err));
    if (ok && is_type && take)
        ok = (guard = vz_dtype_print_v2(node->meta->dtype, err)) != NULL;
    if (!ok) {
        vz_json_free(take);
        return false;
    }
    if (!set(node, key, take, err)) {
        vz_json_free(guard);
        return false;
    }
    return (!is_type || set(node, "z", guard, err)) && vz_node_annotated(node, err);
}
