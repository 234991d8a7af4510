/* test_dataset.c - H5D: what a dataset tells, extents, chunks. Types and selections have tests of their own. */
#include "both.h"

static hid_t chunked_list(hsize_t rows, hsize_t columns)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {rows, columns};
    H5Pset_chunk(dcpl, 2, chunk);
    return dcpl;
}

static hid_t dataset(trial *t, const char *name, hsize_t rows, hsize_t columns, hid_t dcpl)
{
    const hsize_t dims[] = {rows, columns}, most[] = {H5S_UNLIMITED, columns};
    const hid_t space = H5Screate_simple(2, dims, dcpl == H5P_DEFAULT ? NULL : most);
    const hid_t id = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    assert_true(id >= 0);
    return id;
}

static void write_numbers(trial *t, hid_t id, int count)
{
    int *numbers = calloc((size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++)
        numbers[i] = i + 1;
    say(t, "write %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers)));
    free(numbers);
}

static void say_numbers(trial *t, hid_t id)
{
    hsize_t dims[2] = {0}, most[2] = {0};
    const hid_t space = H5Dget_space(id);
    H5Sget_simple_extent_dims(space, dims, most);
    H5Sclose(space);
    int *numbers = calloc((size_t)(dims[0] * dims[1]) + 1, sizeof *numbers);
    say(t, "%d x %d (%d x %d)", (int)dims[0], (int)dims[1], (int)most[0], (int)most[1]);
    say(t, " read %s:", went(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers)));
    for (hsize_t i = 0; i < dims[0] * dims[1]; i++)
        say(t, " %d", numbers[i]);
    say(t, "\n");
    free(numbers);
}

static void extents(trial *t)
{
    static const hsize_t sizes[][2] = {{5, 3}, {2, 3}, {6, 3}, {6, 2}, {0, 2}, {3, 2}, {3, 3}};
    const hid_t dcpl = chunked_list(2, 2), id = dataset(t, "d", 3, 3, dcpl);
    const int fill = 9;
    say_numbers(t, id);
    write_numbers(t, id, 9);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        say(t, "set %s\n", went(H5Dset_extent(id, sizes[i])));
        say_numbers(t, id);
    }
    say(t, "too wide %s\n", went(H5Dset_extent(id, (const hsize_t[]){3, 4})));
    H5Dclose(id);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    const hid_t filled = dataset(t, "filled", 1, 3, dcpl);
    H5Dset_extent(filled, (const hsize_t[]){2, 3});
    H5Dclose(filled);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "filled", H5P_DEFAULT);
    say_numbers(t, again);
    say(t, "read-only %s\n", went(H5Dset_extent(again, (const hsize_t[]){4, 3})));
    int value = 0;
    say(t, "read-only write %s\n", went(H5Dwrite(again, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value)));
    H5Dclose(again);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(extents)

static void say_layout(trial *t, hid_t id)
{
    hsize_t chunk[2] = {0};
    const hid_t dcpl = H5Dget_create_plist(id), dapl = H5Dget_access_plist(id), type = H5Dget_type(id);
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    say(t, "layout %d", layout);
    if (layout == H5D_CHUNKED) {
        H5Pget_chunk(dcpl, 2, chunk);
        say(t, " %d x %d", (int)chunk[0], (int)chunk[1]);
    }
    size_t slots = 0, bytes = 0;
    double preemption = 0;
    say(t, " filters %d cache %s\n", H5Pget_nfilters(dcpl),
        went(H5Pget_chunk_cache(dapl, &slots, &bytes, &preemption)));
    say(t, "type %d, native int %d\n", H5Tget_class(type), H5Tequal(type, H5T_NATIVE_INT));
    H5Tclose(type);
    H5Pclose(dapl);
    H5Pclose(dcpl);
}

static void tells(trial *t)
{
    const hid_t dcpl = chunked_list(2, 2), chunked = dataset(t, "chunked", 3, 3, dcpl);
    const hid_t contiguous = dataset(t, "contiguous", 3, 3, H5P_DEFAULT);
    say_layout(t, chunked);
    say_layout(t, contiguous);
    H5Pset_deflate(dcpl, 4);
    const hid_t packed = dataset(t, "packed", 3, 3, dcpl);
    say_layout(t, packed);
    write_numbers(t, packed, 9);
    write_numbers(t, contiguous, 9);
    say(t, "vlen size %s\n", went(H5Dget_offset(chunked) == HADDR_UNDEF ? 0 : -1));
    H5Dclose(packed);
    H5Dclose(contiguous);
    H5Dclose(chunked);
    H5Pclose(dcpl);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "packed", H5P_DEFAULT);
    say_layout(t, again);
    say_numbers(t, again);
    say(t, "stored %d\n", H5Dget_storage_size(again) > 0);
    H5D_space_status_t status;
    say(t, "status %s", went(H5Dget_space_status(again, &status)));
    say(t, " %d\n", status);
    H5Dclose(again);
}
ON_EVERY_KIND(tells)

