/* blosc.c - numcodecs "blosc": one Blosc 1 buffer; the same bytes as HDF5 filter 32001. The buffer
 * says itself how it was made, so the configuration matters to writers only. Always
 * single-threaded: chunks are what runs in parallel. */
#include "codec/codec/blosc_internal.h"
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#include <ctype.h>
#include <stdlib.h>

#define SHUFFLE_AUTO (-1)
/* bytes of a plain form from which on its head is worth a write of its own */
#define KEEP_BY_HEAD (256 << 10)

typedef struct blosc_state {
    const char *cname; /* the library's own text */
    int64_t level, shuffle, blocksize;
    int64_t typesize; /* 0: the element's size */
} blosc_state;

static const char usual[] = "lz4";

/* Sets state->cname if the library has an inner codec of that name. Every one has lz4, so that
 * nothing is loaded for arrays of which only the metadata is asked for; were it otherwise, encoding
 * would tell. */
static bool choose_compressor(blosc_state *state, const char *cname, vz_error *err)
{
    if (strcmp(cname, usual) == 0) {
        state->cname = usual;
        return true;
    }
    if (!vz_blosc_is_there(err))
        return false;
    const int code = blosc_compname_to_compcode(cname);
    const char *name = NULL;
    if (code < 0 || blosc_compcode_to_compname(code, &name) < 0 || !name)
        return vz_fail(err, VZ_UNSUPPORTED, "blosc: the inner codec \"%s\" is not in this library, which has %s", cname,
                       blosc_list_compressors());
    state->cname = name;
    return true;
}

static bool blosc_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    blosc_state *state = codec->state;
    *state = (blosc_state){.level = 5, .shuffle = BLOSC_SHUFFLE};
    const char *cname = usual;
    return vz_config_text(codec, config, "cname", &cname, err) && choose_compressor(state, cname, err) &&
           vz_config_int(codec, config, "clevel", 0, 9, &state->level, err) &&
           vz_config_int(codec, config, "shuffle", SHUFFLE_AUTO, BLOSC_BITSHUFFLE, &state->shuffle, err) &&
           vz_config_int(codec, config, "blocksize", 0, BLOSC_MAX_BUFFERSIZE, &state->blocksize, err) &&
           vz_config_int(codec, config, "typesize", 1, INT32_MAX, &state->typesize, err);
}

static bool fail_as_invalid(vz_bytes in, vz_error *err)
{
    size_t decoded, stored, block;
    blosc_cbuffer_sizes(in.data, &decoded, &stored, &block);
    if (stored > in.size)
        return vz_fail(err, VZ_CORRUPT, "blosc: cut short or damaged, %zu bytes of %zu are there", in.size, stored);
    return vz_fail(err, VZ_CORRUPT, "blosc: damaged, %zu bytes hold no valid buffer", in.size);
}

/* Checks the header against the size of `in`; *size is what the buffer decodes to. */
static bool read_header(const vz_codec *codec, vz_bytes in, size_t *size, vz_error *err)
{
    if (!vz_blosc_is_there(err))
        return false;
    if (in.size < BLOSC_MIN_HEADER_LENGTH)
        return vz_fail(err, VZ_CORRUPT, "blosc: cut short, %zu bytes are no header", in.size);
    if (blosc_cbuffer_validate(in.data, in.size, size) != 0)
        return fail_as_invalid(in, err);
    if (codec->context.decoded_size && *size != codec->context.decoded_size)
        return vz_fail(err, VZ_CORRUPT, "blosc: decodes to %zu bytes, must be %zu", *size, codec->context.decoded_size);
    return true;
}

/* A buffer that does not decode is damaged, or made with an inner codec that this library was built
 * without. */
static bool cannot_decode(vz_bytes in, vz_error *err)
{
    const char *library = blosc_cbuffer_complib(in.data);
    if (!library)
        return vz_fail(err, VZ_CORRUPT, "blosc: made with an unknown inner codec, or damaged");
    char cname[16] = ""; /* inner codecs are called as their libraries are, in small letters */
    for (size_t i = 0; library[i] && i + 1 < sizeof cname; i++)
        cname[i] = (char)tolower((unsigned char)library[i]);
    if (blosc_compname_to_compcode(cname) < 0)
        return vz_fail(err, VZ_UNSUPPORTED, "blosc: the inner codec \"%s\" is not in this library, which has %s", cname,
                       blosc_list_compressors());
    return vz_fail(err, VZ_CORRUPT, "blosc: damaged data");
}

