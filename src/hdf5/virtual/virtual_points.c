/* virtual_points.c - the part of a transfer that lies in a mapping, where points were asked for:
 * HDF5's own projection knows boxes only, and crashes over points. */
#include "hdf5/h5/h5.h"
#include "hdf5/virtual/virtual_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

#define BATCH 256

/* Both selections of a mapping in step, by the offset in the virtual dataset. */
typedef struct table {
    vz_point_run *runs; /* array: offset in the virtual dataset; memory: in the source */
    size_t used, room;
} table;

/* A growing list of coordinates. */
typedef struct points {
    int rank;
    hsize_t dims[H5S_MAX_RANK];
    hsize_t *at;
    size_t used, room;
} points;

static bool make_room(void **list, size_t used, size_t *room, size_t size, vz_error *err)
{
    uint64_t bytes;
    if (used < *room)
        return true;
    const size_t wanted = *room ? 2 * *room : 64;
    void *grown = vz_mul(wanted, size, &bytes) ? realloc(*list, bytes) : NULL;
    if (!grown)
        return vz_fail_memory(err);
    *list = grown;
    *room = wanted;
    return true;
}

static bool table_fill(table *t, hid_t virtual, hid_t source, vz_error *err)
{
    const vz_pair pair = {.file = virtual, .memory = source, .count = (uint64_t)H5Sget_select_npoints(virtual)};
    vz_point_run run;
    size_t count = 0;
    /* one that was "all" of another extent */
    if (H5Sget_select_npoints(source) != H5Sget_select_npoints(virtual))
        return vz_fail(err, VZ_INVALID, "a mapping's selections differ in their number of elements");
    vz_pair_runs *runs = vz_pair_runs_open(&pair, false, err);
    bool ok = runs != NULL;
    while (ok && (ok = vz_pair_runs_next(runs, &run, 1, &count, err)) && count == 1) {
        ok = make_room((void **)&t->runs, t->used, &t->room, sizeof *t->runs, err);
        if (ok)
            t->runs[t->used++] = run;
    }
    vz_pair_runs_close(runs);
    return ok;
}

/* Boxes are walked in the order of offsets, so the runs are sorted. */
static bool table_find(const table *t, uint64_t offset, uint64_t *source)
{
    size_t low = 0, high = t->used;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const vz_point_run *run = &t->runs[middle];
        if (offset < run->array) {
            high = middle;
        } else if (offset - run->array >= run->length) {
            low = middle + 1;
        } else {
            *source = run->memory + (offset - run->array);
            return true;
        }
    }
    return false;
}

/* A copy of a selection in an extent that holds it. A source may have shrunk below the extent of
 * its mapping, and offsets in the smaller extent would be those of other elements. */
static hid_t with_room(hid_t selection)
{
    hsize_t dims[H5S_MAX_RANK], first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(selection, dims, NULL);
    const hid_t copy = H5Scopy(selection);
    bool ok = copy >= 0 && rank >= 0;
    if (ok && rank > 0 && H5Sget_select_type(selection) != H5S_SEL_ALL && H5Sget_select_npoints(selection) > 0) {
        ok = H5Sget_select_bounds(selection, first, last) >= 0;
        for (int d = 0; ok && d < rank; d++)
            dims[d] = last[d] >= dims[d] ? last[d] + 1 : dims[d];
        ok = ok && H5Sset_extent_simple(copy, rank, dims, NULL) >= 0;
    }
    if (ok || copy < 0)
        return copy;
    vz_h5_close_quietly(copy);
    return H5I_INVALID_HID;
}

static bool points_of(points *p, hid_t space, vz_error *err)
{
    p->rank = H5Sget_simple_extent_dims(space, p->dims, NULL);
    return p->rank >= 0 || vz_fail(err, VZ_HDF5, "cannot read a dataspace");
}

static bool points_add(points *p, uint64_t offset, vz_error *err)
{
    const size_t width = p->rank > 0 ? (size_t)p->rank : 1;
    if (!make_room((void **)&p->at, p->used, &p->room, width * sizeof *p->at, err))
        return false;
    hsize_t *at = p->at + p->used++ * width;
    for (int d = p->rank - 1; d >= 0; d--) {
        at[d] = offset % p->dims[d];
        offset /= p->dims[d];
    }
    return true;
}

