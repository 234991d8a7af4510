/* blosc_partial.c - a range of a Blosc 1 buffer of which only some blocks are read. They become a
 * buffer of their own, so that the library checks all of their sizes against the bytes that were
 * read.
 *
 * A buffer: 2 bytes of versions, flags, element size; decoded size, block size, its own size (4
 * bytes each). Then where each block begins (4 bytes each), and the blocks, in any order. */
#include "codec/codec/blosc_internal.h"
#include "codec/codec/blosc_format.h"
#include "codec/codec/codec_internal.h"

enum {
    PLAIN_COPY = 2,        /* flag: no table and no blocks, the bytes themselves */
    TABLE = VZ_BLOSC_HEAD, /* where the table begins */
    BLOCK_LEAST = 128,     /* bytes of a block, unless all of the data is less */
    WORK_MAX = 1 << 20,    /* steps in looking for the ends of blocks */
    WORTH_FRACTION = 2     /* of more of the buffer than a half all is read */
};

typedef struct source {
    const vz_codec *codec;
    const vz_stored *stored;
    uint8_t header[TABLE];
    uint64_t decoded, block, size; /* bytes */
    uint64_t blocks;
    unsigned element;
} source;

static bool fail(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "blosc: no valid buffer");
}

/* A head that the library takes, too: what decodes as a whole decodes in part. */
bool vz_blosc_is_plain(const uint8_t *head, size_t decoded)
{
    const uint32_t block = vz_bytes_load_le32(head + 8);
    return head[0] == BLOSC_VERSION_FORMAT && (head[2] & PLAIN_COPY) && !(head[2] & VZ_BLOSC_FUTURE) && head[3] != 0 &&
           block > 0 && block <= decoded && vz_bytes_load_le32(head + 4) == decoded &&
           vz_bytes_load_le32(head + 12) == decoded + VZ_BLOSC_HEAD;
}

/* Bytes of the largest buffer that the library makes, given room. Then nothing is compressed, each
 * block has a place in the table, and each of its streams a size. Its blocks have BLOCK_LEAST bytes
 * at least, or are the whole. */
static uint64_t largest(const source *s)
{
    const uint64_t blocks = s->decoded / BLOCK_LEAST + 1;
    return TABLE + s->decoded + blocks * 4 * (1 + VZ_BLOSC_SPLIT_ELEMENT);
}

static bool read_header(source *s, vz_buffer *scratch, vz_error *err)
{
    const size_t decoded = s->codec->context.decoded_size;
    if (!s->stored->read(s->stored->context, 0, TABLE, scratch, err))
        return false;
    if (scratch->size != TABLE)
        return fail(err);
    memcpy(s->header, scratch->data, TABLE);
    s->element = s->header[3];
    s->decoded = vz_bytes_load_le32(s->header + 4);
    s->block = vz_bytes_load_le32(s->header + 8);
    s->size = vz_bytes_load_le32(s->header + 12);
    if (decoded && s->decoded != decoded)
        return vz_fail(err, VZ_CORRUPT, "blosc: decodes to %llu bytes, must be %zu", (unsigned long long)s->decoded,
                       decoded);
    if (s->header[0] != BLOSC_VERSION_FORMAT || s->block == 0 || s->block > s->decoded || s->element == 0)
        return fail(err);
    s->blocks = (s->decoded - 1) / s->block + 1;
    return (s->size >= TABLE && s->size <= largest(s)) || fail(err);
}

/* As far as is wanted, of `in`, which is in scratch; there is room for a block behind it. */
static bool take_part(const source *s, vz_bytes in, uint64_t offset, uint64_t size, vz_buffer *scratch, vz_buffer *out)
{
    const vz_codec_part part = {offset, size};
    if (vz_blosc_parts_memory(in) > scratch->capacity - scratch->size || !vz_sink_claim(s->codec, out, size, NULL) ||
        !vz_blosc_take_parts(in, &part, 1, scratch->data + scratch->size, out->data + out->size))
        return false;
    out->size += (size_t)size;
    return true;
}

static bool read_all(const source *s, uint64_t offset, uint64_t size, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    scratch->size = 0;
    if (!vz_buffer_reserve(scratch, (size_t)(s->size + s->block), err) ||
        !s->stored->read(s->stored->context, 0, (size_t)s->size, scratch, err))
        return false;
    const vz_bytes in = {scratch->data, scratch->size};
    return take_part(s, in, offset, size, scratch, out) ||
           s->codec->class->decode_range(s->codec, in, offset, size, out, err);
}

/* ---- the blocks ---- */

typedef struct blocks {
    uint64_t first, count;
    const uint8_t *table; /* of the whole buffer, as it is stored */
    uint64_t bytes;       /* of those blocks */
} blocks;

static uint64_t begin_of(const blocks *b, uint64_t number)
{
    return vz_bytes_load_le32(b->table + 4 * number);
}

/* Where the next one that follows in the buffer begins, or the end of all. */
static uint64_t end_of(const source *s, const blocks *b, uint64_t number)
{
    const uint64_t begin = begin_of(b, number);
    uint64_t end = s->size;
    for (uint64_t i = 0; i < s->blocks; i++) {
        const uint64_t other = begin_of(b, i);
        end = other > begin && other < end ? other : end;
    }
    return end;
}

static bool count_bytes(const source *s, blocks *b, vz_error *err)
{
    b->bytes = 0;
    for (uint64_t i = b->first; i < b->first + b->count; i++) {
        const uint64_t begin = begin_of(b, i);
        if (begin < TABLE + 4 * s->blocks || begin >= s->size)
            return fail(err);
        b->bytes += end_of(s, b, i) - begin;
    }
    return b->bytes <= s->size ? true : fail(err); /* else blocks lie over one another */
}

