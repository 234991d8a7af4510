/* test_selections.c - the same random transfers on a native file: any two selections of equal size, types that are
 * converted or not, parts of compounds, tiny buffers, several datasets in a call. */
#include "both.h"
#include "dice.h"

enum { ROWS = 13, COLUMNS = 11, ROOM = 400, TURNS = 60 };

/* ---- selections ---- */

static void random_box(dice *d, hid_t space, H5S_seloper_t with)
{
    const hsize_t start[] = {roll(d, 6), roll(d, 5)}, block[] = {1 + roll(d, 3), 1 + roll(d, 2)};
    const hsize_t stride[] = {block[0] + roll(d, 2), block[1] + roll(d, 2)};
    const hsize_t count[] = {1 + roll(d, 2), 1 + roll(d, 2)};
    H5Sselect_hyperslab(space, with, start, stride, count, block);
}

static void random_points(dice *d, hid_t space, size_t count)
{
    hsize_t at[2 * 16];
    for (size_t i = 0; i < count; i++) {
        at[2 * i] = roll(d, ROWS);
        at[2 * i + 1] = roll(d, COLUMNS);
    }
    H5Sselect_elements(space, H5S_SELECT_SET, count, at);
    if (roll(d, 3) == 0)
        H5Sselect_elements(space, roll(d, 2) ? H5S_SELECT_APPEND : H5S_SELECT_PREPEND, 1, at);
}

static hid_t random_file_space(dice *d)
{
    static const H5S_seloper_t with[] = {H5S_SELECT_OR, H5S_SELECT_XOR, H5S_SELECT_NOTB, H5S_SELECT_NOTA,
                                         H5S_SELECT_AND};
    const hid_t space = H5Screate_simple(2, (const hsize_t[]){ROWS, COLUMNS}, NULL);
    switch (roll(d, 10)) {
    case 0:
        break; /* all */
    case 1:
        H5Sselect_none(space);
        break;
    case 2:
    case 3:
        random_points(d, space, 1 + roll(d, 15));
        break;
    case 4: { /* all but a box */
        hid_t box = H5Scopy(space);
        random_box(d, box, H5S_SELECT_SET);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 0}, NULL, (const hsize_t[]){ROWS, COLUMNS},
                            NULL);
        H5Smodify_select(space, H5S_SELECT_NOTB, box);
        H5Sclose(box);
        break;
    }
    default:
        random_box(d, space, H5S_SELECT_SET);
        for (unsigned more = roll(d, 3); more > 0; more--)
            random_box(d, space, with[roll(d, 5)]);
        if (roll(d, 4) == 0)
            H5Soffset_simple(space, (const hssize_t[]){(hssize_t)roll(d, 2), (hssize_t)roll(d, 2)});
    }
    return space;
}

/* As many elements in a line, a plane, or scattered. */
static hid_t random_memory_space(dice *d, hssize_t count)
{
    const hid_t line = H5Screate_simple(1, (const hsize_t[]){ROOM}, NULL);
    const hsize_t start = roll(d, 3), n = (hsize_t)count;
    const unsigned way = roll(d, 4);
    if (count == 0) {
        H5Sselect_none(line);
    } else if (way == 0 && count % 2 == 0) {
        H5Sclose(line);
        const hid_t plane = H5Screate_simple(3, (const hsize_t[]){2, n / 2 + 1, 1}, NULL);
        H5Sselect_hyperslab(plane, H5S_SELECT_SET, (const hsize_t[]){0, 1, 0}, NULL, (const hsize_t[]){2, n / 2, 1},
                            NULL);
        return plane;
    } else if (way == 1) {
        hsize_t at[ROOM];
        for (hsize_t i = 0; i < n; i++)
            at[i] = ROOM - 1 - 2 * i;
        H5Sselect_elements(line, H5S_SELECT_SET, (size_t)n, at);
    } else {
        const hsize_t stride = 1 + roll(d, 2);
        H5Sselect_hyperslab(line, H5S_SELECT_SET, &start, &stride, &n, NULL);
    }
    return line;
}

/* ---- what is moved ---- */

typedef struct record {
    int a;
    double b;
    short c;
} record;

