/* common_types.c - see attributes_internal.h. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/types/types.h"

static const vz_type_tree layouts[] = {
    [VZ_USUAL_INT] = {.class = H5T_INTEGER,
                      .size = 8,
                      .is_number = true,
                      .number = {VZ_NUMBER_INT, 8, false},
                      .exotic = H5I_INVALID_HID},
    [VZ_USUAL_FLOAT] = {.class = H5T_FLOAT,
                        .size = 8,
                        .is_number = true,
                        .number = {VZ_NUMBER_FLOAT, 8, false},
                        .exotic = H5I_INVALID_HID},
    [VZ_USUAL_TEXT] = {.class = H5T_STRING,
                       .size = sizeof(char *),
                       .has_pointers = true,
                       .has_vlen = true,
                       .is_variable = true,
                       .pad = H5T_STR_NULLTERM,
                       .exotic = H5I_INVALID_HID},
    [VZ_USUAL_BOOL] = {.class = H5T_ENUM,
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

hid_t vz_usual_type(vz_usual usual, vz_error *err)
{
    if (usual == VZ_USUAL_INT)
        return H5T_STD_I64LE;
    if (usual == VZ_USUAL_FLOAT)
        return H5T_IEEE_F64LE;
    if (made[usual] <= 0)
        made[usual] = usual == VZ_USUAL_TEXT ? vz_make_text(err) : vz_make_bool(err);
    return made[usual];
}

const vz_type_tree *vz_usual_layout(vz_usual usual)
{
    return &layouts[usual];
}

/* Of numbers H5Tequal tells all; of strings it does not look at everything. */
vz_usual vz_usual_of_type(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    if (class == H5T_INTEGER)
        return H5Tequal(type, H5T_STD_I64LE) > 0 ? VZ_USUAL_INT : VZ_NOT_USUAL;
    if (class == H5T_FLOAT)
        return H5Tequal(type, H5T_IEEE_F64LE) > 0 ? VZ_USUAL_FLOAT : VZ_NOT_USUAL;
    return class == H5T_STRING && H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8 &&
                   H5Tget_strpad(type) == H5T_STR_NULLTERM
               ? VZ_USUAL_TEXT
               : VZ_NOT_USUAL;
}

vz_usual vz_usual_of_value(const vz_inferred *inferred)
{
    switch (inferred->kind) {
    case VZ_INFER_INT:
        return VZ_USUAL_INT;
    case VZ_INFER_FLOAT:
    case VZ_INFER_EMPTY:
        return VZ_USUAL_FLOAT;
    case VZ_INFER_TEXT:
    case VZ_INFER_JSON:
        return VZ_USUAL_TEXT;
    case VZ_INFER_BOOL:
        return VZ_USUAL_BOOL;
    default:
        return VZ_NOT_USUAL;
    }
}
