/* pipeline.h - filters of HDF5 files as codecs. */
#ifndef VZ_DATASETS_PIPELINE_H
#define VZ_DATASETS_PIPELINE_H

#include "codec/chain/chain.h"
#include "hdf5/h5/h5.h"

/* The codecs that undo the filters of a dataset in an HDF5 file, chunk by chunk as they lie there.
 * False without an error: a filter is not known or frames its bytes otherwise, or none of them
 * notices bytes that no chunk is. Clear the codecs in any case. */
bool vz_pipeline_known(hid_t dcpl, size_t element_size, vz_codecs *codecs);

#endif
