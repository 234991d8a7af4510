/* classes.h - the classes that registry.c lists. */
#ifndef VZ_CODEC_CLASSES_H
#define VZ_CODEC_CLASSES_H

#include "codec/codec/codec.h"

extern const vz_codec_class vz_codec_adler32;
extern const vz_codec_class vz_codec_astype;
extern const vz_codec_class vz_codec_base64;
extern const vz_codec_class vz_codec_bitround;
extern const vz_codec_class vz_codec_blosc;
extern const vz_codec_class vz_codec_byte_order;
extern const vz_codec_class vz_codec_bz2;
extern const vz_codec_class vz_codec_categorize;
extern const vz_codec_class vz_codec_categorize_objects;
extern const vz_codec_class vz_codec_crc32;
extern const vz_codec_class vz_codec_crc32c;
extern const vz_codec_class vz_codec_delta;
extern const vz_codec_class vz_codec_fixedscaleoffset;
extern const vz_codec_class vz_codec_fletcher32;
extern const vz_codec_class vz_codec_gzip;
extern const vz_codec_class vz_codec_jenkins;
extern const vz_codec_class vz_codec_json2;
extern const vz_codec_class vz_codec_lz4;
extern const vz_codec_class vz_codec_lzma;
extern const vz_codec_class vz_codec_msgpack2;
extern const vz_codec_class vz_codec_packbits;
extern const vz_codec_class vz_codec_pickle;
extern const vz_codec_class vz_codec_quantize;
extern const vz_codec_class vz_codec_shuffle;
extern const vz_codec_class vz_codec_vlen_array;
extern const vz_codec_class vz_codec_vlen_bytes;
extern const vz_codec_class vz_codec_vlen_utf8;
extern const vz_codec_class vz_codec_zlib;
extern const vz_codec_class vz_codec_zstd;

#endif
