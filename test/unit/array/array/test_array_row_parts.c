/* test_array_row_parts.c - whole chunks without codecs whose rows are long go to a directory from where they lie in the
 * program's buffer. The judge are the bytes of the files. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "own_directory.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char directory[64];

/* ---- a system that does little ---- */

static struct {
    size_t most;       /* bytes at a time; 0: all */
    atomic_uint calls; /* of pwritev */
    unsigned fails_at; /* the call that fails; 0: none does */
    int sys_errno;
} kernel;

ssize_t pwritev(int file, const struct iovec *places, int count, off_t offset)
{
    ssize_t sum = 0;
    if (atomic_fetch_add(&kernel.calls, 1) + 1 == kernel.fails_at || count > 1024) {
        errno = count > 1024 ? EINVAL : kernel.sys_errno;
        return -1;
    }
    for (int i = 0; i < count && (!kernel.most || (size_t)sum < kernel.most); i++) {
        const size_t left = kernel.most ? kernel.most - (size_t)sum : places[i].iov_len;
        const size_t size = places[i].iov_len < left ? places[i].iov_len : left;
        if (pwrite(file, places[i].iov_base, size, offset + sum) != (ssize_t)size)
            return -1;
        sum += (ssize_t)size;
    }
    return sum;
}

static void system_does(size_t most, unsigned fails_at, int sys_errno)
{
    kernel.most = most;
    kernel.fails_at = fails_at;
    kernel.sys_errno = sys_errno;
    atomic_store(&kernel.calls, 0);
}

/* ---- arrays ---- */

typedef struct layout {
    const char *document;
    uint64_t gap;    /* elements between rows of the buffer that are no part of the array */
    unsigned direct; /* chunks that are not gathered */
    unsigned calls;  /* that takes, where the system does all of each; 0: they lie in one place */
} layout;

static const layout layouts[] = {
    {"'shape':[70,1100],'chunks':[32,512],'dtype':'<i4'", 0, 4, 4},
    {"'shape':[70,1100],'chunks':[32,512],'dtype':'<i4'", 3, 4, 4},
    {"'shape':[70,1100],'chunks':[33,513],'dtype':'<i4'", 0, 4, 4},
    {"'shape':[70,1100],'chunks':[40,511],'dtype':'<i4'", 0, 0, 0}, /* short rows */
    {"'shape':[70,1100],'chunks':[31,512],'dtype':'<i4'", 0, 0, 0}, /* small chunks */
    {"'shape':[1100,4100],'chunks':[1100,2048],'dtype':'|u1'", 0, 2, 4},
    {"'shape':[64,520],'chunks':[32,520],'dtype':'<f8'", 0, 2, 0}, /* one piece of the buffer each */
    {"'shape':[64,520],'chunks':[32,520],'dtype':'<f8'", 1, 2, 2},
    {"'shape':[40000],'chunks':[16384],'dtype':'<i4'", 0, 2, 0},
    {"'shape':[5,40,600],'chunks':[2,20,600],'dtype':'<i4'", 0, 4, 4},
    {"'shape':[5,40,600],'chunks':[2,20,300],'dtype':'<i8'", 0, 8, 8},
    {"'shape':[3,4,6,1030],'chunks':[2,3,6,515],'dtype':'<i4'", 0, 2, 2},
    {"'shape':[70,1100],'chunks':[64,512],'dtype':'<i4','order':'F'", 0, 0, 0}, /* columns */
    {"'shape':[70,1100],'chunks':[32,512],'dtype':'<i4','fill_value':null", 0, 4, 4},
    {"'shape':[70,1100],'chunks':[32,512],'dtype':'<i4','compressor':{'id':'zlib','level':1}", 0, 0, 0},
};

static subject subject_in(const char *document)
{
    vz_error err = VZ_ERROR_NONE;
    subject s = subject_of(document);
    assert_true(own_directory(directory));
    vz_array_close(s.array);
    vz_store_close(s.store);
    s.store = vz_store_open_directory(directory, true, &err);
    no_error(s.store != NULL, &err);
    s.array = vz_array_open(s.store, s.meta, "a", true, &err); /* fill is left out */
    no_error(s.array != NULL, &err);
    system_does(0, 0, 0);
    return s;
}

static void end(subject *s)
{
    subject_clear(s);
    assert_int_equal(remove_tree(directory), 0);
}

