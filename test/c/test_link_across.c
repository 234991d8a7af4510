/* test_link_across.c - H5Lcopy and H5Lmove from file to file: the two ends of either kind, and behind external links.
 * Native does the same between two native files. */
#include "both.h"

static void make(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

/* A file beside the trial's. Where the trial's is native, so is this one; otherwise it is what is asked for, opened
 * through the connector. */
static hid_t other_file(const trial *t, bool is_store)
{
    char path[200];
    snprintf(path, sizeof path, "%s/other", t->directory);
    const kind k = is_store && t->kind != NATIVE ? ZARR : NATIVE;
    const hid_t fapl = access_list(k);
    const hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(made >= 0 && H5Fclose(made) >= 0);
    H5Pclose(fapl);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, t->fapl);
    assert_true(file >= 0);
    return file;
}

static hid_t never(const char *name, hid_t group, const void *value, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)group, (void)value, (void)size, (void)lapl, (void)dxpl;
    return H5I_INVALID_HID;
}

/* Without this, native says that the value has no bytes. */
static ssize_t query(const char *name, const void *value, size_t size, void *buffer, size_t buffer_size)
{
    (void)name;
    if (buffer && size > 0)
        memcpy(buffer, value, size < buffer_size ? size : buffer_size);
    return (ssize_t)size;
}

static const H5L_class_t link_class = {
    .version = H5L_LINK_CLASS_T_VERS, .id = (H5L_type_t)100, .trav_func = never, .query_func = query};

