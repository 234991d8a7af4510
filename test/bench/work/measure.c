#include "measure.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define SHAPE_MAX 4

static int argument_count;
static char **arguments;
static double wall, cpu, thread_cpu;
static char threads[4096];
static long start_kib, peak_kib, file_kib; /* file_kib: pages of libraries that were loaded meanwhile */
static uint32_t digest;

void bench_arguments(int count, char **values)
{
    argument_count = count;
    arguments = values;
}

const char *bench_text(const char *key, const char *otherwise)
{
    const size_t length = strlen(key);
    for (int i = 1; i < argument_count; i++)
        if (strncmp(arguments[i], key, length) == 0 && arguments[i][length] == '=')
            return arguments[i] + length + 1;
    return otherwise;
}

long bench_number(const char *key, long otherwise)
{
    const char *text = bench_text(key, NULL);
    if (!text)
        return otherwise;
    char *end;
    const long number = strtol(text, &end, 10);
    bench_need(end != text && *end == '\0', key);
    return number;
}

int bench_shape(const char *key, uint64_t *shape)
{
    const char *text = bench_text(key, NULL);
    bench_need(text != NULL, key);
    int rank = 0;
    for (char *end; rank < SHAPE_MAX; text = end + 1) {
        shape[rank++] = strtoull(text, &end, 10);
        bench_need(end != text, key);
        if (*end != 'x')
            return rank;
    }
    return rank;
}

void bench_need(bool worked, const char *what)
{
    if (worked)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

void *bench_allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    bench_need(memory != NULL, "malloc");
    return memory;
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static long status_kib(const char *key)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtol(line + strlen(key) + 1, NULL, 10);
    if (status)
        fclose(status);
    return kib;
}

void bench_start(void)
{
    /* The peak so far, the parent's among it, is forgotten. */
    const int forget = open("/proc/self/clear_refs", O_WRONLY);
    if (forget >= 0) {
        const ssize_t written = write(forget, "5", 1);
        (void)written;
        close(forget);
    }
    start_kib = status_kib("VmRSS");
    file_kib = status_kib("RssFile");
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    thread_cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    wall = seconds(CLOCK_MONOTONIC);
}

/* Nanoseconds on a processor, of each thread there is: the longest tells the time that enough processors would take.
 * The calling thread's is what it did since the start. */
static void look_at_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t end = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char path[300];
        long long ran;
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%lld", &ran) == 1 && end + 32 < sizeof threads)
            end += (size_t)snprintf(threads + end, sizeof threads - end, ", %lld", ran);
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
}

void bench_stop(void)
{
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    thread_cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - thread_cpu;
    look_at_threads();
    peak_kib = status_kib("VmHWM");
    file_kib = status_kib("RssFile") - file_kib;
}

void bench_digest(const void *bytes, size_t size)
{
    digest = (uint32_t)crc32_z(digest, bytes, size);
}

void bench_report(size_t result_size)
{
    printf("{\"wall\": %.9f, \"cpu\": %.9f, \"extra_kib\": %ld, \"file_kib\": %ld, \"digest\": %u, \"threads_ns\": "
           "[%.0f%s]}\n",
           wall, cpu, peak_kib - start_kib - (long)(result_size / 1024), file_kib, digest, thread_cpu * 1e9, threads);
}
