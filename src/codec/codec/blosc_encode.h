/* blosc_encode.h - Blosc 1 buffers of LZ4, made without the library. */
#ifndef VZ_CODEC_BLOSC_ENCODE_H
#define VZ_CODEC_BLOSC_ENCODE_H

#include "base/util/bytes.h"
#include "base/util/error.h"

#define VZ_BLOSC_ENCODE_MOST ((size_t)512 << 10) /* decoded bytes up to which loading the library is worth avoiding */

/* How a buffer is made. */
typedef struct vz_blosc_form {
    int level, shuffle; /* the library's */
    size_t element;     /* bytes */
} vz_blosc_form;

/* Can a buffer of so many bytes be made here? Larger ones that are compressed the library makes as well: what it does
 * for each buffer counts less. */
bool vz_blosc_encodes(const vz_blosc_form *form, size_t size);
/* Such a buffer: in the blocks and streams that the library makes. Replaces what `out` holds. */
bool vz_blosc_encode(const vz_blosc_form *form, vz_bytes in, vz_buffer *out, vz_error *err);
/* The head (VZ_BLOSC_HEAD bytes) of one of any size that stands behind it as it is. */
void vz_blosc_plain_head(const vz_blosc_form *form, size_t size, uint8_t *head);

#endif
