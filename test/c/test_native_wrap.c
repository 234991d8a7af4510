/* test_native_wrap.c - native files opened through the connector, where it has something of its own to do. That every
 * other call passes is judged by HDF5's API tests on native files (HDF5_VOL_CONNECTOR="zarr create=*.zarr"). */
#include "native_files.h"

static herr_t innermost(unsigned depth, const H5E_error2_t *record, void *context)
{
    (void)depth;
    snprintf(context, 256, "%s", record->desc);
    return 1;
}

static bool innermost_has(const char *text)
{
    char record[256] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, record);
    return strstr(record, text) != NULL;
}

static void quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Through the native connector, so that its own record with the errno must survive our clean-up. */
static void errors_keep_their_errno(void)
{
    quiet();
    const hid_t log = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(H5Pset_fapl_log(log, NULL, 0, 0) >= 0); /* a driver only native files have */
    CHECK(H5Fopen("missing.h5", H5F_ACC_RDONLY, log) < 0 && innermost_has("errno = 2"));
    CHECK(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0 && innermost_has("errno = 2"));
    CHECK(H5Pclose(log) >= 0);
    FILE *text = fopen("text", "w");
    CHECK(text && fputs("neither store nor HDF5", text) >= 0 && fclose(text) == 0);
    CHECK(H5Fopen("text", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
}

/* The program's printer sees each failure once, and whole. */
static herr_t count_print(hid_t stack, void *context)
{
    CHECK(H5Eget_num(stack) > 2);
    ++*(int *)context;
    return 0;
}

static herr_t failing_operator(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)name, (void)info, (void)context;
    return H5Gopen2(group, "missing", H5P_DEFAULT) < 0 ? -1 : 0;
}

static void errors_are_printed_once(void)
{
    int printed = 0;
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, count_print, &printed);
    CHECK(H5Gopen2(file, "missing", H5P_DEFAULT) < 0 && printed == 1);
    CHECK(H5Aopen(file, "missing", H5P_DEFAULT) < 0 && printed == 2);
    CHECK(H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, failing_operator, NULL) < 0 && printed > 3);
    CHECK(H5Fclose(file) >= 0);
}

static void access_list_comes_back(void)
{
    make_native_file("a.h5", 1);
    const hid_t ours = our_list();
    CHECK(H5Pset_fclose_degree(ours, H5F_CLOSE_SEMI) >= 0);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDWR, ours);
    const hid_t list = H5Fget_access_plist(file);
    H5F_close_degree_t degree;
    CHECK(list >= 0 && is_connector(list, "zarr"));
    CHECK(H5Pget_fclose_degree(list, &degree) >= 0 && degree == H5F_CLOSE_SEMI);
    CHECK(H5Pget_driver(list) == H5FD_SEC2);
    CHECK(is_connector(ours, "zarr")); /* the caller's list is not touched */
    const hid_t again = H5Fopen("a.h5", H5F_ACC_RDWR, list);
    CHECK(again >= 0 && read_int_dataset(again, "g/n") == 1);
    CHECK(H5Fclose(again) >= 0 && H5Pclose(list) >= 0 && H5Pclose(ours) >= 0 && H5Fclose(file) >= 0);
}

static void file_ids(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t group = H5Gopen2(file, "g", H5P_DEFAULT);
    CHECK(H5Iget_file_id(group) == file && H5Fclose(file) >= 0);
    CHECK(H5Fget_obj_count(file, H5F_OBJ_ALL) == 2 && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 2);
    CHECK(H5Fclose(file) >= 0);
    const hid_t revived = H5Iget_file_id(group);
    CHECK(revived >= 0 && read_int_dataset(revived, "g/n") == 1);
    CHECK(H5Fclose(revived) >= 0 && H5Gclose(group) >= 0);
    CHECK(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
}

static void reopen(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT), again = H5Freopen(file);
    CHECK(again >= 0 && H5Fclose(file) >= 0);
    CHECK(read_int_dataset(again, "g/n") == 1 && H5Fclose(again) >= 0);
}

static void mount(void)
{
    make_native_file("a.h5", 1);
    make_native_file("b.h5", 2);
    const hid_t a = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT), b = H5Fopen("b.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(H5Fmount(a, "g", b, H5P_DEFAULT) >= 0);
    CHECK(read_int_dataset(a, "g/g/n") == 2);
    CHECK(H5Funmount(a, "g") >= 0 && read_int_dataset(a, "g/n") == 1);
    CHECK(H5Fclose(b) >= 0 && H5Fclose(a) >= 0);
}

/* The library wraps on its own: groups of iterations, files of references, committed types of datasets. */
static herr_t count_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)info;
    CHECK(H5Lexists(group, name, H5P_DEFAULT) == 1);
    ++*(int *)context;
    return 0;
}

static herr_t stop_at(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)info;
    CHECK(H5Iget_type(object) > 0);
    return strcmp(name, context) == 0 ? 7 : 0;
}

static void iteration(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    int links = 0;
    CHECK(H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, count_link, &links) == 0 && links == 2);
    CHECK(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, stop_at, "g/n", H5O_INFO_BASIC) == 7);
    CHECK(H5Fget_obj_count(file, H5F_OBJ_ALL) == 1 && H5Fclose(file) >= 0);
}

