/* zoo_types.c - one type of every class and form, each as dataset, attribute, committed, member, element of arrays and
 * sequences. */
#include "zoo.h"

/* ---- numbers ---- */

static hid_t odd_integer(hid_t like, size_t size, size_t precision, size_t offset, H5T_order_t order)
{
    const hid_t type = must(H5Tcopy(like));
    must(H5Tset_size(type, size));
    must(H5Tset_precision(type, precision));
    must(H5Tset_offset(type, offset));
    must(H5Tset_order(type, order));
    return type;
}

#define COPY(name, id)                                                                                                 \
    static hid_t name(void)                                                                                            \
    {                                                                                                                  \
        return must(H5Tcopy(id));                                                                                      \
    }
COPY(i1, H5T_STD_I8LE)
COPY(u1, H5T_STD_U8LE)
COPY(i1be, H5T_STD_I8BE)
COPY(i2, H5T_STD_I16LE)
COPY(u2be, H5T_STD_U16BE)
COPY(i4, H5T_STD_I32LE)
COPY(i4be, H5T_STD_I32BE)
COPY(u4, H5T_STD_U32LE)
COPY(i8be, H5T_STD_I64BE)
COPY(u8, H5T_STD_U64LE)
COPY(f4, H5T_IEEE_F32LE)
COPY(f4be, H5T_IEEE_F32BE)
COPY(f8, H5T_IEEE_F64LE)
COPY(f8be, H5T_IEEE_F64BE)
COPY(f16, H5T_IEEE_F16LE)
COPY(f16be, H5T_IEEE_F16BE)
COPY(longdouble, H5T_NATIVE_LDOUBLE)
COPY(vax, H5T_VAX_F64)
COPY(bits8, H5T_STD_B8LE)
COPY(bits16be, H5T_STD_B16BE)
COPY(bits64, H5T_STD_B64LE)

static hid_t int24(void)
{
    return odd_integer(H5T_STD_I32LE, 4, 24, 3, H5T_ORDER_LE);
}

static hid_t uint20be(void)
{
    return odd_integer(H5T_STD_U32BE, 3, 20, 0, H5T_ORDER_BE);
}

static hid_t int128(void)
{
    return odd_integer(H5T_STD_I64LE, 16, 128, 0, H5T_ORDER_LE);
}

static hid_t padded(void)
{
    const hid_t type = odd_integer(H5T_STD_U16LE, 2, 9, 4, H5T_ORDER_LE);
    must(H5Tset_pad(type, H5T_PAD_ONE, H5T_PAD_ZERO));
    return type;
}

static hid_t bits5(void)
{
    return odd_integer(H5T_STD_B16LE, 2, 5, 6, H5T_ORDER_LE);
}

static hid_t small_float(size_t size, size_t exponent, size_t mantissa, size_t bias)
{
    const hid_t type = must(H5Tcopy(H5T_IEEE_F32LE));
    must(H5Tset_fields(type, exponent + mantissa, mantissa, exponent, 0, mantissa));
    must(H5Tset_precision(type, 8 * size));
    must(H5Tset_size(type, size));
    must(H5Tset_ebias(type, bias));
    return type;
}

static hid_t bfloat16(void)
{
    return small_float(2, 8, 7, 127);
}

static hid_t float8(void)
{
    return small_float(1, 4, 3, 7);
}

static hid_t float24(void)
{
    return small_float(3, 8, 15, 127);
}

static hid_t float_in_8(void) /* a float of 40 bits somewhere in eight bytes, big-endian, no hidden bit */
{
    const hid_t type = must(H5Tcopy(H5T_IEEE_F64BE));
    must(H5Tset_fields(type, 51, 42, 9, 12, 30));
    must(H5Tset_offset(type, 12));
    must(H5Tset_precision(type, 40));
    must(H5Tset_ebias(type, 255));
    must(H5Tset_norm(type, H5T_NORM_NONE));
    return type;
}

/* ---- text, bytes, enumerations ---- */

