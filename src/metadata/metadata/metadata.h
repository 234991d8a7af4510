/* metadata.h - the model of an array's metadata: element types, sizes, codecs, fill value. */
#ifndef VZ_METADATA_METADATA_H
#define VZ_METADATA_METADATA_H

#include "base/util/bytes.h"
#include "codec/chain/chain.h"
#include "codec/codec/narrow.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Dtype --
 * The type of a Zarr array's elements, as a tree. Its format 2 text: Zarr v2 spec, "Data type
 * encoding". */
typedef enum vz_dtype_kind {
    VZ_DTYPE_BOOL,      /* |b1 */
    VZ_DTYPE_INT,       /* i1..i8 */
    VZ_DTYPE_UINT,      /* u1..u8 */
    VZ_DTYPE_FLOAT,     /* f2 f4 f8 */
    VZ_DTYPE_COMPLEX,   /* c8 c16 */
    VZ_DTYPE_NARROW,    /* bfloat16, float8_..., int4 ...: `narrow` tells */
    VZ_DTYPE_BYTES,     /* |Sn, NUL-padded */
    VZ_DTYPE_UNICODE,   /* <Un: n code points of 4 bytes */
    VZ_DTYPE_RAW,       /* |Vn */
    VZ_DTYPE_DATETIME,  /* <M8[unit] */
    VZ_DTYPE_TIMEDELTA, /* <m8[unit] */
    VZ_DTYPE_STRUCT,    /* packed fields, in order */
    VZ_DTYPE_OBJECT,    /* |O: the object codec determines what items hold */
} vz_dtype_kind;

typedef enum vz_dtype_object_kind { /* of VZ_DTYPE_OBJECT */
                                    VZ_OBJECT_NONE,
                                    VZ_OBJECT_TEXT,     /* vlen-utf8 */
                                    VZ_OBJECT_BYTES,    /* vlen-bytes */
                                    VZ_OBJECT_SEQUENCE, /* vlen-array: items are packed elements of
                                                         * `item` */
                                    VZ_OBJECT_JSON,     /* json2, msgpack2, pickle: items are JSON
                                                         * texts; `codec` tells */
                                    VZ_OBJECT_OTHER,    /* of a codec that is not known here, or of
                                                         * none; `codec` tells */
} vz_dtype_object_kind;

#define VZ_MAX_RANK 32

/* Stands in format 2 for the compressor of an array whose chunks are references. No program but
 * ours knows it, so that none takes such chunks for missing ones. */
#define VZ_META_REFERENCES_CODEC "vol_zarr_references"
/* The key of the list, below the array's prefix. */
#define VZ_META_REFERENCES_NAME "references.json"

typedef struct vz_dtype vz_dtype;

typedef struct vz_dtype_field {
    char *name;
    size_t offset;   /* bytes; fields are packed, so the sum of the sizes before */
    vz_dtype *dtype; /* of one element of the member */
    unsigned rank;   /* 0, or the dimensions of an array member */
    uint64_t dims[VZ_MAX_RANK];
} vz_dtype_field;

struct vz_dtype {
    vz_dtype_kind kind;
    size_t size; /* bytes of one decoded element; sizeof(vz_item) for objects */
    bool big_endian;
    vz_narrow narrow;   /* of VZ_DTYPE_NARROW */
    char unit[16];      /* datetime, timedelta: "ns", "25s", "" = generic */
    size_t field_count; /* struct */
    vz_dtype_field *fields;
    vz_dtype_object_kind object;
    vz_dtype *item; /* sequence: type of its elements. JSON: the structure that the dtype names,
                     * each item being the JSON array of a row's members; NULL if the dtype is
                     * |O. The |O members of such a structure are VZ_OBJECT_JSON without a codec. */
    char *codec;    /* JSON, other: the codec's id, NULL if the array names none */
};

/* Parses the v2 form (text, or a list of fields). `codec`, the first filter (NULL: there is none),
 * tells what |O holds. */
vz_dtype *vz_dtype_parse_v2(const vz_json *json, const vz_codecs_spec *codec, vz_error *err);

/* The v2 form. */
vz_json *vz_dtype_print_v2(const vz_dtype *dtype, vz_error *err);

vz_dtype *vz_dtype_new(vz_dtype_kind kind, size_t size, bool big_endian, vz_error *err);
vz_dtype *vz_dtype_new_narrow(vz_narrow narrow, bool big_endian, vz_error *err);
vz_dtype *vz_dtype_copy(const vz_dtype *dtype, vz_error *err);

/* Appends a field to a struct; takes `dtype` (also on failure). */
bool vz_dtype_add_field(vz_dtype *record, const char *name, vz_dtype *dtype, unsigned rank, const uint64_t *dims,
                        vz_error *err);
bool vz_dtype_equal(const vz_dtype *a, const vz_dtype *b);
void vz_dtype_free(vz_dtype *dtype);

/* A numeric element for conversion (array/numeric/numeric.h); false if the dtype is none (BOOL is
 * not). */
bool vz_dtype_is_number(const vz_dtype *dtype);

/* -- Meta --
 * An array's metadata in one model. Only meta_v2.c and meta_v3.c know its stored formats. */
/* Shards (v3): values that hold a box of chunks and an index of them. Levels lie in each other, the
 * outermost first. */
