/* fork_comm.h - a communicator of forked processes that share memory: what several ranks do is tested without MPI. */
#ifndef VZ_TEST_FORK_COMM_H
#define VZ_TEST_FORK_COMM_H

#include "base/mpi/comm.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORK_RANKS_MAX = 32, FORK_NUMBERS = 8, FORK_SECONDS = 60 };
#define FORK_ROOM ((size_t)80 << 20) /* bytes that a rank shows others at once; only what is used takes memory */

typedef struct fork_memory {
    pthread_barrier_t barrier;
    int numbers[FORK_RANKS_MAX][FORK_NUMBERS];
    uint64_t sizes[FORK_RANKS_MAX][FORK_RANKS_MAX];
    int places[FORK_RANKS_MAX][FORK_RANKS_MAX];
    uint8_t bytes[FORK_RANKS_MAX][FORK_ROOM];
} fork_memory;

/* How often a rank called each, and what it sent to others by the last one. */
typedef struct fork_calls {
    int most, most_for_leader, broadcast, exchange;
    uint64_t sent;
} fork_calls;

typedef struct fork_comm {
    vz_comm base;
    fork_memory *memory;
    fork_calls calls;
} fork_comm;

static fork_memory *memory_of(const vz_comm *comm)
{
    return ((const fork_comm *)comm)->memory;
}

static fork_calls *calls_of(vz_comm *comm)
{
    return &((fork_comm *)comm)->calls;
}

static bool fork_most(vz_comm *comm, int *numbers, int count, vz_error *err)
{
    fork_memory *m = memory_of(comm);
    (void)err;
    calls_of(comm)->most++;
    memcpy(m->numbers[comm->rank], numbers, (size_t)count * sizeof *numbers);
    pthread_barrier_wait(&m->barrier);
    for (int r = 0; r < comm->size; r++)
        for (int i = 0; i < count; i++)
            numbers[i] = m->numbers[r][i] > numbers[i] ? m->numbers[r][i] : numbers[i];
    pthread_barrier_wait(&m->barrier);
    return true;
}

static bool fork_most_for_leader(vz_comm *comm, int *numbers, int count, vz_error *err)
{
    int all[FORK_NUMBERS];
    memcpy(all, numbers, (size_t)count * sizeof *all);
    calls_of(comm)->most_for_leader++;
    calls_of(comm)->most--;
    const bool ok = fork_most(comm, all, count, err);
    if (vz_comm_leads(comm))
        memcpy(numbers, all, (size_t)count * sizeof *all);
    return ok;
}

static bool fork_broadcast(vz_comm *comm, void *bytes, size_t size, int from, vz_error *err)
{
    fork_memory *m = memory_of(comm);
    (void)err;
    calls_of(comm)->broadcast++;
    if (comm->rank == from)
        memcpy(m->bytes[from], bytes, size);
    pthread_barrier_wait(&m->barrier);
    memcpy(bytes, m->bytes[from], size);
    pthread_barrier_wait(&m->barrier);
    return true;
}

static bool fork_exchange_sizes(vz_comm *comm, const uint64_t *to, uint64_t *from, vz_error *err)
{
    fork_memory *m = memory_of(comm);
    (void)err;
    calls_of(comm)->exchange++;
    memcpy(m->sizes[comm->rank], to, (size_t)comm->size * sizeof *to);
    pthread_barrier_wait(&m->barrier);
    for (int r = 0; r < comm->size; r++)
        from[r] = m->sizes[r][comm->rank];
    pthread_barrier_wait(&m->barrier);
    return true;
}

static bool fork_exchange(vz_comm *comm, const void *to, const int *to_sizes, const int *to_places, void *from,
                          const int *from_sizes, const int *from_places, vz_error *err)
{
    fork_memory *m = memory_of(comm);
    (void)err;
    calls_of(comm)->exchange++;
    for (int r = 0; r < comm->size; r++) {
        m->places[comm->rank][r] = to_places[r];
        calls_of(comm)->sent += r == comm->rank ? 0 : (uint64_t)to_sizes[r];
        if (to_sizes[r] > 0)
            memcpy(m->bytes[comm->rank] + to_places[r], (const uint8_t *)to + to_places[r], (size_t)to_sizes[r]);
    }
    pthread_barrier_wait(&m->barrier);
    for (int r = 0; r < comm->size; r++)
        if (from_sizes[r] > 0)
            memcpy((uint8_t *)from + from_places[r], m->bytes[r] + m->places[r][comm->rank], (size_t)from_sizes[r]);
    pthread_barrier_wait(&m->barrier);
    return true;
}

static bool fork_is_same(const vz_comm *a, const vz_comm *b)
{
    return memory_of(a) == memory_of(b);
}

static void fork_free(vz_comm *comm)
{
    free(comm);
}

static const vz_comm_class fork_class = {.most = fork_most,
                                         .most_for_leader = fork_most_for_leader,
                                         .broadcast = fork_broadcast,
                                         .exchange_sizes = fork_exchange_sizes,
                                         .exchange = fork_exchange,
                                         .is_same = fork_is_same,
                                         .free = fork_free};

static inline vz_comm *fork_comm_new(fork_memory *memory, int rank, int size)
{
    fork_comm *comm = calloc(1, sizeof *comm);
    *comm = (fork_comm){.base = {.class = &fork_class, .rank = rank, .size = size}, .memory = memory};
    return &comm->base;
}

/* In a rank, where cmocka's own checks would return into the runner. */
#define need(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "rank %d, line %d: %s\n", comm->rank, __LINE__, #condition);                               \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Runs the body in `size` forked processes, which have `comm`, and fails if one of them does, or waits too long. */
static inline bool on_ranks(int size, void (*body)(vz_comm *comm, void *context), void *context)
{
    pthread_barrierattr_t attributes;
    fork_memory *memory =
        mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool ok = memory != MAP_FAILED;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&memory->barrier, &attributes, (unsigned)size);
    for (int rank = 0; rank < size; rank++)
        if (fork() == 0) {
            alarm(FORK_SECONDS); /* a rank that failed leaves the others waiting */
            body(fork_comm_new(memory, rank, size), context);
            _exit(0);
        }
    for (int rank = 0; rank < size; rank++) {
        int status = 0;
        ok = wait(&status) > 0 && status == 0 && ok;
    }
    munmap(memory, sizeof *memory);
    return ok;
}

#endif
