/* external_sources.h - datasets whose elements lie elsewhere: virtual ones (H5Pset_virtual) and those in external files
 * (H5Pset_external). The array itself has no chunks, so any Zarr reader sees the fill value; what HDF5 was told stands
 * in the annotation, as "vds" and "ext" (docs/format.md). */
#ifndef VZ_DATASETS_EXTERNAL_SOURCES_H
#define VZ_DATASETS_EXTERNAL_SOURCES_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/datasets/dataset.h"

typedef enum vz_sources_kind { VZ_SOURCES_NONE, VZ_SOURCES_VIRTUAL, VZ_SOURCES_EXTERNAL } vz_sources_kind;

/* Of a creation list, and of a dataset. */
vz_sources_kind vz_sources_asked(hid_t dcpl);
vz_sources_kind vz_sources_kind_of(const vz_node *node);

/* What a creation list says, for the annotation of a new node. */
vz_json *vz_sources_describe_virtual(hid_t dcpl, vz_error *err);
vz_json *vz_sources_describe_external(hid_t dcpl, vz_error *err);

/* Says it to a creation list again. HDF5 keeps no extent of a source in a file: it is as large as the selection
 * reaches. It is the one that was given (`as_given`) as long as the file is open that the dataset was made in. `space`
 * is the dataset's. */
bool vz_sources_show(const vz_node *node, hid_t space, bool as_given, hid_t dcpl, vz_error *err);

/* Does HDF5 take this type, dataspace and creation list for a native file? It checks what concerns the sources. */
bool vz_sources_check(hid_t type, hid_t space, hid_t dcpl, vz_error *err);

/* The name of an external file, as the dataset tells it; NULL: it has no more. */
const char *vz_external_name(const vz_node *node, size_t index);

/* external.c: elements of a dataset in external files. `beside` is the path of the store: what ${ORIGIN} of a prefix
 * (dapl, or HDF5_EXTFILE_PREFIX) stands for is its directory. */
bool vz_external_read(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);
bool vz_external_write(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);
/* New dimensions, if the external files have room for them. */
bool vz_external_check_extent(vz_node *node, const hsize_t *dims, vz_error *err);

#endif
