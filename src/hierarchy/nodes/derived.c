/* derived.c - attributes in memory that follow from other documents. No document holds them, and
 * they are not written while they are as they were derived. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/nodes/node_state_internal.h"

#define ENTRIES "a" /* of the annotation: what is said of attributes */

/* Parts of a derived attribute: a list. */
enum { VALUE, ENTRY, STORED };

static const vz_json *part(const vz_json *item, size_t index)
{
    const vz_json *value = vz_json_at(item, index);
    return index == VALUE || vz_json_kind_of(value) != VZ_JSON_NULL ? value : NULL;
}

/* An attribute of the document that HDF5 does not see. */
static bool is_unseen(const vz_json *item)
{
    return vz_json_kind_of(part(item, VALUE)) == VZ_JSON_NULL;
}

static bool is_as_derived(const vz_json *attributes, const char *name, const vz_json *item)
{
    const vz_json *value = vz_json_get(attributes, name);
    return is_unseen(item) ? !value : value && vz_json_equal(value, part(item, VALUE));
}

bool vz_node_shows_derived(const vz_node *node, const char *name)
{
    const vz_json *item = vz_json_get(node->derived, name);
    return item && is_as_derived(node->attributes, name, item);
}

/* The attribute becomes what the document says. */
static bool hide(vz_json *attributes, const char *name, const vz_json *item, vz_error *err)
{
    if (!is_as_derived(attributes, name, item))
        return true;
    const vz_json *stored = part(item, STORED);
    if (stored)
        return vz_json_set(attributes, name, vz_json_copy(stored, err), err);
    vz_json_remove(attributes, name);
    return true;
}

bool vz_derived_hide(const vz_node *node, vz_json *attributes, vz_error *err)
{
    const char *name;
    vz_json *item;
    bool ok = true;
    for (size_t i = 0; ok && vz_json_member(node->derived, i, &name, &item); i++)
        ok = hide(attributes, name, item, err);
    return ok;
}

static void drop_entry(vz_json *annotation, const char *name, const vz_json *item)
{
    vz_json *entries = vz_json_get(annotation, ENTRIES);
    const vz_json *entry = vz_json_get(entries, name);
    if (entry && part(item, ENTRY) && vz_json_equal(entry, part(item, ENTRY)))
        vz_json_remove(entries, name);
    if (entries && vz_json_length(entries) == 0)
        vz_json_remove(annotation, ENTRIES);
}

/* The list of attributes that xarray does not see may be long, and changes as a whole. */
static vz_json *copy_word(const char *word, vz_json *value, vz_error *err)
{
    return strcmp(word, VZ_ANNOTATION_UNSEEN) == 0 ? vz_json_share(value) : vz_json_copy(value, err);
}

static vz_json *copy_annotation(const vz_node *node, vz_error *err)
{
    vz_json *copy = vz_json_object(err), *value;
    const char *word;
    for (size_t i = 0; copy && vz_json_member(node->annotation, i, &word, &value); i++)
        if (!vz_json_set(copy, word, copy_word(word, value, err), err)) {
            vz_json_free(copy);
            return NULL;
        }
    return copy;
}

vz_json *vz_node_annotation_without_derived(const vz_node *node, vz_error *err)
{
    vz_json *annotation = copy_annotation(node, err);
    const char *name;
    vz_json *item;
    for (size_t i = 0; annotation && vz_json_member(node->derived, i, &name, &item); i++)
        if (is_as_derived(node->attributes, name, item))
            drop_entry(annotation, name, item);
    return annotation;
}

static bool set_entry(vz_json *annotation, const char *name, const vz_json *entry, vz_error *err)
{
    vz_json *entries = vz_json_get(annotation, ENTRIES);
    if (!entry) {
        vz_json_remove(entries, name);
        return true;
    }
    if (!entries) {
        if (!vz_json_set(annotation, ENTRIES, vz_json_object(err), err))
            return false;
        entries = vz_json_get(annotation, ENTRIES);
    }
    return vz_json_set(entries, name, vz_json_copy(entry, err), err);
}

/* Values that a program set or deleted stay so until they are written. */
static bool is_changed(const vz_node *node, const char *name)
{
    return node->unwritten && node->unwritten->attributes && vz_strmap_get(node->unwritten->attributes, name);
}

static bool show(vz_node *node, const char *name, const vz_json *item, vz_error *err)
{
    if (is_unseen(item))
        vz_json_remove(node->attributes, name);
    else if (!vz_json_set(node->attributes, name, vz_json_copy(part(item, VALUE), err), err))
        return false;
    return set_entry(node->annotation, name, part(item, ENTRY), err);
}

bool vz_derived_show(vz_node *node, vz_error *err)
{
    const char *name;
    vz_json *item;
    for (size_t i = 0; vz_json_member(node->derived, i, &name, &item); i++) {
        const vz_json *now = vz_json_get(node->attributes, name), *stored = part(item, STORED);
        /* the document says so meanwhile */
        const bool is_other = now && !(stored && vz_json_equal(now, stored));
        if (!is_other && !is_changed(node, name) && !show(node, name, item, err))
            return false;
    }
    vz_attributes_order_drop(node);
    return true;
}

void vz_node_show_attributes(vz_node *node, vz_json *take)
{
    vz_json_free(node->attributes);
    node->attributes = take;
    node->attributes_size = (vz_json_size){0};
    vz_hierarchy_changed(node->hierarchy);
    vz_attributes_order_drop(node);
}

bool vz_node_set_derived(vz_node *node, vz_json *take, vz_error *err)
{
    const char *name;
    vz_json *item;
    bool ok = take && vz_derived_hide(node, node->attributes, err);
    for (size_t i = 0; ok && vz_json_member(node->derived, i, &name, &item); i++)
        drop_entry(node->annotation, name, item);
    if (!ok) {
        vz_json_free(take);
        return false;
    }
    vz_json_free(node->derived);
    node->derived = take;
    node->attributes_size = (vz_json_size){0};
    vz_hierarchy_changed(node->hierarchy);
    return vz_derived_show(node, err);
}
