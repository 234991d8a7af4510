/* vlen_items.c - counted, length-prefixed items. Nothing is allocated before the whole payload was
 * found consistent. */
#include "codec/objectcodec/objects_internal.h"

#define PREFIX_SIZE 4

static bool ends_early(const vz_codec *codec, size_t index, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "%s: the data end within item %zu", codec->class->id, index);
}

/* Fills in the items as they lie in `in`. */
static bool find_items(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_items_check check,
                       vz_error *err)
{
    if (in.size < PREFIX_SIZE)
        return vz_fail(err, VZ_CORRUPT, "%s: %zu bytes, need at least %d", codec->class->id, in.size, PREFIX_SIZE);
    if (vz_bytes_load_le32(in.data) != count)
        return vz_fail(err, VZ_CORRUPT, "%s: %u items, must be %zu", codec->class->id, vz_bytes_load_le32(in.data),
                       count);
    size_t at = PREFIX_SIZE;
    for (size_t i = 0; i < count; i++) {
        if (in.size - at < PREFIX_SIZE)
            return ends_early(codec, i, err);
        const uint32_t size = vz_bytes_load_le32(in.data + at);
        at += PREFIX_SIZE;
        if (in.size - at < size)
            return ends_early(codec, i, err);
        items[i] = (vz_item){in.data + at, size};
        if (check && !check(codec, items[i], i, VZ_CORRUPT, err))
            return false;
        at += size;
    }
    if (at != in.size)
        return vz_fail(err, VZ_CORRUPT, "%s: %zu bytes after the last item", codec->class->id, in.size - at);
    return true;
}

bool vz_items_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                     vz_items_check check, vz_error *err)
{
    if (!find_items(codec, in, items, count, check, err))
        return false;
    if (!arena)
        return true;
    /* One copy of everything, prefixes included, is cheaper than one for each item. */
    const uint8_t *copy = vz_arena_copy(arena, in.data, in.size, err);
    if (!copy)
        return false;
    for (size_t i = 0; i < count; i++)
        items[i].data = copy + (items[i].data - in.data);
    return true;
}

static bool payload_size(const vz_codec *codec, const vz_item *items, size_t count, uint64_t *size, vz_error *err)
{
    if (count > UINT32_MAX)
        return vz_fail(err, VZ_LIMIT, "%s: %zu items in a chunk", codec->class->id, count);
    *size = PREFIX_SIZE;
    for (size_t i = 0; i < count; i++) {
        if (items[i].size > UINT32_MAX)
            return vz_fail(err, VZ_LIMIT, "%s: item %zu is over 4 GiB", codec->class->id, i);
        *size += PREFIX_SIZE + items[i].size; /* below 2^32 times 2^33 */
    }
    return *size <= VZ_CHAIN_PAYLOAD_MAX
               ? true
               : vz_fail(err, VZ_LIMIT, "%s: the items of a chunk are over 4 GiB", codec->class->id);
}

bool vz_items_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_items_check check,
                     vz_error *err)
{
    uint64_t size = 0;
    if (!payload_size(codec, items, count, &size, err) || !vz_buffer_reserve(out, size, err))
        return false;
    uint8_t *to = out->data;
    vz_bytes_store_le32(to, (uint32_t)count);
    to += PREFIX_SIZE;
    for (size_t i = 0; i < count; i++) {
        if (check && !check(codec, items[i], i, VZ_INVALID, err))
            return false;
        vz_bytes_store_le32(to, (uint32_t)items[i].size);
        to += PREFIX_SIZE;
        if (items[i].size)
            memcpy(to, items[i].data, items[i].size);
        to += items[i].size;
    }
    out->size = (size_t)size;
    return true;
}
