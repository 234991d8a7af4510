/* array.c - one large array of two dimensions, and several at once. */
#include "work.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MULTI 10

static size_t elements(int rank, const hsize_t *shape)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    return count;
}

static void *load(const char *path, size_t size)
{
    char *bytes = bench_allocate(size);
    FILE *file = fopen(path, "rb");
    bench_need(file && fread(bytes, 1, size, file) == size, path);
    fclose(file);
    return bytes;
}

/* Memory whose pages are there, as those of a buffer that a program uses again and again. */
static void *touched(size_t size)
{
    void *memory = bench_allocate(size);
    memset(memory, 1, size);
    return memory;
}

static void write_one(hid_t file, const char *name, int rank, const hsize_t *shape, const hsize_t *chunk,
                      const void *data)
{
    const hid_t list = work_chunked(rank, chunk);
    const hid_t space = work_id(H5Screate_simple(rank, shape, NULL), "H5Screate_simple");
    const hid_t set =
        work_id(H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT), "H5Dcreate2");
    if (data)
        work_status(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite");
    work_status(H5Dclose(set), "H5Dclose");
    H5Sclose(space);
    H5Pclose(list);
}

/* path, source, shape, chunk, codec, shuffle; sets: the same array under so many names */
void array_write(void)
{
    hsize_t shape[4], chunk[4];
    const int rank = bench_shape("shape", shape);
    bench_shape("chunk", chunk);
    void *data = load(bench_text("source", ""), elements(rank, shape) * sizeof(float));
    const long sets = bench_number("sets", 1);
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    for (long i = 0; i < sets; i++) {
        char name[32];
        snprintf(name, sizeof name, i ? "x%ld" : "x", i);
        write_one(file, name, rank, shape, chunk, data);
    }
    work_close_file(file);
    bench_stop();
    bench_report(0);
    free(data);
}

/* The array "x" of a file. */
typedef struct opened {
    hid_t file, set;
} opened;

static opened open_x(void)
{
    opened x = {.file = work_open_file(bench_text("path", NULL))};
    x.set = work_id(H5Dopen2(x.file, "x", H5P_DEFAULT), "H5Dopen2");
    return x;
}

/* The clock stops, and what was read is told; frees it. */
static void close_x(opened x, void *data, size_t size)
{
    work_status(H5Dclose(x.set), "H5Dclose");
    work_close_file(x.file);
    bench_stop();
    bench_digest(data, size);
    bench_report(0);
    free(data);
}

/* path, shape: all of it into memory that is there */
void array_read(void)
{
    hsize_t shape[4];
    const int rank = bench_shape("shape", shape);
    const size_t size = elements(rank, shape) * sizeof(float);
    void *data = touched(size);
    bench_start();
    const opened x = open_x();
    work_status(H5Dread(x.set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dread");
    close_x(x, data, size);
}

/* path, boxes: a file of int64, (start, start, count, count) for each box, which are read one by one */
void array_boxes(void)
{
    const long count = bench_number("count", 0);
    int64_t *boxes = load(bench_text("boxes", ""), (size_t)count * 4 * sizeof *boxes);
    size_t size = 0;
    for (long i = 0; i < count; i++)
        size += (size_t)(boxes[4 * i + 2] * boxes[4 * i + 3]) * sizeof(float);
    char *data = touched(size), *next = data;
    bench_start();
    const opened x = open_x();
    const hid_t space = work_id(H5Dget_space(x.set), "H5Dget_space");
    for (long i = 0; i < count; i++) {
        const hsize_t start[] = {(hsize_t)boxes[4 * i], (hsize_t)boxes[4 * i + 1]};
        const hsize_t edge[] = {(hsize_t)boxes[4 * i + 2], (hsize_t)boxes[4 * i + 3]};
        const hid_t memory = work_id(H5Screate_simple(2, edge, NULL), "H5Screate_simple");
        work_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, edge, NULL), "H5Sselect_hyperslab");
        work_status(H5Dread(x.set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, next), "H5Dread");
        H5Sclose(memory);
        next += edge[0] * edge[1] * sizeof(float);
    }
    H5Sclose(space);
    close_x(x, data, size);
    free(boxes);
}

