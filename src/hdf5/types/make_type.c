/* make_type.c - HDF5 datatypes made from plain facts. */
#include "hdf5/types/types_internal.h"

#define OPAQUE_TAG_MAX 255 /* HDF5 keeps no longer tag */

static hid_t finish(hid_t type, bool ok, const char *what, vz_error *err)
{
    if (type >= 0 && ok)
        return type;
    if (type >= 0)
        H5Tclose(type);
    vz_type_refused(err, what);
    return H5I_INVALID_HID;
}

/* The predefined half is younger (1.14.4) than the oldest host. */
static hid_t make_half(bool big_endian, vz_error *err)
{
    hid_t type = H5Tcopy(big_endian ? H5T_IEEE_F32BE : H5T_IEEE_F32LE);
    const bool ok = type >= 0 && H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 &&
                    H5Tset_ebias(type, 15) >= 0;
    return finish(type, ok, "make a half-precision float", err);
}

hid_t vz_type_make_number(vz_number_format number, vz_error *err)
{
    if (number.kind == VZ_NUMBER_FLOAT && number.size == 2)
        return make_half(number.big_endian, err);
    return finish(H5Tcopy(vz_standard_type(number)), true, "copy a datatype", err);
}

hid_t vz_type_make_string(size_t size, H5T_str_t pad, H5T_cset_t cset, vz_error *err)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    const bool ok =
        type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_strpad(type, pad) >= 0 && H5Tset_cset(type, cset) >= 0;
    return finish(type, ok, "make a string datatype", err);
}

hid_t vz_type_make_text(vz_error *err)
{
    return vz_type_make_string(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8, err);
}

hid_t vz_type_make_old_reference(vz_error *err)
{
    return finish(H5Tcopy(H5T_STD_REF_OBJ), true, "copy a datatype", err);
}

hid_t vz_type_make_bool(vz_error *err)
{
    const int8_t no = 0, yes = 1;
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    const bool ok = type >= 0 && H5Tenum_insert(type, "FALSE", &no) >= 0 && H5Tenum_insert(type, "TRUE", &yes) >= 0;
    return finish(type, ok, "make an enumeration", err);
}

hid_t vz_type_make_complex(size_t size, bool big_endian, vz_error *err)
{
    const vz_number_format half = {VZ_NUMBER_FLOAT, size / 2, big_endian};
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    if (type < 0)
        return finish(type, false, "make a compound datatype", err);
    if (vz_type_make_member(type, "r", 0, vz_type_make_number(half, err), err) &&
        vz_type_make_member(type, "i", size / 2, vz_type_make_number(half, err), err))
        return type;
    H5Tclose(type);
    return H5I_INVALID_HID;
}

hid_t vz_type_make_opaque(size_t size, const char *tag, vz_error *err)
{
    if (strlen(tag) > OPAQUE_TAG_MAX) {
        vz_fail(err, VZ_CORRUPT, "the tag of an opaque datatype is longer than %d bytes", OPAQUE_TAG_MAX);
        return H5I_INVALID_HID;
    }
    hid_t type = H5Tcreate(H5T_OPAQUE, size);
    return finish(type, type >= 0 && H5Tset_tag(type, tag) >= 0, "make an opaque datatype", err);
}

hid_t vz_type_make_sequence(hid_t base, vz_error *err)
{
    if (base < 0)
        return base;
    hid_t type = H5Tvlen_create(base);
    H5Tclose(base);
    return finish(type, true, "make a variable-length datatype", err);
}

hid_t vz_type_make_array(hid_t base, unsigned rank, const hsize_t *dims, vz_error *err)
{
    if (base < 0)
        return base;
    hid_t type = H5Tarray_create2(base, rank, dims);
    H5Tclose(base);
    return finish(type, true, "make an array datatype", err);
}

bool vz_type_make_member(hid_t compound, const char *name, size_t offset, hid_t member, vz_error *err)
{
    if (member < 0)
        return false;
    const bool ok = H5Tinsert(compound, name, offset, member) >= 0;
    H5Tclose(member);
    return ok || vz_type_refused(err, "insert a member into a compound datatype");
}

bool vz_type_make_next_member(hid_t *compound, const char *name, hid_t member, vz_error *err)
{
    bool ok = true;
    if (member < 0)
        return false;
    const size_t offset = *compound >= 0 ? H5Tget_size(*compound) : 0, size = offset + H5Tget_size(member);
    if (*compound < 0)
        *compound = H5Tcreate(H5T_COMPOUND, size);
    else
        ok = H5Tset_size(*compound, size) >= 0;
    if (ok && *compound >= 0)
        return vz_type_make_member(*compound, name, offset, member, err);
    H5Tclose(member);
    return vz_type_refused(err, "make room for a member");
}
