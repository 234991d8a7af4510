/* type_tree.c - reading an HDF5 datatype into a tree. */
#include "hdf5/types/types_internal.h"
#include "hdf5/annotation/annotation.h"
#include <stdlib.h>

/* ---- numbers ---- */

typedef struct float_form {
    size_t size, sign, exponent, exponent_size, mantissa_size, bias;
} float_form;

static const float_form ieee[] = {
    {2, 15, 10, 5, 10, 15},
    {4, 31, 23, 8, 23, 127},
    {8, 63, 52, 11, 52, 1023},
};

static bool is_ieee(hid_t type, size_t size)
{
    size_t sign, exponent, exponent_size, mantissa, mantissa_size;
    if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0 ||
        H5Tget_norm(type) != H5T_NORM_IMPLIED)
        return false;
    const size_t bias = H5Tget_ebias(type);
    for (size_t i = 0; i < sizeof ieee / sizeof *ieee; i++)
        if (ieee[i].size == size)
            return ieee[i].sign == sign && ieee[i].exponent == exponent && ieee[i].exponent_size == exponent_size &&
                   mantissa == 0 && ieee[i].mantissa_size == mantissa_size && ieee[i].bias == bias;
    return false;
}

bool vz_type_tree_number(hid_t type, H5T_class_t class, vz_number_format *number)
{
    if (vz_standard_number(type, number))
        return true;
    const size_t size = H5Tget_size(type);
    const H5T_order_t order = H5Tget_order(type);
    if ((size != 1 && size != 2 && size != 4 && size != 8) || H5Tget_precision(type) != 8 * size ||
        H5Tget_offset(type) != 0 || (order != H5T_ORDER_LE && order != H5T_ORDER_BE))
        return false;
    *number = (vz_number_format){.size = size};
    number->big_endian = order == H5T_ORDER_BE && size > 1;
    number->kind = VZ_NUMBER_UINT;
    if (class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2)
        number->kind = VZ_NUMBER_INT;
    if (class == H5T_FLOAT)
        number->kind = VZ_NUMBER_FLOAT;
    return class != H5T_FLOAT || is_ieee(type, size);
}

/* ---- the parts of a type; `layout` is zeroed but for class and size ---- */

static vz_type_tree *read_type(hid_t type, unsigned depth, vz_error *err);

static bool read_number(vz_type_tree *layout, hid_t type, vz_error *err)
{
    layout->is_number = vz_type_tree_number(type, layout->class, &layout->number);
    if (layout->is_number || layout->class == H5T_TIME)
        return true;
    layout->exotic = H5Tcopy(type);
    if (layout->exotic < 0)
        return vz_type_refused(err, "copy a datatype");
    layout->narrow = layout->class == H5T_BITFIELD ? VZ_NARROW_NONE : vz_type_tree_narrow(type, layout->class);
    return true;
}

static bool is_h5py_bool(const vz_type_tree *layout, hid_t type)
{
    if (layout->size != 1 || layout->number.kind != VZ_NUMBER_INT || H5Tget_nmembers(type) != 2)
        return false;
    bool seen[2] = {false, false};
    for (unsigned i = 0; i < 2; i++) {
        int8_t value = -1;
        char *name = H5Tget_member_name(type, i);
        if (name && H5Tget_member_value(type, i, &value) >= 0 && (value == 0 || value == 1))
            seen[value] = strcmp(name, value ? "TRUE" : "FALSE") == 0;
        H5free_memory(name);
    }
    return seen[0] && seen[1];
}

static bool read_enum_base(void *context, const vz_type_part *base, vz_error *err)
{
    vz_type_tree *layout = context;
    layout->is_number = vz_type_tree_number(base->type, H5T_INTEGER, &layout->number);
    layout->is_bool = layout->is_number && H5Tget_order(base->type) == H5T_ORDER_LE;
    return layout->is_number || (layout->exotic = H5Tcopy(base->type)) >= 0 || vz_type_refused(err, "copy a datatype");
}

static bool read_enum(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    if (!vz_type_parts(type, depth, read_enum_base, layout, err))
        return false;
    layout->is_bool = layout->is_bool && is_h5py_bool(layout, type);
    return true;
}

