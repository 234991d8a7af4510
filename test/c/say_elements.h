/* say_elements.h - a dataset of integers, of one or two dimensions, in a transcript. */
#ifndef SAY_ELEMENTS_H
#define SAY_ELEMENTS_H

#include "both.h"

static void say_elements(trial *t, hid_t id)
{
    hsize_t dims[2] = {1, 1}, most[2] = {0};
    const hid_t space = H5Dget_space(id);
    if (space < 0) {
        say(t, "no space\n");
        return;
    }
    H5Sget_simple_extent_dims(space, dims, most);
    const size_t count = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    int *values = malloc((count + 1) * sizeof *values);
    memset(values, 0x7f, (count + 1) * sizeof *values);
    say(t, "%d x %d (%d x %d)", (int)dims[0], (int)dims[1], (int)most[0], (int)most[1]);
    say(t, " read %s:", went(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    for (size_t i = 0; i < count; i++)
        say(t, " %d", values[i]);
    say(t, "\n");
    free(values);
}

#endif
