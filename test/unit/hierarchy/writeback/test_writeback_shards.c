/* test_writeback_shards.c - a shard that another writer replaces while it is read: in a store that can only tell that
 * it did, and in one that holds what was opened. */
#include "node_support.h"
#include "metadata/metadata/format_internal.h"
#include "array/chunks/chunks_internal.h"
#include "own_directory.h"
#include <pthread.h>
#include <unistd.h>

enum { CHUNKS = 4, LENGTH = 8, VERSIONS = 3 };

#define DOCUMENT                                                                                                       \
    "{'shape':[32],'data_type':'int32','chunk_grid':{'name':'regular','configuration':{'chunk_shape':[32]}},"          \
    "'chunk_key_encoding':{'name':'default'},'fill_value':-1,'codecs':[{'name':'sharding_indexed','configuration':"    \
    "{'chunk_shape':[8],'codecs':[{'name':'bytes','configuration':{'endian':'little'}}%s],'index_codecs':[{'name':"    \
    "'bytes','configuration':{'endian':'little'}},{'name':'crc32c'}]}}%s],'attributes':{},'zarr_format':3,"            \
    "'node_type':'array'}"

static const struct {
    const char *within, *behind;
} forms[] = {{"", ""}, {",{'name':'gzip','configuration':{'level':1}}", ""}, {"", ",{'name':'crc32c'}"}};
#define FORMS (sizeof forms / sizeof *forms)

/* Versions of the shard "c/0", all of one size: in version v, chunk i is full of v * 100 + i, and lies elsewhere. */
typedef struct versions {
    vz_buffer bytes[VERSIONS];
} versions;

/* Before this many more reads come through, the shard is replaced; then it stays. */
typedef struct restless {
    vz_store base;
    vz_store *below;
    const versions *versions;
    pthread_mutex_t lock;
    unsigned turn, left;
} restless;

static bool restless_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    restless *r = (restless *)store;
    if (!vz_store_get(r->below, key, range, out, found, err))
        return false;
    pthread_mutex_lock(&r->lock);
    const bool replaces = r->left > 0;
    r->left -= replaces;
    r->turn += replaces;
    const vz_buffer *next = &r->versions->bytes[r->turn % VERSIONS];
    const bool ok = !replaces || vz_store_put(r->below, key, (vz_bytes){next->data, next->size}, err);
    pthread_mutex_unlock(&r->lock);
    return ok;
}

static bool restless_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    return vz_store_stat(((restless *)store)->below, key, stamp, err);
}

static void restless_close(vz_store *store)
{
    (void)store;
}

static const vz_store_class restless_class = {
    .kind = "restless", .get = restless_get, .stat = restless_stat, .close = restless_close};

static vz_meta *meta_of(size_t form)
{
    char text[2048];
    assert_true(snprintf(text, sizeof text, DOCUMENT, forms[form].within, forms[form].behind) < (int)sizeof text);
    vz_json *document = json_of(text);
    vz_meta *meta = vz_meta_parse_v3(document, NULL);
    must(meta != NULL);
    vz_json_free(document);
    return meta;
}

static vz_transfer transfer_of(vz_region *region, uint64_t start, uint64_t count, int32_t *values)
{
    *region =
        (vz_region){.rank = 1, .start = {start}, .stride = {1}, .count = {1}, .block = {count}, .memory_stride = {1}};
    return (vz_transfer){.region = region, .buffer = values, .element_size = sizeof *values};
}

/* Chunks are stored one after the other in another order each time, so that the index of one version misleads in the
 * others. */
