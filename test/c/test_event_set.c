/* test_event_set.c - random programs of asynchronous calls say what the same programs say on a native file, whose calls
 * are done when they return. VZ_EVENT_SET_SEEDS: how many of them. Under ThreadSanitizer: make tsan. */
#include "both.h"
#include "dice.h"

enum { ROWS = 24, COLUMNS = 10, DATASETS = 5, UNDER_WAY = 24, TURNS = 160, SEEDS = 6 };

/* An operation under way: its memory is not touched until the set was waited for. */
typedef struct operation {
    bool reads;
    double memory[ROWS * 3 * COLUMNS];
    size_t bytes;
} operation;

typedef struct program {
    trial *t;
    dice d;
    hid_t set;
    hid_t datasets[DATASETS], types[DATASETS];
    hsize_t rows[DATASETS];
    operation *operations;
    size_t count;
} program;

static hid_t stored_type(unsigned which)
{
    if (which == 3) { /* converted by HDF5 */
        const hid_t pair = H5Tcreate(H5T_COMPOUND, 12);
        H5Tinsert(pair, "a", 0, H5T_STD_I32BE);
        H5Tinsert(pair, "b", 4, H5T_IEEE_F64LE);
        return pair;
    }
    return H5Tcopy(which == 0   ? H5T_STD_I32LE
                   : which == 1 ? H5T_STD_I16BE
                   : which == 2 ? H5T_IEEE_F64LE
                                : H5T_STD_U8LE);
}

