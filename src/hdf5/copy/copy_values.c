/* copy_values.c - values in memory on their way to a copy: references that lead nowhere there,
 * and what they hold. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

/* ---- references ---- */

static void null_references(const vz_type_tree *layout, void *elements, size_t count);

/* The second kind of references holds memory of its own. */
static void null_reference(const vz_type_tree *layout, uint8_t *element)
{
    if (layout->size == sizeof(H5R_ref_t))
        H5Rdestroy((H5R_ref_t *)element);
    memset(element, 0, layout->size);
}

static void null_parts(const vz_type_tree *layout, uint8_t *element)
{
    hvl_t items = {.p = element, .len = layout->count};
    if (layout->class == H5T_VLEN)
        memcpy(&items, element, sizeof items);
    if (layout->base)
        null_references(layout->base, items.p, items.len);
    for (size_t i = 0; layout->members && i < layout->count; i++)
        null_references(layout->members[i].layout, element + layout->members[i].offset, 1);
}

static void null_references(const vz_type_tree *layout, void *elements, size_t count)
{
    uint8_t *element = elements;
    for (size_t i = 0; layout->has_references && i < count; i++, element += layout->size)
        if (layout->is_reference)
            null_reference(layout, element);
        else
            null_parts(layout, element);
}

bool vz_copy_null_references(hid_t type, void *elements, size_t count, vz_error *err)
{
    if (H5Tdetect_class(type, H5T_REFERENCE) <= 0)
        return true;
    vz_type_tree *layout = vz_type_tree_new(type, err);
    if (!layout)
        return false;
    null_references(layout, elements, count);
    vz_type_tree_free(layout);
    return true;
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

bool vz_copy_attribute_value(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space)
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
