/* merge.c - somebody else changed a document since we read it: theirs stays, but for the keys that we changed. */
#include "zarr/hierarchy.h"

/* object[key] becomes a copy of `value`, or goes when there is none. */
static bool apply(vz_json *object, const char *key, const vz_json *value, vz_error *err)
{
    if (!value) {
        vz_json_remove(object, key);
        return true;
    }
    vz_json *copy = vz_json_copy(value, err);
    return copy && vz_json_set(object, key, copy, err);
}

static bool same(const vz_json *a, const vz_json *b)
{
    return a == b || (a && b && vz_json_equal(a, b));
}

/* Applies to `theirs` what differs between `base` and `ours`. */
static bool merge_objects(const vz_json *base, const vz_json *ours, vz_json *theirs, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(ours, i, &key, &value); i++)
        if (!same(value, vz_json_get(base, key)) && !apply(theirs, key, value, err))
            return false;
    for (size_t i = 0; vz_json_member(base, i, &key, &value); i++)
        if (!vz_json_get(ours, key))
            vz_json_remove(theirs, key);
    return true;
}

bool vz_merge_document(const vz_node *node, const vz_json *ours, vz_json *theirs, vz_error *err)
{
    vz_json *nothing = node->document ? NULL : vz_json_object(err);
    const vz_json *base = node->document ? node->document : nothing;
    const bool ok = base && merge_objects(base, ours, theirs, err);
    vz_json_free(nothing);
    return ok;
}

static bool apply_changed(vz_node *node, vz_json *theirs, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    const vz_strmap *changed = node->dirt ? node->dirt->attributes : NULL;
    while (changed && vz_strmap_next(changed, &cursor, &name, &value))
        if (!apply(theirs, name, vz_json_get(node->attributes, name), err))
            return false;
    return true;
}

/* A node that was never written has changed everything it holds. */
static bool apply_all(vz_node *node, vz_json *theirs, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &key, &value); i++)
        if (!apply(theirs, key, value, err))
            return false;
    return true;
}

bool vz_merge_attributes(vz_node *node, vz_json *theirs, vz_error *err)
{
    vz_json *annotation = NULL, *value = NULL;
    bool ok = vz_annotation_detach(theirs, &annotation, &value, err) &&
              (node->is_new ? apply_all(node, theirs, err) : apply_changed(node, theirs, err)) &&
              vz_merge_annotation(node, annotation, err);
    if (!ok) {
        vz_json_free(theirs);
        vz_json_free(annotation);
        vz_json_free(value);
        return false;
    }
    vz_attribute_order_drop(node);
    vz_json_free(node->attributes);
    vz_json_free(node->annotation);
    vz_json_free(node->annotation_value);
    node->attributes = theirs;
    node->annotation = annotation;
    node->annotation_value = value;
    return true;
}