/* Of all of the array, in a buffer whose rows lie so far apart. */
static vz_region region_with(const vz_meta *meta, uint64_t gap)
{
    vz_region region = block_of(meta, NULL, NULL);
    for (unsigned d = 0; d + 1 < meta->rank; d++)
        region.memory_stride[d] =
            region.memory_stride[d] / meta->shape[meta->rank - 1] * (meta->shape[meta->rank - 1] + gap);
    return region;
}

static size_t buffer_size(const vz_meta *meta, const vz_region *region)
{
    uint64_t last = 0;
    for (unsigned d = 0; d < meta->rank; d++)
        last += (meta->shape[d] - 1) * region->memory_stride[d];
    return (size_t)(last + 1) * meta->dtype->size;
}

/* The sanitizer watches its ends. */
static uint8_t *noise(size_t size, unsigned seed)
{
    uint8_t *bytes = malloc(size);
    uint32_t state = seed * 2654435761u + 1;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    return bytes;
}

static bool try_write(subject *s, const vz_region *region, const uint8_t *buffer, vz_error *err)
{
    const vz_transfer transfer = plain_transfer(s->meta, region, (void *)(uintptr_t)buffer);
    *err = VZ_ERROR_NONE;
    const bool ok = vz_array_write(s->array, &transfer, err);
    assert_true(ok == (err->class == VZ_OK));
    return ok;
}

/* ---- the judge ---- */

static uint8_t *load_chunk(const vz_meta *meta, const uint64_t *chunk)
{
    char path[256];
    int length = snprintf(path, sizeof path, "%s/a/", directory);
    for (unsigned d = 0; d < meta->rank; d++)
        length += snprintf(path + length, sizeof path - (size_t)length, d ? ".%u" : "%u", (unsigned)chunk[d]);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    uint8_t *bytes = malloc(meta->chunk_size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, meta->chunk_size + 1, file), meta->chunk_size);
    fclose(file);
    return bytes;
}

/* Where an element of the array lies: the number of its chunk, its place in that, and in the buffer. */
static void locate(const vz_meta *meta, const vz_region *region, uint64_t number, uint64_t chunk[4], uint64_t *in,
                   uint64_t *memory)
{
    uint64_t at[4];
    *in = *memory = 0;
    for (unsigned d = meta->rank; d-- > 0; number /= meta->shape[d])
        at[d] = number % meta->shape[d];
    for (unsigned d = 0; d < meta->rank; d++) {
        chunk[d] = at[d] / meta->chunks[d];
        *in = *in * meta->chunks[d] + at[d] % meta->chunks[d];
        *memory += at[d] * region->memory_stride[d];
    }
}

/* Of arrays in C order, of at most so many chunks along a dimension. */
static void assert_stored(const vz_meta *meta, const vz_region *region, const uint8_t *buffer)
{
    enum { ALONG = 4 };
    static const uint8_t zeros[16];
    uint8_t *loaded[ALONG * ALONG * ALONG * ALONG] = {NULL};
    bool is_loaded[ALONG * ALONG * ALONG * ALONG] = {false};
    uint64_t count = 1, chunk[4], in, memory;
    const size_t size = meta->dtype->size;
    for (unsigned d = 0; d < meta->rank; d++)
        count *= meta->shape[d];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = 0;
        locate(meta, region, i, chunk, &in, &memory);
        for (unsigned d = 0; d < meta->rank; d++)
            number = number * ALONG + chunk[d];
        if (!is_loaded[number])
            loaded[number] = load_chunk(meta, chunk);
        is_loaded[number] = true;
        if (memcmp(loaded[number] ? loaded[number] + in * size : zeros, buffer + memory * size, size) != 0)
            fail_msg("element %u of %u", (unsigned)i, (unsigned)count);
    }
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        free(loaded[i]);
}

static void assert_nothing_unfinished(void)
{
    char command[256];
    assert_true(snprintf(command, sizeof command, "test -z \"$(find %s -name '*.partial')\"", directory) < 256);
    assert_int_equal(system(command), 0);
}

/* Others than these are read by other tests, and judged there. */
static bool is_judged(const layout *l)
{
    return !strstr(l->document, "'F'") && !strstr(l->document, "zlib");
}

/* ---- */

static const size_t steps[] = {0, 1000, 2048, 2050, 65536 + 7};

