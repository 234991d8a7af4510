/* mpi_abi.h - the calls of MPI with one type of handles. library.c includes it once for each type,
 * with HANDLE (the type) and OF(name), which makes a name of that family. Both binary interfaces
 * have the same names for their functions, and take handles of another type. */

static struct {
    int (*rank)(HANDLE comm, int *rank);
    int (*size)(HANDLE comm, int *size);
    int (*allreduce)(const void *from, void *to, int count, HANDLE type, HANDLE op, HANDLE comm);
    int (*reduce)(const void *from, void *to, int count, HANDLE type, HANDLE op, int root, HANDLE comm);
    int (*bcast)(void *bytes, int count, HANDLE type, int root, HANDLE comm);
    int (*alltoall)(const void *from, int sent, HANDLE from_type, void *to, int got, HANDLE to_type, HANDLE comm);
    int (*alltoallv)(const void *from, const int *sizes, const int *places, HANDLE from_type, void *to,
                     const int *to_sizes, const int *to_places, HANDLE to_type, HANDLE comm);
    int (*compare)(HANDLE a, HANDLE b, int *result);
    int (*comm_free)(HANDLE *comm);
    HANDLE byte;
    HANDLE number;
    HANDLE largest;
} OF(api);

typedef struct OF(comm) {
    vz_comm base;
    HANDLE comm;
} OF(comm);

static HANDLE OF(handle)(const vz_comm *comm)
{
    return ((const OF(comm) *)comm)->comm;
}

static bool OF(own)(int *own, const int *numbers, int count, vz_error *err)
{
    if (count > MOST_NUMBERS)
        return vz_fail(err, VZ_LIMIT, "%d numbers to compare among ranks", count);
    memcpy(own, numbers, (size_t)count * sizeof *own);
    return true;
}

static bool OF(most)(vz_comm *comm, int *numbers, int count, vz_error *err)
{
    int own[MOST_NUMBERS];
    return OF(own)(own, numbers, count, err) &&
           check(OF(api).allreduce(own, numbers, count, OF(api).number, OF(api).largest, OF(handle)(comm)),
                 "MPI_Allreduce", err);
}

static bool OF(most_for_leader)(vz_comm *comm, int *numbers, int count, vz_error *err)
{
    int own[MOST_NUMBERS];
    return OF(own)(own, numbers, count, err) &&
           check(OF(api).reduce(own, numbers, count, OF(api).number, OF(api).largest, VZ_LEADER, OF(handle)(comm)),
                 "MPI_Reduce", err);
}

static bool OF(broadcast)(vz_comm *comm, void *bytes, size_t size, int from, vz_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < VZ_COMM_ROUND ? size - done : VZ_COMM_ROUND;
        if (!check(OF(api).bcast((char *)bytes + done, (int)part, OF(api).byte, from, OF(handle)(comm)), "MPI_Bcast",
                   err))
            return false;
    }
    return true;
}

static bool OF(exchange_sizes)(vz_comm *comm, const uint64_t *to, uint64_t *from, vz_error *err)
{
    const int each = sizeof *to;
    return check(OF(api).alltoall(to, each, OF(api).byte, from, each, OF(api).byte, OF(handle)(comm)), "MPI_Alltoall",
                 err);
}

static bool OF(exchange)(vz_comm *comm, const void *to, const int *to_sizes, const int *to_places, void *from,
                         const int *from_sizes, const int *from_places, vz_error *err)
{
    return check(OF(api).alltoallv(to, to_sizes, to_places, OF(api).byte, from, from_sizes, from_places, OF(api).byte,
                                   OF(handle)(comm)),
                 "MPI_Alltoallv", err);
}

/* MPI_IDENT and MPI_CONGRUENT are 0 and 1 in both. */
static bool OF(is_same)(const vz_comm *a, const vz_comm *b)
{
    int result = 2;
    return OF(api).compare(OF(handle)(a), OF(handle)(b), &result) == MPI_IS_FINE && result <= 1;
}

static void OF(free)(vz_comm *comm)
{
    if (!mpi_is_over())
        OF(api).comm_free(&((OF(comm) *)comm)->comm);
    free(comm);
}

static const vz_comm_class OF(class) = {
    .most = OF(most),
    .most_for_leader = OF(most_for_leader),
    .broadcast = OF(broadcast),
    .exchange_sizes = OF(exchange_sizes),
    .exchange = OF(exchange),
    .is_same = OF(is_same),
    .free = OF(free),
};

static bool OF(bind)(vz_mpi_find find, void *context)
{
    *(void **)&OF(api).rank = find(context, "MPI_Comm_rank", false);
    *(void **)&OF(api).size = find(context, "MPI_Comm_size", false);
    *(void **)&OF(api).allreduce = find(context, "MPI_Allreduce", false);
    *(void **)&OF(api).reduce = find(context, "MPI_Reduce", false);
    *(void **)&OF(api).bcast = find(context, "MPI_Bcast", false);
    *(void **)&OF(api).alltoall = find(context, "MPI_Alltoall", false);
    *(void **)&OF(api).alltoallv = find(context, "MPI_Alltoallv", false);
    *(void **)&OF(api).compare = find(context, "MPI_Comm_compare", false);
    *(void **)&OF(api).comm_free = find(context, "MPI_Comm_free", false);
    return OF(api).rank && OF(api).size && OF(api).allreduce && OF(api).reduce && OF(api).bcast && OF(api).alltoall &&
           OF(api).alltoallv && OF(api).compare && OF(api).comm_free;
}

static vz_comm *OF(new)(HANDLE given, vz_error *err)
{
    OF(comm) *comm = calloc(1, sizeof *comm);
    if (!comm) {
        vz_fail_memory(err);
        return NULL;
    }
    comm->base.class = &OF(class);
    comm->comm = given;
    if (check(OF(api).rank(given, &comm->base.rank), "MPI_Comm_rank", err) &&
        check(OF(api).size(given, &comm->base.size), "MPI_Comm_size", err))
        return &comm->base;
    free(comm);
    return NULL;
}
