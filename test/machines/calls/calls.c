/* calls.c - the system calls that reads and writes of a local directory store cost, pinned: the connector's own,
 * counted by the hook. A change that costs one more has to say so here; one that costs fewer, too. */
#include "../hook/hook.h"
#include <H5VLconnector.h>
#include <dirent.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULE   "libH5VLzarr"
#define CHUNKS   20
#define ROWS     10 /* of a chunk */
#define ELEMENTS (CHUNKS * ROWS)

static char directory[40] = "/tmp/vol-zarr-calls-XXXXXX";
static int values[ELEMENTS];
static unsigned failures;

/* ---- counting ---- */

static const struct hook_plan counting = {.mode = HOOK_COUNT};

static void must(int64_t status, const char *what)
{
    if (status >= 0)
        return;
    hook_stop();
    fprintf(stderr, "%s failed\n", what);
    exit(2);
}

/* What is looked at every hundredth of a second, or is young for so long, is so before each action. */
static void begin(void)
{
    usleep(100000);
    hook_start(&counting);
}

static int threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

/* What was counted since hook_start, against the pin; the kinds of the calls, where it differs. */
static void expect(const char *what, long pinned)
{
    const long calls = hook_stop();
    const unsigned char *kinds = hook_kinds();
    int of[HOOK_KINDS] = {0};
    printf("%-55s %ld\n", what, calls);
    if (calls == pinned)
        return;
    failures++;
    printf("    pinned are %ld; these were", pinned);
    for (long i = 0; kinds && i < calls; i++)
        of[kinds[i]]++;
    for (int kind = 0; kind < HOOK_KINDS; kind++)
        if (of[kind])
            printf(" %d %s", of[kind], hook_kind_name(kind));
    printf("\n");
}

/* ---- the stores ---- */

static hid_t open_file(const char *name, unsigned flags)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const hid_t file = flags & H5F_ACC_TRUNC ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                             : H5Fopen(path, flags, H5P_DEFAULT);
    must(file, "opening a store");
    return file;
}

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        must(-1, path);
}

static void write_all(hid_t dataset)
{
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = i + 1;
    must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "writing");
}

static void make_plain(void)
{
    const hid_t file = open_file("plain", H5F_ACC_TRUNC);
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){ELEMENTS}, NULL), one = H5Screate(H5S_SCALAR);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, (const hsize_t[]){ROWS});
    H5Pset_deflate(dcpl, 1);
    const hid_t dataset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(dataset, "a", H5T_NATIVE_INT, one, H5P_DEFAULT, H5P_DEFAULT);
    must(H5Awrite(attribute, H5T_NATIVE_INT, &(const int){5}), "writing an attribute");
    write_all(dataset);
    H5Aclose(attribute);
    H5Dclose(dataset);
    H5Pclose(dcpl);
    H5Sclose(one);
    H5Sclose(space);
    must(H5Fclose(file), "closing");
}

/* Five shards of four chunks. */
static void make_shards(void)
{
    char path[100];
    snprintf(path, sizeof path, "%s/shards", directory);
    must(mkdir(path, 0755), path);
    snprintf(path, sizeof path, "%s/shards/d", directory);
    must(mkdir(path, 0755), path);
    put("shards/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{}}");
    put("shards/d/zarr.json",
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[200],\"data_type\":\"int32\",\"chunk_grid\":{\"name\":"
        "\"regular\",\"configuration\":{\"chunk_shape\":[40]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
        "\"fill_value\":0,\"codecs\":[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[10],"
        "\"codecs\":["
        "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}],\"index_codecs\":[{\"name\":\"bytes\","
        "\"configuration\":{\"endian\":\"little\"}},{\"name\":\"crc32c\"}]}}],\"attributes\":{}}");
    const hid_t file = open_file("shards", H5F_ACC_RDWR), dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    must(dataset, "opening");
    write_all(dataset);
    H5Dclose(dataset);
    must(H5Fclose(file), "closing");
}

