/* dataset_io.c - H5Dread and H5Dwrite on arrays. The datasets of one call advance together,
 * batch by batch. */
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

enum {
    MOVES_AT_ONCE = 256,
    COMPARED_MAX = 64, /* selections that HDF5 compares, before the next group begins */
};

/* Datasets of a call that are moved together: different ones, into different bytes of memory. */
typedef struct group {
    vz_element_transfer *moves;
    vz_dataset_transfer_place *places; /* of each, if several may be there */
    size_t compared;
    size_t count, capacity;
    uint64_t bytes;
    vz_array_transfer *asked; /* of those that take part in a step, */
    size_t *numbers;          /* and which they are */
    size_t asked_count;
    size_t failed; /* number in the group */
} group;

static bool fail_of(group *g, size_t number)
{
    g->failed = number;
    return false;
}

/* ---- one step of all ---- */

typedef bool (*ask_one)(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);

static bool ask_all(group *g, ask_one ask, bool background, vz_error *err)
{
    g->asked_count = 0;
    for (size_t i = 0; i < g->count; i++) {
        vz_element_transfer *move = &g->moves[i];
        if (move->left == 0 || (background && !vz_element_transfer_needs_background(move)))
            continue;
        g->numbers[g->asked_count] = i;
        if (!ask(move, &g->asked[g->asked_count++], err))
            return fail_of(g, i);
    }
    return true;
}

/* Most memory that the next step takes beside the caller's buffers, without variable-length
 * data. */
static uint64_t memory_of(const group *g, bool reading)
{
    return g->bytes + vz_transfers_memory(g->asked, g->asked_count, reading);
}

static bool transfer_all(group *g, bool reading, vz_error *err)
{
    size_t failed;
    vz_type_counted.moves += g->asked_count > 0;
    vz_type_counted.memory = memory_of(g, reading);
    if (g->asked_count == 0 || (reading ? vz_arrays_read(g->asked, g->asked_count, &failed, err)
                                        : vz_arrays_write(g->asked, g->asked_count, &failed, err)))
        return true;
    return fail_of(g, g->numbers[failed]);
}

static bool read_batch(group *g, vz_error *err)
{
    if (!ask_all(g, vz_element_transfer_ask, false, err) || !transfer_all(g, true, err))
        return false;
    for (size_t i = 0; i < g->asked_count; i++)
        if (!vz_element_transfer_arrived(&g->moves[g->numbers[i]], err))
            return fail_of(g, g->numbers[i]);
    return true;
}

/* Nothing of the arrays is under way while elements are converted: that may give one of them
 * another dtype. */
static bool write_batch(group *g, vz_error *err)
{
    if (!ask_all(g, vz_element_transfer_ask_background, true, err) || !transfer_all(g, true, err))
        return false;
    for (size_t i = 0; i < g->count; i++)
        if (g->moves[i].left > 0 && !vz_element_transfer_convert(&g->moves[i], err))
            return fail_of(g, i);
    if (!ask_all(g, vz_element_transfer_ask, false, err) || !transfer_all(g, false, err))
        return false;
    for (size_t i = 0; i < g->asked_count; i++)
        vz_element_transfer_stored(&g->moves[g->numbers[i]]);
    return true;
}

static bool has_more(const group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->moves[i].left > 0)
            return true;
    return false;
}

/* ---- who goes together ---- */

/* A dataset that is given twice, or memory that gets elements twice, keeps the order of the call;
 * and memory is bounded. */
static bool may_join(group *g, const vz_element_transfer *move)
{
    const vz_dataset_transfer_place *place = &g->places[g->count];
    if (g->bytes + vz_element_transfer_bytes(move) > VZ_CONVERT_BUFFERS_BYTES)
        return false;
    for (size_t i = 0; i < g->count; i++)
        if (g->moves[i].what->node == move->what->node || g->compared > COMPARED_MAX ||
            (move->reading && vz_dataset_transfers_overlap(&g->moves[i], &g->places[i], move, place, &g->compared)))
            return false;
    return true;
}

