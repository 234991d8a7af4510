/* Repositories that icechunk wrote (test/unit/data/icechunk), as they are, without some of their files, and with each
 * byte of their metadata changed. */
#include "store/icechunk/icechunk_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "icechunk_support.h"

#define DEPTH_MAX 8

static const char *const names[] = {"v1", "v2", "v2-packed"};
/* With one whose virtual chunks lie in containers that have names. */
static const char *const all_names[] = {"v1", "v2", "v2-packed", "v2-named"};

/* ---- as they are ---- */

static void check_value(vz_store *store, const char *key, const void *expected, size_t size)
{
    vz_buffer value = {0};
    vz_stamp stamp;
    bool found;
    assert_true(vz_store_get(store, key, VZ_WHOLE, &value, &found, NULL) && found);
    assert_int_equal(value.size, size);
    assert_memory_equal(value.data, expected, size);
    assert_true(vz_store_stat(store, key, &stamp, NULL) && stamp.exists && stamp.size == size);
    if (size > 2) {
        const vz_range ranges[] = {{.kind = VZ_RANGE_AT, .offset = 1, .size = 2}, {.kind = VZ_RANGE_SUFFIX, .size = 1}};
        vz_buffer parts[2] = {{0}};
        assert_true(vz_store_get_ranges(store, key, ranges, 2, parts, &found, NULL) && found);
        assert_memory_equal(parts[0].data, (const uint8_t *)expected + 1, 2);
        assert_memory_equal(parts[1].data, (const uint8_t *)expected + size - 1, 1);
        vz_buffer_clear(&parts[0]);
        vz_buffer_clear(&parts[1]);
        const vz_range beyond = {.kind = VZ_RANGE_AT, .offset = size, .size = 1};
        assert_false(vz_store_get_ranges(store, key, &beyond, 1, parts, &found, NULL));
        vz_buffer_clear(&parts[0]);
    }
    vz_buffer_clear(&value);
}

static void check_absent(vz_store *store, const char *key)
{
    vz_buffer value = {0};
    bool found;
    assert_true(vz_store_get(store, key, VZ_WHOLE, &value, &found, NULL) && !found);
}

static void check_list(vz_store *store, const char *prefix, const char *expected)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    char text[256] = "";
    assert_true(vz_store_list(store, prefix, &entries, &count, NULL));
    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s ", entries[i].name,
                 entries[i].is_prefix ? "/" : "");
    assert_string_equal(text, expected);
    vz_entries_free(entries, count);
}

static void test_values(void **state)
{
    static const uint8_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        repository r;
        repository_load(&r, names[i]);
        static const char *const refs[] = {"", "@branch.main", "@tag.t"};
        for (size_t j = 0; j < sizeof refs / sizeof *refs; j++) {
            vz_store *store = vz_icechunk_over(repository_store(&r, NULL), refs[j], NULL, NULL);
            assert_non_null(store);
            check_value(store, "g/a/c/0/0", "\0\1\4\5", 4);
            check_value(store, "g/a/c/1/1", "\12\13\16\17", 4);
            check_value(store, "n/c/0", numbers, sizeof numbers);
            check_value(store, "s/c", "\5", 1);
            static const char *const absent[] = {
                "g/a/c/2/0",   "g/a/c/0", "g/a/c/0/0/0", "g/a/c/00/0", "g/a/c/9/9", "g/a/c/4294967296/0",
                "g/a/c",       "g/c/0/0", "zarr",        "n/c/1",      "n/c",       "s/c/1",
                "x/zarr.json", "g/a/0/0", "c/0"};
            for (size_t k = 0; k < sizeof absent / sizeof *absent; k++)
                check_absent(store, absent[k]);
            check_list(store, "", "g/ n/ s/ v/ zarr.json ");
            check_list(store, "g", "a/ zarr.json ");
            check_list(store, "g/a", "c/ zarr.json ");
            check_list(store, "g/a/c", "0/ 1/ 2/ ");
            check_list(store, "g/a/c/1", "0 1 ");
            check_list(store, "g/a/c/2", "1 ");
            check_list(store, "s", "c zarr.json ");
            check_list(store, "none", "");
            vz_store_close(store);
        }
        repository_clear(&r);
    }
}

static void test_ids(void **state)
{
    uint8_t id[VZ_ICECHUNK_ID_SIZE], again[VZ_ICECHUNK_ID_SIZE];
    char text[VZ_ICECHUNK_ID_LETTERS + 1];
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned j = 0; j < sizeof id; j++)
            id[j] = (uint8_t)(i * 37 + j * 101 + i * j);
        vz_icechunk_id_print(id, text);
        assert_true(vz_icechunk_id_parse(text, strlen(text), again));
        assert_memory_equal(id, again, sizeof id);
    }
    assert_true(vz_icechunk_id_parse("1cechnkrep0f1rstcmt0", 20, id)); /* icechunk's own first one */
    assert_false(vz_icechunk_id_parse("1CECHNKREP0F1RSTCMT", 19, id));
    assert_false(vz_icechunk_id_parse("1CECHNKREP0F1RSTCMTU", 20, id)); /* no such letter */
    assert_false(vz_icechunk_id_parse("1CECHNKREP0F1RSTCMT1", 20, id)); /* more bits than an id has */
}

