/* reference_support.h - datasets and attributes of references, written and said. */
#ifndef REFERENCE_SUPPORT_H
#define REFERENCE_SUPPORT_H

#include "both.h"
#include <fcntl.h>
#include <sys/file.h>

enum { COUNT = 8 };

static hid_t dataset(hid_t file, const char *name, hid_t type, int count)
{
    const hsize_t dims = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &dims, NULL);
    const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return id;
}

static void make_regions(trial *t, hid_t d, H5R_ref_t made[4])
{
    const hsize_t start = 0, stride = 2, count = 2, block = 1, points[] = {2, 0};
    const hid_t space = H5Dget_space(d);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[0])));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[1])));
    H5Sselect_elements(space, H5S_SELECT_SET, 2, points);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[2])));
    H5Sselect_none(space);
    say(t, "%s\n", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[3])));
    H5Sclose(space);
}

static void make(trial *t, H5R_ref_t made[COUNT])
{
    const hid_t d = dataset(t->file, "d", H5T_NATIVE_INT, 3), space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(d, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    memset(made, 0, COUNT * sizeof *made);
    say(t, "%s %s %s\n", went(H5Rcreate_object(t->file, "d", H5P_DEFAULT, &made[0])),
        went(H5Rcreate_object(t->file, "g", H5P_DEFAULT, &made[1])),
        went(H5Rcreate_attr(t->file, "d", "a", H5P_DEFAULT, &made[3])));
    H5Sclose(space);
    make_regions(t, d, made + 4);
    H5Dclose(d);
}

static void destroy(H5R_ref_t *references)
{
    static const H5R_ref_t none;
    for (int i = 0; i < COUNT; i++)
        if (memcmp(&references[i], &none, sizeof none) != 0)
            H5Rdestroy(&references[i]);
}

#endif