/* path, shape: ten arrays (x, x1 ... x9) by one H5Dread_multi; single=1: by ten H5Dread */
void array_multi(void)
{
    hsize_t shape[4];
    const int rank = bench_shape("shape", shape);
    const size_t size = elements(rank, shape) * sizeof(float);
    hid_t sets[MULTI], types[MULTI], all[MULTI];
    void *data[MULTI];
    for (int i = 0; i < MULTI; i++) {
        types[i] = H5T_NATIVE_FLOAT;
        all[i] = H5S_ALL;
        data[i] = touched(size);
    }
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    for (int i = 0; i < MULTI; i++) {
        char name[32];
        snprintf(name, sizeof name, i ? "x%d" : "x", i);
        sets[i] = work_id(H5Dopen2(file, name, H5P_DEFAULT), "H5Dopen2");
    }
    if (bench_number("single", 0)) {
        for (int i = 0; i < MULTI; i++)
            work_status(H5Dread(sets[i], types[i], H5S_ALL, H5S_ALL, H5P_DEFAULT, data[i]), "H5Dread");
    } else {
        work_status(H5Dread_multi(MULTI, sets, types, all, all, H5P_DEFAULT, data), "H5Dread_multi");
    }
    for (int i = 0; i < MULTI; i++)
        H5Dclose(sets[i]);
    work_close_file(file);
    bench_stop();
    for (int i = 0; i < MULTI; i++) {
        bench_digest(data[i], size);
        free(data[i]);
    }
    bench_report(0);
}

/* path, shape, chunk: the grid alone. An array of many chunks is made, none is written; it is opened, looked at, and
 * one element is read. */
void array_grid(void)
{
    hsize_t shape[4], chunk[4], found[4];
    const int rank = bench_shape("shape", shape);
    bench_shape("chunk", chunk);
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    write_one(file, "x", rank, shape, chunk, NULL);
    work_close_file(file);
    const opened x = open_x();
    const hid_t space = work_id(H5Dget_space(x.set), "H5Dget_space");
    bench_need(H5Sget_simple_extent_dims(space, found, NULL) == rank, "H5Sget_simple_extent_dims");
    const hsize_t stored = H5Dget_storage_size(x.set);
    const hsize_t last[] = {shape[0] - 1, rank > 1 ? shape[1] - 1 : 0}, one[] = {1, 1};
    float value = 1;
    const hid_t memory = work_id(H5Screate(H5S_SCALAR), "H5Screate");
    work_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, last, NULL, one, NULL), "H5Sselect_hyperslab");
    work_status(H5Dread(x.set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &value), "H5Dread");
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(x.set);
    work_close_file(x.file);
    bench_stop();
    bench_need(stored == 0 && value == 0, "an array without chunks");
    bench_digest(found, (size_t)rank * sizeof *found);
    bench_report(0);
}

/* One slab of rows after the other through one buffer: what is streamed may be larger than memory. */
static void stream(bool write)
{
    hsize_t shape[4], chunk[4];
    bench_need(bench_shape("shape", shape) == 2 && bench_shape("chunk", chunk) == 2, "two dimensions");
    const hsize_t slab[] = {chunk[0], shape[1]};
    const size_t size = elements(2, slab) * sizeof(float);
    float *data = touched(size);
    for (size_t i = 0; write && i < size / sizeof(float); i++)
        data[i] = (float)(i * 2654435761U % 4096);
    bench_start();
    opened x = {.file = H5I_INVALID_HID};
    if (write) {
        x.file = work_create_file(bench_text("path", NULL));
        write_one(x.file, "x", 2, shape, chunk, NULL);
        x.set = work_id(H5Dopen2(x.file, "x", H5P_DEFAULT), "H5Dopen2");
    } else {
        x = open_x();
    }
    const hid_t space = work_id(H5Dget_space(x.set), "H5Dget_space");
    const hid_t memory = work_id(H5Screate_simple(2, slab, NULL), "H5Screate_simple");
    for (hsize_t row = 0; row < shape[0]; row += slab[0]) {
        const hsize_t start[] = {row, 0};
        work_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, slab, NULL), "H5Sselect_hyperslab");
        if (write)
            work_status(H5Dwrite(x.set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, data), "H5Dwrite");
        else
            work_status(H5Dread(x.set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, data), "H5Dread");
    }
    H5Sclose(memory);
    H5Sclose(space);
    close_x(x, data, size);
}

/* path, shape (whole chunks of rows), chunk, codec */
void stream_write(void)
{
    stream(true);
}

void stream_read(void)
{
    stream(false);
}