static hid_t text(size_t size, H5T_str_t pad, H5T_cset_t charset)
{
    const hid_t type = must(H5Tcopy(H5T_C_S1));
    must(H5Tset_size(type, size));
    must(H5Tset_strpad(type, pad));
    must(H5Tset_cset(type, charset));
    return type;
}

#define TEXT(name, size, pad, charset)                                                                                 \
    static hid_t name(void)                                                                                            \
    {                                                                                                                  \
        return text(size, pad, charset);                                                                               \
    }
TEXT(term, 7, H5T_STR_NULLTERM, H5T_CSET_ASCII)
TEXT(term_utf8, 9, H5T_STR_NULLTERM, H5T_CSET_UTF8)
TEXT(nul, 6, H5T_STR_NULLPAD, H5T_CSET_ASCII)
TEXT(nul_utf8, 8, H5T_STR_NULLPAD, H5T_CSET_UTF8)
TEXT(space, 5, H5T_STR_SPACEPAD, H5T_CSET_ASCII)
TEXT(space_utf8, 20, H5T_STR_SPACEPAD, H5T_CSET_UTF8)
TEXT(one, 1, H5T_STR_NULLTERM, H5T_CSET_ASCII)
TEXT(variable, H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII)
TEXT(variable_utf8, H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8)
TEXT(variable_space, H5T_VARIABLE, H5T_STR_SPACEPAD, H5T_CSET_UTF8)

static hid_t tagged(size_t size, const char *tag)
{
    const hid_t type = must(H5Tcreate(H5T_OPAQUE, size));
    must(H5Tset_tag(type, tag));
    return type;
}

static hid_t opaque(void)
{
    return tagged(5, "");
}

static hid_t opaque_tagged(void)
{
    return tagged(3, "a \"tag\"");
}

static hid_t numpy_time(void)
{
    return tagged(8, "NUMPY:<M8[ns]");
}

/* Members' values are converted into the base by HDF5, as they are in the file. */
static hid_t enumeration(hid_t base, const char *const *names, const long long *values, size_t count)
{
    const hid_t type = must(H5Tenum_create(base));
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[64] = {0};
        memcpy(bytes, &values[i], sizeof values[i]);
        must(H5Tconvert(H5T_NATIVE_LLONG, base, 1, bytes, NULL, H5P_DEFAULT));
        must(H5Tenum_insert(type, names[i], bytes));
    }
    H5Tclose(base);
    return type;
}

static const char *const names[] = {"owl", "wren", "gr\xc3\xbcn \"x\""};
static const long long ups[] = {0, 1, 5}, downs[] = {-7, 100, 3};

static hid_t flag(void)
{
    static const char *const words[] = {"FALSE", "TRUE"};
    return enumeration(must(H5Tcopy(H5T_STD_I8LE)), words, ups, 2);
}

static hid_t enum_u1(void)
{
    return enumeration(must(H5Tcopy(H5T_STD_U8LE)), names, ups, 3);
}

static hid_t enum_i2be(void)
{
    return enumeration(must(H5Tcopy(H5T_STD_I16BE)), names, downs, 3);
}

static hid_t enum_i8(void)
{
    return enumeration(must(H5Tcopy(H5T_STD_I64LE)), names, downs, 3);
}

static hid_t enum_int24(void)
{
    return enumeration(int24(), names, downs, 3);
}

/* ---- complex numbers as they were before HDF5 2 ---- */

static hid_t pair(hid_t half)
{
    const size_t size = H5Tget_size(half);
    const hid_t type = must(H5Tcreate(H5T_COMPOUND, 2 * size));
    must(H5Tinsert(type, "r", 0, half));
    must(H5Tinsert(type, "i", size, half));
    return type;
}

static hid_t complex64(void)
{
    return pair(H5T_IEEE_F32LE);
}

static hid_t complex128be(void)
{
    return pair(H5T_IEEE_F64BE);
}

