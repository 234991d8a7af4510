/* hdmf_read.c - facts about an array in hdmf-zarr's attributes. */
#include "hdf5/dialects/hdmf_internal.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/references/references.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

#define NAMES_MAX_DEPTH 16 /* compounds within compounds */

/* Stores of hdmf-zarr's development branch have the older name in format 3, too. */
static const vz_json *named_dtype(const vz_node *node)
{
    const vz_json *named = vz_node_attribute(node, vz_dialect_zarr_names_of(node->zarr_format)->dtype);
    return named ? named : vz_node_attribute(node, "zarr_dtype");
}

static bool is_reference(const vz_json *name)
{
    return vz_json_is(name, "object") || vz_json_is(name, "object_reference");
}

/* Is text, or what a value of JSON can be text of, in the elements? */
static bool may_be_text(const vz_dtype *dtype)
{
    if (dtype->kind == VZ_DTYPE_OBJECT)
        return (dtype->object == VZ_OBJECT_TEXT || dtype->object == VZ_OBJECT_JSON) && !dtype->item;
    return dtype->kind == VZ_DTYPE_UNICODE;
}

/* ---- names of types ---- */

static hid_t type_named(const vz_json *name, unsigned depth);

/* "int32", "uint8", "float64", "int" ... */
static bool number_named(const char *name, vz_number_format *number)
{
    static const struct {
        const char *prefix;
        vz_number_kind kind;
    } kinds[] = {{"int", VZ_NUMBER_INT}, {"uint", VZ_NUMBER_UINT}, {"float", VZ_NUMBER_FLOAT}};
    static const struct {
        const char *bits;
        size_t size;
    } sizes[] = {{"", 8}, {"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t length = strlen(kinds[k].prefix);
        for (size_t s = 0; strncmp(name, kinds[k].prefix, length) == 0 && s < sizeof sizes / sizeof *sizes; s++)
            if (strcmp(name + length, sizes[s].bits) == 0 && (kinds[k].kind != VZ_NUMBER_FLOAT || sizes[s].size > 1)) {
                *number = (vz_number_format){kinds[k].kind, sizes[s].size, false};
                return true;
            }
    }
    return false;
}

/* "<f8" and the like: what numpy calls numbers. */
static hid_t type_spelled(const vz_json *name)
{
    hid_t type = H5I_INVALID_HID;
    vz_dtype *dtype = vz_dtype_parse_v2(name, NULL, NULL);
    if (dtype && (vz_dtype_is_number(dtype) || dtype->kind == VZ_DTYPE_BOOL))
        type = vz_type_to_hdf5(dtype, NULL);
    vz_dtype_free(dtype);
    return type;
}

static bool append(hid_t *compound, const char *name, hid_t member)
{
    return vz_type_make_next_member(compound, name, member, NULL);
}

static hid_t compound_named(const vz_json *names, unsigned depth)
{
    hid_t compound = H5I_INVALID_HID;
    for (size_t i = 0; depth < NAMES_MAX_DEPTH && i < vz_json_length(names); i++) {
        const vz_json *entry = vz_json_at(names, i), *dtype = vz_json_get(entry, "dtype");
        const char *name = vz_json_get_string(vz_json_get(entry, "name"), NULL);
        if (name && dtype && append(&compound, name, type_named(dtype, depth + 1)))
            continue;
        if (compound >= 0)
            H5Tclose(compound);
        return H5I_INVALID_HID;
    }
    return compound;
}

/* Whatever is no number is text: names for that are many, and some writers' own. */
static hid_t type_named(const vz_json *name, unsigned depth)
{
    vz_number_format number;
    if (vz_json_kind_of(name) == VZ_JSON_ARRAY)
        return compound_named(name, depth);
    const char *text = vz_json_get_string(name, NULL);
    if (!text)
        return H5I_INVALID_HID;
    if (is_reference(name))
        return vz_type_make_old_reference(NULL);
    if (number_named(text, &number))
        return vz_type_make_number(number, NULL);
    if (strcmp(text, "bool") == 0 || strcmp(text, "bool_") == 0)
        return vz_type_make_bool(NULL);
    if (strncmp(text, "bytes", 5) == 0)
        return vz_type_make_string(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII, NULL);
    const hid_t type = type_spelled(name);
    return type >= 0 ? type : vz_type_make_text(NULL);
}

/* ---- structures ---- */

static const vz_json *name_of_member(const vz_json *names, const char *member)
{
    for (size_t i = 0; i < vz_json_length(names); i++)
        if (vz_json_is(vz_json_get(vz_json_at(names, i), "name"), member))
            return vz_json_get(vz_json_at(names, i), "dtype");
    return NULL;
}

static bool lists(const vz_json *names, const char *member)
{
    for (size_t i = 0; i < vz_json_length(names); i++)
        if (vz_json_is(vz_json_at(names, i), member))
            return true;
    return false;
}

/* The structure's own compound, but for the members that the attributes tell of. */
static hid_t compound_of(const vz_dtype *record, const vz_json *names, const vz_json *references)
{
    hid_t compound = H5I_INVALID_HID;
    for (size_t i = 0; i < record->field_count; i++) {
        const vz_dtype_field *field = &record->fields[i];
        const vz_json *name = name_of_member(names, field->name);
        hid_t member = H5I_INVALID_HID;
        if (field->rank == 0 && may_be_text(field->dtype) && (is_reference(name) || lists(references, field->name)))
            member = vz_type_make_old_reference(NULL);
        else if (name && field->rank == 0 && field->dtype->kind == VZ_DTYPE_OBJECT)
            member = type_named(name, 0);
        else
            member = vz_type_of_field(field, NULL);
        if (append(&compound, field->name, member))
            continue;
        if (compound >= 0)
            H5Tclose(compound);
        return H5I_INVALID_HID;
    }
    return compound;
}

/* ---- byte strings ---- */

/* Where text was meant HDF5 shows it as such. Our own stores say so in "t"; earlier ones left it
 * out for text that is no UTF-8 in a string of ASCII. */
static hid_t type_of_bytes(const vz_node *node, const vz_json *named)
{
    const char *name = vz_json_get_string(named, NULL);
    if (!name || strcmp(name, "void") == 0)
        return H5I_INVALID_HID;
    if (vz_hierarchy_is_ours(node->hierarchy) || strncmp(name, "bytes", 5) == 0 || strcmp(name, "string_") == 0)
        return vz_type_make_string(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII, NULL);
    return vz_type_make_text(NULL);
}

/* ---- arrays ---- */

static hid_t type_by(const vz_dtype *dtype, const vz_json *named, const vz_json *references)
{
    const bool names = vz_json_kind_of(named) == VZ_JSON_ARRAY && vz_json_length(named) > 0;
    const bool values = dtype->kind == VZ_DTYPE_OBJECT && dtype->object == VZ_OBJECT_JSON;
    if (dtype->kind == VZ_DTYPE_STRUCT)
        return compound_of(dtype, names ? named : NULL, references);
    if (values && dtype->item)
        return compound_of(dtype->item, names ? named : NULL, references);
    if (is_reference(named) && may_be_text(dtype))
        return vz_type_make_old_reference(NULL);
    return values && names ? compound_named(named, 0) : H5I_INVALID_HID;
}

hid_t vz_hdmf_type_named(const vz_dtype *dtype, const vz_json *zarr_dtype)
{
    return type_by(dtype, zarr_dtype, NULL);
}

hid_t vz_hdmf_type(const vz_node *node)
{
    const vz_dtype *dtype = node->meta->dtype;
    const vz_json *named = named_dtype(node), *references = vz_node_attribute(node, "_REFERENCE_FIELDS");
    if (!named && !references)
        return H5I_INVALID_HID;
    if (dtype->kind == VZ_DTYPE_OBJECT && dtype->object == VZ_OBJECT_BYTES)
        return type_of_bytes(node, named);
    return type_by(dtype, named, references);
}

bool vz_hdmf_is_scalar(const vz_node *node, unsigned rank)
{
    bool truth = false;
    if (rank != 1 || node->meta->shape[0] != 1)
        return false;
    const vz_json *dims = vz_json_get(vz_annotation_get(node, "s"), "d");
    if (dims)
        return vz_json_length(dims) == 0;
    return vz_json_is(named_dtype(node), "scalar") ||
           (vz_json_get_bool(vz_node_attribute(node, "_SCALAR"), &truth) && truth);
}

/* Ours have as many rows as they seem to: in stores of others they say so, having an annotation. */
bool vz_hdmf_repeats_rows(const vz_node *node)
{
    const vz_meta *meta = node->meta;
    const vz_json *named = named_dtype(node);
    return !vz_hierarchy_is_ours(node->hierarchy) && vz_json_length(node->annotation) == 0 && meta->rank == 2 &&
           meta->dtype->kind == VZ_DTYPE_STRUCT && meta->dtype->object == VZ_OBJECT_NONE &&
           meta->shape[1] == meta->dtype->field_count && vz_json_kind_of(named) == VZ_JSON_ARRAY &&
           vz_json_length(named) == meta->dtype->field_count;
}

/* ---- attributes ---- */

bool vz_hdmf_is_specloc(const vz_node *node, const char *name)
{
    return node == vz_hierarchy_root(node->hierarchy) && strcmp(name, VZ_HDMF_SPECLOC) == 0;
}

vz_json *vz_hdmf_attribute(const vz_node *node, const char *name, const vz_json *value)
{
    vz_node *root = vz_hierarchy_root(node->hierarchy);
    const char *path = vz_json_get_string(value, NULL);
    if (!path || !vz_hdmf_is_specloc(node, name))
        return NULL;
    const vz_json *type = vz_json_get(vz_json_get(vz_json_get(node->annotation, "a"), name), "t");
    if (type && !vz_json_get(type, "ref")) /* a text that a program called so */
        return NULL;
    char *target = *path ? vz_source_path(root, path, NULL) : NULL;
    vz_json *shown = target ? vz_json_object(NULL) : NULL;
    const bool ok = shown && vz_json_set_text(shown, "_REFERENCE", target, NULL);
    free(target);
    if (ok)
        return shown;
    vz_json_free(shown);
    return NULL;
}