static void make_links(hid_t file)
{
    assert_true(H5Lregister(&link_class) >= 0);
    make(file, "g");
    make(file, "sub");
    assert_true(H5Lcreate_soft("g//x/", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/g", file, "leads", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("away.h5", "/p/q", file, "ext", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_ud(file, "ud", (H5L_type_t)100, "ab\0c", 4, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_ud(file, "empty", (H5L_type_t)100, NULL, 0, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_hard(file, "g", file, "hard", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static herr_t tell(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    char value[64] = "";
    say(data, "  %s: type %d cset %d", name, info->type, info->cset);
    if (info->type != H5L_TYPE_HARD) {
        assert_true(info->u.val_size <= sizeof value);
        say(data, " size %d", (int)info->u.val_size);
        if (info->u.val_size > 0)
            assert_true(H5Lget_val(at, name, value, sizeof value, H5P_DEFAULT) >= 0);
        for (size_t i = 0; i < info->u.val_size; i++)
            say(data, " %02x", (unsigned char)value[i]);
    }
    say(data, "\n");
    return 0;
}

static void list(trial *t, hid_t file, const char *group)
{
    say(t, "%s of %s\n", went(H5Literate_by_name2(file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, tell, t, H5P_DEFAULT)),
        group);
}

static const char *const links[] = {"soft", "leads", "ext", "ud", "empty", "hard", "g", "nothing"};
enum { LINKS = sizeof links / sizeof *links };

static void there_and_back(trial *t, bool is_store)
{
    const hid_t other = other_file(t, is_store), lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    make_links(t->file);
    make(other, "taken");
    for (int i = 0; i < LINKS; i++) {
        char to[40];
        snprintf(to, sizeof to, "new/deep/%s", links[i]);
        say(t, "copy %s: %s", links[i], went(H5Lcopy(t->file, links[i], other, links[i], H5P_DEFAULT, H5P_DEFAULT)));
        say(t, " %s", went(H5Lcopy(t->file, links[i], other, "taken", H5P_DEFAULT, H5P_DEFAULT)));
        say(t, " %s", went(H5Lcopy(t->file, links[i], other, "no/such/group", H5P_DEFAULT, H5P_DEFAULT)));
        say(t, " %s", went(H5Lcopy(t->file, links[i], other, to, lcpl, H5P_DEFAULT)));
        say(t, " move %s\n", went(H5Lmove(other, to, t->file, to, lcpl, H5P_DEFAULT)));
    }
    list(t, t->file, "/"), list(t, t->file, "/new/deep"), list(t, other, "/"), list(t, other, "/new/deep");
    for (int i = 0; i < LINKS; i++) {
        say(t, "move %s: %s", links[i], went(H5Lmove(t->file, links[i], other, "sub", H5P_DEFAULT, H5P_DEFAULT)));
        say(t, " %s\n", went(H5Lmove(other, "sub", t->file, "sub", H5P_DEFAULT, H5P_DEFAULT)));
    }
    const hid_t deep = H5Gopen2(t->file, "new/deep", H5P_DEFAULT), taken = H5Gopen2(other, "taken", H5P_DEFAULT);
    say(t, "from group to group %s", went(H5Lcopy(deep, "soft", taken, "soft", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " absolute %s\n", went(H5Lmove(deep, "/new/deep/ext", taken, "/e", H5P_DEFAULT, H5P_DEFAULT)));
    H5Gclose(deep), H5Gclose(taken);
    list(t, t->file, "/"), list(t, t->file, "/new/deep"), list(t, other, "/"), list(t, other, "taken");
    H5Pclose(lcpl);
    H5Fclose(other);
    H5Lunregister((H5L_type_t)100);
}

static void with_an_hdf5_file(trial *t)
{
    there_and_back(t, false);
}
ON_EVERY_KIND(with_an_hdf5_file)

static void with_a_store(trial *t)
{
    there_and_back(t, true);
}
ON_EVERY_KIND(with_a_store)

static void try_both(trial *t, const char *from, const char *to)
{
    say(t, "%s -> %s: copy %s", from, to, went(H5Lcopy(t->file, from, t->file, to, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " delete %s", went(H5Ldelete(t->file, to, H5P_DEFAULT)));
    say(t, " move %s", went(H5Lmove(t->file, from, t->file, to, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " back %s\n", went(H5Lmove(t->file, to, H5L_SAME_LOC, from, H5P_DEFAULT, H5P_DEFAULT)));
}

static void behind_external_links(trial *t, bool is_store)
{
    const hid_t other = other_file(t, is_store);
    make_links(other);
    make(other, "g/below");
    assert_true(H5Lcreate_soft("below", other, "g/soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(other) >= 0);
    make(t->file, "here");
    assert_true(H5Lcreate_soft("/here", t->file, "to here", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("other", "/g", t->file, "e", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("missing", "/g", t->file, "lost", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    try_both(t, "e/soft", "got");
    try_both(t, "to here", "e/put");
    try_both(t, "e/below", "got");
    try_both(t, "here", "e/put");
    try_both(t, "e/below", "e/renamed");
    try_both(t, "e/soft", "e/renamed");
    try_both(t, "e", "e/itself");
    try_both(t, "e/soft", "lost/x");
    try_both(t, "lost/soft", "x");
    try_both(t, "e/none", "x");
    list(t, t->file, "/"), list(t, t->file, "e");
    H5Lunregister((H5L_type_t)100);
}

static void behind_links_to_an_hdf5_file(trial *t)
{
    behind_external_links(t, false);
}
ON_EVERY_KIND(behind_links_to_an_hdf5_file)

static void behind_links_to_a_store(trial *t)
{
    behind_external_links(t, true);
}

/* HDF5 follows the external links of its own files by itself, and finds no store. */
static void behind_links_to_a_store_is_as_native(void **state)
{
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY};
    (void)state;
    on_kinds(behind_links_to_a_store, others, 2);
}

/* A link that cannot be taken away is not left in both files. */
static void source_is_read_only(void **state)
{
    (void)state;
    for (int is_store = 0; is_store < 2; is_store++) {
        trial *t = trial_begin(is_store ? WRAPPED : ZARR);
        const hid_t other = other_file(t, is_store);
        make_links(t->file);
        reopen(t, H5F_ACC_RDONLY);
        assert_true(H5Lmove(t->file, "soft", other, "soft", H5P_DEFAULT, H5P_DEFAULT) < 0);
        assert_int_equal(H5Lexists(other, "soft", H5P_DEFAULT), 0);
        assert_int_equal(H5Lexists(t->file, "soft", H5P_DEFAULT), 1);
        H5Fclose(other);
        H5Lunregister((H5L_type_t)100);
        trial_end(t);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(with_an_hdf5_file),
        AS_NATIVE(with_a_store),
        AS_NATIVE(behind_links_to_an_hdf5_file),
        AS_NATIVE(behind_links_to_a_store),
        cmocka_unit_test(source_is_read_only),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
