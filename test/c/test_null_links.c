/* test_null_links.c - H5L and H5G with arguments that are NULL, empty or zero. */
#include "null_arguments.h"

static herr_t each_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group, (void)name, (void)info;
    if (context)
        ++*(int *)context;
    return 0;
}

static herr_t each_link1(hid_t group, const char *name, const H5L_info1_t *info, void *context)
{
    (void)group, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_object(hid_t group, const char *name, void *context)
{
    (void)group, (void)name, (void)context;
    return 0;
}

static void look(report *r, things *o)
{
    char buf[64] = "";
    const char *names[] = {"g", "soft", "dangling", "external", "g/below", "nothing", "", NULL, ".", "/"};
    H5L_info2_t info;
    H5L_info1_t info1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Lexists(o->file, names[i], D));
        CALL(H5Lget_info2(o->file, names[i], NULL, D));
        CALL(H5Lget_info2(o->file, names[i], &info, D));
        CALL(H5Lget_info1(o->file, names[i], NULL, D));
        CALL(H5Lget_info1(o->file, names[i], &info1, D));
        CALL(H5Lget_val(o->file, names[i], NULL, 0, D));
        CALL(H5Lget_val(o->file, names[i], NULL, 10, D));
        CALL(H5Lget_val(o->file, names[i], buf, 0, D));
        CALL(H5Lget_val(o->file, names[i], buf, 1, D));
        CALL(buf[0]);
        CALL(H5Lget_val(o->file, names[i], buf, sizeof buf, D));
        CALL(H5Gget_linkval(o->file, names[i], 0, NULL));
        CALL(H5Gget_linkval(o->file, names[i], 10, NULL));
        CALL(H5Gget_linkval(o->file, names[i], 0, buf));
        CALL(H5Gget_objinfo(o->file, names[i], false, NULL));
        CALL(H5Gget_objinfo(o->file, names[i], true, NULL));
    }
}

static void look_by_index(report *r, things *o)
{
    char buf[64] = "";
    const char *names[] = {"g", "/", ".", "dangling", "d", "", NULL}; /* native refuses soft links to groups here */
    H5L_info2_t info;
    H5L_info1_t info1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Lget_info_by_idx2(o->file, names[i], BYZERO, NULL, D));
        CALL(H5Lget_info_by_idx2(o->file, names[i], BYZERO, &info, D));
        CALL(H5Lget_info_by_idx2(o->file, names[i], BY, 99, NULL, D));
        CALL(H5Lget_info_by_idx1(o->file, names[i], BYZERO, NULL, D));
        CALL(H5Lget_info_by_idx1(o->file, names[i], BYZERO, &info1, D));
        CALL(H5Lget_name_by_idx(o->file, names[i], BYZERO, NULL, 0, D));
        CALL(H5Lget_name_by_idx(o->file, names[i], BYZERO, NULL, 10, D));
        CALL(H5Lget_name_by_idx(o->file, names[i], BYZERO, buf, 0, D));
        CALL(H5Lget_name_by_idx(o->file, names[i], BYZERO, buf, 1, D));
        CALL(buf[0]);
        CALL(H5Lget_name_by_idx(o->file, names[i], BYZERO, buf, sizeof buf, D));
        CALL(H5Lget_val_by_idx(o->file, names[i], BYZERO, NULL, 0, D));
        CALL(H5Lget_val_by_idx(o->file, names[i], BY, 99, NULL, 0, D));
    }
    for (hsize_t i = 0; i < 8; i++) { /* of soft and external links, too */
        CALL(H5Lget_val_by_idx(o->file, ".", BY, i, NULL, 0, D));
        CALL(H5Lget_val_by_idx(o->file, ".", BY, i, NULL, 9, D));
        CALL(H5Lget_val_by_idx(o->file, ".", BY, i, buf, 0, D));
        CALL(H5Lget_val_by_idx(o->file, ".", BY, i, buf, 1, D));
        CALL(H5Lget_info_by_idx2(o->file, ".", BY, i, NULL, D));
    }
}