/* A copy of the space with these points selected; with none, nothing. */
static hid_t points_select(const points *p, hid_t space)
{
    const hid_t copy = H5Scopy(space);
    if (copy < 0)
        return copy;
    const herr_t status = p->used == 0   ? H5Sselect_none(copy)
                          : p->rank == 0 ? H5Sselect_all(copy)
                                         : H5Sselect_elements(copy, H5S_SELECT_SET, p->used, p->at);
    if (status >= 0)
        return copy;
    vz_h5_close_quietly(copy);
    return H5I_INVALID_HID;
}

static bool collect(const table *t, const vz_pair *asked, points *memory, points *source, vz_error *err)
{
    vz_point_run batch[BATCH];
    size_t count = 1;
    uint64_t there;
    vz_pair_runs *runs = vz_pair_runs_open(asked, false, err);
    bool ok = runs != NULL;
    while (ok && count > 0) {
        ok = vz_pair_runs_next(runs, batch, BATCH, &count, err);
        for (size_t i = 0; ok && i < count; i++)
            for (uint64_t k = 0; ok && k < batch[i].length; k++)
                if (table_find(t, batch[i].array + k, &there))
                    ok = points_add(memory, batch[i].memory + k, err) && points_add(source, there, err);
    }
    vz_pair_runs_close(runs);
    return ok;
}

bool vz_virtual_points_project(const vz_pair *asked, hid_t virtual, hid_t source, hid_t *memory, hid_t *from,
                               vz_error *err)
{
    table t = {0};
    points there = {0}, here = {0};
    *memory = *from = H5I_INVALID_HID;
    const hid_t wide = with_room(source);
    const bool ok = (wide >= 0 || vz_fail(err, VZ_HDF5, "cannot read a mapping")) &&
                    points_of(&here, asked->memory, err) && points_of(&there, wide, err) &&
                    table_fill(&t, virtual, wide, err) && collect(&t, asked, &here, &there, err);
    if (ok) {
        *memory = points_select(&here, asked->memory);
        *from = *memory < 0 ? H5I_INVALID_HID : points_select(&there, source);
        if (*from < 0)
            vz_fail(err, VZ_HDF5, "cannot select points");
    }
    if (wide >= 0)
        vz_h5_close_quietly(wide);
    free(t.runs);
    free(there.at);
    free(here.at);
    return *from >= 0;
}

/* ---- sources that are smaller than the points say ---- */

/* A copy of a selection of points with those that are kept, all of it where the rank is 0. */
static hid_t points_kept(hid_t space, const bool *keep, size_t count, size_t kept)
{
    points p = {.rank = H5Sget_simple_extent_ndims(space), .used = kept};
    const size_t width = p.rank > 0 ? (size_t)p.rank : 1;
    uint64_t bytes;
    p.at = p.rank >= 0 && vz_mul(count, width * sizeof *p.at, &bytes) ? calloc(1, bytes) : NULL;
    const bool ok = p.at && (p.rank == 0 || H5Sget_select_elem_pointlist(space, 0, count, p.at) >= 0);
    for (size_t i = 0, to = 0; ok && i < count; i++)
        if (keep[i])
            memmove(p.at + to++ * width, p.at + i * width, width * sizeof *p.at);
    const hid_t copy = ok ? points_select(&p, space) : H5I_INVALID_HID;
    free(p.at);
    return copy;
}

/* How many of the points lie within the dimensions, and which; SIZE_MAX on failure. */
static size_t find_within(hid_t source, const hsize_t *dims, bool *keep, size_t count)
{
    const int rank = H5Sget_simple_extent_ndims(source);
    size_t kept = 0;
    hsize_t at[H5S_MAX_RANK];
    for (size_t i = 0; i < count; i++) {
        if (H5Sget_select_elem_pointlist(source, i, 1, at) < 0)
            return SIZE_MAX;
        keep[i] = true;
        for (int d = 0; d < rank; d++)
            keep[i] = keep[i] && at[d] < dims[d];
        kept += keep[i];
    }
    return kept;
}

bool vz_virtual_points_within(hid_t source, hid_t memory, const hsize_t *dims, hid_t *inside, hid_t *part)
{
    const hssize_t count = H5Sget_select_elem_npoints(source);
    *inside = *part = H5I_INVALID_HID;
    bool *keep = count > 0 ? malloc((size_t)count * sizeof *keep) : NULL;
    const size_t kept = keep ? find_within(source, dims, keep, (size_t)count) : SIZE_MAX;
    if (kept != SIZE_MAX) {
        *inside = points_kept(source, keep, (size_t)count, kept);
        *part = *inside < 0 ? H5I_INVALID_HID : points_kept(memory, keep, (size_t)count, kept);
    }
    free(keep);
    return *part >= 0;
}
