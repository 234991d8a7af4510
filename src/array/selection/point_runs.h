/* point_runs.h - irregular selections: runs cut at the borders of rows and chunks, and brought together chunk by chunk. */
#ifndef VZ_SELECTION_POINT_RUNS_H
#define VZ_SELECTION_POINT_RUNS_H

#include "array/selection/chunk_selection.h"

typedef struct vz_run_cutter vz_run_cutter;

/* VZ_LIMIT if the array has so many elements that a run cannot name them. */
vz_run_cutter *vz_runs_open(const vz_array_meta *meta, vz_run_source source, void *context, vz_error *err);
/* Cuts the next batch (bounded in cuts and in chunks); *count chunks are touched, 0 = the end. Cuts of one chunk keep
 * their order. */
bool vz_runs_next(vz_run_cutter *cutter, size_t *count, vz_error *err);
/* The batch's index-th piece, valid until the next batch. */
vz_chunk_selection vz_runs_piece(const vz_run_cutter *cutter, size_t index);
void vz_runs_close(vz_run_cutter *cutter);

#endif
