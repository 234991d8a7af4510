/* both.h - the same calls on a native HDF5 file and on a Zarr store, and the same answers.
 *
 * A scenario is a function that calls HDF5 and says what it saw. It runs on a native file, which is the oracle, and on
 * each other kind; the transcripts must be equal. */
#ifndef VZ_TEST_BOTH_H
#define VZ_TEST_BOTH_H

#include <hdf5.h>
#include <H5VLconnector.h>
#include <H5VLnative.h>
#include <H5VLpassthru.h>
#include "H5VLzarr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

typedef enum kind { NATIVE, ZARR, ZARR_WITHOUT_GATEWAY, WRAPPED, ZARR_HDMF, STACKED } kind;
static const char *const kind_names[] = {"native",
                                         "zarr",
                                         "zarr without gateway",
                                         "native through the connector",
                                         "zarr in the hdmf dialect",
                                         "zarr below pass_through"};

typedef struct trial {
    kind kind;
    char directory[64];
    char path[128];
    hid_t fapl;
    hid_t file; /* open; a scenario may close and open it again */
    char said[1 << 16];
    size_t size;
} trial;

typedef void (*scenario)(trial *t);

static void __attribute__((format(printf, 2, 3))) say(trial *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->said + t->size, sizeof t->said - t->size, format, list);
    va_end(list);
    assert_true(t->size < sizeof t->said);
}

/* Success or failure, whatever the number. */
static inline const char *went(int64_t status)
{
    return status >= 0 ? "ok" : "failed";
}

static void stack(hid_t fapl)
{
    H5VL_pass_through_info_t info = {.under_vol_id = H5VLget_connector_id_by_name("zarr")};
    assert_true(info.under_vol_id >= 0 && H5Pset_vol(fapl, H5VL_PASSTHRU, &info) >= 0);
    H5VLclose(info.under_vol_id);
}

static hid_t access_list(kind k)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(fapl >= 0);
    if (k == NATIVE)
        assert_true(H5Pset_vol(fapl, H5VL_NATIVE, NULL) >= 0);
    if (k == ZARR_WITHOUT_GATEWAY)
        assert_true(H5Pset_fapl_zarr(fapl, "gateway=0") >= 0);
    if (k == STACKED)
        stack(fapl);
    if (k == ZARR_HDMF)
        assert_true(H5Pset_fapl_zarr(fapl, "dialect=hdmf") >= 0);
    return fapl;
}

static void create_file(trial *t)
{
    hid_t fapl = t->fapl;
    if (t->kind == WRAPPED) { /* made by the native connector, then opened by ours */
        fapl = access_list(NATIVE);
        assert_true(H5Fclose(H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl)) >= 0);
        H5Pclose(fapl);
        t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    } else
        t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(t->file >= 0);
}

static inline void reopen(trial *t, unsigned flags)
{
    assert_true(H5Fclose(t->file) >= 0);
    t->file = H5Fopen(t->path, flags, t->fapl);
    assert_true(t->file >= 0);
}

static void remove_tree(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static void restart_hdf5(void)
{
    H5close();
    if (!getenv("VZ_TEST_ERRORS"))
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static trial *trial_begin(kind k)
{
    if (k == ZARR_WITHOUT_GATEWAY) /* there is one gateway for all stores: off only if no store wanted it yet */
        restart_hdf5();
    trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->kind = k;
    strcpy(t->directory, "/tmp/vol-zarr-test-XXXXXX");
    assert_non_null(mkdtemp(t->directory));
    snprintf(t->path, sizeof t->path, "%s/file", t->directory);
    t->fapl = access_list(k);
    create_file(t);
    return t;
}

/* Nothing that a scenario opened may be left, nor anything that the connector opened for it. */
static void trial_end(trial *t)
{
    if (t->file >= 0)
        H5Fclose(t->file);
    H5Pclose(t->fapl);
    remove_tree(t->directory);
    const int left = (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
    say(t, "%d ids are left open\n", left);
    if (left || t->kind == ZARR_WITHOUT_GATEWAY) /* so that the next trial starts clean */
        restart_hdf5();
}

static trial *trial_run(kind k, scenario run)
{
    trial *t = trial_begin(k);
    run(t);
    trial_end(t);
    return t;
}

/* Where the two part, with the line that differs. */
static void compare(const trial *native, const trial *other)
{
    if (strcmp(native->said, other->said) == 0)
        return;
    const char *a = native->said, *b = other->said;
    size_t line = 0;
    for (size_t i = 0; a[i] == b[i]; i++)
        if (a[i] == '\n')
            line = i + 1;
    if (getenv("VZ_TEST_TRANSCRIPT"))
        print_message("--- native\n%s--- %s\n%s", a, kind_names[other->kind], b);
    fail_msg("%s differs\n  native: %.*s\n  here:   %.*s", kind_names[other->kind], (int)strcspn(a + line, "\n"),
             a + line, (int)strcspn(b + line, "\n"), b + line);
}

static void on_kinds(scenario run, const kind *others, size_t count)
{
    trial *native = trial_run(NATIVE, run);
    for (size_t i = 0; i < count; i++) {
        trial *other = trial_run(others[i], run);
        compare(native, other);
        free(other);
    }
    free(native);
}

static inline void on_every_kind(scenario run)
{
    static const kind others[] = {ZARR, ZARR_HDMF, ZARR_WITHOUT_GATEWAY, WRAPPED};
    on_kinds(run, others, sizeof others / sizeof *others);
}

/* Calls that HDF5 itself refuses to a connector that has no gateway. */
static inline void with_gateway(scenario run)
{
    static const kind others[] = {ZARR, ZARR_HDMF, WRAPPED};
    on_kinds(run, others, sizeof others / sizeof *others);
}

static inline int quiet(void **state)
{
    (void)state;
    return getenv("VZ_TEST_ERRORS") ? 0 : H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* cmocka wants a function a test. */
#define ON_EVERY_KIND(name)                                                                                            \
    static void name##_is_as_native(void **state)                                                                      \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        on_every_kind(name);                                                                                           \
    }
#define WITH_GATEWAY(name)                                                                                             \
    static void name##_is_as_native(void **state)                                                                      \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        with_gateway(name);                                                                                            \
    }
#define AS_NATIVE(name) cmocka_unit_test(name##_is_as_native)

#endif
