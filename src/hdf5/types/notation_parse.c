/* notation_parse.c - HDF5 types from the short form of annotations. A form that describes no
 * type is VZ_CORRUPT. */
#include "hdf5/annotation/annotation.h"
#include "hdf5/types/types_internal.h"
#include <stdlib.h>

#define NUMBER_SIZE_MAX 64 /* bytes of integers and floats of odd forms */

static hid_t parse_type(const vz_json *form, unsigned depth, vz_error *err);

static hid_t wrong(vz_error *err, const char *what)
{
    vz_fail(err, VZ_CORRUPT, "annotation: %s does not describe a datatype", what);
    return H5I_INVALID_HID;
}

static bool read_size(const vz_json *value, size_t most, size_t *size)
{
    uint64_t number;
    if (!vz_json_get_uint64(value, &number) || number > most)
        return false;
    *size = number;
    return true;
}

static bool read_sizes(const vz_json *list, size_t most, size_t *sizes, size_t count)
{
    bool ok = vz_json_length(list) == count;
    for (size_t i = 0; ok && i < count; i++)
        ok = read_size(vz_json_at(list, i), most, &sizes[i]);
    return ok;
}

static bool read_word(const vz_json *value, const char *const *words, int *word)
{
    for (int i = 0; words[i]; i++)
        if (vz_json_is(value, words[i])) {
            *word = i;
            return true;
        }
    return false;
}

/* `type` if ok, else it is closed. */
static hid_t keep(hid_t type, bool ok, vz_error *err, const char *what)
{
    if (type >= 0 && ok)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return wrong(err, what);
}

/* ---- numbers ---- */

/* "<i4", "|u1", ">f8". */
static hid_t parse_number(const vz_json *form, vz_error *err)
{
    const char *text = vz_json_get_string(form, NULL);
    vz_number_format number = {VZ_NUMBER_INT};
    if (!text || strlen(text) != 3 || !strchr("<>|", text[0]) || !strchr("iuf", text[1]) || !strchr("1248", text[2]))
        return wrong(err, "its text");
    number.kind = text[1] == 'i' ? VZ_NUMBER_INT : text[1] == 'u' ? VZ_NUMBER_UINT : VZ_NUMBER_FLOAT;
    number.size = (size_t)(text[2] - '0');
    number.big_endian = text[0] == '>';
    if (number.kind == VZ_NUMBER_FLOAT && number.size == 1)
        return wrong(err, "its text");
    return vz_type_make_number(number, err);
}

typedef struct bits {
    size_t size, precision, offset, pad[2];
    H5T_order_t order;
} bits;

static bool read_bits(const vz_json *form, const char *key, bits *b)
{
    const vz_json *pad = vz_json_get(form, "pad");
    *b = (bits){0};
    return read_size(vz_json_get(form, key), NUMBER_SIZE_MAX, &b->size) && b->size > 0 &&
           read_size(vz_json_get(form, "prec"), 8 * b->size, &b->precision) && b->precision > 0 &&
           read_size(vz_json_get(form, "off"), 8 * b->size - b->precision, &b->offset) &&
           (!pad || read_sizes(pad, H5T_PAD_BACKGROUND, b->pad, 2)) &&
           vz_short_form_order_of(vz_json_get(form, "order"), &b->order);
}

/* The size first, then what must fit into it. */
static bool set_bits(hid_t type, const bits *b)
{
    return H5Tset_size(type, b->size) >= 0 && H5Tset_order(type, b->order) >= 0 && H5Tset_offset(type, 0) >= 0 &&
           H5Tset_precision(type, b->precision) >= 0 && H5Tset_offset(type, b->offset) >= 0 &&
           H5Tset_pad(type, (H5T_pad_t)b->pad[0], (H5T_pad_t)b->pad[1]) >= 0;
}

static hid_t parse_odd_integer(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    bits b;
    bool is_signed = false;
    vz_json_get_bool(vz_json_get(form, "sign"), &is_signed);
    if (!read_bits(form, "int", &b))
        return wrong(err, "\"int\"");
    hid_t type = H5Tcopy(is_signed ? H5T_STD_I64LE : H5T_STD_U64LE);
    return keep(type, type >= 0 && set_bits(type, &b), err, "\"int\"");
}

