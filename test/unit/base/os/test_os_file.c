/* test_os_file.c - ranges of a file, and parts of a value, by one call of the system, which may do less than was
 * asked for, fail, or be interrupted. */
#include "base/os/directory_path.h"
#include "base/os/file.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT 40
#define SIZE  1000 /* bytes of a range */

/* ---- a system that does little ---- */

static struct {
    size_t most; /* bytes at a time; 0: all */
    unsigned calls, fails_at;
    int sys_errno;
} kernel;

static ssize_t move(bool writes, int file, const struct iovec *places, int count, off_t offset)
{
    ssize_t sum = 0;
    if (count > 1024 || ++kernel.calls == kernel.fails_at) {
        errno = count > 1024 ? EINVAL : kernel.sys_errno;
        return -1;
    }
    for (int i = 0; i < count && (!kernel.most || (size_t)sum < kernel.most); i++) {
        size_t size = places[i].iov_len;
        if (kernel.most && size > kernel.most - (size_t)sum)
            size = kernel.most - (size_t)sum;
        const ssize_t done = writes ? pwrite(file, places[i].iov_base, size, offset + sum)
                                    : pread(file, places[i].iov_base, size, offset + sum);
        sum += done > 0 ? done : 0;
        if (done < (ssize_t)size)
            break;
    }
    return sum;
}

ssize_t preadv(int file, const struct iovec *places, int count, off_t offset)
{
    return move(false, file, places, count, offset);
}

ssize_t pwritev(int file, const struct iovec *places, int count, off_t offset)
{
    return move(true, file, places, count, offset);
}

/* ---- a file that follows a head of other bytes ---- */

#define HEAD 13

static int filled(uint8_t *value, size_t size)
{
    char name[] = "/tmp/vz-ranges-XXXXXX";
    const int file = mkstemp(name);
    assert_true(file >= 0);
    unlink(name);
    for (size_t i = 0; i < COUNT * SIZE; i++)
        value[i] = (uint8_t)(i * 7 + i / 1000);
    assert_int_equal(pwrite(file, value, size, HEAD), size);
    return file;
}

static size_t read_all(int file, uint8_t *back, vz_error *err)
{
    vz_range ranges[COUNT];
    vz_buffer out[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        ranges[i] = (vz_range){VZ_RANGE_AT, i * SIZE, SIZE};
        out[i] = vz_buffer_borrow(back + (COUNT - 1 - i) * SIZE, SIZE); /* the last one first */
    }
    const size_t read = vz_os_file_read_ranges(file, HEAD, COUNT * SIZE, ranges, COUNT, out, err);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(out[i].size, i < read ? SIZE : 0);
    return read;
}

static void test_little_at_a_time(void **state)
{
    (void)state;
    static const size_t most[] = {0, 1, 999, 1000, 1001, 2500, COUNT * SIZE - 1, COUNT * SIZE + 1};
    static uint8_t value[COUNT * SIZE], back[COUNT * SIZE];
    const int file = filled(value, sizeof value);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        kernel = (typeof(kernel)){.most = most[i], .fails_at = i % 2 ? 2 : 1, .sys_errno = EINTR};
        memset(back, 0, sizeof back);
        assert_int_equal(read_all(file, back, NULL), COUNT);
        for (size_t k = 0; k < COUNT; k++)
            assert_memory_equal(back + (COUNT - 1 - k) * SIZE, value + k * SIZE, SIZE);
    }
    close(file);
}

static void test_what_fails(void **state)
{
    (void)state;
    static uint8_t value[COUNT * SIZE], back[COUNT * SIZE];
    const int file = filled(value, sizeof value - 1), whole = filled(value, sizeof value);
    for (unsigned short_of = 0; short_of < 2; short_of++) {
        vz_error err = VZ_ERROR_NONE;
        kernel = (typeof(kernel)){.most = 900, .fails_at = short_of ? 0 : 7, .sys_errno = EIO};
        assert_int_equal(read_all(short_of ? file : whole, back, &err), 0);
        assert_int_equal(err.class, short_of ? VZ_CORRUPT : VZ_IO);
        assert_int_equal(err.sys_errno, short_of ? 0 : EIO);
    }
    close(file);
    close(whole);
}

