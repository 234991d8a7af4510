/* codecs_v3.h - v3's list of codecs and the model's order, shards, filters and compressor (used by meta_v3.c only). */
#ifndef VZ_ZARR_CODECS_V3_H
#define VZ_ZARR_CODECS_V3_H

#include "metadata/meta.h"

/* meta->rank and ->chunks (the chunk grid's) are known; afterwards ->chunks are the innermost chunks. *big_endian: what
 * the codec "bytes" says. A codec with a name that is not known goes into the chain under that name, so that it is
 * missed when data is touched, not before. */
bool vz_codecs_parse_v3(vz_array_meta *meta, const vz_json *list, bool *big_endian, vz_error *err);
vz_json *vz_codecs_print_v3(const vz_array_meta *meta, vz_error *err);

#define VZ_V3_BYTES "bytes" /* also the id of our codec for byte order behind filters */
/* Is it one of numcodecs' codecs that work on numbers, before bytes are made of them? */
bool vz_v3_is_filter(const char *id);

/* What extension points have in common: a name, or {"name", "configuration"}. NULL: neither. */
const char *vz_v3_name(const vz_json *extension);
const vz_json *vz_v3_configuration(const vz_json *extension); /* NULL: none */
/* May a reader that does not know it pass over it? */
bool vz_v3_is_optional(const vz_json *extension);
/* Fails at the first member of a document that is not one of `known` and must be understood. */
bool vz_v3_check_members(const vz_json *document, const char *const known[], size_t count, vz_error *err);
/* {"name": name, "configuration": take}; without a configuration when it is NULL and `configured` is false. */
vz_json *vz_v3_extension(const char *name, vz_json *take, bool configured, vz_error *err);
/* A list of `rank` sizes, each at least `least`. */
bool vz_v3_sizes(const vz_json *list, const char *what, unsigned rank, uint64_t least, uint64_t *sizes, vz_error *err);

#endif
