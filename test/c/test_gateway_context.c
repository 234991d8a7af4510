/* test_gateway_context.c - programs that call the library's private functions, as HDF5's own tests do, look at an id
 * outside of any public call. The stand-ins are made there as they are elsewhere. */
#include "cases.h"
#include <dlfcn.h>
#include <hdf5.h>

typedef void *(*object_of)(hid_t id);
typedef void *(*object_of_type)(hid_t id, H5I_type_t type);

/* A library that hides its private functions leaves nothing to test. */
static void *private_function(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    if (!function)
        fprintf(stderr, "%s is not exported: nothing to test\n", name);
    return function;
}

static void group_without_context(void)
{
    const hid_t file = H5Fcreate("a.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    object_of object;
    *(void **)&object = private_function("H5VL_object");
    CHECK(file >= 0 && group >= 0);
    if (object)
        CHECK(object(group) != NULL);
    CHECK(H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
}

static void file_without_context(void)
{
    const hid_t file = H5Fcreate("a.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    object_of_type object;
    *(void **)&object = private_function("H5VL_object_verify");
    CHECK(file >= 0);
    if (object)
        CHECK(object(file, H5I_FILE) != NULL);
    CHECK(H5Fclose(file) >= 0);
}

/* Calls that come afterwards have contexts of their own, which nothing is left in. */
static void calls_go_on(void)
{
    const hsize_t dims = 10;
    int values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, back[10] = {0};
    const hid_t file = H5Fcreate("a.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(1, &dims, NULL);
    const hid_t data = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    object_of object;
    *(void **)&object = private_function("H5VL_object");
    if (object)
        CHECK(object(data) != NULL && object(file) != NULL && object(data) == object(data));
    CHECK(H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    CHECK(H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    CHECK(memcmp(values, back, sizeof values) == 0);
    CHECK(H5Sclose(space) >= 0 && H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
}

static const test_case cases[] = {
    {"a group is looked at without a context", group_without_context},
    {"a file is looked at without a context", file_without_context},
    {"calls go on", calls_go_on},
};
CASES_MAIN(cases)