static void make_versions(versions *v, size_t form)
{
    vz_meta *meta = meta_of(form);
    for (unsigned version = 0; version < VERSIONS; version++) {
        vz_store *store = vz_store_new_memory(NULL);
        vz_array *array = vz_array_open(store, meta, "", false, NULL);
        int32_t values[CHUNKS * LENGTH];
        vz_region region;
        bool found;
        for (int i = 0; i < CHUNKS * LENGTH; i++) /* the first `version` chunks are missing: the others move */
            values[i] = i / LENGTH < (int)version ? -1 : (int)version * 100 + i / LENGTH;
        const vz_transfer transfer =
            transfer_of(&region, version * LENGTH, (CHUNKS - version) * LENGTH, values + version * LENGTH);
        must(array && vz_array_write(array, &transfer, &err) && vz_array_flush(array, &err));
        v->bytes[version] = (vz_buffer){0};
        must(vz_store_get(store, "c/0", VZ_WHOLE, &v->bytes[version], &found, &err) && found);
        vz_array_close(array);
        vz_store_close(store);
    }
    vz_meta_free(meta);
}

static void clear_versions(versions *v)
{
    for (unsigned i = 0; i < VERSIONS; i++)
        vz_buffer_clear(&v->bytes[i]);
}

/* All chunks are of one version: told which. */
static unsigned assert_one_version(const int32_t *values)
{
    const unsigned version = (unsigned)values[CHUNKS * LENGTH - 1] / 100;
    assert_true(version < VERSIONS);
    for (int i = 0; i < CHUNKS * LENGTH; i++)
        assert_int_equal(values[i], i / LENGTH < (int)version ? -1 : (int)version * 100 + i / LENGTH);
    return version;
}

static void read_all(vz_array *array, int32_t *values, bool expected, const char *text)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_region region;
    const vz_transfer transfer = transfer_of(&region, 0, CHUNKS * LENGTH, values);
    const bool ok = vz_array_read(array, &transfer, &failed);
    if (ok != expected || (text && !strstr(failed.text, text)))
        fail_msg("%d: %s", ok, failed.text);
}

static void replaced_between_two_calls(void **state)
{
    (void)state;
    for (size_t form = 0; form < FORMS; form++)
        for (unsigned left = 0; left < 12; left++) {
            versions v;
            make_versions(&v, form);
            vz_meta *meta = meta_of(form);
            restless store = {.below = vz_store_new_memory(NULL), .versions = &v, .lock = PTHREAD_MUTEX_INITIALIZER};
            store.base = (vz_store){.class = &restless_class, .path = "restless"};
            must(vz_store_put(store.below, "c/0", (vz_bytes){v.bytes[0].data, v.bytes[0].size}, &err));
            vz_array *array = vz_array_open(&store.base, meta, "", false, NULL);
            must(array != NULL);
            for (unsigned index = 0; index < 3; index++) { /* the index is remembered from the first turn on */
                int32_t values[CHUNKS * LENGTH];
                store.left = left < VZ_FETCH_ATTEMPTS ? left : 0;
                for (unsigned i = 0; i < CHUNKS; i++) { /* chunk by chunk: each of them may meet another version */
                    vz_region region;
                    const vz_transfer transfer = transfer_of(&region, i * LENGTH, LENGTH, values + i * LENGTH);
                    must(vz_array_read(array, &transfer, &err));
                    const int first = values[i * LENGTH];
                    assert_true(first == -1 || first % 100 == (int)i);
                    for (unsigned e = 1; e < LENGTH; e++)
                        assert_int_equal(values[i * LENGTH + e], first);
                }
                store.left = 0;
                read_all(array, values, true, NULL);
                assert_int_equal(assert_one_version(values), store.turn % VERSIONS);
            }
            vz_array_close(array);
            vz_store_close(store.below);
            vz_meta_free(meta);
            clear_versions(&v);
        }
}

static void replaced_all_the_time(void **state)
{
    (void)state;
    for (size_t form = 0; form < FORMS; form++) {
        versions v;
        int32_t values[CHUNKS * LENGTH];
        make_versions(&v, form);
        vz_meta *meta = meta_of(form);
        restless store = {
            .below = vz_store_new_memory(NULL), .versions = &v, .lock = PTHREAD_MUTEX_INITIALIZER, .left = UINT32_MAX};
        store.base = (vz_store){.class = &restless_class, .path = "restless"};
        must(vz_store_put(store.below, "c/0", (vz_bytes){v.bytes[0].data, v.bytes[0].size}, &err));
        vz_array *array = vz_array_open(&store.base, meta, "", false, NULL);
        must(array != NULL);
        read_all(array, values, false, "read 100 times");
        store.left = 0;
        read_all(array, values, true, NULL);
        assert_one_version(values);
        vz_array_close(array);
        vz_store_close(store.below);
        vz_meta_free(meta);
        clear_versions(&v);
    }
}