/* Of ranges with gaps, of other kinds or without bytes those go together that can. */
static void test_what_follows(void **state)
{
    (void)state;
    static const struct {
        vz_range ranges[3];
        size_t together;
    } cases[] = {
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 2, 3}, {VZ_RANGE_AT, 5, 1}}, 3},
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 2, 3}, {VZ_RANGE_AT, 6, 1}}, 2},
        {{{VZ_RANGE_AT, 4, 2}, {VZ_RANGE_AT, 2, 2}, {VZ_RANGE_AT, 0, 2}}, 1},
        {{{VZ_RANGE_AT, 0, 0}, {VZ_RANGE_AT, 0, 3}, {VZ_RANGE_AT, 3, 1}}, 1},
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 2, 0}, {VZ_RANGE_AT, 2, 1}}, 1},
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_SUFFIX, 2, 4}, {VZ_RANGE_AT, 2, 1}}, 1},
        {{{VZ_RANGE_SUFFIX, 0, 2}, {VZ_RANGE_AT, 2, 2}, {VZ_RANGE_AT, 4, 1}}, 1},
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 1, 2}, {VZ_RANGE_AT, 3, 1}}, 1},
        {{{VZ_RANGE_AT, UINT64_MAX, 2}, {VZ_RANGE_AT, 1, 2}, {VZ_RANGE_AT, 3, 1}}, 0},
        {{{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 2, UINT64_MAX}, {VZ_RANGE_AT, 1, 1}}, 0},
    };
    static uint8_t value[COUNT * SIZE];
    const int file = filled(value, sizeof value);
    kernel = (typeof(kernel)){0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vz_buffer out[3] = {{0}};
        const uint64_t all = COUNT * SIZE;
        assert_int_equal(vz_os_file_read_ranges(file, HEAD, all, cases[i].ranges, 3, out, NULL), cases[i].together);
        for (size_t k = 0; k < 3; k++) {
            const vz_range *range = &cases[i].ranges[k];
            const uint64_t from = range->kind == VZ_RANGE_AT ? range->offset : all - range->size;
            assert_int_equal(out[k].size, k < cases[i].together ? range->size : 0);
            assert_true(out[k].size == 0 || memcmp(out[k].data, value + from, out[k].size) == 0);
            vz_buffer_clear(&out[k]);
        }
    }
    close(file);
}

/* ---- writing ---- */

#define MANY 2500 /* more than two calls take */

/* Of sizes that differ, some without bytes; the last one first in memory. */
static size_t make_parts(vz_bytes *parts, size_t count, const uint8_t *memory)
{
    size_t at = COUNT * SIZE, sum = 0;
    for (size_t i = 0; i < count; i++, sum += parts[i - 1].size) {
        const size_t size = i % 7 ? 1 + i % 29 : 0;
        parts[i] = (vz_bytes){memory + (at -= size), size};
    }
    return sum;
}

static void assert_holds(int file, const vz_bytes *parts, size_t count)
{
    uint8_t back[32];
    off_t at = HEAD;
    for (size_t i = 0; i < count; at += (off_t)parts[i++].size) {
        assert_int_equal(pread(file, back, parts[i].size, at), parts[i].size);
        assert_memory_equal(back, parts[i].data, parts[i].size);
    }
    assert_int_equal(lseek(file, 0, SEEK_END), at);
}

