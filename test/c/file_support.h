/* file_support.h - files and what is in them. */
#ifndef FILE_SUPPORT_H
#define FILE_SUPPORT_H

#include "both.h"

static hid_t group(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    return id;
}

/* The innermost record of the last failure: does it say this errno? */
static herr_t innermost(unsigned n, const H5E_error2_t *record, void *data)
{
    (void)n;
    snprintf(data, 256, "%s", record->desc);
    return 0;
}

static void say_plists(trial *t, hid_t file)
{
    H5F_close_degree_t degree = H5F_CLOSE_DEFAULT;
    unsigned order = 9;
    const hid_t fapl = H5Fget_access_plist(file), fcpl = H5Fget_create_plist(file);
    say(t, "lists %s %s", went(fapl), went(fcpl));
    H5Pget_fclose_degree(fapl, &degree);
    H5Pget_link_creation_order(fcpl, &order);
    const hid_t again = H5Fopen(t->path, H5F_ACC_RDONLY, fapl);
    say(t, " degree %d order %u opens with it %s\n", degree, order, went(again));
    H5Fclose(again);
    H5Pclose(fapl);
    H5Pclose(fcpl);
}

#endif
