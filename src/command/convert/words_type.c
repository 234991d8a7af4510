/* words_type.c - types, extents and places in words. */
#include "command/convert/compare_internal.h"
#include "hdf5/types/types.h"
#include <string.h>

#define MEMBERS_MAX 16 /* of a compound or enumeration, that are named */

static bool words_at(hid_t type, unsigned depth, vz_buffer *out, vz_error *err);

/* Numbers of usual sizes are numpy's words; of others all is said that matters. */
static bool words_number(hid_t type, const char *word, vz_buffer *out, vz_error *err)
{
    const size_t size = H5Tget_size(type), bits = H5Tget_precision(type);
    bool ok = vz_words_printf(out, err, "%s%zu", word, bits);
    if (ok && bits != 8 * size)
        ok = vz_words_printf(out, err, " in %zu bytes", size);
    if (ok && size > 1 && H5Tget_order(type) == H5T_ORDER_BE)
        ok = vz_words_printf(out, err, " big-endian");
    return ok;
}

static bool words_integer(hid_t type, vz_buffer *out, vz_error *err)
{
    return words_number(type, H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int", out, err);
}

static bool words_float(hid_t type, vz_buffer *out, vz_error *err)
{
    size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    const size_t bits = H5Tget_precision(type);
    static const struct {
        size_t bits, exponent;
    } ieee[] = {{16, 5}, {32, 8}, {64, 11}};
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0)
        return vz_convert_h5_fail(err, "its type cannot be had");
    for (size_t i = 0; i < sizeof ieee / sizeof *ieee; i++)
        if (bits == ieee[i].bits && exponent_bits == ieee[i].exponent)
            return words_number(type, "float", out, err);
    return words_number(type, "float", out, err) &&
           vz_words_printf(out, err, " (exponent %zu, mantissa %zu)", exponent_bits, mantissa_bits);
}

static bool words_text(hid_t type, vz_buffer *out, vz_error *err)
{
    const bool is_variable = H5Tis_variable_str(type) > 0;
    const char *set = H5Tget_cset(type) == H5T_CSET_UTF8 ? "UTF-8" : "ASCII";
    return is_variable ? vz_words_printf(out, err, "text (%s)", set)
                       : vz_words_printf(out, err, "text of %zu bytes (%s)", H5Tget_size(type), set);
}

static bool words_array(hid_t type, unsigned depth, vz_buffer *out, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Tget_array_dims2(type, dims);
    const hid_t base = H5Tget_super(type);
    bool ok = base >= 0 && rank >= 0 && words_at(base, depth + 1, out, err);
    for (int i = 0; ok && i < rank; i++)
        ok = vz_words_printf(out, err, "%s%llu", i ? ", " : "[", (unsigned long long)dims[i]);
    vz_convert_id_close(base);
    return ok && vz_words_printf(out, err, "]");
}

static bool words_base(hid_t type, const char *begin, unsigned depth, vz_buffer *out, vz_error *err)
{
    const hid_t base = H5Tget_super(type);
    const bool ok = base >= 0 && vz_words_printf(out, err, "%s", begin) && words_at(base, depth + 1, out, err);
    vz_convert_id_close(base);
    return ok;
}

/* A name of a member; more than MEMBERS_MAX are "...". */
static bool words_member(hid_t type, unsigned index, bool *ended, vz_buffer *out, vz_error *err)
{
    char *name = index < MEMBERS_MAX ? H5Tget_member_name(type, index) : NULL;
    *ended = index >= MEMBERS_MAX;
    const bool ok = vz_words_printf(out, err, "%s%s", index ? ", " : "", *ended ? "..." : name ? name : "?");
    if (name)
        H5free_memory(name);
    return ok;
}

static bool words_enumeration(hid_t type, unsigned depth, vz_buffer *out, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    bool ok = words_base(type, "enumeration of ", depth, out, err) && vz_words_printf(out, err, " {"), ended = false;
    for (int i = 0; ok && !ended && i < count; i++)
        ok = words_member(type, (unsigned)i, &ended, out, err);
    return ok && vz_words_printf(out, err, "}");
}

