/* v3_internal.h - format 3: codecs, shards, order, extension points and fill values of
 * "zarr.json". */
#ifndef VZ_METADATA_V3_INTERNAL_H
#define VZ_METADATA_V3_INTERNAL_H

#include "base/util/json.h"
#include "codec/chain/chain.h"
#include "metadata/metadata/metadata.h"

/* -- Codec names v3 --
 * The name and configuration of a codec in format 3, for the files of format 3. */
#define VZ_V3_BYTES     "bytes" /* also the id of our codec for byte order behind filters */
#define VZ_V3_NUMCODECS "numcodecs."

/* Does a codec of that name make bytes of an array? */
bool vz_v3_makes_bytes(const char *name);
/* Appends a codec with that name (numcodecs' prefix is taken off) and configuration (may be NULL).
 * One that is not known keeps its name, so that it is missed when data is touched, not before. */
bool vz_v3_codec_parse(vz_codecs *codecs, const char *name, const vz_json *configuration, vz_error *err);
/* dtype: of the array. */
vz_json *vz_v3_codec_print(const vz_codecs_spec *spec, const vz_dtype *dtype, vz_error *err);

/* -- Filters v3 --
 * Codecs that work on numbers, before bytes are made of them. */
typedef struct vz_v3_filter {
    const char *id;
    bool numcodecs;   /* its name has numcodecs' prefix */
    bool elementwise; /* each number by itself: the order of numbers does not matter */
} vz_v3_filter;

/* By the name without a prefix. NULL: there is none. */
const vz_v3_filter *vz_v3_find_filter(const char *id);

/* The type of the numbers between two filters, as numpy has it; "": it is not known. */
#define VZ_V3_TYPE_SIZE 24
/* The type before the first filter; false: no filter but numcodecs' works on it. */
bool vz_v3_filter_begin(const vz_json *data_type, char type[VZ_V3_TYPE_SIZE]);
/* Appends a filter. `type` becomes that of the numbers behind it. */
bool vz_v3_filter_parse(vz_codecs *codecs, const vz_v3_filter *filter, const vz_json *configuration,
                        char type[VZ_V3_TYPE_SIZE], vz_error *err);
/* "zfpy", numcodecs' codec that makes bytes of numbers. */
#define VZ_V3_ZFPY "zfpy"
bool vz_v3_zfpy_parse(vz_codecs *codecs, const vz_json *configuration, const char *type, vz_error *err);
/* Fails at the first member of a codec's configuration that is none of `known`, which NULL ends. */
bool vz_v3_check_configuration(const char *id, const vz_json *configuration, const char *const *known, vz_error *err);

/* -- Packbits v3 -- packbits_v3.c: the codec "packbits", by our id. */
#define VZ_V3_PACKED_BITS "zarr.packbits"
/* `type`: of the numbers behind filters; NULL: the data type's. */
bool vz_v3_packbits_parse(vz_codecs *codecs, const vz_json *configuration, const vz_json *data_type, const char *type,
                          vz_error *err);
vz_json *vz_v3_packbits_print(const vz_codecs_spec *spec, vz_error *err);

/* It, or a filter that is not numcodecs'. */
vz_json *vz_v3_filter_print(const vz_codecs_spec *spec, const char *name, vz_error *err);
/* Can the first filters encode and decode the fill value? `exact`: it must stay what it is. */
bool vz_v3_filters_check_fill(const vz_meta *meta, bool exact, vz_error *err);

/* -- Codecs v3 --
 * v3's list of codecs and the model's order, shards and codecs (used by meta_v3.c only). */
typedef struct vz_v3_codecs_facts {
    bool big_endian;     /* the codec "bytes" says so */
    bool filters_shards; /* filters of numbers stand before "sharding_indexed" */
} vz_v3_codecs_facts;
/* meta->rank and ->chunks (the chunk grid's) are known; afterwards ->chunks are the innermost
 * chunks. A codec with an unknown name goes into the chain under that name. So it is missed when
 * data is touched, not before. */
bool vz_meta_codecs_parse_v3(vz_meta *meta, const vz_json *document, vz_v3_codecs_facts *facts, vz_error *err);
vz_json *vz_meta_codecs_print_v3(const vz_meta *meta, vz_error *err);

/* -- Extension v3 --
 * Parts that all extension points of format 3 share, for the files of format 3. */
/* An extension is a name, or {"name", "configuration"}. NULL: neither. */
const char *vz_v3_name(const vz_json *extension);
const vz_json *vz_v3_configuration(const vz_json *extension); /* NULL: none */
/* May a reader that does not know it pass over it? */
bool vz_v3_is_optional(const vz_json *extension);
/* Fails at the first member of a document that is not one of `known` and must be understood. */
bool vz_v3_check_members(const vz_json *document, const char *const known[], size_t count, vz_error *err);
/* {"name": name, "configuration": take}; without a configuration when it is NULL and `configured`
 * is false. */
vz_json *vz_v3_extension(const char *name, vz_json *take, bool configured, vz_error *err);
/* {key: take} */
vz_json *vz_v3_object_of(const char *key, vz_json *take, vz_error *err);
/* A list of `rank` sizes, each at least `least`. */
bool vz_v3_sizes(const vz_json *list, const char *what, unsigned rank, uint64_t least, uint64_t *sizes, vz_error *err);

/* -- Grid v3 --
 * v3's chunk grids (used by meta_v3.c only). */
/* meta->rank and ->shape are known. */
bool vz_v3_grid_parse(vz_meta *meta, const vz_json *grid, vz_error *err);
vz_json *vz_v3_grid_print(const vz_meta *meta, vz_error *err);

/* -- Fill v3 --
 * Fill values of format 3, for meta_v3.c. */
/* Sets meta's fill from the JSON value; meta->dtype is known. null, which v3 does not have, means
 * the type's zero. */
bool vz_meta_fill_parse_v3(vz_meta *meta, const vz_json *value, vz_error *err);
/* An undefined fill value, which v3 does not have either, is written as the type's zero. */
vz_json *vz_meta_fill_print_v3(const vz_meta *meta, vz_error *err);

/* -- Sharding v3 --
 * v3's codec "sharding_indexed": one level of shards (used by the files of v3 only). */
#define VZ_V3_SHARDS "sharding_indexed"

/* Is it what makes bytes of numbers? "endian" is the older name. */
bool vz_v3_is_bytes(const char *name);
/* Adds a level to the array: the sizes that its chunks had become those of the shards. The codecs
 * of the chunks in them are not read here. */
bool vz_v3_shards_parse(vz_meta *meta, const vz_json *configuration, vz_error *err);
/* {"name": "sharding_indexed", ...}. codecs: the list of what lies in it; taken, also on
 * failure. */
vz_json *vz_v3_shards_print(const vz_meta *meta, unsigned level, vz_json *codecs, vz_error *err);

/* -- Transpose v3 --
 * v3's codec "transpose" (used by the files of v3 only). */
#define VZ_V3_TRANSPOSE "transpose"

/* axes[count] are the dimensions in the order before it, and afterwards in that behind it. The
 * configuration says "C", "F" or a permutation of places. */
bool vz_v3_transpose_parse(const vz_json *configuration, uint8_t *axes, unsigned count, vz_error *err);
/* Appends what leads from the order `above` to that of `axes`; nothing where they are the same. */
bool vz_v3_transpose_append(vz_json *list, const uint8_t *above, const uint8_t *axes, unsigned count, vz_error *err);

#endif
