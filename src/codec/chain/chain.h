/* chain.h - the codecs of an array: the neutral list of what metadata names, and the chain that is
 * opened from it. Each Zarr format is read into the list and written from it. */
#ifndef VZ_CHAIN_CHAIN_H
#define VZ_CHAIN_CHAIN_H

#include "codec/codec/codec.h"

/* One codec as metadata names it: numcodecs' id, and the members of its configuration as numcodecs
 * has them. The list that it stands in owns both. */
typedef struct vz_codecs_spec {
    char *id;
    vz_json *configuration; /* an object, never NULL; "id" is no member of it */
} vz_codecs_spec;

/* The codecs of an array, in the order of encoding. The list owns all that is in it. All zero
 * is the empty list. */
typedef struct vz_codecs {
    size_t count;
    vz_codecs_spec *specs;
} vz_codecs;

/* Inserts a codec at a place up to `count`. Takes `configuration`, also on failure; NULL is an
 * empty one. */
bool vz_codecs_insert(vz_codecs *codecs, size_t place, const char *id, vz_json *configuration, vz_error *err);
static inline bool vz_codecs_append(vz_codecs *codecs, const char *id, vz_json *configuration, vz_error *err)
{
    return vz_codecs_insert(codecs, codecs->count, id, configuration, err);
}
/* Appends copies of all codecs of another list. */
bool vz_codecs_append_all(vz_codecs *codecs, const vz_codecs *more, vz_error *err);
void vz_codecs_clear(vz_codecs *codecs);
/* The same ids with equal configurations, in the same order? */
bool vz_codecs_equal(const vz_codecs *a, const vz_codecs *b);

bool vz_codecs_spec_is(const vz_codecs_spec *spec, const char *id); /* false for NULL */
bool vz_codecs_spec_rename(vz_codecs_spec *spec, const char *id, vz_error *err);

/* numcodecs' own form, {"id": ..., members}, which metadata of format 2 and annotations have.
 * VZ_CORRUPT: it is no object with a text "id". */
bool vz_codecs_append_numcodecs(vz_codecs *codecs, const vz_json *codec, vz_error *err);
vz_json *vz_codecs_spec_print(const vz_codecs_spec *spec, vz_error *err);
/* Does that form mean this codec? */
bool vz_codecs_spec_means(const vz_codecs_spec *spec, const vz_json *codec);

/* -- Chain -- */
/* The chain of one array: an optional object codec first, then bytes-to-bytes codecs in encoding
 * order. */
#define VZ_CHAIN_MAX 16
typedef struct vz_chain {
    size_t count;
    vz_codec *codecs;  /* room for as many as were asked for, VZ_CHAIN_MAX at the most; NULL:
                        * none */
    size_t chunk_size; /* bytes of a decoded chunk */
    bool may_keep;     /* chunks that gain little may be stored in a plain form, where the codec has
                        * one */
} vz_chain;

/* The per-worker scratch (base/os/thread.h) that the chain uses; callers have the other slots.
 * Memory that a caller passes must not lie in these slots. */
#define VZ_CHAIN_SCRATCH_A 2
#define VZ_CHAIN_SCRATCH_B 3

/* The chunks of an array. */
typedef struct vz_chain_chunk {
    bool objects;          /* elements are vz_item, and the first filter must be an object codec */
    bool big_endian;       /* bytes of an element */
    size_t element_size;   /* bytes; sizeof(vz_item) for objects */
    size_t element_count;  /* of one chunk */
    char kind;             /* as in vz_codec_context */
    unsigned rank;         /* the shape of a chunk in the order of places; NULL: one dimension */
    const uint64_t *shape; /* borrowed, as is record */
    const vz_json *record; /* of objects that are rows of a structure: its format 2 dtype, or
                            * NULL */
    bool as_filters;       /* the chunks are a pipeline's of HDF5, not a store's */
} vz_chain_chunk;

/* Builds the chain of these codecs. VZ_UNSUPPORTED names one that is not there. */
bool vz_chain_open(vz_chain *chain, const vz_codecs *codecs, const vz_chain_chunk *chunk, vz_error *err);

/* The chain for chunks that have another number of elements, or another shape. `room` has its
 * codecs, at least chain->count, which share the state of the chain's; nothing is to be cleared. */
bool vz_chain_for(const vz_chain *chain, const vz_chain_chunk *chunk, vz_codec *room, vz_chain *other, vz_error *err);

/* Opens a chain for values that are no chunks, of any size up to `limit` when decoded. */
bool vz_chain_open_bytes(vz_chain *chain, const vz_codecs *codecs, size_t limit, vz_error *err);
void vz_chain_clear(vz_chain *chain);

/* Bytes of every stored chunk; false if they are not known beforehand, as behind a compressor. */
bool vz_chain_encoded_size(const vz_chain *chain, size_t *size);