/* ---- with something missing ---- */

static void fails_to_open(repository *r, const char *without, const char *which, vz_error_class class, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_icechunk_over(repository_store(r, without), which, NULL, &err));
    assert_int_equal(err.class, class);
    assert_non_null(strstr(err.text, text));
    assert_true(*err.store);
}

static void test_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        repository r;
        repository_load(&r, names[i]);
        fails_to_open(&r, NULL, "@branch.x", VZ_NOT_FOUND, "there is main");
        fails_to_open(&r, NULL, "@tag.x", VZ_NOT_FOUND, "there is t");
        fails_to_open(&r, NULL, "@00000000000000000000", VZ_NOT_FOUND, "it expired, or never was");
        fails_to_open(&r, NULL, "main", VZ_INVALID, "names no snapshot");
        fails_to_open(&r, "snapshots", "", VZ_NOT_FOUND, "it expired, or never was");
        static const char *const folders[] = {"manifests", "chunks"};
        for (size_t j = 0; j < 2; j++) {
            vz_error err = VZ_ERROR_NONE;
            vz_buffer value = {0};
            bool found;
            vz_store *store = vz_icechunk_over(repository_store(&r, folders[j]), "", NULL, NULL);
            assert_non_null(store);
            assert_false(vz_store_get(store, "n/c/0", VZ_WHOLE, &value, &found, &err));
            assert_int_equal(err.class, VZ_IO);
            assert_non_null(strstr(err.text, folders[j]));
            assert_string_equal(err.object, "n/c/0");
            vz_store_close(store);
            vz_buffer_clear(&value);
        }
        repository_clear(&r);
    }
}

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        repository r;
        repository_load(&r, names[i]);
        for (size_t j = 0; j < r.count; j++)
            if (r.files[j].content.size > 36 && r.files[j].content.data[0] == 'I')
                r.files[j].content.data[36] = 3;
        fails_to_open(&r, NULL, "", VZ_UNSUPPORTED, "format version 3");
        repository_clear(&r);
    }
}

/* ---- with a byte that is another one ---- */

static void read_all(vz_store *store, const char *prefix, unsigned depth)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    vz_error err = VZ_ERROR_NONE;
    const bool listed = vz_store_list(store, prefix, &entries, &count, &err);
    assert_true(listed == (err.class == VZ_OK) && (listed || *err.text));
    for (size_t i = 0; i < count; i++) {
        char *key;
        vz_buffer value = {0};
        vz_error failed = VZ_ERROR_NONE;
        bool found = false;
        assert_true(asprintf(&key, "%s%s%s", prefix, *prefix ? "/" : "", entries[i].name) >= 0);
        const bool read = vz_store_get(store, key, VZ_WHOLE, &value, &found, &failed);
        assert_true(read == (failed.class == VZ_OK) && (read || *failed.text) && failed.class != VZ_INVALID);
        vz_buffer_clear(&value);
        if (entries[i].is_prefix && depth < DEPTH_MAX)
            read_all(store, key, depth + 1);
        free(key);
    }
    vz_entries_free(entries, count);
}

static void flip_all(repository *r, repository_file *file, uint8_t bits)
{
    for (size_t at = 0; at < file->content.size; at++) {
        vz_error err = VZ_ERROR_NONE;
        file->content.data[at] ^= bits;
        vz_store *store = vz_icechunk_over(repository_store(r, NULL), "", NULL, &err);
        assert_true((store != NULL) == (err.class == VZ_OK) && (store || *err.text));
        if (store)
            read_all(store, "", 0);
        vz_store_close(store);
        file->content.data[at] ^= bits;
    }
}

static void test_flipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++) {
        repository r;
        repository_load(&r, all_names[i]);
        for (size_t j = 0; j < r.count; j++) {
            flip_all(&r, &r.files[j], 0x01);
            flip_all(&r, &r.files[j], 0x84);
            flip_all(&r, &r.files[j], 0xff);
        }
        repository_clear(&r);
    }
}

static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++) {
        repository r;
        repository_load(&r, all_names[i]);
        for (size_t j = 0; j < r.count; j++) {
            const size_t size = r.files[j].content.size;
            for (r.files[j].content.size = 0; r.files[j].content.size < size; r.files[j].content.size++) {
                vz_store *store = vz_icechunk_over(repository_store(&r, NULL), "", NULL, NULL);
                if (store)
                    read_all(store, "", 0);
                vz_store_close(store);
            }
        }
        repository_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_ids),     cmocka_unit_test(test_missing),
        cmocka_unit_test(test_versions), cmocka_unit_test(test_flipped), cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
