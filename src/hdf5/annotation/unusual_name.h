/* unusual_name.h - names that are not UTF-8, so that neither JSON nor a Zarr dtype can hold them: an escaped form for
 * people to read, and an exact one for annotations. */
#ifndef VZ_ANNOTATION_UNUSUAL_NAME_H
#define VZ_ANNOTATION_UNUSUAL_NAME_H

#include "base/util/bytes.h"
#include "base/util/json_parse.h"

/* Appends the name with %XX for each byte that is not UTF-8; for the first byte where all of it is. */
bool vz_odd_name_escape(vz_buffer *out, const char *name, vz_error *err);

/* A name in an annotation: text, or where it is not UTF-8 {"b": its bytes in base64}. */
vz_json *vz_odd_name_print(const char *name, vz_error *err);
/* On the heap; NULL without an error where `form` is no name. */
char *vz_odd_name_parse(const vz_json *form, vz_error *err);

#endif
