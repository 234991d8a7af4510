/* test_null_objects.c - H5O, H5A, H5T and H5I with arguments that are NULL, empty or zero. */
#include "null_arguments.h"

static herr_t each_object(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)object, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_object1(hid_t object, const char *name, const H5O_info1_t *info, void *context)
{
    (void)object, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_attribute1(hid_t object, const char *name, void *context)
{
    (void)object, (void)name, (void)context;
    return 0;
}

static void objects(report *r, things *o)
{
    H5O_info2_t info;
    H5O_info1_t info1;
    H5O_native_info_t native;
    hbool_t disabled;
    const hid_t ids[] = {o->file, o->group, o->contiguous, o->null, o->type, o->attribute, o->int3};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CALL(H5Oget_info3(ids[i], NULL, H5O_INFO_ALL));
        CALL(H5Oget_info3(ids[i], &info, 0));
        CALL(H5Oget_info2(ids[i], NULL, H5O_INFO_ALL));
        CALL(H5Oget_info2(ids[i], &info1, 0));
        CALL(H5Oget_info1(ids[i], NULL));
        CALL(H5Oget_info1(ids[i], &info1));
        CALL(H5Oget_native_info(ids[i], NULL, H5O_NATIVE_INFO_ALL));
        CALL(H5Oget_native_info(ids[i], &native, 0));
        CALL(H5Ovisit3(ids[i], BY, NULL, NULL, H5O_INFO_ALL));
        CALL(H5Ovisit3(ids[i], BY, each_object, NULL, 0));
        CALL(H5Ovisit2(ids[i], BY, NULL, NULL, H5O_INFO_ALL));
        CALL(H5Ovisit2(ids[i], BY, each_object1, NULL, 0));
        CALL(H5Ovisit1(ids[i], BY, NULL, NULL));
        CALL(H5Oare_mdc_flushes_disabled(ids[i], NULL));
        CALL(H5Oare_mdc_flushes_disabled(ids[i], &disabled));
        CALL(H5Oflush(ids[i]));
        CALL(H5Orefresh(ids[i]));
    }
}

static void objects_by_name(report *r, things *o)
{
    H5O_info2_t info;
    H5O_info1_t info1;
    H5O_native_info_t native;
    const char *names[] = {"g", "d", ".", "/", "soft", "dangling", "nothing", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL_ID(H5Oopen(o->file, names[i], D));
        CALL(H5Oexists_by_name(o->file, names[i], D));
        CALL(H5Oget_info_by_name3(o->file, names[i], NULL, H5O_INFO_ALL, D));
        CALL(H5Oget_info_by_name3(o->file, names[i], &info, 0, D));
        CALL(H5Oget_info_by_name2(o->file, names[i], NULL, H5O_INFO_ALL, D));
        CALL(H5Oget_info_by_name1(o->file, names[i], NULL, D));
        CALL(H5Oget_info_by_name1(o->file, names[i], &info1, D));
        CALL(H5Oget_native_info_by_name(o->file, names[i], NULL, 0, D));
        CALL(H5Oget_native_info_by_name(o->file, names[i], &native, 0, D));
        CALL_ID(H5Oopen_by_idx(o->file, names[i], BYZERO, D));
        CALL_ID(H5Oopen_by_idx(o->file, names[i], BY, 99, D));
        CALL(H5Oget_info_by_idx3(o->file, names[i], BYZERO, NULL, H5O_INFO_ALL, D));
        CALL(H5Oget_info_by_idx3(o->file, names[i], BYZERO, &info, 0, D));
        CALL(H5Oget_info_by_idx2(o->file, names[i], BYZERO, NULL, 0, D));
        CALL(H5Oget_info_by_idx1(o->file, names[i], BYZERO, NULL, D));
        CALL(H5Oget_native_info_by_idx(o->file, names[i], BYZERO, NULL, 0, D));
        CALL(H5Ovisit_by_name3(o->file, names[i], BY, NULL, NULL, H5O_INFO_ALL, D));
        CALL(H5Ovisit_by_name3(o->file, names[i], BY, each_object, NULL, 0, D));
        CALL(H5Ovisit_by_name2(o->file, names[i], BY, NULL, NULL, H5O_INFO_ALL, D));
        CALL(H5Ovisit_by_name1(o->file, names[i], BY, each_object1, NULL, D));
        CALL(H5Olink(o->group, o->file, names[i], D, D));
        CALL(H5Ocopy(o->file, names[i], o->file, NULL, D, D));
        CALL(H5Ocopy(o->file, names[i], o->file, "", D, D));
    }
    CALL(H5Ocopy(o->file, NULL, o->file, "copied", D, D));
    CALL(H5Ocopy(o->file, "", o->file, "copied", D, D));
    CALL(H5Ocopy(o->group, ".", o->file, "copied", D, D));
    CALL(H5Ocopy(o->file, "g", o->file, "/", D, D));
    CALL(H5Ocopy(o->file, "g", o->file, ".", D, D));
}

