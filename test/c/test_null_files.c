/* test_null_files.c - H5F and H5R with arguments that are NULL, empty or zero. */
#include "null_arguments.h"

static void open_and_make(report *r, things *o)
{
    const hid_t fapl = H5Fget_access_plist(o->file);
    const char *names[] = {NULL, ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL_ID(H5Fopen(names[i], H5F_ACC_RDONLY, fapl));
        CALL_ID(H5Fopen(names[i], H5F_ACC_RDWR, fapl));
        CALL_ID(H5Fcreate(names[i], H5F_ACC_TRUNC, D, fapl));
        CALL_ID(H5Fcreate(names[i], H5F_ACC_EXCL, D, fapl));
        CALL(H5Fis_accessible(names[i], fapl));
        CALL(H5Fdelete(names[i], fapl));
        CALL(H5Fis_hdf5(names[i]));
        CALL_ID(H5Fopen(names[i], H5F_ACC_RDONLY, D));
        CALL(H5Fis_accessible(names[i], D));
        CALL(H5Fdelete(names[i], D));
    }
    CALL_ID(H5Fcreate("/nowhere/at/all", 0, 0, fapl));
    CALL_ID(H5Fopen("/nowhere/at/all", 0, 0));
    CALL_ID(H5Freopen(o->file));
    CALL_ID(H5Freopen(o->group));
    CALL_ID(H5Freopen(0));
    H5Pclose(fapl);
}

static void questions(report *r, things *o)
{
    char buf[64] = "";
    unsigned intent;
    unsigned long number;
    hsize_t size;
    hid_t ids[64];
    H5F_info2_t info;
    H5F_info1_t info1;
    void *handle;
    const hid_t places[] = {o->file, o->group, o->contiguous, o->type, o->attribute};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CALL(H5Fget_name(places[i], NULL, 0) > 0);
        CALL(H5Fget_name(places[i], NULL, 10) > 0);
        CALL(H5Fget_name(places[i], buf, 0) > 0);
        CALL(H5Fget_name(places[i], buf, 1) > 0);
        CALL(buf[0]);
        CALL(H5Fget_info2(places[i], NULL));
        CALL(H5Fget_info2(places[i], &info));
        CALL(H5Fget_info1(places[i], NULL));
        CALL(H5Fget_info1(places[i], &info1));
        CALL(H5Fget_intent(places[i], NULL));
        CALL(H5Fget_intent(places[i], &intent));
        CALL(H5Fget_fileno(places[i], NULL));
        CALL(H5Fget_fileno(places[i], &number));
        CALL(H5Fget_filesize(places[i], NULL));
        CALL(H5Fget_filesize(places[i], &size));
        CALL(H5Fget_obj_count(places[i], 0));
        CALL(H5Fflush(places[i], (H5F_scope_t)2));
        CALL(H5Fflush(places[i], H5F_SCOPE_LOCAL));
    }
    CALL(H5Fget_obj_count(o->file, H5F_OBJ_ALL));
    CALL(H5Fget_obj_ids(o->file, H5F_OBJ_ALL, 10, NULL));
    CALL_FREE(H5Fget_obj_ids(o->file, H5F_OBJ_ALL, 0, ids)); /* native takes 0 for no limit */
    CALL(H5Fget_obj_ids(o->file, H5F_OBJ_ALL, 0, NULL));
    CALL(H5Fget_obj_ids(o->file, 0, 10, ids));
    CALL(H5Fget_obj_ids(o->file, H5F_OBJ_ALL, 1, ids));
    CALL(H5Fget_vfd_handle(o->file, D, NULL));
    CALL_FREE(H5Fget_vfd_handle(o->file, D, &handle));
    CALL_ID(H5Fget_create_plist(o->file));
    CALL_ID(H5Fget_access_plist(o->file));
    CALL_ID(H5Fget_create_plist(o->group));
}

