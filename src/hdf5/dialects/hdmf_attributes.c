/* hdmf_attributes.c - attributes that the hdmf dialect stores otherwise. */
#include "hdf5/dialects/hdmf_internal.h"

#include "hierarchy/resolve/token.h"
#include "hdf5/types/elements.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/references.h"

#define DTYPE        "zarr_dtype"
#define REFERENCE_V3 "_REFERENCE"

/* ---- .specloc ---- */

/* The path of a reference that says no more than that, less its first slash; NULL: it says more. */
static const char *text_of_reference(const vz_json *json)
{
    const vz_json *reference = vz_elements_references(json);
    const char *path = vz_json_get_string(vz_json_get(reference, "path"), NULL);
    const bool is_here = vz_json_is(vz_json_get(reference, "source"), ".") && vz_json_length(reference) <= 4;
    return reference != json && is_here && path && *path == '/' && path[1] ? path + 1 : NULL;
}

/* ---- references in format 3 ---- */

/* {"_REFERENCE": {"source": ".", "path": path}} */
static vz_json *reference_of_v3(const char *path, vz_error *err)
{
    vz_json *json = vz_json_object(err), *reference = json ? vz_json_object(err) : NULL;
    bool ok =
        reference && vz_json_set_text(reference, "source", ".", err) && vz_json_set_text(reference, "path", path, err);
    if (ok) {
        ok = vz_json_set(json, REFERENCE_V3, reference, err);
        reference = NULL;
    }
    if (ok)
        return json;
    vz_json_free(reference);
    vz_json_free(json);
    return NULL;
}

/* *made: how format 3 has the value of an attribute; NULL: as it is. */
static bool to_v3(const vz_json *json, vz_json **made, vz_error *err)
{
    const vz_json *reference = vz_elements_references(json);
    const char *path = reference != json ? vz_reference_bare_path(reference) : NULL;
    *made = NULL;
    if (!path)
        return true;
    *made = reference_of_v3(path, err);
    return *made != NULL;
}

static bool finish_form(vz_node *node, const char *name, const vz_json *value, vz_error *err)
{
    vz_json *made;
    if (!to_v3(value, &made, err))
        return false;
    if (made && !vz_json_equal(made, value))
        return vz_node_set_attribute(node, name, made, err);
    vz_json_free(made);
    return true;
}

bool vz_hdmf_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err)
{
    const char *path = vz_hdmf_is_specloc(node, name) ? text_of_reference(*json) : NULL;
    if (!path)
        return vz_dialect_zarr_dtype_store_attribute(node, name, json, entry, err);
    vz_json *text = vz_json_text(path, err);
    if (!text)
        return false;
    vz_json_free(*json);
    *json = text;
    return true;
}

bool vz_hdmf_store_attribute_v3(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err)
{
    vz_json *made;
    if (vz_hdmf_is_specloc(node, name))
        return vz_hdmf_store_attribute(node, name, json, entry, err);
    if (!to_v3(*json, &made, err))
        return false;
    if (made) {
        vz_json_free(*json);
        *json = made;
    }
    return true;
}

/* Written as a reference before the store turned out to be HDMF's. */
static bool finish_specloc(vz_node *root, vz_error *err)
{
    const char *path = text_of_reference(vz_node_attribute(root, VZ_HDMF_SPECLOC));
    vz_json *text = path ? vz_json_text(path, err) : NULL;
    return !path || (text && vz_node_set_attribute(root, VZ_HDMF_SPECLOC, text, err));
}

/* ---- names of types in format 3 ---- */

/* The names of members that are references; NULL: none, or no memory. */
static vz_json *reference_fields(const vz_json *members, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < vz_json_length(members); i++) {
        const vz_json *member = vz_json_at(members, i);
        if (vz_json_is(vz_json_get(member, "dtype"), "object") &&
            !vz_json_append(list, vz_json_copy(vz_json_get(member, "name"), err), err)) {
            vz_json_free(list);
            return NULL;
        }
    }
    return list;
}

bool vz_hdmf_set_dtype_v3(vz_node *node, vz_json *take, vz_error *err)
{
    vz_json *fields = NULL;
    if (vz_json_is(take, "object")) {
        vz_json_free(take);
        take = vz_json_text("object_reference", err);
    } else if (vz_json_kind_of(take) == VZ_JSON_ARRAY) {
        fields = reference_fields(take, err);
        vz_json_free(take);
        if (fields && vz_json_length(fields) > 0)
            return vz_node_set_attribute(node, "_REFERENCE_FIELDS", fields, err);
        vz_json_free(fields);
        return fields != NULL;
    }
    return take && vz_node_set_attribute(node, "_DTYPE", take, err);
}

