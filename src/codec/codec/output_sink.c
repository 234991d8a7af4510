/* output_sink.c - output of decoders: bounded growth. */
#include "codec/codec/codec_internal.h"

/* The first piece of output that is made room for; then it doubles. */
#define SINK_FIRST ((size_t)64 << 10)

size_t vz_sink_room(const vz_codec *codec, const vz_buffer *out)
{
    if (out->borrowed)
        return out->capacity;
    size_t room = codec->context.decoded_limit ? codec->context.decoded_limit : VZ_CHAIN_PAYLOAD_MAX;
    return out->limit && out->limit < room ? out->limit : room;
}

static bool too_much(const vz_codec *codec, const vz_buffer *out, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "%s: decodes to more than the %zu bytes there can be", codec->class->id,
                   vz_sink_room(codec, out));
}

bool vz_sink_claim(const vz_codec *codec, vz_buffer *out, uint64_t size, vz_error *err)
{
    if (size > vz_sink_room(codec, out))
        return too_much(codec, out, err);
    return vz_buffer_reserve(out, (size_t)size, err);
}

/* Room for more output: what is free, or twice as much as before, up to the limit. */
static bool grow(const vz_codec *codec, vz_buffer *out, vz_error *err)
{
    const size_t room = vz_sink_room(codec, out);
    if (out->size < out->capacity || out->size >= room)
        return true;
    size_t size = out->capacity < SINK_FIRST / 2 ? SINK_FIRST : out->capacity > room / 2 ? room : out->capacity * 2;
    return vz_buffer_reserve(out, size < room ? size : room, err);
}

static bool failed(const vz_codec *codec, vz_sink_status status, vz_error *err)
{
    if (status == VZ_SINK_NO_MEMORY)
        return vz_fail_memory(err);
    if (status == VZ_SINK_LIMIT)
        return vz_fail(err, VZ_LIMIT, "%s: the data want more memory for decoding than is allowed", codec->class->id);
    return vz_fail(err, VZ_CORRUPT, "%s: damaged or cut short", codec->class->id);
}

bool vz_sink_stream(const vz_codec *codec, vz_sink_decode decode, void *stream, vz_bytes *in, vz_buffer *out,
                    vz_error *err)
{
    vz_sink_step step = {.in = in->data, .in_size = in->size};
    const size_t room = vz_sink_room(codec, out);
    for (vz_sink_status status = VZ_SINK_MORE; status != VZ_SINK_END;) {
        if (!grow(codec, out, err))
            return false;
        /* A full output still gets a byte to write to. Libraries need the call to reach their end
         * mark, and a stream that does write the byte is too long. */
        uint8_t spill;
        const size_t end = out->capacity < room ? out->capacity : room;
        const bool full = out->size >= end;
        step.out = full ? &spill : out->data + out->size;
        step.out_size = full ? 1 : end - out->size;
        const size_t space = step.out_size, input = step.in_size;
        status = decode(stream, &step);
        const size_t written = space - step.out_size;
        if (status != VZ_SINK_MORE && status != VZ_SINK_END)
            return failed(codec, status, err);
        if (full && written)
            return too_much(codec, out, err);
        if (status == VZ_SINK_MORE && !written && input == step.in_size)
            return vz_fail(err, VZ_CORRUPT, "%s: the data end too early", codec->class->id);
        out->size += written;
    }
    *in = (vz_bytes){step.in, step.in_size};
    return true;
}
