/* main.c - bench_work OPERATION key=value ... */
#include "work.h"
#include <stdio.h>
#include <string.h>

#define FILTER_BLOSC 32001
#define FILTER_ZSTD  32015

static void print_version(void)
{
    unsigned major, minor, release;
    work_status(H5get_libversion(&major, &minor, &release), "H5get_libversion");
    printf("%u.%u.%u\n", major, minor, release);
}

static const struct {
    const char *name;
    work_operation *run;
} operations[] = {
    {"array_write", array_write},
    {"array_read", array_read},
    {"array_boxes", array_boxes},
    {"array_multi", array_multi},
    {"array_grid", array_grid},
    {"stream_write", stream_write},
    {"stream_read", stream_read},
    {"tree_create", tree_create},
    {"tree_list", tree_list},
    {"tree_walk", tree_walk},
    {"tree_read", tree_read},
    {"tree_open", tree_open},
    {"attributes_write", attributes_write},
    {"attributes_read", attributes_read},
    {"strings_write", strings_write},
    {"strings_read", strings_read},
    {"rows_append", rows_append},
    {"stores_create", stores_create},
    {"stores_open", stores_open},
    {"chunks_write", chunks_write},
    {"chunks_read", chunks_read},
    {"scales_attach", scales_attach},
    {"datasets_delete", datasets_delete},
    {"datasets_flush", datasets_flush},
    {"netcdf_flush", netcdf_flush},
    {"unlimited_change", unlimited_change},
    {"datasets_rename", datasets_rename},
    {"links_change", links_change},
    {"attributes_change", attributes_change},
    {"file_reopen", file_reopen},
    {"variables_walk", variables_walk},
    {"version", print_version},
};

hid_t work_id(hid_t id, const char *what)
{
    bench_need(id >= 0, what);
    return id;
}

void work_status(herr_t status, const char *what)
{
    bench_need(status >= 0, what);
}

hid_t work_create_file(const char *path)
{
    const hid_t access = work_id(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    if (strcmp(bench_text("libver", "earliest"), "latest") == 0)
        work_status(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "H5Pset_libver_bounds");
    const hid_t file = work_id(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access), path);
    H5Pclose(access);
    return file;
}

hid_t work_open_file(const char *path)
{
    return work_id(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), path);
}

void work_close_file(hid_t file)
{
    work_status(H5Fclose(file), "H5Fclose");
}

hid_t work_chunked(int rank, const hsize_t *chunk)
{
    const char *codec = bench_text("codec", "none");
    const hid_t list = work_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    work_status(H5Pset_chunk(list, rank, chunk), "H5Pset_chunk");
    if (bench_number("shuffle", 0) && strcmp(codec, "blosc") != 0)
        work_status(H5Pset_shuffle(list), "H5Pset_shuffle");
    if (strcmp(codec, "gzip") == 0) {
        work_status(H5Pset_deflate(list, 4), "H5Pset_deflate");
    } else if (strcmp(codec, "blosc") == 0) {
        /* The first four are the filter's own to fill in; level 5, shuffle or not, lz4. */
        const unsigned values[] = {0, 0, 0, 0, 5, bench_number("shuffle", 0) != 0, 1};
        work_status(H5Pset_filter(list, FILTER_BLOSC, H5Z_FLAG_OPTIONAL, 7, values), "filter blosc");
    } else if (strcmp(codec, "zstd") == 0) {
        const unsigned level = 3;
        work_status(H5Pset_filter(list, FILTER_ZSTD, H5Z_FLAG_OPTIONAL, 1, &level), "filter zstd");
    } else {
        bench_need(strcmp(codec, "none") == 0, codec);
    }
    return list;
}

hid_t work_text_type(void)
{
    const hid_t type = work_id(H5Tcopy(H5T_C_S1), "H5Tcopy");
    work_status(H5Tset_size(type, H5T_VARIABLE), "H5Tset_size");
    work_status(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
    return type;
}

void work_scalar_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    const hid_t space = work_id(H5Screate(H5S_SCALAR), "H5Screate");
    const hid_t attribute = work_id(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    work_status(H5Awrite(attribute, type, value), "H5Awrite");
    H5Aclose(attribute);
    H5Sclose(space);
}

int main(int count, char **arguments)
{
    bench_arguments(count, arguments);
    for (size_t i = 0; count > 1 && i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, arguments[1]) == 0) {
            H5open();
            operations[i].run();
            return 0;
        }
    fprintf(stderr, "usage: bench_work OPERATION key=value ...\n");
    return 2;
}