/* New ones and over what is there, by one thread and by several, whatever the system does of it at a time. */
static void test_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        subject s = subject_in(layouts[i].document);
        const vz_region region = region_with(s.meta, layouts[i].gap);
        for (unsigned turn = 0; turn < sizeof steps / sizeof *steps; turn++) {
            uint8_t *buffer = noise(buffer_size(s.meta, &region), turn + 1);
            vz_error err;
            vz_pool_set_threads(turn % 2 ? 3 : 1);
            system_does(steps[turn], turn == 1 ? 1 : 0, EINTR);
            no_error(try_write(&s, &region, buffer, &err), &err);
            assert_int_equal(vz_array_counted(s.array).direct_chunks, (turn + 1) * layouts[i].direct);
            assert_true(steps[turn] ? atomic_load(&kernel.calls) >= layouts[i].calls
                                    : atomic_load(&kernel.calls) == layouts[i].calls);
            flush(&s);
            if (is_judged(&layouts[i]))
                assert_stored(s.meta, &region, buffer);
            assert_nothing_unfinished();
            free(buffer);
        }
        end(&s);
    }
    vz_pool_set_threads(0);
}

/* An array in Fortran's order, of a buffer in Fortran's order: columns are what rows are else. */
static void test_columns(void **state)
{
    (void)state;
    subject s = subject_in("'shape':[1100,70],'chunks':[512,32],'dtype':'<i4','order':'F'");
    vz_region region = block_of(s.meta, NULL, NULL);
    region.memory_stride[0] = 1;
    region.memory_stride[1] = 1100;
    int32_t *buffer = (int32_t *)(void *)noise(1100 * 70 * sizeof *buffer, 9);
    vz_error err;
    no_error(try_write(&s, &region, (uint8_t *)buffer, &err), &err);
    assert_int_equal(vz_array_counted(s.array).direct_chunks, 4);
    for (uint64_t c = 0; c < 4; c++) {
        const uint64_t chunk[] = {c / 2, c % 2};
        int32_t *bytes = (int32_t *)(void *)load_chunk(s.meta, chunk);
        for (uint64_t y = 0; y < 32; y++)
            assert_memory_equal(bytes + y * 512, buffer + (chunk[1] * 32 + y) * 1100 + chunk[0] * 512, 2048);
        free(bytes);
    }
    free(buffer);
    end(&s);
}

/* A block that begins and ends inside chunks: those of which it has all are written so, the others by the cache. */
static void test_block(void **state)
{
    (void)state;
    subject s = subject_in("'shape':[128,2048],'chunks':[32,512],'dtype':'<i4'");
    int32_t *all = calloc(128 * 2048, sizeof *all), *block = (int32_t *)(void *)noise(80 * 1500 * sizeof *block, 5);
    const uint64_t start[] = {30, 100}, count[] = {80, 1500};
    write_block(&s, start, count, block);
    assert_int_equal(vz_array_counted(s.array).direct_chunks, 2 * 2);
    assert_int_equal(atomic_load(&kernel.calls), 4);
    flush(&s);
    for (size_t y = 0; y < 80; y++)
        memcpy(all + (30 + y) * 2048 + 100, block + y * 1500, 1500 * sizeof *all);
    const vz_region region = block_of(s.meta, NULL, NULL);
    assert_stored(s.meta, &region, (uint8_t *)all);
    free(all);
    free(block);
    end(&s);
}

/* Chunks that are all fill are not stored, and go where they were; one other element, and a chunk is there. */
static void test_fill(void **state)
{
    (void)state;
    subject s = subject_in("'shape':[64,1024],'chunks':[32,512],'dtype':'<i4'");
    const vz_region region = block_of(s.meta, NULL, NULL);
    int32_t *buffer = calloc(64 * 1024, sizeof *buffer);
    const uint64_t chunks[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const size_t at[] = {0, 31 * 1024 + 1023, 32 * 1024 + 1}; /* first, last and second element of three chunks */
    for (unsigned turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < 64 * 1024 && turn == 0; i++)
            buffer[i] = (int32_t)i + 1;
        write_block(&s, NULL, NULL, buffer);
        assert_int_equal(vz_array_counted(s.array).direct_chunks, 4 * (turn + 1));
        assert_stored(s.meta, &region, (uint8_t *)buffer);
        memset(buffer, 0, 64 * 1024 * sizeof *buffer);
        for (size_t i = 0; i < 3; i++)
            buffer[at[i]] = -1;
    }
    for (size_t i = 0; i < 4; i++) {
        uint8_t *bytes = load_chunk(s.meta, chunks[i]);
        assert_true((bytes != NULL) == (i < 3));
        free(bytes);
    }
    end(&s);
    free(buffer);
}