/* Every property is checked against the others as they are then. In more room than any number
 * takes they all fit. */
static bool set_float(hid_t type, const bits *b, const size_t *field, size_t bias, int norm, size_t inpad)
{
    return H5Tset_size(type, NUMBER_SIZE_MAX) >= 0 && H5Tset_precision(type, 8 * NUMBER_SIZE_MAX) >= 0 &&
           H5Tset_fields(type, field[0], field[1], field[2], field[3], field[4]) >= 0 &&
           H5Tset_precision(type, b->precision + b->offset) >= 0 && H5Tset_offset(type, b->offset) >= 0 &&
           H5Tset_precision(type, b->precision) >= 0 && H5Tset_size(type, b->size) >= 0 &&
           H5Tset_order(type, b->order) >= 0 && H5Tset_ebias(type, bias) >= 0 &&
           H5Tset_norm(type, (H5T_norm_t)norm) >= 0 && H5Tset_inpad(type, (H5T_pad_t)inpad) >= 0 &&
           H5Tset_pad(type, (H5T_pad_t)b->pad[0], (H5T_pad_t)b->pad[1]) >= 0;
}

static hid_t parse_odd_float(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    bits b;
    int norm;
    size_t field[5], bias, inpad = 0;
    const vz_json *pad = vz_json_get(form, "inpad");
    if (!read_bits(form, "float", &b) || !read_sizes(vz_json_get(form, "fields"), 8 * NUMBER_SIZE_MAX, field, 5) ||
        !read_size(vz_json_get(form, "bias"), SIZE_MAX, &bias) ||
        !read_word(vz_json_get(form, "norm"), vz_short_form_norms, &norm) ||
        (pad && !read_size(pad, H5T_PAD_BACKGROUND, &inpad)))
        return wrong(err, "\"float\"");
    /* H5Tset_order does not raise the version of a type's encoded form, which VAX order needs. */
    hid_t type = H5Tcopy(b.order == H5T_ORDER_VAX ? H5T_VAX_F64 : H5T_IEEE_F64LE);
    return keep(type, type >= 0 && set_float(type, &b, field, bias, norm, inpad), err, "\"float\"");
}

static hid_t parse_bitfield(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    const vz_json *number = vz_json_get(form, "bits");
    bits b = {0};
    const char *text = vz_json_get_string(number, NULL);
    if (text && strlen(text) == 3 && strchr("1248", text[2])) {
        b.size = (size_t)(text[2] - '0');
        b.precision = 8 * b.size;
        b.order = text[0] == '>' ? H5T_ORDER_BE : H5T_ORDER_LE;
    } else if (!read_bits(number, "int", &b)) {
        return wrong(err, "\"bits\"");
    }
    hid_t type = H5Tcopy(H5T_STD_B64LE);
    return keep(type, type >= 0 && set_bits(type, &b), err, "\"bits\"");
}

static hid_t parse_time(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    size_t size;
    H5T_order_t order;
    if (!read_size(vz_json_get(form, "time"), 8, &size) || (size != 4 && size != 8) ||
        !vz_short_form_order_of(vz_json_get(form, "order"), &order))
        return wrong(err, "\"time\"");
    if (order == H5T_ORDER_BE)
        return H5Tcopy(size == 4 ? H5T_UNIX_D32BE : H5T_UNIX_D64BE);
    return H5Tcopy(size == 4 ? H5T_UNIX_D32LE : H5T_UNIX_D64LE);
}

/* ---- text, bytes ---- */

static hid_t parse_string(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    size_t size = H5T_VARIABLE;
    int pad, cset;
    const vz_json *length = vz_json_get(form, "str");
    if ((!vz_json_is(length, "v") && (!read_size(length, VZ_DTYPE_MAX_SIZE, &size) || size == 0)) ||
        !read_word(vz_json_get(form, "pad"), vz_short_form_pads, &pad) ||
        !read_word(vz_json_get(form, "cs"), vz_short_form_csets, &cset))
        return wrong(err, "\"str\"");
    return vz_type_make_string(size, (H5T_str_t)pad, (H5T_cset_t)cset, err);
}

