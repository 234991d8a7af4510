/* pickle_numpy.c - numpy's memory as JSON text: elements of every type that JSON has words for,
 * arrays of them. */
#include "codec/codec/codec.h"
#include "codec/objectcodec/objects_internal.h"

#define NATIVE_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static bool too_deep(unsigned depth, vz_error *err)
{
    return depth >= VZ_JSON_MAX_DEPTH &&
           !vz_fail(err, VZ_LIMIT, "pickle: values nested deeper than %d", VZ_JSON_MAX_DEPTH);
}

bool vz_pickled_shape(const vz_pickled *tuple, uint64_t *shape, unsigned *rank, uint64_t *count, vz_error *err)
{
    *count = 1;
    *rank = 0;
    if (tuple->list.count > VZ_CODEC_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, "pickle: an array of %zu dimensions", tuple->list.count);
    for (; *rank < tuple->list.count; ++*rank)
        if (!vz_pickled_size(tuple->list.items[*rank], UINT64_MAX, &shape[*rank]) ||
            !vz_mul(*count, shape[*rank], count))
            return vz_fail(err, VZ_CORRUPT, "pickle: a dimension that is no size");
    return true;
}

/* ---- nested lists ---- */

typedef struct nest {
    unsigned rank;
    uint64_t shape[VZ_CODEC_MAX_RANK], step[VZ_CODEC_MAX_RANK];
    const vz_pickled_dtype *dtype; /* of elements in `bytes` */
    vz_bytes bytes;
    vz_buffer *out;
    vz_error *err;
} nest;

static void set_steps(nest *n, bool fortran)
{
    uint64_t step = 1;
    for (unsigned i = 0; i < n->rank; i++) {
        const unsigned d = fortran ? i : n->rank - 1 - i;
        n->step[d] = step;
        step *= n->shape[d]; /* no more than the count, which was checked */
    }
}

static bool print_nest(const nest *n, unsigned d, uint64_t index, unsigned depth)
{
    if (too_deep(depth, n->err))
        return false;
    if (d == n->rank)
        return vz_pickled_print_element(n->dtype, (vz_bytes){n->bytes.data + index * n->dtype->size, n->dtype->size},
                                        depth, n->out, n->err);
    bool ok = vz_buffer_append(n->out, "[", 1, n->err);
    for (uint64_t i = 0; ok && i < n->shape[d]; i++)
        ok = (i == 0 || vz_buffer_append(n->out, ",", 1, n->err)) &&
             print_nest(n, d + 1, index + i * n->step[d], depth + 1);
    return ok && vz_buffer_append(n->out, "]", 1, n->err);
}

static bool wrong_length(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "pickle: an array whose data are not as many as its shape says");
}

/* Elements of size 0 would make an array of any shape from no bytes. */
static bool is_as_large(const vz_pickled_dtype *dtype, uint64_t count, uint64_t size)
{
    uint64_t product;
    return dtype->size > 0 && vz_mul(count, dtype->size, &product) && product == size;
}

bool vz_pickled_print_array(const vz_pickled_array *array, unsigned depth, vz_buffer *out, vz_error *err)
{
    nest n = {.bytes = array->data->bytes, .dtype = &array->dtype->dtype, .out = out, .err = err};
    uint64_t count;
    if (!vz_pickled_shape(array->shape, n.shape, &n.rank, &count, err))
        return false;
    if (!is_as_large(n.dtype, count, n.bytes.size))
        return wrong_length(err);
    set_steps(&n, array->fortran);
    return print_nest(&n, 0, 0, depth);
}

/* ---- elements ---- */

static bool print_number(const vz_pickled_dtype *dtype, char kind, const uint8_t *bytes, size_t size, vz_buffer *out,
                         vz_error *err)
{
    const vz_codec_number_type type = {.kind = kind, .size = size, .swapped = dtype->big_endian != NATIVE_BIG_ENDIAN};
    if (!vz_codec_number_type_is_real(type))
        return vz_fail(err, VZ_UNSUPPORTED, "pickle: numbers of type %c%zu", dtype->kind, dtype->size);
    const vz_codec_number number = vz_codec_number_load(type, bytes);
    if (number.kind == 'f')
        return vz_pickled_print_real(number.real, out, err);
    const bool negative = number.kind == 'i' && (int64_t)number.integer < 0;
    return vz_pickled_print_integer(negative ? 0 - number.integer : number.integer, negative, out, err);
}

