/* blosc_partial.h - some blocks of a Blosc buffer that is not in memory. */
#ifndef VZ_CODEC_BLOSC_PARTIAL_H
#define VZ_CODEC_BLOSC_PARTIAL_H

#include "codec/codec/blosc_format.h"
#include "codec/codec/codec.h"

/* Is it the head of a buffer of so many decoded bytes that stand behind it as they are? */
bool vz_blosc_is_plain(const uint8_t *head, size_t decoded);

/* vz_codec_class.read_range of "blosc". */
bool vz_blosc_read_range(const vz_codec *codec, const vz_stored *stored, uint64_t offset, uint64_t size,
                         vz_buffer *scratch, vz_buffer *out, vz_error *err);

#endif
