/* transfer_elements.c - one dataset's part of a read or write, in batches. */
#include "hdf5/datasets/space_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/h5/h5.h"
#include <stdlib.h>

/* An array type's axes are the array's last dimensions: a selection of shown elements takes them
 * whole, and the buffer's places count array elements. */
static void add_axes(vz_region *region, const vz_meta *meta, const vz_dataset_view *view)
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

static bool next_axis_runs(void *context, vz_point_run *out, size_t max, size_t *count, vz_error *err)
{
    vz_dataset_axis_runs *axes = context;
    if (!vz_pair_runs_next(axes->runs, out, max, count, err))
        return false;
    for (size_t i = 0; axes->per > 1 && i < *count; i++) {
        out[i].array *= axes->per;
        out[i].memory *= axes->per;
        out[i].length *= axes->per;
    }
    return true;
}

/* ---- opening ---- */

static bool is_buffered(const vz_element_transfer *move)
{
    return move->buffer.kind == VZ_CONVERT_BUFFERED;
}

static bool moves_texts(const vz_element_transfer *move)
{
    return move->buffer.kind == VZ_CONVERT_TEXTS;
}

/* The user's pointers, which are neighbours. */
static uint8_t *texts_of(const vz_element_transfer *move)
{
    return (uint8_t *)move->what->buf + move->pair.memory_first * sizeof(char *);
}

static bool open_pair(vz_element_transfer *move, vz_error *err)
{
    const vz_dataset_transfer *what = move->what;
    vz_node *node = what->node;
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view)
        return false;
    const bool given = what->file_space != H5S_ALL; /* else the layout, which takes a while to find,
                                                     * is not needed */
    const vz_extent extent = {view->rank, node->meta->shape, view->null, given && vz_dataset_is_linear(node, view)};
    move->paired = vz_pair_open(&move->pair, &extent, what->mem_space, what->file_space, err);
    return move->paired;
}

/* Straight between the array and the user's memory. */
static bool open_direct(vz_element_transfer *move, vz_error *err)
{
    move->batch = move->left;
    move->one_region = move->pair.is_region;
    if (!move->one_region)
        return (move->runs = vz_pair_runs_open(&move->pair, false, err)) != NULL;
    move->region = move->pair.region;
    add_axes(&move->region, move->what->node->meta, move->buffer.view);
    return true;
}

bool vz_element_transfer_open(vz_element_transfer *move, const vz_dataset_transfer *what, hid_t dxpl, bool reading,
                              vz_error *err)
{
    memset(move, 0, offsetof(vz_element_transfer, pair)); /* the members after it are large, and set
                                                           * when they are opened */
    move->what = what;
    move->reading = reading;
    if (!open_pair(move, err) || move->pair.count == 0)
        return move->paired;
    move->left = move->pair.count;
    if (!what->buf)
        return vz_fail(err, VZ_INVALID, "no buffer for %llu elements", (unsigned long long)move->left);
    move->staging = true;
    return vz_dataset_convert_buffer_open(&move->buffer, what->node, what->mem_type, dxpl, what->maker, reading,
                                          move->pair.memory_contiguous, err) &&
           (is_buffered(move) || open_direct(move, err));
}

uint64_t vz_element_transfer_bytes(const vz_element_transfer *move)
{
    return move->left > 0 && is_buffered(move) ? vz_dataset_convert_buffer_bytes(&move->buffer, move->left) : 0;
}

/* The file side as one packed region (everything fits) or as packed runs. */
static bool open_packed(vz_element_transfer *move, vz_error *err)
{
    const bool again = move->buffer.plan->background && !move->reading;
    move->one_region = move->pair.file_regular && move->buffer.batch == move->pair.count;
    if (move->one_region) {
        move->region = move->pair.region;
        vz_dataset_region_pack(&move->region);
        add_axes(&move->region, move->what->node->meta, move->buffer.view);
        return true;
    }
    move->runs = vz_pair_runs_open(&move->pair, true, err);
    if (move->runs && again)
        move->again = vz_pair_runs_open(&move->pair, true, err);
    return move->runs && (!again || move->again);
}