/* A directory holds the file: one transfer sees one version, the next one the version that is there then; nothing is
 * asked for but the index and the chunks. */
static void in_a_directory(void **state)
{
    (void)state;
    for (size_t form = 0; form < FORMS; form++) {
        char path[] = P_tmpdir "/vz_shards_XXXXXX";
        versions v;
        make_versions(&v, form);
        vz_meta *meta = meta_of(form);
        assert_non_null(mkdtemp(path));
        vz_store *store = vz_store_open_directory(path, true, NULL);
        vz_array *array = store ? vz_array_open(store, meta, "", false, NULL) : NULL;
        must(array != NULL);
        for (unsigned turn = 0; turn < 200; turn++) {
            int32_t values[CHUNKS * LENGTH];
            const vz_buffer *next = &v.bytes[turn % VERSIONS];
            must(vz_store_put(store, "c/0", (vz_bytes){next->data, next->size}, &err));
            const vz_store_counts before = vz_store_counted(store);
            read_all(array, values, true, NULL);
            const vz_store_counts after = vz_store_counted(store);
            assert_int_equal(assert_one_version(values), turn % VERSIONS);
            assert_int_equal(after.stats, before.stats);
            const unsigned chunks = CHUNKS - turn % VERSIONS;
            if (*forms[form].behind)
                assert_int_equal(after.gets - before.gets, 1);
            else
                assert_int_equal(after.gets - before.gets, 1 + chunks);
        }
        vz_array_close(array);
        vz_store_close(store);
        vz_meta_free(meta);
        clear_versions(&v);
        assert_int_equal(remove_tree(path), 0);
    }
}

static void assert_first(vz_array *array, int32_t expected)
{
    int32_t values[LENGTH];
    vz_region region;
    const vz_transfer transfer = transfer_of(&region, 0, LENGTH, values);
    must(vz_array_read(array, &transfer, &err));
    for (int i = 0; i < LENGTH; i++)
        assert_int_equal(values[i], expected);
}

/* What was read of a shard that was old enough for its stamp to last is remembered, and told no longer when another one
 * takes its place: neither its chunks, where it was decoded as a whole, nor that one is missing. */
static void replaced_after_it_was_remembered(void **state)
{
    (void)state;
    for (size_t form = 0; form < FORMS; form++) {
        char path[] = P_tmpdir "/vz_shards_XXXXXX";
        versions v;
        int32_t values[CHUNKS * LENGTH];
        make_versions(&v, form);
        vz_meta *meta = meta_of(form);
        assert_non_null(mkdtemp(path));
        vz_store *store = vz_store_open_directory(path, true, NULL);
        vz_array *array = store ? vz_array_open(store, meta, "", false, NULL) : NULL;
        must(array != NULL);
        for (unsigned version = VERSIONS; version-- > 0;) {
            must(vz_store_put(store, "c/0", (vz_bytes){v.bytes[version].data, v.bytes[version].size}, &err));
            usleep(100000); /* file times of this kernel last after 50 ms */
            assert_first(array, version == 0 ? 0 : -1);
            read_all(array, values, true, NULL);
            assert_int_equal(assert_one_version(values), version);
        }
        vz_array_close(array);
        vz_store_close(store);
        vz_meta_free(meta);
        clear_versions(&v);
        assert_int_equal(remove_tree(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_after_it_was_remembered),
        cmocka_unit_test(replaced_between_two_calls),
        cmocka_unit_test(replaced_all_the_time),
        cmocka_unit_test(in_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
