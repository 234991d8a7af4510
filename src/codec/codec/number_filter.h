/* number_filter.h - what filters share that turn each number into one of another type: astype, fixedscaleoffset, quantize. */
#ifndef VZ_CODEC_NUMBER_FILTER_H
#define VZ_CODEC_NUMBER_FILTER_H

#include "codec/codec/number.h"

/* The beginning of such a codec's state. */
typedef struct vz_number_filter {
    vz_number_type decoded, encoded;
} vz_number_filter;

/* A value of either type into one that is stored as the other. */
typedef vz_codec_number (*vz_mapping_step)(const void *state, vz_codec_number value);

/* VZ_UNSUPPORTED unless both are integers or reals. */
bool vz_mapping_check(const vz_codec *codec, vz_error *err);
bool vz_mapping_decode(const vz_codec *codec, vz_bytes in, vz_mapping_step step, vz_buffer *out, vz_error *err);
bool vz_mapping_encode(const vz_codec *codec, vz_bytes in, vz_mapping_step step, vz_buffer *out, vz_error *err);
size_t vz_mapping_encoded_element_size(const vz_codec *codec);
bool vz_mapping_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size);

#endif
