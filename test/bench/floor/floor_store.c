/* floor_store.c - a whole store by all cores: every file of it is read, and decoded where blosc wrote it; or such files
 * are written once more, elsewhere. */
#include "floor.h"
#include <blosc.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 16
#define LEVEL           5 /* of blosc */

/* What lies below a path, directories before what is in them. */
typedef struct {
    char *path;
    bool is_directory;
    size_t size;           /* of the file, or of what it holds */
    char *bytes;           /* of a file that is written once more: what it holds */
    size_t place, decoded; /* of a chunk in the result: where, and bytes that blosc makes of it */
    int shuffle;
    size_t type_size;
    const char *compressor; /* NULL: bytes are stored as they are */
} thing;

static thing *things;
static size_t count, room;
static atomic_size_t next;

static int add(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)place;
    const char *left_out = bench_text("without", NULL);
    const size_t root = strlen(bench_text("path", ""));
    const bool is_directory = type == FTW_D;
    if ((!is_directory && type != FTW_F) ||
        (left_out && strlen(path) > root + 1 && strncmp(path + root + 1, left_out, strlen(left_out)) == 0 &&
         path[root + 1 + strlen(left_out)] == '/'))
        return 0;
    if (count == room) {
        room = room ? 2 * room : 1024;
        things = realloc(things, room * sizeof *things);
        bench_need(things != NULL, "realloc");
    }
    things[count++] =
        (thing){.path = strdup(path), .is_directory = is_directory, .size = is_directory ? 0 : (size_t)info->st_size};
    bench_need(things[count - 1].path != NULL, "strdup");
    return 0;
}

static void list(const char *path)
{
    bench_need(nftw(path, add, DESCRIPTORS_MAX, FTW_PHYS) == 0, path);
}

static void forget(void)
{
    for (size_t i = 0; i < count; i++) {
        free(things[i].path);
        free(things[i].bytes);
    }
    free(things);
}

static void (*each)(thing *);

static void *worker(void *context)
{
    (void)context;
    for (size_t number; (number = atomic_fetch_add(&next, 1)) < count;)
        if (!things[number].is_directory)
            each(&things[number]);
    return NULL;
}

static char *load(const thing *one)
{
    char *bytes = bench_allocate(one->size);
    const int file = open(one->path, O_RDONLY);
    bench_need(file >= 0 && read(file, bytes, one->size) == (ssize_t)one->size, one->path);
    close(file);
    return bytes;
}

/* What blosc wrote in a chunk, in memory that nobody has touched, as that of a result; NULL if it wrote nothing. */
static char *decode(const thing *one, const char *bytes, size_t *size)
{
    const bool chunk = strrchr(one->path, '/')[1] != '.';
    if (!chunk || one->size < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(bytes, one->size, size) != 0 ||
        *size == 0)
        return NULL;
    char *decoded = bench_allocate(*size);
    bench_need(blosc_decompress_ctx(bytes, decoded, *size, 1) == (int)*size, one->path);
    return decoded;
}

static void read_one(thing *one)
{
    size_t size;
    char *bytes = load(one);
    free(decode(one, bytes, &size));
    free(bytes);
}

/* ---- a result in which everything that is read stays ---- */

static size_t result_size;

/* Where a chunk lies in the result. */
static void find_place(thing *one)
{
    unsigned char head[BLOSC_MIN_HEADER_LENGTH];
    if (one->is_directory || strrchr(one->path, '/')[1] == '.')
        return;
    const int file = open(one->path, O_RDONLY);
    bench_need(file >= 0, one->path);
    const bool has_head = read(file, head, sizeof head) == (ssize_t)sizeof head;
    close(file);
    if (!has_head || blosc_cbuffer_validate(head, one->size, &one->decoded) != 0)
        one->decoded = 0;
    one->place = result_size;
    result_size += one->decoded ? one->decoded : one->size;
}

static char *result;

static void read_into_result(thing *one)
{
    if (strrchr(one->path, '/')[1] == '.' || one->decoded) {
        char *stored = load(one);
        bench_need(!one->decoded ||
                       blosc_decompress_ctx(stored, result + one->place, one->decoded, 1) == (int)one->decoded,
                   one->path);
        free(stored);
        return;
    }
    const int file = open(one->path, O_RDONLY);
    bench_need(file >= 0 && read(file, result + one->place, one->size) == (ssize_t)one->size, one->path);
    close(file);
}

/* path: who reads all of a store has all of it in memory that nobody had before, in as large pages as the system gives
 * (NumPy asks for them, too). */
void floor_store_result(void)
{
    list(bench_text("path", ""));
    for (size_t i = 0; i < count; i++)
        find_place(&things[i]);
    each = read_into_result;
    bench_start();
    result = mmap(NULL, result_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bench_need(result != MAP_FAILED, "mmap");
    madvise(result, result_size + 1, MADV_HUGEPAGE);
    floor_run_threads(worker, NULL);
    bench_stop();
    bench_report(result_size);
    munmap(result, result_size + 1);
    forget();
}

/* path; without: what lies below that name in it is left out */
void floor_store(void)
{
    list(bench_text("path", ""));
    each = read_one;
    bench_start();
    floor_run_threads(worker, NULL);
    bench_stop();
    bench_report(0);
    forget();
}

static void remember(thing *one)
{
    size_t size;
    int flags;
    one->bytes = load(one);
    char *decoded = decode(one, one->bytes, &size);
    if (!decoded)
        return;
    blosc_cbuffer_metainfo(one->bytes, &one->type_size, &flags);
    one->shuffle = flags & BLOSC_DOBITSHUFFLE ? BLOSC_BITSHUFFLE
                   : flags & BLOSC_DOSHUFFLE  ? BLOSC_SHUFFLE
                                              : BLOSC_NOSHUFFLE;
    one->compressor = blosc_cbuffer_complib(one->bytes);
    one->compressor = strcmp(one->compressor, "LZ4") == 0    ? "lz4"
                      : strcmp(one->compressor, "Zstd") == 0 ? "zstd"
                                                             : "blosclz";
    free(one->bytes);
    one->bytes = decoded;
    one->size = size;
}

static void write_one(thing *one)
{
    const char *bytes = one->bytes;
    char *encoded = NULL;
    size_t size = one->size;
    if (one->compressor) {
        encoded = bench_allocate(size + BLOSC_MAX_OVERHEAD);
        const int made = blosc_compress_ctx(LEVEL, one->shuffle, one->type_size, size, bytes, encoded,
                                            size + BLOSC_MAX_OVERHEAD, one->compressor, 0, 1);
        bench_need(made > 0, "encoding");
        size = (size_t)made;
        bytes = encoded;
    }
    const int file = open(one->path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    bench_need(file >= 0 && write(file, bytes, size) == (ssize_t)size, one->path);
    close(file);
    free(encoded);
}

/* like: a store; path: where its files are written once more */
void floor_store_again(void)
{
    const char *like = bench_text("like", ""), *path = bench_text("path", "");
    list(like);
    for (size_t i = 0; i < count; i++) {
        if (!things[i].is_directory)
            remember(&things[i]);
        char *moved = bench_allocate(strlen(things[i].path) + strlen(path) + 1);
        strcpy(stpcpy(moved, path), things[i].path + strlen(like));
        free(things[i].path);
        things[i].path = moved;
    }
    each = write_one;
    bench_start();
    for (size_t i = 0; i < count; i++)
        bench_need(!things[i].is_directory || mkdir(things[i].path, 0755) == 0, things[i].path);
    floor_run_threads(worker, NULL);
    bench_stop();
    bench_report(0);
    forget();
}
