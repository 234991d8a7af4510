/* floor_small.c - the system calls that small things cost in a directory store: one look at each name, one file for
 * each document. */
#include "floor.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARRAY_SIZE 300 /* bytes of a document of an array */
#define SMALL_SIZE 64  /* of a document of a group or of attributes, and of a small chunk */
#define ROW        500
#define ROWS       1000 /* of a chunk */
#define TEXT_MAX   16

static char filler[4096];

static int make_directory(int above, const char *name)
{
    bench_need(mkdirat(above, name, 0755) == 0, name);
    const int made = openat(above, name, O_RDONLY | O_DIRECTORY);
    bench_need(made >= 0, name);
    return made;
}

static int open_directory(int above, const char *name)
{
    const int opened = openat(above, name, O_RDONLY | O_DIRECTORY);
    bench_need(opened >= 0, name);
    return opened;
}

static void put(int directory, const char *name, const void *bytes, size_t size)
{
    const int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
    bench_need(file >= 0 && write(file, bytes, size) == (ssize_t)size, name);
    close(file);
}

static size_t get(int directory, const char *name, void *into, size_t room)
{
    const int file = openat(directory, name, O_RDONLY);
    const ssize_t size = file < 0 ? -1 : read(file, into, room);
    bench_need(size >= 0, name);
    close(file);
    return (size_t)size;
}

static void make_array(int group, const char *name)
{
    const int array = make_directory(group, name);
    put(array, ".zarray", filler, ARRAY_SIZE);
    put(array, ".zattrs", filler, SMALL_SIZE);
    put(array, "0", filler, SMALL_SIZE);
    close(array);
}

void floor_tree_create(void)
{
    const long groups = bench_number("groups", 30), nodes = bench_number("nodes", 100);
    memset(filler, ' ', sizeof filler);
    bench_start();
    const int root = make_directory(AT_FDCWD, bench_text("path", ""));
    put(root, ".zgroup", filler, SMALL_SIZE);
    for (long g = 0; g < groups; g++) {
        char name[32];
        snprintf(name, sizeof name, "g%05ld", g);
        const int group = make_directory(root, name);
        put(group, ".zgroup", filler, SMALL_SIZE);
        for (long n = 0; n < nodes; n++) {
            snprintf(name, sizeof name, "d%05ld", n);
            make_array(group, name);
        }
        close(group);
    }
    close(root);
    bench_stop();
    bench_report(0);
}

/* each(group, name of an array) for the arrays that lie so many levels below a directory; takes the descriptor */
static void each_array(int directory, unsigned levels, void (*each)(int, const char *))
{
    DIR *stream = fdopendir(directory);
    bench_need(stream != NULL, "fdopendir");
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] == '.')
            continue;
        if (levels > 1)
            each_array(open_directory(directory, entry->d_name), levels - 1, each);
        else
            each(directory, entry->d_name);
    }
    closedir(stream);
}

/* The tree of groups of arrays at `path`, so often. */
static void walk_tree(long times, void (*each)(int, const char *))
{
    bench_start();
    for (long i = 0; i < times; i++)
        each_array(open_directory(AT_FDCWD, bench_text("path", "")), 2, each);
    bench_stop();
    bench_report(0);
}

static void look(int directory, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/.zarray", name);
    bench_need(faccessat(directory, path, R_OK, 0) == 0, path);
}

void floor_tree_list(void)
{
    walk_tree(bench_number("opens", 5), look);
}

static void read_two(int directory, const char *name, const char *second)
{
    const int array = open_directory(directory, name);
    get(array, ".zarray", filler, sizeof filler);
    get(array, second, filler, sizeof filler);
    close(array);
}

static void documents(int directory, const char *name)
{
    read_two(directory, name, ".zattrs");
}

/* consolidated=1: one document tells all. */
static void consolidated_walk(void)
{
    struct stat info;
    const int root = open_directory(AT_FDCWD, bench_text("path", ""));
    bench_need(fstatat(root, ".zmetadata", &info, 0) == 0, ".zmetadata");
    char *document = bench_allocate((size_t)info.st_size + 1);
    long values = 0;
    bench_start();
    document[get(root, ".zmetadata", document, (size_t)info.st_size)] = '\0';
    for (char *colon = document; (colon = strchr(colon, ':')); colon++)
        values++;
    bench_stop();
    bench_need(values > 0, "values");
    bench_report(0);
    free(document);
    close(root);
}

void floor_tree_walk(void)
{
    if (bench_number("consolidated", 0))
        consolidated_walk();
    else
        walk_tree(1, documents);
}

static void chunk_too(int directory, const char *name)
{
    read_two(directory, name, "0");
}

void floor_tree_read(void)
{
    walk_tree(1, chunk_too);
}

/* The documents on the way to one attribute. */
void floor_tree_open(void)
{
    bench_start();
    for (long i = 0; i < bench_number("opens", 1); i++) {
        const int root = open_directory(AT_FDCWD, bench_text("path", ""));
        get(root, ".zgroup", filler, sizeof filler);
        get(root, "g00000/d00001/.zarray", filler, sizeof filler);
        get(root, "g00000/d00001/.zattrs", filler, sizeof filler);
        close(root);
    }
    bench_stop();
    bench_report(0);
}