/* ---- what is counted ---- */

/* `count` elements from `start` on, every `step`th. */
static void transfer(hid_t dataset, int reads, hsize_t start, hsize_t step, hsize_t count)
{
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){ELEMENTS}, NULL);
    const hid_t memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &step, &count, NULL);
    must(reads ? H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values)
               : H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values),
         "a transfer");
    H5Sclose(memory);
    H5Sclose(space);
}

static void counted(const char *what, hid_t dataset, int reads, hsize_t start, hsize_t step, hsize_t count, long pinned)
{
    begin();
    transfer(dataset, reads, start, step, count);
    expect(what, pinned);
}

static void flush(const char *what, hid_t file, long pinned)
{
    begin();
    must(H5Fflush(file, H5F_SCOPE_LOCAL), "flushing");
    expect(what, pinned);
}

static void reads_of_chunks(void)
{
    hid_t file = open_file("plain", H5F_ACC_RDONLY), dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    int value = 0;
    transfer(dataset, 1, 0, 1, 4); /* once in a process the machine is asked how many threads may work */
    H5Dclose(dataset);
    H5Fclose(file);
    file = open_file("plain", H5F_ACC_RDONLY);
    dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    counted("a part of one chunk", dataset, 1, 3, 1, 4, 4);
    counted("the same again", dataset, 1, 3, 1, 4, 0);
    begin();
    const hid_t attribute = H5Aopen(dataset, "a", H5P_DEFAULT);
    must(H5Aread(attribute, H5T_NATIVE_INT, &value), "reading an attribute");
    H5Aclose(attribute);
    expect("an attribute", 0);
    if (threads() != 1) {
        printf("    a thread was started for one chunk\n");
        failures++;
    }
    counted("a slab over five chunks, one of them known", dataset, 1, 5, 1, 40, 13);
    H5Dclose(dataset);
    H5Fclose(file);
    file = open_file("plain", H5F_ACC_RDONLY);
    dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    counted("all of 20 chunks", dataset, 1, 0, 1, ELEMENTS, 60);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void reads_of_shards(void)
{
    const hid_t file = open_file("shards", H5F_ACC_RDONLY), dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    counted("a slab over three shards", dataset, 1, 15, 1, 80, 21);
    counted("the same again", dataset, 1, 15, 1, 80, 19);
    counted("all of five shards", dataset, 1, 0, 1, ELEMENTS, 38);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void writes(void)
{
    hid_t file = open_file("plain", H5F_ACC_RDWR), dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    counted("writing 20 whole chunks, the first of a session", dataset, 0, 0, 1, ELEMENTS, 111);
    counted("writing 20 whole chunks", dataset, 0, 0, 1, ELEMENTS, 84);
    counted("writing parts of 20 chunks", dataset, 0, 0, 10, CHUNKS, 80);
    flush("and the flush", file, 291);
    H5Dclose(dataset);
    H5Fclose(file);
    file = open_file("shards", H5F_ACC_RDWR);
    dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    counted("writing five whole shards, the first of a session", dataset, 0, 0, 1, ELEMENTS, 85);
    counted("writing parts of five shards", dataset, 0, 0, 40, 5, 25);
    flush("and the flush", file, 71);
    H5Dclose(dataset);
    H5Fclose(file);
}

/* The first of two chunks that lie side by side. */
static void write_rows(hid_t dataset, hsize_t rows, hsize_t columns, const int *elements)
{
    const hsize_t count[] = {rows, columns}, all[] = {rows, 2 * columns}, none[] = {0, 0};
    const hid_t space = H5Screate_simple(2, all, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, none, NULL, count, NULL);
    must(H5Dwrite(dataset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, elements), "writing");
    H5Sclose(space);
}

static hid_t make_rows(hid_t file, hsize_t rows, hsize_t columns)
{
    const hsize_t shape[] = {rows, 2 * columns}, chunk[] = {rows, columns};
    const hid_t space = H5Screate_simple(2, shape, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    const hid_t dataset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(dataset, "making");
    H5Pclose(dcpl);
    H5Sclose(space);
    return dataset;
}

/* A chunk without codecs, whose rows of 2 KiB go to its file from where they lie. */
static void writes_of_rows(const char *name, hsize_t rows, long pinned_new, long pinned)
{
    enum { COLUMNS = 512 };
    char what[100];
    int *elements = malloc(rows * 2 * COLUMNS * sizeof *elements);
    for (hsize_t i = 0; elements && i < rows * 2 * COLUMNS; i++)
        elements[i] = (int)i + 1;
    must(elements && setenv("VOL_ZARR_COMPRESS", "none", 1) == 0 ? 0 : -1, name);
    hid_t file = open_file(name, H5F_ACC_TRUNC), dataset = make_rows(file, rows, COLUMNS);
    begin();
    write_rows(dataset, rows, COLUMNS, elements);
    snprintf(what, sizeof what, "a chunk of %d rows of a new array", (int)rows);
    expect(what, pinned_new);
    H5Dclose(dataset);
    must(H5Fclose(file), "closing");
    file = open_file(name, H5F_ACC_RDWR);
    dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    write_rows(dataset, rows, COLUMNS, elements);
    begin();
    write_rows(dataset, rows, COLUMNS, elements);
    expect("the same over what is there", pinned);
    H5Dclose(dataset);
    must(H5Fclose(file), "closing");
    unsetenv("VOL_ZARR_COMPRESS");
    free(elements);
}

static void make_scalar(hid_t group)
{
    const hid_t one = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(group, "d", H5T_NATIVE_INT, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "writing");
    H5Dclose(dataset);
    H5Sclose(one);
}

/* A store with one dataset, whole: what is remembered of a process was made before. */
static void stores(void)
{
    char path[100];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/new%d", directory, i);
        begin();
        const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        make_scalar(file);
        must(H5Fclose(file), "closing");
        if (i)
            expect("making a store with a dataset", 64);
        hook_stop();
    }
    snprintf(path, sizeof path, "%s/groups", directory);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    begin();
    for (int i = 0; i < 2; i++) {
        const hid_t group = H5Gcreate2(file, i ? "h" : "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        make_scalar(group);
        must(H5Gclose(group), "closing a group");
    }
    must(H5Fclose(file), "closing");
    expect("two groups with a dataset each, and closing the store", 82);
    begin();
    must(H5Fclose(open_file("new0", H5F_ACC_RDONLY)), "closing");
    expect("opening a store to read, and closing it", 17);
    begin();
    must(H5Fclose(open_file("new0", H5F_ACC_RDWR)), "closing");
    expect("opening a store to write, and closing it", 28);
}

static void count_all(void)
{
    if (hook_install(MODULE) <= 0) {
        fprintf(stderr, "the connector cannot be hooked: %s\n", hook_unknown() ? hook_unknown() : "it is not loaded");
        exit(2);
    }
    reads_of_chunks();
    reads_of_shards();
    writes();
    writes_of_rows("rows", 1024, 4, 8); /* as of a chunk that lies in one place */
    writes_of_rows("more-rows", 1025, 5, 9);
    stores();
}

/* The stores are made in a process of its own, so that nothing of it is remembered, and no thread runs. */
int main(int argc, char **argv)
{
    char command[100];
    must(H5open(), "HDF5");
    if (argc == 1) {
        must(mkdtemp(directory) ? 0 : -1, "a directory");
        make_plain();
        make_shards();
        execl(argv[0], argv[0], directory, (char *)NULL);
        must(-1, argv[0]);
    }
    snprintf(directory, sizeof directory, "%s", argv[1]);
    count_all();
    snprintf(command, sizeof command, "rm -rf %s", directory);
    must(-system(command), command);
    return failures != 0;
}
