/* netcdf_type.c - types of variables that netCDF has no word for. In a netCDF file they become the
 * types of netCDF's programs. Half floats are float32, complex numbers a compound of two, booleans
 * bytes with xarray's attribute. */
#include "command/convert/convert_internal.h"
#include "hdf5/types/types.h"
#include <string.h>

#define HALF 2 /* bytes */

static bool is_half(hid_t type)
{
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == HALF;
}

/* As xarray and h5py write complex numbers. */
static hid_t pair_of(hid_t type, vz_error *err)
{
    const hid_t part = H5Tget_super(type);
    const size_t size = part < 0 ? 0 : H5Tget_size(part);
    const hid_t made = size == 0 ? H5I_INVALID_HID : H5Tcreate(H5T_COMPOUND, 2 * size);
    const bool ok = made >= 0 && H5Tinsert(made, "r", 0, part) >= 0 && H5Tinsert(made, "i", size, part) >= 0;
    vz_convert_id_close(part);
    if (ok)
        return made;
    vz_convert_id_close(made);
    vz_convert_h5_fail(err, "complex numbers cannot be a compound");
    return H5I_INVALID_HID;
}

hid_t vz_convert_copy_netcdf_type(const vz_convert_request *request, hid_t type, vz_error *err)
{
    hid_t other = H5I_INVALID_HID;
    if (request->for_netcdf && is_half(type))
        other = H5Tcopy(H5T_IEEE_F32LE);
    else if (request->for_netcdf && (int)H5Tget_class(type) == VZ_H5T_COMPLEX)
        other = pair_of(type, err);
    else
        return type;
    vz_convert_id_close(type);
    if (other < 0)
        vz_convert_h5_fail(err, "its type cannot be one of netCDF's");
    return other;
}

/* As h5py and this connector have booleans. */
static bool is_boolean(hid_t type)
{
    static const char *const names[] = {"FALSE", "TRUE"};
    if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        int8_t value = -1;
        char *name = H5Tget_member_name(type, i);
        const bool is =
            name && strcmp(name, names[i]) == 0 && H5Tget_member_value(type, i, &value) >= 0 && value == (int8_t)i;
        H5free_memory(name);
        if (!is)
            return false;
    }
    return true;
}

/* xarray's `dtype`, which says that bytes are booleans. */
static bool says_boolean(hid_t dataset)
{
    char text[8] = "";
    const hid_t id = H5Aexists(dataset, "dtype") > 0 ? H5Aopen(dataset, "dtype", H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t type = id < 0 ? id : H5Aget_type(id);
    const bool is = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                    H5Tget_size(type) < sizeof text && H5Aread(id, type, text) >= 0 && strcmp(text, "bool") == 0;
    vz_convert_id_close(type);
    if (id >= 0)
        H5Aclose(id);
    return is;
}

hid_t vz_convert_copy_netcdf_variable(const vz_convert_request *request, hid_t dataset, hid_t type, vz_error *err)
{
    if (!request->for_netcdf || !is_boolean(type) || !says_boolean(dataset))
        return vz_convert_copy_netcdf_type(request, type, err);
    vz_convert_id_close(type);
    const hid_t bytes = H5Tcopy(H5T_STD_I8LE);
    if (bytes < 0)
        vz_convert_h5_fail(err, "its type cannot be one of netCDF's");
    return bytes;
}

bool vz_convert_is_netcdf_boolean(const vz_convert_request *request, hid_t from, hid_t to)
{
    return request->for_netcdf && is_boolean(from) && H5Tequal(to, H5T_STD_I8LE) > 0;
}

/* A compound of "r" and "i", which libraries before 2.0 have for complex numbers. */
static bool is_pair(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
        return false;
    char *names[] = {H5Tget_member_name(type, 0), H5Tget_member_name(type, 1)};
    const bool is = names[0] && names[1] && strcmp(names[0], "r") == 0 && strcmp(names[1], "i") == 0;
    H5free_memory(names[0]);
    H5free_memory(names[1]);
    return is;
}

void vz_convert_copy_tell_type(const vz_convert_job *c, hid_t type, const char *path)
{
    const int class = (int)H5Tget_class(type);
    if (!c->request->for_netcdf)
        return;
    if (is_half(type))
        vz_convert_copy_note(c, path, "netCDF has no float16: it is float32 now");
    else if (class == VZ_H5T_COMPLEX || is_pair(type))
        vz_convert_copy_note(c, path, "netCDF has no complex numbers: they are a compound of \"r\" and \"i\"");
    else if (class == H5T_COMPOUND)
        vz_convert_copy_note(c, path, "a compound, which netCDF-C reads and xarray does not write");
    else if (class == H5T_FLOAT && H5Tget_size(type) > sizeof(double))
        vz_convert_copy_note(c, path, "netCDF has no floats of more than 64 bits, and leaves it out");
    else if (class == H5T_OPAQUE || class == H5T_REFERENCE || class == H5T_ARRAY || class == H5T_BITFIELD)
        vz_convert_copy_note(c, path, "netCDF has no such type, and leaves it out");
}
