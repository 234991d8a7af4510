/* metadata_internal.h - the part of metadata.h that only this module uses. */
#ifndef VZ_METADATA_METADATA_INTERNAL_H
#define VZ_METADATA_METADATA_INTERNAL_H

#include "metadata/metadata/metadata.h"

/* The v3 form: a name, or {"name", "configuration"}. Byte order is no part of it: big_endian tells. */
vz_dtype *vz_dtype_parse_v3(const vz_json *spelling, bool big_endian, vz_error *err);

/* VZ_UNSUPPORTED for what v3 has no words for (sequences, array members of structs). */
vz_json *vz_dtype_print_v3(const vz_dtype *dtype, vz_error *err);

/* Whether a fill value with that spelling may be held: VZ_LIMIT where the spelling is much shorter than the element.
 * *zero: it is all zeros, whatever the size. */
bool vz_fill_check(const vz_dtype *dtype, const vz_json *value, bool *zero, vz_error *err);

/* The byte order of all that has one: *big_endian; *ordered=false when nothing has. False when both orders occur. */
bool vz_dtype_byte_order(const vz_dtype *dtype, bool *big_endian, bool *ordered);

/* What `parse` makes of a document, beginning with zeros; NULL where it fails. Caller frees. */
typedef bool (*vz_meta_parse)(vz_array_meta *meta, const vz_json *document, vz_error *err);
vz_array_meta *vz_meta_new(vz_meta_parse parse, const vz_json *document, vz_error *err);

#endif
