/* floor.h - what the work of a row costs without HDF5, Zarr or Python: the same bytes from and to the same files by all
 * cores, bare codecs, bare system calls. A program that does a row's work cannot be much faster. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "../work/measure.h"

typedef void floor_operation(void);

/* floor_array.c: path (a directory of chunks `i.j` of float32; with layout=zip a file, with layout=shards a directory
 * of shards), shape, chunk, codec, shuffle, threads; bare=1: the codec alone */
floor_operation floor_read, floor_write, floor_boxes, floor_multi;
/* floor_store.c: any store that is a directory */
floor_operation floor_store, floor_store_result, floor_store_again;
/* floor_small.c: what tree.c and small.c do, by system calls */
floor_operation floor_tree_create, floor_tree_list, floor_tree_walk, floor_tree_read, floor_tree_open,
    floor_stores_create, floor_stores_open, floor_append, floor_strings_write, floor_strings_read,
    floor_attributes_write, floor_attributes_read, floor_grid_alone;

/* -- codec.c: one chunk. scratch has room for what comes out, and as much again. -- */

typedef struct floor_codec floor_codec;
/* One for each thread, of the arguments codec and shuffle; elements have 4 bytes. */
floor_codec *floor_codec_new(size_t chunk_size);
void floor_codec_free(floor_codec *codec);
/* At most so many bytes come out of encode. */
size_t floor_codec_bound(const floor_codec *codec);
size_t floor_encode(floor_codec *codec, const void *chunk, void *encoded);
void floor_decode(floor_codec *codec, const void *encoded, size_t size, void *chunk);

/* -- threads.c -- */

/* work(context) by as many threads as the argument threads says, or there are cores, the caller's among them; returns
 * when all are done. */
void floor_run_threads(void *(*work)(void *), void *context);

#endif
