/* hdf5_filters.h - codecs whose form is that of HDF5's filters, for chunks that stay in an HDF5
 * file. No other reader of Zarr has them. */
#ifndef VZ_CODEC_HDF5_FILTERS_H
#define VZ_CODEC_HDF5_FILTERS_H

#include "codec/codec/codec.h"

extern const vz_codec_class vz_codec_hdf5_lz4;
extern const vz_codec_class vz_codec_hdf5_bitshuffle;

#endif
