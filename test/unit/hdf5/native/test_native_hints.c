/* test_native_hints.c - addresses in nodes of B-trees and symbol tables: those that HDF5 reads next, and of noise
 * nothing outside the file. */
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

static void test_noise(void **state)
{
    static vz_native_hints hints;
    uint32_t seed = 11;
    (void)state;
    for (int turn = 0; turn < 20000; turn++) {
        const size_t size = (size_t)turn % 700;
        uint8_t *node = malloc(size ? size : 1); /* of that size, for the sanitizer */
        for (size_t i = 0; i < size; i++)
            node[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24) & (turn % 3 ? 0xFF : 3);
        if (size >= 8)
            memcpy(node, turn % 2 ? "TREE" : "SNOD", 4);
        find(&hints, node, size);
        free(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
