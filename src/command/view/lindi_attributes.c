/* lindi_attributes.c - attributes in LINDI's files: text, numbers, booleans, lists of these, and
 * object references. Types of numbers and text are not kept. */
#include "command/view/view_internal.h"
#include <math.h>
#include <stdlib.h>

#define REFERENCE  "_REFERENCE"
#define DTYPE      "zarr_dtype"
#define DEPTH_MAX  32 /* of lists: HDF5 has no more dimensions */
#define NULL_SPACE "null"

/* Of this connector, for other programs. */
static bool is_ours(const vz_node *node, const char *name)
{
    return strcmp(name, DTYPE) == 0 || strcmp(name, "zarr_link") == 0 ||
           (strcmp(name, VZ_ARRAY_DIMENSIONS) == 0 && vz_json_get(node->annotation, VZ_NOTE_DIMENSIONS));
}

/* LINDI's reader shows none of these. */
static bool is_convention(const char *name)
{
    static const char *const names[] = {"_SCALAR", "_COMPOUND_DTYPE", REFERENCE, "_EXTERNAL_ARRAY_LINK", "_SOFT_LINK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* ---- values ---- */

/* HDMF's id of an object; NULL: it has none. */
static const char *id_of(const vz_node *node)
{
    return node ? vz_json_get_string(vz_node_attribute(node, "object_id"), NULL) : NULL;
}

/* References are copied before the ids that they have with HDMF may be there. */
static bool complete(vz_hierarchy *hierarchy, vz_json *reference, const char *member, const char *path, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(hierarchy);
    if (vz_json_get_string(vz_json_get(reference, member), NULL))
        return true;
    vz_error none = VZ_ERROR_NONE; /* the object need not be there */
    const char *id = id_of(*path ? vz_view_follow(root, path, &none) : root);
    return id ? vz_json_set_text(reference, member, id, err) : vz_json_set(reference, member, vz_json_null(err), err);
}

vz_json *vz_view_lindi_reference(vz_hierarchy *hierarchy, vz_json *take, vz_error *err)
{
    const char *path = vz_json_get_text(take, "path");
    vz_json *made = path ? vz_json_object(err) : NULL;
    const bool ok = made && complete(hierarchy, take, "object_id", path, err) &&
                    complete(hierarchy, take, "source_object_id", "", err);
    if (ok && vz_json_set(made, REFERENCE, take, err))
        return made;
    if (!ok)
        vz_json_free(take);
    vz_json_free(made);
    return NULL;
}

/* A number that JSON has no form for is the text by which LINDI knows it. */
static vz_json *print_number(const vz_json *value, vz_error *err)
{
    double number;
    if (vz_json_kind_of(value) == VZ_JSON_REAL && vz_json_get_double(value, &number) && !isfinite(number))
        return vz_json_text(isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity", err);
    return vz_json_copy(value, err);
}

static vz_json *print_value(const vz_json *value, unsigned depth, vz_error *err);

static vz_json *print_list(const vz_json *value, unsigned depth, vz_error *err)
{
    vz_json *list = depth < DEPTH_MAX ? vz_json_array(err) : NULL;
    for (size_t i = 0; list && i < vz_json_length(value); i++)
        if (!vz_json_append(list, print_value(vz_json_at(value, i), depth + 1, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

/* NULL, perhaps without an error: there is no form for it. */
static vz_json *print_value(const vz_json *value, unsigned depth, vz_error *err)
{
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_STRING:
        return vz_json_is(value, "NaN") || vz_json_is(value, "Infinity") || vz_json_is(value, "-Infinity")
                   ? NULL
                   : vz_json_copy(value, err);
    case VZ_JSON_INTEGER:
    case VZ_JSON_REAL:
        return print_number(value, err);
    case VZ_JSON_TRUE:
    case VZ_JSON_FALSE:
        return vz_json_copy(value, err);
    case VZ_JSON_ARRAY:
        return print_list(value, depth, err);
    default:
        return NULL;
    }
}

/* {"zarr_dtype": "object", "value": reference} */
static vz_json *print_reference(const vz_node *node, const vz_json *value, const vz_json *type, vz_error *err)
{
    const vz_json *reference = vz_json_get(value, "value");
    if (!vz_json_is(vz_json_get(value, DTYPE), "object") || vz_json_kind_of(reference) != VZ_JSON_OBJECT ||
        !vz_json_get_text(reference, "path") || !vz_json_is(vz_json_get(reference, "source"), ".") ||
        (type && !vz_json_is(vz_json_get(type, "ref"), "obj")))
        return NULL;
    return vz_view_lindi_reference(node->hierarchy, vz_json_copy(reference, err), err);
}

static vz_json *print(const vz_node *node, const vz_json *value, const vz_json *entry, vz_error *err)
{
    const vz_json *type = vz_json_get(entry, "t");
    if (vz_json_get(entry, "b") || vz_json_is(vz_json_get(entry, "s"), NULL_SPACE))
        return NULL;
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT)
        return print_reference(node, value, type, err);
    if (type && !vz_json_get_string(type, NULL) && !vz_json_get(type, "str") && !vz_json_get(type, "enum"))
        return NULL;
    return print_value(value, 0, err);
}

/* ---- all of a node ---- */

static bool refuse(const char *name, const char *path, vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED,
                   "LINDI has no form for the attribute \"%.200s\" of %.300s: another name in .json than one in "
                   ".lindi.json makes a reference file that has",
                   name, path);
}

static bool add(const vz_node *node, const char *path, const char *name, const vz_json *value, vz_json *object,
                vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (is_convention(name) || vz_json_get(vz_json_get(node->annotation, "an"), name))
        return refuse(name, path, err);
    vz_json *made = print(node, value, vz_json_get(vz_json_get(node->annotation, "a"), name), &failed);
    if (!made)
        return failed.class == VZ_NO_MEMORY ? vz_fail_memory(err) : refuse(name, path, err);
    return vz_json_set(object, name, made, err);
}

vz_json *vz_view_lindi_attributes(const vz_node *node, const char *path, vz_error *err)
{
    const char *name;
    vz_json *value, *object = vz_json_object(err);
    for (size_t i = 0; object && vz_json_member(node->attributes, i, &name, &value); i++)
        if (!is_ours(node, name) && !add(node, path, name, value, object, err)) {
            vz_json_free(object);
            return NULL;
        }
    return object;
}
