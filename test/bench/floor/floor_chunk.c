/* floor_chunk.c - chunks of an array between files and memory, by all cores. */
#include "floor_chunk.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* From this length on the system scatters the rows of a chunk itself; below it a copy is cheaper. */
#define SCATTERED_ROW 1024
#define VECTORS       1024

static char *place(const floor_work *w, size_t number, uint64_t row)
{
    const uint64_t y = number / w->grid.across * w->grid.chunk[0] + row, x = number % w->grid.across * w->grid.chunk[1];
    return w->array + (y * w->grid.shape[1] + x) * sizeof(float);
}

int floor_open_chunk(const floor_work *w, size_t number, int flags)
{
    char name[64];
    snprintf(name, sizeof name, "%zu.%zu", number / w->grid.across, number % w->grid.across);
    const int file = openat(w->directory, name, flags, 0644);
    bench_need(file >= 0, name);
    return file;
}

/* Rows of the array as one transfer of the system, VECTORS at a time. */
static void scatter(const floor_work *w, size_t number, floor_place from)
{
    struct iovec vectors[VECTORS];
    uint32_t sum = 0;
    for (uint64_t row = 0; row < w->grid.chunk[0];) {
        int count = 0;
        for (; count < VECTORS && row < w->grid.chunk[0]; count++, row++)
            vectors[count] = (struct iovec){place(w, number, row), w->row_size};
        const ssize_t moved =
            w->write ? pwritev(from.file, vectors, count, from.offset) : preadv(from.file, vectors, count, from.offset);
        bench_need(moved == (ssize_t)((size_t)count * w->row_size), "preadv or pwritev");
        from.offset += moved;
        for (int i = 0; i < count && !w->write; i++)
            sum = floor_pack_add(w->pack, sum, vectors[i].iov_base, w->row_size);
    }
    if (!w->write)
        floor_pack_check(w->pack, number, sum);
}

static floor_place find(const floor_work *w, size_t number)
{
    if (w->pack)
        return floor_pack_place(w->pack, number);
    return (floor_place){.file = floor_open_chunk(w, number, O_RDONLY), .size = SIZE_MAX};
}

static void leave(const floor_work *w, floor_place found)
{
    if (!w->pack)
        close(found.file);
}

static size_t load(const floor_work *w, size_t number, void *into, size_t room)
{
    const floor_place from = find(w, number);
    const ssize_t size = pread(from.file, into, room < from.size ? room : from.size, from.offset);
    bench_need(size > 0, "pread");
    floor_pack_check(w->pack, number, floor_pack_add(w->pack, 0, into, (size_t)size));
    leave(w, from);
    return (size_t)size;
}

static void put_rows(const floor_work *w, size_t number, const char *chunk)
{
    for (uint64_t row = 0; row < w->grid.chunk[0]; row++)
        memcpy(place(w, number, row), chunk + row * w->row_size, w->row_size);
}

void floor_get_rows(const floor_work *w, size_t number, char *chunk)
{
    for (uint64_t row = 0; row < w->grid.chunk[0]; row++)
        memcpy(chunk + row * w->row_size, place(w, number, row), w->row_size);
}

static void read_chunk(const floor_work *w, floor_codec *codec, size_t number, char *scratch, size_t room)
{
    char *chunk = scratch + room;
    if (w->bare) {
        floor_decode(codec, w->encoded[number], w->encoded_size[number], chunk);
    } else if (!w->compressed && w->row_size >= SCATTERED_ROW) {
        const floor_place from = find(w, number);
        scatter(w, number, from);
        leave(w, from);
    } else if (!w->compressed) {
        bench_need(load(w, number, chunk, room) == w->chunk_size, "size of a chunk");
        put_rows(w, number, chunk);
    } else {
        floor_decode(codec, scratch, load(w, number, scratch, room), chunk);
        put_rows(w, number, chunk);
    }
}

static void write_chunk(const floor_work *w, floor_codec *codec, size_t number, char *scratch, size_t room)
{
    char *chunk = scratch + room;
    if (w->bare) {
        floor_encode(codec, w->encoded[number], scratch);
        return;
    }
    const int file = w->pack ? -1 : floor_open_chunk(w, number, O_WRONLY | O_CREAT | O_EXCL);
    if (!w->pack && !w->compressed && w->row_size >= SCATTERED_ROW) {
        scatter(w, number, (floor_place){.file = file});
    } else {
        floor_get_rows(w, number, chunk);
        const size_t size = w->compressed ? floor_encode(codec, chunk, scratch) : w->chunk_size;
        const char *stored = w->compressed ? scratch : chunk;
        if (w->pack)
            floor_pack_put(w->pack, number, stored, size);
        else
            bench_need(write(file, stored, size) == (ssize_t)size, "write");
    }
    if (file >= 0)
        close(file);
}

/* The chunks that a thread takes at a time: one, but those of a shard that is written. */
static size_t take(const floor_work *w, size_t turn, size_t *numbers)
{
    if (w->pack && w->write)
        return floor_pack_part(w->pack, turn, numbers);
    numbers[0] = w->chosen ? w->chosen[turn] : turn;
    return 1;
}

static void *worker(void *context)
{
    floor_work *w = context;
    floor_codec *codec = floor_codec_new(w->chunk_size);
    const size_t room = floor_codec_bound(codec) > w->chunk_size ? floor_codec_bound(codec) : w->chunk_size;
    char *scratch = bench_allocate(2 * room);
    size_t *numbers = bench_allocate(w->grid.count * sizeof *numbers);
    const size_t turns = w->pack && w->write ? floor_pack_parts(w->pack) : w->count;
    for (size_t turn; (turn = atomic_fetch_add(&w->next, 1)) < turns;) {
        const size_t count = take(w, turn, numbers);
        for (size_t i = 0; i < count; i++)
            (w->write ? write_chunk : read_chunk)(w, codec, numbers[i], scratch, room);
    }
    free(numbers);
    free(scratch);
    floor_codec_free(codec);
    return NULL;
}

void floor_by_all_cores(floor_work *w)
{
    atomic_store(&w->next, 0);
    floor_run_threads(worker, w);
}