static void iterate(report *r, things *o)
{
    const char *names[] = {"g", "/", ".", "soft", "dangling", "d", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hsize_t at = 0;
        int at1 = 0;
        CALL(H5Literate_by_name2(o->file, names[i], BY, NULL, each_link, NULL, D));
        CALL(H5Literate_by_name2(o->file, names[i], BY, &at, each_link, NULL, D));
        CALL(H5Literate_by_name2(o->file, names[i], BY, NULL, NULL, NULL, D));
        CALL(H5Literate_by_name1(o->file, names[i], BY, NULL, each_link1, NULL, D));
        CALL(H5Literate_by_name1(o->file, names[i], BY, NULL, NULL, NULL, D));
        CALL(H5Lvisit_by_name2(o->file, names[i], BY, each_link, NULL, D));
        CALL(H5Lvisit_by_name2(o->file, names[i], BY, NULL, NULL, D));
        CALL(H5Lvisit_by_name1(o->file, names[i], BY, each_link1, NULL, D));
        CALL(H5Lvisit_by_name1(o->file, names[i], BY, NULL, NULL, D));
        CALL(H5Giterate(o->file, names[i], NULL, each_object, NULL));
        CALL(H5Giterate(o->file, names[i], &at1, NULL, NULL));
        at1 = 0;
        CALL(H5Giterate(o->file, names[i], &at1, each_object, NULL));
    }
    const hid_t places[] = {o->file, o->group, o->contiguous};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CALL(H5Literate2(places[i], BY, NULL, each_link, NULL));
        CALL(H5Literate2(places[i], BY, NULL, NULL, NULL));
        CALL(H5Literate1(places[i], BY, NULL, each_link1, NULL));
        CALL(H5Literate1(places[i], BY, NULL, NULL, NULL));
        CALL(H5Lvisit2(places[i], BY, each_link, NULL));
        CALL(H5Lvisit2(places[i], BY, NULL, NULL));
        CALL(H5Lvisit1(places[i], BY, each_link1, NULL));
        CALL(H5Lvisit1(places[i], BY, NULL, NULL));
    }
}

static void groups(report *r, things *o)
{
    char buf[64] = "";
    H5G_info_t info;
    hsize_t count = 0;
    const char *names[] = {"g", "/", ".", "soft", "d", "nothing", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL_ID(H5Gopen2(o->file, names[i], D));
        CALL_ID(H5Gopen1(o->file, names[i]));
        CALL(H5Gget_info_by_name(o->file, names[i], NULL, D));
        CALL(H5Gget_info_by_name(o->file, names[i], &info, D));
        CALL(H5Gget_info_by_idx(o->file, names[i], BYZERO, NULL, D));
        CALL(H5Gget_info_by_idx(o->file, names[i], BYZERO, &info, D));
        CALL(H5Gget_comment(o->file, names[i], 0, NULL));
        CALL(H5Gget_comment(o->file, names[i], 9, NULL));
        CALL(H5Gget_comment(o->file, names[i], 0, buf));
        CALL(H5Gget_comment(o->file, names[i], 1, buf));
        CALL(buf[0]);
        CALL(H5Gset_comment(o->file, names[i], ""));
        CALL(H5Gget_comment(o->file, names[i], sizeof buf, buf));
        CALL(H5Gset_comment(o->file, names[i], "again"));
        CALL(H5Gset_comment(o->file, names[i], NULL));
        CALL(H5Gget_comment(o->file, names[i], sizeof buf, buf));
    }
    CALL(H5Gget_info(o->group, NULL));
    CALL(H5Gget_info(o->contiguous, &info));
    CALL(H5Gget_num_objs(o->file, NULL));
    CALL(H5Gget_num_objs(o->file, &count));
    CALL(count);
    CALL(H5Gget_objname_by_idx(o->file, 0, NULL, 0));
    CALL(H5Gget_objname_by_idx(o->file, 0, NULL, 10));
    CALL(H5Gget_objname_by_idx(o->file, 0, buf, 0));
    CALL(H5Gget_objname_by_idx(o->file, 0, buf, 1));
    CALL(H5Gget_objname_by_idx(o->file, 99, NULL, 0));
    CALL(H5Gget_objtype_by_idx(o->file, 0));
    CALL(H5Gget_objtype_by_idx(o->file, 99));
}

