/* copy_attributes.c - attributes, each through memory. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"

typedef struct attributes {
    vz_objcopy *copy;
    hid_t to;
} attributes;

static bool copy_attribute(vz_objcopy *copy, hid_t from_object, hid_t from, hid_t to_object, const char *name)
{
    const hid_t given = H5Aget_type(from), space = H5Aget_space(from), acpl = H5Aget_create_plist(from);
    const hid_t type = given < 0 ? given : H5Tcopy(given), made_with = vz_copy_type_of(copy, given);
    const hid_t to = made_with < 0 || space < 0 || acpl < 0
                         ? H5I_INVALID_HID
                         : H5Acreate2(to_object, name, made_with, space, acpl, H5P_DEFAULT);
    const bool refers = type >= 0 && H5Tget_class(type) == H5T_REFERENCE;
    const bool ok = vz_copy_hdf5(copy, to >= 0) && (refers ? vz_copy_expand(copy, from_object, to_object, name)
                                                           : vz_copy_attribute_value(copy, from, to, type, space));
    const hid_t made[] = {to, type, made_with, given, space, acpl};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i] >= 0)
            vz_h5_close_quietly(made[i]);
    return ok;
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    attributes *a = context;
    (void)info;
    const hid_t from = H5Aopen(object, name, H5P_DEFAULT);
    if (!vz_copy_hdf5(a->copy, from >= 0))
        return -1;
    const bool ok = copy_attribute(a->copy, object, from, a->to, name);
    vz_h5_close_quietly(from);
    return ok ? 0 : -1;
}

bool vz_objcopy_attributes(vz_objcopy *copy, hid_t from, hid_t to, hid_t from_ocpl)
{
    unsigned order = 0;
    hsize_t index = 0;
    attributes a = {copy, to};
    if (!vz_copy_hdf5(copy, H5Pget_attr_creation_order(from_ocpl, &order) >= 0))
        return false;
    const bool ok = H5Aiterate2(from, order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC,
                                &index, visit, &a) >= 0;
    if (!ok && copy->err->class == VZ_OK)
        vz_copy_hdf5(copy, false);
    return ok;
}
