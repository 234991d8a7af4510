/* comm.c - see comm.h: what is made of the few calls that a library of messages must have. */
#include "base/mpi/comm.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An error whose record lies on the other rank's stack of HDF5's, if anywhere. */
static void take_over(const vz_error *reported, int from, vz_error *err)
{
    if (!err || err->class != VZ_OK)
        return;
    *err = *reported;
    if (reported->class == VZ_HDF5 || reported->class == VZ_OK) {
        *err = VZ_ERROR_NONE;
        vz_error_set(err, VZ_IO, "the call failed on rank %d", from);
        return;
    }
    snprintf(err->text, sizeof err->text, "rank %d: %.*s", from, (int)sizeof err->text - 24, reported->text);
}

bool vz_comm_agree(vz_comm *comm, bool ok, vz_error *err)
{
    return vz_comm_agree_on(comm, ok, NULL, 0, err);
}

/* How it went with a rank, as a number of which the largest is the first rank's that failed;
 * then others. */
typedef struct ballot {
    int all[VZ_AGREE_NUMBERS + 1];
} ballot;

static ballot cast(int failed, const int *numbers, int count)
{
    ballot b = {{failed}};
    for (int i = 0; i < count; i++)
        b.all[i + 1] = numbers[i];
    return b;
}

static int count_ballot(const ballot *b, int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = b->all[i + 1];
    return b->all[0];
}

static int failed_of(const vz_comm *comm, bool ok)
{
    return ok ? 0 : comm->size - comm->rank;
}

/* With all bytes of the texts set, as all of them are sent. */
static void fill_stamped(vz_error *reported, const vz_error *err)
{
    memset(reported, 0, sizeof *reported);
    if (!err)
        return;
    reported->class = err->class;
    reported->sys_errno = err->sys_errno;
    snprintf(reported->store, sizeof reported->store, "%s", err->store);
    snprintf(reported->object, sizeof reported->object, "%s", err->object);
    snprintf(reported->text, sizeof reported->text, "%s", err->text);
}

/* Gives the error of the first rank that failed to all ranks. */
static bool settle(vz_comm *comm, int failed, bool ok, vz_error *err)
{
    if (failed == 0)
        return ok;
    vz_error reported;
    fill_stamped(&reported, ok ? NULL : err);
    const int from = comm->size - failed;
    if (!comm->class->broadcast(comm, &reported, sizeof reported, from, ok ? err : NULL))
        return false;
    if (ok)
        take_over(&reported, from, err);
    return false;
}

bool vz_comm_agree_on(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err)
{
    ballot b = cast(failed_of(comm, ok), numbers, count);
    return comm->class->most(comm, b.all, count + 1, ok ? err : NULL) &&
           settle(comm, count_ballot(&b, numbers, count), ok, err);
}

bool vz_comm_report(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err)
{
    ballot b = cast(failed_of(comm, ok), numbers, count);
    if (!comm->class->most_for_leader(comm, b.all, count + 1, ok ? err : NULL))
        return false;
    if (!vz_comm_leads(comm))
        return ok;
    comm->failed = count_ballot(&b, numbers, count);
    return comm->failed == 0;
}

bool vz_comm_report_end(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err)
{
    /* The error of the first failed rank is reported to the others, and to the leader
     * as well. */
    const bool reported = vz_comm_leads(comm) && comm->failed;
    ballot b = cast(reported ? comm->failed : failed_of(comm, ok), numbers, count);
    comm->failed = 0;
    return comm->class->broadcast(comm, &b, sizeof b, VZ_LEADER, ok ? err : NULL) &&
           settle(comm, count_ballot(&b, numbers, count), ok || reported, err);
}

bool vz_comm_tell(vz_comm *comm, void *bytes, size_t size, vz_error *err)
{
    return comm->class->broadcast(comm, bytes, size, VZ_LEADER, err);
}

void vz_comm_free(vz_comm *comm)
{
    if (comm)
        comm->class->free(comm);
}

/* ---- exchange ---- */

typedef struct rounds {
    uint64_t *to_sizes, *from_sizes; /* of all of it; one for each rank, as the next */
    int *to_part_sizes, *to_places, *from_part_sizes, *from_places;
    vz_buffer out, in; /* of one round */
    uint64_t count;
} rounds;

