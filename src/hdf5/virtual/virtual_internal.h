/* virtual_internal.h - the part of a transfer that each source of a virtual dataset supplies. */
#ifndef VZ_VIRTUAL_VIRTUAL_INTERNAL_H
#define VZ_VIRTUAL_VIRTUAL_INTERNAL_H

#include "hdf5/virtual/virtual.h"

/* Virtual datasets of virtual datasets: below VZ_VIRTUAL_DEPTH the answer is an error, so
 * circles end. */
#define VZ_VIRTUAL_DEPTH 16
bool vz_virtual_enter(vz_error *err);
void vz_virtual_leave(void);

/* A call below this depth failed: reports `text`, or that the depth was the reason. */
bool vz_virtual_failed(vz_error_class class, const char *text, vz_error *err);

/* One regular selection; `open` is its unlimited dimension, or -1. */
typedef struct vz_virtual_slab {
    int rank, open;
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
} vz_virtual_slab;

typedef struct vz_virtual_mapping {
    hid_t list; /* borrowed: the creation list that has the names */
    size_t index;
    hid_t source, virtual;                     /* selections as they were given */
    vz_virtual_slab source_slab, virtual_slab; /* open = -1 where a selection is limited */
} vz_virtual_mapping;

/* Calls `visit` with each mapping of a virtual dataset until it fails. */
typedef bool (*vz_virtual_mapping_visit)(void *context, const vz_virtual_mapping *mapping, vz_error *err);
bool vz_virtual_mapping_each(const vz_handle *handle, vz_virtual_mapping_visit visit, void *context, vz_error *err);

/* Each block of the virtual selection has a source of its own, whose names have its number. */
static inline bool vz_virtual_mapping_is_pattern(const vz_virtual_mapping *mapping)
{
    return mapping->virtual_slab.open >= 0 && mapping->source_slab.open < 0;
}

/* Planes along the open dimension below `extent`; and the extent that has `planes`, with the gap
 * behind the last block or without. */
hsize_t vz_virtual_slab_planes(const vz_virtual_slab *slab, hsize_t extent);
hsize_t vz_virtual_slab_reach(const vz_virtual_slab *slab, hsize_t planes, bool with_gap);

/* A copy of the unlimited selection, cut at `reach`. */
hid_t vz_virtual_slab_cut(hid_t space, const vz_virtual_slab *slab, hsize_t reach);

/* A copy with block `number` only. */
hid_t vz_virtual_slab_block(hid_t space, const vz_virtual_slab *slab, hsize_t number);

/* The source of a mapping (of its block `number`, where it is a pattern): a dataset's id;
 * *missing without an error where it cannot be opened. */
hid_t vz_virtual_source_open(const vz_handle *handle, const vz_virtual_mapping *mapping, hsize_t number, bool *missing,
                             vz_error *err);

/* Where `asked` selects points, in the dataset or in memory. It gives the part in `virtual`, that
 * part's places in memory and, by the element of `source` that stands for it, its places there. New
 * ids. `asked` names both spaces. */
bool vz_virtual_points_project(const vz_pair *asked, hid_t virtual, hid_t source, hid_t *memory, hid_t *from,
                               vz_error *err);

/* Of two selections of points in step: those whose place in `source` lies within `dims`. New
 * ids, on failure one at most. */
bool vz_virtual_points_within(hid_t source, hid_t memory, const hsize_t *dims, hid_t *inside, hid_t *part);

/* Does the selection lie in the dataset's extent? */
bool vz_virtual_source_fits(hid_t dataset, hid_t source);

/* Before `source` of a dataset is read into `memory`. The part beyond the dataset's extent gets its
 * fill value in `buf`, as native has it. That part leaves both selections, which may become other
 * ids. */
bool vz_virtual_source_clip(hid_t dataset, hid_t type, hid_t *source, hid_t *memory, void *buf, vz_error *err);

/* The part of a transfer that one source supplies. */
typedef struct vz_virtual_piece {
    hid_t dataset, source, memory;
} vz_virtual_piece;

typedef struct vz_virtual_plan {
    vz_handle *handle;
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK];
    hid_t extent;                                    /* of the dataset, all selected */
    hid_t file, memory;                              /* what was asked for */
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK]; /* its bounds */
    bool points;                                     /* somebody asked for points, in the dataset or
                                                      * in memory */
    uint64_t count, covered;
    vz_virtual_piece *pieces;
    size_t used, room;
} vz_virtual_plan;

/* Finds what takes part, and opens it. `plan` has the handle, rank and dims, and invalid ids; it
 * is to be closed also on failure. is_block: memory is H5S_BLOCK. */
bool vz_virtual_plan_open(vz_virtual_plan *plan, const vz_pair *pair, bool is_block, vz_error *err);
void vz_virtual_plan_close(vz_virtual_plan *plan);

/* The file that is called so, where HDF5 looks for source files; negative: none. */
hid_t vz_virtual_file_open(const vz_handle *handle, const vz_named *named, const char *name, vz_error *err);

#endif
