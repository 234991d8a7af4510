/* floor_array.c - whole arrays, boxes of one, several arrays: each chunk is read or written once. */
#include "floor_chunk.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETS 10

static void prepare(floor_work *w)
{
    bench_need(bench_shape("shape", w->grid.shape) == 2 && bench_shape("chunk", w->grid.chunk) == 2, "two dimensions");
    bench_need(w->grid.shape[0] % w->grid.chunk[0] == 0 && w->grid.shape[1] % w->grid.chunk[1] == 0,
               "chunks that cover the array");
    w->grid.across = w->grid.shape[1] / w->grid.chunk[1];
    w->count = w->grid.count = w->grid.shape[0] / w->grid.chunk[0] * w->grid.across;
    w->row_size = w->grid.chunk[1] * sizeof(float);
    w->chunk_size = w->grid.chunk[0] * w->row_size;
    w->array_size = w->grid.shape[0] * w->grid.shape[1] * sizeof(float);
    w->bare = bench_number("bare", 0) != 0;
    w->compressed = strcmp(bench_text("codec", "none"), "none") != 0;
    w->array = bench_allocate(w->array_size);
    memset(w->array, 1, w->array_size);
    w->encoded = bench_allocate(w->count * sizeof *w->encoded);
    w->encoded_size = bench_allocate(w->count * sizeof *w->encoded_size);
    memset(w->encoded, 0, w->count * sizeof *w->encoded);
}

static void finish(floor_work *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->encoded[i]);
    free(w->encoded);
    free(w->encoded_size);
    free(w->chosen);
    free(w->array);
}

/* The files of chunks below a path, or the file or files that hold several. */
static void open_files(floor_work *w, const char *path)
{
    w->pack = floor_pack_open(&w->grid, path, w->write);
    bench_need(w->pack || !w->write || mkdir(path, 0755) == 0, path);
    w->directory = w->pack ? -1 : open(path, O_RDONLY | O_DIRECTORY);
    bench_need(w->pack || w->directory >= 0, path);
}

static void close_files(floor_work *w)
{
    if (w->pack)
        floor_pack_close(w->pack);
    else
        close(w->directory);
}

void floor_read(void)
{
    floor_work w = {.write = false};
    prepare(&w);
    if (w.bare)
        open_files(&w, bench_text("path", ""));
    for (size_t i = 0; w.bare && i < w.count; i++) {
        struct stat info;
        const int file = floor_open_chunk(&w, i, O_RDONLY);
        bench_need(fstat(file, &info) == 0, "fstat");
        w.encoded_size[i] = (size_t)info.st_size;
        w.encoded[i] = bench_allocate(w.encoded_size[i]);
        bench_need(read(file, w.encoded[i], w.encoded_size[i]) == info.st_size, "read");
        close(file);
    }
    bench_start();
    if (!w.bare)
        open_files(&w, bench_text("path", ""));
    floor_by_all_cores(&w);
    bench_stop();
    if (!w.bare)
        bench_digest(w.array, w.array_size);
    bench_report(0);
    close_files(&w);
    finish(&w);
}

/* path: the arrays x, x1 ... below it */
void floor_multi(void)
{
    floor_work works[SETS] = {{.write = false}};
    char path[4096];
    for (int i = 0; i < SETS; i++)
        prepare(&works[i]);
    bench_start();
    for (int i = 0; i < SETS; i++) {
        const int length = snprintf(path, sizeof path, i ? "%s/x%d" : "%s/x", bench_text("path", ""), i);
        bench_need(length > 0 && (size_t)length < sizeof path, "path");
        open_files(&works[i], path);
        floor_by_all_cores(&works[i]);
        close_files(&works[i]);
    }
    bench_stop();
    for (int i = 0; i < SETS; i++) {
        bench_digest(works[i].array, works[i].array_size);
        finish(&works[i]);
    }
    bench_report(0);
}

/* The chunks that some box touches, each once. */
static void choose(floor_work *w, const int64_t *boxes, long count)
{
    bool *wanted = bench_allocate(w->count);
    memset(wanted, 0, w->count);
    for (const int64_t *box = boxes; box < boxes + 4 * count; box += 4) {
        const size_t last_y = (size_t)(box[0] + box[2] - 1) / w->grid.chunk[0],
                     last_x = (size_t)(box[1] + box[3] - 1) / w->grid.chunk[1];
        for (size_t y = (size_t)box[0] / w->grid.chunk[0]; y <= last_y; y++)
            for (size_t x = (size_t)box[1] / w->grid.chunk[1]; x <= last_x; x++)
                wanted[y * w->grid.across + x] = true;
    }
    w->chosen = bench_allocate(w->count * sizeof *w->chosen);
    size_t found = 0;
    for (size_t i = 0; i < w->count; i++)
        if (wanted[i])
            w->chosen[found++] = i;
    free(wanted);
    w->count = found;
}

/* boxes, count: as of bench_work. Each chunk that is touched is read and decoded once, then the boxes are copied out of
 * the array. */
void floor_boxes(void)
{
    floor_work w = {.write = false};
    prepare(&w);
    const long count = bench_number("count", 0);
    const size_t boxes_size = (size_t)count * 4 * sizeof(int64_t);
    int64_t *boxes = bench_allocate(boxes_size);
    FILE *file = fopen(bench_text("boxes", ""), "rb");
    bench_need(file && fread(boxes, 1, boxes_size, file) == boxes_size, "boxes");
    fclose(file);
    size_t size = 0;
    for (long i = 0; i < count; i++)
        size += (size_t)(boxes[4 * i + 2] * boxes[4 * i + 3]) * sizeof(float);
    char *data = bench_allocate(size), *next = data;
    memset(data, 1, size);
    bench_start();
    open_files(&w, bench_text("path", ""));
    choose(&w, boxes, count);
    floor_by_all_cores(&w);
    for (const int64_t *box = boxes; box < boxes + 4 * count; box += 4)
        for (int64_t row = box[0]; row < box[0] + box[2]; row++) {
            const size_t width = (size_t)box[3] * sizeof(float);
            memcpy(next, w.array + ((size_t)row * w.grid.shape[1] + (size_t)box[1]) * sizeof(float), width);
            next += width;
        }
    bench_stop();
    bench_digest(data, size);
    bench_report(0);
    free(data);
    free(boxes);
    close_files(&w);
    finish(&w);
}

/* source: a file of raw float32 */
void floor_write(void)
{
    floor_work w = {.write = true};
    prepare(&w);
    FILE *source = fopen(bench_text("source", ""), "rb");
    bench_need(source && fread(w.array, 1, w.array_size, source) == w.array_size, "source");
    fclose(source);
    for (size_t i = 0; w.bare && i < w.count; i++) {
        w.encoded[i] = bench_allocate(w.chunk_size);
        floor_get_rows(&w, i, w.encoded[i]);
    }
    bench_start();
    open_files(&w, bench_text("path", ""));
    floor_by_all_cores(&w);
    close_files(&w);
    bench_stop();
    bench_report(0);
    finish(&w);
}
