/* notation_print.c - HDF5 types in the short form of annotations. */
#include "hdf5/annotation/annotation.h"
#include "hdf5/types/types_internal.h"
#include <stdio.h>
#include <stdlib.h>

const char *const vz_short_form_pads[] = {"null", "nul", "space", NULL};
const char *const vz_short_form_csets[] = {"ascii", "utf8", NULL};
const char *const vz_short_form_norms[] = {"implied", "msbset", "none", NULL};

static const char *print_order(H5T_order_t order)
{
    return order == H5T_ORDER_LE ? "<" : order == H5T_ORDER_BE ? ">" : order == H5T_ORDER_VAX ? "vax" : NULL;
}

bool vz_short_form_order_of(const vz_json *text, H5T_order_t *order)
{
    static const H5T_order_t orders[] = {H5T_ORDER_LE, H5T_ORDER_BE, H5T_ORDER_VAX};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (vz_json_is(text, print_order(orders[i]))) {
            *order = orders[i];
            return true;
        }
    return false;
}

static vz_json *print_type(hid_t type, unsigned depth, vz_error *err);

static vz_json *refuse(vz_error *err, const char *what)
{
    vz_fail(err, VZ_UNSUPPORTED, "%s cannot be described in an annotation", what);
    return NULL;
}

/* An object under construction: `ok` turns false at the first failure, and finish then frees it. */
typedef struct form {
    vz_json *object;
    bool ok;
    vz_error *err;
} form;

static form begin(vz_error *err)
{
    vz_json *object = vz_json_object(err);
    return (form){object, object != NULL, err};
}

static void put(form *f, const char *key, vz_json *take)
{
    if (f->ok)
        f->ok = vz_json_set(f->object, key, take, f->err);
    else
        vz_json_free(take);
}

static void put_size(form *f, const char *key, size_t value)
{
    put(f, key, vz_json_uint64(value, f->err));
}

static void put_word(form *f, const char *key, const char *const *words, int value)
{
    for (int i = 0; words[i]; i++)
        if (i == value)
            return put(f, key, vz_json_text(words[i], f->err));
    put(f, key, refuse(f->err, "a datatype of an unknown kind"));
}

static void put_sizes(form *f, const char *key, const size_t *values, size_t count)
{
    vz_json *list = vz_json_array(f->err);
    for (size_t i = 0; list && i < count; i++)
        if (!vz_json_append(list, vz_json_uint64(values[i], f->err), f->err)) {
            vz_json_free(list);
            list = NULL;
        }
    put(f, key, list);
}

static vz_json *finish(form *f)
{
    if (f->ok)
        return f->object;
    vz_json_free(f->object);
    return NULL;
}

/* ---- numbers ---- */

static void put_bits(form *f, hid_t type)
{
    const char *order = print_order(H5Tget_order(type));
    H5T_pad_t low = H5T_PAD_ZERO, high = H5T_PAD_ZERO;
    H5Tget_pad(type, &low, &high);
    put(f, "order", order ? vz_json_text(order, f->err) : refuse(f->err, "a number of this byte order"));
    put_size(f, "prec", H5Tget_precision(type));
    put_size(f, "off", (size_t)H5Tget_offset(type));
    if (low != H5T_PAD_ZERO || high != H5T_PAD_ZERO)
        put_sizes(f, "pad", (const size_t[]){low, high}, 2);
}

static vz_json *print_odd_integer(hid_t type, vz_error *err)
{
    form f = begin(err);
    put_size(&f, "int", H5Tget_size(type));
    if (H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2)
        put(&f, "sign", vz_json_bool(true, err));
    put_bits(&f, type);
    return finish(&f);
}

static vz_json *print_odd_float(hid_t type, vz_error *err)
{
    size_t field[5] = {0};
    H5Tget_fields(type, &field[0], &field[1], &field[2], &field[3], &field[4]);
    form f = begin(err);
    put_size(&f, "float", H5Tget_size(type));
    put_bits(&f, type);
    put_sizes(&f, "fields", field, 5);
    put_size(&f, "bias", H5Tget_ebias(type));
    put_word(&f, "norm", vz_short_form_norms, H5Tget_norm(type));
    if (H5Tget_inpad(type) != H5T_PAD_ZERO)
        put_size(&f, "inpad", (size_t)H5Tget_inpad(type));
    return finish(&f);
}

static bool is_padded(hid_t type, H5T_class_t class)
{
    H5T_pad_t low, high;
    return H5Tget_pad(type, &low, &high) < 0 || low != H5T_PAD_ZERO || high != H5T_PAD_ZERO ||
           (class == H5T_FLOAT && H5Tget_inpad(type) != H5T_PAD_ZERO);
}

