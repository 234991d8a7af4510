/* test_writeback_shared_chunks.c - writers that change different elements of the same chunks, each with a store and a
 * cache of his own: nothing of anybody is lost, in whichever order they write. */
#include "array_support.h"
#include "metadata/metadata/format_internal.h"
#include "own_directory.h"
#include <unistd.h>

enum { LENGTH = 24, ROUNDS = 300, WRITERS = 3 };

#define V3(codecs)                                                                                                     \
    "{'zarr_format':3,'node_type':'array','shape':[24],'data_type':'int32','chunk_grid':{'name':'regular',"            \
    "'configuration':{'chunk_shape':[12]}},'chunk_key_encoding':{'name':'default'},'fill_value':7,'codecs':[" codecs   \
    "],'attributes':{}}"
#define BYTES "{'name':'bytes','configuration':{'endian':'little'}}"
#define GZIP  ",{'name':'gzip','configuration':{'level':1}}"
#define SHARDED(chunks, within)                                                                                        \
    "{'name':'sharding_indexed','configuration':{'chunk_shape':[" chunks "],'codecs':[" within                         \
    "],'index_codecs':[" BYTES ",{'name':'crc32c'}]}}"

static const char *const documents[] = {
    V3(BYTES),
    V3(BYTES GZIP),
    V3(SHARDED("4", BYTES)),
    V3(SHARDED("4", BYTES GZIP)),
    V3(SHARDED("6", SHARDED("3", BYTES))),
    V3(SHARDED("4", BYTES) GZIP),
};

typedef struct writer {
    vz_store *store;
    vz_meta *meta;
    vz_array *array;
} writer;

static writer open_writer(const char *path, vz_store *shared, const char *document, bool skip_fill)
{
    vz_error err = VZ_ERROR_NONE;
    writer w = {.store = shared ? shared : vz_store_open_directory(path, true, &err), .meta = meta_of_v3(document)};
    no_error(w.store != NULL, &err);
    w.array = vz_array_open(w.store, w.meta, "a", skip_fill, &err);
    no_error(w.array != NULL, &err);
    return w;
}

static void close_writer(writer *w, const vz_store *shared)
{
    vz_array_close(w->array);
    vz_meta_free(w->meta);
    if (w->store != shared)
        vz_store_close(w->store);
}

static void transfer(writer *w, bool reads, uint64_t start, uint64_t count, int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(w->meta, &start, &count);
    const vz_transfer t = plain_transfer(w->meta, &region, values);
    no_error(reads ? vz_array_read(w->array, &t, &err) : vz_array_write(w->array, &t, &err), &err);
}

static void flush_writer(writer *w)
{
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_array_flush(w->array, &err), &err);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Each has the elements whose number leaves his own remainder; some of what they write is the fill value. */
static void write_some(writer *w, unsigned who, uint32_t *random, int32_t *expected)
{
    const unsigned count = 1 + next_random(random) % 4;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t at = next_random(random) % (LENGTH / WRITERS) * WRITERS + who;
        expected[at] = next_random(random) % 3 ? (int32_t)next_random(random) : 7;
        transfer(w, false, at, 1, &expected[at]);
    }
}

static void check(const char *path, vz_store *shared, const char *document, const int32_t *expected)
{
    int32_t values[LENGTH];
    writer reader = open_writer(path, shared, document, false);
    transfer(&reader, true, 0, LENGTH, values);
    for (unsigned i = 0; i < LENGTH; i++)
        assert_int_equal(values[i], expected[i]);
    close_writer(&reader, shared);
}

static void run(const char *path, vz_store *shared, const char *document, uint32_t seed, bool skip_fill)
{
    writer writers[WRITERS];
    int32_t expected[LENGTH];
    for (unsigned i = 0; i < LENGTH; i++)
        expected[i] = 7;
    for (unsigned i = 0; i < WRITERS; i++)
        writers[i] = open_writer(path, shared, document, skip_fill);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned who = next_random(&seed) % WRITERS;
        write_some(&writers[who], who, &seed, expected);
        if (next_random(&seed) % 4 == 0)
            flush_writer(&writers[next_random(&seed) % WRITERS]);
        if (next_random(&seed) % 16 == 0)
            vz_array_drop_clean(writers[next_random(&seed) % WRITERS].array);
        if (next_random(&seed) % 32)
            continue;
        for (unsigned i = 0; i < WRITERS; i++)
            flush_writer(&writers[i]);
        check(path, shared, document, expected);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        flush_writer(&writers[i]);
    check(path, shared, document, expected);
    for (unsigned i = 0; i < WRITERS; i++)
        close_writer(&writers[i], shared);
}

static void in_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        for (uint32_t seed = 0; seed < 10; seed++) {
            vz_store *store = vz_store_new_memory(NULL);
            run("", store, documents[i], seed, seed % 2);
            vz_store_close(store);
        }
}

static void in_a_directory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char path[] = P_tmpdir "/vz_parts_XXXXXX";
        assert_non_null(mkdtemp(path));
        run(path, NULL, documents[i], (uint32_t)i, i % 2);
        assert_int_equal(remove_tree(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