/* Those in which the range lies. A shorter last block is none that could stand alone. */
static blocks blocks_of(const source *s, uint64_t offset, uint64_t size)
{
    blocks b = {.first = offset / s->block};
    const uint64_t last = (offset + size - 1) / s->block;
    if (b.first == s->blocks - 1 && b.first > 0 && s->decoded % s->block)
        b.first--;
    b.count = last - b.first + 1;
    return b;
}

/* Neighbours are read at once. */
static bool read_blocks(const source *s, const blocks *b, uint8_t *table, vz_buffer *excerpt, vz_error *err)
{
    uint64_t at = TABLE + 4 * b->count;
    for (uint64_t i = b->first, next; i < b->first + b->count; i = next) {
        const uint64_t begin = begin_of(b, i);
        uint64_t end = begin;
        for (next = i; next < b->first + b->count && begin_of(b, next) == end; next++) {
            vz_bytes_store_le32(table + 4 * (next - b->first), (uint32_t)(at + end - begin));
            end = end_of(s, b, next);
        }
        if (!s->stored->read(s->stored->context, begin, (size_t)(end - begin), excerpt, err))
            return false;
        at += end - begin;
    }
    return true;
}

/* A buffer of these blocks alone, behind the table in `scratch`; *excerpt is it. */
static bool make_excerpt(const source *s, const blocks *b, vz_buffer *scratch, vz_bytes *excerpt, vz_error *err)
{
    const size_t before = scratch->size, head = (size_t)(TABLE + 4 * b->count), size = head + (size_t)b->bytes;
    const uint64_t low = b->first * s->block, high = (b->first + b->count) * s->block;
    if (!vz_blosc_is_there(err) ||
        /* take_part's room, too */
        !vz_buffer_reserve(scratch, before + size + (size_t)s->block, err))
        return false;
    blocks moved = *b;
    moved.table = scratch->data + TABLE;
    uint8_t *header = scratch->data + before;
    memcpy(header, s->header, TABLE);
    vz_bytes_store_le32(header + 4, (uint32_t)((high < s->decoded ? high : s->decoded) - low));
    vz_bytes_store_le32(header + 12, (uint32_t)size);
    scratch->size += head;
    if (!read_blocks(s, &moved, header + TABLE, scratch, err))
        return false;
    *excerpt = (vz_bytes){header, size};
    size_t decoded;
    return scratch->size == before + size && blosc_cbuffer_validate(header, size, &decoded) == 0 ? true : fail(err);
}

static bool decode_blocks(const source *s, blocks b, uint64_t offset, uint64_t size, vz_buffer *scratch, vz_buffer *out,
                          vz_error *err)
{
    vz_bytes excerpt;
    if (!make_excerpt(s, &b, scratch, &excerpt, err) || !vz_sink_claim(s->codec, out, size, err))
        return false;
    const uint64_t from = offset - b.first * s->block;
    const uint32_t total = vz_bytes_load_le32(excerpt.data + 4);
    if (take_part(s, excerpt, from, size, scratch, out))
        return true;
    vz_blosc_heap_ready(total);
    if (from == 0 && size == total) {
        const int all = blosc_decompress_ctx(excerpt.data, out->data + out->size, size, 1);
        out->size += all == (int64_t)size ? size : 0;
        return all == (int64_t)size || read_all(s, offset, size, scratch, out, err);
    }
    const int got =
        blosc_getitem(excerpt.data, (int)(from / s->element), (int)(size / s->element), out->data + out->size);
    if (got < 0 || (uint64_t)got != size)
        return read_all(s, offset, size, scratch, out, err); /* which tells why, or decodes */
    out->size += (size_t)size;
    return true;
}

/* Elements are counted from the first block that is read: it must begin with a whole one. numcodecs
 * writes other blocks if its block size is set to less than an element. */
static bool is_worth(const source *s, const blocks *b, uint64_t offset, uint64_t size)
{
    const bool whole_elements = offset % s->element == 0 && size % s->element == 0 && s->block % s->element == 0;
    return whole_elements && b->count * WORTH_FRACTION <= s->blocks && b->count * s->blocks <= WORK_MAX;
}

bool vz_blosc_read_range(const vz_codec *codec, const vz_stored *stored, uint64_t offset, uint64_t size,
                         vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    uint64_t end;
    source s = {.codec = codec, .stored = stored};
    if (size == 0)
        return true;
    if (!read_header(&s, scratch, err))
        return false;
    if (!vz_add(offset, size, &end) || end > s.decoded)
        return vz_fail(err, VZ_CORRUPT, "blosc: decodes to %llu bytes, which end before the range asked",
                       (unsigned long long)s.decoded);
    if (s.header[2] & PLAIN_COPY)
        return s.size == s.decoded + TABLE ? stored->read(stored->context, TABLE + offset, (size_t)size, out, err)
                                           : fail(err);
    blocks b = blocks_of(&s, offset, size);
    if (!is_worth(&s, &b, offset, size))
        return read_all(&s, offset, size, scratch, out, err);
    if (s.blocks * 4 > s.size - TABLE)
        return fail(err);
    if (!stored->read(stored->context, TABLE, (size_t)(4 * s.blocks), scratch, err))
        return false;
    b.table = scratch->data + TABLE;
    return count_bytes(&s, &b, err) && decode_blocks(&s, b, offset, size, scratch, out, err);
}