/* ---- references ---- */

/* One, or lists of them. */
static bool complete(vz_hierarchy *hierarchy, vz_json *value, bool *changed, vz_error *err)
{
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY)
        return vz_reference_complete(hierarchy, value, changed, err);
    for (size_t i = 0; i < vz_json_length(value); i++)
        if (!complete(hierarchy, vz_json_at(value, i), changed, err))
            return false;
    return true;
}

static bool update_references(vz_node *node, const char *name, const vz_json *value, vz_error *err)
{
    bool changed = false;
    if (vz_elements_references(value) == value)
        return true;
    vz_json *copy = vz_json_copy(value, err);
    vz_json *inner = copy ? vz_json_get(copy, vz_json_get(copy, DTYPE) ? "value" : REFERENCE_V3) : NULL;
    if (inner && complete(node->hierarchy, inner, &changed, err) && changed)
        return vz_node_set_attribute(node, name, copy, err);
    vz_json_free(copy);
    return copy != NULL && !changed;
}

/* ---- what hdmf-zarr must not see ---- */

/* hdmf-zarr reads what an attribute refers to at once, with all below it, and so would come here
 * again without end. */
static bool leads_to_itself(const vz_node *node, const vz_json *reference)
{
    vz_error ignored = VZ_ERROR_NONE;
    const uint64_t token = vz_reference_target(node->hierarchy, reference, &ignored);
    const vz_node *target = token ? vz_token_node(node->hierarchy, token, &ignored) : NULL;
    while (target && node && node != target)
        node = node->parent;
    return target && node;
}

/* null; a reference that leads nowhere or back to where it stands, or a list of them; what only
 * looks like one. */
static bool is_obstacle(const vz_node *node, const vz_json *value)
{
    if (vz_json_kind_of(value) == VZ_JSON_NULL)
        return true;
    if (!vz_json_get(value, DTYPE) && !vz_json_get(value, REFERENCE_V3))
        return false;
    const vz_json *reference = vz_elements_references(value);
    return reference == value || vz_json_kind_of(reference) != VZ_JSON_OBJECT ||
           !vz_reference_is_here(node->hierarchy, vz_json_get(reference, "source")) ||
           !vz_reference_has_target(node->hierarchy, reference) || leads_to_itself(node, reference);
}

/* [place, name, value] */
static bool add_unseen(vz_json *list, size_t place, const char *name, const vz_json *value, vz_error *err)
{
    vz_json *item = vz_json_array(err);
    if (item && vz_json_append(item, vz_json_uint64(place, err), err) &&
        vz_json_append(item, vz_json_text(name, err), err) && vz_json_append(item, vz_json_copy(value, err), err))
        return vz_json_append(list, item, err);
    vz_json_free(item);
    return false;
}

static bool finish_unseen(vz_node *node, vz_error *err)
{
    const vz_json *now = vz_json_get(node->annotation, VZ_ANNOTATION_UNSEEN);
    vz_json *list = vz_json_array(err), *value;
    const char *name;
    bool ok = list != NULL;
    for (size_t i = 0; ok && vz_json_member(node->attributes, i, &name, &value); i++)
        ok = !is_obstacle(node, value) || add_unseen(list, i, name, value, err);
    const bool same = now ? vz_json_equal(now, list) : vz_json_length(list) == 0;
    if (ok && !same && vz_json_length(list) > 0)
        return vz_annotation_set(node, VZ_ANNOTATION_UNSEEN, list, err);
    vz_json_free(list);
    return ok && (same || vz_annotation_set(node, VZ_ANNOTATION_UNSEEN, NULL, err));
}

bool vz_hdmf_update_references(vz_node *node, vz_error *err)
{
    const char *name;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &name, &value); i++)
        if (!update_references(node, name, value, err))
            return false;
    return true;
}

bool vz_hdmf_finish_attributes(vz_node *node, vz_error *err)
{
    return (node != vz_hierarchy_root(node->hierarchy) || finish_specloc(node, err)) && finish_unseen(node, err);
}

bool vz_hdmf_finish_attributes_v3(vz_node *node, vz_error *err)
{
    const char *name;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &name, &value); i++)
        if (!finish_form(node, name, value, err))
            return false;
    return vz_hdmf_finish_attributes(node, err);
}
