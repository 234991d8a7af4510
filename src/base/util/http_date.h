/* http_date.h - times in the headers of HTTP. */
#ifndef VZ_UTIL_HTTP_DATE_H
#define VZ_UTIL_HTTP_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* The seconds since 1970 of "Sun, 06 Nov 1994 08:49:37 GMT", the form that servers have to send
 * (RFC 9110, section 5.6.7), whatever the locale of the program is. False: it is no such time,
 * *seconds stays. */
bool vz_http_date_parse(const char *text, int64_t *seconds);

#endif