static bool words_compound(hid_t type, unsigned depth, vz_buffer *out, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    bool ok = vz_words_printf(out, err, "{"), ended = false;
    for (int i = 0; ok && !ended && i < count; i++) {
        ok = words_member(type, (unsigned)i, &ended, out, err);
        const hid_t member = ok && !ended ? H5Tget_member_type(type, (unsigned)i) : H5I_INVALID_HID;
        if (member >= 0)
            ok = vz_words_printf(out, err, ": ") && words_at(member, depth + 1, out, err);
        vz_convert_id_close(member);
    }
    return ok && vz_words_printf(out, err, "}");
}

static const char *reference_word(hid_t type)
{
    return H5Tequal(type, H5T_STD_REF_OBJ) > 0       ? "object reference"
           : H5Tequal(type, H5T_STD_REF_DSETREG) > 0 ? "region reference"
                                                     : "reference";
}

static bool words_at(hid_t type, unsigned depth, vz_buffer *out, vz_error *err)
{
    if (depth >= VZ_TYPE_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "a type of more than %d levels", VZ_TYPE_MAX_DEPTH);
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
        return words_integer(type, out, err);
    case H5T_FLOAT:
        return words_float(type, out, err);
    case H5T_STRING:
        return words_text(type, out, err);
    case H5T_BITFIELD:
        return words_number(type, "bitfield", out, err);
    case H5T_OPAQUE:
        return vz_words_printf(out, err, "opaque of %zu bytes", H5Tget_size(type));
    case H5T_COMPOUND:
        return words_compound(type, depth, out, err);
    case H5T_REFERENCE:
        return vz_words_printf(out, err, "%s", reference_word(type));
    case H5T_ENUM:
        return words_enumeration(type, depth, out, err);
    case H5T_VLEN:
        return words_base(type, "sequence of ", depth, out, err);
    case H5T_ARRAY:
        return words_array(type, depth, out, err);
    case VZ_H5T_COMPLEX:
        return words_base(type, "complex of ", depth, out, err);
    default:
        return vz_words_printf(out, err, "unknown type of %zu bytes", H5Tget_size(type));
    }
}

bool vz_words_type(hid_t type, vz_buffer *out, vz_error *err)
{
    return words_at(type, 0, out, err);
}

static bool words_dims(int rank, const hsize_t *dims, vz_buffer *out, vz_error *err)
{
    bool ok = vz_words_printf(out, err, "(");
    for (int i = 0; ok && i < rank; i++)
        ok = dims[i] == H5S_UNLIMITED ? vz_words_printf(out, err, "%sunlimited", i ? ", " : "")
                                      : vz_words_printf(out, err, "%s%llu", i ? ", " : "", (unsigned long long)dims[i]);
    return ok && vz_words_printf(out, err, rank == 1 ? ",)" : ")");
}

bool vz_words_extent(hid_t space, bool with_maximum, vz_buffer *out, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK], maximum[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_ndims(space);
    if (H5Sget_simple_extent_type(space) == H5S_NULL)
        return vz_words_printf(out, err, "null");
    if (rank < 0 || H5Sget_simple_extent_dims(space, dims, maximum) < 0)
        return vz_convert_h5_fail(err, "its extent cannot be had");
    if (rank == 0)
        return vz_words_printf(out, err, "scalar");
    return words_dims(rank, dims, out, err) &&
           (!with_maximum || (vz_words_printf(out, err, " up to ") && words_dims(rank, maximum, out, err)));
}

bool vz_words_place(unsigned rank, const uint64_t *start, const uint64_t *extent, uint64_t number, vz_buffer *out,
                    vz_error *err)
{
    uint64_t at[H5S_MAX_RANK];
    bool ok = true;
    for (unsigned i = rank; i-- > 0; number /= extent[i])
        at[i] = (start ? start[i] : 0) + number % extent[i];
    for (unsigned i = 0; ok && i < rank; i++)
        ok = vz_words_printf(out, err, "%s%llu", i ? ", " : "(", (unsigned long long)at[i]);
    return ok && (rank == 0 || vz_words_printf(out, err, ")"));
}