static void comments(report *r, things *o)
{
    char buf[64] = "";
    const char *names[] = {"g", "d", ".", "soft", "nothing", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Oget_comment_by_name(o->file, names[i], NULL, 0, D));
        CALL(H5Oget_comment_by_name(o->file, names[i], NULL, 5, D));
        CALL(H5Oget_comment_by_name(o->file, names[i], buf, 0, D));
        CALL(H5Oget_comment_by_name(o->file, names[i], buf, 1, D));
        CALL(buf[0]);
        CALL(H5Oset_comment_by_name(o->file, names[i], "", D));
        CALL(H5Oget_comment_by_name(o->file, names[i], buf, sizeof buf, D));
        CALL(H5Oset_comment_by_name(o->file, names[i], "again", D));
        CALL(H5Oset_comment_by_name(o->file, names[i], NULL, D));
        CALL(H5Oget_comment_by_name(o->file, names[i], buf, sizeof buf, D));
    }
    const hid_t ids[] = {o->file, o->group, o->contiguous, o->type, o->attribute};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CALL(H5Oset_comment(ids[i], "new"));
        CALL(H5Oget_comment(ids[i], NULL, 0));
        CALL(H5Oget_comment(ids[i], NULL, 5));
        CALL(H5Oget_comment(ids[i], buf, 0));
        CALL(H5Oget_comment(ids[i], buf, 2));
        CALL(H5Oset_comment(ids[i], NULL));
        CALL(H5Oget_comment(ids[i], NULL, 0));
    }
}

static void tokens(report *r, things *o)
{
    char *text = NULL;
    int order = 9;
    H5O_token_t token = o->token, undefined = H5O_TOKEN_UNDEF;
    CALL(H5Otoken_cmp(o->file, NULL, NULL, &order));
    CALL(order);
    CALL(H5Otoken_cmp(o->file, &token, NULL, &order));
    CALL(order > 0);
    CALL(H5Otoken_cmp(o->file, NULL, &token, &order));
    CALL(order < 0);
    CALL(H5Otoken_cmp(o->file, &token, &o->token, NULL));
    CALL(H5Otoken_cmp(o->file, &token, &o->token, &order));
    CALL(order);
    CALL(H5Otoken_cmp(o->file, &token, &undefined, &order));
    CALL(order != 0);
    CALL(H5Otoken_to_str(o->file, NULL, &text));
    CALL(H5Otoken_to_str(o->file, &token, NULL));
    CALL(H5Otoken_to_str(o->file, &token, &text));
    CALL(H5Otoken_from_str(o->file, NULL, &token));
    CALL(H5Otoken_from_str(o->file, text, NULL));
    CALL(H5Otoken_from_str(o->file, text, &token));
    CALL_FREE(H5Otoken_from_str(o->file, "", &token));
    CALL_FREE(H5Otoken_from_str(o->file, "nothing", &token));
    CALL_ID(H5Oopen_by_token(o->file, o->token));
    CALL_ID(H5Oopen_by_token(o->file, undefined));
    CALL_ID(H5Oopen_by_token(o->file, (H5O_token_t){{0}}));
    CALL_ID(H5Oopen_by_addr(o->file, HADDR_UNDEF));
    CALL_ID(H5Oopen_by_addr(o->file, 0));
    H5free_memory(text);
}

