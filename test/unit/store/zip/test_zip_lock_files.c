/* test_zip_lock_files.c - writing a zip file where locks on bytes are files in /var/tmp, and something is wrong there:
 * without locks the file is written anew, and where nobody can tell who has a lock nothing is written. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <cmocka.h>

#define FILE_NAME "a.zip"

#include "own_var_tmp.h"
#include "zip_file_support.h"
#include "base/os/process.h"

#define GATE "/var/tmp/.vol-zarr-lock"

static int make_zip(void **state)
{
    if (make_directory(state) != 0)
        return -1;
    vz_store *store = vz_zip_create(path, false, NULL);
    put(store, ".zgroup", "{}");
    put(store, "a", "old");
    commit(store);
    vz_store_close(store);
    return 0;
}

static bool locks(vz_store_lock_policy policy, vz_error *err)
{
    vz_store_lock lock = {.descriptor = -1};
    vz_store *store = vz_zip_open_path(path, true, NULL);
    vz_error_clear(err);
    const bool ok = vz_store_lock_acquire(store, &lock, "", true, policy, err);
    MUST(!ok || policy != VZ_LOCK_YES || lock.descriptor >= 0);
    vz_store_lock_leave(&lock);
    vz_store_close(store);
    return ok;
}

static vz_bytes bytes_of(const char *text)
{
    return (vz_bytes){.data = (const uint8_t *)text, .size = strlen(text)};
}

static bool write_value(const char *value, vz_error *err)
{
    vz_store *store = vz_zip_open_path(path, true, NULL);
    vz_error_clear(err);
    const bool ok = vz_store_put(store, "a", bytes_of(value), err) && vz_store_commit(store, err);
    vz_store_close(store);
    return ok;
}

static bool has_value(const char *value)
{
    vz_buffer text = {0};
    vz_store *store = vz_zip_open_path(path, false, NULL);
    bool found = false;
    const bool ok = store && vz_store_get(store, "a", VZ_WHOLE, &text, &found, NULL) && found &&
                    text.size == strlen(value) && memcmp(text.data, value, text.size) == 0;
    vz_buffer_clear(&text);
    vz_store_close(store);
    return ok;
}

static ino_t number_of_file(void)
{
    struct stat status;
    MUST(stat(path, &status) == 0);
    return status.st_ino;
}

/* ---- a place where no file can be made ---- */

static void write_without_locks(void)
{
    vz_error err;
    const ino_t before = number_of_file();
    make_var_tmp_read_only();
    MUST(!locks(VZ_LOCK_YES, &err));
    MUST(strstr(err.text, "cannot lock the store (the lock needs the file " GATE ": Read-only file system)"));
    MUST(locks(VZ_LOCK_IF_POSSIBLE, &err));
    MUST(write_value("without locks", &err) && has_value("without locks"));
    MUST(number_of_file() != before); /* into a new file, as where nothing keeps others out */
}

static void test_unwritable_place(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", write_without_locks);
}

/* ---- nobody can tell ---- */

static void write_while_the_gate_is_held(void)
{
    vz_error err;
    const int gate = open(GATE, O_RDWR | O_CREAT, 0666);
    MUST(write_value("before", &err) && flock(gate, LOCK_EX) == 0);
    const int64_t began = vz_os_now_ns();
    MUST(!write_value("not this", &err) && vz_os_now_ns() - began < 60 * VZ_OS_NS_PER_S);
    MUST(strstr(err.text, "cannot lock the file to write to it (another process has held " GATE " for 5 s)"));
    MUST(flock(gate, LOCK_UN) == 0 && has_value("before") && write_value("after", &err) && has_value("after"));
}

static void test_held_gate(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", write_while_the_gate_is_held);
}

static void allow_files(rlim_t count)
{
    struct rlimit limit;
    MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = count;
    MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void write_without_descriptors(void)
{
    vz_error err;
    vz_store *store = vz_zip_open_path(path, true, NULL);
    MUST(write_value("before", &err));
    const int next = open("/dev/null", O_RDONLY);
    allow_files((rlim_t)next + 1);
    MUST(!vz_store_put(store, "a", bytes_of("not this"), &err) || !vz_store_commit(store, &err));
    MUST(strstr(err.text, GATE) && strstr(err.text, "Too many open files"));
    allow_files(256);
    MUST(has_value("before"));
}

static void test_no_descriptors(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", write_without_descriptors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwritable_place),
        cmocka_unit_test(test_held_gate),
        cmocka_unit_test(test_no_descriptors),
    };
    return cmocka_run_group_tests(tests, make_zip, remove_directory);
}