static hid_t record_type(bool a, bool b, bool c)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(record));
    if (a)
        H5Tinsert(type, "a", offsetof(record, a), H5T_NATIVE_INT);
    if (b)
        H5Tinsert(type, "b", offsetof(record, b), H5T_NATIVE_DOUBLE);
    if (c)
        H5Tinsert(type, "c", offsetof(record, c), H5T_NATIVE_SHORT);
    return type;
}

typedef struct set {
    hid_t dataset;
    bool compound;
} set;

static set create(trial *t, dice *d, const char *name, int which)
{
    static const char record_fill[sizeof(record)];
    const hid_t types[] = {H5T_NATIVE_INT, H5T_STD_I16BE, H5T_IEEE_F32BE}, dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(2, (const hsize_t[]){ROWS, COLUMNS}, NULL);
    const hid_t packed = record_type(true, true, true), type = which < 3 ? types[which] : packed;
    const int fill = 5;
    H5Tpack(packed);
    if (roll(d, 3))
        H5Pset_chunk(dcpl, 2, (const hsize_t[]){1 + roll(d, 6), 1 + roll(d, 6)});
    if (which < 3)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    else
        H5Pset_fill_value(dcpl, packed, record_fill);
    const set s = {H5Dcreate2(t->file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT), which == 3};
    assert_true(s.dataset >= 0);
    H5Tclose(packed);
    H5Sclose(space);
    H5Pclose(dcpl);
    return s;
}

static hid_t random_memory_type(dice *d, const set *s)
{
    const hid_t numbers[] = {H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, H5T_STD_I32BE, H5T_NATIVE_UCHAR};
    if (!s->compound)
        return H5Tcopy(numbers[roll(d, 4)]);
    const bool a = roll(d, 2), b = roll(d, 2);
    return record_type(a, b, roll(d, 2) || !(a || b));
}

/* Values that every type holds. */
static void random_values(dice *d, hid_t type, uint8_t *bytes)
{
    record r = {0};
    const size_t size = H5Tget_size(type);
    memset(bytes, 0, ROOM * sizeof(record));
    for (size_t i = 0; i < ROOM; i++) {
        int number = (int)roll(d, 100);
        uint8_t place[sizeof(record)] = {0};
        memcpy(place, &number, sizeof number);
        if (H5Tget_class(type) == H5T_COMPOUND) {
            r = (record){number, number * 1.5, (short)(number + 1)};
            memset(place, 0, sizeof place);
            memcpy(place + offsetof(record, a), &r.a, sizeof r.a);
            memcpy(place + offsetof(record, b), &r.b, sizeof r.b);
            memcpy(place + offsetof(record, c), &r.c, sizeof r.c);
        } else {
            H5Tconvert(H5T_NATIVE_INT, type, 1, place, NULL, H5P_DEFAULT);
        }
        memcpy(bytes + i * size, place, size);
    }
}

static hid_t random_list(dice *d, char *conversion, char *background)
{
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    switch (roll(d, 4)) {
    case 0:
        H5Pset_buffer(dxpl, 16 + 16 * roll(d, 3), NULL, NULL);
        break;
    case 1:
        H5Pset_buffer(dxpl, 4096, conversion, background);
        break;
    case 2:
        H5Pset_preserve(dxpl, true);
        H5Pset_edc_check(dxpl, H5Z_DISABLE_EDC);
    }
    return dxpl;
}

/* ---- one transfer, or several in a call ---- */

typedef struct move {
    hid_t dataset, type, memory, file;
    uint8_t bytes[ROOM * sizeof(record)];
} move;

static void prepare(dice *d, const set *s, move *m)
{
    m->dataset = s->dataset;
    m->file = random_file_space(d);
    const hssize_t count = H5Sget_select_npoints(m->file);
    m->memory = count > ROOM / 2 - 2 ? H5S_BLOCK : random_memory_space(d, count);
    m->type = random_memory_type(d, s);
    random_values(d, m->type, m->bytes);
}

static void finish(trial *t, move *m)
{
    say(t, " %x", hash(m->bytes, sizeof m->bytes));
    H5Sclose(m->file);
    if (m->memory != H5S_BLOCK)
        H5Sclose(m->memory);
    H5Tclose(m->type);
}

static void say_all(trial *t, const set *s)
{
    record whole[ROWS * COLUMNS];
    const hid_t type = s->compound ? record_type(true, true, true) : H5Tcopy(H5T_NATIVE_DOUBLE);
    memset(whole, 0, sizeof whole);
    H5Dread(s->dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole);
    say(t, " [%x]", hash(whole, sizeof whole));
    H5Tclose(type);
}

