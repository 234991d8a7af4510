/* chain_open.c - builds a chain from an array's metadata: which codecs, and what each knows of the
 * data it will see. */
#include "codec/chain/chain.h"

#include <stdlib.h>

/* Most bytes that a compressor may add to data that do not compress: a quarter, and the headers of
 * a small chunk. No compressor here comes near it. */
#define OVERHEAD_SHIFT 2
#define OVERHEAD_FIXED ((size_t)64 << 10)

static size_t bound_after(size_t limit)
{
    if (limit >= VZ_CHAIN_PAYLOAD_MAX)
        return limit;
    return limit + (limit >> OVERHEAD_SHIFT) + OVERHEAD_FIXED;
}

/* The context of the codec that follows. */
static vz_codec_context context_after(const vz_codec *codec)
{
    const vz_codec_class *class = codec->class;
    vz_codec_context next = {
        .element_size = 1, .element_count = codec->context.element_count, .as_filter = codec->context.as_filter};
    if (class->kind == VZ_CODEC_ITEMS_TO_BYTES) {
        next.decoded_limit = VZ_CHAIN_PAYLOAD_MAX;
        return next;
    }
    next.rank = codec->context.rank; /* filters leave the shape as it is */
    memcpy(next.shape, codec->context.shape, sizeof next.shape);
    if (class->encoded_element_size)
        next.element_size = class->encoded_element_size(codec);
    size_t size = codec->context.decoded_size;
    if (size && class->encoded_size && class->encoded_size(codec, size, &size))
        next.decoded_size = size;
    next.decoded_limit = next.decoded_size ? next.decoded_size : bound_after(codec->context.decoded_limit);
    return next;
}

static const vz_codec_class *find_class(const char *id, bool items, vz_error *err)
{
    const vz_codec_class *class = vz_codec_find(id, items);
    if (!class)
        vz_fail(err, VZ_UNSUPPORTED, "codec \"%s\" is not supported", id);
    return class;
}

static bool without_object_codec(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "an array of objects without an object codec");
}

/* An array of objects begins with an object codec, and there is none elsewhere. */
static bool check_place(const vz_codec_class *class, bool objects, size_t index, vz_error *err)
{
    const bool is_object_codec = class->kind == VZ_CODEC_ITEMS_TO_BYTES;
    if (is_object_codec == (objects && index == 0))
        return true;
    if (class->is_compressor && objects && index == 0)
        return without_object_codec(err);
    if (is_object_codec)
        return vz_fail(err, VZ_CORRUPT,
                       "object codec \"%s\" out of place: it must be the first filter of an array of objects",
                       class->id);
    return vz_fail(err, VZ_UNSUPPORTED, "codec \"%s\" as the first filter of an array of objects", class->id);
}

static bool add_codec(vz_chain *chain, const vz_codecs_spec *spec, bool objects, vz_codec_context first, vz_error *err)
{
    const vz_codec_class *class = find_class(spec->id, objects && chain->count == 0, err);
    if (!class || !check_place(class, objects, chain->count, err))
        return false;
    if (chain->count == VZ_CHAIN_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %d codecs", VZ_CHAIN_MAX);
    vz_codec *codec = &chain->codecs[chain->count];
    *codec = (vz_codec){.class = class, .context = chain->count ? context_after(codec - 1) : first};
    if (class->state_size && !(codec->state = calloc(1, class->state_size)))
        return vz_fail_memory(err);
    chain->count++;
    const bool ok = class->configure ? class->configure(codec, spec->configuration, err) : true;
    codec->context.record = NULL;
    return ok;
}

static bool add_all(vz_chain *chain, const vz_codecs *codecs, bool objects, vz_codec_context first, vz_error *err)
{
    if (objects && codecs->count == 0)
        return without_object_codec(err);
    if (codecs->count == 0)
        return true;
    const size_t room = codecs->count < VZ_CHAIN_MAX ? codecs->count : VZ_CHAIN_MAX;
    if (!(chain->codecs = malloc(room * sizeof *chain->codecs)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < codecs->count; i++)
        if (!add_codec(chain, &codecs->specs[i], objects, first, err))
            return false;
    return true;
}

static bool is_big_endian_machine(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 0;
}

/* The first codec's context. */
static bool first_context(const vz_chain_chunk *chunk, size_t size, vz_codec_context *first, vz_error *err)
{
    *first = (vz_codec_context){.element_size = chunk->element_size,
                                .swapped = chunk->big_endian != is_big_endian_machine(),
                                .element_count = chunk->element_count,
                                .decoded_size = size,
                                .decoded_limit = size,
                                .kind = chunk->kind,
                                .as_filter = chunk->as_filters,
                                .rank = chunk->shape ? chunk->rank : 1,
                                .shape = {chunk->element_count},
                                .record = chunk->record};
    if (first->rank > VZ_CODEC_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, "a chunk of %u dimensions", chunk->rank);
    for (unsigned d = 0; chunk->shape && d < first->rank; d++)
        first->shape[d] = chunk->shape[d];
    return true;
}

bool vz_chain_open(vz_chain *chain, const vz_codecs *codecs, const vz_chain_chunk *chunk, vz_error *err)
{
    *chain = (vz_chain){0};
    uint64_t size;
    if (!vz_mul(chunk->element_size, chunk->element_count, &size) || size > SIZE_MAX)
        return vz_fail(err, VZ_LIMIT, "a chunk of %zu elements of %zu bytes", chunk->element_count,
                       chunk->element_size);
    chain->chunk_size = (size_t)size;
    vz_codec_context first;
    if (first_context(chunk, chain->chunk_size, &first, err) && add_all(chain, codecs, chunk->objects, first, err))
        return true;
    vz_chain_clear(chain);
    return false;
}

bool vz_chain_for(const vz_chain *chain, const vz_chain_chunk *chunk, vz_codec *room, vz_chain *other, vz_error *err)
{
    uint64_t size;
    vz_codec_context context;
    if (!vz_mul(chunk->element_size, chunk->element_count, &size) || size > SIZE_MAX)
        return vz_fail(err, VZ_LIMIT, "a chunk of %zu elements", chunk->element_count);
    if (!first_context(chunk, (size_t)size, &context, err))
        return false;
    for (size_t i = 0; i < chain->count; i++) {
        room[i] = (vz_codec){.class = chain->codecs[i].class, .context = context, .state = chain->codecs[i].state};
        context = context_after(&room[i]);
    }
    *other = (vz_chain){.count = chain->count, .codecs = room, .chunk_size = (size_t)size, .may_keep = chain->may_keep};
    return true;
}

bool vz_chain_open_bytes(vz_chain *chain, const vz_codecs *codecs, size_t limit, vz_error *err)
{
    const vz_codec_context first = {.element_size = 1, .decoded_limit = limit};
    *chain = (vz_chain){0};
    if (add_all(chain, codecs, false, first, err))
        return true;
    vz_chain_clear(chain);
    return false;
}

bool vz_chain_encoded_size(const vz_chain *chain, size_t *size)
{
    *size = chain->chunk_size;
    for (size_t i = 0; i < chain->count; i++) {
        const vz_codec *codec = &chain->codecs[i];
        if (!codec->class->encoded_size || !codec->class->encoded_size(codec, *size, size))
            return false;
    }
    return true;
}

void vz_chain_clear(vz_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        vz_codec *codec = &chain->codecs[i];
        if (codec->class->clear)
            codec->class->clear(codec);
        free(codec->state);
    }
    free(chain->codecs);
    chain->codecs = NULL;
    chain->count = 0;
}
