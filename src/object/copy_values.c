/* copy_values.c - values in memory on their way to a copy: references that lead nowhere there, and what they hold. */
#include "h5/errors.h"
#include "object/copy.h"
#include <stdlib.h>

/* ---- references ---- */

static bool null_members(hid_t type, uint8_t *element, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    bool ok = count >= 0;
    for (int i = 0; ok && i < count; i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        ok = member >= 0 && vz_copy_null_references(member, element + H5Tget_member_offset(type, (unsigned)i), 1, err);
        if (member >= 0)
            H5Tclose(member);
    }
    return ok;
}

static bool null_items(hid_t type, uint8_t *element, vz_error *err)
{
    const bool is_array = H5Tget_class(type) == H5T_ARRAY;
    const hid_t base = H5Tget_super(type);
    if (base < 0)
        return false;
    hvl_t items = {0};
    if (is_array)
        items = (hvl_t){.p = element, .len = H5Tget_size(type) / H5Tget_size(base)};
    else
        memcpy(&items, element, sizeof items);
    const bool ok = vz_copy_null_references(base, items.p, items.len, err);
    H5Tclose(base);
    return ok;
}

/* The second kind of references holds memory of its own. */
static void null_reference(hid_t type, uint8_t *element)
{
    if (H5Tequal(type, H5T_STD_REF) > 0)
        H5Rdestroy((H5R_ref_t *)element);
    memset(element, 0, H5Tget_size(type));
}

bool vz_copy_null_references(hid_t type, void *elements, size_t count, vz_error *err)
{
    if (H5Tdetect_class(type, H5T_REFERENCE) <= 0)
        return true;
    const size_t size = H5Tget_size(type);
    const H5T_class_t class = H5Tget_class(type);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        uint8_t *element = (uint8_t *)elements + i * size;
        if (class == H5T_REFERENCE)
            null_reference(type, element);
        else
            ok = class == H5T_COMPOUND ? null_members(type, element, err) : null_items(type, element, err);
    }
    return ok || vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

void vz_copy_reclaim(hid_t type, hid_t space, void *elements)
{
    if (H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tdetect_class(type, H5T_STRING) <= 0 &&
        H5Tdetect_class(type, H5T_REFERENCE) <= 0)
        return;
    const hid_t records = H5Eget_current_stack();
    H5Treclaim(type, space, H5P_DEFAULT, elements);
    vz_h5_errors_restore(records);
}

bool vz_copy_attribute_value(vz_copy *copy, hid_t from, hid_t to, hid_t type, hid_t space)
{
    const size_t size = H5Tget_size(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count <= 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return true;
    void *elements = calloc((size_t)count, size);
    if (!elements)
        return vz_fail_memory(copy->err);
    bool ok = vz_copy_hdf5(copy, H5Aread(from, type, elements) >= 0);
    if (ok) {
        ok = (copy->same_file || vz_copy_null_references(type, elements, (size_t)count, copy->err)) &&
             vz_copy_hdf5(copy, H5Awrite(to, type, elements) >= 0);
        vz_copy_reclaim(type, space, elements);
    }
    free(elements);
    return ok;
}