static void anonymous(trial *t)
{
    const hsize_t dims[] = {2, 2};
    const hid_t space = H5Screate_simple(2, dims, NULL);
    const hid_t id = H5Dcreate_anon(t->file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    say(t, "made %s\n", went(id));
    write_numbers(t, id, 4);
    say(t, "link %s\n", went(H5Olink(id, t->file, "named", H5P_DEFAULT, H5P_DEFAULT)));
    say_numbers(t, id);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "named", H5P_DEFAULT);
    say_numbers(t, again);
    H5Dclose(again);
}
ON_EVERY_KIND(anonymous)

static int tell_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *data)
{
    say(data, "  chunk %d %d mask %u there %d some %d\n", (int)offset[0], (int)offset[1], mask, address != HADDR_UNDEF,
        size > 0);
    return H5_ITER_CONT;
}

static int stop_at_once(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *data)
{
    (void)offset, (void)mask, (void)address, (void)size;
    ++*(int *)data;
    return H5_ITER_STOP;
}

static void chunks(trial *t)
{
    const hid_t dcpl = chunked_list(2, 2), id = dataset(t, "d", 4, 3, dcpl), plain = dataset(t, "p", 2, 2, H5P_DEFAULT);
    const int one[] = {1, 2, 3, 4};
    int back[4] = {0}, calls = 0;
    uint32_t mask = 9;
    hsize_t count = 9, size = 9, offset[2] = {9, 9};
    unsigned filters = 9;
    haddr_t address = 0;
    say(t, "direct write %s\n", went(H5Dwrite_chunk(id, H5P_DEFAULT, 0, (const hsize_t[]){2, 0}, sizeof one, one)));
    say(t, "off the grid %s\n", went(H5Dwrite_chunk(id, H5P_DEFAULT, 0, (const hsize_t[]){1, 0}, sizeof one, one)));
    say_numbers(t, id);
    say(t, "direct read %s", went(H5Dread_chunk(id, H5P_DEFAULT, (const hsize_t[]){2, 0}, &mask, back)));
    say(t, " mask %u: %d %d\n", mask, back[0], back[3]);
    say(t, "size %s", went(H5Dget_chunk_storage_size(id, (const hsize_t[]){2, 0}, &size)));
    say(t, " some %d\n", size > 0);
    H5Dflush(id);
    say(t, "count %s", went(H5Dget_num_chunks(id, H5S_ALL, &count)));
    say(t, " %d\n", (int)count);
    say(t, "first %s", went(H5Dget_chunk_info(id, H5S_ALL, 0, offset, &filters, &address, &size)));
    say(t, " %d %d mask %u there %d\n", (int)offset[0], (int)offset[1], filters, address != HADDR_UNDEF);
    say(t, "second %s\n", went(H5Dget_chunk_info(id, H5S_ALL, 1, offset, &filters, &address, &size)));
    say(t, "by place %s", went(H5Dget_chunk_info_by_coord(id, (const hsize_t[]){0, 2}, &filters, &address, &size)));
    say(t, " there %d size %d\n", address != HADDR_UNDEF, (int)size);
    write_numbers(t, id, 12);
    H5Dflush(id);
    say(t, "all %s\n", went(H5Dchunk_iter(id, H5P_DEFAULT, tell_chunk, t)));
    say(t, "stopped %s", went(H5Dchunk_iter(id, H5P_DEFAULT, stop_at_once, &calls)));
    say(t, " %d\n", calls);
    say(t, "of contiguous: %s", went(H5Dget_num_chunks(plain, H5S_ALL, &count)));
    say(t, " %s\n", went(H5Dread_chunk(plain, H5P_DEFAULT, (const hsize_t[]){0, 0}, &mask, back)));
    H5Dclose(plain);
    H5Dclose(id);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(chunks)

static void say_stored(trial *t, hid_t id, hsize_t row)
{
    hsize_t size = 0; /* HDF5 does not set it where nothing is stored */
    say(t, " %s", went(H5Dget_chunk_storage_size(id, (const hsize_t[]){row, 0}, &size)));
    say(t, " %d", (int)size);
}

/* The size of a chunk that is not there: an error where there are others. */
static void missing_chunks(trial *t)
{
    const int numbers[4] = {1, 2, 3, 4};
    const hsize_t start[] = {2, 0}, count[] = {2, 2}, dims[] = {6, 2};
    const hid_t dcpl = chunked_list(2, 2), id = dataset(t, "d", 6, 2, dcpl), memory = H5Screate_simple(2, count, NULL);
    const hid_t space = H5Screate_simple(2, dims, NULL);
    say_stored(t, id, 0), say_stored(t, id, 2);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    say(t, " write %s", went(H5Dwrite(id, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, numbers)));
    H5Dflush(id);
    say_stored(t, id, 0), say_stored(t, id, 2), say_stored(t, id, 4);
    say(t, "\n");
    H5Dclose(id), H5Sclose(space), H5Sclose(memory), H5Pclose(dcpl);
}
ON_EVERY_KIND(missing_chunks)

/* Filters where none can be: those that need not be there are ignored. */
static void filters_without_chunks(trial *t)
{
    const hsize_t dims = 3;
    const hid_t text = H5Tcopy(H5T_C_S1), sequence = H5Tvlen_create(H5T_NATIVE_INT);
    H5Tset_size(text, H5T_VARIABLE);
    const hid_t types[] = {H5T_NATIVE_INT, text, sequence};
    const hid_t spaces[] = {H5Screate_simple(1, &dims, NULL), H5Screate(H5S_SCALAR), H5Screate(H5S_NULL)};
    for (unsigned flag = 0; flag <= H5Z_FLAG_OPTIONAL; flag += H5Z_FLAG_OPTIONAL) {
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_filter(dcpl, H5Z_FILTER_SHUFFLE, flag, 0, NULL);
        for (int i = 0; i < 9; i++) {
            char name[20];
            snprintf(name, sizeof name, "d%u%d", flag, i);
            const hid_t id = H5Dcreate2(t->file, name, types[i % 3], spaces[i / 3], H5P_DEFAULT, dcpl, H5P_DEFAULT);
            say(t, "%s type %d space %d: %s\n", flag ? "optional" : "mandatory", i % 3, i / 3, went(id));
            if (id >= 0)
                H5Dclose(id);
        }
        H5Pclose(dcpl);
    }
    const char *const words[3] = {"a", "bc", "def"};
    char *back[3] = {NULL};
    reopen(t, H5F_ACC_RDWR);
    const hid_t id = H5Dopen2(t->file, "d11", H5P_DEFAULT);
    say(t, "write %s", went(H5Dwrite(id, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, words)));
    say(t, " read %s", went(H5Dread(id, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, back)));
    for (int i = 0; i < 3; i++)
        say(t, " %s", back[i]);
    H5Dvlen_reclaim(text, spaces[0], H5P_DEFAULT, back);
    H5Dclose(id);
    for (int i = 0; i < 3; i++)
        H5Sclose(spaces[i]);
    H5Tclose(sequence), H5Tclose(text);
}
ON_EVERY_KIND(filters_without_chunks)

static void say_cache(trial *t, const char *name, hid_t dapl)
{
    size_t slots = 0, bytes = 0;
    double preemption = 0;
    const hid_t id = H5Dopen2(t->file, name, dapl), told = H5Dget_access_plist(id);
    say(t, "%s: %s", name, went(H5Pget_chunk_cache(told, &slots, &bytes, &preemption)));
    say(t, " %zu %zu %.2f\n", slots, bytes, preemption);
    H5Pclose(told);
    H5Dclose(id);
}

/* A dataset's list tells the chunk cache that it has: what the program's leaves open is the file's. */
static void chunk_caches(trial *t)
{
    const hid_t dcpl = chunked_list(2, 2), fapl = H5Fget_access_plist(t->file), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Dclose(dataset(t, "chunked", 4, 4, dcpl));
    H5Dclose(dataset(t, "plain", 4, 4, H5P_DEFAULT));
    H5Pset_cache(fapl, 0, 101, 5000, 0.5);
    H5Fclose(t->file);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, fapl);
    say_cache(t, "chunked", H5P_DEFAULT), say_cache(t, "plain", H5P_DEFAULT);
    H5Pset_chunk_cache(dapl, 7, H5D_CHUNK_CACHE_NBYTES_DEFAULT, H5D_CHUNK_CACHE_W0_DEFAULT);
    say_cache(t, "chunked", dapl), say_cache(t, "plain", dapl);
    H5Pclose(dapl), H5Pclose(fapl), H5Pclose(dcpl);
}
ON_EVERY_KIND(chunk_caches)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(extents),      AS_NATIVE(tells),          AS_NATIVE(anonymous),
        AS_NATIVE(chunks),       AS_NATIVE(missing_chunks), AS_NATIVE(filters_without_chunks),
        AS_NATIVE(chunk_caches),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