static bool read_string(vz_type_tree *layout, hid_t type, vz_error *err)
{
    const htri_t variable = H5Tis_variable_str(type);
    layout->pad = H5Tget_strpad(type);
    if (variable < 0 || layout->pad < 0)
        return vz_type_refused(err, "describe a string datatype");
    layout->is_variable = layout->has_pointers = layout->has_vlen = variable > 0;
    return true;
}

static bool read_tag(vz_type_tree *layout, hid_t type, vz_error *err)
{
    char *tag = H5Tget_tag(type);
    if (!tag)
        return vz_type_refused(err, "give the tag of an opaque datatype");
    layout->tag = strdup(tag);
    H5free_memory(tag);
    return layout->tag || vz_fail_memory(err);
}

/* The store has text for a reference, and so the tree has text; reference.c makes references of
 * it. */
static bool read_reference(vz_type_tree *layout)
{
    layout->class = H5T_STRING;
    layout->is_variable = layout->has_pointers = layout->has_references = layout->is_reference = true;
    return true;
}

static void inherit(vz_type_tree *layout, const vz_type_tree *part)
{
    layout->has_pointers |= part->has_pointers;
    layout->has_sequences |= part->has_sequences;
    layout->has_references |= part->has_references;
    layout->has_vlen |= part->has_vlen;
}

static bool read_base_part(void *context, const vz_type_part *part, vz_error *err)
{
    vz_type_tree *layout = context;
    layout->base = read_type(part->type, part->depth, err);
    if (layout->base)
        inherit(layout, layout->base);
    return layout->base != NULL;
}

static bool read_base(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    return vz_type_parts(type, depth, read_base_part, layout, err);
}

static bool read_sequence(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    layout->has_pointers = layout->has_sequences = layout->has_vlen = true;
    return read_base(layout, type, depth, err);
}

static bool read_array(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    if (!read_base(layout, type, depth, err))
        return false;
    layout->count = layout->base->size ? layout->size / layout->base->size : 0;
    return true;
}

static bool read_complex(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    if (!read_base(layout, type, depth, err))
        return false;
    layout->is_complex = layout->base->class == H5T_FLOAT && layout->base->is_number && layout->base->number.size >= 4;
    return true;
}

static bool read_member(void *context, const vz_type_part *part, vz_error *err)
{
    vz_type_tree *layout = context;
    vz_type_tree_member *member = &layout->members[part->index];
    member->offset = part->offset;
    member->name = strdup(part->name);
    if (!member->name)
        return vz_fail_memory(err);
    member->layout = read_type(part->type, part->depth, err);
    if (member->layout)
        inherit(layout, member->layout);
    return member->layout != NULL;
}

static int by_offset(const void *a, const void *b)
{
    const size_t x = ((const vz_type_tree_member *)a)->offset, y = ((const vz_type_tree_member *)b)->offset;
    return (x > y) - (x < y);
}

static bool is_pair(const vz_type_tree *layout)
{
    const vz_type_tree_member *m = layout->members;
    if (layout->count != 2 || strcmp(m[0].name, "r") != 0 || strcmp(m[1].name, "i") != 0)
        return false;
    const vz_type_tree *r = m[0].layout, *i = m[1].layout;
    return r->class == H5T_FLOAT && i->class == H5T_FLOAT && r->is_number && i->is_number && r->size == i->size &&
           r->size >= 4 && r->number.big_endian == i->number.big_endian && m[0].offset == 0 && m[1].offset == r->size &&
           layout->size == 2 * r->size;
}

static bool is_taken(const vz_type_tree *layout, const char *name)
{
    for (size_t i = 0; i < layout->count; i++)
        if (strcmp(layout->members[i].name, name) == 0)
            return true;
    return false;
}

/* A name that is not UTF-8 becomes one that a dtype can have; the annotation has the name
 * itself. */