/* numpy's text, with the order of single bytes, which HDF5 knows. */
static vz_json *print_number(hid_t type, vz_error *err)
{
    static const char letters[] = {[VZ_NUMBER_INT] = 'i', [VZ_NUMBER_UINT] = 'u', [VZ_NUMBER_FLOAT] = 'f'};
    const H5T_class_t class = H5Tget_class(type);
    vz_number_format number;
    if (!vz_type_tree_number(type, class, &number) || is_padded(type, class))
        return class == H5T_FLOAT ? print_odd_float(type, err) : print_odd_integer(type, err);
    char order = number.size == 1 ? '|' : '<';
    if (H5Tget_order(type) == H5T_ORDER_BE)
        order = '>';
    char text[8];
    snprintf(text, sizeof text, "%c%c%zu", order, letters[number.kind], number.size);
    return vz_json_text(text, err);
}

static vz_json *print_bitfield(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    form f = begin(err);
    put(&f, "bits", print_number(type, err));
    return finish(&f);
}

static vz_json *print_plain_number(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    return print_number(type, err);
}

static vz_json *print_time(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    form f = begin(err);
    const char *order = print_order(H5Tget_order(type));
    put_size(&f, "time", H5Tget_size(type));
    put(&f, "order", order ? vz_json_text(order, err) : refuse(err, "a time of this byte order"));
    return finish(&f);
}

/* ---- text, bytes ---- */

static vz_json *print_string(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    form f = begin(err);
    if (H5Tis_variable_str(type) > 0)
        put(&f, "str", vz_json_text("v", err));
    else
        put_size(&f, "str", H5Tget_size(type));
    put_word(&f, "pad", vz_short_form_pads, H5Tget_strpad(type));
    put_word(&f, "cs", vz_short_form_csets, H5Tget_cset(type));
    return finish(&f);
}

static vz_json *print_opaque(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    char *tag = H5Tget_tag(type);
    form f = begin(err);
    put_size(&f, "opaque", H5Tget_size(type));
    if (tag && *tag)
        put(&f, "tag", vz_unusual_name_print(tag, err));
    H5free_memory(tag);
    return finish(&f);
}

/* ---- types of types ---- */

static bool print_base(void *context, const vz_type_part *base, vz_error *err)
{
    vz_json **printed = context;
    *printed = print_type(base->type, base->depth, err);
    return *printed != NULL;
}

static vz_json *print_super(hid_t type, unsigned depth, vz_error *err)
{
    vz_json *printed = NULL;
    vz_type_parts(type, depth, print_base, &printed, err);
    return printed;
}

/* Any integer of up to 8 bytes as 64 bits; `value` has room for either form. */
static vz_json *print_value(hid_t base, bool is_signed, void *value, vz_error *err)
{
    if (H5Tconvert(base, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, 1, value, NULL, H5P_DEFAULT) < 0)
        return refuse(err, "an enumeration over this datatype");
    if (is_signed)
        return vz_json_int64(*(const int64_t *)value, err);
    return vz_json_uint64(*(const uint64_t *)value, err);
}

static bool has_odd_names(hid_t type, int count)
{
    bool odd = false;
    for (int i = 0; !odd && i < count; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        odd = name && !vz_utf8_valid(name, strlen(name));
        H5free_memory(name);
    }
    return odd;
}

/* Takes `value`. */
static bool add_pair(vz_json *list, const char *name, vz_json *value, vz_error *err)
{
    vz_json *pair = value ? vz_json_array(err) : NULL;
    if (!pair || !vz_json_append(pair, vz_unusual_name_print(name, err), err)) {
        vz_json_free(value);
        vz_json_free(pair);
        return false;
    }
    if (vz_json_append(pair, value, err))
        return vz_json_append(list, pair, err);
    vz_json_free(pair);
    return false;
}

/* An object; where a name is not UTF-8, a list of pairs. */
static vz_json *print_enum_members(hid_t type, hid_t base, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    const bool is_signed = H5Tget_sign(base) == H5T_SGN_2, odd = has_odd_names(type, count);
    vz_json *members = odd ? vz_json_array(err) : vz_json_object(err);
    bool ok = members != NULL;
    for (int i = 0; ok && i < count; i++) {
        uint64_t value = 0;
        char *name = H5Tget_member_name(type, (unsigned)i);
        if (!name || H5Tget_member_value(type, (unsigned)i, &value) < 0)
            ok = refuse(err, "an enumeration with such a member");
        else if (odd)
            ok = add_pair(members, name, print_value(base, is_signed, &value, err), err);
        else
            ok = vz_json_set(members, name, print_value(base, is_signed, &value, err), err);
        H5free_memory(name);
    }
    if (ok)
        return members;
    vz_json_free(members);
    return NULL;
}

