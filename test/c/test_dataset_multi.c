/* test_dataset_multi.c - H5Dread_multi and H5Dwrite_multi: datasets of one call go on together, and what has an order
 * keeps it: the answers are those of the same transfers one after the other. test_selections.c compares random calls
 * with HDF5's own, whose multi calls (1.14.5) take neither H5S_BLOCK nor a dataset twice. */
#include "both.h"
#include <pthread.h>

#define MOST 300

/* The arguments of a call. */
typedef struct call {
    size_t count;
    hid_t dset[MOST], type[MOST], memory[MOST], file[MOST];
    void *buf[MOST];
} call;

static void add(call *c, hid_t dset, hid_t type, hid_t memory, hid_t file, void *buf)
{
    c->dset[c->count] = dset;
    c->type[c->count] = type;
    c->memory[c->count] = memory;
    c->file[c->count] = file;
    c->buf[c->count++] = buf;
}

static bool together; /* one call; else one for each dataset */

static const char *reads(call *c)
{
    herr_t status = 0;
    if (together)
        return went(H5Dread_multi(c->count, c->dset, c->type, c->memory, c->file, H5P_DEFAULT, c->buf));
    for (size_t i = 0; i < c->count && status >= 0; i++)
        status = H5Dread(c->dset[i], c->type[i], c->memory[i], c->file[i], H5P_DEFAULT, c->buf[i]);
    return went(status);
}

static const char *writes(call *c)
{
    herr_t status = 0;
    if (together)
        return went(H5Dwrite_multi(c->count, c->dset, c->type, c->memory, c->file, H5P_DEFAULT, (const void **)c->buf));
    for (size_t i = 0; i < c->count && status >= 0; i++)
        status = H5Dwrite(c->dset[i], c->type[i], c->memory[i], c->file[i], H5P_DEFAULT, c->buf[i]);
    return went(status);
}

/* The scenario in both ways, on stores of both dialects. */
static void both_ways(scenario run)
{
    static const kind kinds[] = {ZARR, ZARR_HDMF};
    for (size_t k = 0; k < 2; k++) {
        trial *t[2];
        for (int way = 0; way < 2; way++) {
            together = way == 1;
            t[way] = trial_run(kinds[k], run);
        }
        assert_true(t[0]->size > 0);
        compare(t[0], t[1]);
        free(t[0]);
        free(t[1]);
    }
}

#define IN_BOTH_WAYS(name)                                                                                             \
    static void name##_in_both_ways(void **state)                                                                      \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        both_ways(name);                                                                                               \
    }
#define AS_ONE(name) cmocka_unit_test(name##_in_both_ways)

static hid_t numbers(trial *t, const char *name, hsize_t count, hsize_t chunk)
{
    const hid_t space = H5Screate_simple(1, &count, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, 1);
    const hid_t id = H5Dcreate2(t->file, name, H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return id;
}

/* `count` elements from `start` on of so many, every `step`th. */
static hid_t part(hsize_t all, hsize_t start, hsize_t step, hsize_t count)
{
    const hid_t space = H5Screate_simple(1, &all, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &step, &count, NULL) >= 0);
    return space;
}

static void say_numbers(trial *t, const char *what, const int *values, size_t count)
{
    say(t, "%s:", what);
    for (size_t i = 0; i < count; i++)
        say(t, " %d", values[i]);
    say(t, "\n");
}

