/* items_internal.h - the payload that vlen-utf8, vlen-bytes and vlen-array share: a 4-byte little-endian count of
 * items, then for each item its size in bytes (4 bytes, little-endian) and its bytes. */
#ifndef VZ_OBJECTCODEC_ITEMS_INTERNAL_H
#define VZ_OBJECTCODEC_ITEMS_INTERNAL_H

#include "codec/codec/codec.h"

/* Looks at one item; false with err set refuses the payload. NULL where any bytes will do. `index` is for messages. */
typedef bool (*vz_items_check)(const vz_codec *codec, vz_item item, size_t index, vz_error_class class, vz_error *err);

/* Decoded items point into the arena; NULL: into `in`. The class of a refused item is VZ_CORRUPT when decoding,
 * VZ_INVALID when encoding. */
bool vz_items_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                     vz_items_check check, vz_error *err);
bool vz_items_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_items_check check,
                     vz_error *err);

#endif