/* Code points of 4 bytes up to the first of the zeros at the end. */
static bool print_unicode(const vz_pickled_dtype *dtype, vz_bytes element, vz_buffer *out, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = true;
    size_t size = element.size / 4 * 4;
    const vz_codec_number_type type = {.kind = 'u', .size = 4, .swapped = dtype->big_endian != NATIVE_BIG_ENDIAN};
    while (size > 0 && vz_bytes_load_le32(element.data + size - 4) == 0)
        size -= 4;
    for (size_t i = 0; ok && i < size; i += 4) {
        const uint32_t point = (uint32_t)vz_codec_number_load(type, element.data + i).integer;
        const uint8_t four[] = {(uint8_t)(0xf0 | point >> 18), (uint8_t)(0x80 | (point >> 12 & 0x3f)),
                                (uint8_t)(0x80 | (point >> 6 & 0x3f)), (uint8_t)(0x80 | (point & 0x3f))};
        const uint8_t three = (uint8_t)(0xe0 | point >> 12), two = (uint8_t)(0xc0 | point >> 6), one = (uint8_t)point;
        if (point > 0x10ffff)
            ok = vz_fail(err, VZ_CORRUPT, "pickle: text with a code point beyond Unicode");
        else if (point < 0x80)
            ok = vz_buffer_append(&text, &one, 1, err);
        else if (point < 0x800)
            ok = vz_buffer_append(&text, &two, 1, err) && vz_buffer_append(&text, four + 3, 1, err);
        else if (point < 0x10000)
            ok = vz_buffer_append(&text, &three, 1, err) && vz_buffer_append(&text, four + 2, 2, err);
        else
            ok = vz_buffer_append(&text, four, 4, err);
    }
    ok = ok && vz_pickled_print_text((vz_bytes){text.data, text.size}, out, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool print_fixed_bytes(vz_bytes element, vz_buffer *out, vz_error *err)
{
    while (element.size > 0 && element.data[element.size - 1] == 0)
        element.size--;
    return vz_pickled_print_bytes(element, out, err);
}

/* Where a member lies: the last entry of that name counts, as in a dict. */
static const vz_pickled *find_field(const vz_pickled_dtype *record, const vz_pickled *name)
{
    const vz_pickled_list *entries = &record->fields->list;
    const bool too_many = entries->count / 4 > record->names->list.count; /* titles are names too */
    for (size_t i = too_many ? 0 : entries->count; name->kind == VZ_PICKLED_TEXT && i >= 2; i -= 2) {
        const vz_pickled *key = entries->items[i - 2];
        if (key->kind == VZ_PICKLED_TEXT && key->bytes.size == name->bytes.size &&
            memcmp(key->bytes.data, name->bytes.data, name->bytes.size) == 0)
            return entries->items[i - 1];
    }
    return NULL;
}

static bool print_field(const vz_pickled_dtype *record, const vz_pickled *name, vz_bytes element, unsigned depth,
                        vz_buffer *out, vz_error *err)
{
    const vz_pickled *field = find_field(record, name);
    uint64_t offset;
    if (!field || field->kind != VZ_PICKLED_TUPLE || field->list.count < 2 ||
        field->list.items[0]->kind != VZ_PICKLED_DTYPE ||
        !vz_pickled_size(field->list.items[1], element.size, &offset) ||
        field->list.items[0]->dtype.size > element.size - offset)
        return vz_fail(err, VZ_CORRUPT, "pickle: a structure's member that lies nowhere in it");
    const vz_pickled_dtype *dtype = &field->list.items[0]->dtype;
    return vz_pickled_print_element(dtype, (vz_bytes){element.data + offset, dtype->size}, depth, out, err);
}

static bool print_record(const vz_pickled_dtype *record, vz_bytes element, unsigned depth, vz_buffer *out,
                         vz_error *err)
{
    bool ok = vz_buffer_append(out, "[", 1, err);
    for (size_t i = 0; ok && i < record->names->list.count; i++)
        ok = (i == 0 || vz_buffer_append(out, ",", 1, err)) &&
             print_field(record, record->names->list.items[i], element, depth + 1, out, err);
    return ok && vz_buffer_append(out, "]", 1, err);
}

static bool print_array_member(const vz_pickled_dtype *dtype, vz_bytes element, unsigned depth, vz_buffer *out,
                               vz_error *err)
{
    nest n = {.bytes = element, .dtype = &dtype->base->dtype, .out = out, .err = err};
    uint64_t count;
    if (!vz_pickled_shape(dtype->shape, n.shape, &n.rank, &count, err))
        return false;
    if (!is_as_large(n.dtype, count, element.size))
        return wrong_length(err);
    set_steps(&n, false);
    return print_nest(&n, 0, 0, depth);
}

bool vz_pickled_print_element(const vz_pickled_dtype *dtype, vz_bytes element, unsigned depth, vz_buffer *out,
                              vz_error *err)
{
    if (too_deep(depth, err))
        return false;
    switch (dtype->kind) {
    case 'b':
        if (element.size != 1)
            break;
        return element.data[0] ? vz_buffer_append(out, "true", 4, err) : vz_buffer_append(out, "false", 5, err);
    case 'i':
    case 'u':
    case 'f':
        return print_number(dtype, dtype->kind, element.data, element.size, out, err);
    case 'S':
        return print_fixed_bytes(element, out, err);
    case 'U':
        return print_unicode(dtype, element, out, err);
    case 'V':
        if (dtype->names)
            return print_record(dtype, element, depth, out, err);
        return dtype->base ? print_array_member(dtype, element, depth, out, err)
                           : vz_pickled_print_bytes(element, out, err);
    default:
        break;
    }
    return vz_fail(err, VZ_UNSUPPORTED, "pickle: elements of type %c%zu", dtype->kind, dtype->size);
}
