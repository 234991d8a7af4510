/* transfer_elements.h - one dataset's part of a read or write, in batches that fit its buffers. Several datasets go on batch by
 * batch together (dataset_io.c), so that their chunks are one plan. Private to this room. */
#ifndef VZ_DATASETS_TRANSFER_ELEMENTS_H
#define VZ_DATASETS_TRANSFER_ELEMENTS_H

#include "array/array/array.h"
#include "hdf5/datasets/dataset.h"
#include "hdf5/datasets/convert_buffer.h"

/* Runs of shown elements as runs of array elements. */
typedef struct vz_axis_runs {
    vz_pair_runs *runs;
    uint64_t per;
} vz_axis_runs;

typedef struct vz_element_transfer {
    const vz_dataset_transfer *what; /* borrowed */
    bool reading;
    bool paired, staging; /* what of it is to be closed */
    bool begun;           /* a read of texts was asked for and is not complete: some may be the caller's to free */
    vz_convert_buffer stage;
    uint64_t left; /* elements that are not moved yet */
    size_t batch;  /* of them, what is moved now */
    /* The file side: a region, packed where it is staged (then all fits into one batch), or runs. */
    bool one_region;
    vz_pair_runs *runs;
    vz_pair_runs *again;    /* a second pass over the same elements: background before a write */
    vz_scatter *memory;     /* staged: to and from the user's memory */
    vz_scatter *background; /* memory once more, to gather what stands there */
    vz_axis_runs axes;      /* of `transfer` */
    vz_transfer transfer;   /* of this batch */
    vz_pair pair;
    vz_region region; /* where one_region says so */
} vz_element_transfer;

/* Checks the selections and finds the way of the elements. To be closed, also on failure; must not change its place
 * in memory. */
bool vz_move_open(vz_element_transfer *move, const vz_dataset_transfer *what, hid_t dxpl, bool reading, vz_error *err);
/* Bytes of memory that its batches take beside the caller's buffer, and the call that makes room for them. */
uint64_t vz_move_bytes(const vz_element_transfer *move);
bool vz_move_reserve(vz_element_transfer *move, vz_error *err);
void vz_move_close(vz_element_transfer *move);

/* Where a read puts its elements: bytes from the first to the end of the last one, gaps and all, and the box of the
 * memory dataspace that they lie in. */
typedef struct vz_move_place {
    bool known;
    const uint8_t *first, *end;
    int rank; /* -1: no box */
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
} vz_move_place;
void vz_move_find_place(const vz_element_transfer *move, vz_move_place *place);

/* Do two reads put elements into the same bytes of memory? True where it is not known. *costs is counted up where
 * HDF5 had to compare the selections. */
bool vz_moves_overlap(const vz_element_transfer *a, const vz_move_place *at, const vz_element_transfer *b, const vz_move_place *bt,
                      size_t *costs);

/* ---- a batch of a read: elements are asked for, and were read ---- */

/* The array's part of it; `ask` points into the move. */
bool vz_move_ask(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_move_arrived(vz_element_transfer *move, vz_error *err);

/* ---- a batch of a write: elements that stand there are asked for where they are needed (and then read), the user's
 * ones are converted, which may give the array another dtype, and then they are stored ---- */

bool vz_move_needs_background(const vz_element_transfer *move);
bool vz_move_ask_background(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_move_convert(vz_element_transfer *move, vz_error *err);
/* As vz_move_ask; vz_move_stored when that is done. */
void vz_move_stored(vz_element_transfer *move);

#endif