static void say_all(trial *t, hid_t dset, size_t count)
{
    int values[64] = {0};
    say(t, "read %s", went(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    say_numbers(t, "", values, count);
}

static void close_spaces(const hid_t *spaces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        H5Sclose(spaces[i]);
}

/* ---- order ---- */

/* The same dataset four times, the same chunk each time: the later one wins. */
static void one_dataset_many_times(trial *t)
{
    const hid_t a = numbers(t, "a", 20, 8), b = numbers(t, "b", 20, 8);
    const hid_t spaces[] = {part(20, 0, 1, 10), part(20, 4, 1, 10), part(20, 6, 2, 5),
                            part(20, 7, 1, 1),  part(10, 0, 1, 5),  part(10, 0, 1, 1)};
    int values[5][10];
    call c = {0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 10; k++)
            values[i][k] = 100 * (i + 1) + k;
    for (int turn = 0; turn < 3; turn++) {
        c.count = 0;
        add(&c, a, H5T_NATIVE_INT, H5S_BLOCK, spaces[0], values[0]);
        add(&c, b, H5T_NATIVE_INT, H5S_BLOCK, spaces[1], values[1]);
        add(&c, a, H5T_NATIVE_INT, H5S_BLOCK, spaces[1], values[2]);
        add(&c, a, H5T_NATIVE_INT, spaces[4], spaces[2], values[3]);
        add(&c, a, H5T_NATIVE_INT, spaces[5], spaces[3], values[4]);
        say(t, "write %s\n", writes(&c));
        say_all(t, a, 20);
        say_all(t, b, 20);
        values[2][0]++;
    }
    memset(values, 0, sizeof values);
    say(t, "read %s\n", reads(&c));
    say_numbers(t, "all", values[0], 50);
    close_spaces(spaces, 6);
    H5Dclose(a);
    H5Dclose(b);
}
IN_BOTH_WAYS(one_dataset_many_times)

/* Two datasets into the even and odd elements of one buffer; then into elements of which some are the same. */
static void one_buffer(trial *t)
{
    const hid_t a = numbers(t, "a", 10, 4), b = numbers(t, "b", 10, 4);
    const hid_t even = part(20, 0, 2, 10), odd = part(20, 1, 2, 10), first = part(20, 3, 1, 10),
                last = part(20, 8, 1, 10);
    int from[2][10], to[20] = {0};
    for (int k = 0; k < 20; k++)
        from[k / 10][k % 10] = 1 + k;
    H5Dwrite(a, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, from[0]);
    H5Dwrite(b, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, from[1]);
    call c = {0};
    add(&c, a, H5T_NATIVE_INT, even, H5S_ALL, to);
    add(&c, b, H5T_NATIVE_INT, odd, H5S_ALL, to);
    say(t, "meshed %s\n", reads(&c));
    say_numbers(t, "to", to, 20);
    c.memory[0] = first;
    c.memory[1] = last;
    say(t, "over each other %s\n", reads(&c));
    say_numbers(t, "to", to, 20);
    c.memory[0] = c.memory[1] = H5S_ALL;
    say(t, "the same %s\n", reads(&c));
    say_numbers(t, "to", to, 20);
    close_spaces((const hid_t[]){even, odd, first, last}, 4);
    H5Dclose(a);
    H5Dclose(b);
}
IN_BOTH_WAYS(one_buffer)

/* ---- types that are converted, and that grow ---- */

typedef struct record {
    int n;
    const char *text;
} record;

static hid_t record_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(record)), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    H5Tinsert(type, "n", HOFFSET(record, n), H5T_NATIVE_INT);
    H5Tinsert(type, "text", HOFFSET(record, text), text);
    H5Tclose(text);
    return type;
}

/* Each write has longer text than what is stored, so that the arrays are made wider between their transfers; the third
 * dataset gets one member only and keeps the other. */
