/* library.c - see comm.h. */
#include "base/mpi/comm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MPI_IS_FINE       0
#define VERSION_TEXT_SIZE 8193 /* the longest that any library has declared */

/* Functions that both interfaces declare in the same way. */
static struct {
    int (*finalized)(int *flag);
    int (*version)(char *text, int *length);
} plain;

static bool check(int code, const char *what, vz_error *err)
{
    return code == MPI_IS_FINE || vz_fail(err, VZ_IO, "MPI: %s failed (code %d)", what, code);
}

enum { MOST_NUMBERS = 8 }; /* that ranks compare at once */

/* Has the program called MPI_Finalize? Then no rank can be reached any more. */
static bool mpi_is_over(void);

#define HANDLE   void *
#define OF(name) pointers_##name
#include "base/mpi/mpi_abi.h"
#undef HANDLE
#undef OF

#define HANDLE   int
#define OF(name) numbers_##name
#include "base/mpi/mpi_abi.h"
#undef HANDLE
#undef OF

/* ---- which library ---- */

static enum { NO_LIBRARY, POINTERS, NUMBERS } kind;
static bool has_all, is_open_mpi;

/* Predefined handles of MPICH's interface, which its releases since 3.1 promise to keep. */
enum { MPICH_BYTE = 0x4c00010d, MPICH_INT = 0x4c000405, MPICH_MAX = 0x58000001 };

void vz_mpi_bind(vz_mpi_find find, void *context)
{
    kind = NO_LIBRARY;
    *(void **)&plain.finalized = find(context, "MPI_Finalized", false);
    *(void **)&plain.version = find(context, "MPI_Get_library_version", false);
    has_all = plain.finalized && plain.version && pointers_bind(find, context) && numbers_bind(find, context);
    if (!has_all)
        return;
    pointers_api.byte = find(context, "ompi_mpi_byte", true);
    pointers_api.number = find(context, "ompi_mpi_int", true);
    pointers_api.largest = find(context, "ompi_mpi_op_max", true);
    is_open_mpi = pointers_api.byte && pointers_api.number && pointers_api.largest;
    numbers_api.byte = MPICH_BYTE;
    numbers_api.number = MPICH_INT;
    numbers_api.largest = MPICH_MAX;
}

static bool is_mpich(const char *version)
{
    static const char *const names[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(version, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool recognise(vz_error *err)
{
    char version[VERSION_TEXT_SIZE] = "";
    int length = 0;
    if (kind != NO_LIBRARY)
        return true;
    if (!has_all)
        return vz_fail(err, VZ_UNSUPPORTED, "a store opened by several ranks: the MPI library was not found");
    if (is_open_mpi) {
        kind = POINTERS;
        return true;
    }
    if (plain.version(version, &length) == MPI_IS_FINE && is_mpich(version)) {
        kind = NUMBERS;
        return true;
    }
    return vz_fail(err, VZ_UNSUPPORTED, "a store opened by several ranks of this MPI library (%.60s)", version);
}

static bool mpi_is_over(void)
{
    int over = 0;
    return !plain.finalized || plain.finalized(&over) != MPI_IS_FINE || over;
}

vz_comm *vz_mpi_comm(vz_mpi_handle handle, vz_error *err)
{
    if (!recognise(err))
        return NULL;
    if (mpi_is_over()) {
        vz_fail(err, VZ_UNSUPPORTED, "a store opened by several ranks after MPI_Finalize");
        return NULL;
    }
    return kind == POINTERS ? pointers_new(handle.pointer, err) : numbers_new(handle.number, err);
}
