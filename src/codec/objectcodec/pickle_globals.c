/* pickle_globals.c - the names that a pickle of an array may use, and what is made when they are
 * called. */
#include "codec/objectcodec/objects_internal.h"

#define STATE_VERSION_ARRAY 1
#define DTYPE_SIZE_MAX      ((uint64_t)1 << 30)

typedef struct name_row {
    const char *module, *name;
    vz_pickle_name means;
} name_row;

static const name_row names[] = {
    {"numpy.core.multiarray", "_reconstruct", VZ_PICKLE_RECONSTRUCT},
    {"numpy._core.multiarray", "_reconstruct", VZ_PICKLE_RECONSTRUCT},
    {"numpy.core.multiarray", "scalar", VZ_PICKLE_SCALAR},
    {"numpy._core.multiarray", "scalar", VZ_PICKLE_SCALAR},
    {"numpy", "ndarray", VZ_PICKLE_NDARRAY},
    {"numpy", "dtype", VZ_PICKLE_DTYPE},
    {"hdmf_zarr.utils", "ZarrReference", VZ_PICKLE_REFERENCE},
    {"_codecs", "encode", VZ_PICKLE_ENCODE},
    {"builtins", "dict", VZ_PICKLE_DICT},
    {"__builtin__", "dict", VZ_PICKLE_DICT},
    {"builtins", "bytes", VZ_PICKLE_BYTES},
    {"__builtin__", "bytes", VZ_PICKLE_BYTES},
    {"builtins", "str", VZ_PICKLE_INERT},
    {"__builtin__", "unicode", VZ_PICKLE_INERT},
    {"h5py.h5r", "Reference", VZ_PICKLE_INERT},
};

static bool is_text(vz_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

/* For a message: what is no plain ASCII is shown as '?'. */
static const char *printable(vz_bytes bytes, char *buffer, size_t size)
{
    size_t n = 0;
    for (; n < bytes.size && n + 1 < size; n++)
        buffer[n] = bytes.data[n] >= 0x20 && bytes.data[n] < 0x7f ? (char)bytes.data[n] : '?';
    buffer[n] = '\0';
    return buffer;
}

bool vz_pickle_find_name(vz_unpickler *u, vz_bytes module, vz_bytes name, vz_pickle_name *found)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_text(module, names[i].module) && is_text(name, names[i].name)) {
            *found = names[i].means;
            return true;
        }
    char module_text[80], name_text[80];
    return vz_fail(u->err, VZ_UNSUPPORTED, "pickle: the name \"%s.%s\" is none that data need",
                   printable(module, module_text, sizeof module_text), printable(name, name_text, sizeof name_text));
}

/* ---- looking at values ---- */

static bool value_is(const vz_pickled *value, const char *text)
{
    return value->kind == VZ_PICKLED_TEXT && is_text(value->bytes, text);
}

bool vz_pickled_size(const vz_pickled *value, uint64_t most, uint64_t *size)
{
    if (value->kind != VZ_PICKLED_INTEGER || value->flag || value->magnitude > most)
        return false;
    *size = value->magnitude;
    return true;
}

static bool is_name(const vz_pickled *value, vz_pickle_name name)
{
    return value->kind == VZ_PICKLED_NAME && value->name == name;
}

/* A tuple of so many values. */
static bool is_tuple(const vz_pickled *value, size_t count)
{
    return value->kind == VZ_PICKLED_TUPLE && value->list.count == count;
}

static vz_pickled *refused(vz_unpickler *u, const char *what)
{
    vz_fail(u->err, VZ_UNSUPPORTED, "pickle: %s", what);
    return NULL;
}

/* ---- calls ---- */

/* (numpy.ndarray, (0,), b"b"): an array that BUILD will fill. */
static vz_pickled *reconstruct(vz_unpickler *u, const vz_pickled *arguments)
{
    if (!is_tuple(arguments, 3) || !is_name(arguments->list.items[0], VZ_PICKLE_NDARRAY))
        return refused(u, "an array of another class than numpy.ndarray");
    return vz_unpickler_new(u, VZ_PICKLED_ARRAY);
}