static void growing_text(trial *t)
{
    static const char *const texts[] = {"a", "abc", "abcdefg", "abcdefghijklmnop"};
    const hid_t type = record_type(), space = H5Screate_simple(1, (const hsize_t[]){6}, NULL);
    const hid_t number = H5Tcreate(H5T_COMPOUND, sizeof(int));
    H5Tinsert(number, "n", 0, H5T_NATIVE_INT);
    hid_t dset[3];
    for (int i = 0; i < 3; i++)
        dset[i] =
            H5Dcreate2(t->file, (const char[]){(char)('a' + i), 0}, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int turn = 0; turn < 4; turn++) {
        record values[2][6];
        int plain[6];
        call c = {0};
        for (int k = 0; k < 6; k++) {
            values[0][k] = (record){turn * 10 + k, texts[k % (turn + 1)]};
            values[1][k] = (record){turn * 100 + k, texts[(k + 1) % (turn + 1)]};
            plain[k] = turn * 1000 + k;
        }
        add(&c, dset[0], type, H5S_ALL, H5S_ALL, values[0]);
        add(&c, dset[2], turn == 1 ? type : number, H5S_ALL, H5S_ALL, turn == 1 ? (void *)values[1] : plain);
        add(&c, dset[1], type, H5S_ALL, H5S_ALL, values[1]);
        say(t, "write %s\n", writes(&c));
        record got[3][6];
        memset(got, 0, sizeof got);
        c.count = 0;
        for (int i = 0; i < 3; i++)
            add(&c, dset[i], type, H5S_ALL, H5S_ALL, got[i]);
        say(t, "read %s\n", reads(&c));
        for (int i = 0; i < 18; i++)
            say(t, " %d %s", got[i / 6][i % 6].n, got[i / 6][i % 6].text ? got[i / 6][i % 6].text : "");
        say(t, "\n");
        for (int i = 0; i < 3; i++)
            H5Treclaim(type, space, H5P_DEFAULT, got[i]);
    }
    for (int i = 0; i < 3; i++)
        H5Dclose(dset[i]);
    H5Tclose(number);
    H5Tclose(type);
    H5Sclose(space);
}
IN_BOTH_WAYS(growing_text)

/* ---- conversions that only HDF5 knows ---- */

static pthread_t caller;
static unsigned converted;

/* From a float of x87 to a number: registered by the program, and asked for on the thread that called HDF5 only. */
static herr_t convert_here(hid_t from, hid_t to, H5T_cdata_t *data, size_t count, size_t stride,
                           size_t background_stride, void *buf, void *background, hid_t dxpl)
{
    const size_t in = H5Tget_size(from), out = H5Tget_size(to);
    (void)stride, (void)background_stride, (void)background, (void)dxpl;
    if (data->command != H5T_CONV_CONV)
        return 0;
    assert_true(pthread_equal(pthread_self(), caller));
    for (size_t i = 0; i < count; i++) {
        long double value = 0;
        int number;
        memcpy(&value, (char *)buf + i * in, in);
        number = (int)value + 1000; /* to be seen */
        memcpy((char *)buf + i * out, &number, out);
        converted++;
    }
    return 0;
}

/* Three datasets of many chunks, decoded by several threads; each element is converted once, by the caller. */
static void a_conversion_of_the_program(void **state)
{
    (void)state;
    together = true;
    trial *t = trial_begin(ZARR);
    const hsize_t count = 400, chunk = 10;
    const hid_t space = H5Screate_simple(1, &count, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    static long double from[3][400];
    static int to[3][400];
    call c = {0};
    H5Pset_chunk(dcpl, 1, &chunk);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 400; k++)
            from[i][k] = 400 * i + k;
        const hid_t id = H5Dcreate2(t->file, (const char[]){(char)('a' + i), 0}, H5T_NATIVE_LDOUBLE, space, H5P_DEFAULT,
                                    dcpl, H5P_DEFAULT);
        assert_true(H5Dwrite(id, H5T_NATIVE_LDOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, from[i]) >= 0);
        add(&c, id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, to[i]);
    }
    caller = pthread_self();
    assert_true(H5Tregister(H5T_PERS_HARD, "here", H5T_NATIVE_LDOUBLE, H5T_NATIVE_INT, convert_here) >= 0);
    assert_string_equal(reads(&c), "ok");
    assert_true(H5Tunregister(H5T_PERS_HARD, "here", H5T_NATIVE_LDOUBLE, H5T_NATIVE_INT, convert_here) >= 0);
    assert_int_equal(converted, 1200);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 400; k++)
            assert_int_equal(to[i][k], 400 * i + k + 1000);
        H5Dclose(c.dset[i]);
    }
    H5Pclose(dcpl);
    H5Sclose(space);
    trial_end(t);
    free(t);
}

