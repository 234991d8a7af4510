/* test_file_native.c - H5F beside HDF5 files: replacing one, the gateway, user blocks, what only they can. */
#include "file_support.h"

/* A store takes the place of an HDF5 file, but not of one that is open. */
static void replacing_an_hdf5_file(void **state)
{
    (void)state;
    trial *t = trial_begin(WRAPPED);
    H5Gclose(group(t->file, "g"));
    assert_true(H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_true(H5Lexists(t->file, "g", H5P_DEFAULT) > 0);
    H5Fclose(t->file);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(t->file >= 0);
    assert_int_equal(H5Lexists(t->file, "g", H5P_DEFAULT), 0);
    trial_end(t);
    free(t);
}

/* With the gateway stores pass for native files, without it they do not. */
static void gateway(void **state)
{
    (void)state;
    for (kind k = ZARR; k <= ZARR_WITHOUT_GATEWAY; k++) {
        hbool_t native = false;
        trial *t = trial_begin(k);
        assert_true(H5VLobject_is_native(t->file, &native) >= 0);
        assert_int_equal(native, k == ZARR);
        trial_end(t);
        free(t);
    }
}

/* HDF5's tools from 2.2 on ask the file how large its tokens are, by what H5VLobject gives for its id. */
static void asked_by_object(void **state)
{
    (void)state;
    for (kind k = NATIVE; k <= ZARR_HDMF; k++) {
        H5VL_file_cont_info_t info = {.version = H5VL_CONTAINER_INFO_VERSION};
        H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_CONT_INFO, .args.get_cont_info.info = &info};
        trial *t = trial_begin(k);
        const hid_t connector = H5VLget_connector_id(t->file);
        assert_true(H5VLfile_get(H5VLobject(t->file), connector, &args, H5P_DATASET_XFER_DEFAULT, NULL) >= 0);
        assert_int_equal(info.token_size, 8);
        H5VLclose(connector);
        trial_end(t);
        free(t);
    }
}

/* A wrong option never stops a program from starting; the first file says what is known. */
static void wrong_option(void **state)
{
    (void)state;
    char text[1024] = "";
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_fapl_zarr(fapl, "formt=2") < 0);
    assert_true(H5Pset_fapl_zarr(fapl, "format=2;compress=none") >= 0);
    const hid_t connector = H5VLget_connector_id_by_name("zarr");
    const H5VL_zarr_info_t wrong = {H5VL_ZARR_INFO_VERSION, "formt=2"};
    assert_true(H5Pset_vol(fapl, connector, &wrong) >= 0);
    assert_true(H5Fopen("/nonexistent", H5F_ACC_RDONLY, fapl) < 0);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, text);
    assert_non_null(strstr(text, "formt"));
    H5VLclose(connector);
    H5Pclose(fapl);
}

/* A store of a program that wants a user block is one file, and says so whoever asks. */
static void user_block(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    char path[160];
    snprintf(path, sizeof path, "%s/block", t->directory);
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), native = access_list(NATIVE);
    for (hsize_t size = 512; size <= 8192; size *= 4) {
        hsize_t told = 0;
        H5Pset_userblock(fcpl, size);
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
        assert_true(file >= 0);
        H5Gclose(group(file, "g"));
        for (int opened = 0; opened < 2; opened++) {
            const hid_t list = H5Fget_create_plist(file);
            assert_true(H5Pget_userblock(list, &told) >= 0);
            assert_int_equal(told, size);
            H5Pclose(list);
            assert_true(H5Fclose(file) >= 0);
            file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
            assert_true(file >= 0);
        }
        assert_true(H5Lexists(file, "g", H5P_DEFAULT) > 0);
        assert_true(H5Fclose(file) >= 0);
        assert_true(H5Fis_accessible(path, H5P_DEFAULT) > 0);
        H5E_BEGIN_TRY
        {
            assert_true(H5Fopen(path, H5F_ACC_RDONLY, native) < 0);
        }
        H5E_END_TRY
    }
    H5Pclose(native);
    H5Pclose(fcpl);
    trial_end(t);
    free(t);
}

/* Only a real HDF5 file lives in memory or is split. */
static void what_only_hdf5_files_can(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 4096, 0);
    hid_t file = H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    assert_true(H5Fget_file_image(file, NULL, 0) > 0);
    H5Gclose(group(file, "g"));
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(access("in memory", F_OK), -1);
    H5Pclose(fapl);
    trial_end(t);
    free(t);
}

static void root_order(trial *t)
{
    H5Fclose(t->file);
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_creation_order(fcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl);
    H5Pclose(fcpl);
    for (const char *const *name = (const char *const[]){"z", "a", "m", NULL}; *name; name++)
        H5Gclose(group(t->file, *name));
    reopen(t, H5F_ACC_RDONLY);
    char name[8];
    for (hsize_t i = 0; i < 3; i++) {
        say(t, "%d", (int)H5Lget_name_by_idx(t->file, "/", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, 8, H5P_DEFAULT));
        say(t, " %s\n", name);
    }
    say_plists(t, t->file);
}

static void root_order_is_as_native(void **state)
{
    (void)state;
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY};
    on_kinds(root_order, others, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replacing_an_hdf5_file),
        cmocka_unit_test(gateway),
        cmocka_unit_test(asked_by_object),
        cmocka_unit_test(wrong_option),
        cmocka_unit_test(user_block),
        cmocka_unit_test(what_only_hdf5_files_can),
        cmocka_unit_test(root_order_is_as_native),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
