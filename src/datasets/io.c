/* io.c - H5Dread and H5Dwrite on an array. */
#include "datasets/dataset.h"

#include "h5/errors.h"
#include "datasets/stage.h"

#include <stdlib.h>

/* An array type's axes are the array's last dimensions: a selection of shown elements takes them whole, and the
 * buffer's places count array elements. */
static void add_axes(vz_region *region, const vz_array_meta *meta, const vz_dataset_view *view)
{
    region->memory_offset *= view->per;
    for (unsigned d = 0; d < view->rank; d++)
        region->memory_stride[d] *= view->per;
    uint64_t row = 1;
    for (unsigned d = meta->rank; d-- > view->rank;) {
        region->start[d] = 0;
        region->stride[d] = region->count[d] = 1;
        region->block[d] = meta->shape[d];
        region->memory_stride[d] = row;
        row *= meta->shape[d];
    }
    region->rank = meta->rank;
}

/* Runs of shown elements as runs of array elements. */
typedef struct axis_runs {
    vz_pair_runs *runs;
    uint64_t per;
} axis_runs;

static bool next_axis_runs(void *context, vz_run *out, size_t max, size_t *count, vz_error *err)
{
    axis_runs *axes = context;
    if (!vz_pair_runs_next(axes->runs, out, max, count, err))
        return false;
    for (size_t i = 0; axes->per > 1 && i < *count; i++) {
        out[i].array *= axes->per;
        out[i].memory *= axes->per;
        out[i].length *= axes->per;
    }
    return true;
}

/* One transfer in the user's own memory: no staging. */
static bool move_directly(vz_node *node, const vz_pair *pair, const vz_stage *stage, void *buf, bool reading,
                          vz_error *err)
{
    vz_region region = pair->region;
    axis_runs axes = {.per = stage->view->per};
    add_axes(&region, node->meta, stage->view);
    vz_transfer transfer = {
        .region = pair->is_region ? &region : NULL,
        .buffer = buf,
        .element_size = stage->plan->mem_size / stage->view->per,
        .conversion = stage->conversion,
        .leave_missing = stage->leave_missing,
    };
    vz_array *io = vz_dataset_io(node, err);
    if (!io)
        return false;
    if (!pair->is_region) {
        axes.runs = vz_pair_runs_open(pair, false, err);
        if (!axes.runs)
            return false;
        transfer.next_runs = next_axis_runs;
        transfer.runs_context = &axes;
    }
    bool ok = reading ? vz_array_read(io, &transfer, err) : vz_array_write(io, &transfer, err);
    vz_pair_runs_close(axes.runs);
    return ok;
}

/* A batch-wise walk: the file side as one packed region (everything fits) or as packed runs. */
typedef struct walk {
    vz_node *node;
    vz_array *io;
    vz_stage *stage;
    vz_region region;
    bool one_region;
    vz_pair_runs *runs;
    vz_pair_runs *again; /* a second pass over the same elements: background before a write */
    vz_scatter *memory;
    vz_scatter *background; /* memory once more, to gather what stands there */
    void *buf;
} walk;

static bool walk_open(walk *w, vz_node *node, const vz_pair *pair, vz_stage *stage, void *buf, bool reading,
                      vz_error *err)
{
    *w = (walk){.node = node, .io = vz_dataset_io(node, err), .stage = stage, .buf = buf};
    if (!w->io || !vz_stage_reserve(stage, pair->count, err))
        return false;
    w->one_region = pair->file_regular && stage->batch == pair->count;
    if (w->one_region) {
        w->region = pair->region;
        vz_region_pack(&w->region);
        add_axes(&w->region, node->meta, stage->view);
    } else {
        w->runs = vz_pair_runs_open(pair, true, err);
        if (w->runs && stage->plan->background && !reading)
            w->again = vz_pair_runs_open(pair, true, err);
        if (!w->runs || (stage->plan->background && !reading && !w->again))
            return false;
    }
    w->memory = vz_scatter_open(pair, stage->plan->mem_size, err);
    if (w->memory && stage->plan->background && reading)
        w->background = vz_scatter_open(pair, stage->plan->mem_size, err);
    return w->memory && (!stage->plan->background || !reading || w->background);
}

static void walk_close(walk *w)
{
    vz_pair_runs_close(w->runs);
    vz_pair_runs_close(w->again);
    vz_scatter_close(w->memory);
    vz_scatter_close(w->background);
}