/* What the cache has of a chunk is not what a later write is followed by. */
static void test_cached_chunks(void **state)
{
    (void)state;
    subject s = subject_in("'shape':[64,1024],'chunks':[32,512],'dtype':'<i4'");
    const vz_region region = block_of(s.meta, NULL, NULL);
    const uint64_t start[] = {5, 300}, count[] = {40, 400};
    int32_t part[40 * 400], *back = malloc(64 * 1024 * sizeof *back);
    for (unsigned turn = 0; turn < 4; turn++) {
        uint8_t *buffer = noise(64 * 1024 * sizeof *back, 20 + turn);
        if (turn % 2)
            read_block(&s, start, count, part);
        else
            write_block(&s, start, count, memset(part, 7, sizeof part)); /* dirty */
        write_block(&s, NULL, NULL, buffer);
        read_block(&s, NULL, NULL, back);
        assert_memory_equal(back, buffer, 64 * 1024 * sizeof *back);
        flush(&s);
        assert_stored(s.meta, &region, buffer);
        free(buffer);
    }
    free(back);
    end(&s);
}

/* What was there stays; the error names the chunk; the next attempt does it. */
static void test_full_disk(void **state)
{
    (void)state;
    subject s = subject_in("'shape':[64,1024],'chunks':[32,512],'dtype':'<i4'");
    const vz_region region = block_of(s.meta, NULL, NULL);
    uint8_t *old = noise(64 * 1024 * 4, 1), *new = noise(64 * 1024 * 4, 2);
    vz_error err;
    vz_pool_set_threads(1);
    no_error(try_write(&s, &region, old, &err), &err);
    for (unsigned at = 1; at < 4; at++) {
        system_does(30000, at, ENOSPC);
        assert_false(try_write(&s, &region, new, &err));
        assert_int_equal(err.class, VZ_IO);
        assert_int_equal(err.sys_errno, ENOSPC);
        assert_string_equal(err.object, "a/0.0");
        assert_stored(s.meta, &region, old);
        assert_nothing_unfinished();
    }
    system_does(0, 0, 0);
    no_error(try_write(&s, &region, new, &err), &err);
    assert_stored(s.meta, &region, new);
    free(old);
    free(new);
    end(&s);
    vz_pool_set_threads(0);
}

/* Stores that take values from one place, and numbers that are converted or rounded, have chunks gathered. */
static void test_gathered(void **state)
{
    (void)state;
    static const char document[] = "'shape':[64,1024],'chunks':[32,512],'dtype':'<f4'";
    subject s = subject_of(document);
    float *buffer = malloc(64 * 1024 * sizeof *buffer), *bytes;
    vz_number_conversion conversion;
    vz_error err = VZ_ERROR_NONE;
    for (size_t i = 0; i < 64 * 1024; i++)
        buffer[i] = (float)(i % 1000) + (i % 2 ? 0.26F : 0);
    write_block(&s, NULL, NULL, buffer);
    assert_int_equal(vz_array_counted(s.array).staged_chunks, 4);
    subject_clear(&s);
    s = subject_in(document);
    vz_array_set_rounding(s.array, &(vz_rounding){.is_float = true, .size = 4, .scale = 1});
    write_block(&s, NULL, NULL, buffer);
    bytes = (float *)(void *)load_chunk(s.meta, (uint64_t[]){1, 0});
    assert_true(bytes[1] > 769.27F && bytes[1] < 769.35F && bytes[1] != buffer[32 * 1024 + 1]);
    free(bytes);
    vz_array_set_rounding(s.array, &(vz_rounding){0});
    assert_true(vz_conversion_find((vz_number_format){VZ_NUMBER_UINT, 4, false},
                                   (vz_number_format){VZ_NUMBER_FLOAT, 4, false}, &conversion));
    const vz_region region = block_of(s.meta, NULL, NULL);
    vz_transfer transfer = plain_transfer(s.meta, &region, buffer);
    transfer.conversion = &conversion;
    no_error(vz_array_write(s.array, &transfer, &err), &err);
    bytes = (float *)(void *)load_chunk(s.meta, (uint64_t[]){0, 0});
    assert_true(bytes[1] > 1e9F); /* the bits of a float, as a number */
    free(bytes);
    assert_int_equal(vz_array_counted(s.array).direct_chunks + atomic_load(&kernel.calls), 0);
    free(buffer);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),  cmocka_unit_test(test_columns),       cmocka_unit_test(test_block),
        cmocka_unit_test(test_fill),     cmocka_unit_test(test_cached_chunks), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_gathered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
