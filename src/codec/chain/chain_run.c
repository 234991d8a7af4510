/* chain_run.c - runs data through the codecs of an array. Data between two codecs are in the
 * worker's scratch memory; the chunk's own end of the chain is written and read in place. */
#include "codec/chain/chain.h"
#include "base/os/thread.h"

#include <assert.h>

static vz_buffer *stage_scratch(unsigned worker, size_t stage, size_t limit)
{
    vz_buffer *scratch = vz_pool_scratch(worker, stage % 2 ? VZ_CHAIN_SCRATCH_A : VZ_CHAIN_SCRATCH_B);
    scratch->size = 0;
    scratch->limit = limit;
    return scratch;
}

static vz_bytes view(const vz_buffer *buffer)
{
    return (vz_bytes){buffer->data, buffer->size};
}

static bool decode_stage(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    assert(!in.data || in.data != out->data);
    if (!codec->class->decode(codec, in, out, err))
        return false;
    const size_t size = codec->context.decoded_size;
    if (size && out->size != size)
        return vz_fail(err, VZ_CORRUPT, "%s: decodes to %zu bytes, must be %zu", codec->class->id, out->size, size);
    return true;
}

/* Undoes all codecs from the last down to `first`, in scratch; *data is what they leave. */
static bool decode_down_to(const vz_chain *chain, size_t first, vz_bytes *data, unsigned worker, vz_error *err)
{
    for (size_t i = chain->count; i-- > first;) {
        vz_buffer *out = stage_scratch(worker, i, chain->codecs[i].context.decoded_limit);
        if (!decode_stage(&chain->codecs[i], *data, out, err))
            return false;
        *data = view(out);
    }
    return true;
}

static bool holds_items(const vz_chain *chain)
{
    return chain->count && chain->codecs[0].class->kind == VZ_CODEC_ITEMS_TO_BYTES;
}

static bool wrong_size(vz_bytes data, size_t size, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", data.size, size);
}

bool vz_chain_has_parts(const vz_chain *chain)
{
    return chain->count == 1 && chain->codecs[0].class->decode_parts;
}

static bool decode_parts(const vz_chain *chain, vz_bytes stored, const vz_codec_part *parts, size_t count, uint8_t *out,
                         unsigned worker)
{
    const vz_codec *codec = &chain->codecs[0];
    return codec->class->decode_parts(codec, stored, parts, count, stage_scratch(worker, 1, 0), out);
}

bool vz_chain_decode(const vz_chain *chain, vz_bytes stored, void *chunk, size_t chunk_size, unsigned worker,
                     vz_error *err)
{
    if (holds_items(chain) || chunk_size != chain->chunk_size)
        return vz_fail(err, VZ_INVALID, "a chunk of this array does not decode to %zu bytes", chunk_size);
    if (vz_chain_has_parts(chain) && chunk_size > 0 && chain->codecs[0].context.decoded_size == chunk_size &&
        decode_parts(chain, stored, &(vz_codec_part){0, chunk_size}, 1, chunk, worker))
        return true;
    if (!decode_down_to(chain, 1, &stored, worker, err))
        return false;
    vz_buffer out = vz_buffer_borrow(chunk, chunk_size);
    if (chain->count) {
        if (!decode_stage(&chain->codecs[0], stored, &out, err))
            return false;
        return out.size == chunk_size ? true : wrong_size(view(&out), chunk_size, err);
    }
    if (stored.size != chunk_size)
        return wrong_size(stored, chunk_size, err);
    if (chunk_size)
        memcpy(chunk, stored.data, chunk_size);
    return true;
}

bool vz_chain_has_range(const vz_chain *chain)
{
    return chain->count == 0 || (chain->count == 1 && chain->codecs[0].class->decode_range);
}

size_t vz_chain_range_unit(const vz_chain *chain, vz_bytes stored)
{
    const vz_codec *codec = chain->codecs;
    return chain->count == 1 && codec->class->range_unit ? codec->class->range_unit(codec, stored) : 0;
}

bool vz_chain_decode_parts(const vz_chain *chain, vz_bytes stored, const vz_codec_part *parts, size_t count,
                           uint8_t *chunk, unsigned worker)
{
    return count > 0 && decode_parts(chain, stored, parts, count, chunk ? chunk + parts[0].offset : NULL, worker);
}

bool vz_chain_decode_range(const vz_chain *chain, vz_bytes stored, uint64_t offset, uint64_t size, void *out,
                           unsigned worker, vz_error *err)
{
    uint64_t end;
    if (holds_items(chain) || !vz_add(offset, size, &end) || end > chain->chunk_size)
        return vz_fail(err, VZ_INVALID, "a range beyond the end of a chunk");
    if (vz_chain_has_parts(chain) && decode_parts(chain, stored, &(vz_codec_part){offset, size}, 1, out, worker))
        return true;
    const bool ranged = chain->count && chain->codecs[0].class->decode_range;
    if (!decode_down_to(chain, ranged ? 1 : 0, &stored, worker, err))
        return false;
    if (ranged) {
        vz_buffer part = vz_buffer_borrow(out, (size_t)size);
        if (!chain->codecs[0].class->decode_range(&chain->codecs[0], stored, offset, size, &part, err))
            return false;
        return part.size == size ? true : wrong_size(view(&part), (size_t)size, err);
    }
    if (stored.size != chain->chunk_size)
        return wrong_size(stored, chain->chunk_size, err);
    if (size)
        memcpy(out, stored.data + offset, (size_t)size);
    return true;
}