static hid_t complex_long(void)
{
    return pair(H5T_NATIVE_LDOUBLE);
}

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
const zoo_type zoo_types[] = {
    ROW(i1),
    ROW(u1),
    ROW(i1be),
    ROW(i2),
    ROW(u2be),
    ROW(i4),
    ROW(i4be),
    ROW(u4),
    ROW(i8be),
    ROW(u8),
    ROW(f4),
    ROW(f4be),
    ROW(f8),
    ROW(f8be),
    ROW(f16),
    ROW(f16be),
    ROW(longdouble),
    ROW(vax),
    ROW(bits8),
    ROW(bits16be),
    ROW(bits64),
    ROW(bits5),
    ROW(int24),
    ROW(uint20be),
    ROW(int128),
    ROW(padded),
    ROW(bfloat16),
    ROW(float8),
    ROW(float24),
    ROW(float_in_8),
    ROW(term),
    ROW(term_utf8),
    ROW(nul),
    ROW(nul_utf8),
    ROW(space),
    ROW(space_utf8),
    ROW(one),
    ROW(variable),
    ROW(variable_utf8),
    ROW(variable_space),
    ROW(opaque),
    ROW(opaque_tagged),
    ROW(numpy_time),
    ROW(flag),
    ROW(enum_u1),
    ROW(enum_i2be),
    ROW(enum_i8),
    ROW(enum_int24),
    ROW(complex64),
    ROW(complex128be),
    ROW(complex_long),
};
const size_t zoo_type_count = sizeof zoo_types / sizeof *zoo_types;

/* ---- the part ---- */

static hid_t in_compound(hid_t type)
{
    const size_t size = H5Tget_size(type);
    const hid_t compound = must(H5Tcreate(H5T_COMPOUND, size + 3));
    must(H5Tinsert(compound, "before", 0, H5T_STD_I8LE));
    must(H5Tinsert(compound, "it", 1, type));
    must(H5Tinsert(compound, "after", size + 1, H5T_STD_U16LE));
    return compound;
}

static void show_as(hid_t file, const zoo_type *kind, const char *how, hid_t type)
{
    char path[128];
    snprintf(path, sizeof path, "/%s/%s", how, kind->name);
    zoo_dataset(file, path, type, 5, H5P_DEFAULT);
    snprintf(path, sizeof path, "/attributes/%s", kind->name);
    const hid_t where = must(H5Gopen2(file, path, H5P_DEFAULT));
    zoo_attribute(where, how, type, 5);
    snprintf(path, sizeof path, "%s_scalar", how);
    zoo_attribute(where, path, type, 0);
    H5Gclose(where);
}

static void show_committed(hid_t file, const zoo_type *kind, hid_t type)
{
    char path[128];
    snprintf(path, sizeof path, "/committed/%s", kind->name);
    must(H5Tcommit2(file, path, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    zoo_attribute(type, "of itself", type, 0);
    show_as(file, kind, "by_name", type);
}

void zoo_show(hid_t file, const zoo_type *kinds, size_t count)
{
    static const char *const groups[] = {"plain", "member", "array", "sequence", "committed", "by_name", "attributes"};
    const hsize_t dims[2] = {2, 1};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        H5Gclose(zoo_group(file, groups[i]));
    for (size_t i = 0; i < count; i++) {
        const zoo_type *kind = &kinds[i];
        const hid_t type = kind->make(), member = in_compound(type);
        const hid_t array = must(H5Tarray_create2(type, 2, dims)), sequence = must(H5Tvlen_create(type));
        const hid_t attributes = must(H5Gopen2(file, "attributes", H5P_DEFAULT));
        H5Gclose(zoo_group(attributes, kind->name));
        H5Gclose(attributes);
        show_as(file, kind, "plain", type);
        show_as(file, kind, "member", member);
        show_as(file, kind, "array", array);
        show_as(file, kind, "sequence", sequence);
        show_committed(file, kind, type);
        H5Tclose(sequence);
        H5Tclose(array);
        H5Tclose(member);
        H5Tclose(type);
    }
}

void zoo_part_types(hid_t file)
{
    zoo_show(file, zoo_types, zoo_type_count);
}