/* Decodes one stored chunk to exactly element_count*element_size bytes at `chunk`, straight into it
 * when the chain has at most one codec. Anything shorter or longer is VZ_CORRUPT. worker selects
 * scratch (base/os/thread.h). */
bool vz_chain_decode(const vz_chain *chain, vz_bytes stored, void *chunk, size_t chunk_size, unsigned worker,
                     vz_error *err);

/* Bytes [offset, offset+size) of the decoded chunk into `out`, decoding no more than needed where
 * the codec can. */
bool vz_chain_decode_range(const vz_chain *chain, vz_bytes stored, uint64_t offset, uint64_t size, void *out,
                           unsigned worker, vz_error *err);

/* Parts of the decoded chunk, each to where it wants to, or its place in `chunk`, as the class's
 * decode_parts. `chunk` is as large as the decoded chunk; NULL: all parts want to go somewhere.
 * False, without an error, where the chunk is to be decoded otherwise. Only where
 * vz_chain_has_parts. */
bool vz_chain_decode_parts(const vz_chain *chain, vz_bytes stored, const vz_codec_part *parts, size_t count,
                           uint8_t *chunk, unsigned worker);
bool vz_chain_has_parts(const vz_chain *chain);

/* A range of a stored chunk that is not in memory, reading no more than needed. Only where
 * vz_chain_reads_range. */
bool vz_chain_read_range(const vz_chain *chain, const vz_stored *stored, uint64_t offset, uint64_t size,
                         vz_buffer *scratch, void *out, vz_error *err);
bool vz_chain_reads_range(const vz_chain *chain);

/* Of a chain whose stored chunks may be in a plain form: bytes before the decoded ones, which
 * vz_chain_is_plain judges; 0: there is no such form. */
size_t vz_chain_plain_head(const vz_chain *chain);
bool vz_chain_is_plain(const vz_chain *chain, const uint8_t *head);
size_t vz_chain_head_unit(const vz_chain *chain, const uint8_t *head); /* as vz_chain_range_unit */

/* Can decode_range do better than decoding all? */
bool vz_chain_has_range(const vz_chain *chain);

/* Bytes of the decoded chunk that decode_range decodes together, from any multiple of it on; 0: not
 * known, or all. */
size_t vz_chain_range_unit(const vz_chain *chain, vz_bytes stored);

/* Before chunks are changed that will be encoded. Where a plain form may take the place of what
 * cannot be had, true. */
bool vz_chain_prepare(const vz_chain *chain, vz_error *err);

/* Replaces what `out` holds with the stored form of the chunk. Same for encode_items. */
bool vz_chain_encode(const vz_chain *chain, const void *chunk, size_t chunk_size, vz_buffer *out, unsigned worker,
                     vz_error *err);

/* Encodes a chunk. For a large chunk that is stored in a plain form it may return the head alone
 * (*head_alone); the caller appends the chunk's own bytes. */
bool vz_chain_encode_or_head(const vz_chain *chain, const void *chunk, size_t chunk_size, vz_buffer *out,
                             bool *head_alone, unsigned worker, vz_error *err);

/* A stored chunk in the form of the pipeline of HDF5 filters that the chain equals, and back;
 * replaces what `out` holds. For any thread. */
bool vz_chain_to_filters(const vz_chain *chain, vz_bytes stored, vz_buffer *out, vz_error *err);
bool vz_chain_is_reframed(const vz_chain *chain); /* false: both forms are one */
bool vz_chain_from_filters(const vz_chain *chain, vz_bytes filtered, vz_buffer *out, vz_error *err);

/* Encodes a chunk with every codec and decodes what it became; appended to the empty `out`. For any
 * thread, and small chunks. */
bool vz_chain_there_and_back(const vz_chain *chain, vz_bytes chunk, vz_buffer *out, vz_error *err);

/* For chains of vz_chain_open_bytes (not empty ones): replaces what `out` holds. */
bool vz_chain_decode_bytes(const vz_chain *chain, vz_bytes stored, vz_buffer *out, unsigned worker, vz_error *err);
bool vz_chain_encode_bytes(const vz_chain *chain, vz_bytes bytes, vz_buffer *out, unsigned worker, vz_error *err);

/* Decodes a chunk of an array of objects. Without an arena, if the chain lends items, they are
 * valid until the worker decodes something else or `stored` goes. */
bool vz_chain_lends_items(const vz_chain *chain);
bool vz_chain_decode_items(const vz_chain *chain, vz_bytes stored, vz_item *items, size_t count, vz_arena *arena,
                           unsigned worker, vz_error *err);
bool vz_chain_encode_items(const vz_chain *chain, const vz_item *items, size_t count, vz_buffer *out, unsigned worker,
                           vz_error *err);

#endif
