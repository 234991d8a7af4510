/* zip_file_support.h - a directory of a test's own in which one file is a zip file or a one-file store. Who includes it
 * says by FILE_NAME what it is called there. */
#ifndef ZIP_FILE_SUPPORT_H
#define ZIP_FILE_SUPPORT_H

#include "store_support.h"
#include "own_directory.h"
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define LARGE (((size_t)1 << 20) + 1) /* copied by the kernel, as small values are not */

static char directory[64], path[96];
static char *large;

static int make_directory(void **state)
{
    (void)state;
    if (!own_directory(directory))
        return -1;
    snprintf(path, sizeof path, "%s/" FILE_NAME, directory);
    large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    free(large);
    return remove_tree(directory);
}

/* The bytes of the file. */
static inline void slurp(vz_buffer *out)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    out->size = 0;
    assert_true(vz_buffer_reserve(out, size, NULL));
    assert_int_equal(fread(out->data, 1, size, file), size);
    out->size = size;
    fclose(file);
}

static inline vz_store *open_zip(bool writable)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = vz_zip_open_path(path, writable, &err);
    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static void commit(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_commit(store, &err))
        fail_msg("%s", err.text);
}

#endif
