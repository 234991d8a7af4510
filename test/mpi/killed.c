/* killed.c - all ranks write row after row of a dataset together, and flush every FLUSH_EVERY rows; one rank dies in
 * the middle of it.
 *
 *     mpirun -n RANKS killed STORE VICTIM MICROSECONDS
 *
 * Rank 0 says "flushed N" when rows 0 to N - 1 are promised. From then on, after the third flush, the victim has the
 * given time to live. Row r holds 1000 r + column + 1; chunks are one row high and as wide that ranks share them. */
#include "parallel.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROWS = 400, FLUSH_EVERY = 5, EACH = 50, CHUNK = 64, FIRST_KILL = 15 };

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

static void die_in(long microseconds)
{
    const struct itimerval when = {.it_value = {microseconds / 1000000, microseconds % 1000000 + 1}};
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &when, NULL);
}

static hid_t make(hid_t file, int ranks)
{
    const hsize_t dims[] = {ROWS, (hsize_t)ranks * EACH}, chunk[] = {1, CHUNK};
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check(H5Pset_chunk(plist, 2, chunk), "H5Pset_chunk");
    const hid_t space = check_id(H5Screate_simple(2, dims, NULL), "H5Screate_simple");
    const hid_t set =
        check_id(H5Dcreate2(file, "rows", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), "H5Dcreate2");
    H5Pclose(plist), H5Sclose(space);
    return set;
}

static void write_row(hid_t set, int row, int rank, hid_t how)
{
    int values[EACH];
    const hsize_t start[] = {(hsize_t)row, (hsize_t)rank * EACH}, count[] = {1, EACH};
    const hid_t space = check_id(H5Dget_space(set), "H5Dget_space"), memory = H5Screate_simple(2, count, NULL);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL), "H5Sselect_hyperslab");
    for (int i = 0; i < EACH; i++)
        values[i] = 1000 * row + rank * EACH + i + 1;
    check(H5Dwrite(set, H5T_NATIVE_INT, memory, space, how, values), "H5Dwrite");
    H5Sclose(space), H5Sclose(memory);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    begin(&argc, &argv, &rank, &ranks);
    if (argc != 4)
        give_up("usage: killed STORE VICTIM MICROSECONDS");
    const hid_t access = parallel_access(), how = transfer(1);
    const hid_t file = check_id(H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access), argv[1]);
    const hid_t set = make(file, ranks);
    for (int row = 0; row < ROWS; row++) {
        where.step = row;
        if (row == FIRST_KILL && rank == atoi(argv[2]))
            die_in(atol(argv[3]));
        write_row(set, row, rank, how);
        if ((row + 1) % FLUSH_EVERY)
            continue;
        check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
        if (rank == 0)
            printf("flushed %d\n", row + 1), fflush(stdout);
    }
    if (rank == atoi(argv[2]))
        for (;;)
            pause(); /* dies while the others close the file */
    H5Dclose(set), H5Pclose(access), H5Pclose(how);
    check(H5Fclose(file), "H5Fclose");
    return end();
}
