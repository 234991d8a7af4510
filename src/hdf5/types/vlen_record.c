/* vlen_record.c - elements with parts of variable length as byte strings. */
#include "hdf5/types/elements.h"

static bool write_count(size_t count, vz_buffer *out, vz_error *err)
{
    uint8_t bytes[4];
    if (count > UINT32_MAX)
        return vz_fail(err, VZ_LIMIT, "text or a sequence of more than 4 Gi bytes or elements");
    vz_bytes_store_le32(bytes, (uint32_t)count);
    return vz_buffer_append(out, bytes, sizeof bytes, err);
}

static bool write_text(const uint8_t *in, vz_buffer *out, vz_error *err)
{
    const char *text;
    memcpy(&text, in, sizeof text);
    const size_t length = text ? strlen(text) : 0;
    return write_count(length, out, err) && vz_buffer_append(out, text ? text : "", length, err);
}

static bool write_elements(const vz_type_tree *layout, const uint8_t *in, size_t count, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_record_write(layout, in + i * layout->size, out, err);
    return ok;
}

static bool write_sequence(const vz_type_tree *layout, const uint8_t *in, vz_buffer *out, vz_error *err)
{
    hvl_t sequence;
    memcpy(&sequence, in, sizeof sequence);
    return write_count(sequence.len, out, err) && write_elements(layout->base, sequence.p, sequence.len, out, err);
}

bool vz_record_write(const vz_type_tree *layout, const void *in, vz_buffer *out, vz_error *err)
{
    const uint8_t *bytes = in;
    bool ok = true;
    switch (layout->class) {
    case H5T_COMPOUND:
        for (size_t i = 0; ok && i < layout->count; i++)
            ok = vz_record_write(layout->members[i].layout, bytes + layout->members[i].offset, out, err);
        return ok;
    case H5T_ARRAY:
        return write_elements(layout->base, bytes, layout->count, out, err);
    case H5T_VLEN:
        return write_sequence(layout, bytes, out, err);
    default:
        if (layout->is_variable)
            return write_text(bytes, out, err);
        return vz_buffer_append(out, bytes, layout->size, err);
    }
}

/* The next `size` bytes, or NULL at the end. */
static const uint8_t *next_bytes(vz_bytes *bytes, uint64_t size, vz_error *err)
{
    if (size > bytes->size) {
        vz_fail(err, VZ_CORRUPT, "a stored element ends early");
        return NULL;
    }
    const uint8_t *data = bytes->data;
    bytes->data += size;
    bytes->size -= (size_t)size;
    return data;
}

static bool read_count(vz_bytes *bytes, uint32_t *count, vz_error *err)
{
    const uint8_t *data = next_bytes(bytes, 4, err);
    if (data)
        *count = vz_bytes_load_le32(data);
    return data != NULL;
}

static bool read_text(vz_bytes *bytes, uint8_t *out, vz_arena *arena, vz_error *err)
{
    uint32_t length;
    const uint8_t *data = read_count(bytes, &length, err) ? next_bytes(bytes, length, err) : NULL;
    char *text = data ? vz_arena_alloc(arena, (size_t)length + 1, err) : NULL;
    if (!text)
        return false;
    memcpy(text, data, length);
    text[length] = '\0';
    memcpy(out, &text, sizeof text);
    return true;
}

static bool read_elements(const vz_type_tree *layout, vz_bytes *bytes, size_t count, uint8_t *out, vz_arena *arena,
                          vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_record_read(layout, bytes, out + i * layout->size, arena, err);
    return ok;
}

/* Bytes that an element takes at least: a count beyond what is left is refused before memory is
 * taken for it. */
static size_t least_size(const vz_type_tree *layout)
{
    size_t size = 0;
    switch (layout->class) {
    case H5T_COMPOUND:
        for (size_t i = 0; i < layout->count; i++)
            size += least_size(layout->members[i].layout);
        return size;
    case H5T_ARRAY:
        return layout->count * least_size(layout->base);
    default:
        return layout->has_pointers ? 4 : layout->size;
    }
}

static bool read_sequence(const vz_type_tree *layout, vz_bytes *bytes, uint8_t *out, vz_arena *arena, vz_error *err)
{
    uint32_t count;
    if (!read_count(bytes, &count, err))
        return false;
    uint64_t least, size;
    if (!vz_mul(count, least_size(layout->base), &least) || least > bytes->size ||
        !vz_mul(count, layout->base->size, &size))
        return vz_fail(err, VZ_CORRUPT, "a stored sequence ends early");
    hvl_t sequence = {.len = count};
    if (count) {
        sequence.p = vz_arena_alloc(arena, size, err);
        if (!sequence.p)
            return false;
        memset(sequence.p, 0, size);
    }
    memcpy(out, &sequence, sizeof sequence);
    return read_elements(layout->base, bytes, count, sequence.p, arena, err);
}

bool vz_record_read(const vz_type_tree *layout, vz_bytes *bytes, void *out, vz_arena *arena, vz_error *err)
{
    uint8_t *to = out;
    bool ok = true;
    switch (layout->class) {
    case H5T_COMPOUND:
        for (size_t i = 0; ok && i < layout->count; i++)
            ok = vz_record_read(layout->members[i].layout, bytes, to + layout->members[i].offset, arena, err);
        return ok;
    case H5T_ARRAY:
        return read_elements(layout->base, bytes, layout->count, to, arena, err);
    case H5T_VLEN:
        return read_sequence(layout, bytes, to, arena, err);
    default:
        if (layout->is_variable)
            return read_text(bytes, to, arena, err);
        const uint8_t *data = next_bytes(bytes, layout->size, err);
        if (data)
            memcpy(to, data, layout->size);
        return data != NULL;
    }
}