bool vz_chain_reads_range(const vz_chain *chain)
{
    return chain->count == 1 && chain->codecs[0].class->read_range;
}

bool vz_chain_read_range(const vz_chain *chain, const vz_stored *stored, uint64_t offset, uint64_t size,
                         vz_buffer *scratch, void *out, vz_error *err)
{
    uint64_t end;
    if (!vz_chain_reads_range(chain) || !vz_add(offset, size, &end) || end > chain->chunk_size)
        return vz_fail(err, VZ_INVALID, "a range beyond the end of a chunk");
    const vz_codec *codec = &chain->codecs[0];
    vz_buffer part = vz_buffer_borrow(out, (size_t)size);
    scratch->size = 0;
    if (!codec->class->read_range(codec, stored, offset, size, scratch, &part, err))
        return false;
    return part.size == size ? true : wrong_size(view(&part), (size_t)size, err);
}

size_t vz_chain_plain_head(const vz_chain *chain)
{
    return chain->count == 1 ? chain->codecs[0].class->plain_head : 0;
}

bool vz_chain_is_plain(const vz_chain *chain, const uint8_t *head)
{
    return chain->codecs[0].class->is_plain(&chain->codecs[0], head);
}

bool vz_chain_lends_items(const vz_chain *chain)
{
    return holds_items(chain) && chain->codecs[0].class->lends_items;
}

size_t vz_chain_head_unit(const vz_chain *chain, const uint8_t *head)
{
    const vz_codec *codec = chain->codecs;
    return chain->count == 1 && codec->class->head_unit ? codec->class->head_unit(codec, head) : 0;
}

bool vz_chain_decode_items(const vz_chain *chain, vz_bytes stored, vz_item *items, size_t count, vz_arena *arena,
                           unsigned worker, vz_error *err)
{
    if (!holds_items(chain))
        return vz_fail(err, VZ_INVALID, "this array does not hold objects");
    const vz_codec *codec = &chain->codecs[0];
    return decode_down_to(chain, 1, &stored, worker, err) &&
           codec->class->decode_items(codec, stored, items, count, arena, err);
}

/* Applies the codecs from `first` on; the last one writes to `out`. */
static bool encode_up_from(const vz_chain *chain, size_t first, vz_bytes data, vz_buffer *out, unsigned worker,
                           vz_error *err)
{
    for (size_t i = first; i < chain->count; i++) {
        vz_buffer *to = i + 1 < chain->count ? stage_scratch(worker, i, 0) : out;
        assert(!data.data || data.data != to->data);
        if (!chain->codecs[i].class->encode(&chain->codecs[i], data, to, err))
            return false;
        data = view(to);
    }
    return true;
}

static bool keeps(const vz_chain *chain)
{
    return chain->may_keep && vz_chain_plain_head(chain) > 0;
}

bool vz_chain_prepare(const vz_chain *chain, vz_error *err)
{
    for (size_t i = 0; i < chain->count; i++) {
        const vz_codec *codec = &chain->codecs[i];
        if (codec->class->prepare && !codec->class->prepare(codec, keeps(chain) ? NULL : err) && !keeps(chain))
            return false;
    }
    return true;
}

bool vz_chain_encode(const vz_chain *chain, const void *chunk, size_t chunk_size, vz_buffer *out, unsigned worker,
                     vz_error *err)
{
    return vz_chain_encode_or_head(chain, chunk, chunk_size, out, NULL, worker, err);
}

bool vz_chain_encode_or_head(const vz_chain *chain, const void *chunk, size_t chunk_size, vz_buffer *out,
                             bool *head_alone, unsigned worker, vz_error *err)
{
    if (head_alone)
        *head_alone = false;
    if (holds_items(chain) || chunk_size != chain->chunk_size)
        return vz_fail(err, VZ_INVALID, "%zu bytes are no chunk of this array", chunk_size);
    out->size = 0;
    if (chain->count == 0)
        return vz_buffer_append(out, chunk, chunk_size, err);
    if (keeps(chain))
        return chain->codecs[0].class->encode_or_keep(&chain->codecs[0], (vz_bytes){chunk, chunk_size}, out, head_alone,
                                                      err);
    return encode_up_from(chain, 0, (vz_bytes){chunk, chunk_size}, out, worker, err);
}

bool vz_chain_decode_bytes(const vz_chain *chain, vz_bytes stored, vz_buffer *out, unsigned worker, vz_error *err)
{
    out->size = 0;
    return decode_down_to(chain, 1, &stored, worker, err) && decode_stage(&chain->codecs[0], stored, out, err);
}

bool vz_chain_encode_bytes(const vz_chain *chain, vz_bytes bytes, vz_buffer *out, unsigned worker, vz_error *err)
{
    out->size = 0;
    return encode_up_from(chain, 0, bytes, out, worker, err);
}

bool vz_chain_encode_items(const vz_chain *chain, const vz_item *items, size_t count, vz_buffer *out, unsigned worker,
                           vz_error *err)
{
    if (!holds_items(chain))
        return vz_fail(err, VZ_INVALID, "this array does not hold objects");
    const vz_codec *codec = &chain->codecs[0];
    out->size = 0;
    vz_buffer *payload = chain->count > 1 ? stage_scratch(worker, 0, 0) : out;
    return codec->class->encode_items(codec, items, count, payload, err) &&
           encode_up_from(chain, 1, view(payload), out, worker, err);
}
