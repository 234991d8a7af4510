/* blosc_encode.c - Blosc 1 buffers whose inner codec is LZ4. The library allocates a context and
 * blocks for each buffer. It takes longer to be loaded than some dozens of small chunks take to
 * be encoded. Here a block is shuffled into memory behind the buffer. The result equals the
 * library's with the same LZ4.
 *
 * A buffer: see blosc_partial.c; a block: see blosc_decode.c. */
#include "codec/codec/blosc_internal.h"

#include <blosc.h>
#include <lz4.h>

#include "codec/codec/codec_internal.h"

enum {
    SHORT = 128, /* bytes: less is stored as it is */
    ENTRY = 4,   /* bytes: of the table of blocks, and before a stream */
    FIRST_CACHE = 32 << 10,
    SMALLEST_BLOCK = 8 << 10,
    SPLIT_LEAST = 1 << 16, /* bytes of a block of streams, of a stream, of a block */
    STREAM_MOST = 1 << 18,
    BLOCK_MOST = 1 << 20,
    LEVELS = 10,
};

/* ---- the form ---- */

static bool is_plain(const vz_blosc_form *form, size_t size)
{
    return form->level == 0 || size < SHORT;
}

bool vz_blosc_encodes(const vz_blosc_form *form, size_t size)
{
    if (form->level < 0 || form->level >= LEVELS || form->element == 0 || form->element > UINT8_MAX ||
        size < form->element)
        return false;
    return is_plain(form, size) ||
           (form->shuffle != BLOSC_BITSHUFFLE && size % form->element == 0 && size <= VZ_BLOSC_ENCODE_MOST);
}

/* Bytes of a block, as the library has them. */
static size_t block_of(const vz_blosc_form *form, size_t size)
{
    static const uint8_t doublings[LEVELS] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 5};
    size_t block = size >= FIRST_CACHE ? (size_t)SMALLEST_BLOCK << doublings[form->level] : size;
    if (form->level > 0 && vz_blosc_is_split(form->element, block)) {
        block = (block < STREAM_MOST ? block : STREAM_MOST) * form->element;
        block = block < SPLIT_LEAST ? SPLIT_LEAST : block < BLOCK_MOST ? block : BLOCK_MOST;
    }
    block = block < size ? block : size;
    return block > form->element ? block / form->element * form->element : block;
}

static void put_head(const vz_blosc_form *form, size_t size, size_t stored, bool plain, uint8_t *head)
{
    const size_t block = block_of(form, size);
    const int shuffled = form->shuffle == BLOSC_SHUFFLE      ? BLOSC_DOSHUFFLE
                         : form->shuffle == BLOSC_BITSHUFFLE ? BLOSC_DOBITSHUFFLE
                                                             : 0;
    head[0] = BLOSC_VERSION_FORMAT;
    head[1] = BLOSC_LZ4_VERSION_FORMAT;
    head[2] = (uint8_t)(BLOSC_LZ4_FORMAT << VZ_BLOSC_CODEC_SHIFT | shuffled | (plain ? BLOSC_MEMCPYED : 0) |
                        (vz_blosc_is_split(form->element, block) ? 0 : VZ_BLOSC_UNSPLIT));
    head[3] = (uint8_t)form->element;
    vz_bytes_store_le32(head + 4, (uint32_t)size);
    vz_bytes_store_le32(head + 8, (uint32_t)block);
    vz_bytes_store_le32(head + 12, (uint32_t)stored);
}

void vz_blosc_plain_head(const vz_blosc_form *form, size_t size, uint8_t *head)
{
    put_head(form, size, size + VZ_BLOSC_HEAD, true, head);
}

/* ---- blocks ---- */

/* Puts a stream at `to` and returns its bytes, at most `room`; 0: there is no room. Data that do
 * not become smaller are put as they are. */
static size_t put_stream(const vz_blosc_form *form, const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    if (room <= ENTRY)
        return 0;
    const size_t most = room - ENTRY < size ? room - ENTRY : size;
    int stored = LZ4_compress_fast((const char *)from, (char *)to + ENTRY, (int)size, (int)most, LEVELS - form->level);
    if (stored <= 0 || (size_t)stored == size) {
        if (size > room - ENTRY)
            return 0;
        memcpy(to + ENTRY, from, size);
        stored = (int)size;
    }
    vz_bytes_store_le32(to, (uint32_t)stored);
    return ENTRY + (size_t)stored;
}

/* Puts a block of `size` bytes (is_short: the shorter last one) and returns its bytes. memory: for
 * `size` bytes. */
static size_t put_block(const vz_blosc_form *form, const uint8_t *from, size_t size, bool is_short, uint8_t *memory,
                        uint8_t *to, size_t room)
{
    const size_t streams = vz_blosc_is_split(form->element, size) && !is_short ? form->element : 1;
    size_t all = 0;
    if (form->shuffle == BLOSC_SHUFFLE && form->element > 1) {
        vz_shuffle(from, size / form->element, form->element, memory);
        from = memory;
    }
    for (size_t i = 0; i < streams; i++) {
        const size_t stored = put_stream(form, from + i * (size / streams), size / streams, to + all, room - all);
        if (stored == 0)
            return 0;
        all += stored;
    }
    return all;
}

/* Bytes of the buffer; 0: they would be more than of one that stands there as it is. */
static size_t put_blocks(const vz_blosc_form *form, vz_bytes in, uint8_t *memory, uint8_t *to)
{
    const size_t block = block_of(form, in.size), blocks = (in.size - 1) / block + 1, room = in.size + VZ_BLOSC_HEAD;
    size_t at = VZ_BLOSC_HEAD + ENTRY * blocks;
    for (size_t i = 0; i < blocks; i++) {
        const size_t low = i * block, size = in.size - low < block ? in.size - low : block;
        vz_bytes_store_le32(to + VZ_BLOSC_HEAD + ENTRY * i, (uint32_t)at);
        const size_t stored =
            at < room ? put_block(form, in.data + low, size, size < block, memory, to + at, room - at) : 0;
        if (stored == 0)
            return 0;
        at += stored;
    }
    return at;
}

bool vz_blosc_encode(const vz_blosc_form *form, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const size_t whole = in.size + VZ_BLOSC_HEAD;
    const bool plain = is_plain(form, in.size);
    out->size = 0;
    if (!vz_buffer_reserve(out, whole + (plain ? 0 : block_of(form, in.size)), err))
        return false;
    const size_t stored = plain ? 0 : put_blocks(form, in, out->data + whole, out->data);
    put_head(form, in.size, stored ? stored : whole, stored == 0, out->data);
    if (stored == 0)
        memcpy(out->data + VZ_BLOSC_HEAD, in.data, in.size);
    out->size = stored ? stored : whole;
    return true;
}