/* (code, align, copy) */
static vz_pickled *make_dtype(vz_unpickler *u, const vz_pickled *arguments)
{
    if (arguments->kind != VZ_PICKLED_TUPLE || arguments->list.count == 0 ||
        arguments->list.items[0]->kind != VZ_PICKLED_TEXT)
        return refused(u, "a dtype without a code");
    const vz_bytes code = arguments->list.items[0]->bytes;
    uint64_t size = 0;
    bool known = code.size > 0 && code.size < 12 && memchr("biufcSUVOMm", code.data[0], 11);
    for (size_t i = 1; known && i < code.size; i++) {
        known = code.data[i] >= '0' && code.data[i] <= '9';
        size = 10 * size + (uint64_t)(code.data[i] - '0');
    }
    if (known && code.data[0] == 'U')
        size *= 4;
    if (!known || size > DTYPE_SIZE_MAX)
        return refused(u, "a dtype whose code is not known");
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_DTYPE);
    if (value)
        value->dtype = (vz_pickled_dtype){.kind = (char)code.data[0], .size = (size_t)size};
    return value;
}

/* (dtype, data) */
static vz_pickled *make_scalar(vz_unpickler *u, const vz_pickled *arguments)
{
    if (!is_tuple(arguments, 2) || arguments->list.items[0]->kind != VZ_PICKLED_DTYPE)
        return refused(u, "a scalar that is not made of a dtype and data");
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_SCALAR);
    if (value) {
        value->scalar.dtype = arguments->list.items[0];
        value->scalar.data = arguments->list.items[1];
    }
    return value;
}

/* Protocol 2 has no bytes: (text of code points below 256, "latin1"). */
static vz_pickled *encode_latin1(vz_unpickler *u, const vz_pickled *arguments)
{
    if (!is_tuple(arguments, 2) || arguments->list.items[0]->kind != VZ_PICKLED_TEXT ||
        !value_is(arguments->list.items[1], "latin1"))
        return refused(u, "text encoded otherwise than as Latin 1");
    const vz_bytes text = arguments->list.items[0]->bytes;
    uint8_t *bytes = vz_unpickler_take(u, text.size);
    vz_pickled *value = bytes ? vz_unpickler_new(u, VZ_PICKLED_BYTES) : NULL;
    if (!value)
        return NULL;
    size_t size = 0;
    for (size_t i = 0; i < text.size; size++) {
        const size_t length = vz_utf8_sequence(text.data + i, text.size - i, false);
        const uint32_t point = length ? vz_utf8_code_point(text.data + i, length) : 0;
        if (length == 0 || point > 0xff)
            return refused(u, "text that is not Latin 1");
        bytes[size] = (uint8_t)point;
        i += length;
    }
    value->bytes = (vz_bytes){bytes, size};
    return value;
}

static vz_pickled *empty_bytes(vz_unpickler *u)
{
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_BYTES);
    if (value)
        value->bytes.data = (const uint8_t *)"";
    return value;
}

vz_pickled *vz_pickle_reduce(vz_unpickler *u, const vz_pickled *callee, const vz_pickled *arguments)
{
    if (is_name(callee, VZ_PICKLE_RECONSTRUCT))
        return reconstruct(u, arguments);
    if (is_name(callee, VZ_PICKLE_DTYPE))
        return make_dtype(u, arguments);
    if (is_name(callee, VZ_PICKLE_SCALAR))
        return make_scalar(u, arguments);
    if (is_name(callee, VZ_PICKLE_ENCODE))
        return encode_latin1(u, arguments);
    if (is_name(callee, VZ_PICKLE_BYTES) && is_tuple(arguments, 0))
        return empty_bytes(u);
    if (is_name(callee, VZ_PICKLE_DICT) && is_tuple(arguments, 0))
        return vz_unpickler_new(u, VZ_PICKLED_DICT);
    return refused(u, "a call that data do not need");
}

