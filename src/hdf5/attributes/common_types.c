/* common_types.c - the types that nearly all attributes have. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/types/types.h"

static const vz_type_tree layouts[] = {
    [VZ_COMMON_INT] = {.class = H5T_INTEGER,
                       .size = 8,
                       .is_number = true,
                       .number = {VZ_NUMBER_INT, 8, false},
                       .exotic = H5I_INVALID_HID},
    [VZ_COMMON_FLOAT] = {.class = H5T_FLOAT,
                         .size = 8,
                         .is_number = true,
                         .number = {VZ_NUMBER_FLOAT, 8, false},
                         .exotic = H5I_INVALID_HID},
    [VZ_COMMON_TEXT] = {.class = H5T_STRING,
                        .size = sizeof(char *),
                        .has_pointers = true,
                        .has_vlen = true,
                        .is_variable = true,
                        .pad = H5T_STR_NULLTERM,
                        .exotic = H5I_INVALID_HID},
    [VZ_COMMON_BOOL] = {.class = H5T_ENUM,
                        .size = 1,
                        .is_number = true,
                        .number = {VZ_NUMBER_INT, 1, false},
                        .is_bool = true,
                        .exotic = H5I_INVALID_HID},
};

/* Made when first asked for: state of the module instance, as HDF5's own predefined types are. */
static hid_t made[sizeof layouts / sizeof *layouts];

void vz_attribute_types_close(void)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (made[i] > 0)
            H5Tclose(made[i]);
        made[i] = 0;
    }
}

hid_t vz_common_type(vz_common common, vz_error *err)
{
    if (common == VZ_COMMON_INT)
        return H5T_STD_I64LE;
    if (common == VZ_COMMON_FLOAT)
        return H5T_IEEE_F64LE;
    if (made[common] <= 0)
        made[common] = common == VZ_COMMON_TEXT ? vz_type_make_text(err) : vz_type_make_bool(err);
    return made[common];
}

const vz_type_tree *vz_common_layout(vz_common common)
{
    return &layouts[common];
}

/* Of numbers H5Tequal tells all; of strings it does not look at everything. */
vz_common vz_common_of_type(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    if (class == H5T_INTEGER)
        return H5Tequal(type, H5T_STD_I64LE) > 0 ? VZ_COMMON_INT : VZ_NOT_COMMON;
    if (class == H5T_FLOAT)
        return H5Tequal(type, H5T_IEEE_F64LE) > 0 ? VZ_COMMON_FLOAT : VZ_NOT_COMMON;
    return class == H5T_STRING && H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8 &&
                   H5Tget_strpad(type) == H5T_STR_NULLTERM
               ? VZ_COMMON_TEXT
               : VZ_NOT_COMMON;
}

vz_common vz_common_of_value(const vz_inferred *inferred)
{
    switch (inferred->kind) {
    case VZ_INFER_INT:
        return VZ_COMMON_INT;
    case VZ_INFER_FLOAT:
    case VZ_INFER_EMPTY:
        return VZ_COMMON_FLOAT;
    case VZ_INFER_TEXT:
    case VZ_INFER_JSON:
        return VZ_COMMON_TEXT;
    case VZ_INFER_BOOL:
        return VZ_COMMON_BOOL;
    default:
        return VZ_NOT_COMMON;
    }
}
