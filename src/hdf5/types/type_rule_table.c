/* type_rule_table.c - the rules between HDF5 types and Zarr dtypes, one a row. The first row
 * that matches counts, in both directions. */
#include "hdf5/types/types_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* h5py's tag of what numpy has and HDF5 lacks, followed by numpy's type text */
#define NUMPY_TAG "NUMPY:"

const char *vz_type_field_name(size_t index, char buffer[24])
{
    snprintf(buffer, 24, "%zu", index);
    return buffer;
}

/* ---- what matches ---- */

static bool is_signed(const vz_type_tree *layout)
{
    return layout->is_number && layout->number.kind == VZ_NUMBER_INT;
}

static bool is_number(const vz_type_tree *layout)
{
    return layout->is_number;
}

static bool is_narrow(const vz_type_tree *layout)
{
    return layout->narrow != VZ_NARROW_NONE;
}

static bool is_bool(const vz_type_tree *layout)
{
    return layout->is_bool;
}

static bool is_complex(const vz_type_tree *layout)
{
    return layout->is_complex;
}

static bool is_fixed(const vz_type_tree *layout)
{
    return !layout->is_variable;
}

/* The dtype named in a tag, or NULL (no error). */
static vz_dtype *time_of_tag(const vz_type_tree *layout)
{
    if (strncmp(layout->tag, NUMPY_TAG, strlen(NUMPY_TAG)) != 0)
        return NULL;
    vz_json *text = vz_json_text(layout->tag + strlen(NUMPY_TAG), NULL);
    vz_dtype *dtype = text ? vz_dtype_parse_v2(text, NULL, NULL) : NULL;
    vz_json *again = dtype ? vz_dtype_print_v2(dtype, NULL) : NULL;
    const bool exact = again && vz_json_equal(text, again) && dtype->size == layout->size;
    vz_json_free(text);
    vz_json_free(again);
    if (exact && (dtype->kind == VZ_DTYPE_DATETIME || dtype->kind == VZ_DTYPE_TIMEDELTA))
        return dtype;
    vz_dtype_free(dtype);
    return NULL;
}

static bool is_time(const vz_type_tree *layout)
{
    vz_dtype *dtype = time_of_tag(layout);
    vz_dtype_free(dtype);
    return dtype != NULL;
}

/* ---- to Zarr ---- */

static vz_dtype *number_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    static const vz_dtype_kind kinds[] = {
        [VZ_NUMBER_INT] = VZ_DTYPE_INT,
        [VZ_NUMBER_UINT] = VZ_DTYPE_UINT,
        [VZ_NUMBER_FLOAT] = VZ_DTYPE_FLOAT,
    };
    const vz_number_format number = layout->number;
    return vz_dtype_new(kinds[number.kind], number.size, number.big_endian && !context.little, err);
}

static vz_dtype *raw_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)context;
    return vz_dtype_new(VZ_DTYPE_RAW, layout->size, false, err);
}

/* Numbers of odd forms keep their bytes, in an integer where one has the size. */
static vz_dtype *container_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    const size_t size = layout->size;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return raw_to_zarr(layout, context, err);
    const bool big = layout->exotic >= 0 && H5Tget_order(layout->exotic) == H5T_ORDER_BE;
    const bool is_int = layout->class == H5T_INTEGER && H5Tget_sign(layout->exotic) == H5T_SGN_2;
    return vz_dtype_new(is_int ? VZ_DTYPE_INT : VZ_DTYPE_UINT, size, big, err);
}

/* Inside a structure no other program would know the word. */
static vz_dtype *narrow_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    if (!context.narrow || context.inside)
        return container_to_zarr(layout, context, err);
    return vz_dtype_new_narrow(layout->narrow, H5Tget_order(layout->exotic) == H5T_ORDER_BE, err);
}

static vz_dtype *bool_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)layout;
    (void)context;
    return vz_dtype_new(VZ_DTYPE_BOOL, 1, false, err);
}

static vz_dtype *complex_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    const vz_type_tree *half = layout->base ? layout->base : layout->members[0].layout;
    return vz_dtype_new(VZ_DTYPE_COMPLEX, layout->size, half->number.big_endian && !context.little, err);
}

static vz_dtype *bytes_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)context;
    return vz_dtype_new(VZ_DTYPE_BYTES, layout->size, false, err);
}

static vz_dtype *object_of(vz_dtype_object_kind kind, vz_error *err)
{
    vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_OBJECT, 0, false, err);
    if (dtype)
        dtype->object = kind;
    return dtype;
}

