/* codec_internal.h - helpers that several codecs share: numbers, checksums, deflate, lzma options,
 * bounded output, shuffle, library contexts of a thread. */
#ifndef VZ_CODEC_CODEC_INTERNAL_H
#define VZ_CODEC_CODEC_INTERNAL_H

#include "codec/codec/codec.h"
#include <libdeflate.h>
#include <lzma.h>
#include <stddef.h>
#include <stdint.h>

/* Reads an integer member of a configuration. *value holds the default; min and max are
 * inclusive. */
bool vz_config_int(const vz_codec *codec, const vz_json *config, const char *key, int64_t min, int64_t max,
                   int64_t *value, vz_error *err);

/* Configures a codec that has a level alone, with a default and a range. The state is an
 * int64_t. */
bool vz_config_level(vz_codec *codec, const vz_json *config, int64_t min, int64_t max, int64_t value, vz_error *err);
static inline int vz_codec_level(const vz_codec *codec)
{
    return (int)*(const int64_t *)codec->state;
}

/* -- Number -- */
/* The type that numpy computes in when values of both meet. */
vz_codec_number_type vz_codec_number_type_promote(vz_codec_number_type a, vz_codec_number_type b);
/* Writes `value` as one element of `type`. */
void vz_codec_number_store(vz_codec_number_type type, vz_codec_number value, uint8_t *to);
/* Reads a number as fill values of Zarr format 3 have it. That is a JSON number, a text with one,
 * "NaN", "Infinity", "-Infinity", or the bits of a real as "0x...". False: it is none of that
 * type. */
bool vz_codec_number_parse(vz_codec_number_type type, const vz_json *json, vz_codec_number *value);
#define VZ_NUMBER_TEXT_SIZE 40
/* As text for messages. */
const char *vz_codec_number_print(vz_codec_number value, char text[VZ_NUMBER_TEXT_SIZE]);

/* -- Float16 --
 * IEEE half precision, by bits (not every compiler and processor has the type), and beside it the
 * two that C has. */
double vz_half_to_double(uint16_t half);

/* Rounds to nearest, ties to even; overflow is infinity. */
uint16_t vz_half_from_double(double value);

/* One compressed block of `size` bytes decoded (their number must not be the block's own) as a
 * frame of one block. */
bool vz_lz4_frame_wrap(vz_bytes block, size_t size, vz_buffer *out, vz_error *err);

/* The other way: false (no error) if the frame is not one compressed block and nothing else. */
bool vz_lz4_frame_unwrap(vz_bytes in, vz_bytes *block, size_t *size);

/* A value as another type, as C converts it. Integers wrap; reals are rounded to the type's
 * precision or cut to integers (out of range: some value). */
vz_codec_number vz_codec_number_cast(vz_codec_number_type type, vz_codec_number value);

/* -- Rounding --
 * Numbers rounded to a narrower type, in the ways of Zarr's cast_value. */
typedef enum vz_codec_cast_rounding {
    VZ_ROUND_NEAREST_EVEN,
    VZ_ROUND_TOWARDS_ZERO,
    VZ_ROUND_TOWARDS_POSITIVE,
    VZ_ROUND_TOWARDS_NEGATIVE,
    VZ_ROUND_NEAREST_AWAY,
} vz_codec_cast_rounding;

/* A finite real to a whole number. */
double vz_codec_round_to_integer(double value, vz_codec_cast_rounding rounding);
/* A number to the precision of a real type. The result is larger than the largest finite number of
 * the type where the value is out of its range. NaN and infinities stay. */
double vz_codec_round_to_real(vz_codec_number_type type, vz_codec_number value, vz_codec_cast_rounding rounding);
double vz_real_max(vz_codec_number_type type); /* the largest finite number */

/* -- Checksum --
 * Codecs that add a checksum of 4 bytes. */
#define VZ_CHECKSUM_SIZE 4

typedef uint32_t (*vz_checksum_sum)(vz_bytes data);

/* State of such a codec; its class has state_size = sizeof(vz_checksum_state). */
typedef struct vz_checksum_state {
    vz_checksum_sum sum;
    bool at_start; /* the checksum stands in front of the data */
} vz_checksum_state;

/* Reads "location"; at_start is the default. */
bool vz_checksum_configure(vz_codec *codec, const vz_json *config, vz_checksum_sum sum, bool at_start, vz_error *err);
bool vz_checksum_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size);
bool vz_checksum_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
bool vz_checksum_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);

/* -- Deflate --
 * Shared by zlib and gzip: libdeflate for whole buffers, zlib for streams of unknown size. */
/* numcodecs' levels are zlib's: -1 (zlib's own default, 6) to 9. */
#define VZ_DEFLATE_LEVEL_MIN     (-1)
#define VZ_DEFLATE_LEVEL_MAX     9
#define VZ_DEFLATE_LEVEL_DEFAULT 1

typedef enum vz_deflate_wrapper { VZ_DEFLATE_ZLIB, VZ_DEFLATE_GZIP } vz_deflate_wrapper;

/* One stream (of gzip: one member) from the start of `in`, appended to `out`; `in` keeps what
 * follows it. */
bool vz_deflate_decode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes *in, vz_buffer *out, vz_error *err);
bool vz_deflate_encode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes in, vz_buffer *out, vz_error *err);

