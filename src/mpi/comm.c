/* comm.c - see comm.h: what is made of the few calls that a library of messages must have. */
#include "mpi/comm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An error whose record lies on the other rank's stack of HDF5's, if anywhere. */
static void take_over(const vz_error *told, int from, vz_error *err)
{
    if (!err || err->class != VZ_OK)
        return;
    *err = *told;
    if (told->class == VZ_HDF5 || told->class == VZ_OK) {
        *err = VZ_ERROR_NONE;
        vz_error_set(err, VZ_IO, "the call failed on rank %d", from);
        return;
    }
    snprintf(err->text, sizeof err->text, "rank %d: %.*s", from, (int)sizeof err->text - 24, told->text);
}

bool vz_comm_agree(vz_comm *comm, bool ok, vz_error *err)
{
    return vz_comm_agree_on(comm, ok, NULL, 0, err);
}

/* How it went with a rank, as a number of which the largest is the first rank's that failed; then others. */
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

/* What all of them know by now: the error of the first that failed is the others', too. */
static bool settle(vz_comm *comm, int failed, bool ok, vz_error *err)
{
    vz_error told = !ok && err ? *err : VZ_ERROR_NONE;
    if (failed == 0)
        return ok;
    const int from = comm->size - failed;
    if (!comm->class->broadcast(comm, &told, sizeof told, from, ok ? err : NULL))
        return false;
    if (ok)
        take_over(&told, from, err);
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
    /* Of several that failed the others are told by the first one; the leader is told, too. */
    const bool told = vz_comm_leads(comm) && comm->failed;
    ballot b = cast(told ? comm->failed : failed_of(comm, ok), numbers, count);
    comm->failed = 0;
    return comm->class->broadcast(comm, &b, sizeof b, VZ_LEADER, ok ? err : NULL) &&
           settle(comm, count_ballot(&b, numbers, count), ok || told, err);
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

typedef struct round {
    int *to_sizes, *to_places, *from_sizes, *from_places; /* one for each rank */
    vz_buffer out, in;
    size_t each; /* bytes that go to a rank at most */
} round;

static bool open_round(round *r, int size, vz_error *err)
{
    int *numbers = calloc((size_t)size * 4, sizeof *numbers);
    *r = (round){.each = VZ_COMM_ROUND / (size_t)size};
    if (!numbers)
        return vz_fail_memory(err);
    r->to_sizes = numbers;
    r->to_places = numbers + size;
    r->from_sizes = numbers + 2 * (size_t)size;
    r->from_places = numbers + 3 * (size_t)size;
    return true;
}

static void close_round(round *r)
{
    free(r->to_sizes);
    vz_buffer_clear(&r->out);
    vz_buffer_clear(&r->in);
}

/* What goes in this round, and whether more is left for another one. */
static bool pack(round *r, const vz_comm *comm, const vz_buffer *to, size_t sent, bool *more, vz_error *err)
{
    r->out.size = 0;
    for (int i = 0; i < comm->size; i++) {
        const size_t left = to[i].size > sent ? to[i].size - sent : 0, part = left < r->each ? left : r->each;
        r->to_places[i] = (int)r->out.size;
        r->to_sizes[i] = (int)part;
        *more = *more || left > part;
        if (part > 0 && !vz_buffer_append(&r->out, to[i].data + sent, part, err)) {
            memset(r->to_sizes, 0, (size_t)comm->size * sizeof *r->to_sizes);
            return false;
        }
    }
    return true;
}

static bool make_room(round *r, const vz_comm *comm, vz_error *err)
{
    size_t total = 0;
    for (int i = 0; i < comm->size; i++) {
        r->from_places[i] = (int)total;
        total += (size_t)r->from_sizes[i];
    }
    r->in.size = 0;
    return vz_buffer_reserve(&r->in, total, err);
}

static bool unpack(const round *r, const vz_comm *comm, vz_buffer *from, vz_error *err)
{
    for (int i = 0; i < comm->size; i++)
        if (r->from_sizes[i] > 0 &&
            !vz_buffer_append(&from[i], r->in.data + r->from_places[i], (size_t)r->from_sizes[i], err))
            return false;
    return true;
}

/* One round; a rank that cannot go on says so before anything goes: then there is no further one. `more`: is there, on
 * any rank? */
static bool exchange_once(round *r, vz_comm *comm, const vz_buffer *to, vz_buffer *from, size_t sent, bool ok,
                          int *more, vz_error *err)
{
    bool left = false;
    ok = ok && pack(r, comm, to, sent, &left, err);
    *more = left;
    if (!comm->class->exchange_sizes(comm, r->to_sizes, r->from_sizes, ok ? err : NULL)) {
        *more = false;
        return false;
    }
    ok = ok && make_room(r, comm, err);
    if (!vz_comm_agree_on(comm, ok, more, 1, err)) {
        *more = false;
        return false;
    }
    return comm->class->exchange(comm, r->out.data, r->to_sizes, r->to_places, r->in.data, r->from_sizes,
                                 r->from_places, err) &&
           unpack(r, comm, from, err);
}

bool vz_comm_exchange(vz_comm *comm, const vz_buffer *to, vz_buffer *from, vz_error *err)
{
    round r;
    bool ok = vz_comm_agree(comm, open_round(&r, comm->size, err), err);
    int more = ok;
    for (size_t sent = 0; more; sent += r.each)
        ok = exchange_once(&r, comm, to, from, sent, ok, &more, err);
    close_round(&r);
    return ok;
}