static void transfers(trial *t)
{
    static char conversion[4096], background[4096];
    static move moves[4];
    dice d = {1234};
    set sets[4];
    for (int i = 0; i < 4; i++) {
        char name[2] = {(char)('a' + i), 0};
        sets[i] = create(t, &d, name, i);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        const bool writing = roll(&d, 2), several = roll(&d, 4) == 0;
        const size_t count = several ? 4 : 1, first = several ? 0 : roll(&d, 4);
        hid_t dset[4], type[4], memory[4], file[4];
        const void *from[4];
        void *to[4];
        const hid_t dxpl = random_list(&d, conversion, background);
        for (size_t i = 0; i < count; i++) {
            prepare(&d, &sets[first + i], &moves[i]);
            dset[i] = moves[i].dataset;
            type[i] = moves[i].type;
            memory[i] = moves[i].memory;
            file[i] = moves[i].file;
            from[i] = to[i] = moves[i].bytes;
        }
        herr_t status;
        if (several)
            status = writing ? H5Dwrite_multi(4, dset, type, memory, file, dxpl, from)
                             : H5Dread_multi(4, dset, type, memory, file, dxpl, to);
        else
            status = writing ? H5Dwrite(dset[0], type[0], memory[0], file[0], dxpl, from[0])
                             : H5Dread(dset[0], type[0], memory[0], file[0], dxpl, to[0]);
        say(t, "%d %s %d from %d %s", turn, writing ? "write" : "read", (int)count, (int)first, went(status));
        for (size_t i = 0; i < count; i++)
            finish(t, &moves[i]);
        if (writing)
            for (size_t i = 0; i < count; i++)
                say_all(t, &sets[first + i]);
        say(t, "\n");
        H5Pclose(dxpl);
    }
    for (int i = 0; i < 4; i++)
        H5Dclose(sets[i].dataset);
}
ON_EVERY_KIND(transfers)

/* ---- special ids, wrong sizes ---- */

static void special_spaces(trial *t)
{
    dice d = {5};
    const set s = create(t, &d, "a", 0);
    const hid_t plane = H5Screate_simple(2, (const hsize_t[]){ROWS, COLUMNS}, NULL);
    const hid_t other = H5Screate_simple(2, (const hsize_t[]){COLUMNS, ROWS}, NULL);
    const hid_t small = H5Screate_simple(1, (const hsize_t[]){7}, NULL), scalar = H5Screate(H5S_SCALAR);
    const hid_t null = H5Screate(H5S_NULL), outside = H5Screate_simple(2, (const hsize_t[]){ROWS + 5, COLUMNS}, NULL);
    const hid_t ids[] = {H5S_ALL, H5S_BLOCK, plane, other, small, scalar, null, outside};
    int values[ROWS * COLUMNS + 100];
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        values[i] = (int)i;
    H5Dwrite(s.dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sselect_hyperslab(outside, H5S_SELECT_SET, (const hsize_t[]){ROWS, 0}, NULL, (const hsize_t[]){1, 7}, NULL);
    for (int round = 0; round < 2; round++) {
        for (size_t m = 0; m < sizeof ids / sizeof *ids; m++)
            for (size_t f = 0; f < sizeof ids / sizeof *ids; f++) {
                /* native HDF5 hangs over other ranks, reads from anywhere with other extents, and crashes over
                 * H5S_BLOCK */
                if (ids[f] != H5S_ALL && ids[f] != plane)
                    continue;
                memset(values, 0, sizeof values);
                say(t, "%zu %zu %s", m, f,
                    went(H5Dread(s.dataset, H5T_NATIVE_INT, ids[m], ids[f], H5P_DEFAULT, values)));
                say(t, " %x\n", hash(values, sizeof values));
            }
        H5Sselect_hyperslab(plane, H5S_SELECT_SET, (const hsize_t[]){1, 2}, NULL, (const hsize_t[]){1, 7}, NULL);
        H5Sselect_hyperslab(other, H5S_SELECT_SET, (const hsize_t[]){4, 4}, NULL, (const hsize_t[]){7, 1}, NULL);
    }
    for (size_t i = 2; i < sizeof ids / sizeof *ids; i++)
        H5Sclose(ids[i]);
    H5Dclose(s.dataset);
}
ON_EVERY_KIND(special_spaces)

/* ---- exceptions, own memory ---- */

static H5T_conv_ret_t on_exception(H5T_conv_except_t what, hid_t from, hid_t to, void *value, void *result,
                                   void *context)
{
    trial *t = context;
    (void)from, (void)to, (void)value;
    say(t, " !%d", (int)what);
    if (what == H5T_CONV_EXCEPT_RANGE_LOW)
        return H5T_CONV_UNHANDLED;
    if (what == H5T_CONV_EXCEPT_TRUNCATE)
        return H5T_CONV_ABORT;
    *(signed char *)result = 42;
    return H5T_CONV_HANDLED;
}

static void exceptions(trial *t)
{
    const int values[] = {1, 300, -300, 4};
    const double real[] = {1, 2, 3.5, 4};
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){4}, NULL), dxpl = H5Pcreate(H5P_DATASET_XFER);
    const hid_t id = H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    signed char bytes[4] = {0};
    int back[4] = {0};
    H5Pset_type_conv_cb(dxpl, on_exception, t);
    H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    say(t, "narrow %s", went(H5Dread(id, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, dxpl, bytes)));
    say(t, " %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
    say(t, "abort %s\n", went(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, dxpl, real)));
    H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
    say(t, "left %d %d %d %d\n", back[0], back[1], back[2], back[3]);
    H5Dclose(id);
    H5Pclose(dxpl);
    H5Sclose(space);
}
ON_EVERY_KIND(exceptions)