static vz_dtype *text_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)layout;
    if (context.inside)
        return vz_dtype_new(VZ_DTYPE_UNICODE, 4, false, err);
    return object_of(VZ_OBJECT_TEXT, err);
}

static vz_dtype *sequence_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)layout;
    (void)context;
    return object_of(VZ_OBJECT_BYTES, err);
}

static vz_dtype *time_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    (void)context;
    vz_dtype *dtype = time_of_tag(layout);
    if (!dtype)
        vz_fail_memory(err);
    return dtype;
}

static vz_dtype *struct_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    context.inside = true;
    vz_dtype *record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    for (size_t i = 0; record && i < layout->count; i++) {
        const vz_type_tree_member *member = &layout->members[i];
        vz_dtype *dtype = vz_type_to_zarr(member->layout, context, err);
        if (dtype && vz_dtype_add_field(record, member->name, dtype, 0, NULL, err))
            continue;
        vz_dtype_free(record);
        return NULL;
    }
    return record;
}

/* A member: zarr-python has no array members, but reads a struct of numbered fields with the
 * same bytes. */
static vz_dtype *array_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    if (layout->count > VZ_NUMBERED_FIELDS_MAX)
        return raw_to_zarr(layout, context, err);
    char name[24];
    context.inside = true;
    vz_dtype *record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    for (size_t i = 0; record && i < layout->count; i++) {
        vz_dtype *dtype = vz_type_to_zarr(layout->base, context, err);
        if (!dtype || !vz_dtype_add_field(record, vz_type_field_name(i, name), dtype, 0, NULL, err)) {
            vz_dtype_free(record);
            return NULL;
        }
    }
    return record;
}

/* ---- to HDF5 ---- */

static hid_t number_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    vz_number_format number = {VZ_NUMBER_INT, dtype->size, dtype->big_endian};
    if (dtype->kind == VZ_DTYPE_UINT)
        number.kind = VZ_NUMBER_UINT;
    else if (dtype->kind == VZ_DTYPE_FLOAT)
        number.kind = VZ_NUMBER_FLOAT;
    return vz_type_make_number(number, err);
}

static hid_t bool_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    (void)dtype;
    return vz_type_make_bool(err);
}

static hid_t complex_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    return vz_type_make_complex(dtype->size, dtype->big_endian, err);
}

/* HDF5 has no strings and no opaque data of size 0. */
static hid_t bytes_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    return vz_type_make_string(dtype->size ? dtype->size : 1, H5T_STR_NULLPAD, H5T_CSET_ASCII, err);
}

static hid_t raw_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    return vz_type_make_opaque(dtype->size ? dtype->size : 1, "", err);
}

static hid_t time_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    char tag[64];
    vz_json *text = vz_dtype_print_v2(dtype, err);
    if (!text)
        return H5I_INVALID_HID;
    snprintf(tag, sizeof tag, NUMPY_TAG "%s", vz_json_get_string(text, NULL));
    vz_json_free(text);
    return vz_type_make_opaque(dtype->size, tag, err);
}

static hid_t text_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    (void)dtype;
    return vz_type_make_text(err);
}

/* Values of JSON are text, rows of a structure its compound; of other objects nothing is known
 * but the codec's name. */
static hid_t object_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    char tag[64];
    switch (dtype->object) {
    case VZ_OBJECT_TEXT:
        return vz_type_make_text(err);
    case VZ_OBJECT_BYTES: /* a string would end at the first NUL */
        return vz_type_make_sequence(vz_type_make_number((vz_number_format){.kind = VZ_NUMBER_UINT, .size = 1}, err),
                                     err);
    case VZ_OBJECT_JSON:
        return dtype->item ? vz_type_to_hdf5(dtype->item, err) : vz_type_make_text(err);
    case VZ_OBJECT_SEQUENCE:
        return vz_type_make_sequence(vz_type_to_hdf5(dtype->item, err), err);
    default:
        snprintf(tag, sizeof tag, "numcodecs:%.40s", dtype->codec ? dtype->codec : "none");
        return vz_type_make_opaque(1, tag, err);
    }
}

/* h5py writes beyond its memory for compounds with such members (docs/upstream.md). */
static bool is_one_byte_float(const vz_dtype *dtype)
{
    return dtype->kind == VZ_DTYPE_NARROW && dtype->size == 1 &&
           vz_narrow_form_of(dtype->narrow)->special != VZ_NARROW_INTEGER;
}

