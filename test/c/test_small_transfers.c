/* test_small_transfers.c - a few elements at a time, as programs move them that go row by row: random calls on a
 * dataset whose chunks are in memory or not, through several handles and dataspaces of any age, answer as on a native
 * file. */
#include "both.h"
#include "dice.h"

enum { ROOM = 4096, TURNS = 200, SEEDS = 12, HANDLES = 3, SIDE = 14 };

typedef struct subject {
    trial *t;
    dice d;
    int rank;
    hid_t handles[HANDLES];
    hid_t old; /* a dataspace of an extent that may be another one by now; or invalid */
    hsize_t shape[2];
} subject;

static uint8_t bytes[ROOM], before[ROOM];

/* ---- types ---- */

static hid_t stored_type(unsigned which)
{
    hid_t type;
    switch (which) {
    case 0:
        return H5Tcopy(H5T_STD_I16BE);
    case 1:
        return H5Tcopy(H5T_IEEE_F32LE);
    case 2:
        return H5Tarray_create2(H5T_STD_I32LE, 1, (const hsize_t[]){3});
    case 3:
        type = H5Tcreate(H5T_COMPOUND, 12);
        H5Tinsert(type, "a", 0, H5T_STD_I32LE);
        H5Tinsert(type, "b", 4, H5T_IEEE_F64LE);
        return type;
    case 4:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, 5);
        return type;
    default:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    }
}

/* The stored type itself, or one that elements are converted to. */
static hid_t memory_type(subject *s, hid_t stored)
{
    const unsigned which = roll(&s->d, 8);
    const H5T_class_t class = H5Tget_class(stored);
    if (class != H5T_INTEGER && class != H5T_FLOAT)
        return H5Tcopy(stored);
    return H5Tcopy(which == 0   ? H5T_NATIVE_INT
                   : which == 1 ? H5T_NATIVE_DOUBLE
                   : which == 2 ? H5T_STD_I64BE
                   : which == 3 ? H5T_NATIVE_SHORT
                                : stored);
}

/* ---- selections ---- */

/* A row, an element, a small box. */
static void random_part(subject *s, const hsize_t *extent, hsize_t *start, hsize_t *count)
{
    for (int i = 0; i < s->rank; i++) {
        const unsigned side = (unsigned)extent[i];
        start[i] = roll(&s->d, side ? side : 1);
        const unsigned left = side > start[i] ? side - (unsigned)start[i] : 1;
        count[i] = roll(&s->d, 2) ? 1 : 1 + roll(&s->d, left < 4 ? left : 4);
        if (roll(&s->d, 4) == 0)
            start[i] = 0, count[i] = side ? side : 1;
    }
}

static hid_t file_space(subject *s, hid_t set)
{
    hsize_t start[2], count[2], extent[2];
    const bool is_old = s->old >= 0 && roll(&s->d, 6) == 0;
    const hid_t space = is_old ? H5Scopy(s->old) : H5Dget_space(set);
    H5Sget_simple_extent_dims(space, extent, NULL);
    for (int i = 0; i < s->rank; i++) /* now and then outside, but for old ones, where HDF5 does not look for that */
        extent[i] = extent[i] < s->shape[i] ? extent[i] : s->shape[i] + (!is_old && roll(&s->d, 30) == 0);
    if (is_old && (extent[0] == 0 || (s->rank == 2 && extent[1] == 0)))
        H5Sselect_none(space);
    else if (!is_old && roll(&s->d, 12) == 0)
        H5Sselect_all(space);
    else {
        random_part(s, extent, start, count);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (roll(&s->d, 8) == 0) {
            random_part(s, extent, start, count);
            H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL);
        }
        if (!is_old && roll(&s->d, 16) == 0)
            H5Soffset_simple(space, (const hssize_t[]){(hssize_t)roll(&s->d, 3) - 1, 0});
    }
    return space;
}

/* Packed; a stretch or a box of more; or as many elements as nobody asked for. */
static hid_t memory_space(subject *s, hsize_t points)
{
    const hsize_t wrong = points + (roll(&s->d, 40) == 0), line = wrong + 7;
    const hsize_t box[] = {wrong + 2, 6}, at[] = {1, 2};
    hid_t space;
    switch (roll(&s->d, 4)) {
    case 0:
        space = H5Screate_simple(1, &line, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){3}, NULL, &wrong, NULL);
        return space;
    case 1:
        space = H5Screate_simple(2, box, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, (const hsize_t[]){wrong, 1}, NULL);
        return space;
    default:
        return H5Screate_simple(1, &wrong, NULL);
    }
}

/* ---- calls ---- */

/* Numbers that every conversion keeps; else any bytes. */
static void random_bytes(subject *s, hid_t type, size_t span)
{
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    const size_t size = H5Tget_size(type);
    for (size_t i = 0; i < span; i++)
        bytes[i] = (uint8_t)roll(&s->d, 256);
    for (size_t i = 0; is_float && i < span; i += size) {
        const double wide = (double)roll(&s->d, 1000) - 500;
        const float narrow = (float)wide;
        memcpy(bytes + i, size == sizeof wide ? (const void *)&wide : &narrow, size);
    }
}

