/* library.h - the MPI library of the program that loaded us. Nothing is linked: its functions are found by name, and of
 * its binary interfaces the two that are met are known, Open MPI's (handles are pointers) and MPICH's (handles are
 * numbers; Intel MPI, MVAPICH and Cray MPICH have the same). */
#ifndef VZ_MPI_LIBRARY_H
#define VZ_MPI_LIBRARY_H

#include "base/mpi/comm.h"

/* Asks `find` for the functions (and data symbols) of MPI. Makes no call. Without MPI in the process nothing is found,
 * which is no failure. */
typedef void *(*vz_mpi_find)(void *context, const char *name, bool is_data);
void vz_mpi_bind(vz_mpi_find find, void *context);

/* A handle as programs hold it, of whichever size. */
typedef union vz_mpi_handle {
    void *pointer;
    int number;
} vz_mpi_handle;

/* A communicator of the program's library: takes the MPI_Comm, which is freed with it. NULL: VZ_UNSUPPORTED where the
 * library is none that is known, or has been shut down. */
vz_comm *vz_mpi_comm(vz_mpi_handle handle, vz_error *err);
/* Has the program called MPI_Finalize? Then no rank can be talked to any more. */
bool vz_mpi_is_over(void);

#endif
