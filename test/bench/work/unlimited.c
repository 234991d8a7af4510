/* unlimited.c - variables of an unlimited dimension that are changed one by one, as in netCDF files. */
#include "work.h"
#include <stdio.h>
#include <stdlib.h>

static const char scale_path[] = "/t";

/* As HDF5's high-level library keeps it: who uses a scale. */
typedef struct {
    hobj_ref_t dataset;
    unsigned dimension;
} use;

static const char *name_of(long number)
{
    static char name[32];
    snprintf(name, sizeof name, "/v%07ld", number);
    return name;
}

static hid_t make_growing(hid_t file, const char *name)
{
    const hsize_t length = 1, most = H5S_UNLIMITED;
    const hid_t space = work_id(H5Screate_simple(1, &length, &most), "H5Screate_simple"),
                plist = work_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    work_status(H5Pset_chunk(plist, 1, &length), "H5Pset_chunk");
    const hid_t set =
        work_id(H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), "H5Dcreate2");
    H5Pclose(plist);
    H5Sclose(space);
    return set;
}

static void add_list(hid_t set, const char *name, hid_t type, hsize_t length, const void *value)
{
    const hid_t space = work_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple"),
                list = work_id(H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    work_status(H5Awrite(list, type, value), "H5Awrite");
    H5Aclose(list);
    H5Sclose(space);
}

static void make_variable(hid_t file, const char *name, hid_t type)
{
    hobj_ref_t scale;
    hvl_t one = {1, &scale};
    const hid_t set = make_growing(file, name);
    work_status(H5Rcreate(&scale, file, scale_path, H5R_OBJECT, H5I_INVALID_HID), "H5Rcreate");
    add_list(set, "DIMENSION_LIST", type, 1, &one);
    H5Dclose(set);
}

static void add_users(hid_t file, hid_t scale, long count)
{
    use *users = bench_allocate((size_t)count * sizeof *users);
    const hid_t type = work_id(H5Tcreate(H5T_COMPOUND, sizeof *users), "H5Tcreate");
    work_status(H5Tinsert(type, "dataset", HOFFSET(use, dataset), H5T_STD_REF_OBJ), "H5Tinsert");
    work_status(H5Tinsert(type, "dimension", HOFFSET(use, dimension), H5T_NATIVE_UINT), "H5Tinsert");
    for (long i = 0; i < count; i++) {
        users[i].dimension = 0;
        work_status(H5Rcreate(&users[i].dataset, file, name_of(i), H5R_OBJECT, H5I_INVALID_HID), "H5Rcreate");
    }
    add_list(scale, "REFERENCE_LIST", type, (hsize_t)count, users);
    H5Tclose(type);
    free(users);
}

static void make_file(const char *path, long count)
{
    static const char class[] = "DIMENSION_SCALE";
    const hid_t file = work_create_file(path), scale = make_growing(file, scale_path),
                text = work_id(H5Tcopy(H5T_C_S1), "H5Tcopy"),
                type = work_id(H5Tvlen_create(H5T_STD_REF_OBJ), "H5Tvlen_create");
    work_status(H5Tset_size(text, sizeof class), "H5Tset_size");
    work_scalar_attribute(file, "_NCProperties", text, class);
    work_scalar_attribute(scale, "CLASS", text, class);
    for (long i = 0; i < count; i++)
        make_variable(file, name_of(i), type);
    add_users(file, scale, count);
    H5Tclose(type);
    H5Tclose(text);
    H5Dclose(scale);
    work_close_file(file);
}

static void change(hid_t file, const char *name)
{
    const int64_t number = 7;
    const hid_t set = work_id(H5Dopen2(file, name, H5P_DEFAULT), name);
    work_scalar_attribute(set, "number", H5T_STD_I64LE, &number);
    H5Dclose(set);
    work_status(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
}

/* path, count: so many variables of an unlimited dimension get an attribute, and the file is flushed after each */
void unlimited_change(void)
{
    const long count = bench_number("count", 1000);
    const char *path = bench_text("path", NULL);
    make_file(path, count);
    bench_start();
    const hid_t file = work_id(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), path);
    for (long i = 0; i < count; i++)
        change(file, name_of(i));
    work_close_file(file);
    bench_stop();
    bench_report(0);
}
