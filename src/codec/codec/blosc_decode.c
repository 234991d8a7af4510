/* blosc_decode.c - parts of the blocks of a Blosc 1 buffer whose inner codec is LZ4, or all of
 * them. The library decodes a block as a whole, copies what is not compressed, and allocates
 * three blocks for each buffer. Here a stream is decoded up to the last byte that is wanted of
 * it. A stream that is stored as it is stays where it is, and only wanted elements are
 * unshuffled. The rest is left to the library: other inner codecs, shuffled bits, blocks of no
 * whole elements, and all damage, which it reports.
 *
 * A block: one stream, or as many as an element has bytes; each has its size (4 bytes) before it.
 * One that is as long as what it decodes to is not compressed. */
#include "codec/codec/blosc_internal.h"

#include <blosc.h>
#include <limits.h>
#include <lz4.h>

#include "codec/codec/codec_internal.h"

enum {
    WORTH_FRACTION = 8, /* a stream is decoded in part where so much of it is left out */
    SMALL = 64 << 10,   /* decoded bytes of what is not worth loading the library for */
};

typedef struct form {
    vz_bytes in;
    uint64_t decoded, block, blocks; /* bytes; of a block, but the last one may have less; how
                                      * many */
    unsigned element;                /* bytes */
    bool shuffled, split;
} form;

static bool read_form(vz_bytes in, form *f)
{
    if (in.size < VZ_BLOSC_HEAD || in.size > INT_MAX)
        return false;
    const uint8_t flags = in.data[2];
    *f = (form){.in = in,
                .decoded = vz_bytes_load_le32(in.data + 4),
                .block = vz_bytes_load_le32(in.data + 8),
                .element = in.data[3],
                .shuffled = (flags & BLOSC_DOSHUFFLE) && in.data[3] > 1};
    if (in.data[0] != BLOSC_VERSION_FORMAT || in.data[1] != BLOSC_LZ4_VERSION_FORMAT ||
        flags >> VZ_BLOSC_CODEC_SHIFT != BLOSC_LZ4_FORMAT ||
        (flags & (BLOSC_MEMCPYED | BLOSC_DOBITSHUFFLE | VZ_BLOSC_FUTURE)))
        return false;
    if (vz_bytes_load_le32(in.data + 12) != in.size || f->decoded > BLOSC_MAX_BUFFERSIZE || f->block == 0 ||
        f->block > f->decoded || f->element == 0 || f->block % f->element || f->decoded % f->element)
        return false;
    f->blocks = (f->decoded - 1) / f->block + 1;
    f->split = !(flags & VZ_BLOSC_UNSPLIT) && vz_blosc_is_split(f->element, f->block);
    return f->blocks <= (in.size - VZ_BLOSC_HEAD) / 4;
}

size_t vz_blosc_parts_memory(vz_bytes in)
{
    form f;
    return read_form(in, &f) ? (size_t)f.block : 0;
}

/* ---- streams ---- */

/* Decodes the stream at *at, which has `size` bytes, of which `most` are wanted. Returns where
 * these are: in the buffer itself or in `memory` (of `size` bytes). NULL: damaged. *at moves behind
 * the stream. */
static const uint8_t *take_stream(const form *f, uint64_t *at, size_t size, size_t most, uint8_t *memory)
{
    if (*at > f->in.size || f->in.size - *at < 4)
        return NULL;
    const uint32_t stored = vz_bytes_load_le32(f->in.data + *at);
    if (stored > f->in.size - *at - 4)
        return NULL;
    const uint8_t *bytes = f->in.data + *at + 4;
    *at += 4 + (uint64_t)stored;
    if (stored == size)
        return bytes;
    if (most == 0)
        return memory;
    const char *from = (const char *)bytes;
    char *to = (char *)memory;
    if (most > size - size / WORTH_FRACTION)
        return LZ4_decompress_safe(from, to, (int)stored, (int)size) == (int)size ? memory : NULL;
    memset(memory, 0, most); /* a damaged stream may refer to what it did not write yet: not to what
                              * was here before */
    return LZ4_decompress_safe_partial(from, to, (int)stored, (int)most, (int)size) >= (int)most ? memory : NULL;
}

/* ---- a block ---- */

/* Of one block: those of the parts that reach into it. */
typedef struct wanted {
    uint64_t low, high; /* of the block in the decoded data */
    const vz_codec_part *parts;
    size_t count;
    uint64_t origin; /* what lies there in the decoded data goes to out[0], if its part does not say
                      * where */
    uint8_t *out;
} wanted;

/* Where a byte of the i-th part goes. */
static uint8_t *place_of(const wanted *w, size_t i, uint64_t offset)
{
    const vz_codec_part *part = &w->parts[i];
    return part->to ? part->to + (offset - part->offset) : w->out + (offset - w->origin);
}

/* The i-th part as far as it lies in [low, high); its size is 0 if it does not. */
static vz_codec_part cut(const wanted *w, size_t i, uint64_t low, uint64_t high)
{
    const uint64_t begin = w->parts[i].offset, end = begin + w->parts[i].size;
    const uint64_t from = begin > low ? begin : low, to = end < high ? end : high;
    return (vz_codec_part){from, to > from ? to - from : 0, NULL};
}

static uint64_t end_of_wanted(const wanted *w, uint64_t low, uint64_t high)
{
    for (size_t i = w->count; i-- > 0;) {
        const vz_codec_part part = cut(w, i, low, high);
        if (part.size)
            return part.offset + part.size;
    }
    return low;
}

