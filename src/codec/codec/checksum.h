/* checksum.h - what codecs that add a checksum of 4 bytes have in common. */
#ifndef VZ_CODEC_CHECKSUM_H
#define VZ_CODEC_CHECKSUM_H

#include "codec/codec/codec.h"

#define VZ_CHECKSUM_SIZE 4

typedef uint32_t (*vz_checksum_sum)(vz_bytes data);

/* State of such a codec; its class has state_size = sizeof(vz_checksum_state). */
typedef struct vz_checksum_state {
    vz_checksum_sum sum;
    bool at_start; /* the checksum stands in front of the data */
} vz_checksum_state;

/* Reads "location"; at_start is the default. */
bool vz_checksum_configure(vz_codec *codec, const vz_json *config, vz_checksum_sum sum, bool at_start, vz_error *err);
bool vz_checksum_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size);
bool vz_checksum_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
bool vz_checksum_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);

#endif
