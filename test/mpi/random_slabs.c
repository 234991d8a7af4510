/* random_slabs.c - random operations by all ranks on a store and on a native file, each the same on both: what all
 * ranks read afterwards is compared at once, and the two files are for another process to compare.
 *
 *     mpirun -n RANKS random_slabs SEED STEPS STORE NATIVE
 *
 * The store is made because HDF5_VOL_CONNECTOR says so of its name. Every rank draws the same operations from the same
 * numbers, and of each transfer the selections of all ranks, of which it does its own: they never overlap, seldom end
 * where chunks end, and are often empty. */
#include "parallel.h"
#include <string.h>

enum { DATASETS = 5, DIMENSIONS = 3, LONG = 40, SHORT = 14, ROOM = 2800, NAME = 32 };

typedef struct dataset {
    char name[NAME]; /* empty: no dataset */
    int rank;
    hsize_t dims[DIMENSIONS], max[DIMENSIONS];
    int filtered, chunked, fill;
    hid_t type;
    hid_t at[2];          /* in the store, in the native file */
    double element[ROOM]; /* what it has to hold, as every rank knows what all write */
} dataset;

typedef struct world {
    unsigned long long state; /* the dice, which fall alike for all ranks */
    const char *path[2];
    hid_t file[2];
    dataset of[DATASETS];
    int made, step, rank, ranks;
} world;

static const char *const whose[] = {"the store", "the native file"};

static unsigned roll(world *w, unsigned sides)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->state >> 33) % sides;
}

/* With VERBOSE set, what happens is told. */
static void tell(const world *w, const dataset *s, const char *what)
{
    if (w->rank == 0 && getenv("VERBOSE"))
        fprintf(stderr, "step %d: %s %s (%s, %d dimensions: %lld %lld %lld)\n", w->step, s->name, what,
                s->filtered  ? "filtered"
                : s->chunked ? "chunked"
                             : "contiguous",
                s->rank, (long long)s->dims[0], (long long)(s->rank > 1 ? s->dims[1] : 0),
                (long long)(s->rank > 2 ? s->dims[2] : 0));
}

/* ---- the transfers ---- */

typedef struct region {
    hsize_t start[DIMENSIONS], stride[DIMENSIONS], count[DIMENSIONS], block[DIMENSIONS];
    int empty;
} region;

/* A part of [low, high) along one dimension: all of it, an interval, or one with gaps. */
static void draw_part(world *w, region *r, int d, hsize_t low, hsize_t high)
{
    const unsigned length = (unsigned)(high - low), from = roll(w, length), kind = roll(w, 3);
    r->start[d] = low, r->stride[d] = r->block[d] = 1, r->count[d] = length;
    if (kind == 0)
        return;
    r->start[d] = low + from;
    r->count[d] = 1 + roll(w, length - from);
    if (kind == 2 && r->count[d] > 2) {
        r->block[d] = 1 + roll(w, 3);
        r->stride[d] = r->block[d] + 1 + roll(w, 3);
        r->count[d] = (r->count[d] - r->block[d]) / r->stride[d] + 1;
    }
}

/* What each rank transfers: one dimension is cut in as many pieces as there are ranks, some of them empty, and of its
 * piece a rank takes some. */
static void draw_regions(world *w, const dataset *s, region *all)
{
    const int cut = (int)roll(w, (unsigned)s->rank);
    hsize_t low = 0;
    for (int k = 0; k < w->ranks; k++) {
        region *r = &all[k];
        const hsize_t left = s->dims[cut] - low;
        const hsize_t length = k == w->ranks - 1 ? left : roll(w, (unsigned)(2 * left / (hsize_t)(w->ranks - k)) + 2);
        const hsize_t high = low + (length > left ? left : length);
        r->empty = high == low || roll(w, 6) == 0;
        for (int d = 0; d < s->rank && !r->empty; d++)
            draw_part(w, r, d, d == cut ? low : 0, d == cut ? high : s->dims[d]);
        low = high;
    }
}

/* For reading: any part, as ranks may read what they like. */
static void draw_readings(world *w, const dataset *s, region *all)
{
    for (int k = 0; k < w->ranks; k++) {
        all[k].empty = roll(w, 8) == 0;
        for (int d = 0; d < s->rank && !all[k].empty; d++)
            draw_part(w, &all[k], d, 0, s->dims[d]);
    }
}