bool vz_element_transfer_reserve(vz_element_transfer *move, vz_error *err)
{
    if (move->left == 0 || !is_buffered(move))
        return true;
    const size_t size = move->buffer.plan->mem_size;
    const bool gathers = move->buffer.plan->background && move->reading;
    if (!vz_dataset_convert_buffer_reserve(&move->buffer, move->left, err) || !open_packed(move, err))
        return false;
    move->memory = vz_dataset_scatter_open(&move->pair, size, err);
    if (move->memory && gathers)
        move->background = vz_dataset_scatter_open(&move->pair, size, err);
    return move->memory && (!gathers || move->background);
}

/* Of a read that failed nothing is left for the caller to free. */
static void forget_texts(vz_element_transfer *move)
{
    char *text;
    for (size_t i = 0; i < move->batch; i++) {
        memcpy(&text, texts_of(move) + i * sizeof text, sizeof text);
        free(text);
    }
    memset(texts_of(move), 0, move->batch * sizeof text);
}

void vz_element_transfer_close(vz_element_transfer *move)
{
    if (move->begun)
        forget_texts(move);
    vz_pair_runs_close(move->runs);
    vz_pair_runs_close(move->again);
    vz_dataset_scatter_close(move->memory);
    vz_dataset_scatter_close(move->background);
    if (move->staging)
        vz_dataset_convert_buffer_close(&move->buffer);
    if (move->paired)
        vz_pair_close(&move->pair);
}

/* ---- memory of several ---- */

static bool find_box(const vz_element_transfer *move, vz_dataset_transfer_place *p)
{
    const uint8_t *base = move->what->buf;
    const size_t size = move->buffer.plan->mem_size;
    uint64_t low = 0, high = 0;
    p->rank = H5Sget_simple_extent_dims(move->pair.memory, p->dims, NULL);
    if (p->rank < 0 || H5Sget_select_bounds(move->pair.memory, p->low, p->high) < 0)
        return false;
    for (int d = 0; d < p->rank; d++) {
        low = low * p->dims[d] + p->low[d];
        high = high * p->dims[d] + p->high[d];
    }
    p->first = base + low * size;
    p->end = base + (high + 1) * size;
    return true;
}

void vz_dataset_transfer_find_place(const vz_element_transfer *move, vz_dataset_transfer_place *p)
{
    p->known = true;
    p->rank = -1;
    p->first = p->end = NULL;
    if (move->left == 0)
        return;
    const size_t size = move->buffer.plan->mem_size;
    if (move->pair.memory_contiguous) {
        p->first = (const uint8_t *)move->what->buf + move->pair.memory_first * size;
        p->end = p->first + move->pair.count * size;
        return;
    }
    p->known = VZ_H5_QUIETLY(find_box(move, p));
}

static bool are_apart(const vz_dataset_transfer_place *a, const vz_dataset_transfer_place *b)
{
    for (int d = 0; d < a->rank; d++)
        if (a->high[d] < b->low[d] || b->high[d] < a->low[d])
            return true;
    return false;
}

/* Selections whose boxes meet, as every second element and those between do: is there an element
 * in common? */
static bool share_elements(const vz_element_transfer *a, const vz_element_transfer *b)
{
    if (H5Sget_select_type(a->pair.memory) != H5S_SEL_HYPERSLABS ||
        H5Sget_select_type(b->pair.memory) != H5S_SEL_HYPERSLABS)
        return true;
    const hid_t first = vz_h5_selection_copy(a->pair.memory), second = vz_h5_selection_copy(b->pair.memory);
    const hid_t both =
        first >= 0 && second >= 0 ? H5Sselect_project_intersection(first, first, second) : H5I_INVALID_HID;
    const bool shared = both < 0 || H5Sget_select_npoints(both) != 0;
    const hid_t ids[] = {first, second, both};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
    return shared;
}

bool vz_dataset_transfers_overlap(const vz_element_transfer *a, const vz_dataset_transfer_place *at,
                                  const vz_element_transfer *b, const vz_dataset_transfer_place *bt, size_t *costs)
{
    if (!at->known || !bt->known)
        return true;
    if (at->end <= bt->first || bt->end <= at->first)
        return false;
    if (at->rank <= 0 || at->rank != bt->rank || a->what->buf != b->what->buf ||
        a->buffer.plan->mem_size != b->buffer.plan->mem_size ||
        memcmp(at->dims, bt->dims, (size_t)at->rank * sizeof *at->dims) != 0)
        return true;
    if (are_apart(at, bt))
        return false;
    ++*costs;
    return VZ_H5_QUIETLY(share_elements(a, b));
}

