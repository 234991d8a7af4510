/* merge.c - another process changed a document since we read it: theirs stays, but for the keys
 * that we changed. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"

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

/* vz_merge_links' work. */
static bool tells_links(const vz_node *node, const char *name)
{
    const char *attribute = node->members ? vz_links_attribute(node) : NULL;
    return attribute && strcmp(attribute, name) == 0;
}

static bool apply_changed(vz_node *node, vz_json *theirs, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    const vz_strmap *changed = node->unwritten ? node->unwritten->attributes : NULL;
    while (changed && vz_strmap_next(changed, &cursor, &name, &value))
        if (!tells_links(node, name) && !apply(theirs, name, vz_json_get(node->attributes, name), err))
            return false;
    return true;
}

/* A node that was never written has changed everything it holds. */
static bool apply_all(vz_node *node, vz_json *theirs, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &key, &value); i++)
        if (!tells_links(node, key) && !apply(theirs, key, value, err))
            return false;
    return true;
}

/* The annotation that the node had when it was last read or written; a copy. */
static vz_json *base_of(const vz_node *node, vz_error *err)
{
    vz_json *holder = vz_json_object(err), *base = NULL, *value = NULL;
    vz_json *copy = holder && node->annotation_value ? vz_json_copy(node->annotation_value, err) : NULL;
    if (holder && (!node->annotation_value || vz_json_set(holder, VZ_ANNOTATION, copy, err)) &&
        !vz_node_annotation_detach(holder, &base, &value, err))
        base = NULL;
    vz_json_free(holder);
    vz_json_free(value);
    return base;
}

static bool merge_annotations(vz_node *node, vz_json *annotation, vz_json *attributes, vz_error *err)
{
    vz_json *base = base_of(node, err);
    const bool ok = base && vz_merge_annotation(node, base, annotation, err) &&
                    vz_merge_links(node, base, annotation, attributes, err);
    vz_json_free(base);
    return ok;
}

bool vz_merge_attributes(vz_node *node, vz_json *theirs, vz_error *err)
{
    vz_json *annotation = NULL, *value = NULL;
    bool ok = vz_node_annotation_detach(theirs, &annotation, &value, err) &&
              (!node->note_in_group || vz_attributes_show(theirs, node->annotation, err)) &&
              (node->is_new ? apply_all(node, theirs, err) : apply_changed(node, theirs, err)) &&
              merge_annotations(node, annotation, theirs, err);
    if (!ok) {
        vz_json_free(theirs);
        vz_json_free(annotation);
        vz_json_free(value);
        return false;
    }
    vz_hierarchy_changed(node->hierarchy);
    vz_node_replace_attributes(node, theirs, annotation, value);
    return !node->derived || vz_derived_show(node, err);
}
