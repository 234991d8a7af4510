/* floor_array.c - the chunks of an array between files and memory, by all cores. Chunks cover the array exactly. */
#include "floor.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define THREADS_MAX 64
/* From this length on the system scatters the rows of a chunk itself; below it a copy is cheaper. */
#define SCATTERED_ROW 1024
#define VECTORS       1024

typedef struct {
    uint64_t shape[2], chunk[2];
    size_t across, count, chunk_size, row_size, array_size;
    size_t *chosen; /* numbers of the count chunks that are worked on; all where there is none */
    int directory;
    char *array;
    void **encoded; /* of each chunk, where the codec alone is measured */
    size_t *encoded_size;
    bool bare, write, compressed;
    atomic_size_t next;
} work;

static char *place(const work *w, size_t number, uint64_t row)
{
    const uint64_t y = number / w->across * w->chunk[0] + row, x = number % w->across * w->chunk[1];
    return w->array + (y * w->shape[1] + x) * sizeof(float);
}

static int open_chunk(const work *w, size_t number, int flags)
{
    char name[64];
    snprintf(name, sizeof name, "%zu.%zu", number / w->across, number % w->across);
    const int file = openat(w->directory, name, flags, 0644);
    bench_need(file >= 0, name);
    return file;
}

/* Rows of the array as one transfer of the system, VECTORS at a time. */
static void scatter(const work *w, size_t number, int file)
{
    struct iovec vectors[VECTORS];
    for (uint64_t row = 0; row < w->chunk[0];) {
        int count = 0;
        for (; count < VECTORS && row < w->chunk[0]; count++, row++)
            vectors[count] = (struct iovec){place(w, number, row), w->row_size};
        const ssize_t moved = w->write ? writev(file, vectors, count) : readv(file, vectors, count);
        bench_need(moved == (ssize_t)((size_t)count * w->row_size), "readv or writev");
    }
}

static size_t load(const work *w, size_t number, void *into, size_t room)
{
    const int file = open_chunk(w, number, O_RDONLY);
    const ssize_t size = read(file, into, room);
    bench_need(size > 0, "read");
    close(file);
    return (size_t)size;
}

static void put_rows(const work *w, size_t number, const char *chunk)
{
    for (uint64_t row = 0; row < w->chunk[0]; row++)
        memcpy(place(w, number, row), chunk + row * w->row_size, w->row_size);
}

static void get_rows(const work *w, size_t number, char *chunk)
{
    for (uint64_t row = 0; row < w->chunk[0]; row++)
        memcpy(chunk + row * w->row_size, place(w, number, row), w->row_size);
}

static void read_chunk(const work *w, floor_codec *codec, size_t number, char *scratch, size_t room)
{
    char *chunk = scratch + room;
    if (w->bare) {
        floor_decode(codec, w->encoded[number], w->encoded_size[number], chunk);
    } else if (!w->compressed && w->row_size >= SCATTERED_ROW) {
        const int file = open_chunk(w, number, O_RDONLY);
        scatter(w, number, file);
        close(file);
    } else if (!w->compressed) {
        bench_need(load(w, number, chunk, room) == w->chunk_size, "size of a chunk");
        put_rows(w, number, chunk);
    } else {
        floor_decode(codec, scratch, load(w, number, scratch, room), chunk);
        put_rows(w, number, chunk);
    }
}

static void write_chunk(const work *w, floor_codec *codec, size_t number, char *scratch, size_t room)
{
    char *chunk = scratch + room;
    if (w->bare) {
        floor_encode(codec, w->encoded[number], scratch);
        return;
    }
    const int file = open_chunk(w, number, O_WRONLY | O_CREAT | O_EXCL);
    if (!w->compressed && w->row_size >= SCATTERED_ROW) {
        scatter(w, number, file);
    } else {
        get_rows(w, number, chunk);
        const size_t size = w->compressed ? floor_encode(codec, chunk, scratch) : w->chunk_size;
        bench_need(write(file, w->compressed ? scratch : chunk, size) == (ssize_t)size, "write");
    }
    close(file);
}

static void *worker(void *context)
{
    work *w = context;
    floor_codec *codec = floor_codec_new(w->chunk_size);
    const size_t room = floor_codec_bound(codec) > w->chunk_size ? floor_codec_bound(codec) : w->chunk_size;
    char *scratch = bench_allocate(2 * room);
    for (size_t place_in_list; (place_in_list = atomic_fetch_add(&w->next, 1)) < w->count;) {
        const size_t number = w->chosen ? w->chosen[place_in_list] : place_in_list;
        if (w->write)
            write_chunk(w, codec, number, scratch, room);
        else
            read_chunk(w, codec, number, scratch, room);
    }
    free(scratch);
    floor_codec_free(codec);
    return NULL;
}

