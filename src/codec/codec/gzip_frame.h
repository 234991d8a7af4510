/* gzip_frame.h - deflated data between a gzip member (RFC 1952) and a zlib stream (RFC 1950): other header, other
 * checksum, the same deflated bytes. */
#ifndef VZ_CODEC_GZIP_FRAME_H
#define VZ_CODEC_GZIP_FRAME_H

#include "codec/codec/codec.h"

/* codec: the one called "gzip". Both decode once, for the checksum; data in several members are deflated anew. */
bool vz_gzip_to_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
bool vz_gzip_from_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);

#endif
