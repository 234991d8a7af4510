/* netcdf_type.c - types of variables that netCDF has no word for. In a netCDF file they become what
 * the data is to netCDF's programs: half floats are float32, complex numbers a compound of two. */
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