static bool escape_name(vz_type_tree *layout, vz_type_tree_member *member, vz_error *err)
{
    vz_buffer name = {0};
    bool ok = vz_unusual_name_escape(&name, member->name, err);
    const size_t length = name.size;
    ok = ok && vz_buffer_append(&name, "", 1, err);
    for (unsigned i = 2; ok && is_taken(layout, (const char *)name.data); i++) {
        name.size = length;
        ok = vz_buffer_printf(&name, err, "%%~%u", i) && vz_buffer_append(&name, "", 1, err);
    }
    char *copy = ok ? strdup((const char *)name.data) : NULL;
    if (ok && !copy)
        vz_fail_memory(err);
    vz_buffer_clear(&name);
    if (!copy)
        return false;
    free(member->name);
    member->name = copy;
    return true;
}

static bool escape_names(vz_type_tree *layout, vz_error *err)
{
    for (size_t i = 0; i < layout->count; i++) {
        const char *name = layout->members[i].name;
        if (!vz_utf8_valid(name, strlen(name)) && !escape_name(layout, &layout->members[i], err))
            return false;
    }
    return true;
}

static bool read_members(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    if (count < 0)
        return vz_type_refused(err, "count the members of a datatype");
    if (count == 0)
        return vz_fail(err, VZ_INVALID, "a compound datatype without members");
    layout->members = calloc((size_t)count, sizeof *layout->members);
    if (!layout->members)
        return vz_fail_memory(err);
    layout->count = (size_t)count;
    if (!vz_type_parts(type, depth, read_member, layout, err))
        return false;
    qsort(layout->members, layout->count, sizeof *layout->members, by_offset);
    layout->is_complex = is_pair(layout);
    return escape_names(layout, err);
}

static bool read_parts(vz_type_tree *layout, hid_t type, unsigned depth, vz_error *err)
{
    switch (layout->class) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
    case H5T_TIME:
        return read_number(layout, type, err);
    case H5T_ENUM:
        return read_enum(layout, type, depth, err);
    case H5T_STRING:
        return read_string(layout, type, err);
    case H5T_OPAQUE:
        return read_tag(layout, type, err);
    case H5T_COMPOUND:
        return read_members(layout, type, depth, err);
    case H5T_VLEN:
        return read_sequence(layout, type, depth, err);
    case H5T_ARRAY:
        return read_array(layout, type, depth, err);
    case H5T_REFERENCE:
        return read_reference(layout);
    default:
        if (layout->class == VZ_H5T_COMPLEX)
            return read_complex(layout, type, depth, err);
        return vz_fail(err, VZ_UNSUPPORTED, "datatypes of class %d are not supported", (int)layout->class);
    }
}

static vz_type_tree *read_type(hid_t type, unsigned depth, vz_error *err)
{
    vz_type_tree *layout = calloc(1, sizeof *layout);
    if (!layout) {
        vz_fail_memory(err);
        return NULL;
    }
    layout->exotic = H5I_INVALID_HID;
    if (vz_standard_number(type, &layout->number)) {
        layout->is_number = true;
        layout->class = layout->number.kind == VZ_NUMBER_FLOAT ? H5T_FLOAT : H5T_INTEGER;
        layout->size = layout->number.size;
        return layout;
    }
    layout->class = H5Tget_class(type);
    layout->size = H5Tget_size(type);
    const bool ok = layout->class >= 0 && layout->size > 0 ? read_parts(layout, type, depth, err)
                                                           : vz_type_refused(err, "describe a datatype");
    if (!ok) {
        vz_type_tree_free(layout);
        return NULL;
    }
    return layout;
}

vz_type_tree *vz_type_tree_new(hid_t type, vz_error *err)
{
    vz_type_counted.types++;
    return read_type(type, 0, err);
}

void vz_type_tree_free(vz_type_tree *layout)
{
    if (!layout)
        return;
    if (layout->exotic >= 0)
        H5Tclose(layout->exotic);
    for (size_t i = 0; layout->members && i < layout->count; i++) {
        free(layout->members[i].name);
        vz_type_tree_free(layout->members[i].layout);
    }
    free(layout->members);
    free(layout->tag);
    vz_type_tree_free(layout->base);
    free(layout);
}
