/* virtual_io.c - reading and writing virtual datasets. */
#include "hdf5/virtual/virtual_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/types/types.h"
#include "hdf5/references/references.h"
#include "hdf5/handles/reference.h"
#include "base/util/bytes.h"
#include <stdlib.h>

typedef struct request {
    hid_t mem_type, mem_space, file_space, dxpl;
    void *buf;
    bool reading;
} request;

/* The array has no chunks: reading it gives the fill value. Variable-length fill is freed again
 * where a source has elements. */
static bool fill(vz_virtual_plan *t, const request *r, vz_error *err)
{
    vz_node *node = t->handle->node;
    const vz_reference_maker maker = vz_handle_reference_maker(t->handle->file);
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

/* Those that wait, as one call of several datasets: sources that are given twice, and elements
 * that several mappings have, keep their order there. */
static bool together_run(together *g, vz_error *err)
{
    const request *r = g->of;
    const size_t count = g->count;
    if (count == 0)
        return true;
    g->count = 0;
    const vz_h5_datasets_call call = {count,      g->objects, g->mem_types, g->memories,
                                      g->sources, r->dxpl,    g->bufs,      r->reading};
    const herr_t status = g->objects[0]->ops->datasets_move(&call, err);
    return status >= 0 || (err->class == VZ_OK ? vz_virtual_failed(VZ_HDF5, "cannot reach a source", err) : false);
}

static void together_add(together *g, vz_object *object, const vz_virtual_piece *p)
{
    g->objects[g->count] = object;
    g->mem_types[g->count] = g->of->mem_type;
    g->memories[g->count] = p->memory;
    g->sources[g->count] = p->source;
    g->bufs[g->count++] = g->of->buf;
}

/* A source in an HDF5 file. */
static bool move_native(const request *r, const vz_virtual_piece *p, vz_error *err)
{
    const herr_t status = r->reading ? H5Dread(p->dataset, r->mem_type, p->memory, p->source, r->dxpl, r->buf)
                                     : H5Dwrite(p->dataset, r->mem_type, p->memory, p->source, r->dxpl, r->buf);
    return status >= 0 || vz_virtual_failed(VZ_HDF5, "cannot reach a source", err);
}

static bool move_piece(together *g, vz_virtual_piece *p, vz_error *err)
{
    const request *r = g->of;
    if (r->reading && !vz_virtual_source_fits(p->dataset, p->source) &&
        (!together_run(g, err) ||
         !vz_virtual_source_clip(p->dataset, r->mem_type, &p->source, &p->memory, r->buf, err)))
        return false;
    vz_object *object = vz_object_of_id(p->dataset);
    if (!object || !vz_handle_is_zarr(object))
        return together_run(g, err) && move_native(r, p, err);
    together_add(g, object, p);
    return true;
}

static bool move_pieces(vz_virtual_plan *t, const request *r, vz_error *err)
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
    vz_virtual_plan t = {
        .handle = handle, .extent = H5I_INVALID_HID, .file = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
    vz_pair pair;
    uint64_t dims[H5S_MAX_RANK];
    if ((!handle->sources_seen && !vz_virtual_refresh(handle, err)) ||
        !vz_dataset_dims(handle->node, &t.rank, t.dims, err))
        return false;
    for (unsigned d = 0; d < t.rank; d++)
        dims[d] = t.dims[d];
    const vz_extent extent = {.rank = t.rank, .dims = dims};
    if (!vz_pair_open(&pair, &extent, r->mem_space, r->file_space, err))
        return false;
    bool ok = pair.count == 0;
    if (!ok && vz_virtual_enter(err)) {
        ok = vz_virtual_plan_open(&t, &pair, r->mem_space == H5S_BLOCK, err) && move_pieces(&t, r, err);
        vz_virtual_plan_close(&t);
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
