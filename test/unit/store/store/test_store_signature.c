/* The signature block of one-file stores and redirect files. That HDF5 programs take it for an HDF5 file is for the
 * Python tests (test_one_file*.py). */
#include "store/store/kind.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define SIGNATURE "\211HDF\r\n\032\n"

static int file;

static int make_file(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/vz_header_XXXXXX";
    file = mkstemp(path);
    unlink(path);
    return file < 0;
}

static int close_file(void **state)
{
    (void)state;
    return close(file);
}

static void write_at(off_t offset, const void *data, size_t size)
{
    assert_int_equal(pwrite(file, data, size, offset), size);
}

static vz_signature find(void)
{
    struct stat status;
    vz_signature header;
    vz_error err = VZ_ERROR_NONE;
    assert_int_equal(fstat(file, &status), 0);
    if (!vz_signature_find(file, (uint64_t)status.st_size, &header, &err))
        fail_msg("%s", err.text);
    return header;
}

static void assert_header(vz_signature_kind kind, uint64_t base)
{
    const vz_signature header = find();
    assert_int_equal(header.kind, kind);
    assert_int_equal(header.base, base);
}

static void test_places(void **state)
{
    (void)state;
    static const uint64_t places[] = {0, 512, 1024, 2048, 1 << 20};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_int_equal(ftruncate(file, 0), 0);
        assert_true(vz_signature_write(file, places[i], &err));
        assert_header(VZ_SIGNATURE_STORE, places[i]);
    }
    static const uint64_t none[] = {1, 256, 511, 513, 768, 1536, UINT64_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_signature_write(file, none[i], &err));
        assert_int_equal(err.class, VZ_INVALID);
    }
}

/* Everything that is between the line and the first entry has its place, and overlaps with nothing. */
static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(vz_signature_slot(0, 0), 512);
    assert_int_equal(vz_signature_slot(512, 1), 1536);
    assert_int_equal(vz_signature_end(0), 4096);
    assert_int_equal(vz_signature_end(512), 4096);
    assert_int_equal(vz_signature_end(2048), 4096);
    assert_int_equal(vz_signature_end(4096), 8192);
    for (uint64_t base = 512; base < 1 << 20; base *= 2)
        assert_true(vz_signature_end(base) >= vz_signature_slot(base, VZ_SIGNATURE_SLOTS));
}

/* Version 255 and a byte of the line that differs: somebody else's. */
static void test_whole_line_counts(void **state)
{
    (void)state;
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    vz_signature_print(VZ_SIGNATURE_STORE, block);
    const char *end = memchr(block, '\n', 8) ? strchr((char *)block + 8, '\n') : NULL;
    assert_non_null(end);
    for (size_t i = 0; (const char *)block + i <= end; i++) {
        block[i] ^= 1;
        write_at(0, block, sizeof block);
        assert_int_equal(find().kind, i < 8 ? VZ_SIGNATURE_NONE : VZ_SIGNATURE_HDF5);
        block[i] ^= 1;
    }
    for (size_t size = 0; size < (size_t)(end - (char *)block) + 1; size++) {
        assert_int_equal(ftruncate(file, 0), 0);
        write_at(0, block, size);
        assert_int_equal(find().kind, size < 8 ? VZ_SIGNATURE_NONE : VZ_SIGNATURE_HDF5);
    }
}

static void test_doorway(void **state)
{
    (void)state;
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes start = vz_signature_print(VZ_SIGNATURE_REDIRECT, block);
    assert_int_equal(start.data[start.size - 1], '\n');
    write_at(512, start.data, start.size);
    assert_header(VZ_SIGNATURE_REDIRECT, 512);
}

/* The first signature is the one that counts, as for HDF5: a store that somebody put into an HDF5 file stays a value.
 */
static void test_first_signature_counts(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_signature_write(file, 1024, &err));
    write_at(0, SIGNATURE "\0", 9);
    assert_header(VZ_SIGNATURE_HDF5, 0);
    write_at(0, "\0", 1);
    assert_header(VZ_SIGNATURE_STORE, 1024);
    write_at(512, SIGNATURE "\3", 9);
    assert_header(VZ_SIGNATURE_HDF5, 512);
}

static void test_no_signature(void **state)
{
    (void)state;
    assert_int_equal(find().kind, VZ_SIGNATURE_NONE);
    assert_int_equal(ftruncate(file, 5000), 0);
    assert_int_equal(find().kind, VZ_SIGNATURE_NONE);
    vz_error err = VZ_ERROR_NONE;
    vz_signature header;
    assert_false(vz_signature_find(file, 1 << 20, &header, &err)); /* it became shorter meanwhile */
    assert_int_equal(err.class, VZ_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, make_file, close_file),
        cmocka_unit_test_setup_teardown(test_layout, make_file, close_file),
        cmocka_unit_test_setup_teardown(test_whole_line_counts, make_file, close_file),
        cmocka_unit_test_setup_teardown(test_doorway, make_file, close_file),
        cmocka_unit_test_setup_teardown(test_first_signature_counts, make_file, close_file),
        cmocka_unit_test_setup_teardown(test_no_signature, make_file, close_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
