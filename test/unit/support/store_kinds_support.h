/* store_kinds_support.h - every kind of store, opened and removed, for cases that run over all of them. */
#ifndef STORE_KINDS_SUPPORT_H
#define STORE_KINDS_SUPPORT_H

#include "store/zip/zip_internal.h"
#include "store_support.h"
#include "own_directory.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char directory_path[64];

static void remove_directory(void)
{
    if (remove_tree(directory_path) != 0)
        abort();
}

static int open_directory(void **state)
{
    if (!own_directory(directory_path))
        return -1;
    *state = vz_store_open_directory(directory_path, true, NULL);
    return *state ? 0 : -1;
}

static int close_directory(void **state)
{
    vz_store_close(*state);
    remove_directory();
    return 0;
}

static int open_zip(void **state)
{
    char path[96];
    if (!own_directory(directory_path))
        return -1;
    snprintf(path, sizeof path, "%s/a.zip", directory_path);
    *state = vz_zip_create(path, true, NULL);
    return *state ? 0 : -1;
}

static int open_one_file(void **state)
{
    char path[96];
    if (!own_directory(directory_path))
        return -1;
    snprintf(path, sizeof path, "%s/a.h5", directory_path);
    *state = vz_zip_create_one_file(path, true, 512, NULL);
    return *state ? 0 : -1;
}

static int open_memory(void **state)
{
    *state = vz_store_new_memory(NULL);
    return *state ? 0 : -1;
}

static int close_memory(void **state)
{
    vz_store_close(*state);
    return 0;
}

#define ALL(test)                                                                                                      \
    cmocka_unit_test_setup_teardown(test, open_directory, close_directory),                                            \
        cmocka_unit_test_setup_teardown(test, open_one_file, close_directory),                                         \
        {"zip: " #test, test, open_zip, close_directory, NULL},                                                        \
    {                                                                                                                  \
        "memory: " #test, test, open_memory, close_memory, NULL                                                        \
    }

#endif
