/* floor_chunk.h - an array of float32 in memory, and its chunks: in files of their own, in a zip file, or in shards.
 * Chunks cover the array exactly. */
#ifndef BENCH_FLOOR_CHUNK_H
#define BENCH_FLOOR_CHUNK_H

#include "floor.h"
#include <stdatomic.h>
#include <sys/types.h>

/* -- floor_pack.c: files with many chunks. The argument layout says which: zip or shards (of the argument of that
 * name). -- */

typedef struct {
    uint64_t shape[2], chunk[2];
    size_t across, count; /* chunks in a row of chunks, and altogether */
} floor_grid;

/* Where a chunk lies. */
typedef struct {
    int file;
    off_t offset;
    size_t size;
} floor_place;

typedef struct floor_pack floor_pack;
/* NULL: each chunk is a file. */
floor_pack *floor_pack_open(const floor_grid *grid, const char *path, bool write);
/* Where a pack is written that is what is left to do: a directory and an index. */
void floor_pack_close(floor_pack *pack);
floor_place floor_pack_place(const floor_pack *pack, size_t number);
/* Who writes chunks of one shard does it alone, one after the other. */
/* What a reader of a zip file checks: the sum of the bytes of a chunk, which come part by part. The first part is added
 * to 0; after the last one the sum is the one of the directory. */
uint32_t floor_pack_add(const floor_pack *pack, uint32_t sum, const void *bytes, size_t size);
void floor_pack_check(const floor_pack *pack, size_t number, uint32_t sum);
void floor_pack_put(floor_pack *pack, size_t number, const void *bytes, size_t size);
/* How many parts of a pack may be written at a time, and the chunks of one: returns how many. Those of a part that are
 * written behind each other by one thread. */
size_t floor_pack_parts(const floor_pack *pack);
size_t floor_pack_part(const floor_pack *pack, size_t part, size_t *numbers);

/* -- floor_chunk.c -- */

typedef struct {
    floor_grid grid;
    size_t count, chunk_size, row_size, array_size;
    size_t *chosen; /* numbers of the count chunks that are worked on; all where there is none */
    int directory;
    floor_pack *pack;
    char *array;
    void **encoded; /* of each chunk, where the codec alone is measured */
    size_t *encoded_size;
    bool bare, write, compressed;
    atomic_size_t next;
} floor_work;

int floor_open_chunk(const floor_work *work, size_t number, int flags);
/* The rows of a chunk out of the array. */
void floor_get_rows(const floor_work *work, size_t number, char *chunk);
/* All chunks, or those that are chosen, by all cores. */
void floor_by_all_cores(floor_work *work);

#endif
