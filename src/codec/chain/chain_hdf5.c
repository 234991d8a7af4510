/* chain_hdf5.c - stored chunks between the codecs' forms and those of HDF5's filters. Only the part
 * from the first codec whose form differs is undone and done again. That is a checksum behind a
 * compressor, and nothing in most chains. Chunks that only show what the codecs do to them, too. */
#include "codec/chain/chain.h"

typedef bool (*step)(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);

/* The data on their way; each step reads one buffer and fills the other. */
typedef struct passage {
    vz_bytes data;
    vz_buffer buffers[2];
    unsigned turn;
} passage;

static bool take(passage *p, step run, const vz_codec *codec, size_t limit, vz_error *err)
{
    vz_buffer *out = &p->buffers[p->turn];
    p->turn = !p->turn;
    out->size = 0;
    out->limit = limit;
    if (!run(codec, p->data, out, err))
        return false;
    p->data = (vz_bytes){out->data, out->size};
    return true;
}

static bool decode(passage *p, const vz_codec *codec, vz_error *err)
{
    return take(p, codec->class->decode, codec, codec->context.decoded_limit, err);
}

static size_t first_reframed(const vz_chain *chain)
{
    size_t first = 0;
    while (first < chain->count && !chain->codecs[first].class->to_filter)
        first++;
    return first;
}

bool vz_chain_is_reframed(const vz_chain *chain)
{
    return first_reframed(chain) < chain->count;
}

static bool to_filters(const vz_chain *chain, passage *p, vz_error *err)
{
    const size_t first = first_reframed(chain);
    for (size_t i = chain->count; i-- > first + 1;)
        if (!decode(p, &chain->codecs[i], err))
            return false;
    for (size_t i = first; i < chain->count; i++) {
        const vz_codec *codec = &chain->codecs[i];
        if (i > first && !take(p, codec->class->encode, codec, 0, err))
            return false;
        if (codec->class->to_filter && !take(p, codec->class->to_filter, codec, 0, err))
            return false;
    }
    return true;
}

static bool from_filters(const vz_chain *chain, passage *p, vz_error *err)
{
    const size_t first = first_reframed(chain);
    for (size_t i = chain->count; i-- > first;) {
        const vz_codec *codec = &chain->codecs[i];
        if (codec->class->from_filter && !take(p, codec->class->from_filter, codec, 0, err))
            return false;
        if (i > first && !decode(p, codec, err))
            return false;
    }
    for (size_t i = first + 1; i < chain->count; i++)
        if (!take(p, chain->codecs[i].class->encode, &chain->codecs[i], 0, err))
            return false;
    return true;
}

static bool pass(const vz_chain *chain, bool (*way)(const vz_chain *, passage *, vz_error *), vz_bytes in,
                 vz_buffer *out, vz_error *err)
{
    passage p = {.data = in};
    out->size = 0;
    const bool ok = way(chain, &p, err) && vz_buffer_append(out, p.data.data, p.data.size, err);
    vz_buffer_clear(&p.buffers[0]);
    vz_buffer_clear(&p.buffers[1]);
    return ok;
}

bool vz_chain_to_filters(const vz_chain *chain, vz_bytes stored, vz_buffer *out, vz_error *err)
{
    return pass(chain, to_filters, stored, out, err);
}

bool vz_chain_from_filters(const vz_chain *chain, vz_bytes filtered, vz_buffer *out, vz_error *err)
{
    return pass(chain, from_filters, filtered, out, err);
}

static bool there_and_back(const vz_chain *chain, passage *p, vz_error *err)
{
    for (size_t i = 0; i < chain->count; i++)
        if (!take(p, chain->codecs[i].class->encode, &chain->codecs[i], 0, err))
            return false;
    for (size_t i = chain->count; i-- > 0;)
        if (!decode(p, &chain->codecs[i], err))
            return false;
    return true;
}

bool vz_chain_there_and_back(const vz_chain *chain, vz_bytes chunk, vz_buffer *out, vz_error *err)
{
    return pass(chain, there_and_back, chunk, out, err);
}
