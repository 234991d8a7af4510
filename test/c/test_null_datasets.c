/* test_null_datasets.c - H5D with arguments that are NULL, empty or zero. */
#include "null_arguments.h"

static herr_t each_element(void *element, hid_t type, unsigned rank, const hsize_t *point, void *context)
{
    (void)element, (void)type, (void)rank, (void)point, (void)context;
    return 0;
}

static int each_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    (void)offset, (void)mask, (void)address, (void)size, (void)context;
    return 0;
}

/* Memory and file select nothing, or all; the buffer is there, or not. */
static void transfer(report *r, hid_t d, hid_t none)
{
    int values[4] = {1, 2, 3, 4};
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, D, NULL));
    CALL(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, D, NULL));
    CALL(H5Dread(d, H5T_NATIVE_INT, none, none, D, NULL));
    CALL(H5Dwrite(d, H5T_NATIVE_INT, none, none, D, NULL));
    CALL(H5Dread(d, H5T_NATIVE_INT, none, none, D, values));
    CALL(H5Dwrite(d, H5T_NATIVE_INT, none, none, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, none, H5S_ALL, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, none, H5S_ALL, D, NULL));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, none, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, none, D, NULL));
    CALL(H5Dread(d, H5T_NATIVE_INT, -1, H5S_ALL, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, -1, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_BLOCK, H5S_ALL, D, values));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_BLOCK, none, D, NULL));
    CALL(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, D, values));
    CALL(values[0]);
}

static void transfers(report *r, things *o)
{
    char *texts[3] = {NULL, NULL, NULL};
    int value = 0;
    const hid_t ids[] = {o->contiguous, o->chunked, o->scalar};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const hid_t none = H5Dget_space(ids[i]);
        H5Sselect_none(none);
        transfer(r, ids[i], none);
        CALL(H5Dread(ids[i], 0, H5S_ALL, H5S_ALL, D, &value));
        CALL(H5Dwrite(ids[i], 0, H5S_ALL, H5S_ALL, D, &value));
        H5Sclose(none);
    }
    transfer(r, o->null, o->nothing);
    const hid_t text = H5Dget_type(o->texts);
    CALL(H5Dread(o->texts, text, H5S_ALL, H5S_ALL, D, NULL));
    CALL(H5Dread(o->texts, text, H5S_ALL, H5S_ALL, D, texts)); /* NULL in native, empty texts in a store */
    CALL(H5Dwrite(o->texts, text, H5S_ALL, H5S_ALL, D, (char *[]){NULL, NULL, NULL}));
    CALL(H5Dread(o->texts, text, o->none, o->none, D, NULL));
    H5Tclose(text);
}

static void several(report *r, things *o)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    hid_t dsets[2] = {o->contiguous, o->chunked}, types[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT};
    hid_t all[2] = {H5S_ALL, H5S_ALL}, none[2] = {o->none, o->none}, mixed[2] = {o->none, H5S_ALL};
    hid_t broken[2] = {o->contiguous, 0}, groups[2] = {o->contiguous, o->group};
    void *into[2] = {a, b}, *half[2] = {a, NULL}, *nowhere[2] = {NULL, NULL};
    const void *from[2] = {a, b}, *from_half[2] = {NULL, b};
    CALL(H5Dread_multi(0, dsets, types, all, all, D, into));
    CALL(H5Dread_multi(0, NULL, NULL, NULL, NULL, D, NULL));
    CALL(H5Dwrite_multi(0, dsets, types, all, all, D, from));
    CALL(H5Dwrite_multi(0, NULL, NULL, NULL, NULL, D, NULL));
    CALL(H5Dread_multi(2, NULL, types, all, all, D, into));
    CALL(H5Dread_multi(2, dsets, NULL, all, all, D, into));
    CALL(H5Dread_multi(2, dsets, types, NULL, all, D, into));
    CALL(H5Dread_multi(2, dsets, types, all, NULL, D, into));
    CALL(H5Dread_multi(2, dsets, types, all, all, D, NULL));
    CALL(H5Dread_multi(2, dsets, types, all, all, D, half));
    CALL(H5Dread_multi(2, dsets, types, none, none, D, nowhere));
    CALL(H5Dread_multi(2, dsets, types, mixed, mixed, D, from_half[0] ? into : (void *[]){NULL, b}));
    CALL(H5Dwrite_multi(2, dsets, types, mixed, mixed, D, from_half));
    CALL(H5Dwrite_multi(2, dsets, types, all, all, D, from_half));
    CALL(H5Dread_multi(2, broken, types, all, all, D, into));
    CALL(H5Dread_multi(2, groups, types, all, all, D, into));
    CALL(H5Dwrite_multi(1, dsets, types, all, all, D, from));
    CALL(H5Dread_multi(1, dsets, types, all, all, D, into));
}

