/* virtual.c - reading and writing virtual datasets. */
#include "object/virtual.h"
#include "h5/errors.h"
#include "datasets/dataset.h"
#include "types/own.h"
#include "references/reference.h"
#include "datasets/space.h"
#include "object/reference.h"
#include "util/bytes.h"
#include <stdlib.h>

/* What one source gives of a transfer. */
typedef struct piece {
    hid_t dataset, source, memory;
} piece;

typedef struct transfer {
    vz_handle *handle;
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK];
    hid_t extent;                                    /* of the dataset, all selected */
    hid_t file, memory;                              /* what was asked for */
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK]; /* its bounds */
    bool points;                                     /* somebody asked for points, in the dataset or in memory */
    uint64_t count, covered;
    piece *pieces;
    size_t used, room;
} transfer;

/* ---- finding what takes part ---- */

static bool keep(transfer *t, piece p, vz_error *err)
{
    if (t->used == t->room) {
        const size_t room = t->room ? 2 * t->room : 16;
        piece *grown = realloc(t->pieces, room * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        t->pieces = grown;
        t->room = room;
    }
    t->pieces[t->used++] = p;
    return true;
}

static void drop(const piece *p)
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
static bool project(const transfer *t, hid_t virtual, hid_t source, hid_t *memory, hid_t *from, vz_error *err)
{
    if (t->points) {
        const vz_pair asked = {.file = t->file, .memory = t->memory, .count = t->count};
        return vz_points_project(&asked, virtual, source, memory, from, err);
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

/* The part of the transfer that lies in `virtual`, whose elements are those of `source`. Both are limited; `dataset` is
 * open, and kept or closed here. */
static bool add_piece(transfer *t, hid_t dataset, hid_t virtual, hid_t source, vz_error *err)
{
    piece p = {.dataset = dataset, .source = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
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
static bool touches(const transfer *t, hid_t virtual, bool *yes, vz_error *err)
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

static bool add_limited(transfer *t, const vz_mapping *m, hsize_t number, hid_t virtual, hid_t source, vz_error *err)
{
    bool wanted, missing;
    if (!touches(t, virtual, &wanted, err) || !wanted)
        return !wanted && err->class == VZ_OK;
    const hid_t dataset = vz_source_open(t->handle, m, number, &missing, err);
    return dataset >= 0 ? add_piece(t, dataset, virtual, source, err) : missing;
}

/* Unlimited on both sides: as many planes as both have. */
static bool add_unlimited(transfer *t, const vz_mapping *m, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    const vz_slab *from = &m->source_slab, *to = &m->virtual_slab;
    bool missing;
    const hid_t dataset = vz_source_open(t->handle, m, 0, &missing, err);
    if (dataset < 0)
        return missing;
    const hid_t space = H5Dget_space(dataset);
    const bool same = space >= 0 && H5Sget_simple_extent_ndims(space) == from->rank &&
                      H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    if (space >= 0)
        vz_h5_close_quietly(space);
    const hsize_t there = same ? vz_slab_planes(from, dims[from->open]) : 0,
                  here = vz_slab_planes(to, t->dims[to->open]);
    const hsize_t planes = there < here ? there : here;
    if (planes == 0) {
        vz_h5_close_quietly(dataset);
        return same ||
               vz_virtual_failed(VZ_INVALID, "the source of a mapping has another rank than its selection", err);
    }
    const hid_t source = vz_slab_cut(m->source, from, vz_slab_reach(from, planes, false));
    const hid_t virtual = vz_slab_cut(m->virtual, to, vz_slab_reach(to, planes, false));
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
static bool add_cut_block(transfer *t, const vz_mapping *m, hsize_t number, hid_t block, vz_error *err)
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

static bool add_block(transfer *t, const vz_mapping *m, hsize_t number, vz_error *err)
{
    const vz_slab *s = &m->virtual_slab;
    const hsize_t end = s->start[s->open] + number * s->stride[s->open] + s->block[s->open];
    const hid_t block = vz_slab_block(m->virtual, s, number);
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

static bool add_pattern(transfer *t, const vz_mapping *m, vz_error *err)
{
    const vz_slab *s = &m->virtual_slab;
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

static bool add_mapping(void *context, const vz_mapping *m, vz_error *err)
{
    transfer *t = context;
    if (H5Sextent_copy(m->virtual, t->extent) < 0)
        return vz_fail(err, VZ_HDF5, "cannot give a selection its extent");
    if (vz_mapping_is_pattern(m))
        return add_pattern(t, m, err);
    return m->virtual_slab.open >= 0 ? add_unlimited(t, m, err) : add_limited(t, m, 0, m->virtual, m->source, err);
}

/* ---- the transfer ---- */

static bool find_spaces(transfer *t, const vz_pair *pair, bool is_block, vz_error *err)
{
    const hsize_t count = pair->count;
    const bool points = !is_block && H5Sget_select_type(pair->memory) == H5S_SEL_POINTS;
    t->count = pair->count;
    t->points = points || H5Sget_select_type(pair->file) == H5S_SEL_POINTS;
    t->extent = vz_dataset_space(t->handle->node, err);
    if (t->extent < 0)
        return false;
    t->file = H5Scopy(pair->file);
    t->memory = is_block ? H5Screate_simple(1, &count, NULL) : H5Scopy(pair->memory);
    return (t->file >= 0 && t->memory >= 0 && H5Sget_select_bounds(t->file, t->first, t->last) >= 0) ||
           vz_fail(err, VZ_HDF5, "cannot copy a dataspace");
}

static void transfer_close(transfer *t)
{
    for (size_t i = 0; i < t->used; i++)
        drop(&t->pieces[i]);
    free(t->pieces);
    const hid_t ids[] = {t->extent, t->file, t->memory};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
}

typedef struct request {
    hid_t mem_type, mem_space, file_space, dxpl;
    void *buf;
    bool reading;
} request;

/* The array has no chunks: reading it gives the fill value. What variable-length fill there is goes again where a
 * source has elements. */
static bool fill(transfer *t, const request *r, vz_error *err)
{
    vz_node *node = t->handle->node;
    const vz_reference_maker maker = vz_reference_maker_of(t->handle->file);
    if (vz_json_is(vz_json_get(vz_annotation_get(node, "f"), "st"), "undef"))
        return true;
    const vz_dataset_transfer what = {node, r->mem_type, r->mem_space, r->file_space, &maker, r->buf};
    size_t failed;
    if (!vz_datasets_read_list(&what, 1, r->dxpl, &failed, err))
        return false;
    for (size_t i = 0; i < t->used && vz_type_has_vlen(r->mem_type); i++)
        if (H5Treclaim(r->mem_type, t->pieces[i].memory, r->dxpl, r->buf) < 0)
            return vz_fail(err, VZ_HDF5, "cannot release the fill value");
    return true;
}

/* ---- pieces that are read or written together: those of sources in stores ---- */

typedef struct together {
    const request *of;
    vz_object **objects;
    hid_t *mem_types, *memories, *sources;
    void **bufs;
    size_t count;
} together;

static bool together_open(together *g, const request *r, size_t most, vz_error *err)
{
    *g = (together){.of = r};
    g->objects = malloc((most + 1) * sizeof(vz_object *));
    g->mem_types = malloc((most + 1) * sizeof *g->mem_types);
    g->memories = malloc((most + 1) * sizeof *g->memories);
    g->sources = malloc((most + 1) * sizeof *g->sources);
    g->bufs = malloc((most + 1) * sizeof(void *));
    return (g->objects && g->mem_types && g->memories && g->sources && g->bufs) || vz_fail_memory(err);
}

static void together_close(together *g)
{
    free(g->objects);
    free(g->mem_types);
    free(g->memories);
    free(g->sources);
    free(g->bufs);
}

/* Those that wait, as one call of several datasets: sources that are given twice, and elements that several mappings
 * have, keep their order there. */
static bool together_run(together *g, vz_error *err)
{
    const request *r = g->of;
    const size_t count = g->count;
    if (count == 0)
        return true;
    g->count = 0;
    const vz_ops *ops = g->objects[0]->ops;
    const herr_t status =
        r->reading ? ops->dataset_read(count, g->objects, g->mem_types, g->memories, g->sources, r->dxpl, g->bufs, err)
                   : ops->dataset_write(count, g->objects, g->mem_types, g->memories, g->sources, r->dxpl,
                                        (const void **)(uintptr_t)g->bufs, err);
    return status >= 0 || (err->class == VZ_OK ? vz_virtual_failed(VZ_HDF5, "cannot reach a source", err) : false);
}

static void together_add(together *g, vz_object *object, const piece *p)
{
    g->objects[g->count] = object;
    g->mem_types[g->count] = g->of->mem_type;
    g->memories[g->count] = p->memory;
    g->sources[g->count] = p->source;
    g->bufs[g->count++] = g->of->buf;
}

/* A source in an HDF5 file. */
static bool move_native(const request *r, const piece *p, vz_error *err)
{
    const herr_t status = r->reading ? H5Dread(p->dataset, r->mem_type, p->memory, p->source, r->dxpl, r->buf)
                                     : H5Dwrite(p->dataset, r->mem_type, p->memory, p->source, r->dxpl, r->buf);
    return status >= 0 || vz_virtual_failed(VZ_HDF5, "cannot reach a source", err);
}

static bool move_piece(together *g, piece *p, vz_error *err)
{
    const request *r = g->of;
    if (r->reading && !vz_source_fits(p->dataset, p->source) &&
        (!together_run(g, err) || !vz_source_clip(p->dataset, r->mem_type, &p->source, &p->memory, r->buf, err)))
        return false;
    vz_object *object = vz_object_of_id(p->dataset);
    if (!object || !vz_is_zarr(object))
        return together_run(g, err) && move_native(r, p, err);
    together_add(g, object, p);
    return true;
}

static bool move_pieces(transfer *t, const request *r, vz_error *err)
{
    together g;
    if (!r->reading && t->covered < t->count)
        return vz_fail(err, VZ_INVALID, "write requested to unmapped portion of virtual dataset");
    if (r->reading && t->covered < t->count && !fill(t, r, err))
        return false;
    bool ok = together_open(&g, r, t->used, err);
    for (size_t i = 0; ok && i < t->used; i++)
        ok = move_piece(&g, &t->pieces[i], err);
    ok = ok && together_run(&g, err);
    together_close(&g);
    return ok;
}

static bool move(vz_handle *handle, const request *r, vz_error *err)
{
    transfer t = {.handle = handle, .extent = H5I_INVALID_HID, .file = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
    vz_pair pair;
    uint64_t dims[H5S_MAX_RANK];
    if ((!handle->sources_seen && !vz_virtual_refresh(handle, err)) ||
        !vz_dataset_dims(handle->node, &t.rank, t.dims, err))
        return false;
    for (unsigned d = 0; d < t.rank; d++)
        dims[d] = t.dims[d];
    if (!vz_pair_open(&pair, t.rank, dims, false, r->mem_space, r->file_space, err))
        return false;
    bool ok = pair.count == 0;
    if (!ok && vz_virtual_enter(err)) {
        ok = find_spaces(&t, &pair, r->mem_space == H5S_BLOCK, err) &&
             vz_mapping_each(t.handle, add_mapping, &t, err) && move_pieces(&t, r, err);
        transfer_close(&t);
        vz_virtual_leave();
    }
    const hid_t kept = vz_h5_errors_keep(err);
    vz_pair_close(&pair);
    vz_h5_errors_restore(kept);
    return ok;
}

bool vz_virtual_read(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                     vz_error *err)
{
    const request r = {mem_type, mem_space, file_space, dxpl, buf, true};
    return move(handle, &r, err);
}

bool vz_virtual_write(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, const void *buf,
                      vz_error *err)
{
    const request r = {mem_type, mem_space, file_space, dxpl, (void *)(uintptr_t)buf, false};
    return move(handle, &r, err);
}