static void make_groups(report *r, things *o)
{
    CALL_ID(H5Gcreate2(o->file, NULL, D, D, D));
    CALL_ID(H5Gcreate2(o->file, "", D, D, D));
    CALL_ID(H5Gcreate2(o->file, "/", D, D, D));
    CALL_ID(H5Gcreate2(o->file, ".", D, D, D));
    CALL_ID(H5Gcreate2(o->file, "//", D, D, D));
    CALL_ID(H5Gcreate1(o->file, NULL, 0));
    CALL_ID(H5Gcreate1(o->file, "", 0));
    CALL_ID(H5Gcreate1(o->file, "made1", 0));
    CALL_ID(H5Gcreate_anon(o->file, D, D));
    CALL_ID(H5Gcreate2(0, "made0", D, D, D));
    CALL_ID(H5Gget_create_plist(o->group));
    CALL_ID(H5Gget_create_plist(o->contiguous));
    CALL(H5Gflush(o->group));
    CALL(H5Grefresh(o->group));
    CALL(H5Fmount(o->file, NULL, o->file, D));
    CALL(H5Fmount(o->file, "", o->file, D));
    CALL(H5Funmount(o->file, NULL));
    CALL(H5Funmount(o->file, ""));
    CALL(H5Funmount(o->file, "g"));
}

static void make_links(report *r, things *o)
{
    char buf[64] = "";
    const char *names[] = {NULL, "", ".", "/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CALL(H5Lcreate_hard(o->file, names[i], o->file, "h", D, D));
        CALL(H5Lcreate_hard(o->file, "g", o->file, names[i], D, D));
        CALL(H5Lcreate_hard(H5L_SAME_LOC, "g", o->file, names[i], D, D));
        CALL(H5Lcreate_hard(o->file, "g", H5L_SAME_LOC, names[i], D, D));
        CALL(H5Lcreate_soft(names[i], o->file, "s1", D, D));
        CALL(H5Lget_val(o->file, "s1", buf, sizeof buf, D));
        CALL(H5Ldelete(o->file, "s1", D));
        CALL(H5Lcreate_soft("/g", o->file, names[i], D, D));
        CALL(H5Lcreate_external(names[i], "/x", o->file, "e1", D, D));
        CALL(H5Ldelete(o->file, "e1", D));
        CALL(H5Lcreate_external("f", names[i], o->file, "e1", D, D));
        CALL(H5Ldelete(o->file, "e1", D));
        CALL(H5Lcreate_external("f", "/x", o->file, names[i], D, D));
        CALL(H5Lcreate_ud(o->file, names[i], H5L_TYPE_EXTERNAL, buf, 0, D, D));
        CALL(H5Lcopy(o->file, names[i], o->file, "copied", D, D));
        CALL(H5Ldelete(o->file, "copied", D));
        CALL(H5Lcopy(o->file, "g", o->file, names[i], D, D));
        CALL(H5Lcopy(H5L_SAME_LOC, "g", o->file, names[i], D, D));
        CALL(H5Lmove(o->file, names[i], o->file, "moved", D, D));
        CALL(H5Lmove(o->file, "g", o->file, names[i], D, D));
        CALL(H5Glink(o->file, H5L_TYPE_HARD, names[i], "linked"));
        CALL(H5Glink(o->file, H5L_TYPE_HARD, "g", names[i]));
        CALL(H5Glink(o->file, H5L_TYPE_SOFT, names[i], "linked2"));
        CALL(H5Ldelete(o->file, "linked2", D));
        CALL(H5Gmove(o->file, names[i], "moved"));
        CALL(H5Gmove(o->file, "g", names[i]));
        CALL(H5Gunlink(o->file, names[i]));
        CALL(H5Ldelete(o->file, names[i], D));
        CALL(H5Ldelete_by_idx(o->file, names[i], BY, 99, D));
        CALL(H5Lexists(o->file, "g", D));
    }
    CALL(H5Lcopy(H5L_SAME_LOC, "g", H5L_SAME_LOC, "x", D, D));
    CALL(H5Lcreate_hard(H5L_SAME_LOC, "g", H5L_SAME_LOC, "x", D, D));
    CALL(H5Lcreate_ud(o->file, "u0", H5L_TYPE_EXTERNAL, NULL, 0, D, D));
    CALL(H5Lcreate_ud(o->file, "u1", H5L_TYPE_EXTERNAL, NULL, 5, D, D));
    CALL(H5Lcreate_ud(o->file, "u2", H5L_TYPE_EXTERNAL, "", 1, D, D));
    CALL(H5Lcreate_ud(o->file, "u3", H5L_TYPE_SOFT, "x", 2, D, D));
    CALL(H5Lcreate_ud(o->file, "u4", (H5L_type_t)200, "x", 2, D, D));
    CALL_FREE(H5Lget_val(o->file, "u2", buf, sizeof buf, D));
    CALL(H5Lunpack_elink_val(NULL, 0, NULL, NULL, NULL));
    CALL_ID(H5Oopen(o->file, "u0", D));
    CALL_ID(H5Oopen(o->file, "u2", D));
}

