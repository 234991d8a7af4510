/* zarr_dtype.c - the attribute zarr_dtype, and the hidden attributes. */
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/dialects/hdmf_internal.h"
#include <string.h>

const char *const vz_hidden_attributes[VZ_HIDDEN_ATTRIBUTES + 1] = {
    "_HDF5",
    "zarr_dtype",
    "zarr_link",
    "_LINKS",
    "_DTYPE",
    "_REFERENCE_FIELDS",
    "_ARRAY_DIMENSIONS",
    "_SCALAR",
    "_COMPOUND_DTYPE",
    "_EXTERNAL_ARRAY_LINK",
    NULL,
};

const char *const vz_hidden_netcdf_attributes[] = {
    "_ARRAY_DIMENSIONS",  "_nczarr_array", "_nczarr_attr", "_nczarr_group",
    "_nczarr_superblock", "_NCZARR_ARRAY", "_NCZARR_ATTR", NULL,
};

static vz_json *number_name(const vz_dtype *dtype, const char *kind, vz_error *err)
{
    char name[32];
    const size_t length = strlen(kind); /* "int", "uint", "float" and the like */
    memcpy(name, kind, length);
    vz_decimal(8 * (uint64_t)dtype->size, name + length);
    return vz_json_text(name, err);
}

static vz_json *member_entry(const vz_dtype_field *field, const vz_type_tree *layout, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (entry && vz_json_set_text(entry, "name", field->name, err) &&
        vz_json_set(entry, "dtype", vz_dialect_zarr_dtype_of_element(field->dtype, layout, true, err), err))
        return entry;
    vz_json_free(entry);
    return NULL;
}

/* [{"name": ..., "dtype": ...}, ...]; array members are opaque to hdmf-zarr. */
static vz_json *member_list(const vz_dtype *dtype, const vz_type_tree *layout, vz_error *err)
{
    if (layout->class != H5T_COMPOUND)
        return vz_json_text("void", err);
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < dtype->field_count && i < layout->count; i++)
        if (!vz_json_append(list, member_entry(&dtype->fields[i], layout->members[i].layout, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

vz_json *vz_dialect_zarr_dtype_of_element(const vz_dtype *dtype, const vz_type_tree *layout, bool inside, vz_error *err)
{
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
        return vz_json_text("bool", err);
    case VZ_DTYPE_INT:
        return number_name(dtype, "int", err);
    case VZ_DTYPE_UINT:
        return number_name(dtype, "uint", err);
    case VZ_DTYPE_FLOAT:
        return number_name(dtype, "float", err);
    case VZ_DTYPE_COMPLEX:
        return number_name(dtype, "complex", err);
    case VZ_DTYPE_BYTES:
        return vz_json_text("bytes_", err);
    case VZ_DTYPE_UNICODE:
        return vz_json_text(layout->is_reference ? "object" : "str_", err);
    case VZ_DTYPE_NARROW:
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        return vz_dtype_print_v2(dtype, err);
    case VZ_DTYPE_STRUCT:
        return member_list(dtype, layout, err);
    case VZ_DTYPE_OBJECT:
        if (layout->is_reference)
            return vz_json_text("object", err);
        if (dtype->object == VZ_OBJECT_TEXT)
            return vz_json_text(inside ? "str_" : "str", err);
        return vz_json_text(layout->class == H5T_STRING ? "bytes" : "void", err);
    default:
        return vz_json_text("void", err);
    }
}

vz_json *vz_dialect_zarr_dtype_new(const vz_dtype *dtype, const vz_type_tree *layout, bool scalar, vz_error *err)
{
    return scalar && !layout->is_reference ? vz_json_text("scalar", err)
                                           : vz_dialect_zarr_dtype_of_element(dtype, layout, false, err);
}

bool vz_dialect_dtype_is_scalar(const vz_json *zarr_dtype)
{
    return vz_json_is(zarr_dtype, "scalar");
}

vz_json *vz_dialect_zarr_dtype_of_null(vz_error *err)
{
    return vz_json_text("void", err);
}

bool vz_dialect_zarr_dtype_set(vz_node *node, vz_json *take, vz_error *err)
{
    return vz_node_set_attribute(node, "zarr_dtype", take, err);
}

bool vz_dialect_zarr_dtype_not_set(vz_node *node, vz_json *take, vz_error *err)
{
    (void)node, (void)err;
    vz_json_free(take);
    return true;
}

/* hdmf_read.c would take the text for a path. */
bool vz_dialect_zarr_dtype_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry,
                                           vz_error *err)
{
    static const char text_type[] = "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}";
    if (!vz_hdmf_is_specloc(node, name) || vz_json_kind_of(*json) != VZ_JSON_STRING || vz_json_get(*entry, "t"))
        return true;
    if (!*entry)
        *entry = vz_json_object(err);
    return *entry && vz_json_set(*entry, "t", vz_json_parse(text_type, strlen(text_type), err), err);
}