/* An array of many chunks of which none is written: its documents. */
void floor_grid_alone(void)
{
    bench_start();
    const int root = make_directory(AT_FDCWD, bench_text("path", ""));
    put(root, ".zgroup", filler, SMALL_SIZE);
    const int array = make_directory(root, "x");
    put(array, ".zarray", filler, ARRAY_SIZE);
    get(root, ".zgroup", filler, sizeof filler);
    get(array, ".zarray", filler, sizeof filler);
    close(array);
    close(root);
    bench_stop();
    bench_report(0);
}

void floor_stores_create(void)
{
    char name[32];
    memset(filler, ' ', sizeof filler);
    const int above = open_directory(AT_FDCWD, bench_text("path", ""));
    bench_start();
    for (long i = 0; i < bench_number("count", 300); i++) {
        snprintf(name, sizeof name, "s%05ld", i);
        const int store = make_directory(above, name);
        put(store, ".zgroup", filler, SMALL_SIZE);
        put(store, ".zattrs", filler, SMALL_SIZE);
        put(store, ".zmetadata", filler, 3 * ARRAY_SIZE);
        make_array(store, "x");
        close(store);
    }
    bench_stop();
    bench_report(0);
}

void floor_stores_open(void)
{
    char name[32];
    const int above = open_directory(AT_FDCWD, bench_text("path", ""));
    bench_start();
    for (long i = 0; i < bench_number("count", 300); i++) {
        snprintf(name, sizeof name, "s%05ld%s", i, bench_text("suffix", ""));
        const int store = open_directory(above, name);
        get(store, ".zgroup", filler, sizeof filler);
        close(store);
    }
    bench_stop();
    bench_report(0);
}

/* Rows are gathered in a chunk, each chunk is written once. */
void floor_append(void)
{
    const long count = bench_number("count", 2000);
    float *chunk = bench_allocate(sizeof *chunk * ROWS * ROW), row[ROW] = {0};
    bench_start();
    const int array = make_directory(AT_FDCWD, bench_text("path", ""));
    for (long i = 0; i < count; i++) {
        char name[32];
        memcpy(chunk + i % ROWS * ROW, row, sizeof row);
        snprintf(name, sizeof name, "%ld.0", i / ROWS);
        if (i % ROWS == ROWS - 1 || i == count - 1)
            put(array, name, chunk, sizeof *chunk * ROWS * ROW);
    }
    close(array);
    bench_stop();
    bench_report(0);
    free(chunk);
}

/* Texts as vlen-utf8 has them (their length, their bytes) in one file; without a codec. */
void floor_strings_write(void)
{
    const size_t count = (size_t)bench_number("count", 1000000);
    char *letters = bench_allocate(count * TEXT_MAX), **texts = bench_allocate(count * sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        texts[i] = letters + i * TEXT_MAX;
        snprintf(texts[i], TEXT_MAX, "cell-%07d", (int)(i * 7919 % 10000000));
    }
    bench_start();
    const int array = make_directory(AT_FDCWD, bench_text("path", ""));
    char *stored = bench_allocate(count * (TEXT_MAX + sizeof(uint32_t))), *end = stored;
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = (uint32_t)strlen(texts[i]);
        memcpy(end, &size, sizeof size);
        memcpy(end + sizeof size, texts[i], size);
        end += sizeof size + size;
    }
    put(array, "0", stored, (size_t)(end - stored));
    close(array);
    bench_stop();
    bench_report(0);
    free(stored);
    free(texts);
    free(letters);
}

/* One allocation for each text, as H5Dread hands them out. */
void floor_strings_read(void)
{
    const size_t count = (size_t)bench_number("count", 1000000);
    char *letters = bench_allocate(count * TEXT_MAX);
    for (size_t i = 0; i < count; i++)
        snprintf(letters + i * TEXT_MAX, TEXT_MAX, "cell-%07d", (int)(i * 7919 % 10000000));
    bench_start();
    char **texts = bench_allocate(count * sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(letters + i * TEXT_MAX) + 1;
        texts[i] = bench_allocate(size);
        memcpy(texts[i], letters + i * TEXT_MAX, size);
    }
    bench_stop();
    for (size_t i = 0; i < count; i++) {
        bench_digest(texts[i], strlen(texts[i]) + 1);
        free(texts[i]);
    }
    bench_report(count * sizeof *texts);
    free(texts);
    free(letters);
}

/* One document, printed and written; read and looked through. */
void floor_attributes_write(void)
{
    const long count = bench_number("count", 10000);
    char *document = bench_allocate((size_t)count * 32), *end = document;
    bench_start();
    for (long i = 0; i < count; i++)
        end += snprintf(end, 32, "\"a%07ld\": %ld,\n", i, i);
    const int root = make_directory(AT_FDCWD, bench_text("path", ""));
    put(root, ".zattrs", document, (size_t)(end - document));
    close(root);
    bench_stop();
    bench_report(0);
    free(document);
}

void floor_attributes_read(void)
{
    const size_t room = (size_t)bench_number("count", 10000) * 64 + sizeof filler;
    char *document = bench_allocate(room + 1);
    int64_t sum = 0;
    bench_start();
    const int root = open_directory(AT_FDCWD, bench_text("path", ""));
    document[get(root, ".zattrs", document, room)] = '\0';
    close(root);
    for (char *colon = document; (colon = strchr(colon, ':'));)
        sum += strtol(colon + 1, &colon, 10);
    bench_stop();
    bench_need(sum > 0, "attributes");
    bench_report(0);
    free(document);
}