static void by_all_cores(work *w)
{
    pthread_t threads[THREADS_MAX];
    long count = bench_number("threads", sysconf(_SC_NPROCESSORS_ONLN));
    count = count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
    for (long i = 1; i < count; i++)
        bench_need(pthread_create(&threads[i], NULL, worker, w) == 0, "pthread_create");
    worker(w);
    for (long i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void prepare(work *w)
{
    bench_need(bench_shape("shape", w->shape) == 2 && bench_shape("chunk", w->chunk) == 2, "two dimensions");
    bench_need(w->shape[0] % w->chunk[0] == 0 && w->shape[1] % w->chunk[1] == 0, "chunks that cover the array");
    w->across = w->shape[1] / w->chunk[1];
    w->count = w->shape[0] / w->chunk[0] * w->across;
    w->row_size = w->chunk[1] * sizeof(float);
    w->chunk_size = w->chunk[0] * w->row_size;
    w->array_size = w->shape[0] * w->shape[1] * sizeof(float);
    w->bare = bench_number("bare", 0) != 0;
    w->compressed = strcmp(bench_text("codec", "none"), "none") != 0;
    w->array = bench_allocate(w->array_size);
    memset(w->array, 1, w->array_size);
    w->encoded = bench_allocate(w->count * sizeof *w->encoded);
    w->encoded_size = bench_allocate(w->count * sizeof *w->encoded_size);
    memset(w->encoded, 0, w->count * sizeof *w->encoded);
}

static void finish(work *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->encoded[i]);
    free(w->encoded);
    free(w->encoded_size);
    free(w->chosen);
    free(w->array);
}

void floor_read(void)
{
    work w = {.write = false};
    prepare(&w);
    w.directory = open(bench_text("path", ""), O_RDONLY | O_DIRECTORY);
    bench_need(w.directory >= 0, "path");
    for (size_t i = 0; w.bare && i < w.count; i++) {
        struct stat info;
        const int file = open_chunk(&w, i, O_RDONLY);
        bench_need(fstat(file, &info) == 0, "fstat");
        w.encoded_size[i] = (size_t)info.st_size;
        w.encoded[i] = bench_allocate(w.encoded_size[i]);
        bench_need(read(file, w.encoded[i], w.encoded_size[i]) == info.st_size, "read");
        close(file);
    }
    bench_start();
    by_all_cores(&w);
    bench_stop();
    if (!w.bare)
        bench_digest(w.array, w.array_size);
    bench_report(0);
    finish(&w);
    close(w.directory);
}

/* The chunks that some box touches, each once. */
static void choose(work *w, const int64_t *boxes, long count)
{
    bool *wanted = bench_allocate(w->count);
    memset(wanted, 0, w->count);
    for (const int64_t *box = boxes; box < boxes + 4 * count; box += 4) {
        const size_t last_y = (size_t)(box[0] + box[2] - 1) / w->chunk[0],
                     last_x = (size_t)(box[1] + box[3] - 1) / w->chunk[1];
        for (size_t y = (size_t)box[0] / w->chunk[0]; y <= last_y; y++)
            for (size_t x = (size_t)box[1] / w->chunk[1]; x <= last_x; x++)
                wanted[y * w->across + x] = true;
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
    work w = {.write = false};
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
    w.directory = open(bench_text("path", ""), O_RDONLY | O_DIRECTORY);
    bench_need(w.directory >= 0, "path");
    bench_start();
    choose(&w, boxes, count);
    by_all_cores(&w);
    for (const int64_t *box = boxes; box < boxes + 4 * count; box += 4)
        for (int64_t row = box[0]; row < box[0] + box[2]; row++) {
            const size_t width = (size_t)box[3] * sizeof(float);
            memcpy(next, w.array + ((size_t)row * w.shape[1] + (size_t)box[1]) * sizeof(float), width);
            next += width;
        }
    bench_stop();
    bench_digest(data, size);
    bench_report(0);
    free(data);
    free(boxes);
    finish(&w);
    close(w.directory);
}

/* source: a file of raw float32 */
void floor_write(void)
{
    work w = {.write = true};
    prepare(&w);
    FILE *source = fopen(bench_text("source", ""), "rb");
    bench_need(source && fread(w.array, 1, w.array_size, source) == w.array_size, "source");
    fclose(source);
    for (size_t i = 0; w.bare && i < w.count; i++) {
        w.encoded[i] = bench_allocate(w.chunk_size);
        get_rows(&w, i, w.encoded[i]);
    }
    const char *path = bench_text("path", "");
    bench_start();
    bench_need(mkdir(path, 0755) == 0, path);
    w.directory = open(path, O_RDONLY | O_DIRECTORY);
    bench_need(w.directory >= 0, path);
    by_all_cores(&w);
    close(w.directory);
    bench_stop();
    bench_report(0);
    finish(&w);
}