static hid_t memory_type(program *p, unsigned which)
{
    if (which == 3) { /* in another order */
        const hid_t pair = H5Tcreate(H5T_COMPOUND, 12);
        H5Tinsert(pair, "b", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(pair, "a", 8, H5T_NATIVE_INT);
        return pair;
    }
    return H5Tcopy(roll(&p->d, 3) ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE);
}

static void make(program *p, unsigned which)
{
    char name[8];
    const hsize_t shape[] = {ROWS, COLUMNS}, most[] = {H5S_UNLIMITED, COLUMNS}, chunk[] = {which == 4 ? ROWS : 5, 4};
    const hid_t space = H5Screate_simple(2, shape, most), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    if (which % 2 == 0)
        H5Pset_deflate(list, 1);
    snprintf(name, sizeof name, "d%u", which);
    p->types[which] = stored_type(which);
    p->rows[which] = ROWS;
    p->datasets[which] =
        H5Dcreate_async(p->t->file, name, p->types[which], space, H5P_DEFAULT, list, H5P_DEFAULT, p->set);
    assert_true(p->datasets[which] >= 0);
    H5Pclose(list);
    H5Sclose(space);
}

/* A block, every second row of one, or some points: equal in file and memory. */
static hid_t select_some(program *p, unsigned which, hsize_t *elements)
{
    const hsize_t shape[] = {p->rows[which], COLUMNS};
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hsize_t start[] = {roll(&p->d, (unsigned)shape[0] - 4), roll(&p->d, COLUMNS - 3)};
    const hsize_t count[] = {1 + roll(&p->d, 2), 1 + roll(&p->d, 3)}, stride[] = {2, 1};
    hsize_t points[6];
    switch (roll(&p->d, 4)) {
    case 0:
        for (size_t i = 0; i < 3; i++) {
            points[2 * i] = roll(&p->d, 7) + 7 * i;
            points[2 * i + 1] = roll(&p->d, COLUMNS);
        }
        H5Sselect_elements(space, H5S_SELECT_SET, 3, points);
        break;
    case 1:
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
        break;
    case 2:
        break; /* all */
    default:
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    }
    *elements = (hsize_t)H5Sget_select_npoints(space);
    return space;
}

/* ---- what is seen when nothing is under way ---- */

static void wait_for_all(program *p)
{
    size_t left = 1;
    hbool_t failed = false;
    assert_true(H5ESwait(p->set, H5ES_WAIT_FOREVER, &left, &failed) >= 0);
    assert_true(left == 0 && !failed);
    for (size_t i = 0; i < p->count; i++)
        if (p->operations[i].reads)
            say(p->t, "%x ", hash(p->operations[i].memory, p->operations[i].bytes));
    say(p->t, "\n");
    p->count = 0;
}

static operation *next_operation(program *p, bool reads)
{
    if (p->count == UNDER_WAY)
        wait_for_all(p);
    operation *next = &p->operations[p->count++];
    memset(next, 0, sizeof *next);
    next->reads = reads;
    return next;
}

/* ---- the calls ---- */

static void move(program *p, unsigned which, bool reads, bool later)
{
    hsize_t elements;
    operation *o = next_operation(p, reads);
    const hid_t space = select_some(p, which, &elements), type = memory_type(p, which);
    const hid_t memory = H5Screate_simple(1, &elements, NULL), set = later ? p->set : H5ES_NONE;
    o->bytes = elements * H5Tget_size(type);
    for (size_t i = 0; !reads && i < elements; i++)
        if (which == 3)
            memset((char *)o->memory + i * H5Tget_size(type), (int)(i % 50), H5Tget_size(type));
        else if (H5Tequal(type, H5T_NATIVE_INT) > 0)
            ((int *)o->memory)[i] = (int)roll(&p->d, 200);
        else
            o->memory[i] = roll(&p->d, 200);
    assert_true((reads ? H5Dread_async(p->datasets[which], type, memory, space, H5P_DEFAULT, o->memory, set)
                       : H5Dwrite_async(p->datasets[which], type, memory, space, H5P_DEFAULT, o->memory, set)) >= 0);
    H5Sclose(memory); /* the caller's to close, whatever goes on */
    H5Sclose(space);
    H5Tclose(type);
}

/* Two datasets at once: native HDF5 has no way for one that is given twice. */
static void move_two(program *p)
{
    const unsigned one = roll(&p->d, 2), two = 2;
    hid_t sets[] = {p->datasets[one], p->datasets[two]}, types[] = {H5T_NATIVE_INT, H5T_NATIVE_INT};
    hid_t spaces[] = {H5S_ALL, H5S_ALL};
    if (p->count + 2 > UNDER_WAY)
        wait_for_all(p);
    operation *a = next_operation(p, true), *b = next_operation(p, true);
    void *memory[] = {a->memory, b->memory};
    a->bytes = p->rows[one] * COLUMNS * sizeof(int);
    b->bytes = p->rows[two] * COLUMNS * sizeof(int);
    assert_true(H5Dread_multi_async(2, sets, types, spaces, spaces, H5P_DEFAULT, memory, p->set) >= 0);
}

static void reopen_one(program *p, unsigned which)
{
    char name[8];
    snprintf(name, sizeof name, "d%u", which);
    assert_true(H5Dclose_async(p->datasets[which], p->set) >= 0);
    p->datasets[which] = H5Dopen_async(p->t->file, name, H5P_DEFAULT, p->set);
    assert_true(p->datasets[which] >= 0);
}

static void grow(program *p, unsigned which)
{
    const hsize_t shape[] = {ROWS + roll(&p->d, ROWS), COLUMNS};
    assert_true(H5Dset_extent_async(p->datasets[which], shape, p->set) >= 0);
    p->rows[which] = shape[0];
}

static void look(program *p, unsigned which)
{
    hsize_t shape[2];
    const hid_t space = H5Dget_space(p->datasets[which]);
    H5Sget_simple_extent_dims(space, shape, NULL);
    say(p->t, "%d rows\n", (int)shape[0]);
    H5Sclose(space);
}

static void write_attribute(program *p, unsigned which)
{
    const int value = (int)roll(&p->d, 1000);
    int found = -1;
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Adelete(p->datasets[which], "a");
    const hid_t attribute =
        H5Acreate_async(p->datasets[which], "a", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, p->set);
    assert_true(H5Awrite_async(attribute, H5T_NATIVE_INT, &value, p->set) >= 0);
    assert_true(H5Aread_async(attribute, H5T_NATIVE_INT, &found, p->set) >= 0);
    wait_for_all(p);
    say(p->t, "attribute %d\n", found);
    assert_true(H5Aclose_async(attribute, p->set) >= 0);
    H5Sclose(space);
}

static void turn(program *p)
{
    size_t left;
    hbool_t failed;
    const unsigned which = roll(&p->d, DATASETS);
    const unsigned call = roll(&p->d, 30);
    if (call < 10)
        move(p, which, true, true);
    else if (call < 20)
        move(p, which, false, true);
    else if (call < 22)
        move(p, which, roll(&p->d, 2), false);
    else if (call == 22)
        move_two(p);
    else if (call == 23)
        reopen_one(p, which);
    else if (call == 24)
        grow(p, which);
    else if (call == 25)
        look(p, which);
    else if (call == 26)
        write_attribute(p, which);
    else if (call == 27)
        assert_true(H5Fflush_async(p->t->file, H5F_SCOPE_GLOBAL, p->set) >= 0);
    else if (call == 28)
        assert_true(H5ESwait(p->set, roll(&p->d, 2) ? 0 : 50000, &left, &failed) >= 0 && !failed);
    else
        wait_for_all(p);
}

/* ---- a program ---- */

static uint64_t seed;

static void run_program(trial *t)
{
    program p = {.t = t, .d = {seed}, .set = H5EScreate()};
    p.operations = malloc(UNDER_WAY * sizeof *p.operations);
    assert_non_null(p.operations);
    for (unsigned i = 0; i < DATASETS; i++)
        make(&p, i);
    for (unsigned i = 0; i < TURNS; i++)
        turn(&p);
    if (roll(&p.d, 2)) { /* the file is closed while some are under way: the last handle closes it */
        assert_true(H5Fclose_async(t->file, p.set) >= 0);
        t->file = H5I_INVALID_HID;
    }
    for (unsigned i = 0; i < DATASETS; i++)
        assert_true(H5Dclose_async(p.datasets[i], p.set) >= 0);
    wait_for_all(&p);
    if (t->file < 0)
        t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    for (unsigned i = 0; i < DATASETS; i++) {
        char name[8];
        snprintf(name, sizeof name, "d%u", i);
        p.datasets[i] = H5Dopen2(t->file, name, H5P_DEFAULT);
        operation *all = next_operation(&p, true);
        const hid_t type = i == 3 ? p.types[3] : H5T_NATIVE_INT;
        all->bytes = p.rows[i] * COLUMNS * H5Tget_size(type);
        assert_true(H5Dread(p.datasets[i], type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all->memory) >= 0);
        H5Dclose(p.datasets[i]);
        H5Tclose(p.types[i]);
    }
    wait_for_all(&p);
    assert_true(H5ESclose(p.set) >= 0);
    free(p.operations);
}

static void random_programs_are_as_native(void **state)
{
    (void)state;
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY, WRAPPED, STACKED};
    const char *asked = getenv("VZ_EVENT_SET_SEEDS");
    const uint64_t count = asked ? strtoull(asked, NULL, 10) : SEEDS;
    for (seed = 1; seed <= count; seed++)
        on_kinds(run_program, others, sizeof others / sizeof *others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_are_as_native)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
