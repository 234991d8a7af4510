/* later_transfer.c - a transfer that another thread makes: everything that HDF5 has to say is asked
 * before. Elements that are only copied, numbers, and texts that are read need nothing more. */
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/space_internal.h"
#include "hdf5/datasets/view_internal.h"
#include <stdlib.h>

enum { RUNS_MAX = 1 << 16, RUNS_AT_ONCE = 512 }; /* of an irregular selection, kept in memory */

struct vz_dataset_later {
    vz_dataset_transfer what;
    vz_element_transfer move;
    vz_dataset_transfer_place place; /* of a read, in memory */
    vz_array_transfer asked;
    vz_point_run *runs; /* NULL: a region says which elements */
    size_t run_count, next_run;
};

static bool next_kept_runs(void *context, vz_point_run *out, size_t max, size_t *count, vz_error *err)
{
    vz_dataset_later *later = context;
    const size_t left = later->run_count - later->next_run;
    (void)err;
    *count = left < max ? left : max;
    memcpy(out, later->runs + later->next_run, *count * sizeof *out);
    later->next_run += *count;
    return true;
}

static bool keep_room(vz_dataset_later *later, size_t *room, vz_error *err)
{
    if (*room - later->run_count >= RUNS_AT_ONCE)
        return true;
    const size_t more = 2 * *room + RUNS_AT_ONCE;
    vz_point_run *runs = realloc(later->runs, more * sizeof *runs);
    if (!runs)
        return vz_fail_memory(err);
    later->runs = runs;
    *room = more;
    return true;
}

/* Asks HDF5 for all runs of the selections. *few: there are no more than may be kept. */
static bool keep_runs(vz_dataset_later *later, bool *few, vz_error *err)
{
    vz_transfer *transfer = &later->move.transfer;
    size_t room = 0;
    *few = false;
    for (size_t count = 1; count > 0; later->run_count += count) {
        if (later->run_count > RUNS_MAX)
            return true;
        if (!keep_room(later, &room, err) ||
            !transfer->next_runs(transfer->runs_context, later->runs + later->run_count, RUNS_AT_ONCE, &count, err))
            return false;
    }
    transfer->next_runs = next_kept_runs;
    transfer->runs_context = later;
    *few = true;
    return true;
}

/* Elements that are converted by HDF5, or may give the array another dtype, are for the caller's
 * thread. */
static bool may_be_later(const vz_element_transfer *move)
{
    return move->left > 0 && move->buffer.kind != VZ_CONVERT_BUFFERED &&
           (move->reading || move->buffer.kind != VZ_CONVERT_TEXTS);
}

static bool resolve(vz_dataset_later *later, hid_t dxpl, bool reading, bool *possible, vz_error *err)
{
    vz_element_transfer *move = &later->move;
    *possible = false;
    if (!vz_element_transfer_open(move, &later->what, dxpl, reading, err))
        return false;
    if (!may_be_later(move))
        return true;
    if (reading)
        vz_dataset_transfer_find_place(move, &later->place);
    *possible = true;
    return vz_element_transfer_ask(move, &later->asked, err) && (move->one_region || keep_runs(later, possible, err));
}

vz_dataset_later *vz_dataset_later_new(const vz_dataset_transfer *what, hid_t dxpl, bool reading, vz_error *err)
{
    bool possible;
    vz_dataset_later *later = calloc(1, sizeof *later);
    if (!later) {
        vz_fail_memory(err);
        return NULL;
    }
    later->what = *what;
    later->what.maker = NULL;
    if (resolve(later, dxpl, reading, &possible, err) && possible)
        return later;
    vz_dataset_later_free(later, false);
    return NULL;
}

bool vz_dataset_later_overlaps(const vz_dataset_later *a, const vz_dataset_later *b)
{
    size_t costs = 0;
    return vz_dataset_transfers_overlap(&a->move, &a->place, &b->move, &b->place, &costs);
}

void vz_dataset_later_memory(const vz_dataset_later *later, const uint8_t **low, const uint8_t **high)
{
    *low = later->place.known ? later->place.first : NULL;
    *high = later->place.known ? later->place.end : (const uint8_t *)UINTPTR_MAX;
}

vz_array_transfer vz_dataset_later_ask(const vz_dataset_later *later)
{
    return later->asked;
}

void vz_dataset_later_rewind(vz_dataset_later *later)
{
    later->next_run = 0;
}

void vz_dataset_later_free(vz_dataset_later *later, bool done)
{
    if (done)
        vz_element_transfer_arrived(&later->move, NULL);
    vz_element_transfer_close(&later->move);
    free(later->runs);
    free(later);
}