static void chunks(report *r, things *o)
{
    hsize_t offset = 0, size = 9, count = 9;
    unsigned mask = 0;
    uint32_t filters = 0;
    haddr_t address;
    int values[4] = {1, 2, 3, 4};
    const hid_t ids[] = {o->chunked, o->contiguous, o->null, o->scalar};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const hid_t d = ids[i];
        CALL(H5Dget_num_chunks(d, H5S_ALL, NULL));
        CALL(H5Dget_num_chunks(d, H5S_ALL, &count));
        CALL(H5Dget_num_chunks(d, o->none, &count));
        CALL(H5Dget_num_chunks(d, 0, &count));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 0, NULL, NULL, NULL, NULL));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 0, &offset, NULL, NULL, NULL));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 0, NULL, &mask, NULL, NULL));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 0, NULL, NULL, &address, NULL));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 0, NULL, NULL, NULL, &size));
        CALL(H5Dget_chunk_info(d, H5S_ALL, 99, &offset, &mask, &address, &size));
        offset = 0;
        CALL(H5Dget_chunk_info_by_coord(d, NULL, NULL, NULL, NULL));
        CALL(H5Dget_chunk_info_by_coord(d, NULL, &mask, &address, &size));
        CALL(H5Dget_chunk_info_by_coord(d, &offset, NULL, NULL, NULL));
        CALL(H5Dget_chunk_info_by_coord(d, &offset, &mask, NULL, NULL));
        CALL(H5Dget_chunk_info_by_coord(d, &offset, NULL, &address, NULL));
        CALL(H5Dget_chunk_storage_size(d, NULL, &size));
        CALL(H5Dget_chunk_storage_size(d, &offset, NULL));
        CALL(H5Dget_chunk_storage_size(d, &offset, &size));
        CALL(H5Dchunk_iter(d, D, NULL, NULL));
        CALL(H5Dchunk_iter(d, D, each_chunk, NULL));
        CALL(H5Dchunk_iter(d, 0, each_chunk, NULL));
        CALL(H5Dread_chunk(d, D, NULL, &filters, values));
        CALL(H5Dread_chunk(d, D, &offset, NULL, values));
        CALL(H5Dread_chunk(d, D, &offset, &filters, NULL));
        CALL(H5Dwrite_chunk(d, D, 0, NULL, 8, values));
        CALL(H5Dwrite_chunk(d, D, 0, &offset, 0, values));
        CALL(H5Dwrite_chunk(d, D, 0, &offset, 8, NULL));
        CALL(H5Dwrite_chunk(d, D, 0, &offset, 0, NULL));
        CALL(H5Dwrite_chunk(d, D, 0, &offset, 8, values));
        CALL(H5Dset_extent(d, NULL));
        CALL(H5Dextend(d, NULL));
        CALL(H5Dget_chunk_index_type(d, NULL));
    }
    offset = 0;
    CALL(H5Dset_extent(o->chunked, &offset));
    CALL(H5Dread(o->chunked, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, D, NULL));
    CALL(H5Dwrite(o->chunked, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, D, NULL));
    CALL(H5Dget_num_chunks(o->chunked, H5S_ALL, &count));
    CALL(count);
    CALL(H5Dget_chunk_info(o->chunked, H5S_ALL, 0, NULL, NULL, NULL, NULL));
    CALL(H5Dchunk_iter(o->chunked, D, each_chunk, NULL));
}

static void questions(report *r, things *o)
{
    hsize_t size = 9;
    H5D_space_status_t status;
    const hid_t ids[] = {o->contiguous, o->chunked, o->null, o->scalar, o->texts};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const hid_t d = ids[i], type = H5Dget_type(d), space = H5Dget_space(d);
        CALL(H5Dget_space_status(d, NULL));
        CALL(H5Dget_space_status(d, &status));
        CALL(H5Dvlen_get_buf_size(d, type, space, NULL));
        CALL(H5Dvlen_get_buf_size(d, 0, space, &size));
        CALL(H5Dvlen_get_buf_size(d, type, 0, &size));
        CALL(H5Dvlen_get_buf_size(d, type, H5S_ALL, &size));
        CALL(H5Diterate(NULL, type, space, each_element, NULL));
        CALL(H5Diterate(&size, type, space, NULL, NULL));
        CALL_FREE(H5Dget_offset(d));
        CALL_FREE(H5Dget_storage_size(d));
        CALL_ID(H5Dget_create_plist(d));
        CALL_ID(H5Dget_access_plist(d));
        CALL(H5Dflush(d));
        CALL(H5Drefresh(d));
        H5Sclose(space);
        H5Tclose(type);
    }
}

static void make(report *r, things *o)
{
    const char *names[] = {NULL, "", ".", "/", "d"};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL_ID(H5Dcreate1(o->file, names[i], H5T_NATIVE_INT, o->int3, D));
        CALL_ID(H5Dopen2(o->file, names[i], D));
        CALL_ID(H5Dopen1(o->file, names[i]));
        CALL_ID(H5Dcreate2(o->group, names[i], H5T_NATIVE_INT, o->none, D, D, D));
    }
    CALL_ID(H5Dcreate2(o->file, "no type", 0, o->int3, D, D, D));
    CALL_ID(H5Dcreate2(o->file, "no space", H5T_NATIVE_INT, 0, D, D, D));
    CALL_ID(H5Dcreate2(o->file, "all", H5T_NATIVE_INT, H5S_ALL, D, D, D));
    CALL_ID(H5Dcreate_anon(o->file, H5T_NATIVE_INT, o->nothing, D, D));
    CALL_ID(H5Dcreate_anon(o->file, 0, o->int3, D, D));
    CALL_ID(H5Dopen2(o->file, "g", D));
    CALL(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, NULL)); /* no fill value at all */
    CALL_ID(H5Dcreate2(o->file, "no fill", H5T_NATIVE_INT, o->int3, D, dcpl, D));
    CALL(H5Pset_external(dcpl, NULL, 0, 12));
    CALL(H5Pset_external(dcpl, "", 0, 12));
    CALL_ID(H5Dcreate2(o->file, "external", H5T_NATIVE_INT, o->int3, D, dcpl, D));
    H5Pclose(dcpl);
}

CASE(transfers)
CASE(several)
CASE(chunks)
CASE(questions)
CASE(make)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers), cmocka_unit_test(test_several), cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