#define VZ_SHARD_LEVELS 4
typedef struct vz_meta_shard_level {
    uint64_t shape[VZ_MAX_RANK]; /* elements of one shard along each dimension: a multiple of the
                                  * next level's */
    uint8_t axes[VZ_MAX_RANK];   /* dimensions in the order in which the index goes through them,
                                  * slowest first */
    bool index_first;            /* the index stands at the start, else at the end */
    bool index_big_endian;
    uint8_t index_axes[VZ_MAX_RANK + 1]; /* axes of the stored index, slowest first; `rank` is the
                                          * pair in an entry */
    vz_codecs index_codecs;              /* what the bytes of the index went through */
    vz_codecs behind;                    /* what the shard as a whole went through */
} vz_meta_shard_level;

/* A grid of chunks of different shapes (v3's "rectilinear"): along each dimension runs of chunks of
 * one length. */
typedef struct vz_meta_run {
    uint64_t edge, count; /* so many chunks of that length, each >= 1 */
    uint64_t first;       /* number of the first one */
    uint64_t start;       /* its first element; UINT64_MAX: beyond every array */
} vz_meta_run;

typedef struct vz_meta_edges {
    size_t count;
    vz_meta_run *runs; /* they reach to the array's end at least */
    bool uniform;      /* one run without an end, which the document says as a number */
} vz_meta_edges;

typedef struct vz_meta {
    unsigned rank;
    uint64_t shape[VZ_MAX_RANK];
    uint64_t chunks[VZ_MAX_RANK]; /* each >= 1; with `edges` the longest that touches the array */
    vz_meta_edges *edges;         /* `rank` of them; NULL: all chunks have one shape */
    vz_dtype *dtype;
    bool fill_defined; /* v2: fill_value is not null */
    bool fill_zero;    /* all its bytes are zero */
    bool fill_shared;  /* `fill` is vz_zeros */
    uint8_t *fill;     /* dtype->size bytes in the array's byte order; zeros when undefined; for
                        * objects a vz_item whose data is `fill_item` */
    uint8_t *fill_item;
    uint8_t axes[VZ_MAX_RANK];   /* dimensions of a decoded chunk in the order of places, slowest
                                  * first: 0, 1, ... is C */
    char separator;              /* '.' or '/' between chunk coordinates */
    bool key_c;                  /* v3's default keys: "c/0/1" */
    unsigned shard_levels;       /* 0: each chunk has a key of its own */
    vz_meta_shard_level *shards; /* NULL without */
    /* Of the outermost shards, whose shapes differ: `rank` of them, each a whole number of chunks;
     * shards[0].shape is then the longest. NULL: they have one shape. */
    vz_meta_edges *shard_edges;
    vz_codecs codecs;     /* of a chunk, the object codec first; transposing and byte order
                           * are not among them */
    bool is_referenced;   /* its chunks are references to other files, in a list beside its
                           * document (docs/format.md) */
    uint64_t chunk_count; /* elements of one chunk */
    size_t chunk_size;    /* bytes of one decoded chunk (items count sizeof(vz_item)) */
} vz_meta;

vz_meta *vz_meta_copy(const vz_meta *meta, vz_error *err);
void vz_meta_free(vz_meta *meta);

/* Sets the fill value to dtype->size raw bytes (or undefined when bytes is NULL). Objects: bytes is
 * a vz_item. */
bool vz_meta_set_fill(vz_meta *meta, const void *bytes, vz_error *err);

/* To zeros, which take no memory of the array's. Not for objects. */
bool vz_meta_set_zero_fill(vz_meta *meta, vz_error *err);

/* A shape or chunk shape as a list of numbers. */
vz_json *vz_meta_print_sizes(const uint64_t *sizes, unsigned rank, vz_error *err);

/* Recomputes chunk_count and chunk_size; VZ_LIMIT when they overflow. */
bool vz_meta_measure_chunk(vz_meta *meta, vz_error *err);

/* Does the fill value of both mean the same? The types are compared too. */
bool vz_meta_same_fill(const vz_meta *a, const vz_meta *b);

/* Are chunks of one chunks of the other, under the same keys? The shape may differ. */
bool vz_meta_same_grid(const vz_meta *a, const vz_meta *b);

/* Are chunks in the same places of the same shards? */
bool vz_meta_same_shards(const vz_meta *a, const vz_meta *b);

/* Dimensions in the order C (`first_fastest`: F) of an array of that rank. */
void vz_meta_set_order(vz_meta *meta, bool first_fastest);
bool vz_meta_is_order(const vz_meta *meta, bool first_fastest);

/* Do both arrays have their elements in the same order in chunks? */
bool vz_meta_same_order(const vz_meta *a, const vz_meta *b);

/* "prefix/1.2", "prefix/1/2" or "prefix/c/1/2" into key. Coordinates are those of chunks, or of
 * shards where there are any. prefix "" is the root; rank 0: "0" or "c". */
bool vz_meta_chunk_key(const vz_meta *meta, const char *prefix, const uint64_t *chunk, char *key, size_t size,
                       vz_error *err);

/* -- Scalar --
 * Single numbers and code points in the bytes of an element, of either byte order. Meant for
 * metadata; whole chunks have faster ways. */
/* size is 1, 2, 4 or 8. */
uint64_t vz_scalar_load(const uint8_t *bytes, size_t size, bool big_endian);
void vz_scalar_store(uint64_t bits, size_t size, bool big_endian, uint8_t *bytes);

/* Sign-extends `size` bytes. */
int64_t vz_scalar_signed(uint64_t bits, size_t size);

/* UTF-8 of a code point (beyond U+10FFFF: U+FFFD; a surrogate keeps its three bytes); returns the
 * length. */
size_t vz_scalar_utf8(uint32_t code, uint8_t utf8[4]);

#endif
