/* floor_pack.c - files with many chunks: a zip file without compression of its own, and shards of format 3 with the
 * index at their ends. Those that are read were made by others and are as they make them; what a reader must ask a file
 * before it has a chunk is asked here. */
#include "floor_chunk.h"
#include <fcntl.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCAL   30 /* bytes of a header before the name of an entry, in place and in the directory */
#define CENTRAL 46
#define END     22
#define ENTRY   16 /* of a shard's index: offset, size */
#define NAME    64

struct floor_pack {
    const floor_grid *grid;
    bool write, zip;
    size_t shards, per_shard, shards_across, chunks_across; /* chunks_across: of one shard */
    size_t chunks_down;
    int *files; /* one, or one for each shard */
    floor_place *places;
    uint32_t *checksums;    /* of the entries of a zip file */
    atomic_size_t zip_end;  /* of the zip file */
    size_t *ends, *missing; /* of the shards: their lengths, and chunks that are not in them yet */
};

static uint64_t little(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static unsigned char *put_little(unsigned char *bytes, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    return bytes + size;
}

static void *zeros(size_t count, size_t size)
{
    void *memory = bench_allocate(count * size);
    memset(memory, 0, count * size);
    return memory;
}

static void need_read(int file, void *into, size_t size, off_t offset)
{
    bench_need(pread(file, into, size, offset) == (ssize_t)size, "pread");
}

static void need_write(int file, const void *bytes, size_t size, off_t offset)
{
    bench_need(pwrite(file, bytes, size, offset) == (ssize_t)size, "pwrite");
}

/* ---- zip ---- */

/* The entries x/i.j of the directory at the end of a file; each one's own header says where its bytes begin. */
static void read_directory(floor_pack *pack, int file)
{
    struct stat info;
    bench_need(fstat(file, &info) == 0, "fstat");
    unsigned char end[END];
    need_read(file, end, END, info.st_size - END);
    bench_need(memcmp(end, "PK\5\6", 4) == 0, "a zip file without a comment");
    const size_t count = little(end + 10, 2), size = little(end + 12, 4);
    unsigned char *directory = bench_allocate(size), *entry = directory, local[LOCAL];
    need_read(file, directory, size, (off_t)little(end + 16, 4));
    for (size_t i = 0; i < count; i++) {
        char name[NAME] = "";
        unsigned long y, x;
        const size_t length = little(entry + 28, 2);
        memcpy(name, entry + CENTRAL, length < NAME - 1 ? length : NAME - 1);
        if (sscanf(name, "x/%lu.%lu", &y, &x) == 2) {
            const off_t header = (off_t)little(entry + 42, 4);
            need_read(file, local, LOCAL, header);
            pack->places[y * pack->grid->across + x] = (floor_place){
                file, header + (off_t)(LOCAL + little(local + 26, 2) + little(local + 28, 2)), little(entry + 20, 4)};
            pack->checksums[y * pack->grid->across + x] = (uint32_t)little(entry + 16, 4);
        }
        entry += CENTRAL + length + little(entry + 30, 2) + little(entry + 32, 2);
    }
    free(directory);
}

static size_t chunk_name(const floor_pack *pack, size_t number, char *name)
{
    return (size_t)snprintf(name, NAME, "x/%zu.%zu", number / pack->grid->across, number % pack->grid->across);
}

/* A header of either kind from its fifth byte on; both have the same members from the version to the lengths. */
static unsigned char *put_members(unsigned char *at, uint32_t checksum, size_t size, size_t name)
{
    at = put_little(at, 2, 20);
    memset(at, 0, 8);
    at = put_little(at + 8, 4, checksum);
    at = put_little(put_little(at, 4, size), 4, size);
    return put_little(put_little(at, 2, name), 2, 0);
}

static void put_entry(floor_pack *pack, size_t number, const void *bytes, size_t size)
{
    unsigned char header[LOCAL + NAME] = "PK\3\4";
    const size_t name = chunk_name(pack, number, (char *)header + LOCAL);
    pack->checksums[number] = libdeflate_crc32(0, bytes, size);
    put_members(header + 4, pack->checksums[number], size, name);
    const off_t begin = (off_t)atomic_fetch_add(&pack->zip_end, LOCAL + name + size),
                data = begin + (off_t)(LOCAL + name);
    need_write(pack->files[0], header, LOCAL + name, begin);
    need_write(pack->files[0], bytes, size, data);
    pack->places[number] = (floor_place){pack->files[0], data, size};
}

static void write_directory(floor_pack *pack)
{
    const size_t count = pack->grid->count, begin = atomic_load(&pack->zip_end);
    unsigned char *directory = zeros(count + 1, CENTRAL + NAME), *at = directory;
    for (size_t i = 0; i < count; i++) {
        const size_t name = chunk_name(pack, i, (char *)at + CENTRAL);
        memcpy(at, "PK\1\2\24", 6);
        put_members(at + 6, pack->checksums[i], pack->places[i].size, name);
        put_little(at + 42, 4, (uint64_t)pack->places[i].offset - LOCAL - name);
        at += CENTRAL + name;
    }
    const size_t size = (size_t)(at - directory);
    memcpy(at, "PK\5\6", 4);
    put_little(put_little(put_little(put_little(at + 8, 2, count), 2, count), 4, size), 4, begin);
    need_write(pack->files[0], directory, size + END, (off_t)begin);
    free(directory);
}

/* ---- shards ---- */

static size_t shard_of(const floor_pack *pack, size_t number)
{
    return number / pack->grid->across / pack->chunks_down * pack->shards_across +
           number % pack->grid->across / pack->chunks_across;
}

static size_t place_in_shard(const floor_pack *pack, size_t number)
{
    return number / pack->grid->across % pack->chunks_down * pack->chunks_across +
           number % pack->grid->across % pack->chunks_across;
}

static void read_index(floor_pack *pack, size_t shard, int file)
{
    struct stat info;
    const size_t size = pack->per_shard * ENTRY;
    unsigned char *index = bench_allocate(size);
    bench_need(fstat(file, &info) == 0, "fstat");
    need_read(file, index, size, info.st_size - (off_t)size - 4);
    for (size_t i = 0; i < pack->grid->count; i++) {
        const unsigned char *entry = index + place_in_shard(pack, i) * ENTRY;
        if (shard_of(pack, i) == shard)
            pack->places[i] = (floor_place){file, (off_t)little(entry, 8), little(entry + 8, 8)};
    }
    free(index);
}

static void write_index(floor_pack *pack, size_t shard)
{
    const size_t size = pack->per_shard * ENTRY + 4;
    unsigned char *index = zeros(1, size);
    for (size_t i = 0; i < pack->grid->count; i++)
        if (shard_of(pack, i) == shard)
            put_little(put_little(index + place_in_shard(pack, i) * ENTRY, 8, (uint64_t)pack->places[i].offset), 8,
                       pack->places[i].size);
    put_little(index + size - 4, 4, libdeflate_crc32(0, index, size - 4)); /* another polynomial, the same work */
    need_write(pack->files[shard], index, size, (off_t)pack->ends[shard]);
    free(index);
}

static void open_shards(floor_pack *pack, const char *path)
{
    char name[4096];
    for (size_t i = 0; i < pack->shards; i++) {
        const int length =
            snprintf(name, sizeof name, "%s/c/%zu/%zu", path, i / pack->shards_across, i % pack->shards_across);
        bench_need(length > 0 && (size_t)length < sizeof name, "path");
        char *end = strrchr(name, '/');
        if (pack->write && i % pack->shards_across == 0) {
            *end = '\0';
            bench_need(mkdir(name, 0755) == 0, name);
            *end = '/';
        }
        pack->files[i] = open(name, pack->write ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY, 0644);
        bench_need(pack->files[i] >= 0, name);
        if (!pack->write)
            read_index(pack, i, pack->files[i]);
    }
}

/* ---- both ---- */

floor_pack *floor_pack_open(const floor_grid *grid, const char *path, bool write)
{
    const char *layout = bench_text("layout", "files");
    if (strcmp(layout, "files") == 0)
        return NULL;
    floor_pack *pack = zeros(1, sizeof *pack);
    *pack = (floor_pack){.grid = grid, .write = write, .zip = strcmp(layout, "zip") == 0, .shards = 1};
    if (!pack->zip) {
        uint64_t shard[2];
        bench_need(bench_shape("shards", shard) == 2, "shards");
        pack->chunks_down = shard[0] / grid->chunk[0];
        pack->chunks_across = shard[1] / grid->chunk[1];
        pack->per_shard = pack->chunks_down * pack->chunks_across;
        pack->shards_across = (grid->shape[1] + shard[1] - 1) / shard[1];
        pack->shards = (grid->shape[0] + shard[0] - 1) / shard[0] * pack->shards_across;
    }
    pack->files = zeros(pack->shards, sizeof *pack->files);
    pack->ends = zeros(pack->shards, sizeof *pack->ends);
    pack->missing = zeros(pack->shards, sizeof *pack->missing);
    pack->places = zeros(grid->count, sizeof *pack->places);
    pack->checksums = zeros(grid->count, sizeof *pack->checksums);
    if (!pack->zip) {
        for (size_t i = 0; i < grid->count; i++)
            pack->missing[shard_of(pack, i)]++;
        char name[4096];
        snprintf(name, sizeof name, "%s/c", path);
        bench_need(!write || (mkdir(path, 0755) == 0 && mkdir(name, 0755) == 0), path);
        open_shards(pack, path);
        return pack;
    }
    pack->files[0] = open(path, write ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY, 0644);
    bench_need(pack->files[0] >= 0, path);
    if (!write)
        read_directory(pack, pack->files[0]);
    return pack;
}

void floor_pack_close(floor_pack *pack)
{
    if (pack->write && pack->zip)
        write_directory(pack);
    for (size_t i = 0; i < pack->shards; i++)
        close(pack->files[i]);
    free(pack->files);
    free(pack->ends);
    free(pack->missing);
    free(pack->places);
    free(pack->checksums);
    free(pack);
}

floor_place floor_pack_place(const floor_pack *pack, size_t number)
{
    bench_need(pack->places[number].size > 0, "a chunk that is there");
    return pack->places[number];
}

uint32_t floor_pack_add(const floor_pack *pack, uint32_t sum, const void *bytes, size_t size)
{
    return pack && pack->zip ? libdeflate_crc32(sum, bytes, size) : 0;
}

void floor_pack_check(const floor_pack *pack, size_t number, uint32_t sum)
{
    bench_need(!pack || !pack->zip || sum == pack->checksums[number], "checksum");
}

void floor_pack_put(floor_pack *pack, size_t number, const void *bytes, size_t size)
{
    if (pack->zip) {
        put_entry(pack, number, bytes, size);
        return;
    }
    const size_t shard = shard_of(pack, number);
    pack->places[number] = (floor_place){pack->files[shard], (off_t)pack->ends[shard], size};
    need_write(pack->files[shard], bytes, size, (off_t)pack->ends[shard]);
    pack->ends[shard] += size;
    if (--pack->missing[shard] == 0)
        write_index(pack, shard);
}

size_t floor_pack_parts(const floor_pack *pack)
{
    return pack->zip ? pack->grid->count : pack->shards;
}

size_t floor_pack_part(const floor_pack *pack, size_t part, size_t *numbers)
{
    if (pack->zip) {
        numbers[0] = part;
        return 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < pack->grid->count; i++)
        if (shard_of(pack, i) == part)
            numbers[count++] = i;
    return count;
}