static hid_t select_region(const dataset *s, const region *r)
{
    const hid_t space = check_id(H5Screate_simple(s->rank, s->dims, s->max), "H5Screate_simple");
    if (r->empty)
        check(H5Sselect_none(space), "H5Sselect_none");
    else
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, r->start, r->stride, r->count, r->block),
              "H5Sselect_hyperslab");
    return space;
}

static hid_t memory_space(hid_t selected)
{
    const hsize_t n = (hsize_t)H5Sget_select_npoints(selected);
    const hid_t space = check_id(H5Screate_simple(1, n == 0 ? (const hsize_t[]){1} : &n, NULL), "H5Screate_simple");
    if (n > ROOM)
        give_up("a selection is larger than the room for it");
    if (n == 0)
        check(H5Sselect_none(space), "H5Sselect_none");
    return space;
}

/* ---- what a dataset has to hold ---- */

static hsize_t elements(const dataset *s)
{
    hsize_t n = 1;
    for (int d = 0; d < s->rank; d++)
        n *= s->dims[d];
    return n;
}

/* The place of the number-th element of a region among those of the dataset, in the order of rows. */
static hsize_t place(const dataset *s, const region *r, hsize_t number)
{
    hsize_t at = 0, size = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        const hsize_t length = r->count[d] * r->block[d], i = number % length;
        at += (r->start[d] + i / r->block[d] * r->stride[d] + i % r->block[d]) * size;
        number /= length;
        size *= s->dims[d];
    }
    return at;
}

static hsize_t points(const dataset *s, const region *r)
{
    hsize_t n = !r->empty;
    for (int d = 0; d < s->rank && n; d++)
        n *= r->count[d] * r->block[d];
    return n;
}

static double value(const world *w, int rank, hsize_t number)
{
    return w->step * 100000 + rank * 5000 + (double)number;
}

static void expect(const world *w, dataset *s, const region *all)
{
    for (int k = 0; k < w->ranks; k++)
        for (hsize_t i = 0; i < points(s, &all[k]); i++)
            s->element[place(s, &all[k], i)] = value(w, k, i);
}

/* ---- writing and reading ---- */

