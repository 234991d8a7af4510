/* secret_file.h - small files of the user's: credentials, settings, tokens. */
#ifndef VZ_AUTH_SECRET_FILE_H
#define VZ_AUTH_SECRET_FILE_H

#include "base/util/bytes.h"

typedef enum vz_small_file { VZ_SMALL_FILE_READ, VZ_SMALL_FILE_ABSENT, VZ_SMALL_FILE_FAILED } vz_small_file;

/* The whole file, in a buffer that did not move on the way (vz_secret_clear then clears all of it), with a 0 behind it
 * that `size` does not count. NULL and a path where nothing is are absent, with no error set; what is no regular file
 * or pipe, or larger than `most` bytes (VZ_LIMIT), fails. */
vz_small_file vz_small_file_read(const char *path, size_t most, vz_buffer *out, vz_error *err);
/* The same of one line of text without control characters, of which blanks at both ends are cut off: a token. It must
 * be there: an absent file is VZ_NOT_FOUND. The caller's to free by vz_secret_free; NULL with err set. */
char *vz_small_file_token(const char *path, vz_error *err);
/* The text is one line of printable characters, that is fit for a header. */
bool vz_is_token(const char *text);

#endif