/* As many of the list as go together, one at least. */
static bool gather(group *g, const vz_dataset_transfer *list, size_t count, hid_t dxpl, bool reading, vz_error *err)
{
    g->count = 0;
    g->bytes = 0;
    g->compared = 0;
    while (g->count < count && g->count < g->capacity) {
        vz_element_transfer *move = &g->moves[g->count];
        bool ok = vz_element_transfer_open(move, &list[g->count], dxpl, reading, err) &&
                  (!g->places || move->left == 0 || vz_dataset_io(list[g->count].node, err));
        if (ok && g->places)
            vz_dataset_transfer_find_place(move, &g->places[g->count]);
        const bool joins = !ok || g->count == 0 || may_join(g, move);
        if (!joins) {
            vz_element_transfer_close(move);
            break;
        }
        g->bytes += ok ? vz_element_transfer_bytes(move) : 0;
        g->count++;
        if (!ok || !vz_element_transfer_reserve(move, err))
            return fail_of(g, g->count - 1);
    }
    return true;
}

/* ---- a call ---- */

bool vz_dataset_begin_write(vz_node *node, vz_error *err)
{
    if (!vz_node_check_elements(node, err) || !vz_edit_store_dimension(node, err))
        return false;
    vz_array *io = node->meta ? vz_dataset_io(node, NULL) : NULL;
    if (!io || vz_array_keep_is_set(io))
        return true;
    vz_array_set_keep(io, vz_dataset_has_default_pipeline(node));
    if (vz_dataset_is_never_filled(node))
        vz_array_begin_with_zeros(io);
    return true;
}

/* Of a group that failed, what others have in memory is to be written none the less. */
static bool tell_written(group *g, bool ok, vz_error *err)
{
    for (size_t i = 0; i < g->count; i++) {
        if (!ok && i == g->failed)
            continue;
        if (!vz_flush_after_write(g->moves[i].what->node, ok ? err : NULL) && ok)
            ok = fail_of(g, i);
    }
    return ok;
}

static bool move_group(group *g, const vz_dataset_transfer *list, size_t count, hid_t dxpl, bool reading, vz_error *err)
{
    bool ok = gather(g, list, count, dxpl, reading, err), begun = ok;
    while (ok && has_more(g))
        ok = reading ? read_batch(g, err) : write_batch(g, err);
    const hid_t kept = vz_h5_errors_keep(err);
    for (size_t i = 0; i < g->count; i++)
        vz_element_transfer_close(&g->moves[i]);
    vz_h5_errors_restore(kept);
    return reading || !begun ? ok : tell_written(g, ok, err);
}

static bool move_all(group *g, const vz_dataset_transfer *list, size_t count, hid_t dxpl, bool reading, size_t *failed,
                     vz_error *err)
{
    for (size_t i = 0; !reading && i < count; i++)
        if (!vz_dataset_begin_write(list[i].node, err)) {
            *failed = i;
            return false;
        }
    for (size_t done = 0; done < count; done += g->count)
        if (!move_group(g, list + done, count - done, dxpl, reading, err)) {
            *failed = done + g->failed;
            return false;
        }
    return true;
}

static bool move_one(const vz_dataset_transfer *what, hid_t dxpl, bool reading, size_t *failed, vz_error *err)
{
    vz_element_transfer move;
    vz_array_transfer asked;
    size_t number;
    bool moved;
    const bool ok = vz_dataset_fast_transfer(what, dxpl, reading, &moved, err);
    if (!ok || moved)
        return ok;
    group g = {.moves = &move, .capacity = 1, .asked = &asked, .numbers = &number};
    return move_all(&g, what, 1, dxpl, reading, failed, err);
}

static bool move(const vz_dataset_transfer *list, size_t count, hid_t dxpl, bool reading, size_t *failed, vz_error *err)
{
    *failed = 0;
    if (count <= 1)
        return count == 0 || move_one(list, dxpl, reading, failed, err);
    group g = {.capacity = count < MOVES_AT_ONCE ? count : MOVES_AT_ONCE};
    g.moves = malloc(g.capacity * sizeof *g.moves);
    g.places = malloc(g.capacity * sizeof *g.places);
    g.asked = malloc(g.capacity * sizeof *g.asked);
    g.numbers = malloc(g.capacity * sizeof *g.numbers);
    const bool ok = g.moves && g.places && g.asked && g.numbers ? move_all(&g, list, count, dxpl, reading, failed, err)
                                                                : vz_fail_memory(err);
    free(g.moves);
    free(g.places);
    free(g.asked);
    free(g.numbers);
    return ok;
}

bool vz_datasets_read_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err)
{
    return move(list, count, dxpl, true, failed, err);
}

bool vz_datasets_write_list(const vz_dataset_transfer *list, size_t count, hid_t dxpl, size_t *failed, vz_error *err)
{
    return move(list, count, dxpl, false, failed, err);
}