static hid_t parse_opaque(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    size_t size;
    const vz_json *tag = vz_json_get(form, "tag");
    if (!read_size(vz_json_get(form, "opaque"), VZ_DTYPE_MAX_SIZE, &size) || size == 0)
        return wrong(err, "\"opaque\"");
    if (!tag)
        return vz_type_make_opaque(size, "", err);
    char *text = vz_unusual_name_parse(tag, err);
    const hid_t type = text ? vz_type_make_opaque(size, text, err) : wrong(err, "\"opaque\"");
    free(text);
    return type;
}

/* ---- types of types ---- */

static bool add_enum_member(hid_t type, hid_t base, const char *name, const vz_json *value)
{
    union {
        int64_t i;
        uint64_t u;
    } number;
    const bool is_unsigned = !vz_json_get_int64(value, &number.i);
    if (is_unsigned && !vz_json_get_uint64(value, &number.u))
        return false;
    return H5Tconvert(is_unsigned ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64, base, 1, &number, NULL, H5P_DEFAULT) >= 0 &&
           H5Tenum_insert(type, name, &number) >= 0;
}

/* [name, value], where some name is not UTF-8 */
static bool add_enum_pair(hid_t type, hid_t base, const vz_json *pair, vz_error *err)
{
    char *name = vz_json_length(pair) == 2 ? vz_unusual_name_parse(vz_json_at(pair, 0), err) : NULL;
    const bool ok = name && add_enum_member(type, base, name, vz_json_at(pair, 1));
    free(name);
    return ok;
}

static bool add_enum_members(hid_t type, hid_t base, const vz_json *members, vz_error *err)
{
    const char *name;
    vz_json *value;
    bool ok = members != NULL;
    if (vz_json_length(members) > VZ_ENUM_MAX_MEMBERS)
        return vz_fail(err, VZ_LIMIT, "an enumeration of %zu members: more than %d", vz_json_length(members),
                       VZ_ENUM_MAX_MEMBERS);
    if (ok && vz_json_kind_of(members) == VZ_JSON_ARRAY) {
        for (size_t i = 0; ok && i < vz_json_length(members); i++)
            ok = add_enum_pair(type, base, vz_json_at(members, i), err);
        return ok;
    }
    ok = ok && vz_json_kind_of(members) == VZ_JSON_OBJECT;
    for (size_t i = 0; ok && vz_json_member(members, i, &name, &value); i++)
        ok = add_enum_member(type, base, name, value);
    return ok;
}

static hid_t parse_enum(const vz_json *form, unsigned depth, vz_error *err)
{
    const vz_json *members = vz_json_get(form, "m");
    hid_t base = parse_type(vz_json_get(form, "enum"), depth + 1, err);
    if (base < 0)
        return base;
    bool ok = H5Tget_class(base) == H5T_INTEGER && H5Tget_size(base) <= sizeof(uint64_t);
    hid_t type = ok ? H5Tenum_create(base) : H5I_INVALID_HID;
    ok = type >= 0 && add_enum_members(type, base, members, err);
    H5Tclose(base);
    return keep(type, ok, err, "\"enum\"");
}

static hid_t parse_sequence(const vz_json *form, unsigned depth, vz_error *err)
{
    return vz_type_make_sequence(parse_type(vz_json_get(form, "vlen"), depth + 1, err), err);
}

static hid_t parse_array(const vz_json *form, unsigned depth, vz_error *err)
{
    const vz_json *list = vz_json_get(form, "d");
    const size_t rank = vz_json_length(list);
    size_t sizes[H5S_MAX_RANK];
    hsize_t dims[H5S_MAX_RANK];
    uint64_t total = 1;
    bool ok = rank > 0 && rank <= H5S_MAX_RANK && read_sizes(list, VZ_DTYPE_MAX_SIZE, sizes, rank);
    for (size_t d = 0; ok && d < rank; d++) {
        dims[d] = sizes[d];
        ok = dims[d] > 0 && vz_mul(total, dims[d], &total) && total <= VZ_DTYPE_MAX_SIZE;
    }
    if (!ok)
        return wrong(err, "\"arr\"");
    hid_t base = parse_type(vz_json_get(form, "arr"), depth + 1, err);
    if (base >= 0 && H5Tget_size(base) > VZ_DTYPE_MAX_SIZE / total)
        return keep(base, false, err, "\"arr\"");
    return vz_type_make_array(base, (unsigned)rank, dims, err);
}

