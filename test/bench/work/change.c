/* change.c - many things that are changed one by one: scales attached, objects and attributes deleted and renamed, a
 * file opened again and again. */
#include "work.h"
#include <stdio.h>
#include <stdlib.h>

#define NAME_SIZE 32

static const char *name_of(char prefix, long number)
{
    static char name[2][NAME_SIZE];
    static int turn;
    turn = !turn;
    snprintf(name[turn], NAME_SIZE, "%c%07ld", prefix, number);
    return name[turn];
}

static hid_t make_dataset(hid_t group, const char *name)
{
    const hsize_t length = 8;
    const hid_t space = work_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    const hid_t set =
        work_id(H5Dcreate2(group, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Dcreate2");
    H5Sclose(space);
    return set;
}

/* ---- scales ---- */

/* As HDF5's high-level library keeps it: whom a scale is attached to. */
typedef struct {
    hobj_ref_t dataset;
    unsigned dimension;
} attached;

static hid_t attached_type(void)
{
    const hid_t type = work_id(H5Tcreate(H5T_COMPOUND, sizeof(attached)), "H5Tcreate");
    work_status(H5Tinsert(type, "dataset", HOFFSET(attached, dataset), H5T_STD_REF_OBJ), "H5Tinsert");
    work_status(H5Tinsert(type, "dimension", HOFFSET(attached, dimension), H5T_NATIVE_UINT), "H5Tinsert");
    return type;
}

/* The list is read, deleted and written anew with one more, as H5DSattach_scale does. */
static void attach(hid_t scale, hid_t type, attached *list, hsize_t number)
{
    if (number > 0) {
        const hid_t old = work_id(H5Aopen(scale, "REFERENCE_LIST", H5P_DEFAULT), "H5Aopen");
        work_status(H5Aread(old, type, list), "H5Aread");
        H5Aclose(old);
        work_status(H5Adelete(scale, "REFERENCE_LIST"), "H5Adelete");
    }
    const hsize_t length = number + 1;
    work_status(H5Rcreate(&list[number].dataset, scale, name_of('/', (long)number), H5R_OBJECT, H5I_INVALID_HID),
                "H5Rcreate");
    const hid_t space = work_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    const hid_t attribute =
        work_id(H5Acreate2(scale, "REFERENCE_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    work_status(H5Awrite(attribute, type, list), "H5Awrite");
    H5Aclose(attribute);
    H5Sclose(space);
}

/* path, count: so many datasets on one scale */
void scales_attach(void)
{
    const long count = bench_number("count", 1000);
    attached *list = bench_allocate((size_t)count * sizeof *list);
    const hid_t type = attached_type();
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL)), scale = make_dataset(file, "x");
    for (long i = 0; i < count; i++) {
        H5Dclose(make_dataset(file, name_of('/', i)));
        attach(scale, type, list, (hsize_t)i);
    }
    H5Dclose(scale);
    work_close_file(file);
    bench_stop();
    bench_report(0);
    H5Tclose(type);
    free(list);
}

/* As netCDF-C opens a new file: links in the order of creation. */
static hid_t create_netcdf(const char *path)
{
    static const char scale[] = "DIMENSION_SCALE";
    const hid_t create = work_id(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate"), text = work_id(H5Tcopy(H5T_C_S1), "H5Tcopy");
    work_status(H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "order");
    work_status(H5Tset_size(text, sizeof scale), "H5Tset_size");
    const hid_t file = work_id(H5Fcreate(path, H5F_ACC_TRUNC, create, H5P_DEFAULT), path),
                set = make_dataset(file, "x");
    work_scalar_attribute(file, "_NCProperties", text, scale);
    work_scalar_attribute(set, "CLASS", text, scale);
    H5Dclose(set);
    H5Tclose(text);
    H5Pclose(create);
    return file;
}

/* path, count: so many variables of a netCDF file on one dimension, which is flushed after each, as netCDF-C does */
void netcdf_flush(void)
{
    const long count = bench_number("count", 1000);
    attached *list = bench_allocate((size_t)count * sizeof *list);
    const hid_t type = attached_type();
    bench_start();
    const hid_t file = create_netcdf(bench_text("path", NULL)),
                scale = work_id(H5Dopen2(file, "x", H5P_DEFAULT), "H5Dopen2");
    for (long i = 0; i < count; i++) {
        H5Dclose(make_dataset(file, name_of('/', i)));
        attach(scale, type, list, (hsize_t)i);
        work_status(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    }
    H5Dclose(scale);
    work_close_file(file);
    bench_stop();
    bench_report(0);
    H5Tclose(type);
    free(list);
}

/* ---- objects and links ---- */

/* In groups of so many, as nobody keeps very many things in one. */
#define IN_GROUP 50

static void make_groups(hid_t file, long count)
{
    for (long i = 0; i < count; i += IN_GROUP)
        H5Gclose(work_id(H5Gcreate2(file, name_of('g', i), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Gcreate2"));
}

static void path_of(char path[2 * NAME_SIZE], char prefix, long number)
{
    snprintf(path, 2 * NAME_SIZE, "%s/%s", name_of('g', number / IN_GROUP * IN_GROUP), name_of(prefix, number));
}

/* path, count: so many datasets are made, and then deleted one by one; measured is the deleting */
void datasets_delete(void)
{
    const long count = bench_number("count", 1000);
    char path[2 * NAME_SIZE];
    const hid_t file = work_create_file(bench_text("path", NULL));
    make_groups(file, count);
    for (long i = 0; i < count; i++) {
        path_of(path, 'd', i);
        H5Dclose(make_dataset(file, path));
    }
    bench_start();
    for (long i = 0; i < count; i++) {
        path_of(path, 'd', i);
        work_status(H5Ldelete(file, path, H5P_DEFAULT), "H5Ldelete");
    }
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* path, count: so many datasets are made, and the file is flushed after each */
void datasets_flush(void)
{
    const long count = bench_number("count", 1000);
    char path[2 * NAME_SIZE];
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    make_groups(file, count);
    for (long i = 0; i < count; i++) {
        path_of(path, 'd', i);
        H5Dclose(make_dataset(file, path));
        work_status(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    }
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* path, count: so many datasets get another name */
void datasets_rename(void)
{
    const long count = bench_number("count", 1000);
    char from[2 * NAME_SIZE], to[2 * NAME_SIZE];
    const hid_t file = work_create_file(bench_text("path", NULL));
    make_groups(file, count);
    for (long i = 0; i < count; i++) {
        path_of(from, 'd', i);
        H5Dclose(make_dataset(file, from));
    }
    bench_start();
    for (long i = 0; i < count; i++) {
        path_of(from, 'd', i);
        path_of(to, 'r', i);
        work_status(H5Lmove(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT), "H5Lmove");
    }
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* path, count: so many further hard links of one dataset, made and deleted */
void links_change(void)
{
    const long count = bench_number("count", 1000);
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    H5Dclose(make_dataset(file, "x"));
    for (long i = 0; i < count; i++)
        work_status(H5Lcreate_hard(file, "x", file, name_of('l', i), H5P_DEFAULT, H5P_DEFAULT), "H5Lcreate_hard");
    for (long i = 0; i < count; i++)
        work_status(H5Ldelete(file, name_of('l', i), H5P_DEFAULT), "H5Ldelete");
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* ---- attributes ---- */

/* path, count: so many attributes of the root are made, renamed and deleted */
void attributes_change(void)
{
    const long count = bench_number("count", 1000);
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    for (int64_t i = 0; i < count; i++)
        work_scalar_attribute(file, name_of('a', (long)i), H5T_NATIVE_INT64, &i);
    for (long i = 0; i < count; i++)
        work_status(H5Arename(file, name_of('a', i), name_of('b', i)), "H5Arename");
    for (long i = 0; i < count; i++)
        work_status(H5Adelete(file, name_of('b', i)), "H5Adelete");
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* ---- files ---- */

/* path, count: so many datasets are there, and the file is opened so many times to look at one of them */
void file_reopen(void)
{
    const long count = bench_number("count", 1000);
    char path[2 * NAME_SIZE];
    hid_t file = work_create_file(bench_text("path", NULL));
    make_groups(file, count);
    for (long i = 0; i < count; i++) {
        path_of(path, 'd', i);
        H5Dclose(make_dataset(file, path));
    }
    work_close_file(file);
    bench_start();
    for (long i = 0; i < count; i++) {
        file = work_id(H5Fopen(bench_text("path", NULL), H5F_ACC_RDWR, H5P_DEFAULT), "H5Fopen");
        path_of(path, 'd', i);
        H5Dclose(work_id(H5Dopen2(file, path, H5P_DEFAULT), path));
        work_close_file(file);
    }
    bench_stop();
    bench_report(0);
}