typedef struct pool {
    size_t taken, freed;
} pool;

static void *take(size_t size, void *context)
{
    ((pool *)context)->taken += size;
    return malloc(size);
}

static void give_back(void *memory, void *context)
{
    ((pool *)context)->freed++;
    free(memory);
}

static void own_memory(trial *t)
{
    int a[] = {1, 2, 3}, b[] = {4};
    const hvl_t rows[] = {{3, a}, {0, NULL}, {1, b}};
    hvl_t back[3];
    pool p = {0};
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){3}, NULL), dxpl = H5Pcreate(H5P_DATASET_XFER);
    const hid_t type = H5Tvlen_create(H5T_NATIVE_INT);
    const hid_t id = H5Dcreate2(t->file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_vlen_mem_manager(dxpl, take, &p, give_back, &p);
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, dxpl, rows);
    say(t, "read %s", went(H5Dread(id, type, H5S_ALL, H5S_ALL, dxpl, back)));
    say(t, " %zu %zu %zu", back[0].len, back[1].len, back[2].len);
    say(t, " taken %zu reclaim %s freed %zu\n", p.taken, went(H5Treclaim(type, space, dxpl, back)), p.freed);
    H5Dclose(id);
    H5Tclose(type);
    H5Pclose(dxpl);
    H5Sclose(space);
}
ON_EVERY_KIND(own_memory)

/* ---- stores and HDF5 files in one call ---- */

static void a_call_over_stores_and_files(void **state)
{
    (void)state;
    trial *const t[] = {trial_begin(ZARR), trial_begin(WRAPPED), trial_begin(ZARR)};
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){5}, NULL);
    hid_t dset[3], type[3], memory[3], file[3];
    int from[3][5], to[3][5];
    const void *source[3];
    void *target[3];
    for (int i = 0; i < 3; i++) {
        dset[i] = H5Dcreate2(t[i]->file, "x", H5T_STD_I16BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        type[i] = H5T_NATIVE_INT;
        memory[i] = file[i] = H5S_ALL;
        source[i] = from[i];
        target[i] = to[i];
        for (int k = 0; k < 5; k++)
            from[i][k] = 10 * i + k;
    }
    assert_true(H5Dwrite_multi(3, dset, type, memory, file, H5P_DEFAULT, source) >= 0);
    assert_true(H5Dread_multi(3, dset, type, memory, file, H5P_DEFAULT, target) >= 0);
    assert_memory_equal(from, to, sizeof from);
    H5Sclose(space);
    for (int i = 0; i < 3; i++) {
        H5Dclose(dset[i]);
        trial_end(t[i]);
        free(t[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(transfers),
        AS_NATIVE(special_spaces),
        AS_NATIVE(exceptions),
        AS_NATIVE(own_memory),
        cmocka_unit_test(a_call_over_stores_and_files),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
