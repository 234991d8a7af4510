/* test_errno.c - a call that succeeds leaves errno as it was, from H5open on: programs take another value for a
 * failure. */
#include "H5VLzarr.h"
#include "cases.h"
#include <errno.h>
#include <hdf5.h>

/* 0 is what Perl's PDL sets before it calls; another value must stay, too. */
#define KEEPS(value, call)                                                                                             \
    do {                                                                                                               \
        errno = value;                                                                                                 \
        CHECK((call) >= 0);                                                                                            \
        CHECK(errno == value);                                                                                         \
    } while (0)

static void start(void)
{
    KEEPS(0, H5open());
}

static void start_with_another(void)
{
    KEEPS(EDOM, H5open());
}

static herr_t each(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group, (void)name, (void)info, (void)context;
    return 0;
}

static void write_and_read(const char *name, hid_t fapl, int value)
{
    const hsize_t n = 3;
    int values[3] = {1, 2, 3};
    hid_t file, group, space, dataset, attribute;
    H5O_info2_t info;
    KEEPS(value, file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    KEEPS(value, group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    KEEPS(value, space = H5Screate_simple(1, &n, NULL));
    KEEPS(value, dataset = H5Dcreate2(group, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    KEEPS(value, H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    KEEPS(value, attribute = H5Acreate2(group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    KEEPS(value, H5Awrite(attribute, H5T_NATIVE_INT, values));
    KEEPS(value, H5Aclose(attribute));
    KEEPS(value, H5Lcreate_soft("/g", file, "s", H5P_DEFAULT, H5P_DEFAULT));
    KEEPS(value, H5Fflush(file, H5F_SCOPE_GLOBAL));
    KEEPS(value, H5Dclose(dataset));
    KEEPS(value, H5Gclose(group));
    KEEPS(value, H5Fclose(file));

    KEEPS(value, file = H5Fopen(name, H5F_ACC_RDWR, fapl));
    KEEPS(value, dataset = H5Dopen2(file, "s/d", H5P_DEFAULT));
    KEEPS(value, H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    KEEPS(value, H5Lexists(file, "nothing", H5P_DEFAULT));
    KEEPS(value, H5Oget_info3(dataset, &info, H5O_INFO_ALL));
    KEEPS(value, H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each, NULL));
    KEEPS(value, H5Lmove(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    KEEPS(value, H5Ldelete(file, "h", H5P_DEFAULT));
    KEEPS(value, H5Dclose(dataset));
    KEEPS(value, H5Fclose(file));
    KEEPS(value, H5Fis_accessible(name, fapl));
    KEEPS(value, H5Fdelete(name, fapl));
    H5Sclose(space);
}

static void every_call(const char *options)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    KEEPS(EDOM, H5Pset_fapl_zarr(fapl, options));
    write_and_read("s", fapl, 0);
    write_and_read("t", fapl, EDOM);
    H5Pclose(fapl);
}

static void directory(void)
{
    every_call("");
}

static void one_file(void)
{
    every_call("container=file");
}

static void zip(void)
{
    every_call("container=zip;format=3");
}

/* What failed says why, as a program that calls the system expects. */
static void failure(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    CHECK(H5Fopen("nothing/there", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    CHECK(errno != 0);
}

static const test_case tests[] = {
    {"start", start},
    {"start_with_another", start_with_another},
    {"directory", directory},
    {"one_file", one_file},
    {"zip", zip},
    {"failure", failure},
};

CASES_MAIN(tests)