/* A buffer that is stored uncompressed needs no library. */
static bool is_plain_whole(const vz_codec *codec, vz_bytes in)
{
    if (in.size <= VZ_BLOSC_HEAD || in.size - VZ_BLOSC_HEAD > BLOSC_MAX_BUFFERSIZE)
        return false;
    const size_t size = in.size - VZ_BLOSC_HEAD, expected = codec->context.decoded_size;
    return (expected == 0 || size == expected) && vz_blosc_is_plain(in.data, size);
}

static bool copy_plain(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const size_t size = in.size - VZ_BLOSC_HEAD;
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    memcpy(out->data, in.data + VZ_BLOSC_HEAD, size);
    out->size = size;
    return true;
}

/* Nor does what the usual inner codec made. False: the library decodes it, or tells what is wrong
 * with it. */
static bool decode_here(const vz_codec *codec, vz_bytes in, vz_buffer *out)
{
    const size_t work = vz_blosc_parts_memory(in), expected = codec->context.decoded_size;
    const size_t size = work ? vz_bytes_load_le32(in.data + 4) : 0;
    if (size == 0 || (expected && size != expected) || !vz_sink_claim(codec, out, size, NULL))
        return false;
    uint8_t *memory = malloc(work);
    const vz_codec_part all = {0, size, out->data};
    const bool ok = memory && vz_blosc_take_parts(in, &all, 1, memory, NULL);
    free(memory);
    out->size = ok ? size : 0;
    return ok;
}

static bool blosc_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    size_t size;
    if (is_plain_whole(codec, in))
        return copy_plain(codec, in, out, err);
    if (decode_here(codec, in, out))
        return true;
    if (!read_header(codec, in, &size, err) || !vz_sink_claim(codec, out, size, err))
        return false;
    vz_blosc_heap_ready(size);
    if (size && blosc_decompress_ctx(in.data, out->data, size, 1) != (int)size)
        return cannot_decode(in, err);
    out->size = size;
    return true;
}

static bool decode_then_cut(const vz_codec *codec, vz_bytes in, uint64_t offset, uint64_t size, vz_buffer *out,
                            vz_error *err)
{
    vz_buffer whole = {0};
    const bool ok = blosc_decode(codec, in, &whole, err) && vz_buffer_append(out, whole.data + offset, size, err);
    vz_buffer_clear(&whole);
    return ok;
}

/* The library gives only whole elements (of the size that the buffer's header tells). */
static bool blosc_decode_range(const vz_codec *codec, vz_bytes in, uint64_t offset, uint64_t size, vz_buffer *out,
                               vz_error *err)
{
    size_t total, typesize;
    int flags;
    uint64_t end;
    if (!read_header(codec, in, &total, err))
        return false;
    if (!vz_add(offset, size, &end) || end > total)
        return vz_fail(err, VZ_CORRUPT, "blosc: decodes to %zu bytes, which end before the range asked", total);
    if (size == 0)
        return true;
    blosc_cbuffer_metainfo(in.data, &typesize, &flags);
    if (typesize == 0 || offset % typesize || size % typesize)
        return decode_then_cut(codec, in, offset, size, out, err);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    vz_blosc_heap_ready(total);
    const int got = blosc_getitem(in.data, (int)(offset / typesize), (int)(size / typesize), out->data);
    if (got < 0 || (uint64_t)got != size)
        return cannot_decode(in, err);
    out->size = (size_t)size;
    return true;
}

static size_t blosc_range_unit(const vz_codec *codec, vz_bytes in)
{
    size_t size, stored, block = vz_blosc_parts_memory(in);
    if (block && vz_bytes_load_le32(in.data + 4) == codec->context.decoded_size)
        return block;
    if (!read_header(codec, in, &size, NULL))
        return 0;
    blosc_cbuffer_sizes(in.data, &size, &stored, &block);
    return block;
}

/* ---- encoding ---- */

static vz_blosc_form form_of(const vz_codec *codec, int level)
{
    const blosc_state *state = codec->state;
    const size_t element = state->typesize ? (size_t)state->typesize : codec->context.element_size;
    int shuffle = (int)state->shuffle;
    if (shuffle == SHUFFLE_AUTO)
        shuffle = element == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
    const bool is_stated = element > 0 && element <= UINT8_MAX; /* of larger ones the library makes
                                                                 * bytes, too */
    return (vz_blosc_form){.level = level, .shuffle = shuffle, .element = is_stated ? element : 1};
}

/* Our own encoder makes the blocks that the library makes by itself. */
static bool is_usual(const blosc_state *state)
{
    return state->cname == usual && state->blocksize == 0;
}