static void move(subject *s, bool reading)
{
    const hid_t set = s->handles[roll(&s->d, HANDLES)], stored = H5Dget_type(set);
    const hid_t type = memory_type(s, stored), file = file_space(s, set);
    const hssize_t points = H5Sget_select_npoints(file);
    const hid_t memory = memory_space(s, points > 0 ? (hsize_t)points : 1);
    const size_t span = (size_t)H5Sget_simple_extent_npoints(memory) * H5Tget_size(type);
    if (span <= ROOM) {
        random_bytes(s, type, span);
        const herr_t status = reading ? H5Dread(set, type, memory, file, H5P_DEFAULT, bytes)
                                      : H5Dwrite(set, type, memory, file, H5P_DEFAULT, bytes);
        say(s->t, "%s %s %08x of %d\n", reading ? "r" : "w", went(status), status >= 0 ? hash(bytes, span) : 0,
            (int)points);
    }
    H5Sclose(memory);
    H5Sclose(file);
    H5Tclose(type);
    H5Tclose(stored);
}

static void resize(subject *s)
{
    const int grown = (int)roll(&s->d, (unsigned)s->rank);
    hsize_t shape[2] = {s->shape[0], s->shape[1]}, now[2];
    if (roll(&s->d, 5) == 0)
        shape[grown] = roll(&s->d, SIDE);
    else if (shape[grown] < SIDE + 2)
        shape[grown]++;
    if (s->old >= 0)
        H5Sclose(s->old);
    const hid_t set = s->handles[roll(&s->d, HANDLES)];
    s->old = H5Dget_space(set);
    say(s->t, "extent %s", went(H5Dset_extent(set, shape)));
    const hid_t space = H5Dget_space(s->handles[0]);
    H5Sget_simple_extent_dims(space, s->shape, now);
    say(s->t, " %d %d of %d\n", (int)s->shape[0], (int)s->shape[1], (int)now[0]);
    H5Sclose(space);
}

static void all_of_it(subject *s)
{
    const hid_t stored = H5Dget_type(s->handles[0]);
    memset(before, 0, sizeof before);
    say(s->t, "all %s", went(H5Dread(s->handles[0], stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, before)));
    say(s->t, " %08x\n", hash(before, (size_t)(s->shape[0] * s->shape[1]) * H5Tget_size(stored)));
    H5Tclose(stored);
}

static void open_all(subject *s)
{
    for (int i = 0; i < HANDLES; i++)
        s->handles[i] = H5Dopen2(s->t->file, i == 1 ? "also" : "d", H5P_DEFAULT);
}

static void close_all(subject *s)
{
    for (int i = 0; i < HANDLES; i++)
        H5Dclose(s->handles[i]);
}

static void turn(subject *s)
{
    switch (roll(&s->d, 24)) {
    case 0:
        say(s->t, "flush %s\n", went(H5Dflush(s->handles[0])));
        break;
    case 1:
        close_all(s);
        if (roll(&s->d, 2))
            reopen(s->t, H5F_ACC_RDWR);
        open_all(s);
        break;
    case 2:
        all_of_it(s);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        resize(s);
        break;
    default:
        move(s, roll(&s->d, 2));
        break;
    }
}

static void create(subject *s, unsigned which)
{
    const hsize_t most[] = {H5S_UNLIMITED, SIDE}, chunk[] = {1 + roll(&s->d, 6), 1 + roll(&s->d, 6)};
    const hid_t space = H5Screate_simple(s->rank, s->shape, most), list = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t type = stored_type(which);
    const short fill = 7;
    H5Pset_chunk(list, s->rank, chunk);
    if (which == 0)
        H5Pset_fill_value(list, H5T_NATIVE_SHORT, &fill);
    if (which == 1)
        H5Pset_deflate(list, 4);
    s->handles[0] = H5Dcreate2(s->t->file, "d", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(s->handles[0] >= 0);
    H5Lcreate_hard(s->t->file, "d", s->t->file, "also", H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(s->handles[0]);
    H5Tclose(type);
    H5Pclose(list);
    H5Sclose(space);
    open_all(s);
}

static void transfers(trial *t)
{
    const char *first = getenv("VZ_TEST_SEED");
    const unsigned from = first ? (unsigned)strtoul(first, NULL, 10) : 0;
    for (unsigned seed = from; seed < from + SEEDS; seed++) {
        subject s = {.t = t, .d = {seed}, .rank = 2 - (int)(seed % 2), .old = H5I_INVALID_HID};
        s.shape[0] = 1 + roll(&s.d, 5);
        s.shape[1] = s.rank == 2 ? 1 + roll(&s.d, 8) : 1;
        say(t, "seed %u\n", seed);
        create(&s, seed % 6);
        for (int i = 0; i < TURNS; i++)
            turn(&s);
        all_of_it(&s);
        close_all(&s);
        if (s.old >= 0)
            H5Sclose(s.old);
        H5Ldelete(t->file, "d", H5P_DEFAULT);
        H5Ldelete(t->file, "also", H5P_DEFAULT);
    }
}
ON_EVERY_KIND(transfers)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(transfers)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
