/* test_chunks_shard_stream.c - shards that a write covers go to a directory in pieces: what is in memory of them, what
 * is there afterwards, and what becomes of them where something goes wrong. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "array/chunks/shard_state.h"
#include "own_directory.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 3, CHUNK = 128 * 128 * sizeof(int32_t), ROWS = 700, COLUMNS = 500 };

static char directory[64];

/* Shards of 256 x 256, three by two of them, of which the last row and column are not full. */
static vz_meta *make_meta(const char *chunk, const char *location)
{
    char text[1024];
    assert_true(
        snprintf(text, sizeof text,
                 "{'shape':[%d,%d],'data_type':'int32','chunk_grid':{'name':'regular','configuration':{"
                 "'chunk_shape':[256,256]}},'chunk_key_encoding':{'name':'default'},'fill_value':0,'codecs':[{'name':"
                 "'sharding_indexed','configuration':{'chunk_shape':[%s],'codecs':[{'name':'bytes',"
                 "'configuration':{'endian':'little'}}],'index_location':'%s','index_codecs':[{'name':'bytes',"
                 "'configuration':{'endian':'little'}},{'name':'crc32c'}]}}],'attributes':{},'zarr_format':3,"
                 "'node_type':'array'}",
                 ROWS, COLUMNS, chunk, location) < (int)sizeof text);
    return meta_of_v3(text);
}

static subject subject_in(const char *chunk, const char *location, const bool *is_new)
{
    vz_error err = VZ_ERROR_NONE;
    assert_true(own_directory(directory));
    subject s = {.store = vz_store_open_directory(directory, true, &err), .meta = make_meta(chunk, location)};
    no_error(s.store != NULL, &err);
    s.array = vz_array_open(s.store, s.meta, "a", true, &err); /* fill is left out */
    no_error(s.array != NULL, &err);
    if (is_new)
        vz_array_set_new(s.array, is_new);
    return s;
}

static void end(subject *s, int32_t *values)
{
    free(values);
    subject_clear(s);
    assert_int_equal(remove_tree(directory), 0);
}

static int32_t *numbers(int32_t first)
{
    int32_t *values = malloc((size_t)ROWS * COLUMNS * sizeof *values);
    assert_non_null(values);
    for (int32_t i = 0; i < ROWS * COLUMNS; i++)
        values[i] = first + i;
    return values;
}

/* What stands in the store, seen by an array that has just been opened. */
static void assert_stored(const subject *s, const int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    int32_t *back = numbers(-ROWS * COLUMNS);
    subject again = {s->store, s->meta, vz_array_open(s->store, s->meta, "a", false, &err)};
    no_error(again.array != NULL, &err);
    read_block(&again, NULL, NULL, back);
    assert_memory_equal(back, values, (size_t)ROWS * COLUMNS * sizeof *back);
    vz_array_close(again.array);
    free(back);
}

static int command(const char *text)
{
    char all[512];
    assert_true(snprintf(all, sizeof all, "cd %s && %s", directory, text) < (int)sizeof all);
    return system(all);
}

static void assert_nothing_unfinished(void)
{
    assert_int_equal(command("test -z \"$(find . -name '*.partial')\""), 0);
}

static bool try_write(subject *s, const int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, NULL, NULL);
    const vz_transfer transfer = plain_transfer(s->meta, &region, (void *)values);
    const bool ok = vz_array_write(s->array, &transfer, &err);
    assert_true(ok == (err.class == VZ_OK));
    return ok;
}

/* With one thread no chunk waits for another one: none is kept. Twice: of an array that nobody else knows, and over
 * what is there; the same bytes come of it, whatever the threads do. */
static void test_nothing_waits(void **state)
{
    (void)state;
    const char *const locations[] = {"end", "start"};
    for (unsigned i = 0; i < 2; i++) {
        bool is_new = true;
        subject s = subject_in("128,128", locations[i], &is_new);
        for (int32_t turn = 0; turn < 8; turn++, is_new = false) {
            int32_t *values = numbers(turn * 1000000);
            vz_pool_set_threads(turn < 2 ? 1 : WIDTH);
            write_block(&s, NULL, NULL, values);
            assert_true(turn >= 2 || vz_array_counted(s.array).waiting_most < CHUNK);
            assert_int_equal(vz_array_dirty_bytes(s.array), 0);
            assert_stored(&s, values);
            assert_nothing_unfinished();
            assert_int_equal(
                turn == 2 ? command("mkdir ../$(basename $PWD).copy && cp -r a ../$(basename $PWD).copy") : 0, 0);
            free(values);
        }
        int32_t *values = numbers(2 * 1000000);
        write_block(&s, NULL, NULL, values);
        assert_int_equal(command("diff -r a ../$(basename $PWD).copy/a && rm -r ../$(basename $PWD).copy"), 0);
        end(&s, values);
    }
    vz_pool_set_threads(0);
}

