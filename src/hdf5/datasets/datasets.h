/* datasets.h - datasets: from creation arguments to a Zarr array and back; elements. */
#ifndef VZ_DATASETS_DATASETS_H
#define VZ_DATASETS_DATASETS_H

#include "hdf5/annotation/annotation.h"
#include "hierarchy/nodes/conventions.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"
#include "hdf5/types/types.h"

/* HDF5's default list, as most datasets from C are made with. All its values are known: reading
 * them took a seventh of the time of creating a small dataset. */
static inline bool vz_dataset_list_is_usual(hid_t dcpl)
{
    return dcpl == H5P_DATASET_CREATE_DEFAULT;
}

/* -- Dataset --
 * Creating, showing, reading and writing. */
/* A new, unlinked array node (one reference) for the creation arguments. */
vz_node *vz_dataset_create(vz_hierarchy *hierarchy, hid_t type, hid_t space, hid_t dcpl, vz_error *err);

/* The type, dataspace and creation list that HDF5 sees: new ids. */
hid_t vz_dataset_type(vz_node *node, vz_error *err);
hid_t vz_dataset_space(vz_node *node, vz_error *err);
hid_t vz_dataset_dcpl(vz_node *node, vz_error *err);

/* A creation list with the mappings of a virtual dataset, made once; borrowed. */
hid_t vz_dataset_sources(vz_node *node, vz_error *err);

/* The dimensions of the dataspace; `dims` has room for H5S_MAX_RANK. */
bool vz_dataset_dims(vz_node *node, unsigned *rank, hsize_t *dims, vz_error *err);

/* A transfer of elements between a dataset and memory. Spaces are as the VOL callback gets them:
 * H5S_ALL, H5S_BLOCK or a dataspace with a selection. */
typedef struct vz_dataset_transfer {
    vz_node *node;
    hid_t mem_type, mem_space, file_space;
    const vz_reference_maker *maker; /* NULL: no H5R_ref_t is met */
    void *buf;                       /* of a write only read */
} vz_dataset_transfer;

/* May we convert or copy numbers ourselves under this transfer list? */
bool vz_dataset_may_convert_numbers(hid_t dxpl, bool converted);

/* Reads or writes the datasets of one call, each with its own spaces and buffer, in one plan. A
 * dataset that is listed twice, and buffers that overlap, keep the order of the list. *failed:
 * index of the dataset that failed; others may be done then. */
bool vz_datasets_read_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err);
bool vz_datasets_write_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err);
bool vz_dataset_set_extent(vz_node *node, const hsize_t *dims, vz_error *err);

/* Before elements are written: how chunks begin, and whether they may stay as they are. */
bool vz_dataset_begin_write(vz_node *node, vz_error *err);

/* -- Later --
 * A read or write about which HDF5 need not be asked any more. Known are the elements, their places
 * in memory, and their conversion. Any thread can do the rest, which is the array's part. */
typedef struct vz_dataset_later vz_dataset_later;
/* NULL without an error: there is nothing to move, or only the thread that called HDF5 can
 * (H5Tconvert, growing texts, selections of very many pieces). `maker` is not used. */
vz_dataset_later *vz_dataset_later_new(const vz_dataset_transfer *what, hid_t dxpl, bool reading, vz_error *err);
/* Do two reads put elements into equal bytes of memory? True if that is not known. */
bool vz_dataset_later_overlaps(const vz_dataset_later *a, const vz_dataset_later *b);
/* The memory of a read, from its first byte to the end of the last one. */
void vz_dataset_later_memory(const vz_dataset_later *later, const uint8_t **low, const uint8_t **high);
/* The array's part; borrowed. */
vz_array_transfer vz_dataset_later_ask(const vz_dataset_later *later);
/* Before each attempt, in the thread that makes it. */
void vz_dataset_later_rewind(vz_dataset_later *later);
/* In a thread that called HDF5. `done`: all elements were moved. */
void vz_dataset_later_free(vz_dataset_later *later, bool done);

/* Sets the extent of a virtual dataset to that of its sources; stores it if the store is
 * writable. */
bool vz_dataset_follow_sources(vz_node *node, const hsize_t *dims, vz_error *err);

/* Stored bytes, and H5D_SPACE_STATUS_*. */
bool vz_dataset_storage_size(vz_node *node, hsize_t *size, vz_error *err);
bool vz_dataset_space_status(vz_node *node, H5D_space_status_t *status, vz_error *err);

/* Applies the chunk cache settings of an access list. */
bool vz_dataset_access(vz_node *node, hid_t dapl, vz_error *err);

/* Dimensions of the dataspace. */
unsigned vz_dataset_rank(vz_node *node);
bool vz_dataset_must_be_chunked(vz_node *node, vz_error *err);

/* Reads a chunk directly, in the terms of HDF5's native operations: offset in elements, mask of
 * the filters that were not applied. Gives filtered bytes if the whole codec chain equals the
 * shown pipeline; else elements of the shown type, with a mask that says so. */
bool vz_dataset_chunk_read(vz_node *node, const hsize_t *offset, vz_buffer *out, uint32_t *mask, vz_error *err);

/* Writes a chunk directly. *foreign: a filter was applied that no codec undoes, and nothing was
 * written. */
bool vz_dataset_chunk_write(vz_node *node, const hsize_t *offset, uint32_t mask, vz_bytes bytes, bool *foreign,
                            vz_error *err);

/* Size and mask of a chunk as vz_dataset_chunk_read would give it; *found false and size 0 if it
 * is not stored. */
bool vz_dataset_chunk_size(vz_node *node, const hsize_t *offset, hsize_t *size, uint32_t *mask, bool *found,
                           vz_error *err);

/* Visits every stored chunk in C order until `visit` returns false. Sizes are computed only if
 * `sized`. */
typedef bool (*vz_dataset_chunk_visit)(void *context, const hsize_t *offset, hsize_t size, uint32_t mask);
bool vz_dataset_chunks(vz_node *node, bool sized, vz_dataset_chunk_visit visit, void *context, vz_error *err);

/* -- External sources --
 * Datasets whose elements lie in other files: virtual ones (H5Pset_virtual) and those in
 * external files (H5Pset_external). The array itself has no chunks, so any Zarr reader sees the
 * fill value. The annotation has the mappings and files, as "vds" and "ext" (docs/format.md). */
typedef enum vz_sources_kind { VZ_SOURCES_NONE, VZ_SOURCES_VIRTUAL, VZ_SOURCES_EXTERNAL } vz_sources_kind;

/* The kind of a dataset. */
vz_sources_kind vz_sources_kind_of(const vz_node *node);

/* The name of an external file as stored; NULL beyond the last one. */
const char *vz_external_name(const vz_node *node, size_t index);

/* Reads or writes elements in external files. `beside` is the path of the store; ${ORIGIN} in a
 * prefix (dapl, or HDF5_EXTFILE_PREFIX) stands for its directory. */
bool vz_external_read(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);
bool vz_external_write(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err);

/* -- Finalize --
 * Final changes before documents go to the store. */
/* The conventions of a store that HDF5 uses, for vz_hierarchy_set_conventions: links and
 * dimension names (src/hdf5/dialects), and the final changes. */
extern const vz_conventions vz_finalize_conventions;

#endif
