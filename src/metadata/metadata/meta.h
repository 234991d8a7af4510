/* meta.h - an array's metadata in one model; meta_v2.c and meta_v3.c know how it is spelled, and nobody else does.
 */
#ifndef VZ_METADATA_META_H
#define VZ_METADATA_META_H

#include "codec/chain/codec_list.h"
#include "metadata/metadata/dtype.h"

/* Shards (v3): values that hold a box of chunks and an index of them. Levels lie in each other, the outermost first. */
#define VZ_SHARD_LEVELS 4
typedef struct vz_shard_level {
    uint64_t shape[VZ_MAX_RANK]; /* elements of one shard along each dimension: a multiple of the next level's */
    uint8_t axes[VZ_MAX_RANK];   /* dimensions in the order in which the index goes through them, slowest first */
    bool index_first;            /* the index stands at the start, else at the end */
    bool index_big_endian;
    uint8_t index_axes[VZ_MAX_RANK + 1]; /* axes of the stored index, slowest first; `rank` is the pair in an entry */
    vz_codecs index_codecs;              /* what the bytes of the index went through */
    vz_codecs behind;                    /* what the shard as a whole went through */
} vz_shard_level;

typedef struct vz_array_meta {
    unsigned rank;
    uint64_t shape[VZ_MAX_RANK];
    uint64_t chunks[VZ_MAX_RANK]; /* each >= 1 */
    vz_dtype *dtype;
    bool fill_defined; /* v2: fill_value is not null */
    bool fill_zero;    /* all its bytes are zero */
    bool fill_shared;  /* `fill` is vz_zeros */
    uint8_t *fill;     /* dtype->size bytes in the array's byte order; zeros when undefined; for objects a vz_item
                        * whose data is `fill_item` */
    uint8_t *fill_item;
    uint8_t axes[VZ_MAX_RANK]; /* dimensions of a decoded chunk in the order of places, slowest first: 0, 1, ... is C */
    char separator;            /* '.' or '/' between chunk coordinates */
    bool key_c;                /* v3's default keys: "c/0/1" */
    unsigned shard_levels;     /* 0: each chunk has a key of its own */
    vz_shard_level *shards;    /* NULL without */
    vz_codecs codecs;          /* of a chunk, the object codec first; transposing and byte order are not among them */
    uint64_t chunk_count;      /* elements of one chunk */
    size_t chunk_size;         /* bytes of one decoded chunk (items count sizeof(vz_item)) */
} vz_array_meta;

/* What `parse` makes of a document, beginning with zeros; NULL where it fails. Caller frees. */
typedef bool (*vz_meta_parse)(vz_array_meta *meta, const vz_json *document, vz_error *err);
vz_array_meta *vz_meta_new(vz_meta_parse parse, const vz_json *document, vz_error *err);
vz_array_meta *vz_meta_copy(const vz_array_meta *meta, vz_error *err);
void vz_meta_free(vz_array_meta *meta);

/* Sets the fill value to dtype->size raw bytes (or undefined when bytes is NULL). Objects: bytes is a vz_item. */
bool vz_meta_set_fill(vz_array_meta *meta, const void *bytes, vz_error *err);
/* To zeros, which take no memory of the array's. Not for objects. */
bool vz_meta_set_zero_fill(vz_array_meta *meta, vz_error *err);
/* Whether a fill value with that spelling may be held: VZ_LIMIT where the spelling is much shorter than the element.
 * *zero: it is all zeros, whatever the size. */
bool vz_fill_check(const vz_dtype *dtype, const vz_json *value, bool *zero, vz_error *err);
/* A shape or chunk shape as a list of numbers. */
vz_json *vz_meta_print_sizes(const uint64_t *sizes, unsigned rank, vz_error *err);
/* Recomputes chunk_count and chunk_size; VZ_LIMIT when they overflow. */
bool vz_meta_measure_chunk(vz_array_meta *meta, vz_error *err);

/* Does the fill value of both mean the same? The types are compared too. */
bool vz_meta_same_fill(const vz_array_meta *a, const vz_array_meta *b);
/* Are chunks of one chunks of the other, under the same keys? The shape may differ. */
bool vz_meta_same_grid(const vz_array_meta *a, const vz_array_meta *b);
/* Are chunks in the same places of the same shards? */
bool vz_meta_same_shards(const vz_array_meta *a, const vz_array_meta *b);
/* Dimensions in the order C (`first_fastest`: F) of an array of that rank. */
void vz_meta_set_order(vz_array_meta *meta, bool first_fastest);
bool vz_meta_is_order(const vz_array_meta *meta, bool first_fastest);
/* Do elements lie in chunks in the same order? */
bool vz_meta_same_order(const vz_array_meta *a, const vz_array_meta *b);

/* "prefix/1.2", "prefix/1/2" or "prefix/c/1/2" into key; coordinates are those of chunks, or of shards where there are
 * any; prefix "" = the root; rank 0: "0" or "c". */
bool vz_chunk_key(const vz_array_meta *meta, const char *prefix, const uint64_t *chunk, char *key, size_t size,
                  vz_error *err);

#endif