/* Chunks that are small are written together; chunks that are all fill are missing; a shard of nothing else is not
 * there. */
static void test_small_and_missing_chunks(void **state)
{
    (void)state;
    const char *const chunks[] = {"32,64", "128,128", "256,256"};
    for (unsigned i = 0; i < 6; i++) {
        bool is_new = i % 2 == 0;
        vz_error err = VZ_ERROR_NONE;
        subject s = subject_in(chunks[i / 2], "end", &is_new);
        int32_t *values = numbers(7);
        vz_pool_set_threads(i % 2 ? WIDTH : 1);
        if (!is_new)
            write_block(&s, NULL, NULL, values);
        for (size_t row = 0; row < 256; row++) /* all of the first shard, and some chunks of the next one */
            memset(values + row * COLUMNS, 0, (row < 128 ? 384 : 256) * sizeof *values);
        for (size_t row = 256; row < 384; row++)
            memset(values + row * COLUMNS, 0, 128 * sizeof *values);
        write_block(&s, NULL, NULL, values);
        /* Of several threads a slow one lets the chunks of the others wait. */
        const uint64_t most = vz_array_counted(s.array).waiting_most;
        assert_true(i % 2 == 1 || most < 256 * 256 * sizeof *values + 64 * sizeof(vz_shard_waiting_chunk));
        vz_stamp stamp;
        no_error(vz_store_stat(s.store, "a/c/0/0", &stamp, &err), &err);
        assert_false(stamp.exists);
        assert_stored(&s, values);
        assert_nothing_unfinished();
        end(&s, values);
    }
    vz_pool_set_threads(0);
}

/* A shard that cannot take its place waits, as it would have without pieces: nothing of it is lost. */
static void test_what_fails_waits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool is_new = i % 2 == 0;
        subject s = subject_in(i < 2 ? "128,128" : "32,64", i < 2 ? "end" : "start", &is_new);
        int32_t *values = numbers(1);
        vz_pool_set_threads(i % 2 ? WIDTH : 1);
        assert_int_equal(command("mkdir -p a/c/1/1/x"), 0); /* in the place of a shard */
        assert_false(try_write(&s, values));
        assert_nothing_unfinished();
        assert_true(vz_array_dirty_bytes(s.array) > 188 * 244 * sizeof *values);
        assert_int_equal(command("rm -r a/c/1/1"), 0);
        flush(&s);
        assert_int_equal(vz_array_dirty_bytes(s.array), 0);
        assert_stored(&s, values);
        end(&s, values);
    }
    vz_pool_set_threads(0);
}

/* Where no file can be made chunks wait, and the write tells why. */
static void test_no_file(void **state)
{
    (void)state;
    subject s = subject_in("128,128", "end", NULL);
    int32_t *values = numbers(3);
    assert_int_equal(command("mkdir a && touch a/c"), 0); /* in the place of a directory */
    assert_false(try_write(&s, values));
    assert_int_equal(command("rm a/c"), 0);
    flush(&s);
    assert_stored(&s, values);
    end(&s, values);
}

/* What waited of a shard before goes with it, or is replaced. */
static void test_over_what_waits(void **state)
{
    (void)state;
    subject s = subject_in("128,128", "end", NULL);
    int32_t *values = numbers(50);
    vz_pool_set_threads(WIDTH);
    write_block(&s, (uint64_t[]){128, 128}, (uint64_t[]){128, 128}, values);
    write_block(&s, NULL, NULL, values);
    flush(&s);
    assert_stored(&s, values);
    end(&s, values);
    vz_pool_set_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_waits),    cmocka_unit_test(test_small_and_missing_chunks),
        cmocka_unit_test(test_what_fails_waits), cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_over_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
