/* parallel.h - what the programs of test/mpi share: they stop at the first call that fails and say which, on which
 * rank. */
#ifndef TEST_MPI_PARALLEL_H
#define TEST_MPI_PARALLEL_H

#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 64 };

static struct {
    int rank, step;
} where;

/* Ends all ranks. */
static inline void give_up(const char *why)
{
    fprintf(stderr, "rank %d, step %d: %s\n", where.rank, where.step, why);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

static inline void check(long long result, const char *call)
{
    if (result < 0)
        give_up(call);
}

static inline hid_t check_id(hid_t id, const char *call)
{
    check(id, call);
    return id;
}

static inline void begin(int *argc, char ***argv, int *rank, int *ranks)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    where.rank = *rank;
    if (*ranks > MOST_RANKS)
        give_up("too many ranks");
}

static inline int end(void)
{
    check(H5close(), "H5close");
    MPI_Finalize();
    return 0;
}

/* File access by all ranks; the caller closes it. */
static inline hid_t parallel_access(void)
{
    const hid_t plist = check_id(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    check(H5Pset_fapl_mpio(plist, MPI_COMM_WORLD, MPI_INFO_NULL), "H5Pset_fapl_mpio");
    return plist;
}

/* A transfer by all ranks together, or by each alone; the caller closes it. */
static inline hid_t transfer(int together)
{
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
    check(H5Pset_dxpl_mpio(plist, together ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT), "H5Pset_dxpl_mpio");
    return plist;
}

#endif
