/* apart.c - ranks that write one dataset without waiting for each other, and what one of them cannot write.
 *
 *     mpirun -n RANKS apart parts|refused|fails STORE
 *
 * parts     each rank writes its elements of every chunk by itself, time and again: nobody's are lost
 * refused   the file system has no locks that keep ranks apart (no_locks.c): parts that a rank writes by itself are
 *           refused on all, whole chunks and what all write together are not
 * fails     a chunk, or a document, cannot be stored: what all do together fails on all of them, and can be done again
 *           when it can be (in a bucket the judge sees to that, in a directory this program)
 *
 * In the end element i of "x" is LAST + i. */
#include "parallel.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDE = 96, CHUNK = 16, TIMES = 5, FIRST = 1000, LAST = 9000 };

typedef struct world {
    const char *store;
    hid_t file, set, alone, together;
    int rank, ranks;
} world;

/* ---- parts of the dataset ---- */

typedef struct part {
    int start, step, count, block;
} part;

static const part nothing = {.count = 0}, everything = {.step = 1, .count = 1, .block = WIDE};

static part interleaved(const world *w)
{
    return (part){w->rank, w->ranks, (WIDE - w->rank + w->ranks - 1) / w->ranks, 1};
}

static char told[4000]; /* what HDF5 said of the last write or flush that failed */

static herr_t add_told(unsigned n, const H5E_error2_t *record, void *unused)
{
    (void)n, (void)unused;
    if (record->desc)
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", record->desc);
    return 0;
}

/* Before another call forgets it. */
static herr_t note_told(herr_t status)
{
    told[0] = 0;
    if (status < 0)
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add_told, NULL);
    return status;
}

/* Of a status that was noted. */
static void check_told(herr_t status, const char *call)
{
    if (status < 0)
        fputs(told, stderr);
    check(status, call);
}

static herr_t write_part(const world *w, part p, int value, hid_t how)
{
    int values[WIDE];
    const hsize_t start = (hsize_t)p.start, step = (hsize_t)p.step, count = (hsize_t)p.count, block = (hsize_t)p.block;
    const hsize_t total = count * block;
    const hid_t space = check_id(H5Dget_space(w->set), "H5Dget_space"),
                memory = check_id(H5Screate_simple(1, total ? &total : (const hsize_t[]){1}, NULL), "H5Screate_simple");
    if (total)
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &step, &count, &block), "H5Sselect_hyperslab");
    else
        check(H5Sselect_none(space) < 0 ? -1 : H5Sselect_none(memory), "H5Sselect_none");
    for (int i = 0; i < p.count * p.block; i++)
        values[i] = value + p.start + i / p.block * p.step + i % p.block;
    const herr_t status = note_told(H5Dwrite(w->set, H5T_NATIVE_INT, memory, space, how, values));
    H5Sclose(space), H5Sclose(memory);
    return status;
}

/* By this rank, without a word to others. */
static void expect(const world *w, int value)
{
    int values[WIDE];
    char why[100];
    check(H5Dread(w->set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, w->alone, values), "H5Dread");
    for (int i = 0; i < WIDE; i++)
        if (values[i] != value + i) {
            snprintf(why, sizeof why, "element %d is %d, not %d", i, values[i], value + i);
            give_up(why);
        }
}

static void wait_for_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    where.step++;
}

static void make(world *w)
{
    const hsize_t dims = WIDE, chunk = CHUNK;
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check(H5Pset_chunk(plist, 1, &chunk), "H5Pset_chunk");
    const hid_t space = check_id(H5Screate_simple(1, &dims, NULL), "H5Screate_simple");
    w->set = check_id(H5Dcreate2(w->file, "x", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), "H5Dcreate2");
    H5Pclose(plist), H5Sclose(space);
    check_told(write_part(w, interleaved(w), FIRST, w->together), "H5Dwrite by all");
    expect(w, FIRST);
    wait_for_all();
}

/* ---- what is expected to fail ---- */

