/* output_sink.h - where a decoder puts its output: how much it may give at most, and the loop that streaming libraries share.
 */
#ifndef VZ_CODEC_OUTPUT_SINK_H
#define VZ_CODEC_OUTPUT_SINK_H

#include "codec/codec/codec.h"

/* The most this codec may decode to in `out`: what a borrowed buffer holds, else the least of out->limit and the
 * context's limit that are set, else VZ_CHAIN_PAYLOAD_MAX. */
size_t vz_sink_room(const vz_codec *codec, const vz_buffer *out);

/* Makes `out` (empty) hold `size` bytes that the stream claims to decode to; VZ_CORRUPT if that is more than it may. */
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

/* Decodes one stream from the start of `in` up to its end mark, appending to `out`, which grows as output comes but
 * never beyond its room; `in` keeps what follows the end mark. */
bool vz_sink_stream(const vz_codec *codec, vz_sink_decode decode, void *stream, vz_bytes *in, vz_buffer *out,
                    vz_error *err);

#endif