static void references_to_other_files(void)
{
    make_native_file("a.h5", 1);
    make_native_file("b.h5", 2);
    H5R_ref_t reference, read;
    const hid_t a = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT), b = H5Fopen("b.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(H5Rcreate_object(b, "g/n", H5P_DEFAULT, &reference) >= 0);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dset = H5Dcreate2(a, "r", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(dset >= 0 && H5Dwrite(dset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference) >= 0);
    CHECK(H5Rdestroy(&reference) >= 0 && H5Fclose(b) >= 0);
    CHECK(H5Dread(dset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &read) >= 0);
    const hid_t target = H5Ropen_object(&read, H5P_DEFAULT, H5P_DEFAULT);
    int value = 0;
    CHECK(target >= 0 && H5Dread(target, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0 && value == 2);
    CHECK(H5Rdestroy(&read) >= 0 && H5Dclose(target) >= 0 && H5Dclose(dset) >= 0 && H5Sclose(space) >= 0);
    CHECK(H5Fclose(a) >= 0);
}

static void committed_type(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t type = H5Tvlen_create(H5T_NATIVE_INT);
    CHECK(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    const hid_t dset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int numbers[] = {3, 4};
    hvl_t written = {2, numbers}, read;
    CHECK(dset >= 0 && H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &written) >= 0);
    const hid_t of_dset = H5Dget_type(dset);
    CHECK(H5Tcommitted(of_dset) > 0 && H5Tequal(of_dset, type) > 0);
    CHECK(H5Dread(dset, of_dset, H5S_ALL, H5S_ALL, H5P_DEFAULT, &read) >= 0 && read.len == 2);
    CHECK(((int *)read.p)[1] == 4 && H5Treclaim(of_dset, space, H5P_DEFAULT, &read) >= 0);
    CHECK(H5Tclose(of_dset) >= 0 && H5Dclose(dset) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
    CHECK(H5Fclose(file) >= 0);
}

static void refresh(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t group = H5Gopen2(file, "g", H5P_DEFAULT), dset = H5Dopen2(group, "n", H5P_DEFAULT);
    CHECK(H5Drefresh(dset) >= 0 && H5Grefresh(group) >= 0 && H5Orefresh(dset) >= 0);
    CHECK(read_int_dataset(group, "n") == 1 && H5Dclose(dset) >= 0 && H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
}

static void several_datasets_at_once(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    write_int_dataset(file, "m", 5);
    hid_t dsets[] = {H5Dopen2(file, "m", H5P_DEFAULT), H5Dopen2(file, "g/n", H5P_DEFAULT)};
    hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, all[] = {H5S_ALL, H5S_ALL};
    int m = 0, n = 0;
    void *buffers[] = {&m, &n};
    CHECK(H5Dread_multi(2, dsets, types, all, all, H5P_DEFAULT, buffers) >= 0 && m == 5 && n == 1);
    CHECK(H5Dclose(dsets[0]) >= 0 && H5Dclose(dsets[1]) >= 0 && H5Fclose(file) >= 0);
}

static void close_degrees(void)
{
    make_native_file("a.h5", 1);
    quiet();
    const hid_t ours = our_list();
    CHECK(H5Pset_fclose_degree(ours, H5F_CLOSE_SEMI) >= 0);
    hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, ours), group = H5Gopen2(file, "g", H5P_DEFAULT);
    CHECK(H5Fclose(file) < 0 && H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
    CHECK(H5Pset_fclose_degree(ours, H5F_CLOSE_STRONG) >= 0);
    file = H5Fopen("a.h5", H5F_ACC_RDONLY, ours), group = H5Gopen2(file, "g", H5P_DEFAULT);
    CHECK(H5Fclose(file) >= 0 && H5Iis_valid(group) == 0 && H5Pclose(ours) >= 0);
}

static void delete_and_accessible(void)
{
    make_native_file("a.h5", 1);
    const hid_t ours = our_list();
    CHECK(H5Fis_accessible("a.h5", ours) > 0);
    CHECK(H5Fdelete("a.h5", ours) >= 0 && access("a.h5", F_OK) != 0);
    quiet();
    CHECK(H5Fis_accessible("a.h5", ours) <= 0 && H5Pclose(ours) >= 0);
}

static void all_left_open(void)
{
    make_native_file("a.h5", 1);
    const hid_t file = H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT), group = H5Gopen2(file, "g", H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    CHECK(H5Tcommit2(group, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK(H5Acreate2(group, "a", type, space, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK(H5Dcreate2(group, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK(H5Freopen(file) >= 0 && H5Oopen(file, "g/n", H5P_DEFAULT) >= 0);
}

static const test_case cases[] = {
    {"errors keep their errno", errors_keep_their_errno},
    {"errors are printed once", errors_are_printed_once},
    {"the access list comes back", access_list_comes_back},
    {"file ids", file_ids},
    {"reopen", reopen},
    {"mount", mount},
    {"iteration", iteration},
    {"references to other files", references_to_other_files},
    {"committed type", committed_type},
    {"refresh", refresh},
    {"several datasets at once", several_datasets_at_once},
    {"close degrees", close_degrees},
    {"delete and accessible", delete_and_accessible},
    {"all left open", all_left_open},
};
CASES_MAIN(cases)
