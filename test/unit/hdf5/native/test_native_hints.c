/* test_native_hints.c - addresses in nodes of B-trees and symbol tables: those that HDF5 reads next, and of noise
 * nothing outside the file; chunks that are guessed from addresses of leaves. */
#include "hdf5/native/remote_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FILE_SIZE ((uint64_t)1 << 30)

static void store(uint8_t *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t place(int i)
{
    return 4096 + (uint64_t)i * 1000003;
}

/* A node with so many children, each behind a key of `key` bytes. */
static void make_tree(uint8_t *node, size_t size, unsigned kind, unsigned level, int count, size_t key)
{
    memset(node, 0, size);
    memcpy(node, "TREE", 4);
    node[4] = (uint8_t)kind;
    node[5] = (uint8_t)level;
    store(node + 6, (uint64_t)count, 2);
    for (int i = 0; i < count; i++) {
        uint8_t *at = node + 24 + (size_t)i * (key + 8);
        if (kind == 1) {
            store(at, 5000, 4);
            store(at + 8, (uint64_t)i * 100, 8);
        }
        store(at + key, place(i), 8);
    }
}

static void find(vz_native_hints *hints, const uint8_t *node, size_t size)
{
    hints->base = 512;
    hints->file_size = FILE_SIZE;
    vz_native_hints_find(hints, node, size);
    for (size_t i = 0; i < hints->count; i++) {
        assert_true(hints->reads[i].offset < FILE_SIZE && hints->reads[i].size <= FILE_SIZE - hints->reads[i].offset);
        assert_null(hints->reads[i].data);
        assert_true(hints->reads[i].is_metadata);
    }
}

static void assert_places(const vz_native_hints *hints, int count, size_t size)
{
    assert_int_equal(hints->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(hints->reads[i].offset, 512 + place(i));
        assert_int_equal(hints->reads[i].size, size);
    }
}

static void test_trees(void **state)
{
    static vz_native_hints hints;
    static uint8_t node[8192];
    (void)state;
    for (int dimensions = 1; dimensions <= 32; dimensions++) {
        make_tree(node, sizeof node, 1, 1, 20, 8 + 8 * ((size_t)dimensions + 1));
        find(&hints, node, sizeof node);
        assert_places(&hints, 20, sizeof node);
    }
    make_tree(node, sizeof node, 1, 0, 20, 24); /* chunks of elements */
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 0);
    make_tree(node, sizeof node, 0, 1, 30, 8);
    find(&hints, node, sizeof node);
    assert_places(&hints, 30, sizeof node);
    make_tree(node, 544, 0, 0, 30, 8);
    find(&hints, node, 544);
    assert_places(&hints, 30, 1024);
    find(&hints, node, 23);
    assert_int_equal(hints.count, 0);
}

static void test_tables(void **state)
{
    static vz_native_hints hints;
    uint8_t node[328] = "SNOD\1";
    (void)state;
    store(node + 6, 8, 2);
    for (int i = 0; i < 8; i++)
        store(node + 8 + 40 * i + 8, place(i), 8);
    find(&hints, node, sizeof node);
    assert_places(&hints, 8, 1024);
    store(node + 6, 65535, 2); /* more than there is room for */
    find(&hints, node, sizeof node);
    assert_places(&hints, 8, 1024);
    store(node + 8 + 8, UINT64_MAX - 100, 8);
    store(node + 8 + 40 + 8, FILE_SIZE, 8);
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 6);
}

/* 20 leaves of 57 chunks that were written in order. */
static void make_leaves(uint8_t *node, size_t size)
{
    make_tree(node, size, 1, 1, 20, 24);
    for (int i = 0; i < 20; i++) {
        store(node + 24 + i * 32, 17000, 4);
        store(node + 24 + i * 32 + 8, (uint64_t)i * 57 * 100, 8);
    }
}

/* Is it asked for, in one of the reads? */
static bool is_asked(const vz_native_hints *hints, uint64_t address)
{
    for (size_t i = 0; i < hints->count; i++)
        if (address >= hints->reads[i].offset && address - hints->reads[i].offset < hints->reads[i].size)
            return true;
    return false;
}

static void assert_apart(const vz_native_hints *hints)
{
    for (size_t i = 0; i < hints->count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(hints->reads[i].offset >= hints->reads[k].offset + hints->reads[k].size ||
                        hints->reads[k].offset >= hints->reads[i].offset + hints->reads[i].size);
}

static void test_guess(void **state)
{
    static vz_native_hints hints;
    static uint8_t node[2616];
    (void)state;
    vz_native_chunks chunks = {.rank = 1, .extent = {114000}, .chunk = {100}, .grid = {1140}};
    vz_native_wanted wanted = {.chunks = &chunks, .first = 100, .last = 220, .count = 121};
    make_leaves(node, sizeof node);
    hints.wanted = &wanted;
    find(&hints, node, sizeof node);
    assert_true(hints.count > 20);
    assert_apart(&hints);
    for (uint64_t i = 100; i <= 220; i++) /* 8 chunks of a leaf are there before it */
        assert_true(is_asked(&hints, 512 + 4096 + (i - 8) * 1000003 / 57));
    assert_false(is_asked(&hints, 512 + 4096 + 60 * 1000003 / 57) || is_asked(&hints, 512 + 4096 + 300 * 1000003 / 57));
    wanted.count = 3; /* of a box in a wide grid: too few of what lies there */
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 20);
    wanted = (vz_native_wanted){.chunks = &chunks, .first = 0, .last = 1139, .count = 1140}; /* too much */
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 20);
    wanted = (vz_native_wanted){.chunks = &chunks, .first = 0, .last = 30, .count = 31};
    store(node + 24 + 5 * 32 + 24, place(2), 8); /* leaves in no order */
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 20);
    make_leaves(node, sizeof node);
    chunks.rank = 2; /* of another dataset */
    find(&hints, node, sizeof node);
    assert_int_equal(hints.count, 20);
    hints.wanted = NULL;
}

static void test_noise(void **state)
{
    static vz_native_hints hints;
    static const vz_native_chunks chunks = {.rank = 1, .extent = {9}, .chunk = {3}, .grid = {3}};
    static const vz_native_wanted wanted = {.chunks = &chunks, .first = 1, .last = 2, .count = 2};
    uint32_t seed = 11;
    (void)state;
    for (int turn = 0; turn < 20000; turn++) {
        const size_t size = (size_t)turn % 700;
        uint8_t *node = malloc(size ? size : 1); /* of that size, for the sanitizer */
        for (size_t i = 0; i < size; i++)
            node[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24) & (turn % 3 ? 0xFF : 3);
        if (size >= 8)
            memcpy(node, turn % 2 ? "TREE" : "SNOD", 4);
        hints.wanted = turn % 4 == 1 ? &wanted : NULL;
        if (hints.wanted && size >= 8)
            node[4] = node[5] = 1;
        find(&hints, node, size);
        free(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
