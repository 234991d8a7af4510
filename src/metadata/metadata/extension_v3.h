/* extension_v3.h - what v3's extension points have in common (used by the files of v3 only). */
#ifndef VZ_METADATA_EXTENSION_V3_H
#define VZ_METADATA_EXTENSION_V3_H

#include "base/util/json_parse.h"

/* An extension is a name, or {"name", "configuration"}. NULL: neither. */
const char *vz_v3_name(const vz_json *extension);
const vz_json *vz_v3_configuration(const vz_json *extension); /* NULL: none */
/* May a reader that does not know it pass over it? */
bool vz_v3_is_optional(const vz_json *extension);
/* Fails at the first member of a document that is not one of `known` and must be understood. */
bool vz_v3_check_members(const vz_json *document, const char *const known[], size_t count, vz_error *err);
/* {"name": name, "configuration": take}; without a configuration when it is NULL and `configured` is false. */
vz_json *vz_v3_extension(const char *name, vz_json *take, bool configured, vz_error *err);
/* {key: take} */
vz_json *vz_v3_object_of(const char *key, vz_json *take, vz_error *err);
/* A list of `rank` sizes, each at least `least`. */
bool vz_v3_sizes(const vz_json *list, const char *what, unsigned rank, uint64_t least, uint64_t *sizes, vz_error *err);

#endif
