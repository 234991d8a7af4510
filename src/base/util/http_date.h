/* http_date.h - times in the headers of HTTP. */
#ifndef VZ_UTIL_HTTP_DATE_H
#define VZ_UTIL_HTTP_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* The seconds since 1970 of "Sun, 06 Nov 1994 08:49:37 GMT", whatever the program's locale is.
 * Servers have to send this form (RFC 9110, section 5.6.7). False: it is no such time, *seconds
 * stays. */
bool vz_http_date_parse(const char *text, int64_t *seconds);

#endif
