/* test_link_limit.c - H5Pset_nlinks: each call that follows a path follows as many links as its access list allows,
 * from file to file. */
#include "both.h"

typedef struct lists {
    unsigned most;
    hid_t link, group, dataset, type, attribute;
} lists;

static hid_t limited(hid_t class, unsigned most)
{
    const hid_t list = H5Pcreate(class);
    assert_true(H5Pset_nlinks(list, most) >= 0);
    return list;
}

static lists lists_of(unsigned most)
{
    return (lists){most,
                   limited(H5P_LINK_ACCESS, most),
                   limited(H5P_GROUP_ACCESS, most),
                   limited(H5P_DATASET_ACCESS, most),
                   limited(H5P_DATATYPE_ACCESS, most),
                   limited(H5P_ATTRIBUTE_ACCESS, most)};
}

static void close_lists(const lists *l)
{
    const hid_t ids[] = {l->link, l->group, l->dataset, l->type, l->attribute};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Pclose(ids[i]);
}

static hid_t three(void)
{
    const hsize_t n = 3;
    return H5Screate_simple(1, &n, NULL);
}

/* /s3 leads to /s2, that to /s1, that to /g. */
static void make(hid_t file)
{
    const hid_t space = three(), type = H5Tcopy(H5T_NATIVE_INT);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(group, "below", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(group, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Aclose(H5Acreate2(group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Tcommit2(group, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g", file, "s1", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/s1", file, "s2", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/s2", file, "s3", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Tclose(type);
    H5Sclose(space);
}

static void tell(trial *t, const lists *l, const char *call, int64_t answer)
{
    say(t, "%u %s: %s\n", l->most, call, answer < 0 ? "failed" : answer ? "yes" : "0");
}

#define TELL(call) tell(t, l, #call, (int64_t)(call))
#define TELL_ID(call)                                                                                                  \
    do {                                                                                                               \
        const hid_t id_ = call;                                                                                        \
        tell(t, l, #call, id_ < 0 ? -1 : 0);                                                                           \
        if (id_ >= 0)                                                                                                  \
            H5Idec_ref(id_);                                                                                           \
    } while (0)

static herr_t each_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_object(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)object, (void)name, (void)info, (void)context;
    return 0;
}

static herr_t each_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object, (void)name, (void)info, (void)context;
    return 0;
}

static void change_links(trial *t, const lists *l, hid_t f)
{
    char at[32], deep[32];
    snprintf(at, sizeof at, "s3/x%u", l->most);
    snprintf(deep, sizeof deep, "s3/y%u/z", l->most);
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE), link = l->link, none = H5P_DEFAULT;
    H5Pset_create_intermediate_group(lcpl, 1);
    TELL(H5Lcopy(f, "s3/below", f, "copied", none, link));
    H5Ldelete(f, "copied", none);
    TELL(H5Lcopy(f, "g/below", f, at, none, link));
    TELL(H5Lmove(f, at, f, "moved", none, link));
    TELL(H5Lmove(f, "moved", f, at, none, link));
    H5Ldelete(f, at, none);
    TELL(H5Lcreate_hard(f, "s3/below", f, "hard", none, link));
    H5Ldelete(f, "hard", none);
    TELL(H5Lcreate_hard(f, "g/below", f, at, none, link));
    H5Ldelete(f, at, none);
    TELL(H5Lcreate_soft("/x", f, at, none, link));
    TELL(H5Ldelete(f, at, link));
    TELL(H5Lcreate_external("x", "/x", f, at, none, link));
    H5Ldelete(f, at, none);
    TELL(H5Lcreate_soft("/x", f, deep, lcpl, link));
    H5Pclose(lcpl);
}

static void look_at_links(trial *t, const lists *l, hid_t f)
{
    H5L_info2_t info;
    const hid_t link = l->link;
    TELL(H5Lexists(f, "s3/below", link));
    TELL(H5Lget_info2(f, "s3/below", &info, link));
    TELL(H5Literate_by_name2(f, "s3", H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL, link));
    TELL(H5Lvisit_by_name2(f, "s3", H5_INDEX_NAME, H5_ITER_INC, each_link, NULL, link));
}

static void make_objects(trial *t, const lists *l, hid_t f)
{
    char at[32];
    snprintf(at, sizeof at, "s3/o%u", l->most);
    const hid_t space = three(), type = H5Tcopy(H5T_NATIVE_INT), group = H5Gopen2(f, "g", H5P_DEFAULT);
    TELL_ID(H5Gcreate2(f, at, H5P_DEFAULT, H5P_DEFAULT, l->group));
    H5Ldelete(f, at, H5P_DEFAULT);
    TELL_ID(H5Dcreate2(f, at, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, l->dataset));
    H5Ldelete(f, at, H5P_DEFAULT);
    TELL(H5Tcommit2(f, at, type, H5P_DEFAULT, H5P_DEFAULT, l->type));
    H5Ldelete(f, at, H5P_DEFAULT);
    TELL(H5Olink(group, f, at, H5P_DEFAULT, l->link));
    H5Ldelete(f, at, H5P_DEFAULT);
    H5Gclose(group);
    H5Tclose(type);
    H5Sclose(space);
}

static void open_objects(trial *t, const lists *l, hid_t f)
{
    H5O_info2_t info;
    H5G_info_t group;
    char text[32];
    TELL_ID(H5Gopen2(f, "s3", l->group));
    TELL_ID(H5Dopen2(f, "s3/d", l->dataset));
    TELL_ID(H5Topen2(f, "s3/t", l->type));
    TELL_ID(H5Oopen(f, "s3", l->link));
    TELL_ID(H5Oopen_by_idx(f, "s3", H5_INDEX_NAME, H5_ITER_INC, 0, l->link));
    TELL(H5Oexists_by_name(f, "s3", l->link));
    TELL(H5Oget_info_by_name3(f, "s3", &info, H5O_INFO_BASIC, l->link));
    TELL(H5Oget_info_by_idx3(f, "s3", H5_INDEX_NAME, H5_ITER_INC, 0, &info, H5O_INFO_BASIC, l->link));
    TELL(H5Oset_comment_by_name(f, "s3", "c", l->link));
    TELL(H5Oget_comment_by_name(f, "s3", text, sizeof text, l->link));
    TELL(H5Ovisit_by_name3(f, "s3", H5_INDEX_NAME, H5_ITER_INC, each_object, NULL, H5O_INFO_BASIC, l->link));
    TELL(H5Gget_info_by_name(f, "s3", &group, l->link));
    TELL(H5Gget_info_by_idx(f, "s3", H5_INDEX_NAME, H5_ITER_INC, 0, &group, l->link));
}

static void attributes(trial *t, const lists *l, hid_t f)
{
    const H5_index_t by = H5_INDEX_NAME;
    const hid_t link = l->link, space = three(), none = H5P_DEFAULT;
    H5A_info_t info;
    char text[32];
    TELL_ID(H5Acreate_by_name(f, "s3", "b", H5T_NATIVE_INT, space, none, none, link));
    H5Adelete_by_name(f, "g", "b", none);
    TELL_ID(H5Acreate_by_name(f, "s3", "b", H5T_NATIVE_INT, space, none, l->attribute, none));
    H5Adelete_by_name(f, "g", "b", none);
    TELL_ID(H5Aopen_by_name(f, "s3", "a", none, link));
    TELL_ID(H5Aopen_by_name(f, "s3", "a", l->attribute, none));
    TELL_ID(H5Aopen_by_idx(f, "s3", by, H5_ITER_INC, 0, none, link));
    TELL_ID(H5Aopen_by_idx(f, "s3", by, H5_ITER_INC, 0, l->attribute, none));
    TELL(H5Aexists_by_name(f, "s3", "a", link));
    TELL(H5Aget_info_by_name(f, "s3", "a", &info, link));
    TELL(H5Aget_name_by_idx(f, "s3", by, H5_ITER_INC, 0, text, sizeof text, link));
    TELL(H5Aget_info_by_idx(f, "s3", by, H5_ITER_INC, 0, &info, link));
    TELL(H5Aiterate_by_name(f, "s3", by, H5_ITER_INC, NULL, each_attribute, NULL, link));
    TELL(H5Arename_by_name(f, "s3", "a", "b", link));
    H5Arename_by_name(f, "g", "b", "a", none);
    H5Sclose(space);
}

/* Behind an external link, which counts, too: "far" leads to "over", that to /s2 of the first file. */
static void cross(trial *t, const lists *l, hid_t other)
{
    H5L_info2_t info;
    char at[32];
    snprintf(at, sizeof at, "far/z%u", l->most);
    TELL_ID(H5Oopen(other, "over", l->link));
    TELL_ID(H5Oopen(other, "far", l->link));
    TELL_ID(H5Gopen2(other, "far", l->group));
    TELL_ID(H5Dopen2(other, "far/d", l->dataset));
    TELL_ID(H5Topen2(other, "far/t", l->type));
    TELL_ID(H5Gcreate2(other, at, H5P_DEFAULT, H5P_DEFAULT, l->group));
    TELL(H5Oexists_by_name(other, "far", l->link));
    TELL(H5Lexists(other, "far/below", l->link));
    TELL(H5Lget_info2(other, "far/below", &info, l->link));
    TELL(H5Lcreate_soft("/q", other, strcat(at, "q"), H5P_DEFAULT, l->link));
    TELL(H5Aexists_by_name(other, "far", "a", l->link));
    TELL(H5Literate_by_name2(other, "far", H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL, l->link));
    TELL(H5Ovisit_by_name3(other, "far", H5_INDEX_NAME, H5_ITER_INC, each_object, NULL, H5O_INFO_BASIC, l->link));
    TELL_ID(H5Oopen_by_idx(other, "far", H5_INDEX_NAME, H5_ITER_INC, 0, l->link));
}

static hid_t make_other(trial *t)
{
    char path[160];
    snprintf(path, sizeof path, "%s/other", t->directory);
    const hid_t other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    assert_true(other >= 0);
    H5Lcreate_external("file", "/s2", other, "over", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/over", other, "far", H5P_DEFAULT, H5P_DEFAULT);
    return other;
}

static void every_call(trial *t)
{
    make(t->file);
    const hid_t other = make_other(t);
    for (unsigned most = 1; most <= 4; most++) {
        const lists l = lists_of(most);
        change_links(t, &l, t->file);
        look_at_links(t, &l, t->file);
        make_objects(t, &l, t->file);
        open_objects(t, &l, t->file);
        attributes(t, &l, t->file);
        cross(t, &l, other);
        close_lists(&l);
    }
    H5Fclose(other);
}

static void test_every_call(void **state)
{
    (void)state;
    static const kind others[] = {ZARR, ZARR_HDMF};
    on_kinds(every_call, others, sizeof others / sizeof *others);
}

int main(void)
{
    restart_hdf5();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
