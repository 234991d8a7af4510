/* filters_internal.h - what our HDF5 filters do with bytes; no HDF5 here. Values are the
 * filter's client data. */
#ifndef VZ_NATIVE_FILTERS_INTERNAL_H
#define VZ_NATIVE_FILTERS_INTERNAL_H

#include "codec/codec/codec.h"

/* Appends the encoded or decoded form of `in` to `out`. */
typedef bool (*vz_filters_work)(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                                vz_error *err);

bool vz_filters_bzip2(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                      vz_error *err);
bool vz_filters_zstd(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                     vz_error *err);
bool vz_filters_blosc(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                      vz_error *err);
bool vz_filters_lz4(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                    vz_error *err);

#endif