static void attributes(report *r, things *o)
{
    char buf[64] = "";
    int values[3] = {1, 2, 3};
    H5A_info_t info;
    const hid_t ids[] = {o->attribute, o->null_attribute, o->group};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CALL(H5Aget_name(ids[i], 0, NULL));
        CALL(H5Aget_name(ids[i], 5, NULL));
        CALL(H5Aget_name(ids[i], 0, buf));
        CALL(H5Aget_name(ids[i], 1, buf)); /* native then puts no NUL behind the name */
        CALL(H5Aget_info(ids[i], NULL));
        CALL(H5Aget_info(ids[i], &info));
        CALL(H5Aread(ids[i], H5T_NATIVE_INT, NULL));
        CALL(H5Awrite(ids[i], H5T_NATIVE_INT, NULL));
        CALL(H5Aread(ids[i], 0, values));
        CALL(H5Awrite(ids[i], 0, values));
        CALL(H5Awrite(ids[i], H5T_NATIVE_INT, values));
        CALL(H5Aread(ids[i], H5T_NATIVE_INT, values));
        CALL(H5Aget_storage_size(ids[i]));
        CALL_ID(H5Aget_space(ids[i]));
        CALL_ID(H5Aget_type(ids[i]));
        CALL_ID(H5Aget_create_plist(ids[i]));
    }
}

static void attributes_by_name(report *r, things *o)
{
    char buf[64] = "";
    H5A_info_t info;
    const char *names[] = {"a", "none", "nothing", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Aexists(o->group, names[i]));
        CALL(H5Aexists_by_name(o->file, "g", names[i], D));
        CALL(H5Aexists_by_name(o->file, names[i], "a", D));
        CALL_ID(H5Aopen(o->group, names[i], D));
        CALL_ID(H5Aopen_name(o->group, names[i]));
        CALL_ID(H5Aopen_by_name(o->file, "g", names[i], D, D));
        CALL_ID(H5Aopen_by_name(o->file, names[i], "a", D, D));
        CALL(H5Aget_info_by_name(o->file, "g", names[i], NULL, D));
        CALL(H5Aget_info_by_name(o->file, "g", names[i], &info, D));
        CALL(H5Arename(o->group, names[i], NULL));
        CALL(H5Arename(o->group, names[i], ""));
        CALL(H5Aexists(o->group, ""));
        CALL(H5Arename(o->group, "", names[i]));
        CALL(H5Arename(o->group, NULL, names[i]));
        CALL(H5Arename_by_name(o->file, "g", names[i], NULL, D));
        CALL(H5Arename_by_name(o->file, "g", "nothing", names[i], D));
        CALL_ID(H5Acreate2(o->contiguous, names[i], H5T_NATIVE_INT, o->int3, D, D));
        CALL_ID(H5Acreate1(o->null, names[i], H5T_NATIVE_INT, o->int3, D));
        CALL_ID(H5Acreate_by_name(o->file, "s", names[i], H5T_NATIVE_INT, o->none, D, D, D));
        CALL(H5Adelete(o->contiguous, names[i]));
        CALL(H5Adelete_by_name(o->file, "n", names[i], D));
        CALL(H5Adelete_by_name(o->file, names[i], "a", D));
    }
    for (hsize_t i = 0; i < 3; i++) {
        CALL(H5Aget_name_by_idx(o->file, "g", BY, i, NULL, 0, D));
        CALL(H5Aget_name_by_idx(o->file, "g", BY, i, NULL, 5, D));
        CALL(H5Aget_name_by_idx(o->file, "g", BY, i, buf, 0, D));
        CALL(H5Aget_name_by_idx(o->file, "g", BY, i, buf, 1, D));
        CALL(H5Aget_info_by_idx(o->file, "g", BY, i, NULL, D));
        CALL(H5Aget_info_by_idx(o->file, "g", BY, i, &info, D));
        CALL_ID(H5Aopen_by_idx(o->file, "g", BY, i, D, D));
        CALL_ID(H5Aopen_by_idx(o->file, NULL, BY, i, D, D));
        CALL_ID(H5Aopen_by_idx(o->file, "", BY, i, D, D));
        CALL_ID(H5Aopen_idx(o->group, (unsigned)i));
        CALL(H5Aget_name_by_idx(o->file, NULL, BY, i, buf, sizeof buf, D));
        CALL(H5Adelete_by_idx(o->file, NULL, BY, i, D));
        CALL(H5Adelete_by_idx(o->file, "t", BY, i, D));
    }
}

