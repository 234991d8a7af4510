/* object_list.c - chunks of objects as one list. */
#include "codec/objectcodec/objects_internal.h"

/* ---- taking ---- */

typedef struct taking {
    const vz_codec *codec;
    unsigned rank;
    uint64_t shape[VZ_CODEC_MAX_RANK];
    vz_item *items;
    size_t taken;
    vz_buffer texts; /* one behind the other */
    vz_error *err;
} taking;

static bool corrupt(const taking *t, const char *what)
{
    return vz_fail(t->err, VZ_CORRUPT, "%s: %s", t->codec->class->id, what);
}

static bool read_shape(taking *t, const vz_json *shape, size_t count)
{
    uint64_t product = 1;
    if (vz_json_kind_of(shape) != VZ_JSON_ARRAY)
        return corrupt(t, "the list does not end with a shape");
    if (vz_json_length(shape) > VZ_CODEC_MAX_RANK)
        return corrupt(t, "the shape has too many dimensions");
    t->rank = (unsigned)vz_json_length(shape);
    for (unsigned d = 0; d < t->rank; d++)
        if (!vz_json_get_uint64(vz_json_at(shape, d), &t->shape[d]) || !vz_mul(product, t->shape[d], &product))
            return corrupt(t, "a dimension of the shape is no size");
    if (product != count)
        return vz_fail(t->err, VZ_CORRUPT, "%s: %llu items, must be %zu", t->codec->class->id,
                       (unsigned long long)product, count);
    return true;
}

static bool take_value(taking *t, const vz_json *value)
{
    const size_t before = t->texts.size;
    if (!vz_json_print(value, 0, &t->texts, t->err))
        return false;
    t->items[t->taken++].size = t->texts.size - before;
    return true;
}

/* Is what follows in `list` (its first `length` entries) as the shape from dimension `depth` on
 * says? */
static bool is_nested(const taking *t, const vz_json *list, size_t length, unsigned depth)
{
    if (length != t->shape[depth])
        return false;
    for (size_t i = 0; depth + 1 < t->rank && i < length; i++) {
        const vz_json *inner = vz_json_at(list, i);
        if (vz_json_kind_of(inner) != VZ_JSON_ARRAY || !is_nested(t, inner, vz_json_length(inner), depth + 1))
            return false;
    }
    return true;
}

static bool take_nested(taking *t, const vz_json *list, size_t length, unsigned depth)
{
    for (size_t i = 0; i < length; i++) {
        const vz_json *entry = vz_json_at(list, i);
        const bool ok =
            depth + 1 < t->rank ? take_nested(t, entry, vz_json_length(entry), depth + 1) : take_value(t, entry);
        if (!ok)
            return false;
    }
    return true;
}

static bool take_items(taking *t, const vz_json *list, size_t length, size_t count)
{
    if (count == 0)
        return true;
    if (t->rank == 0)
        return length == 1 ? take_value(t, vz_json_at(list, 0)) : corrupt(t, "more than one item of a scalar");
    if (is_nested(t, list, length, 0))
        return take_nested(t, list, length, 0);
    if (length != count)
        return corrupt(t, "the lists are not as the shape says");
    t->rank = 1;
    return take_nested(t, list, length, 0);
}

bool vz_objectcodec_list_take(const vz_codec *codec, const vz_json *list, vz_item *items, size_t count, vz_arena *arena,
                              vz_error *err)
{
    taking t = {.codec = codec, .items = items, .texts = {.limit = VZ_CHAIN_PAYLOAD_MAX}, .err = err};
    const size_t length = vz_json_length(list);
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || length < 2 ||
        vz_json_kind_of(vz_json_at(list, length - 2)) != VZ_JSON_STRING)
        return corrupt(&t, "the data are no list of items, type and shape");
    bool ok = read_shape(&t, vz_json_at(list, length - 1), count) && take_items(&t, list, length - 2, count);
    const uint8_t *texts = ok ? vz_arena_copy(arena, t.texts.data, t.texts.size, err) : NULL;
    for (size_t i = 0; texts && i < count; texts += items[i++].size)
        items[i].data = texts;
    vz_buffer_clear(&t.texts);
    return texts != NULL;
}

/* ---- making ---- */

vz_json *vz_objectcodec_value(const vz_codec *codec, vz_item item, size_t index, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (item.size == 0)
        return vz_json_null(err);
    vz_json *value = vz_json_parse((const char *)item.data, (size_t)item.size, &why);
    if (!value)
        vz_fail(err, why.class == VZ_CORRUPT ? VZ_INVALID : why.class, "%s: item %zu: %.200s", codec->class->id, index,
                why.text);
    return value;
}

typedef struct making {
    const vz_codec *codec;
    const vz_item *items;
    size_t made;
    vz_error *err;
} making;

static bool add_nested(making *m, vz_json *list, unsigned depth)
{
    const vz_codec_context *chunk = &m->codec->context;
    const uint64_t length = chunk->rank ? chunk->shape[depth] : 1;
    for (uint64_t i = 0; i < length; i++) {
        vz_json *entry = depth + 1 < chunk->rank ? vz_json_array(m->err)
                                                 : vz_objectcodec_value(m->codec, m->items[m->made], m->made, m->err);
        if (!vz_json_append(list, entry, m->err))
            return false;
        if (depth + 1 >= chunk->rank)
            m->made++;
        else if (!add_nested(m, entry, depth + 1))
            return false;
    }
    return true;
}

static bool add_shape(const vz_codec_context *chunk, vz_json *list, vz_error *err)
{
    vz_json *shape = vz_json_array(err);
    if (!vz_json_append(list, shape, err))
        return false;
    for (unsigned d = 0; d < chunk->rank; d++)
        if (!vz_json_append(shape, vz_json_uint64(chunk->shape[d], err), err))
            return false;
    return true;
}

vz_json *vz_objectcodec_list_make(const vz_codec *codec, const vz_item *items, size_t count, vz_error *err)
{
    making m = {.codec = codec, .items = items, .err = err};
    if (count != codec->context.element_count) {
        vz_fail(err, VZ_INVALID, "%s: %zu items are no chunk of this array", codec->class->id, count);
        return NULL;
    }
    vz_json *list = vz_json_array(err);
    if (list && add_nested(&m, list, 0) && vz_json_append(list, vz_json_text("|O", err), err) &&
        add_shape(&codec->context, list, err))
        return list;
    vz_json_free(list);
    return NULL;
}