/* -- Gzip frame --
 * Deflated data between a gzip member (RFC 1952) and a zlib stream (RFC 1950): other header, other
 * checksum, the same deflated bytes. */
/* codec: the one called "gzip". Both decode once, for the checksum; data in several members are
 * deflated anew. */
bool vz_gzip_to_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
bool vz_gzip_from_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);

/* -- Lzma options --
 * The filter chain of an lzma codec, read from Python's form of it: a list of dictionaries. */
/* Must not be moved once read: the chain points into the options. */
typedef struct vz_lzma_filters {
    lzma_filter chain[LZMA_FILTERS_MAX + 1]; /* ends with LZMA_VLI_UNKNOWN */
    union {
        lzma_options_lzma lzma;
        lzma_options_delta delta;
        lzma_options_bcj bcj;
    } options[LZMA_FILTERS_MAX];
} vz_lzma_filters;

bool vz_lzma_filters_read(const vz_codec *codec, const vz_json *list, vz_lzma_filters *filters, vz_error *err);
/* The one filter that a preset stands for: LZMA1 in the .lzma format (alone), else LZMA2. */
bool vz_lzma_filters_preset(const vz_codec *codec, uint32_t preset, bool alone, vz_lzma_filters *filters,
                            vz_error *err);

/* -- Number filter --
 * Filters that turn each number into one of another type: astype, fixedscaleoffset, quantize,
 * scale_offset, cast_value. */
/* The beginning of such a codec's state. */
typedef struct vz_codec_number_filter {
    vz_codec_number_type decoded, encoded;
} vz_codec_number_filter;

/* A value of either type into one that is stored as the other, in place. False with err set: the
 * codec has no such value. */
typedef bool (*vz_codec_mapping_step)(const void *state, vz_codec_number *value, vz_error *err);

/* VZ_UNSUPPORTED unless both are integers or reals. */
bool vz_codec_mapping_check(const vz_codec *codec, vz_error *err);
bool vz_codec_mapping_decode(const vz_codec *codec, vz_bytes in, vz_codec_mapping_step step, vz_buffer *out,
                             vz_error *err);
bool vz_codec_mapping_encode(const vz_codec *codec, vz_bytes in, vz_codec_mapping_step step, vz_buffer *out,
                             vz_error *err);
size_t vz_codec_mapping_encoded_element_size(const vz_codec *codec);
bool vz_codec_mapping_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size);

/* -- Output sink --
 * The bounded output of a decoder, and the loop that streaming libraries share. */
/* The most that this codec may decode to in `out`: the room of a borrowed buffer, else the least of
 * out->limit and the context's limit. If neither is set it is VZ_CHAIN_PAYLOAD_MAX. */
size_t vz_sink_room(const vz_codec *codec, const vz_buffer *out);

/* Makes `out` (empty) hold `size` bytes that the stream claims to decode to; VZ_CORRUPT if that is
 * more than it may. */
bool vz_sink_claim(const vz_codec *codec, vz_buffer *out, uint64_t size, vz_error *err);

/* One call of a streaming library's decoder. */
typedef enum vz_sink_status { VZ_SINK_MORE, VZ_SINK_END, VZ_SINK_BAD, VZ_SINK_LIMIT, VZ_SINK_NO_MEMORY } vz_sink_status;
typedef struct vz_sink_step {
    const uint8_t *in; /* advanced by what was read */
    size_t in_size;
    uint8_t *out; /* advanced by what was written */
    size_t out_size;
} vz_sink_step;
typedef vz_sink_status (*vz_sink_decode)(void *stream, vz_sink_step *step);

/* Decodes one stream from the start of `in` up to its end mark. Output is appended to `out`, which
 * grows but never beyond its room; `in` keeps what follows the end mark. */
bool vz_sink_stream(const vz_codec *codec, vz_sink_decode decode, void *stream, vz_bytes *in, vz_buffer *out,
                    vz_error *err);

/* -- Shuffle kernels --
 * Byte transposition of elements of any size. */
/* count elements of `size` bytes each. */
void vz_shuffle(const uint8_t *in, size_t count, size_t size, uint8_t *out);
/* Bytes [offset, offset+length) of what count shuffled elements of `size` bytes decode to. */
void vz_unshuffle(const uint8_t *in, size_t count, size_t size, size_t offset, size_t length, uint8_t *out);
/* Elements [first, first+n) of `size` bytes, of which streams[i] has the i-th byte of each. */
void vz_unshuffle_streams(const uint8_t *const *streams, size_t size, size_t first, size_t n, uint8_t *out);

/* -- Thread context --
 * One reusable library context of each kind per thread, so that no chunk allocates one. */
typedef enum vz_codec_thread_context_kind {
    VZ_CONTEXT_INFLATE,
    VZ_CONTEXT_DEFLATE,
    VZ_CONTEXT_ZSTD_DECODE,
    VZ_CONTEXT_ZSTD_ENCODE,
    VZ_CONTEXT_KINDS,
} vz_codec_thread_context_kind;

/* This thread's place for a context of that kind: NULL inside until the codec puts one there.
 * `destroy` is called for it when the thread ends. NULL: out of memory. */
void **vz_codec_thread_context(vz_codec_thread_context_kind kind, void (*destroy)(void *context));

#endif