static void write_slabs(world *w, dataset *s)
{
    static double values[ROOM];
    region all[MOST_RANKS];
    draw_regions(w, s, all);
    /* Where memory is of a native type, HDF5 may add one to all on the way. */
    const int together = roll(w, 3) != 0, converted = (int)roll(w, 2), one_less = converted && roll(w, 3) == 0;
    const hid_t space = select_region(s, &all[w->rank]), memory = memory_space(space), how = transfer(together);
    const hid_t type = converted ? H5T_NATIVE_DOUBLE : s->type;
    const hssize_t n = H5Sget_select_npoints(memory);
    for (hssize_t i = 0; i < n; i++)
        values[i] = value(w, w->rank, (hsize_t)i) - one_less;
    if (one_less)
        check(H5Pset_data_transform(how, "x + 1"), "H5Pset_data_transform");
    check(H5Tconvert(H5T_NATIVE_DOUBLE, type, (size_t)n, values, NULL, H5P_DEFAULT), "H5Tconvert");
    for (int f = 0; f < 2; f++)
        check(H5Dwrite(s->at[f], type, memory, space, how, values), f == 0 ? "H5Dwrite to the store" : "H5Dwrite");
    expect(w, s, all);
    tell(w, s, together ? "written together" : "written by each");
    H5Sclose(space), H5Sclose(memory), H5Pclose(how);
    /* What was written together is there for all; the rest when it was flushed. */
    if (!together)
        for (int f = 0; f < 2; f++)
            check(H5Fflush(w->file[f], H5F_SCOPE_GLOBAL), "H5Fflush");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void compare(const dataset *s, const region *r, const double *values, int f)
{
    char why[200];
    for (hsize_t i = 0; i < points(s, r); i++) {
        if (values[i] == s->element[place(s, r, i)])
            continue;
        snprintf(why, sizeof why, "%s: element %llu of %s is %.0f, not %.0f", whose[f],
                 (unsigned long long)place(s, r, i), s->name, values[i], s->element[place(s, r, i)]);
        give_up(why);
    }
}

static void read_slabs(world *w, dataset *s)
{
    static double values[ROOM];
    region all[MOST_RANKS];
    draw_readings(w, s, all);
    const int together = (int)roll(w, 2);
    const hid_t space = select_region(s, &all[w->rank]), memory = memory_space(space), how = transfer(together);
    tell(w, s, together ? "read together" : "read by each");
    for (int f = 0; f < 2; f++) {
        check(H5Dread(s->at[f], H5T_NATIVE_DOUBLE, memory, space, how, values),
              f == 0 ? "H5Dread of the store" : "H5Dread");
        compare(s, &all[w->rank], values, f);
    }
    H5Sclose(space), H5Sclose(memory), H5Pclose(how);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody writes while others read */
}

/* ---- what all ranks do alike ---- */

static hid_t draw_properties(world *w, dataset *s)
{
    const hid_t plist = check_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    hsize_t chunk[DIMENSIONS];
    s->chunked = roll(w, 5) != 0;
    for (int d = 0; d < s->rank; d++) {
        s->dims[d] = 1 + roll(w, s->rank == 3 ? SHORT : LONG);
        s->max[d] = s->chunked && roll(w, 2) ? H5S_UNLIMITED : s->dims[d];
        chunk[d] = 1 + roll(w, (unsigned)s->dims[d] < 12 ? (unsigned)s->dims[d] : 12);
    }
    s->fill = (int)roll(w, 2) * 77; /* always said, as what was never written is natively anything without it */
    check(H5Pset_fill_value(plist, H5T_NATIVE_INT, &s->fill), "H5Pset_fill_value");
    if (s->chunked)
        check(H5Pset_chunk(plist, s->rank, chunk), "H5Pset_chunk");
    return plist;
}

/* The native file's datasets have no filters: HDF5 1.14.5 loses chunks that several ranks filter and that change their
 * size ("can't insert duplicate key", "filter returned failure during read"), refuses to convert them, and refuses to
 * write them but together. */
static void draw_filters(world *w, dataset *s, hid_t plist)
{
    s->filtered = s->chunked && roll(w, 3) == 0;
    if (s->filtered && roll(w, 2))
        check(H5Pset_shuffle(plist), "H5Pset_shuffle");
    if (s->filtered)
        check(H5Pset_deflate(plist, 1 + roll(w, 6)), "H5Pset_deflate");
}

static void create(world *w, dataset *s)
{
    const hid_t types[] = {H5T_STD_I32LE, H5T_IEEE_F64LE, H5T_STD_I64BE};
    s->rank = 1 + (int)roll(w, DIMENSIONS);
    s->type = types[roll(w, 3)];
    const hid_t plist = draw_properties(w, s),
                space = check_id(H5Screate_simple(s->rank, s->dims, s->max), "H5Screate_simple");
    const hid_t links = check_id(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate");
    check(H5Pset_create_intermediate_group(links, 1), "H5Pset_create_intermediate_group");
    snprintf(s->name, NAME, roll(w, 2) ? "d%d" : "group/d%d", w->made++);
    for (int f = 1; f >= 0; f--) {
        s->at[f] = check_id(H5Dcreate2(w->file[f], s->name, s->type, space, links, plist, H5P_DEFAULT), "H5Dcreate2");
        draw_filters(w, s, plist);
    }
    for (hsize_t i = 0; i < elements(s); i++)
        s->element[i] = s->fill;
    tell(w, s, "created");
    H5Pclose(plist), H5Pclose(links), H5Sclose(space);
}

static void delete_dataset(world *w, dataset *s)
{
    for (int f = 0; f < 2; f++) {
        check(H5Dclose(s->at[f]), "H5Dclose");
        check(H5Ldelete(w->file[f], s->name, H5P_DEFAULT), "H5Ldelete");
    }
    tell(w, s, "deleted");
    s->name[0] = 0;
}

static void move_dataset(world *w, dataset *s)
{
    char to[NAME];
    const hid_t links = check_id(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate");
    check(H5Pset_create_intermediate_group(links, 1), "H5Pset_create_intermediate_group");
    snprintf(to, NAME, roll(w, 2) ? "moved%d" : "other/moved%d", w->made++);
    for (int f = 0; f < 2; f++)
        check(H5Lmove(w->file[f], s->name, w->file[f], to, links, H5P_DEFAULT), "H5Lmove");
    memcpy(s->name, to, NAME);
    H5Pclose(links);
}

/* What is cut off is gone, and what is added holds the fill value. */
static void resize(world *w, dataset *s)
{
    static dataset old;
    old = *s;
    for (int d = 0; d < s->rank; d++)
        if (s->max[d] == H5S_UNLIMITED)
            s->dims[d] = 1 + roll(w, s->rank == 3 ? SHORT : LONG);
    for (hsize_t i = 0; i < elements(s); i++) {
        hsize_t rest = i, at = 0, size = 1;
        int kept = 1;
        for (int d = s->rank - 1; d >= 0; d--) {
            kept = kept && rest % s->dims[d] < old.dims[d];
            at += rest % s->dims[d] * size;
            size *= old.dims[d];
            rest /= s->dims[d];
        }
        s->element[i] = kept ? old.element[at] : s->fill;
    }
    for (int f = 0; s->chunked && f < 2; f++)
        check(H5Dset_extent(s->at[f], s->dims), "H5Dset_extent");
    /* HDF5 1.14.5 keeps chunks that it cut in the cache of every rank, and reads them, or writes them over what others
     * have put there since. */
    check(H5Dclose(s->at[1]), "H5Dclose");
    s->at[1] = check_id(H5Dopen2(w->file[1], s->name, H5P_DEFAULT), "H5Dopen2");
    MPI_Barrier(MPI_COMM_WORLD); /* as each of them writes its copy */
    tell(w, s, "resized");
}

static void attribute(world *w, dataset *s)
{
    const char *const names[] = {"one", "two", "three"};
    const char *const name = names[roll(w, 3)];
    tell(w, s, "attribute");
    const int values[] = {w->step, (int)roll(w, 1000), -1}, drop = roll(w, 3) == 0;
    const hsize_t n = 3;
    const hid_t space = check_id(H5Screate_simple(1, &n, NULL), "H5Screate_simple");
    for (int f = 0; f < 2; f++) {
        const htri_t there = H5Aexists(s->at[f], name);
        check(there, "H5Aexists");
        if (drop && there)
            check(H5Adelete(s->at[f], name), "H5Adelete");
        if (drop)
            continue;
        const hid_t a = there ? H5Aopen(s->at[f], name, H5P_DEFAULT)
                              : H5Acreate2(s->at[f], name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
        check(H5Awrite(check_id(a, "H5Aopen or H5Acreate2"), H5T_NATIVE_INT, values), "H5Awrite");
        check(H5Aclose(a), "H5Aclose");
    }
    H5Sclose(space);
}

static void open_files(world *w, int create_them)
{
    const hid_t access = parallel_access();
    for (int f = 0; f < 2; f++)
        w->file[f] = check_id(create_them ? H5Fcreate(w->path[f], H5F_ACC_TRUNC, H5P_DEFAULT, access)
                                          : H5Fopen(w->path[f], H5F_ACC_RDWR, access),
                              w->path[f]);
    H5Pclose(access);
    for (int i = 0; i < DATASETS; i++)
        for (int f = 0; w->of[i].name[0] && f < 2; f++)
            w->of[i].at[f] = check_id(H5Dopen2(w->file[f], w->of[i].name, H5P_DEFAULT), w->of[i].name);
}

static void close_files(world *w)
{
    for (int i = 0; i < DATASETS; i++)
        for (int f = 0; w->of[i].name[0] && f < 2; f++)
            check(H5Dclose(w->of[i].at[f]), "H5Dclose");
    for (int f = 0; f < 2; f++)
        check(H5Fclose(w->file[f]), "H5Fclose");
}

static void one_step(world *w)
{
    dataset *const s = &w->of[roll(w, DATASETS)];
    const unsigned what = roll(w, 100);
    if (!s->name[0])
        create(w, s);
    else if (what < 40)
        write_slabs(w, s);
    else if (what < 70)
        read_slabs(w, s);
    else if (what < 78)
        resize(w, s);
    else if (what < 86)
        attribute(w, s);
    else if (what < 90)
        delete_dataset(w, s);
    else if (what < 94)
        move_dataset(w, s);
    else if (what < 97)
        for (int f = 0; f < 2; f++)
            check(H5Fflush(w->file[f], H5F_SCOPE_LOCAL), "H5Fflush");
    else
        tell(w, s, "and all others closed and opened"), close_files(w), open_files(w, 0);
}

int main(int argc, char **argv)
{
    world w = {0};
    begin(&argc, &argv, &w.rank, &w.ranks);
    if (argc != 5)
        give_up("usage: random_slabs SEED STEPS STORE NATIVE");
    w.state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    w.path[0] = argv[3], w.path[1] = argv[4];
    open_files(&w, 1);
    const int steps = atoi(argv[2]);
    for (w.step = 0; w.step < steps; w.step++) {
        where.step = w.step;
        one_step(&w);
    }
    close_files(&w);
    return end();
}
