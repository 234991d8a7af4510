/* deflate.h - what zlib and gzip share: libdeflate for whole buffers, zlib for streams of unknown size. */
#ifndef VZ_CODEC_DEFLATE_H
#define VZ_CODEC_DEFLATE_H

#include "codec/codec/codec.h"
#include <libdeflate.h>

/* numcodecs' levels are zlib's: -1 (zlib's own default, 6) to 9. */
#define VZ_DEFLATE_LEVEL_MIN     (-1)
#define VZ_DEFLATE_LEVEL_MAX     9
#define VZ_DEFLATE_LEVEL_DEFAULT 1

typedef enum vz_deflate_wrapper { VZ_DEFLATE_ZLIB, VZ_DEFLATE_GZIP } vz_deflate_wrapper;

/* One stream (of gzip: one member) from the start of `in`, appended to `out`; `in` keeps what follows it. */
bool vz_deflate_decode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes *in, vz_buffer *out, vz_error *err);
bool vz_deflate_encode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes in, vz_buffer *out, vz_error *err);

#endif