/* Of any level; at 0 the library stores what it is given as it is. */
static bool compress(const vz_codec *codec, int level, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const blosc_state *state = codec->state;
    const vz_blosc_form form = form_of(codec, level);
    if (is_usual(state) && vz_blosc_encodes(&form, in.size))
        return vz_blosc_encode(&form, in, out, err);
    const size_t bound = in.size + BLOSC_MAX_OVERHEAD;
    if (!vz_blosc_is_there(err) || !vz_buffer_reserve(out, bound, err))
        return false;
    vz_blosc_heap_ready(in.size);
    const int size = blosc_compress_ctx(level, form.shuffle, form.element, in.size, in.data, out->data, bound,
                                        state->cname, (size_t)state->blocksize, 1);
    if (size <= 0)
        return vz_fail(err, VZ_INVALID, "blosc: the library could not encode (%d)", size);
    out->size = (size_t)size;
    return true;
}

/* Of objects nobody knows how large they become: most are small. */
static bool blosc_prepare(const vz_codec *codec, vz_error *err)
{
    const blosc_state *state = codec->state;
    const vz_blosc_form form = form_of(codec, (int)state->level);
    const size_t size = codec->context.decoded_size;
    return (is_usual(state) && (size == 0 || vz_blosc_encodes(&form, size))) || vz_blosc_is_there(err);
}

static bool check_limit(vz_bytes in, vz_error *err)
{
    return in.size <= BLOSC_MAX_BUFFERSIZE ||
           vz_fail(err, VZ_LIMIT, "blosc: a chunk of %zu bytes is over its limit of %d", in.size, BLOSC_MAX_BUFFERSIZE);
}

static bool blosc_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const blosc_state *state = codec->state;
    return check_limit(in, err) && compress(codec, (int)state->level, in, out, err);
}

/* ---- what gains little ---- */

/* A fifth: random floats gain 6 to 14 %, and are decoded five to ten times as slowly as they are
 * copied. */
static bool is_worth(uint64_t decoded, uint64_t stored)
{
    return stored <= decoded - decoded / 5;
}

/* Samples from all over a large chunk, too short for repeats that lie far apart: they tell what is
 * hopeless. */
static bool may_be_worth(const vz_codec *codec, vz_bytes in, vz_buffer *out)
{
    enum { SAMPLES = 4, SAMPLE = 32 << 10, SHARE = 8, HOPELESS = 10 };
    const blosc_state *state = codec->state;
    const size_t element = codec->context.element_size ? codec->context.element_size : 1;
    uint64_t stored = 0;
    for (size_t i = 0; i < SAMPLES && in.size >= SHARE * SAMPLES * SAMPLE; i++) {
        const size_t at = (in.size / SAMPLES * i + in.size / SAMPLES / 2) / element * element;
        if (!compress(codec, (int)state->level, (vz_bytes){in.data + at, SAMPLE}, out, NULL))
            return false;
        stored += out->size;
    }
    return stored <= SAMPLES * SAMPLE - SAMPLES * SAMPLE / HOPELESS;
}

static bool keep_by_head(const vz_codec *codec, size_t size, vz_buffer *out, vz_error *err)
{
    const vz_blosc_form form = form_of(codec, 0);
    if (!vz_buffer_reserve(out, VZ_BLOSC_HEAD, err))
        return false;
    vz_blosc_plain_head(&form, size, out->data);
    out->size = VZ_BLOSC_HEAD;
    return true;
}

static bool blosc_encode_or_keep(const vz_codec *codec, vz_bytes in, vz_buffer *out, bool *head_alone, vz_error *err)
{
    const blosc_state *state = codec->state;
    if (!check_limit(in, err))
        return false;
    if (may_be_worth(codec, in, out) && compress(codec, (int)state->level, in, out, NULL) &&
        is_worth(in.size, out->size))
        return true;
    out->size = 0;
    if (!head_alone || !is_usual(state) || in.size < KEEP_BY_HEAD)
        return compress(codec, 0, in, out, err);
    *head_alone = true;
    return keep_by_head(codec, in.size, out, err);
}

static bool blosc_is_plain(const vz_codec *codec, const uint8_t *head)
{
    return vz_blosc_is_plain(head, codec->context.decoded_size);
}

static size_t blosc_head_unit(const vz_codec *codec, const uint8_t *head)
{
    (void)codec;
    return vz_bytes_load_le32(head + 8);
}

const vz_codec_class vz_codec_blosc = {
    .id = "blosc",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(blosc_state),
    .configure = blosc_configure,
    .decode = blosc_decode,
    .encode = blosc_encode,
    .prepare = blosc_prepare,
    .encode_or_keep = blosc_encode_or_keep,
    .plain_head = VZ_BLOSC_HEAD,
    .is_plain = blosc_is_plain,
    .head_unit = blosc_head_unit,
    .decode_range = blosc_decode_range,
    .decode_parts = vz_blosc_decode_parts,
    .range_unit = blosc_range_unit,
    .read_range = vz_blosc_read_range,
};