/* What HDF5 keeps for native files. */
static void inside(report *r, things *o)
{
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    double rate;
    haddr_t address;
    hsize_t size;
    size_t most;
    int entries;
    hbool_t flag;
    unsigned counts[2];
    H5F_retry_info_t retries;
    char image[1];
    CALL_FREE(H5Fget_freespace(o->file));
    CALL(H5Fget_eoa(o->file, NULL));
    CALL_FREE(H5Fget_eoa(o->file, &address)); /* a store has no addresses */
    CALL_FREE(H5Fincrement_filesize(o->file, 0));
    CALL_FREE(H5Fget_file_image(o->file, NULL, 0));
    CALL_FREE(H5Fget_file_image(o->file, NULL, 1));
    CALL_FREE(H5Fget_file_image(o->file, image, 0));
    CALL(H5Fget_file_image(o->file, image, 1));
    CALL(H5Fget_mdc_config(o->file, NULL));
    CALL(H5Fget_mdc_config(o->file, &config));
    CALL(H5Fset_mdc_config(o->file, NULL));
    CALL(H5Fset_mdc_config(o->file, &config));
    CALL(H5Fget_mdc_hit_rate(o->file, NULL));
    CALL(H5Fget_mdc_hit_rate(o->file, &rate));
    CALL(H5Fget_mdc_size(o->file, NULL, NULL, NULL, NULL));
    CALL(H5Fget_mdc_size(o->file, &most, NULL, NULL, NULL));
    CALL(H5Fget_mdc_size(o->file, NULL, NULL, NULL, &entries));
    CALL(H5Freset_mdc_hit_rate_stats(o->file));
    CALL(H5Fget_metadata_read_retry_info(o->file, NULL));
    CALL(H5Fget_metadata_read_retry_info(o->file, &retries));
    CALL_FREE(H5Fget_free_sections(o->file, H5FD_MEM_DEFAULT, 0, NULL));
    CALL_FREE(H5Fget_free_sections(o->file, H5FD_MEM_DEFAULT, 5, NULL));
    CALL(H5Fclear_elink_file_cache(o->file));
    CALL(H5Fget_mdc_logging_status(o->file, NULL, NULL));
    CALL(H5Fget_mdc_logging_status(o->file, &flag, NULL));
    CALL(H5Fget_mdc_logging_status(o->file, NULL, &flag));
    CALL(H5Fget_page_buffering_stats(o->file, NULL, NULL, NULL, NULL, NULL));
    CALL(H5Fget_page_buffering_stats(o->file, counts, counts, counts, counts, counts));
    CALL(H5Freset_page_buffering_stats(o->file));
    CALL(H5Fget_mdc_image_info(o->file, NULL, NULL));
    CALL(H5Fget_mdc_image_info(o->file, &address, NULL));
    CALL(H5Fget_mdc_image_info(o->file, NULL, &size));
    CALL(H5Fget_dset_no_attrs_hint(o->file, NULL));
    CALL(H5Fget_dset_no_attrs_hint(o->file, &flag));
    CALL(H5Fformat_convert(o->file));
    CALL(H5Fset_libver_bounds(o->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
}

static void references(report *r, things *o)
{
    H5R_ref_t made, copy;
    H5O_type_t type;
    char buf[64] = "";
    const char *names[] = {NULL, "", ".", "nothing"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Rcreate_object(o->file, names[i], D, NULL));
        CALL(H5Rcreate_object(o->file, names[i], D, &made));
        CALL(H5Rcreate_region(o->file, names[i], o->int3, D, &made));
        CALL(H5Rcreate_attr(o->file, "g", names[i], D, &made));
        CALL(H5Rcreate_attr(o->file, names[i], "a", D, &made));
    }
    CALL(H5Rcreate_object(o->file, "g", D, NULL));
    CALL(H5Rcreate_region(o->file, "d", 0, D, &made));
    CALL(H5Rcreate_region(o->file, "d", o->none, D, NULL));
    CALL(H5Rcreate_attr(o->file, "g", "a", D, NULL));
    CALL(H5Rcopy(NULL, &copy));
    CALL(H5Rcopy(&o->reference, NULL));
    CALL(H5Rdestroy(NULL));
    CALL(H5Requal(NULL, NULL));
    CALL(H5Requal(&o->reference, NULL));
    CALL(H5Rget_type(NULL));
    CALL_ID(H5Ropen_object(NULL, D, D));
    CALL_ID(H5Ropen_object(&o->reference, 0, 0));
    CALL_ID(H5Ropen_region(&o->reference, D, D));
    CALL_ID(H5Ropen_attr(&o->reference, D, D));
    CALL(H5Rget_obj_type3(NULL, D, &type));
    CALL(H5Rget_obj_type3(&o->reference, D, NULL));
    CALL(H5Rget_obj_type3(&o->reference, D, &type));
    CALL(H5Rget_file_name(&o->reference, NULL, 0) > 0);
    CALL(H5Rget_file_name(NULL, buf, 5));
    CALL(H5Rget_file_name(&o->reference, buf, 1) > 0);
    CALL(H5Rget_obj_name(&o->reference, D, NULL, 0));
    CALL(H5Rget_obj_name(&o->reference, D, NULL, 5));
    CALL(H5Rget_obj_name(&o->reference, D, buf, 0));
    CALL(H5Rget_obj_name(&o->reference, D, buf, 1));
    CALL(buf[0]);
    CALL(H5Rget_attr_name(&o->reference, NULL, 0));
    CALL(H5Rget_attr_name(NULL, buf, 5));
}

static void old_references(report *r, things *o)
{
    hobj_ref_t made = 0, zero = 0;
    hdset_reg_ref_t region, no_region = {{0}};
    H5O_type_t type;
    char buf[64] = "";
    const char *names[] = {NULL, "", ".", "nothing"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Rcreate(NULL, o->file, names[i], H5R_OBJECT, -1));
        CALL(H5Rcreate(&made, o->file, names[i], H5R_OBJECT, -1));
        CALL(H5Rcreate(&region, o->file, names[i], H5R_DATASET_REGION, o->int3));
    }
    CALL(H5Rcreate(NULL, o->file, "g", H5R_OBJECT, -1));
    CALL(H5Rcreate(&region, o->file, "d", H5R_DATASET_REGION, -1));
    CALL(H5Rcreate(&region, o->file, "d", H5R_DATASET_REGION, o->none));
    CALL(H5Rcreate(NULL, o->file, "d", H5R_DATASET_REGION, o->int3));
    CALL_ID(H5Rdereference2(o->file, D, H5R_OBJECT, NULL));
    CALL_ID(H5Rdereference2(o->file, D, H5R_OBJECT, &zero));
    CALL_ID(H5Rdereference2(o->file, D, H5R_OBJECT, &o->old_reference));
    CALL_ID(H5Rdereference1(o->file, H5R_OBJECT, NULL));
    CALL_ID(H5Rdereference2(o->file, D, H5R_DATASET_REGION, NULL));
    CALL_ID(H5Rdereference2(o->file, D, H5R_DATASET_REGION, &no_region));
    CALL_ID(H5Rget_region(o->file, H5R_DATASET_REGION, NULL));
    CALL_ID(H5Rget_region(o->file, H5R_DATASET_REGION, &no_region));
    CALL(H5Rget_obj_type2(o->file, H5R_OBJECT, NULL, &type));
    CALL(H5Rget_obj_type2(o->file, H5R_OBJECT, &zero, &type));
    CALL(H5Rget_obj_type2(o->file, H5R_OBJECT, &o->old_reference, NULL));
    CALL(H5Rget_obj_type2(o->file, H5R_OBJECT, &o->old_reference, &type));
    CALL(H5Rget_obj_type1(o->file, H5R_OBJECT, NULL));
    CALL(H5Rget_obj_type1(o->file, H5R_OBJECT, &zero));
    CALL(H5Rget_name(o->file, H5R_OBJECT, NULL, buf, sizeof buf));
    CALL_FREE(H5Rget_name(o->file, H5R_OBJECT, &zero, buf, sizeof buf)); /* native: 0; here a failure */
    CALL(H5Rget_name(o->file, H5R_OBJECT, &o->old_reference, NULL, 0));
    CALL(H5Rget_name(o->file, H5R_OBJECT, &o->old_reference, NULL, 5));
    CALL(H5Rget_name(o->file, H5R_OBJECT, &o->old_reference, buf, 0));
    CALL(H5Rget_name(o->file, H5R_OBJECT, &o->old_reference, buf, 1));
    CALL(buf[0]);
    CALL(H5Rget_name(o->file, H5R_DATASET_REGION, &no_region, NULL, 0));
}

CASE(open_and_make)
CASE(questions)
CASE(inside)
CASE(references)
CASE(old_references)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_and_make), cmocka_unit_test(test_questions),      cmocka_unit_test(test_inside),
        cmocka_unit_test(test_references),    cmocka_unit_test(test_old_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