static void test_parts(void **state)
{
    (void)state;
    static const size_t most[] = {0, 1, 13, 1000, 5000}, counts[] = {2, 3, 1024, 1025, MANY};
    static uint8_t memory[COUNT * SIZE];
    static vz_bytes parts[MANY];
    close(filled(memory, 1));
    for (size_t i = 0; i < 25; i++) {
        const size_t count = counts[i / 5], sum = make_parts(parts, count, memory);
        const int file = filled(memory, 0);
        kernel = (typeof(kernel)){.most = most[i % 5], .fails_at = i % 2 ? 2 : 1, .sys_errno = EINTR};
        assert_true(vz_os_file_write_parts(file, HEAD, (vz_parts){parts, count}, NULL));
        if (most[i % 5] == 0) /* and the one that was interrupted */
            assert_int_equal(kernel.calls, (count + 1023) / 1024 + (kernel.calls >= kernel.fails_at));
        assert_true(sum > 0);
        assert_holds(file, parts, count);
        close(file);
    }
}

/* One part is written as ever. */
static void test_one_part(void **state)
{
    (void)state;
    static uint8_t memory[COUNT * SIZE];
    const int file = filled(memory, 0);
    const vz_bytes part = {memory, 30};
    kernel = (typeof(kernel)){0};
    assert_true(vz_os_file_write_parts(file, HEAD, vz_parts_of(&part), NULL));
    assert_int_equal(kernel.calls, 0);
    assert_holds(file, &part, 1);
    close(file);
}

static void test_parts_that_fail(void **state)
{
    (void)state;
    static uint8_t memory[COUNT * SIZE];
    static vz_bytes parts[MANY];
    make_parts(parts, MANY, memory);
    for (unsigned at = 1; at < 4; at++) {
        vz_error err = VZ_ERROR_NONE;
        const int file = filled(memory, 0);
        kernel = (typeof(kernel)){.most = 900, .fails_at = at, .sys_errno = ENOSPC};
        assert_false(vz_os_file_write_parts(file, HEAD, (vz_parts){parts, MANY}, &err));
        assert_int_equal(err.class, VZ_IO);
        assert_int_equal(err.sys_errno, ENOSPC);
        close(file);
    }
}

/* ---- paths ---- */

/* The root, whose parent is itself. Not by its name, for which qemu-user opens another directory. */
static int open_root(void)
{
    char up[3 * 1000 + 1];
    for (size_t i = 0; i + 3 < sizeof up; i += 3)
        memcpy(up + i, "../", 4);
    return vz_os_open(up, O_RDONLY | O_DIRECTORY);
}

/* As the system's own getcwd says it. */
static void test_path_of_a_directory(void **state)
{
    (void)state;
    char place[] = "/tmp/vz-path-XXXXXX", below[64], path[4096], here[4096];
    assert_non_null(mkdtemp(place));
    assert_non_null(getcwd(here, sizeof here));
    snprintf(below, sizeof below, "%s/a b", place);
    assert_int_equal(mkdir(below, 0700), 0);
    const int directory = vz_os_open(below, O_RDONLY | O_DIRECTORY);
    const ssize_t length = vz_os_path_of_directory(directory, path, sizeof path);
    assert_int_equal(length, strlen(below));
    assert_memory_equal(path, below, length);
    assert_int_equal(vz_os_path_of_directory(directory, path, strlen(below)), length);
    assert_int_equal(vz_os_path_of_directory(directory, path, strlen(below) - 1), -1);
    const int root = open_root(), own = vz_os_open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(vz_os_path_of_directory(root, path, sizeof path), 1);
    assert_int_equal(vz_os_path_of_directory(own, path, sizeof path), strlen(here));
    assert_memory_equal(path, here, strlen(here));
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(vz_os_path_of_directory(directory, path, sizeof path), -1); /* it is gone */
    const int all[] = {directory, root, own};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vz_os_close(all[i]);
    assert_int_equal(rmdir(place), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_at_a_time),
        cmocka_unit_test(test_what_fails),
        cmocka_unit_test(test_what_follows),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_one_part),
        cmocka_unit_test(test_parts_that_fail),
        cmocka_unit_test(test_path_of_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
