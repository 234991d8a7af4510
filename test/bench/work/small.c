/* small.c - many small things: attributes, texts, rows, stores, chunks. */
#include "work.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW      500
#define TEXT_MAX 16

/* path, count: so many numbers as attributes of the root */
void attributes_write(void)
{
    const long count = bench_number("count", 10000);
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    const hid_t root = work_id(H5Gopen2(file, "/", H5P_DEFAULT), "H5Gopen2");
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "a%07d", (int)i);
        work_scalar_attribute(root, name, H5T_NATIVE_INT64, &i);
    }
    H5Gclose(root);
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *sum)
{
    (void)info;
    int64_t value;
    const hid_t attribute = work_id(H5Aopen(object, name, H5P_DEFAULT), name);
    work_status(H5Aread(attribute, H5T_NATIVE_INT64, &value), "H5Aread");
    H5Aclose(attribute);
    *(int64_t *)sum += value;
    return 0;
}

void attributes_read(void)
{
    int64_t sum = 0;
    hsize_t place = 0;
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    work_status(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &place, add_attribute, &sum), "H5Aiterate2");
    work_close_file(file);
    bench_stop();
    bench_digest(&sum, sizeof sum);
    bench_report(0);
}

/* path, count: so many short texts, one dataset without a filter */
void strings_write(void)
{
    const hsize_t count = (hsize_t)bench_number("count", 1000000), chunk = count < 65536 ? count : 65536;
    char *letters = bench_allocate(count * TEXT_MAX), **texts = bench_allocate(count * sizeof *texts);
    for (hsize_t i = 0; i < count; i++) {
        texts[i] = letters + i * TEXT_MAX;
        snprintf(texts[i], TEXT_MAX, "cell-%07d", (int)(i * 7919 % 10000000));
    }
    const hid_t list = work_id(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    work_status(H5Pset_chunk(list, 1, &chunk), "H5Pset_chunk");
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL)), type = work_text_type();
    const hid_t space = work_id(H5Screate_simple(1, &count, NULL), "H5Screate_simple");
    const hid_t set = work_id(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, list, H5P_DEFAULT), "H5Dcreate2");
    work_status(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts), "H5Dwrite");
    work_status(H5Dclose(set), "H5Dclose");
    H5Sclose(space);
    work_close_file(file);
    bench_stop();
    bench_report(0);
    free(texts);
    free(letters);
}

void strings_read(void)
{
    hsize_t count;
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL)), type = work_text_type();
    const hid_t set = work_id(H5Dopen2(file, "x", H5P_DEFAULT), "H5Dopen2"),
                space = work_id(H5Dget_space(set), "H5Dget_space");
    bench_need(H5Sget_simple_extent_dims(space, &count, NULL) == 1, "H5Sget_simple_extent_dims");
    char **texts = bench_allocate(count * sizeof *texts);
    work_status(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts), "H5Dread");
    H5Dclose(set);
    work_close_file(file);
    bench_stop();
    for (hsize_t i = 0; i < count; i++)
        bench_digest(texts[i], strlen(texts[i]) + 1);
    bench_report(count * sizeof *texts);
    H5Treclaim(type, space, H5P_DEFAULT, texts);
    free(texts);
}

/* path, count: so many rows, one by one, each after a H5Dset_extent. The chunks have 1000 rows. */
void rows_append(void)
{
    const hsize_t count = (hsize_t)bench_number("count", 2000), most[] = {H5S_UNLIMITED, ROW}, chunk[] = {1000, ROW};
    hsize_t shape[] = {0, ROW};
    const hsize_t one[] = {1, ROW};
    float row[ROW];
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL)), list = work_chunked(2, chunk);
    const hid_t empty = work_id(H5Screate_simple(2, shape, most), "H5Screate_simple");
    const hid_t memory = work_id(H5Screate_simple(2, one, NULL), "H5Screate_simple");
    const hid_t set =
        work_id(H5Dcreate2(file, "x", H5T_IEEE_F32LE, empty, H5P_DEFAULT, list, H5P_DEFAULT), "H5Dcreate2");
    for (hsize_t i = 0; i < count; i++) {
        const hsize_t start[] = {i, 0};
        for (int k = 0; k < ROW; k++)
            row[k] = (float)(i + (hsize_t)k);
        shape[0] = i + 1;
        work_status(H5Dset_extent(set, shape), "H5Dset_extent");
        const hid_t space = work_id(H5Dget_space(set), "H5Dget_space");
        work_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL), "H5Sselect_hyperslab");
        work_status(H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, row), "H5Dwrite");
        H5Sclose(space);
    }
    work_status(H5Dclose(set), "H5Dclose");
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

