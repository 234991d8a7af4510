/* virtual_plan.c - which sources take part in a transfer of a virtual dataset, and with which
 * elements. */
#include "hdf5/virtual/virtual_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include <stdlib.h>

/* ---- finding what takes part ---- */

static bool keep(vz_virtual_plan *t, vz_virtual_piece p, vz_error *err)
{
    if (t->used == t->room) {
        const size_t room = t->room ? 2 * t->room : 16;
        vz_virtual_piece *grown = realloc(t->pieces, room * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        t->pieces = grown;
        t->room = room;
    }
    t->pieces[t->used++] = p;
    return true;
}

static void drop(const vz_virtual_piece *p)
{
    const hid_t ids[] = {p->source, p->memory, p->dataset};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
}

/* Gives a selection the extent of the dataset, whose rank it has; all is all of any. */
static bool fit(hid_t selection, hid_t dataset, vz_error *err)
{
    const hid_t space = H5Dget_space(dataset);
    const bool same = space >= 0 && (H5Sget_select_type(selection) == H5S_SEL_ALL ||
                                     H5Sget_simple_extent_ndims(space) == H5Sget_simple_extent_ndims(selection));
    const bool ok = same && H5Sextent_copy(selection, space) >= 0;
    if (space >= 0)
        vz_h5_close_quietly(space);
    return ok || vz_virtual_failed(VZ_INVALID, "the source of a mapping has another rank than its selection", err);
}

/* Both new ids, or none. */
static bool project(const vz_virtual_plan *t, hid_t virtual, hid_t source, hid_t *memory, hid_t *from, vz_error *err)
{
    if (t->points) {
        const vz_pair asked = {.file = t->file, .memory = t->memory, .count = t->count};
        return vz_virtual_points_project(&asked, virtual, source, memory, from, err);
    }
    *memory = H5Sselect_project_intersection(t->file, t->memory, virtual);
    *from = *memory < 0 ? H5I_INVALID_HID : H5Sselect_project_intersection(virtual, source, t->file);
    if (*from >= 0)
        return true;
    vz_fail(err, VZ_HDF5, "cannot project a mapping");
    if (*memory >= 0)
        vz_h5_close_quietly(*memory);
    *memory = H5I_INVALID_HID;
    return false;
}

/* The part of the transfer that lies in `virtual`, whose elements are those of `source`. Both
 * are limited; `dataset` is open, and kept or closed here. */
static bool add_piece(vz_virtual_plan *t, hid_t dataset, hid_t virtual, hid_t source, vz_error *err)
{
    vz_virtual_piece p = {.dataset = dataset, .source = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
    const bool ok = fit(source, dataset, err) && project(t, virtual, source, &p.memory, &p.source, err);
    const hssize_t count = ok ? H5Sget_select_npoints(p.memory) : 0;
    const bool kept = count > 0 && keep(t, p, err);
    if (kept)
        t->covered += (uint64_t)count;
    else
        drop(&p);
    return ok && (kept || count <= 0);
}

/* Does the transfer touch it? */
static bool touches(const vz_virtual_plan *t, hid_t virtual, bool *yes, vz_error *err)
{
    *yes = t->points; /* that costs as much as doing it */
    if (*yes)
        return true;
    const hid_t both = H5Sselect_project_intersection(t->file, t->memory, virtual);
    *yes = both >= 0 && H5Sget_select_npoints(both) > 0;
    if (both < 0)
        return vz_fail(err, VZ_HDF5, "cannot project a mapping");
    vz_h5_close_quietly(both);
    return true;
}

static bool add_limited(vz_virtual_plan *t, const vz_virtual_mapping *m, hsize_t number, hid_t virtual, hid_t source,
                        vz_error *err)
{
    bool wanted, missing;
    if (!touches(t, virtual, &wanted, err) || !wanted)
        return !wanted && err->class == VZ_OK;
    const hid_t dataset = vz_virtual_source_open(t->handle, m, number, &missing, err);
    return dataset >= 0 ? add_piece(t, dataset, virtual, source, err) : missing;
}

/* Unlimited on both sides: as many planes as both have. */
static bool add_unlimited(vz_virtual_plan *t, const vz_virtual_mapping *m, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    const vz_virtual_slab *from = &m->source_slab, *to = &m->virtual_slab;
    bool missing;
    const hid_t dataset = vz_virtual_source_open(t->handle, m, 0, &missing, err);
    if (dataset < 0)
        return missing;
    const hid_t space = H5Dget_space(dataset);
    const bool same = space >= 0 && H5Sget_simple_extent_ndims(space) == from->rank &&
                      H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    if (space >= 0)
        vz_h5_close_quietly(space);
    const hsize_t there = same ? vz_virtual_slab_planes(from, dims[from->open]) : 0,
                  here = vz_virtual_slab_planes(to, t->dims[to->open]);
    const hsize_t planes = there < here ? there : here;
    if (planes == 0) {
        vz_h5_close_quietly(dataset);
        return same ||
               vz_virtual_failed(VZ_INVALID, "the source of a mapping has another rank than its selection", err);
    }
    const hid_t source = vz_virtual_slab_cut(m->source, from, vz_virtual_slab_reach(from, planes, false));
    const hid_t virtual = vz_virtual_slab_cut(m->virtual, to, vz_virtual_slab_reach(to, planes, false));
    bool ok;
    if (source >= 0 && virtual >= 0) {
        ok = add_piece(t, dataset, virtual, source, err);
    } else {
        vz_h5_close_quietly(dataset);
        ok = vz_fail(err, VZ_HDF5, "cannot cut a selection");
    }
    if (source >= 0)
        vz_h5_close_quietly(source);
    if (virtual >= 0)
        vz_h5_close_quietly(virtual);
    return ok;
}

/* A block that reaches over the dataset's end gives what lies inside. */
static bool add_cut_block(vz_virtual_plan *t, const vz_virtual_mapping *m, hsize_t number, hid_t block, vz_error *err)
{
    static const hsize_t origin[H5S_MAX_RANK];
    const hid_t inside = H5Scopy(block), source = H5Scopy(m->source);
    hid_t part = H5I_INVALID_HID;
    bool ok =
        inside >= 0 && source >= 0 && H5Sselect_hyperslab(inside, H5S_SELECT_AND, origin, NULL, t->dims, NULL) >= 0;
    if (ok) {
        part = H5Sselect_project_intersection(block, source, inside);
        ok = part >= 0;
    }
    ok = ok ? add_limited(t, m, number, inside, part, err) : vz_fail(err, VZ_HDF5, "cannot cut a block");
    const hid_t ids[] = {inside, source, part};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
    return ok;
}

static bool add_block(vz_virtual_plan *t, const vz_virtual_mapping *m, hsize_t number, vz_error *err)
{
    const vz_virtual_slab *s = &m->virtual_slab;
    const hsize_t end = s->start[s->open] + number * s->stride[s->open] + s->block[s->open];
    const hid_t block = vz_virtual_slab_block(m->virtual, s, number);
    if (block < 0)
        return vz_fail(err, VZ_HDF5, "cannot select a block");
    bool ok;
    if (end > t->dims[s->open]) {
        ok = add_cut_block(t, m, number, block, err);
    } else {
        const hid_t source = H5Scopy(m->source);
        ok = source >= 0 ? add_limited(t, m, number, block, source, err) : vz_fail(err, VZ_HDF5, "cannot copy");
        if (source >= 0)
            vz_h5_close_quietly(source);
    }
    vz_h5_close_quietly(block);
    return ok;
}

static bool add_pattern(vz_virtual_plan *t, const vz_virtual_mapping *m, vz_error *err)
{
    const vz_virtual_slab *s = &m->virtual_slab;
    const int d = s->open;
    const hsize_t start = s->start[d], stride = s->stride[d];
    bool ok = true;
    if (t->last[d] < start)
        return true;
    const hsize_t first = t->first[d] > start ? (t->first[d] - start) / stride : 0;
    for (hsize_t i = first; ok && i <= (t->last[d] - start) / stride; i++)
        ok = add_block(t, m, i, err);
    return ok;
}

static bool add_mapping(void *context, const vz_virtual_mapping *m, vz_error *err)
{
    vz_virtual_plan *t = context;
    if (H5Sextent_copy(m->virtual, t->extent) < 0)
        return vz_fail(err, VZ_HDF5, "cannot give a selection its extent");
    if (vz_virtual_mapping_is_pattern(m))
        return add_pattern(t, m, err);
    return m->virtual_slab.open >= 0 ? add_unlimited(t, m, err) : add_limited(t, m, 0, m->virtual, m->source, err);
}

/* ---- the plan ---- */

static bool find_spaces(vz_virtual_plan *t, const vz_pair *pair, bool is_block, vz_error *err)
{
    const hsize_t count = pair->count;
    const bool points = !is_block && H5Sget_select_type(pair->memory) == H5S_SEL_POINTS;
    t->count = pair->count;
    t->points = points || H5Sget_select_type(pair->file) == H5S_SEL_POINTS;
    t->extent = vz_dataset_space(t->handle->node, err);
    if (t->extent < 0)
        return false;
    t->file = vz_h5_selection_copy(pair->file);
    t->memory = is_block ? H5Screate_simple(1, &count, NULL) : vz_h5_selection_copy(pair->memory);
    return (t->file >= 0 && t->memory >= 0 && H5Sget_select_bounds(t->file, t->first, t->last) >= 0) ||
           vz_fail(err, VZ_HDF5, "cannot copy a dataspace");
}

bool vz_virtual_plan_open(vz_virtual_plan *t, const vz_pair *pair, bool is_block, vz_error *err)
{
    return find_spaces(t, pair, is_block, err) && vz_virtual_mapping_each(t->handle, add_mapping, t, err);
}

void vz_virtual_plan_close(vz_virtual_plan *t)
{
    for (size_t i = 0; i < t->used; i++)
        drop(&t->pieces[i]);
    free(t->pieces);
    const hid_t ids[] = {t->extent, t->file, t->memory};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
}