/* ---- failures, and many ---- */

/* A selection beyond the end of one: the call fails, and nothing is written to the others. */
static void one_is_wrong(void **state)
{
    (void)state;
    together = true;
    trial *t = trial_begin(ZARR);
    static const int nothing[40];
    int values[4][10], got[40];
    call c = {0};
    const hid_t outside = part(40, 35, 1, 5), five = part(10, 0, 1, 5);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 10; k++)
            values[i][k] = 10 * i + k + 1;
        add(&c, numbers(t, (const char[]){(char)('a' + i), 0}, 10, 3), H5T_NATIVE_INT, i == 2 ? five : H5S_ALL,
            i == 2 ? outside : H5S_ALL, values[i]);
    }
    assert_string_equal(writes(&c), "failed");
    assert_string_equal(reads(&c), "failed");
    c.memory[2] = c.file[2] = H5S_ALL;
    for (int i = 0; i < 4; i++)
        c.buf[i] = got + 10 * i;
    assert_string_equal(reads(&c), "ok");
    assert_memory_equal(got, nothing, sizeof got);
    for (int i = 0; i < 4; i++)
        H5Dclose(c.dset[i]);
    close_spaces((const hid_t[]){outside, five}, 2);
    trial_end(t);
    free(t);
}

static void very_many(trial *t)
{
    static int from[MOST][4], to[MOST][4];
    static call c;
    c.count = 0;
    for (int i = 0; i < MOST; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        for (int k = 0; k < 4; k++)
            from[i][k] = 4 * i + k;
        add(&c, numbers(t, name, 4, 3), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, from[i]);
    }
    say(t, "write %s\n", writes(&c));
    for (int i = 0; i < MOST; i++) {
        c.buf[i] = to[i];
        c.memory[i] = i % 7 ? H5S_ALL : H5S_BLOCK;
    }
    memset(to, 0, sizeof to);
    say(t, "read %s\n", reads(&c));
    say_numbers(t, "all", to[0], 4 * MOST);
    for (int i = 0; i < MOST; i++)
        H5Dclose(c.dset[i]);
}
IN_BOTH_WAYS(very_many)

/* What cannot be read is named, with its store. */
static void the_error_names_it(void **state)
{
    (void)state;
    together = true;
    trial *t = trial_begin(ZARR);
    int values[3][10] = {{0}};
    call c = {0};
    for (int i = 0; i < 3; i++)
        add(&c, numbers(t, (const char[]){(char)('a' + i), 0}, 10, 10), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, values[i]);
    assert_string_equal(writes(&c), "ok");
    assert_true(H5Fflush(t->file, H5F_SCOPE_GLOBAL) >= 0);
    char chunk[200];
    snprintf(chunk, sizeof chunk, "%s/b/0", t->path);
    FILE *file = fopen(chunk, "w");
    assert_non_null(file);
    fputs("no chunk", file);
    fclose(file);
    for (int i = 0; i < 3; i++) {
        H5Dclose(c.dset[i]);
        c.dset[i] = H5Dopen2(t->file, (const char[]){(char)('a' + i), 0}, H5P_DEFAULT);
    }
    assert_string_equal(reads(&c), "failed");
    char text[2000] = "";
    FILE *told = fmemopen(text, sizeof text, "w");
    H5Eprint2(H5E_DEFAULT, told);
    fclose(told);
    assert_non_null(strstr(text, "b/0"));
    assert_non_null(strstr(text, t->path));
    for (int i = 0; i < 3; i++)
        H5Dclose(c.dset[i]);
    trial_end(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_ONE(one_dataset_many_times),
        AS_ONE(one_buffer),
        AS_ONE(growing_text),
        AS_ONE(very_many),
        cmocka_unit_test(a_conversion_of_the_program),
        cmocka_unit_test(one_is_wrong),
        cmocka_unit_test(the_error_names_it),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
