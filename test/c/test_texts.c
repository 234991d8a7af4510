/* test_texts.c - text of variable length, read and written by pointers: selections, memory managers, text that is not
 * UTF-8, and reads that fail. */
#include "both.h"

enum { COUNT = 20000, CHUNK = 6000, SIZE = 24 };

static hid_t text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static hid_t dataset(trial *t, hid_t type)
{
    const hsize_t count = COUNT, chunk = CHUNK;
    const hid_t space = H5Screate_simple(1, &count, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    const hid_t id = H5Dcreate2(t->file, "x", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    assert_true(id >= 0);
    return id;
}

static hid_t space_of(hsize_t length, hsize_t start, hsize_t stride, hsize_t count)
{
    const hid_t space = H5Screate_simple(1, &length, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL) >= 0);
    return space;
}

/* "text <number>", and every tenth nothing. */
static char **make_texts(void)
{
    char **texts = malloc(COUNT * sizeof *texts), *letters = malloc((size_t)COUNT * SIZE);
    for (int i = 0; i < COUNT; i++) {
        texts[i] = letters + (size_t)i * SIZE;
        snprintf(texts[i], SIZE, i % 10 ? "text %d" : "", i);
    }
    return texts;
}

static void free_texts(char **texts)
{
    free(texts[0]);
    free(texts);
}

static void say_text(trial *t, const char *text)
{
    say(t, " %s", text && *text ? text : "-");
}

/* All of them, through a sum, and some by themselves. Text that was never written is NULL or empty. */
static void say_all(trial *t, hid_t id, hid_t type, hid_t dxpl)
{
    char **texts = calloc(COUNT, sizeof *texts);
    const hid_t space = H5Dget_space(id);
    unsigned sum = 0;
    say(t, "read %s:", went(H5Dread(id, type, H5S_ALL, H5S_ALL, dxpl, texts)));
    for (int i = 0; i < COUNT; i++)
        for (const char *c = texts[i]; c && *c; c++)
            sum = sum * 31 + (unsigned char)*c + (unsigned)i;
    for (int i = 0; i < COUNT; i += 1999)
        say_text(t, texts[i]);
    say(t, " sum %u\n", sum);
    H5Treclaim(type, space, dxpl, texts);
    H5Sclose(space);
    free(texts);
}

static void whole_and_parts(trial *t)
{
    const hid_t type = text_type(), id = dataset(t, type);
    char **texts = make_texts();
    say_all(t, id, type, H5P_DEFAULT);
    say(t, "write %s\n", went(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts)));
    say_all(t, id, type, H5P_DEFAULT);
    /* neighbours in memory from the eleventh on, every third in the file */
    hid_t memory = space_of(COUNT, 10, 1, 5000), file = space_of(COUNT, 7, 3, 5000);
    say(t, "part %s\n", went(H5Dwrite(id, type, memory, file, H5P_DEFAULT, texts)));
    say_all(t, id, type, H5P_DEFAULT);
    H5Sclose(memory);
    H5Sclose(file);
    /* every second in memory */
    memory = space_of(COUNT, 1, 2, 3000), file = space_of(COUNT, 4000, 1, 3000);
    say(t, "gaps %s\n", went(H5Dwrite(id, type, memory, file, H5P_DEFAULT, texts)));
    char **back = calloc(COUNT, sizeof *back);
    say(t, "read %s:", went(H5Dread(id, type, memory, file, H5P_DEFAULT, back)));
    for (int i = 0; i < 12; i++)
        say(t, " %s", back[i] ? back[i] : "nothing");
    say(t, "\n");
    H5Treclaim(type, memory, H5P_DEFAULT, back);
    free(back);
    H5Sclose(memory);
    H5Sclose(file);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "x", H5P_DEFAULT);
    say_all(t, again, type, H5P_DEFAULT);
    H5Dclose(again);
    H5Tclose(type);
    free_texts(texts);
}
ON_EVERY_KIND(whole_and_parts)

