/* test_chunks_cache.c - the chunk cache as a container: finding, order of use, what is counted, what may go. */
#include "array_support.h"
#include "array/chunks/chunks_internal.h"

enum { CHUNK_SIZE = 1000 };

static vz_cached *add(vz_chunk_cache *cache, uint64_t x, uint64_t y)
{
    const uint64_t chunk[2] = {x, y};
    vz_error err = VZ_ERROR_NONE;
    vz_cached *entry = vz_cache_add(cache, chunk, &err);
    assert_non_null(entry);
    assert_true(vz_cached_data(cache, entry, &err));
    entry->ready = true;
    entry->pins = 0;
    return entry;
}

static vz_cached *find(vz_chunk_cache *cache, uint64_t x, uint64_t y)
{
    const uint64_t chunk[2] = {x, y};
    return vz_cache_find(cache, chunk);
}

static void test_finds_what_is_there(void **state)
{
    (void)state;
    vz_chunk_cache cache;
    vz_cache_init(&cache, 2, CHUNK_SIZE, SIZE_MAX / 2);
    assert_null(find(&cache, 0, 0));
    for (uint64_t i = 0; i < 1000; i++)
        add(&cache, i, UINT64_MAX - i);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_non_null(find(&cache, i, UINT64_MAX - i));
        assert_null(find(&cache, i, i));
    }
    for (uint64_t i = 0; i < 1000; i += 2)
        vz_cache_remove(&cache, find(&cache, i, UINT64_MAX - i));
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(find(&cache, i, UINT64_MAX - i) != NULL, i % 2);
    assert_int_equal(cache.count, 500);
    assert_int_equal(cache.bytes, 500 * vz_cache_cost(&cache));
    vz_cache_clear(&cache);
    assert_int_equal(cache.count, 0);
    assert_int_equal(cache.bytes, 0);
}

static void test_the_oldest_goes_first(void **state)
{
    (void)state;
    vz_chunk_cache cache;
    vz_cache_init(&cache, 2, CHUNK_SIZE, 0);
    cache.budget = 3 * vz_cache_cost(&cache);
    for (uint64_t i = 0; i < 5; i++)
        add(&cache, i, 0);
    find(&cache, 0, 0);
    vz_cache_trim(&cache, 0, true);
    assert_int_equal(cache.count, 3);
    assert_non_null(find(&cache, 0, 0));
    assert_null(find(&cache, 1, 0));
    assert_null(find(&cache, 2, 0));
    vz_cache_trim(&cache, vz_cache_cost(&cache), false);
    assert_int_equal(cache.count, 2);
    cache.budget = 0;
    vz_cache_trim(&cache, 0, true);
    assert_int_equal(cache.count, 1); /* the newest */
    assert_non_null(find(&cache, 0, 0));
    vz_cache_trim(&cache, 0, false);
    assert_int_equal(cache.count, 0);
    vz_cache_clear(&cache);
}

static void test_dirty_and_pinned_stay(void **state)
{
    (void)state;
    vz_chunk_cache cache;
    vz_cache_init(&cache, 2, CHUNK_SIZE, 0);
    vz_cached *dirty = add(&cache, 1, 1), *pinned = add(&cache, 2, 2);
    add(&cache, 3, 3);
    vz_cache_recount(&cache, dirty, true);
    pinned->pins = 1;
    assert_int_equal(cache.dirty_bytes, vz_cache_cost(&cache));
    vz_cache_trim(&cache, 0, false);
    assert_int_equal(cache.count, 2);
    vz_cache_recount(&cache, dirty, false);
    assert_int_equal(cache.dirty_bytes, 0);
    vz_cache_recount(&cache, pinned, true);
    vz_cache_remove(&cache, pinned);
    assert_int_equal(cache.dirty_bytes, 0);
    vz_cache_clear(&cache);
}

/* An arena counts; memory of evicted chunks serves the next ones. */
static void test_bytes_are_counted(void **state)
{
    (void)state;
    vz_chunk_cache cache;
    vz_error err = VZ_ERROR_NONE;
    vz_cache_init(&cache, 2, CHUNK_SIZE, 1 << 20);
    vz_cached *entry = add(&cache, 1, 1);
    assert_non_null(vz_arena_alloc(&entry->arena, 5000, &err));
    vz_cache_recount(&cache, entry, true);
    assert_int_equal(cache.bytes, vz_cache_cost(&cache) + entry->arena.used);
    assert_int_equal(cache.dirty_bytes, cache.bytes);
    const uint8_t *data = entry->data;
    vz_cache_remove(&cache, entry);
    assert_ptr_equal(add(&cache, 2, 2)->data, data);
    vz_cache_clear(&cache);
}

/* Memory of chunks that go is that of those that come: together they never have more than the budget. */
static void test_memory_goes_on(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20, KEPT = 20 }; /* more than there are spares */
    vz_chunk_cache cache;
    vz_error err = VZ_ERROR_NONE;
    vz_cached *fresh[KEPT];
    vz_cache_init(&cache, 2, LARGE, KEPT * (size_t)LARGE);
    for (uint64_t i = 0; i < KEPT; i++)
        add(&cache, i, 0);
    for (uint64_t i = 0; i < KEPT; i++) {
        const uint64_t chunk[2] = {i, 1};
        fresh[i] = vz_cache_add(&cache, chunk, &err);
        assert_non_null(fresh[i]);
    }
    vz_cache_trim(&cache, 0, true);
    for (uint64_t i = 0; i < KEPT; i++)
        assert_non_null(fresh[i]->data);
    assert_int_equal(cache.count, KEPT);
    assert_int_equal(cache.spare_count, 0);
    vz_cache_remove(&cache, fresh[0]);
    vz_cache_remove(&cache, fresh[1]);
    cache.budget = (KEPT - 1) * (size_t)LARGE;
    vz_cache_trim(&cache, 0, true);
    assert_int_equal(cache.spare_count, 1);
    vz_cache_clear(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_is_there), cmocka_unit_test(test_the_oldest_goes_first),
        cmocka_unit_test(test_memory_goes_on),      cmocka_unit_test(test_dirty_and_pinned_stay),
        cmocka_unit_test(test_bytes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
