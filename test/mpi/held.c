/* held.c - what some ranks hold open, of which rank 0 is none, is deleted, moved, and its file truncated, by all ranks.
 * The ranks that hold it read and write it on.
 *
 *     mpirun -n RANKS held STORE
 *
 * In the end the store has "a", "group" and "group/b", which hold what `expect` says, and nothing else. */
#include "parallel.h"

enum { WIDE = 40, CHUNK = 16, OLD = 1000, NEW = 2000, LATE = 3000 };

static hid_t make(hid_t file, const char *name, int value, hid_t how)
{
    const hsize_t dims[] = {WIDE}, chunk[] = {CHUNK};
    int values[WIDE];
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check(H5Pset_chunk(plist, 1, chunk), "H5Pset_chunk");
    const hid_t space = check_id(H5Screate_simple(1, dims, NULL), "H5Screate_simple");
    const hid_t set = check_id(H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), name);
    for (int i = 0; i < WIDE; i++)
        values[i] = value + i;
    if (where.rank > 0)
        H5Sselect_none(space);
    check(H5Dwrite(set, H5T_NATIVE_INT, space, space, how, values), "H5Dwrite");
    H5Pclose(plist), H5Sclose(space);
    return set;
}

static void expect(hid_t set, int value)
{
    int values[WIDE];
    check(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dread");
    for (int i = 0; i < WIDE; i++)
        if (values[i] != value + i) {
            fprintf(stderr, "element %d is %d, not %d\n", i, values[i], value + i);
            give_up("something else is read");
        }
}

static void write_all(hid_t set, int value)
{
    int values[WIDE];
    for (int i = 0; i < WIDE; i++)
        values[i] = value + i;
    check(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
}

static void wait_for_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    where.step++;
}

/* Rank 1 alone, or all but rank 0, hold "a"; it is deleted, and another one made. */
static void delete_held(hid_t file, hid_t how, int by_all_others)
{
    hid_t set = make(file, "a", OLD, how), again;
    const int holds = where.rank == 1 || (by_all_others && where.rank > 0);
    if (!holds)
        H5Dclose(set);
    check(H5Ldelete(file, "a", H5P_DEFAULT), "H5Ldelete");
    if (holds)
        expect(set, OLD);
    again = make(file, "a", NEW, how);
    if (where.rank == 1)
        write_all(set, LATE);
    wait_for_all();
    if (holds)
        expect(set, LATE);
    expect(again, NEW);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    if (holds)
        expect(set, LATE);
    wait_for_all();
    if (holds)
        H5Dclose(set);
    H5Dclose(again);
}

/* A group goes with what one rank holds in it; another one moves. */
static void delete_and_move_groups(hid_t file, hid_t how)
{
    const hid_t group = check_id(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Gcreate2");
    const hid_t inside = make(group, "inside", OLD, how), kept = make(group, "kept", NEW, how);
    H5Gclose(group);
    if (where.rank != 1)
        H5Dclose(inside), H5Dclose(kept);
    check(H5Lmove(file, "g/kept", file, "moved", H5P_DEFAULT, H5P_DEFAULT), "H5Lmove");
    check(H5Ldelete(file, "g", H5P_DEFAULT), "H5Ldelete");
    if (where.rank == 1) {
        expect(inside, OLD);
        expect(kept, NEW);
        write_all(kept, LATE);
    }
    wait_for_all();
    const hid_t other = check_id(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Gcreate2");
    check(H5Lmove(file, "moved", file, "group/b", H5P_DEFAULT, H5P_DEFAULT), "H5Lmove");
    H5Gclose(other);
    if (where.rank == 1) {
        expect(inside, OLD);
        expect(kept, LATE);
        H5Dclose(inside), H5Dclose(kept);
    }
    wait_for_all();
}

/* What one rank has open by itself nobody truncates or deletes; all are told so. */
static void truncate_held(const char *name, hid_t access)
{
    const hid_t file = where.rank == 1 ? check_id(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT), name) : H5I_INVALID_HID;
    hid_t made, set;
    herr_t deleted;
    wait_for_all();
    H5E_BEGIN_TRY
    {
        made = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        deleted = H5Fdelete(name, access);
    }
    H5E_END_TRY
    if (made >= 0 || deleted >= 0)
        give_up(made >= 0 ? "truncated what a rank has open" : "deleted what a rank has open");
    wait_for_all();
    if (where.rank == 1) {
        set = check_id(H5Dopen2(file, "a", H5P_DEFAULT), "H5Dopen2");
        expect(set, NEW);
        H5Dclose(set);
        check(H5Fclose(file), "H5Fclose");
    }
    wait_for_all();
}

int main(int argc, char **argv)
{
    int rank, ranks;
    begin(&argc, &argv, &rank, &ranks);
    if (argc != 2)
        give_up("usage: held STORE");
    const hid_t access = parallel_access(), how = transfer(1);
    hid_t file = check_id(H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access), argv[1]);
    delete_held(file, how, 0);
    check(H5Ldelete(file, "a", H5P_DEFAULT), "H5Ldelete");
    delete_held(file, how, 1);
    delete_and_move_groups(file, how);
    check(H5Fclose(file), "H5Fclose");
    truncate_held(argv[1], access);
    file = check_id(H5Fopen(argv[1], H5F_ACC_RDWR, access), argv[1]);
    check(H5Fclose(file), "H5Fclose");
    H5Pclose(access), H5Pclose(how);
    return end();
}
