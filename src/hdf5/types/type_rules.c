/* type_rules.c - finding the rule for a type, and the questions that rules share. */
#include "hdf5/types/types_internal.h"
#include <stdlib.h>

vz_dtype *vz_type_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err)
{
    if (!context.inside && vz_type_is_record(layout)) {
        vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_OBJECT, 0, false, err);
        if (dtype)
            dtype->object = VZ_OBJECT_BYTES;
        return dtype;
    }
    for (size_t i = 0; i < vz_type_rule_count; i++) {
        const vz_type_rule *rule = &vz_type_rules[i];
        if (rule->class == layout->class && (!rule->matches || rule->matches(layout)))
            return rule->to_zarr(layout, context, err);
    }
    vz_fail(err, VZ_UNSUPPORTED, "datatypes of class %d are not supported", (int)layout->class);
    return NULL;
}

hid_t vz_type_to_hdf5(const vz_dtype *dtype, vz_error *err)
{
    for (size_t i = 0; i < vz_type_rule_count; i++) {
        const vz_type_rule *rule = &vz_type_rules[i];
        if (rule->kind == dtype->kind && rule->to_hdf5)
            return rule->to_hdf5(dtype, err);
    }
    vz_fail(err, VZ_UNSUPPORTED, "no HDF5 datatype for Zarr elements of kind %d", (int)dtype->kind);
    return H5I_INVALID_HID;
}

/* Text that a struct cannot hold: in an array too long to be spelled field by field. */
static bool has_long_text(const vz_type_tree *layout)
{
    if (layout->class == H5T_ARRAY)
        return layout->has_pointers && (layout->count > VZ_NUMBERED_FIELDS_MAX || has_long_text(layout->base));
    for (size_t i = 0; layout->class == H5T_COMPOUND && i < layout->count; i++)
        if (has_long_text(layout->members[i].layout))
            return true;
    return false;
}

bool vz_type_is_record(const vz_type_tree *layout)
{
    if (layout->class == H5T_VLEN)
        return layout->base->has_pointers;
    return layout->has_sequences || has_long_text(layout);
}

static void see_orders(const vz_type_tree *layout, bool seen[2])
{
    if (layout->is_number && layout->size > 1)
        seen[layout->number.big_endian] = true;
    if (layout->base)
        see_orders(layout->base, seen);
    for (size_t i = 0; layout->members && i < layout->count; i++)
        see_orders(layout->members[i].layout, seen);
}

bool vz_type_is_mixed(const vz_type_tree *layout)
{
    bool seen[2] = {false, false};
    see_orders(layout, seen);
    return seen[0] && seen[1];
}
