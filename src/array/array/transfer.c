/* transfer.c - transfers of one array or several, in rounds: the jobs of all that are under way are
 * fetched together. */
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include <stdlib.h>

#define WORKS_AT_ONCE 256 /* transfers that are under way */

typedef struct crowd {
    const vz_array_transfer *transfers;
    size_t count, next; /* the next one that has not begun */
    bool reading;
    const vz_work_steps *steps;
    vz_work *works; /* those that are under way */
    size_t work_count, room;
    size_t planned;            /* of them, in this round */
    vz_fetch_list *lists;      /* one for each of them */
    vz_chunk_region_jobs *one; /* memory for the jobs, where there is one transfer */
    size_t failed;             /* number of the transfer that did */
} crowd;

static bool fail_of(crowd *c, const vz_work *work)
{
    c->failed = work->number;
    return false;
}

static bool begin_one(crowd *c, vz_error *err)
{
    vz_work *work = &c->works[c->work_count++];
    const size_t number = c->next++;
    const bool ok = vz_work_open(work, &c->transfers[number], c->reading, c->one, err) && vz_work_next(work, err);
    work->number = number;
    return ok || fail_of(c, work);
}

/* Transfers that go on have their next jobs already; as many others begin as a round takes. */
static bool fill_round(crowd *c, vz_error *err)
{
    size_t jobs = 0;
    for (size_t i = 0; i < c->work_count; i++)
        jobs += c->works[i].job_count;
    while (jobs < VZ_CHUNKS_AT_ONCE / 2 && c->work_count < c->room && c->next < c->count) {
        if (!begin_one(c, err))
            return false;
        jobs += c->works[c->work_count - 1].job_count;
    }
    return true;
}

/* Plans each transfer: chunks in memory, chunks to fetch. Then fetches all of those at once. */
static bool fetch_round(crowd *c, vz_error *err)
{
    for (; c->planned < c->work_count; c->planned++) {
        vz_work *work = &c->works[c->planned];
        c->lists[c->planned] = (vz_fetch_list){.array = work->array, .take = c->steps->take, .context = work};
        if (!c->steps->plan(work, err)) {
            c->planned++;
            return fail_of(c, work);
        }
        c->lists[c->planned].fetches = work->fetches;
        c->lists[c->planned].count = work->job_count;
    }
    if (c->steps->repeats ? vz_array_fetch_jointly(c->lists, c->work_count, err)
                          : vz_fetch_run(c->lists, c->work_count, err))
        return true;
    for (size_t i = 0; i < c->work_count; i++)
        if (c->lists[i].failed)
            return fail_of(c, &c->works[i]);
    return fail_of(c, &c->works[0]);
}

/* Also after a failure, of those that were planned. */
static bool finish_round(crowd *c, bool ok, vz_error *err)
{
    for (size_t i = 0; i < c->planned; i++) {
        const bool finished = c->steps->finish(&c->works[i], ok, ok ? err : NULL);
        if (ok && !finished)
            ok = fail_of(c, &c->works[i]);
    }
    c->planned = 0;
    return ok;
}

/* The next jobs of those that have some; the others are done. */
static bool go_on(crowd *c, vz_error *err)
{
    size_t left = 0;
    for (size_t i = 0; i < c->work_count; i++) {
        vz_work *work = &c->works[i];
        if (!vz_work_next(work, err))
            return fail_of(c, work);
        if (work->job_count == 0)
            vz_work_close(work, c->reading);
        else
            c->works[left++] = *work;
    }
    c->work_count = left;
    return true;
}

static bool run_crowd(crowd *c, vz_error *err)
{
    bool ok = true;
    while (ok && (ok = fill_round(c, err)) && c->work_count > 0) {
        ok = fetch_round(c, err);
        ok = finish_round(c, ok, err) && go_on(c, err);
    }
    for (size_t i = 0; i < c->work_count; i++)
        vz_work_close(&c->works[i], c->reading);
    return ok;
}

bool vz_transfers_run(const vz_array_transfer *list, size_t count, bool reading, const vz_work_steps *steps,
                      size_t *failed, vz_error *err)
{
    vz_work one;
    vz_fetch_list one_list;
    vz_chunk_region_jobs one_region;
    crowd c = {
        .transfers = list, .count = count, .reading = reading, .steps = steps, .works = &one, .lists = &one_list};
    c.one = count == 1 ? &one_region : NULL;
    c.room = count < WORKS_AT_ONCE ? count : WORKS_AT_ONCE;
    if (c.room > 1) {
        c.works = malloc(c.room * sizeof *c.works);
        c.lists = malloc(c.room * sizeof *c.lists);
    }
    const bool ok = c.works && c.lists ? run_crowd(&c, err) : vz_fail_memory(err);
    if (c.room > 1) {
        free(c.works);
        free(c.lists);
    }
    *failed = c.failed;
    return vz_array_explain_failure(list[c.failed].array, ok, err);
}