static bool move_elements(walk *w, vz_pair_runs *runs, void *elements, size_t count, bool reading, vz_error *err)
{
    axis_runs axes = {runs, w->stage->view->per};
    vz_transfer transfer = {.buffer = elements, .element_size = w->stage->dtype->size, .arena = &w->stage->arena};
    if (w->one_region) {
        transfer.region = &w->region;
    } else {
        vz_pair_runs_more(runs, count);
        transfer.next_runs = next_axis_runs;
        transfer.runs_context = &axes;
    }
    return reading ? vz_array_read(w->io, &transfer, err) : vz_array_write(w->io, &transfer, err);
}

static bool read_batch(walk *w, size_t count, vz_error *err)
{
    vz_stage *stage = w->stage;
    return move_elements(w, w->runs, stage->elements, count, true, err) &&
           (!stage->plan->background || vz_scatter_in(w->background, w->buf, stage->behind, count, err)) &&
           vz_stage_to_memory(stage, count, err) && vz_scatter_out(w->memory, stage->work, w->buf, count, err);
}

/* The array's present elements, as the background of a compound conversion. */
static bool fetch_background(walk *w, size_t count, vz_error *err)
{
    vz_stage *stage = w->stage;
    void *place = stage->view->same_bytes ? stage->behind : stage->elements;
    return move_elements(w, w->again, place, count, true, err);
}

static bool grow_for(walk *w, size_t count, vz_error *err)
{
    bool grown;
    if (!vz_stage_grow(w->stage, count, &grown, err))
        return false;
    if (grown)
        w->io = vz_dataset_io(w->node, err);
    return w->io != NULL;
}

static bool write_batch(walk *w, size_t count, vz_error *err)
{
    vz_stage *stage = w->stage;
    return (!stage->plan->background || fetch_background(w, count, err)) &&
           vz_scatter_in(w->memory, w->buf, stage->work, count, err) && vz_stage_to_shown(stage, count, err) &&
           grow_for(w, count, err) && vz_stage_pack(stage, count, err) &&
           move_elements(w, w->runs, stage->elements, count, false, err);
}

static bool move_staged(vz_node *node, const vz_pair *pair, vz_stage *stage, void *buf, bool reading, vz_error *err)
{
    walk w;
    bool ok = walk_open(&w, node, pair, stage, buf, reading, err);
    for (uint64_t left = pair->count; ok && left > 0;) {
        size_t count = left < stage->batch ? (size_t)left : stage->batch;
        ok = reading ? read_batch(&w, count, err) : write_batch(&w, count, err);
        vz_stage_next(stage);
        left -= count;
    }
    hid_t kept = vz_h5_errors_keep(err);
    walk_close(&w);
    vz_h5_errors_restore(kept);
    return ok;
}

static bool move(vz_node *node, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl,
                 const vz_reference_maker *maker, void *buf, bool reading, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    vz_pair pair;
    if (!view || !vz_pair_open(&pair, view->rank, node->meta->shape, view->null, mem_space, file_space, err))
        return false;
    if (pair.count == 0) {
        vz_pair_close(&pair);
        return true;
    }
    vz_stage stage;
    bool ok = buf ? vz_stage_open(&stage, node, mem_type, dxpl, maker, reading, err)
                  : vz_fail(err, VZ_INVALID, "no buffer for %llu elements", (unsigned long long)pair.count);
    if (ok)
        ok = stage.kind == VZ_STAGE_STAGED ? move_staged(node, &pair, &stage, buf, reading, err)
                                           : move_directly(node, &pair, &stage, buf, reading, err);
    hid_t kept = vz_h5_errors_keep(err);
    if (buf)
        vz_stage_close(&stage);
    vz_pair_close(&pair);
    vz_h5_errors_restore(kept);
    return ok;
}

bool vz_dataset_read(vz_node *node, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl,
                     const vz_reference_maker *maker, void *buf, vz_error *err)
{
    return move(node, mem_type, mem_space, file_space, dxpl, maker, buf, true, err);
}

/* Before anything is written to an array whose chunks are not to be filled. */
static bool begin_write(vz_node *node, vz_error *err)
{
    if (!vz_node_check_writable(node, err))
        return false;
    vz_array *io = node->meta && vz_dataset_is_never_filled(node) ? vz_dataset_io(node, NULL) : NULL;
    if (io)
        vz_array_begin_with_zeros(io);
    return true;
}

bool vz_dataset_write(vz_node *node, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl,
                      const vz_reference_maker *maker, const void *buf, vz_error *err)
{
    return begin_write(node, err) &&
           move(node, mem_type, mem_space, file_space, dxpl, maker, (void *)(uintptr_t)buf, false, err) &&
           vz_node_wrote(node, err);
}
