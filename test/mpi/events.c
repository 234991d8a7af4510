/* events.c - asynchronous calls of all ranks, on a store that they opened together: each is done when it returns, so
 * that event sets stay empty, and errors are those of the call.
 *
 *     mpirun -n RANKS events STORE
 *
 * In the end element i of "x" is i, of "y" is 2 i. */
#include "parallel.h"

enum { EACH = 10, CHUNK = 4 };

typedef struct world {
    hid_t file, set, alone, together;
    int rank, ranks;
} world;

/* Nothing is left in the set: what was called is done. */
static void expect_done(const world *w, const char *call)
{
    size_t count = 1, left = 1;
    hbool_t failed = 1;
    check(H5ESget_count(w->set, &count), "H5ESget_count");
    check(H5ESwait(w->set, H5ES_WAIT_FOREVER, &left, &failed), "H5ESwait");
    if (count != 0 || left != 0 || failed)
        give_up(call);
}

static hid_t make(const world *w, const char *name)
{
    const hsize_t length = (hsize_t)(w->ranks * EACH), chunk = CHUNK;
    const hid_t list = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check(H5Pset_chunk(list, 1, &chunk), "H5Pset_chunk");
    const hid_t space = check_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    const hid_t dataset =
        check_id(H5Dcreate_async(w->file, name, H5T_STD_I32LE, space, H5P_DEFAULT, list, H5P_DEFAULT, w->set),
                 "H5Dcreate_async");
    expect_done(w, "H5Dcreate_async");
    H5Pclose(list), H5Sclose(space);
    return dataset;
}

static hid_t own_part(const world *w)
{
    const hsize_t length = (hsize_t)(w->ranks * EACH), start = (hsize_t)(w->rank * EACH), count = EACH;
    const hid_t space = check_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL), "H5Sselect_hyperslab");
    return space;
}

static void write_own(const world *w, hid_t dataset, int times, hid_t how)
{
    int values[EACH];
    const hsize_t count = EACH;
    const hid_t space = own_part(w), memory = check_id(H5Screate_simple(1, &count, NULL), "H5Screate_simple");
    for (int i = 0; i < EACH; i++)
        values[i] = times * (w->rank * EACH + i);
    check(H5Dwrite_async(dataset, H5T_NATIVE_INT, memory, space, how, values, w->set), "H5Dwrite_async");
    for (int i = 0; i < EACH; i++)
        values[i] = -1; /* the memory is the program's again */
    expect_done(w, "H5Dwrite_async");
    H5Sclose(space), H5Sclose(memory);
}

static void read_all(const world *w, hid_t dataset, int times, hid_t how)
{
    int values[MOST_RANKS * EACH];
    check(H5Dread_async(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, how, values, w->set), "H5Dread_async");
    for (int i = 0; i < w->ranks * EACH; i++)
        if (values[i] != times * i)
            give_up("H5Dread_async");
    expect_done(w, "H5Dread_async");
}

static void note(const world *w, hid_t dataset)
{
    int value = 7;
    const hid_t space = check_id(H5Screate(H5S_SCALAR), "H5Screate");
    const hid_t attribute = check_id(
        H5Acreate_async(dataset, "a", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, w->set), "H5Acreate_async");
    check(H5Awrite_async(attribute, H5T_NATIVE_INT, &value, w->set), "H5Awrite_async");
    value = 0;
    check(H5Aread_async(attribute, H5T_NATIVE_INT, &value, w->set), "H5Aread_async");
    check(H5Aclose_async(attribute, w->set), "H5Aclose_async");
    expect_done(w, "H5Awrite_async");
    if (value != 7)
        give_up("H5Aread_async");
    H5Sclose(space);
}

/* The flag is the connector's, whatever the file. */
static void check_flags(hid_t access)
{
    uint64_t flags = 0;
    check(H5Pget_vol_cap_flags(access, &flags), "H5Pget_vol_cap_flags");
    if (!(flags & H5VL_CAP_FLAG_ASYNC))
        give_up("H5Pget_vol_cap_flags");
}

/* A call that fails says so itself: the set has heard of nothing, and goes on. */
static void fail(const world *w)
{
    hid_t none;
    H5E_BEGIN_TRY
    {
        none = H5Dopen_async(w->file, "nothing", H5P_DEFAULT, w->set);
    }
    H5E_END_TRY
    if (none >= 0)
        give_up("a dataset that is not there was opened");
    expect_done(w, "H5Dopen_async");
}

int main(int argc, char **argv)
{
    world w = {0};
    begin(&argc, &argv, &w.rank, &w.ranks);
    if (argc != 2)
        give_up("usage: events STORE");
    const hid_t access = parallel_access();
    check_flags(access);
    w.set = check_id(H5EScreate(), "H5EScreate");
    w.alone = transfer(0), w.together = transfer(1);
    w.file = check_id(H5Fcreate_async(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access, w.set), "H5Fcreate_async");
    hid_t x = make(&w, "x"), y = make(&w, "y");
    write_own(&w, x, 1, w.together);
    write_own(&w, y, 2, w.alone);
    read_all(&w, y, 2, w.together); /* which waits for the others */
    read_all(&w, x, 1, w.alone);
    note(&w, x);
    fail(&w);
    check(H5Dclose_async(x, w.set), "H5Dclose_async");
    x = check_id(H5Dopen_async(w.file, "x", H5P_DEFAULT, w.set), "H5Dopen_async");
    read_all(&w, x, 1, w.together);
    check(H5Fflush_async(w.file, H5F_SCOPE_GLOBAL, w.set), "H5Fflush_async");
    check(H5Dclose_async(x, w.set), "H5Dclose_async");
    check(H5Dclose_async(y, w.set), "H5Dclose_async");
    H5Pclose(access), H5Pclose(w.alone), H5Pclose(w.together);
    check(H5Fclose_async(w.file, w.set), "H5Fclose_async");
    expect_done(&w, "H5Fclose_async");
    check(H5ESclose(w.set), "H5ESclose");
    return end();
}