hid_t vz_type_of_field(const vz_dtype_field *field, vz_error *err)
{
    hid_t type =
        is_one_byte_float(field->dtype) ? vz_type_make_wide(field->dtype, err) : vz_type_to_hdf5(field->dtype, err);
    hsize_t dims[VZ_MAX_RANK];
    for (unsigned d = 0; d < field->rank; d++)
        dims[d] = field->dims[d];
    return field->rank ? vz_type_make_array(type, field->rank, dims, err) : type;
}

/* Packed as numpy packs: each member right behind the one before. */
static hid_t struct_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    hid_t compound = H5I_INVALID_HID;
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        if (vz_type_make_next_member(&compound, field->name, vz_type_of_field(field, err), err))
            continue;
        if (compound >= 0)
            H5Tclose(compound);
        return H5I_INVALID_HID;
    }
    return compound;
}

/* clang-format off */
const vz_type_rule vz_type_rules[] = {
    /* HDF5 class      matches      to Zarr            Zarr kind           to HDF5 */
    {H5T_INTEGER,      is_signed,   number_to_zarr,    VZ_DTYPE_INT,       number_to_hdf5},
    {H5T_INTEGER,      is_number,   number_to_zarr,    VZ_DTYPE_UINT,      number_to_hdf5},
    {H5T_INTEGER,      is_narrow,   narrow_to_zarr,    VZ_DTYPE_NARROW,    vz_type_make_narrow},
    {H5T_INTEGER,      NULL,        container_to_zarr, VZ_DTYPE_INT,       NULL},
    {H5T_FLOAT,        is_number,   number_to_zarr,    VZ_DTYPE_FLOAT,     number_to_hdf5},
    {H5T_FLOAT,        is_narrow,   narrow_to_zarr,    VZ_DTYPE_NARROW,    vz_type_make_narrow},
    {H5T_FLOAT,        NULL,        container_to_zarr, VZ_DTYPE_RAW,       NULL},
    {H5T_ENUM,         is_bool,     bool_to_zarr,      VZ_DTYPE_BOOL,      bool_to_hdf5},
    {H5T_ENUM,         is_number,   number_to_zarr,    VZ_DTYPE_INT,       NULL},
    {H5T_ENUM,         NULL,        container_to_zarr, VZ_DTYPE_UINT,      NULL},
    {H5T_BITFIELD,     is_number,   number_to_zarr,    VZ_DTYPE_UINT,      NULL},
    {H5T_BITFIELD,     NULL,        container_to_zarr, VZ_DTYPE_UINT,      NULL},
    {H5T_TIME,         is_number,   number_to_zarr,    VZ_DTYPE_UINT,      NULL},
    {H5T_TIME,         NULL,        container_to_zarr, VZ_DTYPE_UINT,      NULL},
    {H5T_STRING,       is_fixed,    bytes_to_zarr,     VZ_DTYPE_BYTES,     bytes_to_hdf5},
    {H5T_STRING,       NULL,        text_to_zarr,      VZ_DTYPE_OBJECT,    object_to_hdf5},
    {H5T_STRING,       NULL,        text_to_zarr,      VZ_DTYPE_UNICODE,   text_to_hdf5},
    {H5T_OPAQUE,       is_time,     time_to_zarr,      VZ_DTYPE_DATETIME,  time_to_hdf5},
    {H5T_OPAQUE,       is_time,     time_to_zarr,      VZ_DTYPE_TIMEDELTA, time_to_hdf5},
    {H5T_OPAQUE,       NULL,        raw_to_zarr,       VZ_DTYPE_RAW,       raw_to_hdf5},
    {H5T_COMPOUND,     is_complex,  complex_to_zarr,   VZ_DTYPE_COMPLEX,   complex_to_hdf5},
    {H5T_COMPOUND,     NULL,        struct_to_zarr,    VZ_DTYPE_STRUCT,    struct_to_hdf5},
    {VZ_H5T_COMPLEX,   is_complex,  complex_to_zarr,   VZ_DTYPE_COMPLEX,   NULL},
    {VZ_H5T_COMPLEX,   NULL,        raw_to_zarr,       VZ_DTYPE_RAW,       NULL},
    {H5T_VLEN,         NULL,        sequence_to_zarr,  VZ_DTYPE_OBJECT,    NULL},
    {H5T_ARRAY,        NULL,        array_to_zarr,     VZ_DTYPE_STRUCT,    NULL},
};
/* clang-format on */
const size_t vz_type_rule_count = sizeof vz_type_rules / sizeof *vz_type_rules;