static void attributes_each(report *r, things *o)
{
    const hid_t ids[] = {o->group, o->contiguous, o->type, o->file, o->attribute};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        hsize_t at = 0;
        unsigned at1 = 0;
        CALL(H5Aiterate2(ids[i], BY, NULL, each_attribute, NULL));
        CALL(H5Aiterate2(ids[i], BY, &at, NULL, NULL));
        CALL(H5Aiterate2(ids[i], BY, &at, each_attribute, NULL));
        CALL(H5Aiterate1(ids[i], NULL, each_attribute1, NULL));
        CALL(H5Aiterate1(ids[i], &at1, NULL, NULL));
        CALL(H5Aget_num_attrs(ids[i]));
        CALL(H5Aiterate_by_name(ids[i], ".", BY, NULL, NULL, NULL, D));
        CALL(H5Aiterate_by_name(ids[i], ".", BY, NULL, each_attribute, NULL, D));
        CALL(H5Aiterate_by_name(ids[i], "", BY, NULL, each_attribute, NULL, D));
        CALL(H5Aiterate_by_name(ids[i], NULL, BY, NULL, each_attribute, NULL, D));
    }
}

static void types(report *r, things *o)
{
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    size_t size = 0;
    char buf[256];
    CALL(H5Tcommit2(o->file, NULL, type, D, D, D));
    CALL(H5Tcommit2(o->file, "", type, D, D, D));
    CALL(H5Tcommit2(o->file, "/", type, D, D, D));
    CALL(H5Tcommit2(o->file, "new", 0, D, D, D));
    CALL(H5Tcommit1(o->file, NULL, type));
    CALL(H5Tcommit1(o->file, "", type));
    CALL_ID(H5Topen2(o->file, NULL, D));
    CALL_ID(H5Topen2(o->file, "", D));
    CALL_ID(H5Topen2(o->file, "g", D));
    CALL_ID(H5Topen1(o->file, NULL));
    CALL_ID(H5Topen1(o->file, ""));
    CALL_ID(H5Tget_create_plist(o->type));
    CALL(H5Tflush(o->type));
    CALL(H5Trefresh(o->type));
    CALL(H5Tencode(o->type, NULL, NULL));
    CALL(H5Tencode(o->type, NULL, &size));
    size = 0;
    CALL(H5Tencode(o->type, buf, &size));
    CALL(H5Iget_name(o->type, NULL, 0));
    CALL(H5Iget_name(o->type, NULL, 5));
    CALL(H5Iget_name(o->group, NULL, 0));
    CALL(H5Iget_name(o->group, buf, 0));
    CALL(H5Iget_name(o->group, buf, 1));
    CALL(buf[0]);
    CALL(H5Iget_name(o->attribute, NULL, 0));
    CALL(H5Iget_name(o->file, NULL, 0));
    CALL(H5Tcommit_anon(o->file, type, D, D));
    CALL(H5Iget_name(type, NULL, 0));
    H5Tclose(type);
}

CASE(objects)
CASE(objects_by_name)
CASE(comments)
CASE(tokens)
CASE(attributes)
CASE(attributes_by_name)
CASE(attributes_each)
CASE(types)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),    cmocka_unit_test(test_objects_by_name),
        cmocka_unit_test(test_comments),   cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_attributes_by_name),
        cmocka_unit_test(test_types),      cmocka_unit_test(test_attributes_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