/* It fails on this rank and on all others; `word` is among what this one is told. */
static void must_fail(herr_t status, const char *what, const char *word)
{
    const int own = status;
    int most;
    char why[sizeof told + 100];
    MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    snprintf(why, sizeof why, "%s: %s: %s", what, most >= 0 ? "does not fail on all ranks" : "is not told", told);
    if (most >= 0 || !strstr(told, word))
        give_up(why);
    wait_for_all();
}

/* Where a value belongs stands a directory; in a bucket the judge has the server refuse it. */
static void block(const world *w, const char *key, int blocked)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", w->store, key);
    if (w->rank == 0 && !strstr(w->store, "://")) {
        if (blocked)
            unlink(path);
        check(blocked ? mkdir(path, 0777) : rmdir(path), key);
    }
    wait_for_all();
}

/* ---- */

static void parts(world *w)
{
    for (int time = TIMES; time-- > 0;) {
        check_told(write_part(w, interleaved(w), FIRST + time, w->together), "H5Dwrite by all");
        expect(w, FIRST + time); /* it has returned: no barrier is needed */
        wait_for_all();
    }
    for (int time = TIMES; time-- > 0;)
        check_told(write_part(w, interleaved(w), LAST - time, w->alone), "H5Dwrite of a part");
}

static void refused(world *w)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    must_fail(write_part(w, interleaved(w), LAST, w->alone), "a part without locks", "no locks");
    expect(w, FIRST);
    wait_for_all();
    if (w->rank == w->ranks - 1)
        check_told(write_part(w, everything, LAST - 1, w->alone), "H5Dwrite of whole chunks");
    wait_for_all();
    expect(w, LAST - 1);
    wait_for_all();
    check_told(write_part(w, interleaved(w), LAST, w->together), "H5Dwrite by all");
}

static void write_attribute(const world *w)
{
    const hid_t space = check_id(H5Screate(H5S_SCALAR), "H5Screate");
    const hid_t attribute =
        check_id(H5Acreate2(w->set, "unit", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    check(H5Awrite(attribute, H5T_NATIVE_INT, &(int){7}), "H5Awrite");
    H5Aclose(attribute), H5Sclose(space);
}

static void fails(world *w)
{
    const part last_whole = {.start = WIDE - CHUNK, .step = 1, .count = 1, .block = CHUNK};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    block(w, "x/5", 1);
    must_fail(write_part(w, interleaved(w), LAST, w->together), "a chunk of which all have parts", "x/5");
    /* The last rank has all of it, another chunk the first one, the others nothing. */
    const part own = w->rank == w->ranks - 1 ? last_whole : w->rank == 0 ? (part){0, 1, 1, CHUNK} : nothing;
    must_fail(write_part(w, own, LAST, w->together), "a chunk of which one has all", "x/5");
    block(w, "x/5", 0);
    block(w, "x/.zattrs", 1);
    write_attribute(w);
    must_fail(note_told(H5Fflush(w->file, H5F_SCOPE_GLOBAL)), "a document", ".zattrs");
    block(w, "x/.zattrs", 0);
    check_told(write_part(w, interleaved(w), LAST, w->together), "H5Dwrite by all");
    check_told(note_told(H5Fflush(w->file, H5F_SCOPE_GLOBAL)), "H5Fflush");
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*work)(world *w);
    } works[] = {{"parts", parts}, {"refused", refused}, {"fails", fails}};
    world w = {0};
    begin(&argc, &argv, &w.rank, &w.ranks);
    if (argc != 3)
        give_up("usage: apart parts|refused|fails STORE");
    const hid_t access = parallel_access();
    w.store = argv[2], w.alone = transfer(0), w.together = transfer(1);
    w.file = check_id(H5Fcreate(w.store, H5F_ACC_TRUNC, H5P_DEFAULT, access), w.store);
    make(&w);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(argv[1], works[i].name) == 0)
            works[i].work(&w);
    wait_for_all();
    expect(&w, LAST);
    H5Dclose(w.set), H5Pclose(access), H5Pclose(w.alone), H5Pclose(w.together);
    check(H5Fclose(w.file), "H5Fclose");
    return end();
}
