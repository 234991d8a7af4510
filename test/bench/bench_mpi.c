/* bench_mpi.c - every rank writes its rows of one float32 dataset with all others, then reads them back; rank 0 prints
 * the seconds of each, from the first rank's start to the last one's end. Opening and closing count as writing, as that
 * is when a store or file is there.
 *
 *     mpirun -n RANKS bench_mpi PATH ROWS COLUMNS CHUNK LEVEL      (LEVEL of gzip with shuffle; 0: none) */
#include "../mpi/parallel.h"

typedef struct slab {
    hsize_t dims[2], start[2], count[2], chunk[2];
    unsigned level;
    float *values;
} slab;

/* Smooth data with noise in the low bits, as measured data has. */
static void fill(slab *s)
{
    unsigned noise = 12345;
    for (hsize_t i = 0; i < s->count[0] * s->count[1]; i++) {
        const float x = (float)(i % s->count[1]) / (float)s->count[1], wave = x * (1 - x) * 4;
        noise = noise * 1664525u + 1013904223u;
        s->values[i] = (float)((int)(wave * 4096) + (int)(noise >> 28)) / 4096;
    }
}

static hid_t create(hid_t file, const slab *s)
{
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    const hid_t space = check_id(H5Screate_simple(2, s->dims, NULL), "H5Screate_simple");
    check(H5Pset_chunk(plist, 2, s->chunk), "H5Pset_chunk");
    if (s->level) {
        check(H5Pset_shuffle(plist), "H5Pset_shuffle");
        check(H5Pset_deflate(plist, s->level), "H5Pset_deflate");
    }
    const hid_t set =
        check_id(H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), "H5Dcreate2");
    H5Pclose(plist), H5Sclose(space);
    return set;
}

static double move(const char *path, const slab *s, int writing)
{
    const hid_t access = parallel_access(), how = transfer(1),
                memory = check_id(H5Screate_simple(2, s->count, NULL), "H5Screate_simple");
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    const hid_t file =
        writing ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(path, H5F_ACC_RDONLY, access);
    const hid_t set = writing ? create(check_id(file, path), s) : H5Dopen2(check_id(file, path), "x", H5P_DEFAULT);
    const hid_t space = check_id(H5Dget_space(check_id(set, "x")), "H5Dget_space");
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, s->start, NULL, s->count, NULL), "H5Sselect_hyperslab");
    if (writing)
        check(H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, how, s->values), "H5Dwrite");
    else
        check(H5Dread(set, H5T_NATIVE_FLOAT, memory, space, how, s->values), "H5Dread");
    H5Sclose(space);
    check(H5Dclose(set), "H5Dclose");
    check(H5Fclose(file), "H5Fclose");
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - began;
    H5Pclose(access), H5Pclose(how), H5Sclose(memory);
    return seconds;
}

static double sum(const slab *s)
{
    double all = 0;
    for (hsize_t i = 0; i < s->count[0] * s->count[1]; i++)
        all += s->values[i];
    return all;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    slab s = {0};
    begin(&argc, &argv, &rank, &ranks);
    if (argc != 6)
        give_up("usage: bench_mpi PATH ROWS COLUMNS CHUNK LEVEL");
    s.dims[0] = strtoull(argv[2], NULL, 10), s.dims[1] = s.count[1] = strtoull(argv[3], NULL, 10);
    s.chunk[0] = s.chunk[1] = strtoull(argv[4], NULL, 10);
    s.level = (unsigned)atoi(argv[5]);
    s.count[0] = s.dims[0] / (hsize_t)ranks;
    s.start[0] = s.count[0] * (hsize_t)rank;
    s.values = malloc(s.count[0] * s.count[1] * sizeof *s.values);
    if (!s.values || s.dims[0] % (hsize_t)ranks)
        give_up("no memory, or rows that ranks cannot share");
    fill(&s);
    const double before = sum(&s), writing = move(argv[1], &s, 1), reading = move(argv[1], &s, 0);
    if (sum(&s) != before)
        give_up("what is read is not what was written");
    if (rank == 0)
        printf("seconds %.4f %.4f\n", writing, reading);
    free(s.values);
    return end();
}
