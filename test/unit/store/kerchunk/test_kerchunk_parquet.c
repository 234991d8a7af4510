/* Parquet files that fastparquet and pyarrow wrote (test/unit/data/parquet): their 20 references as they are, and with
 * each byte changed, cut at each size. */
#include "store/kerchunk/parquet_internal.h"
#include "store/store/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define ROWS 20

static const char *const names[] = {"fastparquet.parq", "categories.parq", "pyarrow.parq", "pages.parq", "plain.parq"};
#define NAMES (sizeof names / sizeof *names)

static void load(const char *name, vz_buffer *bytes)
{
    char path[512];
    bool found;
    snprintf(path, sizeof path, "%s/parquet", VZ_TEST_DATA);
    vz_store *store = vz_store_open_directory(path, false, NULL);
    assert_non_null(store);
    assert_true(vz_store_get(store, name, VZ_WHOLE, bytes, &found, NULL) && found);
    vz_store_close(store);
}

static bool parse(const uint8_t *data, size_t size, vz_parquet_rows *rows, vz_error *err)
{
    *rows = (vz_parquet_rows){0};
    assert_true(size == 0 || vz_buffer_append(&rows->file, data, size, NULL));
    return vz_parquet_read(rows, err);
}

/* ---- as they are ---- */

static void check_row(const vz_parquet_rows *rows, unsigned i)
{
    vz_kerchunk_value value = {0};
    bool found;
    char text[16];
    assert_true(vz_parquet_value(rows, i, &value, &found, NULL));
    assert_int_equal(found, i % 4 != 0);
    if (i % 4 == 1) {
        snprintf(text, sizeof text, "raw%u", i);
        assert_true(value.is_inline && value.bytes.size == strlen(text));
        assert_memory_equal(value.bytes.data, text, value.bytes.size);
    } else if (found) {
        snprintf(text, sizeof text, "f%u", i % 3);
        assert_string_equal(value.name, text);
        assert_int_equal(value.is_whole, i == 19);
        assert_int_equal(value.offset, i == 19 ? 0 : 10 * i);
        assert_int_equal(value.size, i == 19 ? 0 : i);
    }
    vz_kerchunk_value_clear(&value);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t n = 0; n < NAMES; n++) {
        vz_buffer bytes = {0};
        vz_parquet_rows rows;
        vz_error err = VZ_ERROR_NONE;
        load(names[n], &bytes);
        assert_true(parse(bytes.data, bytes.size, &rows, &err));
        assert_int_equal(rows.count, ROWS);
        for (unsigned i = 0; i < ROWS; i++)
            check_row(&rows, i);
        vz_kerchunk_value value = {0};
        bool found;
        assert_true(vz_parquet_value(&rows, ROWS, &value, &found, NULL) && !found);
        vz_parquet_rows_clear(&rows);
        vz_buffer_clear(&bytes);
    }
}

/* ---- changed ---- */

static uint64_t look_at(const vz_parquet_rows *rows)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rows->count; i++) {
        vz_kerchunk_value value = {0};
        vz_error err = VZ_ERROR_NONE;
        bool found;
        if (!vz_parquet_value(rows, i, &value, &found, &err))
            assert_int_not_equal(err.class, VZ_OK);
        for (size_t at = 0; at < value.bytes.size; at++)
            sum += value.bytes.data[at];
        vz_kerchunk_value_clear(&value);
    }
    return sum;
}

static void try_bytes(const uint8_t *data, size_t size)
{
    vz_parquet_rows rows;
    vz_error err = VZ_ERROR_NONE;
    if (parse(data, size, &rows, &err))
        look_at(&rows);
    else
        assert_true(err.class == VZ_CORRUPT || err.class == VZ_UNSUPPORTED || err.class == VZ_LIMIT);
    vz_parquet_rows_clear(&rows);
}

static void test_changed(void **state)
{
    (void)state;
    for (size_t n = 0; n < NAMES; n++) {
        vz_buffer bytes = {0};
        load(names[n], &bytes);
        for (size_t at = 0; at < bytes.size; at++) {
            const uint8_t was = bytes.data[at];
            const uint8_t others[] = {0, 0xff, 0x7f, (uint8_t)(was + 1), (uint8_t)(was - 1), was ^ 0x80, was ^ 0x10};
            for (size_t i = 0; i < sizeof others; i++) {
                bytes.data[at] = others[i];
                try_bytes(bytes.data, bytes.size);
            }
            bytes.data[at] = was;
        }
        vz_buffer_clear(&bytes);
    }
}

/* The rest of the front has the end of the whole file behind it, or has none. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t n = 0; n < NAMES; n++) {
        vz_buffer bytes = {0};
        load(names[n], &bytes);
        for (size_t size = 0; size < bytes.size; size++) {
            vz_parquet_rows rows;
            vz_error err = VZ_ERROR_NONE;
            assert_false(parse(bytes.data, size, &rows, &err));
            assert_int_equal(err.class, VZ_CORRUPT);
            vz_parquet_rows_clear(&rows);
            try_bytes(bytes.data + size, bytes.size - size);
        }
        vz_buffer_clear(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_changed),
                                       cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
