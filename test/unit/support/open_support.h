/* open_support.h - a store at a path, opened in every mode. */
#ifndef OPEN_SUPPORT_H
#define OPEN_SUPPORT_H

#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/open/open.h"
#include "node_support.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

typedef struct place {
    char *scratch;
    char *store; /* "s.zarr" in it: a root group with groups and arrays */
} place;

static void write_file(const char *directory, const char *name, const char *text, size_t size)
{
    char *path = scratch_path(directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    free(path);
}

static vz_hierarchy *open_as(const char *path, vz_path_open_mode mode, vz_node **start)
{
    const vz_options options = default_options();
    vz_hierarchy *h = NULL;
    must(vz_open_hierarchy(path, mode, &options, &h, start, &err));
    return h;
}

static vz_error open_error(const char *path, vz_path_open_mode mode)
{
    const vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *start;
    vz_error err = VZ_ERROR_NONE;
    if (vz_open_hierarchy(path, mode, &options, &h, &start, &err))
        fail_msg("%s: opened", path);
    assert_string_equal(err.store, path);
    return err;
}

static void close_it(vz_hierarchy *h, vz_node *start)
{
    vz_node_unref(start);
    must(vz_close_hierarchy(h, &err));
}

static void assert_look(const char *path, vz_path_kind kind, int sys_errno)
{
    int found;
    assert_int_equal(vz_path_look(path, &found), kind);
    assert_int_equal(found, sys_errno);
}

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->scratch = scratch_new();
    p->store = scratch_path(p->scratch, "s.zarr");
    vz_node *root;
    vz_hierarchy *h = open_as(p->store, VZ_CREATE_EXCLUSIVE, &root);
    vz_node *g = new_group(h, root, "g"), *a = new_array(h, g, "a"), *g2 = new_group(h, g, "sub");
    write_elements(a, 1);
    vz_node_unref(a);
    vz_node_unref(g2);
    vz_node_unref(g);
    close_it(h, root);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    scratch_remove(p->scratch);
    free(p->store);
    free(p);
    return 0;
}

#endif
