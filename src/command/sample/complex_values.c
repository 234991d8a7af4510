/* complex_values.c - complex numbers: HDF5 2's own class, and h5py's compounds of "r" and "i". */
#include "command/sample/sample_internal.h"
#include "hdf5/types/types.h"
#include <stdio.h>
#include <string.h>

/* Of two equal floats; they lie side by side. */
static hid_t part_of(hid_t type)
{
    static const char *const names[] = {"r", "i"};
    if ((int)H5Tget_class(type) == VZ_H5T_COMPLEX)
        return H5Tget_super(type);
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
        return H5I_INVALID_HID;
    const hid_t part = H5Tget_member_type(type, 0), other = H5Tget_member_type(type, 1);
    bool is = part >= 0 && other >= 0 && H5Tget_class(part) == H5T_FLOAT && H5Tequal(part, other) > 0;
    for (unsigned i = 0; is && i < 2; i++) {
        char *name = H5Tget_member_name(type, i);
        is = name && strcmp(name, names[i]) == 0 && H5Tget_member_offset(type, i) == i * H5Tget_size(part);
        if (name)
            H5free_memory(name);
    }
    is = is && H5Tget_size(type) == 2 * H5Tget_size(part);
    vz_convert_id_close(other);
    if (is)
        return part;
    vz_convert_id_close(part);
    return H5I_INVALID_HID;
}

bool vz_sample_is_complex(hid_t type)
{
    const hid_t part = part_of(type);
    const bool is = part >= 0 && H5Tget_class(part) == H5T_FLOAT && H5Tget_size(part) <= sizeof(double);
    vz_convert_id_close(part);
    return is;
}

bool vz_sample_complex_numbers(hid_t type, const void *element, double numbers[2], bool *is_single)
{
    const hid_t part = part_of(type);
    const size_t size = part < 0 ? 0 : H5Tget_size(part);
    bool ok = size > 0 && size <= sizeof(double);
    if (ok) {
        memcpy(numbers, element, 2 * size);
        *is_single = size <= sizeof(float);
        ok = H5Tconvert(part, H5T_NATIVE_DOUBLE, 2, numbers, NULL, H5P_DEFAULT) >= 0;
    }
    vz_convert_id_close(part);
    return ok;
}

bool vz_sample_complex_text(hid_t type, const void *element, vz_buffer *out, bool *is, vz_error *err)
{
    double numbers[2];
    bool is_single;
    char text[2][VZ_WORDS_REAL];
    *is = vz_sample_is_complex(type) && vz_sample_complex_numbers(type, element, numbers, &is_single);
    if (!*is)
        return true;
    vz_words_real(numbers[0], is_single, text[0]);
    vz_words_real(numbers[1], is_single, text[1]);
    return vz_words_printf(out, err, "%s%s%sj", text[0], *text[1] == '-' ? "" : "+", text[1]);
}
