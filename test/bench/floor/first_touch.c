/* first_touch.c - what the pages of a new array cost: threads copy pieces into memory that nobody has touched, as reads
 * decode into it. The ways take turns, so that each meets the machine as it is.
 *
 *   bench_first_touch [mib=256] [piece=4] [rounds=31] [threads=2]
 *
 * plain: as malloc gives it. huge: large pages are asked for. populate: each thread has the pages of its piece made
 * before it copies into it. both: both. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define MIB         ((size_t)1 << 20)
#define ROUNDS_MAX  1000
#define THREADS_MAX 64

enum { PLAIN, HUGE, POPULATE, BOTH, WAYS };
static const char *const names[WAYS] = {"plain", "huge", "populate", "both"};

static size_t size = 256 * MIB, piece = 4 * MIB;
static char *destination, *source;
static atomic_size_t next_piece;
static int way;

static void *copy_pieces(void *unused)
{
    for (size_t at; (at = atomic_fetch_add(&next_piece, piece)) < size;) {
        if (way == POPULATE || way == BOTH)
            madvise(destination + at, piece, MADV_POPULATE_WRITE); /* without it the copy makes them */
        memcpy(destination + at, source, piece);
    }
    return unused;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void measure(int threads, double *wall, double *cpu)
{
    pthread_t others[THREADS_MAX];
    destination = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (destination == MAP_FAILED)
        exit(1);
    atomic_store(&next_piece, 0);
    *wall = seconds(CLOCK_MONOTONIC), *cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (way == HUGE || way == BOTH)
        madvise(destination, size, MADV_HUGEPAGE);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, copy_pieces, NULL);
    copy_pieces(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    *wall = seconds(CLOCK_MONOTONIC) - *wall, *cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - *cpu;
    munmap(destination, size);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(double *values, int count, const char *what)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    printf("  %s min %7.2f  median %7.2f  three quarters %7.2f  max %7.2f ms\n", what, values[0] * 1e3,
           values[count / 2] * 1e3, values[count * 3 / 4] * 1e3, values[count - 1] * 1e3);
}

int main(int count, char **arguments)
{
    static double walls[WAYS][ROUNDS_MAX], cpus[WAYS][ROUNDS_MAX];
    int rounds = 31, threads = 2;
    for (int i = 1; i < count; i++) {
        const char *value = strchr(arguments[i], '=');
        const int number = value ? atoi(value + 1) : 0;
        if (number > 0 && strncmp(arguments[i], "mib=", 4) == 0)
            size = (size_t)number * MIB;
        else if (number > 0 && strncmp(arguments[i], "piece=", 6) == 0)
            piece = (size_t)number * MIB;
        else if (number > 0 && number <= ROUNDS_MAX && strncmp(arguments[i], "rounds=", 7) == 0)
            rounds = number;
        else if (number > 0 && number < THREADS_MAX && strncmp(arguments[i], "threads=", 8) == 0)
            threads = number;
    }
    size = size / piece * piece;
    source = malloc(piece);
    if (!source)
        return 1;
    memset(source, 1, piece);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < WAYS; i++) {
            way = round % 2 ? WAYS - 1 - i : i;
            measure(threads, &walls[way][round], &cpus[way][round]);
        }
    for (way = 0; way < WAYS; way++) {
        printf("%s\n", names[way]);
        report(walls[way], rounds, "wall");
        report(cpus[way], rounds, "cpu ");
    }
    return 0;
}
