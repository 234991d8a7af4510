/* test_util_hash.c - hashes: of bytes, of long texts, of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util/bytes_internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_hash(void **state)
{
    (void)state;
    /* The same everywhere: tokens and names depend on it. */
    assert_true(vz_hash("", 0, 0) == vz_hash(NULL, 0, 0));
    assert_true(vz_hash("a", 1, 0) == UINT64_C(0x82a2a958a9bece5b));
    assert_true(vz_hash("a", 1, 0) != vz_hash("a", 1, 1));
    assert_true(vz_hash("b", 1, vz_hash("a", 1, 0)) != vz_hash("a", 1, vz_hash("b", 1, 0)));
    unsigned buckets[64] = {0};
    for (int i = 0; i < 64000; i++)
        buckets[vz_hash(&i, sizeof i, 0) >> 58]++;
    for (size_t i = 0; i < COUNT(buckets); i++)
        assert_in_range(buckets[i], 800, 1200);
}

/* Parts tell what the whole does, and each byte counts, wherever it stands. */
static void test_long_hash(void **state)
{
    (void)state;
    uint8_t text[5 * VZ_HASH_STEP];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7);
    for (size_t size = 0; size <= sizeof text; size++) {
        const uint64_t whole = vz_hash_long(text, size);
        for (size_t first = 0; first <= size; first += VZ_HASH_STEP) {
            vz_long_hash parts;
            vz_hash_begin(&parts, size);
            vz_hash_more(&parts, text, first);
            vz_hash_more(&parts, text + first, size - first);
            assert_true(vz_hash_end(&parts) == whole);
        }
        for (size_t i = 0; i < size; i++) {
            text[i] ^= 0x40;
            assert_true(vz_hash_long(text, size) != whole);
            text[i] ^= 0x40;
        }
        assert_true(size == 0 || vz_hash_long(text, size - 1) != whole);
    }
    uint8_t moved[2 * VZ_HASH_STEP] = {[0] = 1}, other[2 * VZ_HASH_STEP] = {[8] = 1};
    assert_true(vz_hash_long(moved, sizeof moved) != vz_hash_long(other, sizeof other));
}

/* Each byte and the length count, whatever the seed. */
static void test_key_hash(void **state)
{
    char key[40];
    (void)state;
    for (size_t size = 0; size <= sizeof key; size++) {
        memset(key, 'a', sizeof key);
        const uint64_t whole = vz_hash_key(key, size, 7);
        assert_true(size == 0 || vz_hash_key(key, size - 1, 7) != whole);
        assert_true(vz_hash_key(key, size, 8) != whole);
        for (size_t i = 0; i < size; i++) {
            key[i] ^= 1;
            assert_true(vz_hash_key(key, size, 7) != whole);
            key[i] ^= 1;
        }
    }
    unsigned buckets[64] = {0};
    for (int i = 0; i < 64000; i++)
        buckets[vz_hash_key((const char *)&i, sizeof i, 0) >> 58]++;
    for (size_t i = 0; i < COUNT(buckets); i++)
        assert_in_range(buckets[i], 800, 1200);
}

/* The highest bits of a word change the least of a product: no bits of the next word undo that for every seed. */
static void test_keys_are_not_chosen(void **state)
{
    enum { WORD = 8, SEEDS = 1000 };
    char key[3 * WORD], other[3 * WORD];
    (void)state;
    memset(key, 'a', sizeof key);
    for (unsigned bit = 0; bit < 8 * WORD; bit++) {
        unsigned alike = 0;
        memcpy(other, key, sizeof key);
        other[WORD - 1] ^= (char)0x80;
        other[2 * WORD - 1] ^= (char)0x80;
        other[WORD + bit / 8] ^= (char)(1 << bit % 8);
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            alike += vz_hash_key(key, sizeof key, seed * 64) == vz_hash_key(other, sizeof other, seed * 64);
        assert_int_equal(alike, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash), cmocka_unit_test(test_long_hash),
                                       cmocka_unit_test(test_key_hash), cmocka_unit_test(test_keys_are_not_chosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