static bool add_named(hid_t type, size_t size, const char *name, const vz_json *entry, unsigned depth, vz_error *err)
{
    size_t offset;
    if (!*name || !read_size(vz_json_at(entry, 1), size, &offset))
        return false;
    hid_t member = parse_type(vz_json_at(entry, 2), depth + 1, err);
    if (member >= 0 && H5Tget_size(member) > size - offset) {
        H5Tclose(member);
        return false;
    }
    return vz_type_make_member(type, name, offset, member, err);
}

static bool add_member(hid_t type, size_t size, const vz_json *entry, unsigned depth, vz_error *err)
{
    char *name = vz_json_length(entry) == 3 ? vz_unusual_name_parse(vz_json_at(entry, 0), err) : NULL;
    const bool ok = name && add_named(type, size, name, entry, depth, err);
    free(name);
    return ok;
}

static hid_t parse_compound(const vz_json *form, unsigned depth, vz_error *err)
{
    size_t size;
    const vz_json *members = vz_json_get(form, "m");
    const size_t count = vz_json_length(members);
    if (!read_size(vz_json_get(form, "cmpd"), VZ_DTYPE_MAX_SIZE, &size) || size == 0 || count == 0 ||
        vz_json_kind_of(members) != VZ_JSON_ARRAY)
        return wrong(err, "\"cmpd\"");
    if (count > VZ_DTYPE_MAX_FIELDS) {
        vz_fail(err, VZ_LIMIT, "a compound of %zu members: more than %d", count, VZ_DTYPE_MAX_FIELDS);
        return H5I_INVALID_HID;
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    bool ok = type >= 0;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_member(type, size, vz_json_at(members, i), depth, err);
    return keep(type, ok, err, "\"cmpd\"");
}

static hid_t parse_reference(const vz_json *form, unsigned depth, vz_error *err)
{
    (void)depth;
    const vz_json *kind = vz_json_get(form, "ref");
    if (vz_json_is(kind, "obj"))
        return H5Tcopy(H5T_STD_REF_OBJ);
    if (vz_json_is(kind, "reg"))
        return H5Tcopy(H5T_STD_REF_DSETREG);
    return vz_json_is(kind, "std") ? H5Tcopy(H5T_STD_REF) : wrong(err, "\"ref\"");
}

/* Hosts before 2.0 have no complex class; they see h5py's compound instead. */
static hid_t parse_complex(const vz_json *form, unsigned depth, vz_error *err)
{
    hid_t base = parse_type(vz_json_get(form, "cplx"), depth + 1, err);
    vz_number_format number;
    if (base < 0)
        return base;
    hid_t type = H5I_INVALID_HID;
    if (H5Tcomplex_create)
        type = H5Tcomplex_create(base);
    else if (vz_type_tree_number(base, H5Tget_class(base), &number) && number.kind == VZ_NUMBER_FLOAT)
        type = vz_type_make_complex(2 * number.size, number.big_endian, err);
    H5Tclose(base);
    return keep(type, true, err, "\"cplx\"");
}

typedef struct parser {
    const char *key; /* which the object has */
    hid_t (*parse)(const vz_json *form, unsigned depth, vz_error *err);
} parser;

static const parser parsers[] = {
    {"str", parse_string},      {"enum", parse_enum},     {"cmpd", parse_compound}, {"arr", parse_array},
    {"vlen", parse_sequence},   {"opaque", parse_opaque}, {"bits", parse_bitfield}, {"int", parse_odd_integer},
    {"float", parse_odd_float}, {"time", parse_time},     {"ref", parse_reference}, {"cplx", parse_complex},
};

static hid_t parse_type(const vz_json *form, unsigned depth, vz_error *err)
{
    if (!form || depth >= VZ_SHORT_FORM_MAX_DEPTH)
        return wrong(err, "what is missing or nested too deeply");
    if (vz_json_kind_of(form) == VZ_JSON_STRING)
        return parse_number(form, err);
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++)
        if (vz_json_get(form, parsers[i].key))
            return parsers[i].parse(form, depth, err);
    return wrong(err, "an object without a known key");
}

hid_t vz_short_form_parse(const vz_json *form, vz_error *err)
{
    return parse_type(form, 0, err);
}