/* ---- batches ---- */

/* The array's elements of this batch; place: where they go or come from. */
static bool ask(vz_element_transfer *move, vz_pair_runs *runs, void *place, vz_array_transfer *asked, vz_error *err)
{
    const vz_dataset_convert_buffer *buffer = &move->buffer;
    vz_transfer *transfer = &move->transfer;
    if (is_buffered(move))
        *transfer = (vz_transfer){.buffer = place, .element_size = buffer->dtype->size, .arena = &move->buffer.arena};
    else
        *transfer = (vz_transfer){.buffer = place,
                                  .element_size = buffer->plan->mem_size / buffer->view->per,
                                  .conversion = buffer->conversion,
                                  .texts = moves_texts(move),
                                  .leave_missing = buffer->leave_missing};
    if (move->one_region) {
        transfer->region = &move->region;
    } else {
        move->axes = (vz_dataset_axis_runs){runs, buffer->view->per};
        transfer->next_runs = next_axis_runs;
        transfer->runs_context = &move->axes;
        if (is_buffered(move))
            vz_pair_runs_more(runs, move->batch);
    }
    *asked = (vz_array_transfer){vz_dataset_io(move->what->node, err), transfer};
    return asked->array != NULL;
}

static void begin_batch(vz_element_transfer *move)
{
    if (is_buffered(move))
        move->batch = move->left < move->buffer.batch ? (size_t)move->left : move->buffer.batch;
}

bool vz_element_transfer_ask(vz_element_transfer *move, vz_array_transfer *asked, vz_error *err)
{
    begin_batch(move);
    if (moves_texts(move) && move->reading) {
        memset(texts_of(move), 0, move->batch * sizeof(char *));
        move->begun = true;
    }
    return ask(move, move->runs, is_buffered(move) ? move->buffer.elements : move->what->buf, asked, err);
}

bool vz_element_transfer_arrived(vz_element_transfer *move, vz_error *err)
{
    vz_dataset_convert_buffer *buffer = &move->buffer;
    const size_t count = move->batch;
    bool ok = true;
    if (is_buffered(move)) {
        ok = (!buffer->plan->background ||
              vz_dataset_scatter_in(move->background, move->what->buf, buffer->background, count, err)) &&
             vz_dataset_convert_buffer_to_memory(buffer, count, err) &&
             vz_dataset_scatter_out(move->memory, buffer->work, move->what->buf, count, err);
        vz_dataset_convert_buffer_next(buffer);
    }
    move->left -= count;
    move->begun = false;
    return ok;
}

bool vz_element_transfer_needs_background(const vz_element_transfer *move)
{
    return is_buffered(move) && move->buffer.plan->background;
}

/* The array's present elements, as the background of a compound conversion. */
bool vz_element_transfer_ask_background(vz_element_transfer *move, vz_array_transfer *asked, vz_error *err)
{
    const vz_dataset_convert_buffer *buffer = &move->buffer;
    begin_batch(move);
    return ask(move, move->again, buffer->view->same_bytes ? buffer->background : buffer->elements, asked, err);
}

bool vz_element_transfer_convert(vz_element_transfer *move, vz_error *err)
{
    vz_dataset_convert_buffer *buffer = &move->buffer;
    if (moves_texts(move))
        return vz_dataset_convert_buffer_grow(buffer, texts_of(move), move->batch, err);
    if (!is_buffered(move))
        return true;
    begin_batch(move);
    return vz_dataset_scatter_in(move->memory, move->what->buf, buffer->work, move->batch, err) &&
           vz_dataset_convert_buffer_to_shown(buffer, move->batch, err) &&
           vz_dataset_convert_buffer_grow(buffer, buffer->work, move->batch, err) &&
           vz_dataset_convert_buffer_pack(buffer, move->batch, err);
}

void vz_element_transfer_stored(vz_element_transfer *move)
{
    if (is_buffered(move))
        vz_dataset_convert_buffer_next(&move->buffer);
    move->left -= move->batch;
}