static vz_json *print_enum(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    if (H5Tget_nmembers(type) > VZ_ENUM_MAX_MEMBERS)
        return refuse(err, "an enumeration of so many members");
    if (H5Tget_size(type) > sizeof(uint64_t))
        return refuse(err, "an enumeration of more than 8 bytes");
    hid_t base = H5Tget_super(type);
    if (base < 0)
        return refuse(err, "an enumeration without a base");
    form f = begin(err);
    put(&f, "enum", print_number(base, err));
    put(&f, "m", f.ok ? print_enum_members(type, base, err) : NULL);
    H5Tclose(base);
    return finish(&f);
}

static vz_json *print_sequence(hid_t type, unsigned depth, vz_error *err)
{
    form f = begin(err);
    put(&f, "vlen", print_super(type, depth, err));
    return finish(&f);
}

static vz_json *print_complex(hid_t type, unsigned depth, vz_error *err)
{
    form f = begin(err);
    put(&f, "cplx", print_super(type, depth, err));
    return finish(&f);
}

static vz_json *print_array(hid_t type, unsigned depth, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    size_t sizes[H5S_MAX_RANK];
    const int rank = H5Tget_array_dims2(type, dims);
    for (int d = 0; d < rank; d++)
        sizes[d] = dims[d];
    form f = begin(err);
    put(&f, "arr", print_super(type, depth, err));
    put_sizes(&f, "d", sizes, rank > 0 ? (size_t)rank : 0);
    return finish(&f);
}

static bool print_member(void *context, const vz_type_part *member, vz_error *err)
{
    vz_json *entry = vz_json_array(err);
    if (entry && vz_json_append(entry, vz_unusual_name_print(member->name, err), err) &&
        vz_json_append(entry, vz_json_uint64(member->offset, err), err) &&
        vz_json_append(entry, print_type(member->type, member->depth, err), err))
        return vz_json_append(context, entry, err);
    vz_json_free(entry);
    return false;
}

static vz_json *print_compound(hid_t type, unsigned depth, vz_error *err)
{
    if (H5Tget_nmembers(type) > VZ_DTYPE_MAX_FIELDS)
        return refuse(err, "a compound of so many members");
    vz_json *members = vz_json_array(err);
    if (members && !vz_type_parts(type, depth, print_member, members, err)) {
        vz_json_free(members);
        members = NULL;
    }
    form f = begin(err);
    put_size(&f, "cmpd", H5Tget_size(type));
    put(&f, "m", members);
    return finish(&f);
}

static vz_json *print_reference(hid_t type, unsigned depth, vz_error *err)
{
    (void)depth;
    const char *kind = H5Tequal(type, H5T_STD_REF_OBJ) > 0       ? "obj"
                       : H5Tequal(type, H5T_STD_REF_DSETREG) > 0 ? "reg"
                       : H5Tequal(type, H5T_STD_REF) > 0         ? "std"
                                                                 : NULL;
    form f = begin(err);
    put(&f, "ref", kind ? vz_json_text(kind, err) : refuse(err, "a reference of this kind"));
    return finish(&f);
}

typedef struct printer {
    H5T_class_t class;
    vz_json *(*print)(hid_t type, unsigned depth, vz_error *err);
} printer;

static const printer printers[] = {
    {H5T_INTEGER, print_plain_number},
    {H5T_FLOAT, print_plain_number},
    {H5T_BITFIELD, print_bitfield},
    {H5T_TIME, print_time},
    {H5T_STRING, print_string},
    {H5T_OPAQUE, print_opaque},
    {H5T_ENUM, print_enum},
    {H5T_VLEN, print_sequence},
    {H5T_ARRAY, print_array},
    {H5T_COMPOUND, print_compound},
    {H5T_REFERENCE, print_reference},
    {VZ_H5T_COMPLEX, print_complex},
};

static vz_json *print_type(hid_t type, unsigned depth, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    if (depth >= VZ_SHORT_FORM_MAX_DEPTH)
        return refuse(err, "a datatype nested so deeply");
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (printers[i].class == class)
            return printers[i].print(type, depth, err);
    return refuse(err, "a datatype of this class");
}

vz_json *vz_short_form_print(hid_t type, vz_error *err)
{
    return print_type(type, 0, err);
}