static bool open_rounds(rounds *r, int size, vz_error *err)
{
    *r = (rounds){.to_sizes = calloc((size_t)size * 2, sizeof *r->to_sizes),
                  .to_part_sizes = calloc((size_t)size * 4, sizeof *r->to_part_sizes)};
    if (!r->to_sizes || !r->to_part_sizes)
        return vz_fail_memory(err);
    r->from_sizes = r->to_sizes + size;
    r->to_places = r->to_part_sizes + size;
    r->from_part_sizes = r->to_places + size;
    r->from_places = r->from_part_sizes + size;
    return true;
}

static void close_rounds(rounds *r)
{
    free(r->to_sizes);
    free(r->to_part_sizes);
    vz_buffer_clear(&r->out);
    vz_buffer_clear(&r->in);
}

/* Where the part of a round begins in `size` bytes: both sides cut what they have for each other
 * in the same places. */
static uint64_t part_of(uint64_t size, uint64_t round, uint64_t count)
{
    return size / count * round + size % count * round / count;
}

/* Of a round: sizes and places of all parts; the bytes of them. */
static size_t cut(const rounds *r, const vz_comm *comm, uint64_t round, const uint64_t *sizes, int *parts, int *places)
{
    size_t total = 0;
    for (int i = 0; i < comm->size; i++) {
        const uint64_t begin = part_of(sizes[i], round, r->count), end = part_of(sizes[i], round + 1, r->count);
        places[i] = (int)total;
        parts[i] = (int)(end - begin);
        total += parts[i];
    }
    return total;
}

static uint64_t sum(const uint64_t *sizes, int count)
{
    uint64_t total = 0;
    for (int i = 0; i < count; i++)
        total += sizes[i];
    return total;
}

static uint64_t rounds_for(uint64_t bytes)
{
    return bytes / VZ_COMM_ROUND + (bytes % VZ_COMM_ROUND > 0);
}

/* All learn what they get, and how many rounds the rank takes that sends or gets most. There is
 * memory for all of it then, or no round. */
static bool prepare(rounds *r, vz_comm *comm, vz_buffer *from, vz_error *err)
{
    bool ok = comm->class->exchange_sizes(comm, r->to_sizes, r->from_sizes, err);
    const uint64_t sent = sum(r->to_sizes, comm->size), got = sum(r->from_sizes, comm->size);
    const uint64_t own = rounds_for(sent > got ? sent : got);
    int count = own < INT_MAX ? (int)own : INT_MAX;
    const size_t room = (size_t)(own ? (sent > got ? sent : got) / own : 0) + 2 * (size_t)comm->size;
    ok = ok && vz_buffer_reserve(&r->out, room, err) && vz_buffer_reserve(&r->in, room, err);
    for (int i = 0; ok && i < comm->size; i++)
        ok = vz_buffer_reserve(&from[i], from[i].size + r->from_sizes[i], err);
    ok = vz_comm_agree_on(comm, ok, &count, 1, err);
    r->count = (uint64_t)count;
    return ok;
}

static bool exchange_part(rounds *r, vz_comm *comm, const vz_buffer *to, vz_buffer *from, uint64_t round, vz_error *err)
{
    cut(r, comm, round, r->to_sizes, r->to_part_sizes, r->to_places);
    cut(r, comm, round, r->from_sizes, r->from_part_sizes, r->from_places);
    for (int i = 0; i < comm->size; i++)
        if (r->to_part_sizes[i] > 0)
            memcpy(r->out.data + r->to_places[i], to[i].data + part_of(r->to_sizes[i], round, r->count),
                   (size_t)r->to_part_sizes[i]);
    if (!comm->class->exchange(comm, r->out.data, r->to_part_sizes, r->to_places, r->in.data, r->from_part_sizes,
                               r->from_places, err))
        return false;
    for (int i = 0; i < comm->size; i++)
        if (r->from_part_sizes[i] > 0) {
            memcpy(from[i].data + from[i].size, r->in.data + r->from_places[i], (size_t)r->from_part_sizes[i]);
            from[i].size += (size_t)r->from_part_sizes[i];
        }
    return true;
}

bool vz_comm_exchange(vz_comm *comm, const vz_buffer *to, vz_buffer *from, vz_error *err)
{
    rounds r;
    bool ok = vz_comm_agree(comm, open_rounds(&r, comm->size, err), err);
    for (int i = 0; ok && i < comm->size; i++)
        r.to_sizes[i] = to[i].size;
    ok = ok && prepare(&r, comm, from, err);
    for (uint64_t round = 0; ok && round < r.count; round++)
        ok = exchange_part(&r, comm, to, from, round, err);
    close_rounds(&r);
    return ok;
}
