/* percent_encoding.h - percent-encoding (RFC 3986, section 2). */
#ifndef VZ_UTIL_PERCENT_ENCODING_H
#define VZ_UTIL_PERCENT_ENCODING_H

#include "base/util/bytes.h"

/* Appends a byte: as it is if it is one of RFC 3986's unreserved ones, or stands in `also`; else as %XX. */
bool vz_percent_append(vz_buffer *out, uint8_t byte, const char *also, vz_error *err);
/* The same of all bytes of a text. */
bool vz_percent_encode(vz_buffer *out, const char *text, const char *also, vz_error *err);

#endif
