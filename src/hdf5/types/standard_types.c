/* standard_types.c - HDF5's own number types. */
#include "hdf5/types/types.h"
#include <string.h>

enum {
    SIZES = 4,
    INTEGERS = 4 * SIZES
}; /* of 1, 2, 4 and 8 bytes; signed ones first, of each
    * little-endian ones */

static void list_integers(hid_t types[INTEGERS])
{
    const hid_t all[INTEGERS] = {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE,
                                 H5T_STD_I8BE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
                                 H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
                                 H5T_STD_U8BE, H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE};
    memcpy(types, all, sizeof all);
}

static unsigned log2_of(size_t size)
{
    return size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
}

static bool is_size(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

hid_t vz_standard_type(vz_number_format number)
{
    hid_t integers[INTEGERS];
    const unsigned big = number.big_endian;
    if (!is_size(number.size))
        return H5I_INVALID_HID;
    if (number.kind != VZ_NUMBER_FLOAT) {
        list_integers(integers);
        return integers[(number.kind == VZ_NUMBER_UINT) * 2 * SIZES + big * SIZES + log2_of(number.size)];
    }
    if (number.size == 8)
        return big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
    if (number.size == 4)
        return big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE;
    return H5I_INVALID_HID; /* the predefined half is younger (1.14.4) than the oldest host */
}

bool vz_standard_of_dtype(const vz_dtype *dtype, vz_number_format *number)
{
    const bool integer = dtype->kind == VZ_DTYPE_INT || dtype->kind == VZ_DTYPE_UINT;
    if ((!integer && dtype->kind != VZ_DTYPE_FLOAT) || !is_size(dtype->size) || (!integer && dtype->size < 4))
        return false;
    const vz_number_kind kind = dtype->kind == VZ_DTYPE_INT    ? VZ_NUMBER_INT
                                : dtype->kind == VZ_DTYPE_UINT ? VZ_NUMBER_UINT
                                                               : VZ_NUMBER_FLOAT;
    *number = (vz_number_format){kind, dtype->size, dtype->big_endian && dtype->size > 1, VZ_NARROW_NONE};
    return true;
}

static bool is_big_endian_machine(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 0;
}

static bool found(vz_number_format *number, vz_number_kind kind, size_t size, bool big_endian)
{
    *number = (vz_number_format){kind, size, big_endian && size > 1};
    return true;
}

/* Those of this machine, and of the language's types. */
static bool is_native(hid_t type, vz_number_format *number)
{
    const bool big = is_big_endian_machine();
    if (type == H5T_NATIVE_DOUBLE)
        return found(number, VZ_NUMBER_FLOAT, 8, big);
    if (type == H5T_NATIVE_FLOAT)
        return found(number, VZ_NUMBER_FLOAT, 4, big);
    if (type == H5T_NATIVE_INT64)
        return found(number, VZ_NUMBER_INT, 8, big);
    if (type == H5T_NATIVE_INT)
        return found(number, VZ_NUMBER_INT, sizeof(int), big);
    if (type == H5T_NATIVE_INT32)
        return found(number, VZ_NUMBER_INT, 4, big);
    if (type == H5T_NATIVE_INT16)
        return found(number, VZ_NUMBER_INT, 2, big);
    if (type == H5T_NATIVE_UINT64)
        return found(number, VZ_NUMBER_UINT, 8, big);
    return type == H5T_NATIVE_UCHAR && found(number, VZ_NUMBER_UINT, 1, big);
}

static bool is_standard_integer(hid_t type, vz_number_format *number)
{
    hid_t integers[INTEGERS];
    unsigned i = 0;
    list_integers(integers);
    while (i < INTEGERS && integers[i] != type)
        i++;
    const size_t size = (size_t)1 << i % SIZES;
    const bool big_endian = i / SIZES % 2 == 1;
    return i < INTEGERS && !(big_endian && size == 1) &&
           found(number, i < 2 * SIZES ? VZ_NUMBER_INT : VZ_NUMBER_UINT, size, big_endian);
}

bool vz_standard_number(hid_t type, vz_number_format *number)
{
    if (is_native(type, number))
        return true;
    if (type == H5T_IEEE_F64LE || type == H5T_IEEE_F64BE)
        return found(number, VZ_NUMBER_FLOAT, 8, type == H5T_IEEE_F64BE);
    if (type == H5T_IEEE_F32LE || type == H5T_IEEE_F32BE)
        return found(number, VZ_NUMBER_FLOAT, 4, type == H5T_IEEE_F32BE);
    return is_standard_integer(type, number);
}