static void points(trial *t)
{
    const hid_t type = text_type(), id = dataset(t, type);
    char **texts = make_texts(), *back[5] = {0};
    const hsize_t five = 5, at[] = {19999, 3, 6001, 3, 5999};
    const hid_t memory = H5Screate_simple(1, &five, NULL), file = H5Dget_space(id);
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    H5Sselect_elements(file, H5S_SELECT_SET, five, at);
    say(t, "points %s:", went(H5Dread(id, type, memory, file, H5P_DEFAULT, back)));
    for (size_t i = 0; i < five; i++)
        say_text(t, back[i]);
    say(t, "\n");
    H5Treclaim(type, memory, H5P_DEFAULT, back);
    H5Sclose(memory);
    H5Sclose(file);
    H5Dclose(id);
    H5Tclose(type);
    free_texts(texts);
}
ON_EVERY_KIND(points)

static void *take(size_t size, void *count)
{
    ++*(size_t *)count;
    return malloc(size);
}

static void leave(void *memory, void *count)
{
    --*(size_t *)count;
    free(memory);
}

static void with_a_manager(trial *t)
{
    const hid_t type = text_type(), id = dataset(t, type), dxpl = H5Pcreate(H5P_DATASET_XFER);
    char **texts = make_texts();
    size_t taken = 0;
    H5Pset_vlen_mem_manager(dxpl, take, &taken, leave, &taken);
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    say_all(t, id, type, dxpl);
    say(t, "%d are left\n", (int)taken);
    H5Pclose(dxpl);
    H5Dclose(id);
    H5Tclose(type);
    free_texts(texts);
}
ON_EVERY_KIND(with_a_manager)

/* NULL is written as no text, and the last text is not UTF-8: HDF5 does not look. */
static void odd_texts(trial *t)
{
    const hid_t type = text_type(), id = dataset(t, type);
    char **texts = make_texts(), *kept = texts[COUNT - 1];
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    texts[1999] = NULL;
    texts[COUNT - 1] = (char *)"caf\xe9";
    say(t, "write %s\n", went(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts)));
    say_all(t, id, type, H5P_DEFAULT);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Dopen2(t->file, "x", H5P_DEFAULT), shown = H5Dget_type(again);
    say(t, "its type %d\n", H5Tequal(shown, type));
    say_all(t, again, type, H5P_DEFAULT);
    H5Tclose(shown);
    H5Dclose(again);
    H5Tclose(type);
    texts[COUNT - 1] = kept;
    free_texts(texts);
}
ON_EVERY_KIND(odd_texts)

/* The second chunk is what another program may have stored: "one", and a text with `letter` in it. */
static void read_after(trial *t, char letter, char **back)
{
    const unsigned char stored[] = {2, 0, 0, 0, 3, 0, 0, 0, 'o', 'n', 'e', 3, 0, 0, 0, 't', (unsigned char)letter, 'o'};
    char path[160];
    assert_true(H5Fclose(t->file) >= 0);
    snprintf(path, sizeof path, "%s/x/1", t->path);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(stored, 1, sizeof stored, file), sizeof stored);
    fclose(file);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    const hid_t type = text_type(), id = H5Dopen2(t->file, "x", H5P_DEFAULT);
    memset(back, 0xee, 4 * sizeof *back);
    say(t, "%s\n", went(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back)));
    H5Dclose(id);
    H5Tclose(type);
}

/* A text with a NUL in it is told, and nothing is left to be freed. */
static void reads_that_fail(void **state)
{
    static const char *const texts[] = {"a", "b", "c", "d"};
    const hsize_t count = 4, chunk = 2;
    char *back[4];
    (void)state;
    trial *t = trial_begin(ZARR);
    H5Pset_fapl_zarr(t->fapl, "format=2;compress=none");
    H5Fclose(t->file);
    create_file(t);
    const hid_t type = text_type(), space = H5Screate_simple(1, &count, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    const hid_t id = H5Dcreate2(t->file, "x", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    H5Dclose(id);
    read_after(t, 'w', back);
    assert_string_equal(back[0], "a");
    assert_string_equal(back[3], "two");
    H5Treclaim(type, space, H5P_DEFAULT, back);
    read_after(t, '\0', back);
    for (size_t i = 0; i < count; i++)
        assert_null(back[i]);
    assert_string_equal(t->said, "ok\nfailed\n");
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
    trial_end(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(whole_and_parts),        AS_NATIVE(points), AS_NATIVE(with_a_manager), AS_NATIVE(odd_texts),
        cmocka_unit_test(reads_that_fail),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
