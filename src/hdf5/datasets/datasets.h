/* datasets.h - dataset, external sources. */
#ifndef VZ_DATASETS_DATASETS_H
#define VZ_DATASETS_DATASETS_H

#include "hdf5/annotation/annotation.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"
#include "hdf5/types/types.h"

/* -- Dataset --
 * datasets: from creation arguments to a Zarr array and back, and moving elements. */
/* A new, unlinked array node (one reference) for the creation arguments. */
vz_node *vz_dataset_create(vz_hierarchy *hierarchy, hid_t type, hid_t space, hid_t dcpl, vz_error *err);

/* What HDF5 sees: new ids. */
hid_t vz_dataset_type(vz_node *node, vz_error *err);
hid_t vz_dataset_space(vz_node *node, vz_error *err);
hid_t vz_dataset_dcpl(vz_node *node, vz_error *err);

/* A creation list with the mappings of a virtual dataset, made once; borrowed. */
hid_t vz_dataset_sources(vz_node *node, vz_error *err);

/* The dimensions of the dataspace; `dims` has room for H5S_MAX_RANK. */
bool vz_dataset_dims(vz_node *node, unsigned *rank, hsize_t *dims, vz_error *err);

/* Elements on their way between a dataset and memory. Spaces as the VOL callback gets them: H5S_ALL, H5S_BLOCK or a
 * dataspace with a selection. */
typedef struct vz_dataset_transfer {
    vz_node *node;
    hid_t mem_type, mem_space, file_space;
    const vz_reference_maker *maker; /* NULL: no H5R_ref_t is met */
    void *buf;                       /* of a write only read */
} vz_dataset_transfer;

/* Datasets of one call, each with its own spaces and buffer: one plan, but for a dataset that is there twice, and
 * buffers that overlap, which keep the order of the list. *failed: number of the one that failed; others may be done
 * then. */
bool vz_datasets_read_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err);
bool vz_datasets_write_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err);
bool vz_dataset_set_extent(vz_node *node, const hsize_t *dims, vz_error *err);

/* A virtual dataset is as large as its sources, whoever looks: written down where the store may be written. */
bool vz_dataset_follow_sources(vz_node *node, const hsize_t *dims, vz_error *err);

/* Bytes stored, and H5D_SPACE_STATUS_*. */
bool vz_dataset_storage_size(vz_node *node, hsize_t *size, vz_error *err);
bool vz_dataset_space_status(vz_node *node, H5D_space_status_t *status, vz_error *err);

/* The chunk cache wished for by an access list. */
bool vz_dataset_access(vz_node *node, hid_t dapl, vz_error *err);

/* Dimensions of the dataspace. */
unsigned vz_dataset_rank(vz_node *node);
bool vz_dataset_must_be_chunked(vz_node *node, vz_error *err);

/* Direct chunks, in the terms of HDF5's native operations: offset in elements, mask of the filters that were not
 * applied. Filtered bytes when the whole codec chain equals the pipeline shown; else elements of the shown type, and a
 * mask that says so. */
bool vz_dataset_chunk_read(vz_node *node, const hsize_t *offset, vz_buffer *out, uint32_t *mask, vz_error *err);

/* *foreign: a filter was applied that no codec undoes, and nothing was written. */
bool vz_dataset_chunk_write(vz_node *node, const hsize_t *offset, uint32_t mask, vz_bytes bytes, bool *foreign,
                            vz_error *err);

/* What reading would give; size 0 where it is not stored. */
bool vz_dataset_chunk_size(vz_node *node, const hsize_t *offset, hsize_t *size, uint32_t *mask, bool *found,
                           vz_error *err);

/* Every stored chunk in C order until `visit` returns false; sizes only if they are wanted (sized). */
typedef bool (*vz_dataset_chunk_visit)(void *context, const hsize_t *offset, hsize_t size, uint32_t mask);
bool vz_dataset_chunks(vz_node *node, bool sized, vz_dataset_chunk_visit visit, void *context, vz_error *err);

/* -- External sources --
 * datasets whose elements lie in other files: virtual ones (H5Pset_virtual) and those in external files
 * (H5Pset_external). The array itself has no chunks, so any Zarr reader sees the fill value; what HDF5 was told stands
 * in the annotation, as "vds" and "ext" (docs/format.md). */
typedef enum vz_sources_kind { VZ_SOURCES_NONE, VZ_SOURCES_VIRTUAL, VZ_SOURCES_EXTERNAL } vz_sources_kind;

/* The kind of a dataset. */
vz_sources_kind vz_sources_kind_of(const vz_node *node);

/* The name of an external file, as the dataset tells it; NULL: it has no more. */
const char *vz_external_name(const vz_node *node, size_t index);

/* external.c: elements of a dataset in external files. `beside` is the path of the store: what ${ORIGIN} of a prefix
 * (dapl, or HDF5_EXTFILE_PREFIX) stands for is its directory. */
bool vz_external_read(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);
bool vz_external_write(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);

#endif