/* What a class of links that a program brings may lack. */
static hid_t follow(const char *name, hid_t group, const void *value, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)value, (void)size, (void)lapl, (void)dxpl;
    return H5Gopen2(group, "/g", H5P_DEFAULT);
}

static void user_links(report *r, things *o)
{
    char buf[8] = "";
    const H5L_class_t class = {.version = H5L_LINK_CLASS_T_VERS, .id = (H5L_type_t)201, .trav_func = follow};
    H5L_info2_t info;
    H5Lregister(&class);
    CALL(H5Lregister(NULL));
    CALL(H5Lcreate_ud(o->file, "plain", class.id, NULL, 0, D, D));
    CALL(H5Lcreate_ud(o->file, "sized", class.id, NULL, 3, D, D));
    CALL(H5Lcreate_ud(o->file, "valued", class.id, "abc", 3, D, D));
    CALL(H5Lget_val(o->file, "plain", NULL, 0, D));
    CALL(H5Lget_val(o->file, "plain", buf, sizeof buf, D));
    CALL(H5Lget_val(o->file, "valued", NULL, 0, D));
    CALL(H5Lget_val(o->file, "valued", buf, 0, D));
    CALL(H5Lget_val(o->file, "valued", buf, 1, D));
    CALL(H5Lget_info2(o->file, "plain", &info, D));
    CALL(H5Lget_info2(o->file, "plain", NULL, D));
    CALL_FREE(H5Oopen(o->file, "plain", D)); /* HDF5 gives connectors no way to follow them */
    CALL_FREE(H5Oopen(o->file, "valued/below", D));
    CALL(H5Lcopy(o->file, "plain", o->file, "plain2", D, D));
    CALL(H5Lmove(o->file, "plain2", o->file, "plain3", D, D));
    CALL(H5Ldelete(o->file, "plain3", D));
    CALL(H5Lunregister(class.id));
    CALL(H5Lget_val(o->file, "valued", buf, 2, D));
    CALL(H5Lget_info2(o->file, "valued", NULL, D));
    CALL_ID(H5Oopen(o->file, "valued", D));
    CALL_FREE(H5Ldelete(o->file, "valued", D)); /* native asks the class */
}

CASE(look)
CASE(look_by_index)
CASE(iterate)
CASE(groups)
CASE(make_groups)
CASE(make_links)
CASE(user_links)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look),       cmocka_unit_test(test_look_by_index), cmocka_unit_test(test_iterate),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_make_groups),   cmocka_unit_test(test_make_links),
        cmocka_unit_test(test_user_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
