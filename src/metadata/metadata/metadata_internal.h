/* metadata_internal.h - element types and models, for the files of this module. */
#ifndef VZ_METADATA_METADATA_INTERNAL_H
#define VZ_METADATA_METADATA_INTERNAL_H

#include "metadata/metadata/metadata.h"

/* Reads the format 3 form: a name, or {"name", "configuration"}. It has no byte order, hence
 * big_endian. */
vz_dtype *vz_dtype_parse_v3(const vz_json *json, bool big_endian, vz_error *err);

/* The format 3 form. VZ_UNSUPPORTED for types that format 3 lacks (sequences, array members of
 * structs). */
vz_json *vz_dtype_print_v3(const vz_dtype *dtype, vz_error *err);

/* Whether a fill value with that text may be held: VZ_LIMIT where the text is much shorter
 * than the element. *zero: it is all zeros, whatever the size. */
bool vz_meta_fill_check(const vz_dtype *dtype, const vz_json *value, bool *zero, vz_error *err);

/* One number of few bits, and its form, in both formats. */
bool vz_meta_fill_parse_narrow(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err);
vz_json *vz_meta_fill_print_narrow(const vz_dtype *dtype, const uint8_t *bytes, vz_error *err);
/* Is it the bits of a number of `size` bytes, "0x7fc0"? */
bool vz_meta_fill_is_hex(const vz_json *value, size_t size, uint64_t *bits);

/* The byte order of all that has one: *big_endian; *ordered=false when nothing has. False when both
 * orders occur. */
bool vz_dtype_byte_order(const vz_dtype *dtype, bool *big_endian, bool *ordered);

/* Makes a model: zeroed, then filled by `parse`. NULL with err set if `parse` fails. The caller
 * frees it. */
typedef bool (*vz_meta_parse)(vz_meta *meta, const vz_json *document, vz_error *err);
vz_meta *vz_meta_new(vz_meta_parse parse, const vz_json *document, vz_error *err);

/* Does every chunk of one begin and end where one of the other does? */
bool vz_meta_same_edges(const vz_meta *a, const vz_meta *b);

/* Do all elements have an offset, in bytes of the decoded array? An extent of 0 counts as 1. */
bool vz_meta_extent_fits(const vz_meta *meta);

/* Completes the outline of an array whose shape is known. Chunks are the whole array where
 * `chunked` is false. An unknown dtype becomes raw bytes of that size. Order is C, and there is no
 * fill value. */
bool vz_meta_complete_outline(vz_meta *meta, bool chunked, size_t element_size, vz_error *err);

#endif