static void store_name(char *path, size_t size, long number)
{
    const int length = snprintf(path, size, "%s/s%05ld%s", bench_text("path", ""), number, bench_text("suffix", ".h5"));
    bench_need(length > 0 && (size_t)length < size, "a name of a store");
}

/* path: a directory; count: so many files with one small dataset and one attribute */
void stores_create(void)
{
    const long count = bench_number("count", 300);
    const hsize_t length = 8;
    char path[4096];
    bench_start();
    const hid_t space = work_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    for (int64_t i = 0; i < count; i++) {
        const int64_t values[8] = {i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7};
        store_name(path, sizeof path, i);
        const hid_t file = work_create_file(path);
        const hid_t set =
            work_id(H5Dcreate2(file, "x", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Dcreate2");
        work_status(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
        work_scalar_attribute(set, "value", H5T_NATIVE_INT64, &i);
        H5Dclose(set);
        work_close_file(file);
    }
    bench_stop();
    bench_report(0);
}

void stores_open(void)
{
    const long count = bench_number("count", 300);
    char path[4096];
    int64_t opened = 0;
    bench_start();
    for (long i = 0; i < count; i++) {
        store_name(path, sizeof path, i);
        work_close_file(work_open_file(path));
        opened++;
    }
    bench_stop();
    bench_digest(&opened, sizeof opened);
    bench_report(0);
}

/* path, count: an array of so many chunks of 16 elements, written by one call */
void chunks_write(void)
{
    const hsize_t chunk = 16, count = (hsize_t)bench_number("count", 1000) * chunk;
    int32_t *data = bench_allocate(count * sizeof *data);
    for (hsize_t i = 0; i < count; i++)
        data[i] = (int32_t)i;
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL)), list = work_chunked(1, &chunk);
    const hid_t space = work_id(H5Screate_simple(1, &count, NULL), "H5Screate_simple");
    const hid_t set =
        work_id(H5Dcreate2(file, "x", H5T_STD_I32LE, space, H5P_DEFAULT, list, H5P_DEFAULT), "H5Dcreate2");
    work_status(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite");
    work_status(H5Dclose(set), "H5Dclose");
    work_close_file(file);
    bench_stop();
    bench_report(0);
    free(data);
}

/* path, count: all of it by one call; one=1: one element of the last chunk; each=1: element by element of each chunk, a
 * call a chunk */
void chunks_read(void)
{
    const hsize_t chunk = 16, chunks = (hsize_t)bench_number("count", 1000), one = 1;
    const bool last = bench_number("one", 0) != 0, each = bench_number("each", 0) != 0;
    int32_t *data = bench_allocate(chunks * chunk * sizeof *data);
    memset(data, 0, chunks * chunk * sizeof *data);
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    const hid_t set = work_id(H5Dopen2(file, "x", H5P_DEFAULT), "H5Dopen2"),
                space = work_id(H5Dget_space(set), "H5Dget_space");
    const hid_t memory = work_id(H5Screate_simple(1, &one, NULL), "H5Screate_simple");
    if (!last && !each)
        work_status(H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dread");
    for (hsize_t i = last ? chunks - 1 : 0; (last || each) && i < chunks; i++) {
        const hsize_t start = i * chunk + 3;
        work_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, NULL), "H5Sselect_hyperslab");
        work_status(H5Dread(set, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, data + start), "H5Dread");
    }
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    work_close_file(file);
    bench_stop();
    bench_digest(data, chunks * chunk * sizeof *data);
    bench_report(0);
    free(data);
}
