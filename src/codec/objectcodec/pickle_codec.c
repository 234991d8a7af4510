/* pickle_codec.c - numcodecs "pickle": a chunk of objects as Python's pickle of a numpy array.
 * Reading runs no code: see objects_internal.h. */
#include "codec/objectcodec/objects_internal.h"
#include "codec/codec/codec.h"

static bool pickle_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    (void)config; /* "protocol" tells how numcodecs would write; every reader takes protocol 4 */
    const vz_json *record = codec->context.record;
    return !record || vz_pickle_record_read(codec->state, record, err);
}

static void pickle_clear(vz_codec *codec)
{
    vz_pickle_record_clear(codec->state);
}

/* ---- reading ---- */

typedef struct unpacking {
    const vz_pickle_record *record;
    const vz_pickled_array *array;
    vz_item *items;
    size_t count;
    size_t *offsets; /* of the items in `texts` */
    vz_buffer texts;
    vz_error *err;
} unpacking;

/* Printed once, however often it occurs: hdmf-zarr's references to one object are one object. */
static bool print_value(unpacking *p, size_t item, vz_pickled *value)
{
    const bool row = value->kind == VZ_PICKLED_TUPLE && value->list.count == p->record->field_count;
    if (p->record->field_count && !row)
        return vz_fail(p->err, VZ_CORRUPT, "pickle: item %zu is no row of %zu members", item, p->record->field_count);
    if (!value->printed) {
        value->text_at = p->texts.size;
        if (!vz_pickled_print(value, 0, &p->texts, p->err))
            return false;
        value->text_size = p->texts.size - value->text_at;
        value->printed = true;
    }
    p->offsets[item] = value->text_at;
    p->items[item].size = value->text_size;
    return true;
}

static bool print_element(unpacking *p, size_t item)
{
    const vz_pickled_dtype *dtype = &p->array->dtype->dtype;
    const vz_bytes element = {p->array->data->bytes.data + item * dtype->size, dtype->size};
    p->offsets[item] = p->texts.size;
    if (!vz_pickled_print_element(dtype, element, 0, &p->texts, p->err))
        return false;
    p->items[item].size = p->texts.size - p->offsets[item];
    return true;
}

/* The index in a list, which is in C order, of the array's item at this place of memory. `at`
 * counts up in the order of memory, first dimension fastest. */
static size_t next_of_fortran(const uint64_t *shape, unsigned rank, uint64_t *at)
{
    uint64_t index = 0;
    for (unsigned d = 0; d < rank; d++)
        index = index * shape[d] + at[d];
    for (unsigned d = 0; d < rank && ++at[d] == shape[d]; d++)
        at[d] = 0;
    return (size_t)index;
}

static bool print_items(unpacking *p)
{
    uint64_t shape[VZ_CODEC_MAX_RANK], at[VZ_CODEC_MAX_RANK] = {0}, count;
    unsigned rank;
    const vz_pickled *data = p->array->data;
    const bool objects = data->kind == VZ_PICKLED_LIST;
    if (!vz_pickled_shape(p->array->shape, shape, &rank, &count, p->err))
        return false;
    if (count != p->count)
        return vz_fail(p->err, VZ_CORRUPT, "pickle: %llu items, must be %zu", (unsigned long long)count, p->count);
    const size_t size = p->array->dtype->dtype.size;
    if (objects ? data->list.count != count : size == 0 || data->bytes.size / size != count || data->bytes.size % size)
        return vz_fail(p->err, VZ_CORRUPT, "pickle: the array has not as many items as its shape says");
    for (size_t i = 0; i < p->count; i++) {
        const size_t index = p->array->fortran && objects ? next_of_fortran(shape, rank, at) : i;
        if (objects ? !print_value(p, i, data->list.items[index]) : !print_element(p, i))
            return false;
    }
    return true;
}

static size_t text_limit(size_t size)
{
    const size_t most = VZ_CHAIN_PAYLOAD_MAX - VZ_PICKLE_TEXT_BASE;
    return VZ_PICKLE_TEXT_BASE + (size < most / VZ_PICKLE_TEXT_GROWTH ? size * VZ_PICKLE_TEXT_GROWTH : most);
}

static bool unpack(vz_unpickler *u, unpacking *p, vz_arena *arena)
{
    if (!p->array->shape)
        return vz_fail(p->err, VZ_CORRUPT, "pickle: an array that was not built");
    if (!(p->offsets = vz_unpickler_take(u, p->count * sizeof *p->offsets)) || !print_items(p))
        return false;
    const uint8_t *texts = vz_arena_copy(arena, p->texts.data, p->texts.size, p->err);
    for (size_t i = 0; texts && i < p->count; i++)
        p->items[i].data = texts + p->offsets[i];
    return texts != NULL;
}

static bool pickle_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                          vz_error *err)
{
    vz_unpickler u;
    const vz_pickled *value = vz_unpickle(&u, in, err);
    bool ok = value && (value->kind == VZ_PICKLED_ARRAY || vz_fail(err, VZ_CORRUPT, "pickle: not an array"));
    if (ok) {
        unpacking p = {.record = codec->state,
                       .array = &value->array,
                       .items = items,
                       .count = count,
                       .texts = {.limit = text_limit(in.size)},
                       .err = err};
        ok = unpack(&u, &p, arena);
        vz_buffer_clear(&p.texts);
    }
    vz_unpickler_clear(&u);
    return ok;
}

const vz_codec_class vz_codec_pickle = {
    .id = "pickle",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .state_size = sizeof(vz_pickle_record),
    .configure = pickle_configure,
    .clear = pickle_clear,
    .decode_items = pickle_decode,
    .encode_items = vz_pickle_write,
};
