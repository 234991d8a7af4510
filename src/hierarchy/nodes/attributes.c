/* attributes.c - a node's attributes, annotation and metadata in memory: each change is
 * remembered by key. */
#include "hierarchy/nodes/pending_value_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state_internal.h"

vz_json *vz_node_attribute(const vz_node *node, const char *name)
{
    if (vz_deferred_is(node, name) && !vz_deferred_render((vz_node *)(uintptr_t)node, NULL))
        return NULL;
    return vz_json_get(node->attributes, name);
}

bool vz_node_has_attribute(const vz_node *node, const char *name)
{
    return vz_json_get(node->attributes, name) != NULL;
}

/* Notes that `name` changes; false if it must not. */
static bool begin_change(vz_node *node, const char *name, vz_error *err)
{
    if (!vz_node_check_writable(node, err))
        return false;
    if (strcmp(name, VZ_ANNOTATION) == 0 || strcmp(name, VZ_ANNOTATION_NETCDF) == 0)
        return vz_fail(err, VZ_INVALID, "the attribute \"%s\" is reserved", name);
    struct vz_unwritten *unwritten = vz_unwritten_of(node, err);
    return unwritten && vz_unwritten_name(&unwritten->attributes, name, err);
}

static bool add_size(vz_json_size *size, vz_json_size more)
{
    if (size->values + more.values > VZ_ATTRIBUTES_MAX_VALUES || size->bytes + more.bytes > VZ_ATTRIBUTES_MAX_SIZE)
        return false;
    size->values += more.values;
    size->bytes += more.bytes;
    return true;
}

static vz_json_size size_of_others(const vz_node *node, const char *name)
{
    vz_json_size size = {.values = 1};
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &key, &value); i++)
        if (!name || strcmp(key, name) != 0)
            vz_json_measure(value, VZ_DOCUMENT_INDENT, 2, &size);
    return size;
}

/* All attributes of a node stand in one document, which must be one that is read again. Replaced
 * values are counted in the size until that matters. */
static bool has_room(vz_node *node, const char *name, const vz_json *value, vz_error *err)
{
    vz_json_size more = {0};
    vz_json_measure(value, VZ_DOCUMENT_INDENT, 2, &more);
    if (node->attributes_size.values == 0)
        node->attributes_size = size_of_others(node, NULL);
    if (add_size(&node->attributes_size, more))
        return true;
    node->attributes_size = size_of_others(node, name);
    if (add_size(&node->attributes_size, more))
        return true;
    node->attributes_size = (vz_json_size){0};
    return vz_fail(err, VZ_LIMIT,
                   "with \"%.200s\" the attributes of the object would have more than %zu values or %zu bytes", name,
                   VZ_ATTRIBUTES_MAX_VALUES, VZ_ATTRIBUTES_MAX_SIZE);
}

bool vz_node_set_attribute(vz_node *node, const char *name, vz_json *take, vz_error *err)
{
    if (!take || !has_room(node, name, take, err) || !begin_change(node, name, err)) {
        vz_json_free(take);
        return false;
    }
    if (vz_deferred_is(node, name))
        vz_deferred_drop(node);
    const bool is_new = !vz_json_get(node->attributes, name);
    const bool ok = vz_json_set(node->attributes, name, take, err);
    if (ok && is_new)
        vz_attributes_order_added(node, name);
    return ok;
}

bool vz_node_defer_attribute(vz_node *node, const char *name, const vz_deferred_class *class, void *value,
                             vz_error *err)
{
    const bool is_ready = vz_deferred_is(node, name) || vz_deferred_render(node, err);
    if (is_ready && vz_node_set_attribute(node, name, vz_json_null(err), err))
        return vz_deferred_put(node, name, class, value, err);
    class->free(value);
    return false;
}

static bool check_present(const vz_node *node, const char *name, vz_error *err)
{
    return vz_json_get(node->attributes, name) || vz_fail(err, VZ_NOT_FOUND, "there is no attribute \"%.200s\"", name);
}

bool vz_node_remove_attribute(vz_node *node, const char *name, vz_error *err)
{
    if (!check_present(node, name, err) || !begin_change(node, name, err))
        return false;
    if (vz_deferred_is(node, name))
        vz_deferred_drop(node);
    vz_attributes_order_leaves(node, name);
    return vz_json_remove(node->attributes, name);
}

bool vz_node_rename_attribute(vz_node *node, const char *from, const char *to, vz_error *err)
{
    if (!check_present(node, from, err) || (vz_deferred_is(node, from) && !vz_deferred_render(node, err)))
        return false;
    if (vz_json_get(node->attributes, to))
        return vz_fail(err, VZ_EXISTS, "there is an attribute \"%.200s\"", to);
    if (!begin_change(node, from, err) || !begin_change(node, to, err))
        return false;
    vz_attributes_order_leaves(node, from);
    const bool ok = vz_json_rename(node->attributes, from, to, err);
    vz_attributes_order_added(node, ok ? to : from);
    return ok;
}

bool vz_node_annotated(vz_node *node, vz_error *err)
{
    struct vz_unwritten *unwritten = vz_node_check_writable(node, err) ? vz_unwritten_of(node, err) : NULL;
    if (unwritten)
        unwritten->annotation = true;
    return unwritten != NULL;
}

bool vz_node_meta_changed(vz_node *node, vz_error *err)
{
    if (!vz_node_understood(node))
        return vz_node_fail_meta(node, err);
    struct vz_unwritten *unwritten = vz_node_check_writable(node, err) ? vz_unwritten_of(node, err) : NULL;
    if (unwritten)
        unwritten->meta = true;
    return unwritten != NULL;
}
