/* floor_store.c - a whole store: every file of it is read, and decoded where blosc wrote it, by all cores. */
#include "floor.h"
#include <blosc.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_MAX     64
#define DESCRIPTORS_MAX 16

static struct {
    char **paths;
    size_t *sizes;
    size_t count, room;
} files;
static atomic_size_t next;

static int add(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)place;
    if (type != FTW_F)
        return 0;
    if (files.count == files.room) {
        files.room = files.room ? 2 * files.room : 1024;
        files.paths = realloc(files.paths, files.room * sizeof *files.paths);
        files.sizes = realloc(files.sizes, files.room * sizeof *files.sizes);
        bench_need(files.paths && files.sizes, "realloc");
    }
    files.paths[files.count] = strdup(path);
    bench_need(files.paths[files.count] != NULL, "strdup");
    files.sizes[files.count++] = (size_t)info->st_size;
    return 0;
}

/* What comes out goes to memory that nobody has touched, as that of a result. */
static void read_one(size_t number)
{
    const size_t size = files.sizes[number];
    char *bytes = bench_allocate(size);
    const int file = open(files.paths[number], O_RDONLY);
    bench_need(file >= 0 && read(file, bytes, size) == (ssize_t)size, files.paths[number]);
    close(file);
    size_t decoded_size;
    const bool chunk = strrchr(files.paths[number], '/')[1] != '.';
    if (chunk && size >= BLOSC_MIN_HEADER_LENGTH && blosc_cbuffer_validate(bytes, size, &decoded_size) == 0 &&
        decoded_size) {
        char *decoded = bench_allocate(decoded_size);
        bench_need(blosc_decompress_ctx(bytes, decoded, decoded_size, 1) == (int)decoded_size, files.paths[number]);
        free(decoded);
    }
    free(bytes);
}

static void *worker(void *context)
{
    (void)context;
    for (size_t number; (number = atomic_fetch_add(&next, 1)) < files.count;)
        read_one(number);
    return NULL;
}

void floor_store(void)
{
    pthread_t threads[THREADS_MAX];
    long count = bench_number("threads", sysconf(_SC_NPROCESSORS_ONLN));
    count = count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
    bench_need(nftw(bench_text("path", ""), add, DESCRIPTORS_MAX, FTW_PHYS) == 0, "path");
    bench_start();
    for (long i = 1; i < count; i++)
        bench_need(pthread_create(&threads[i], NULL, worker, NULL) == 0, "pthread_create");
    worker(NULL);
    for (long i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    bench_stop();
    bench_report(0);
    for (size_t i = 0; i < files.count; i++)
        free(files.paths[i]);
    free(files.paths);
    free(files.sizes);
}