vz_pickled *vz_pickle_new_object(vz_unpickler *u, const vz_pickled *class, const vz_pickled *arguments)
{
    const bool is_dict = is_name(class, VZ_PICKLE_REFERENCE) || is_name(class, VZ_PICKLE_DICT);
    if (is_dict && is_tuple(arguments, 0))
        return vz_unpickler_new(u, VZ_PICKLED_DICT);
    return refused(u, "an object of a class that data do not need");
}

/* ---- state ---- */

static bool wrong_state(vz_unpickler *u, const char *of)
{
    return vz_fail(u->err, VZ_CORRUPT, "pickle: the state of %s is not as numpy writes it", of);
}

/* (1, shape, dtype, fortran, data) */
static bool build_array(vz_unpickler *u, vz_pickled_array *array, const vz_pickled *state)
{
    uint64_t version;
    if (array->shape || !is_tuple(state, 5))
        return wrong_state(u, "an array");
    vz_pickled **part = state->list.items;
    if (!vz_pickled_size(part[0], STATE_VERSION_ARRAY, &version) || part[1]->kind != VZ_PICKLED_TUPLE ||
        part[2]->kind != VZ_PICKLED_DTYPE || part[3]->kind != VZ_PICKLED_BOOL ||
        (part[4]->kind != VZ_PICKLED_LIST && part[4]->kind != VZ_PICKLED_BYTES))
        return wrong_state(u, "an array");
    *array = (vz_pickled_array){.shape = part[1], .dtype = part[2], .fortran = part[3]->flag, .data = part[4]};
    return true;
}

static bool set_structure(vz_pickled_dtype *dtype, const vz_pickled *member_names, const vz_pickled *fields)
{
    if (member_names->kind == VZ_PICKLED_NONE)
        return true;
    dtype->names = member_names;
    dtype->fields = fields;
    return dtype->kind == 'V' && member_names->kind == VZ_PICKLED_TUPLE &&
           member_names->list.count <= VZ_PICKLE_MEMBERS_MAX && fields->kind == VZ_PICKLED_DICT;
}

static bool set_base(vz_pickled_dtype *dtype, const vz_pickled *pair)
{
    if (pair->kind == VZ_PICKLED_NONE)
        return true;
    if (!is_tuple(pair, 2) || pair->list.items[0]->kind != VZ_PICKLED_DTYPE ||
        pair->list.items[1]->kind != VZ_PICKLED_TUPLE)
        return false;
    dtype->base = pair->list.items[0];
    dtype->shape = pair->list.items[1];
    return dtype->kind == 'V';
}

/* (3, order, (base, shape), names, fields, size, alignment, flags); of version 4, metadata follow,
 * which say nothing about the bytes. Size is -1 where the code tells it. */
static bool build_dtype(vz_unpickler *u, vz_pickled_dtype *dtype, const vz_pickled *state)
{
    uint64_t version, size;
    if (dtype->built || (!is_tuple(state, 8) && !is_tuple(state, 9)))
        return wrong_state(u, "a dtype");
    vz_pickled **part = state->list.items;
    if (!vz_pickled_size(part[0], 4, &version) || version < 3 || part[1]->kind != VZ_PICKLED_TEXT ||
        part[5]->kind != VZ_PICKLED_INTEGER || !set_base(dtype, part[2]) || !set_structure(dtype, part[3], part[4]))
        return wrong_state(u, "a dtype");
    if (vz_pickled_size(part[5], DTYPE_SIZE_MAX, &size))
        dtype->size = (size_t)size;
    dtype->big_endian = value_is(part[1], ">");
    dtype->built = true;
    return true;
}

bool vz_pickle_build(vz_unpickler *u, vz_pickled *target, const vz_pickled *state)
{
    if (target->kind == VZ_PICKLED_ARRAY)
        return build_array(u, &target->array, state);
    if (target->kind == VZ_PICKLED_DTYPE)
        return build_dtype(u, &target->dtype, state);
    const bool empty = state->kind == VZ_PICKLED_NONE || (state->kind == VZ_PICKLED_DICT && state->list.count == 0);
    if (target->kind == VZ_PICKLED_DICT && empty)
        return true;
    return vz_fail(u->err, VZ_UNSUPPORTED, "pickle: state of something that is neither an array nor a dtype");
}