/* A stream for each byte of the elements. */
static bool take_split_shuffled(const form *f, const wanted *w, uint64_t at, uint8_t *memory)
{
    const uint8_t *streams[VZ_BLOSC_SPLIT_ELEMENT];
    const size_t size = (size_t)((w->high - w->low) / f->element);
    const size_t most = (size_t)((end_of_wanted(w, w->low, w->high) - w->low) / f->element);
    for (unsigned i = 0; i < f->element; i++)
        if (!(streams[i] = take_stream(f, &at, size, most, memory + i * size)))
            return false;
    for (size_t i = 0; i < w->count; i++) {
        const vz_codec_part part = cut(w, i, w->low, w->high);
        vz_unshuffle_streams(streams, f->element, (size_t)((part.offset - w->low) / f->element),
                             (size_t)(part.size / f->element), place_of(w, i, part.offset));
    }
    return true;
}

/* All bytes of the elements in one stream: of the last ones nearly all of it is wanted. */
static bool take_shuffled(const form *f, const wanted *w, uint64_t at, uint8_t *memory)
{
    const size_t size = (size_t)(w->high - w->low), count = size / f->element;
    const size_t end = (size_t)((end_of_wanted(w, w->low, w->high) - w->low) / f->element);
    const uint8_t *bytes = take_stream(f, &at, size, (f->element - 1) * count + end, memory);
    for (size_t i = 0; bytes && i < w->count; i++) {
        const vz_codec_part part = cut(w, i, w->low, w->high);
        vz_unshuffle(bytes, count, f->element, (size_t)(part.offset - w->low), (size_t)part.size,
                     place_of(w, i, part.offset));
    }
    return bytes;
}

/* Streams that follow each other as what they decode to does. One of which all is wanted, by one
 * part, is decoded where that goes. */
static bool take_plain(const form *f, const wanted *w, uint64_t at, size_t streams, uint8_t *memory)
{
    const size_t size = (size_t)(w->high - w->low) / streams;
    for (uint64_t low = w->low; low < w->high; low += size) {
        const bool all = w->count == 1 && cut(w, 0, low, low + size).size == size;
        const size_t most = (size_t)(end_of_wanted(w, low, low + size) - low);
        const uint8_t *bytes = take_stream(f, &at, size, most, all ? place_of(w, 0, low) : memory);
        if (!bytes)
            return false;
        for (size_t i = 0; most && i < w->count; i++) {
            const vz_codec_part part = cut(w, i, low, low + size);
            if (part.size && place_of(w, i, part.offset) != bytes)
                memcpy(place_of(w, i, part.offset), bytes + (part.offset - low), (size_t)part.size);
        }
    }
    return true;
}

static bool take_block(const form *f, uint64_t number, const wanted *w, uint8_t *memory)
{
    const uint64_t at = vz_bytes_load_le32(f->in.data + VZ_BLOSC_HEAD + 4 * number);
    const bool split = f->split && w->high - w->low == f->block; /* a shorter last one never is */
    if (f->shuffled)
        return split ? take_split_shuffled(f, w, at, memory) : take_shuffled(f, w, at, memory);
    return take_plain(f, w, at, split ? f->element : 1, memory);
}

/* ---- a buffer ---- */

static bool are_parts(const form *f, const vz_codec_part *parts, size_t count)
{
    uint64_t before = 0, end;
    for (size_t i = 0; i < count; i++, before = end)
        if (parts[i].offset < before || !vz_add(parts[i].offset, parts[i].size, &end) || end > f->decoded ||
            parts[i].size == 0 || parts[i].offset % f->element || parts[i].size % f->element)
            return false;
    return count > 0;
}

bool vz_blosc_take_parts(vz_bytes in, const vz_codec_part *parts, size_t count, uint8_t *memory, uint8_t *out)
{
    form f;
    if (!read_form(in, &f) || !are_parts(&f, parts, count))
        return false;
    if (parts[0].size == f.decoded && f.shuffled && !f.split && f.decoded > SMALL)
        return false; /* the library unshuffles all of them faster */
    wanted w = {.origin = parts[0].offset, .out = out};
    for (size_t first = 0, end; first < count;) {
        const uint64_t from = parts[first].offset > w.high ? parts[first].offset : w.high;
        const uint64_t number = from / f.block;
        w.low = number * f.block;
        w.high = f.decoded - w.low < f.block ? f.decoded : w.low + f.block;
        for (end = first; end < count && parts[end].offset < w.high;)
            end++;
        w.parts = parts + first;
        w.count = end - first;
        if (!take_block(&f, number, &w, memory))
            return false;
        while (first < count && parts[first].offset + parts[first].size <= w.high)
            first++;
    }
    return true;
}

bool vz_blosc_decode_parts(const vz_codec *codec, vz_bytes in, const vz_codec_part *parts, size_t count,
                           vz_buffer *scratch, uint8_t *out)
{
    const size_t memory = vz_blosc_parts_memory(in), decoded = codec->context.decoded_size;
    if (memory == 0 || (decoded && vz_bytes_load_le32(in.data + 4) != decoded))
        return false;
    scratch->size = 0;
    return vz_buffer_reserve(scratch, memory, NULL) && vz_blosc_take_parts(in, parts, count, scratch->data, out);
}
