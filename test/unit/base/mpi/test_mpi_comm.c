/* test_mpi_comm.c - what ranks agree on and send each other. */
#include "fork_comm.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void agree(vz_comm *comm, void *context)
{
    (void)context;
    vz_error err = VZ_ERROR_NONE;
    need(vz_comm_agree(comm, true, &err) && err.class == VZ_OK);
    int number = comm->rank == 2 ? 7 : comm->rank;
    need(vz_comm_agree_on(comm, true, &number, 1, &err) && number == 7);
    const bool fails = comm->rank == 1 || comm->rank == 3; /* the first of them tells */
    if (fails)
        vz_error_set(&err, comm->rank == 1 ? VZ_EXISTS : VZ_IO, "reason %d", comm->rank);
    need(!vz_comm_agree(comm, !fails, &err));
    need(err.class == (comm->rank == 3 ? VZ_IO : VZ_EXISTS));
    if (!fails)
        need(strcmp(err.text, "rank 1: reason 1") == 0);
    err = VZ_ERROR_NONE;
    if (comm->rank == 0)
        vz_error_set(&err, VZ_HDF5, "on the stack of rank 0");
    need(!vz_comm_agree(comm, comm->rank != 0, &err));
    need(comm->rank == 0 || err.class == VZ_IO); /* nothing is on the stack here */
}

static void tell(vz_comm *comm, void *context)
{
    (void)context;
    char text[100] = "";
    vz_error err = VZ_ERROR_NONE;
    if (vz_comm_leads(comm))
        strcpy(text, "from the leader");
    need(vz_comm_tell(comm, text, sizeof text, &err) && strcmp(text, "from the leader") == 0);
}

static size_t size_for(int from, int to)
{
    if (from == 1 && to == 2)
        return 30 << 20; /* more than one round carries */
    return (size_t)(from * 10 + to) * (from != to);
}

static uint8_t byte_of(int from, int to, size_t i)
{
    return (uint8_t)((size_t)(from * 31 + to * 7) + i + (i >> 16));
}

static void exchange(vz_comm *comm, void *context)
{
    (void)context;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer to[FORK_RANKS_MAX] = {0}, from[FORK_RANKS_MAX] = {0};
    for (int r = 0; r < comm->size; r++) {
        to[r].size = size_for(comm->rank, r);
        to[r].data = malloc(to[r].size + 1);
        for (size_t i = 0; i < to[r].size; i++)
            to[r].data[i] = byte_of(comm->rank, r, i);
    }
    need(vz_comm_exchange(comm, to, from, &err));
    for (int r = 0; r < comm->size; r++) {
        need(from[r].size == size_for(r, comm->rank));
        for (size_t i = 0; i < from[r].size; i++)
            need(from[r].data[i] == byte_of(r, comm->rank, i));
    }
    /* What one of them may not take keeps nobody waiting. */
    vz_buffer small[FORK_RANKS_MAX] = {0};
    if (comm->rank == 2)
        small[1].limit = 1000;
    need(!vz_comm_exchange(comm, to, small, &err) && err.class == VZ_LIMIT);
    need(vz_comm_agree(comm, true, &err));
}

static void on_some(void **state)
{
    (void)state;
    assert_true(on_ranks(4, agree, NULL));
    assert_true(on_ranks(3, tell, NULL));
    assert_true(on_ranks(4, exchange, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
