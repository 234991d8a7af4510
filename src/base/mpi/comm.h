/* comm.h - a communicator: the processes (ranks) that opened a store together. Plain C; which
 * library carries the messages is a class of functions. All of a communicator's ranks make the
 * same calls in the same order, each from the thread that called HDF5. */
#ifndef VZ_MPI_COMM_H
#define VZ_MPI_COMM_H

#include "base/util/bytes.h"
#include "base/util/error.h"

typedef struct vz_comm vz_comm;

typedef struct vz_comm_class {
    /* Each of `count` numbers becomes the largest that any rank has. Nobody returns before
     * everybody has called. */
    bool (*most)(vz_comm *comm, int *numbers, int count, vz_error *err);
    /* As `most`, but only the leader gets the result, and only the leader waits until everybody
     * has called. The numbers of the other ranks stay. */
    bool (*most_for_leader)(vz_comm *comm, int *numbers, int count, vz_error *err);
    /* The bytes of rank `from` are everybody's. */
    bool (*broadcast)(vz_comm *comm, void *bytes, size_t size, int from, vz_error *err);
    /* sizes[r] is what rank r has for this one, once each has reported what it has for others. */
    bool (*exchange_sizes)(vz_comm *comm, const uint64_t *to, uint64_t *from, vz_error *err);
    /* to_sizes[r] bytes at to + to_places[r] go to rank r, and likewise come from it. */
    bool (*exchange)(vz_comm *comm, const void *to, const int *to_sizes, const int *to_places, void *from,
                     const int *from_sizes, const int *from_places, vz_error *err);
    /* Are both of the same ranks, in the same order? Asked by one rank alone. */
    bool (*is_same)(const vz_comm *a, const vz_comm *b);
    void (*free)(vz_comm *comm);
} vz_comm_class;

struct vz_comm {
    const vz_comm_class *class;
    int rank, size;
    int failed; /* of the leader, from a report to its end: which of the others failed first, 0:
                 * none */
};

/* The rank that makes and removes names, and writes documents. */
#define VZ_LEADER 0

static inline bool vz_comm_leads(const vz_comm *comm)
{
    return comm->rank == VZ_LEADER;
}

/* All ranks learn whether one of them failed: then all do, the others with the error of the
 * first one. Nobody returns before everybody has called. */
bool vz_comm_agree(vz_comm *comm, bool ok, vz_error *err);
/* As vz_comm_agree, and each of `count` numbers (VZ_AGREE_NUMBERS at most) becomes the largest that
 * any rank has. */
bool vz_comm_agree_on(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err);
#define VZ_AGREE_NUMBERS 6
/* vz_comm_agree_on in two halves. Between them the leader works: first it learns the others'
 * results, then they learn its result. The number of messages is that of one vz_comm_agree_on. A
 * report that fails is followed by its end at once. */
bool vz_comm_report(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err);
/* `numbers` of the leader are everybody's. */
bool vz_comm_report_end(vz_comm *comm, bool ok, int *numbers, int count, vz_error *err);
/* All ranks get the leader's bytes. */
bool vz_comm_tell(vz_comm *comm, void *bytes, size_t size, vz_error *err);
/* Bytes of each rank for each: to[r] goes to rank r, what comes from it is appended to from[r]
 * (all `size` of each). There are as many rounds of VZ_COMM_ROUND bytes as the rank needs that
 * sends or gets most. A rank that has no memory for what comes says so before the first round. */
bool vz_comm_exchange(vz_comm *comm, const vz_buffer *to, vz_buffer *from, vz_error *err);
/* NULL is fine. */
void vz_comm_free(vz_comm *comm);

/* Bytes that a rank sends, or gets, in one round of an exchange, and a few for each rank. */
#define VZ_COMM_ROUND ((size_t)64 << 20)

/* -- Library --
 * the MPI library of the program that loaded us. Nothing is linked: MPI's functions are found by
 * name. Two binary interfaces are known: Open MPI's (handles are pointers) and MPICH's (handles
 * are numbers). Intel MPI, MVAPICH and Cray MPICH have MPICH's. */
/* Asks `find` for the functions (and data symbols) of MPI. Makes no call. Without MPI in the
 * process nothing is found, which is no failure. */
typedef void *(*vz_mpi_find)(void *context, const char *name, bool is_data);
void vz_mpi_bind(vz_mpi_find find, void *context);

/* A handle as programs hold it, of whichever size. */
typedef union vz_mpi_handle {
    void *pointer;
    int number;
} vz_mpi_handle;

/* A communicator of the program's library: takes the MPI_Comm, which is freed with it. NULL:
 * VZ_UNSUPPORTED where the library is none that is known, or has been shut down. */
vz_comm *vz_mpi_comm(vz_mpi_handle handle, vz_error *err);

#endif
