/* test_object.c - H5O, tokens, references in memory, groups: what every object answers. */
#include "both.h"

static hid_t group(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    return id;
}

static hid_t dataset(hid_t at, const char *name)
{
    const hsize_t dims[] = {4};
    const hid_t space = H5Screate_simple(1, dims, NULL);
    const hid_t id = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    assert_true(id >= 0);
    return id;
}

static void say_object(trial *t, hid_t id)
{
    char name[64] = "";
    H5O_info2_t info;
    say(t, " %s", went(id));
    if (id < 0) {
        say(t, "\n");
        return;
    }
    const ssize_t length = H5Iget_name(id, name, sizeof name);
    const herr_t got = H5Oget_info3(id, &info, H5O_INFO_ALL);
    say(t, " id type %d name %d %s info %s", H5Iget_type(id), (int)length, name, went(got));
    say(t, " type %d rc %u attributes %d\n", info.type, info.rc, (int)info.num_attrs);
    H5Oclose(id);
}

static void opening(trial *t)
{
    static const char *const asked[] = {"/", "g", "g/d", "g/h", "/g/./h", "nope", "g/d/x", ""};
    const hid_t g = group(t->file, "g");
    H5Dclose(dataset(g, "d"));
    H5Gclose(group(g, "h"));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        say(t, "\"%s\"", asked[i]);
        say_object(t, H5Oopen(t->file, asked[i], H5P_DEFAULT));
    }
    say(t, "relative");
    say_object(t, H5Oopen(g, "d", H5P_DEFAULT));
    say(t, "itself");
    say_object(t, H5Oopen(g, ".", H5P_DEFAULT));
    say(t, "group as dataset %s\n", went(H5Dopen2(t->file, "g", H5P_DEFAULT)));
    say(t, "dataset as group %s\n", went(H5Gopen2(t->file, "g/d", H5P_DEFAULT)));
    say(t, "group as type %s\n", went(H5Topen2(t->file, "g", H5P_DEFAULT)));
    H5Gclose(g);
}
ON_EVERY_KIND(opening)

static void tokens(trial *t)
{
    H5O_info2_t first, second, other;
    int order = 9;
    char *text = NULL;
    const hid_t g = group(t->file, "g");
    H5Gclose(group(g, "h"));
    H5Oget_info3(g, &first, H5O_INFO_BASIC);
    H5Oget_info_by_name3(t->file, "/g", &second, H5O_INFO_BASIC, H5P_DEFAULT);
    H5Oget_info_by_name3(t->file, "g/h", &other, H5O_INFO_BASIC, H5P_DEFAULT);
    say(t, "compare %s", went(H5Otoken_cmp(t->file, &first.token, &second.token, &order)));
    say(t, " %d same file %d\n", order, first.fileno == other.fileno);
    H5Otoken_cmp(t->file, &first.token, &other.token, &order);
    say(t, "another object differs %d\n", order != 0);
    say(t, "to text %s\n", went(H5Otoken_to_str(g, &other.token, &text)));
    memset(&second, 0, sizeof second);
    say(t, "from text %s\n", went(H5Otoken_from_str(g, text, &second.token)));
    H5Otoken_cmp(t->file, &second.token, &other.token, &order);
    say(t, "the same %d\n", order);
    H5free_memory(text);
    say(t, "by token");
    say_object(t, H5Oopen_by_token(t->file, other.token));
    H5Lmove(t->file, "g/h", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT);
    say(t, "after a move");
    say_object(t, H5Oopen_by_token(t->file, other.token));
    memset(&other.token, 0x11, sizeof other.token);
    say(t, "unknown %s\n", went(H5Oopen_by_token(t->file, other.token)));
    H5Gclose(g);
}
ON_EVERY_KIND(tokens)

/* A number is never another object's, also over a deletion; it is the same again when the store is opened anew. */
static void tokens_of_a_store(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    H5O_info2_t before, after;
    H5Gclose(group(t->file, "a"));
    assert_true(H5Oget_info_by_name3(t->file, "a", &before, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    reopen(t, H5F_ACC_RDWR);
    assert_true(H5Oget_info_by_name3(t->file, "a", &after, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    assert_memory_equal(&before.token, &after.token, sizeof before.token);
    H5Ldelete(t->file, "a", H5P_DEFAULT);
    H5Gclose(group(t->file, "a"));
    assert_true(H5Oget_info_by_name3(t->file, "a", &after, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    assert_memory_not_equal(&before.token, &after.token, sizeof before.token);
    assert_true(H5Oopen_by_token(t->file, before.token) < 0);
    trial_end(t);
    free(t);
}

static void old_references(trial *t)
{
    hobj_ref_t reference = 0, nothing = 0;
    char name[32] = "";
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    const hid_t g = group(t->file, "g");
    H5Dclose(dataset(g, "d"));
    say(t, "create %s\n", went(H5Rcreate(&reference, t->file, "g/d", H5R_OBJECT, -1)));
    say(t, "to nothing %s\n", went(H5Rcreate(&nothing, t->file, "nope", H5R_OBJECT, -1)));
    say(t, "type %s", went(H5Rget_obj_type2(g, H5R_OBJECT, &reference, &type)));
    say(t, " %d\n", type);
    say(t, "name %d", (int)H5Rget_name(g, H5R_OBJECT, &reference, name, sizeof name));
    say(t, " %s\n", name);
    say(t, "dereference");
    say_object(t, H5Rdereference2(g, H5P_DEFAULT, H5R_OBJECT, &reference));
    say(t, "null %s\n", went(H5Rdereference2(g, H5P_DEFAULT, H5R_OBJECT, &nothing)));
    H5Gclose(g);
}
WITH_GATEWAY(old_references)

static void new_references(trial *t)
{
    H5R_ref_t reference;
    char name[32] = "";
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    const hid_t g = group(t->file, "g");
    H5Dclose(dataset(g, "d"));
    say(t, "create %s\n", went(H5Rcreate_object(g, "d", H5P_DEFAULT, &reference)));
    say(t, "type %s", went(H5Rget_obj_type3(&reference, H5P_DEFAULT, &type)));
    say(t, " %d\n", type);
    say(t, "name %d", (int)H5Rget_obj_name(&reference, H5P_DEFAULT, name, sizeof name));
    say(t, " %s\n", name);
    say(t, "open");
    say_object(t, H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT));
    say(t, "destroy %s\n", went(H5Rdestroy(&reference)));
    H5Gclose(g);
}
ON_EVERY_KIND(new_references)

static void comments(trial *t)
{
    char text[16] = "-";
    const hid_t g = group(t->file, "g");
    say(t, "none %d", (int)H5Oget_comment(g, text, sizeof text));
    say(t, " %s\n", text);
    say(t, "set %s\n", went(H5Oset_comment(g, "a remark")));
    reopen(t, H5F_ACC_RDWR);
    say(t, "get %d", (int)H5Oget_comment_by_name(t->file, "g", text, sizeof text, H5P_DEFAULT));
    say(t, " %s\n", text);
    say(t, "cut %d\n", (int)H5Oget_comment(g, text, 4));
    say(t, "remove %s\n", went(H5Oset_comment_by_name(t->file, "g", NULL, H5P_DEFAULT)));
    say(t, "none %d\n", (int)H5Oget_comment_by_name(t->file, "g", NULL, 0, H5P_DEFAULT));
    H5Gclose(g);
}
ON_EVERY_KIND(comments)

static void flushes(trial *t)
{
    hbool_t off = 9;
    H5O_native_info_t native;
    const hid_t g = group(t->file, "g"), d = dataset(g, "d");
    say(t, "object %s", went(H5Oflush(g)));
    say(t, " %s", went(H5Orefresh(g)));
    say(t, " group %s", went(H5Gflush(g)));
    say(t, " %s", went(H5Grefresh(g)));
    say(t, " dataset %s", went(H5Dflush(d)));
    say(t, " %s\n", went(H5Drefresh(d)));
    say(t, "native info %s\n", went(H5Oget_native_info(g, &native, H5O_NATIVE_INFO_ALL)));
    say(t, "held %s", went(H5Odisable_mdc_flushes(g)));
    say(t, " %s", went(H5Oare_mdc_flushes_disabled(g, &off)));
    say(t, " %d %s\n", off, went(H5Oenable_mdc_flushes(g)));
    H5Dclose(d);
    H5Gclose(g);
}
ON_EVERY_KIND(flushes)

static void say_held(trial *t, const char *who, hid_t id)
{
    hbool_t off = 9;
    say(t, " %s %s", who, went(H5Oare_mdc_flushes_disabled(id, &off)));
    say(t, " %d", off);
}

/* Flushes are kept from an object, whichever of its ids is asked, as long as one is open. */
static void flushes_of_an_object(trial *t)
{
    const hid_t g = group(t->file, "g"), again = H5Gopen2(t->file, "g", H5P_DEFAULT);
    const hid_t file = H5Freopen(t->file), third = H5Gopen2(file, "g", H5P_DEFAULT);
    say(t, "disable %s", went(H5Odisable_mdc_flushes(g)));
    say_held(t, "own", g), say_held(t, "again", again), say_held(t, "third", third);
    say(t, "\nagain %s", went(H5Odisable_mdc_flushes(again)));
    H5Gclose(g);
    say_held(t, "again", again), say_held(t, "third", third);
    const hid_t later = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say_held(t, "later", later);
    say(t, "\nenable %s", went(H5Oenable_mdc_flushes(third)));
    say_held(t, "again", again), say_held(t, "later", later);
    say(t, "\nagain %s", went(H5Oenable_mdc_flushes(later)));
    say(t, " disable %s", went(H5Odisable_mdc_flushes(later)));
    H5Gclose(later), H5Gclose(third), H5Gclose(again);
    H5Fclose(file);
    const hid_t last = H5Gopen2(t->file, "g", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    say_held(t, "last", last);
    const hid_t attribute = H5Acreate2(last, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, " disable %s", went(H5Odisable_mdc_flushes(last)));
    H5Gclose(last);
    const hid_t anew = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say_held(t, "beside an attribute", anew);
    say(t, "\n");
    H5Gclose(anew), H5Aclose(attribute), H5Sclose(space);
}
ON_EVERY_KIND(flushes_of_an_object)

static void group_lists(trial *t)
{
    static const unsigned flags[] = {0, H5P_CRT_ORDER_TRACKED, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED};
    for (int i = 0; i < 9; i++) {
        char name[16];
        unsigned links = 9, attributes = 9;
        H5G_info_t info;
        const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
        if (flags[i % 3])
            H5Pset_link_creation_order(gcpl, flags[i % 3]);
        if (flags[i / 3])
            H5Pset_attr_creation_order(gcpl, flags[i / 3]);
        snprintf(name, sizeof name, "g%d", i);
        H5Gclose(H5Gcreate2(t->file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT));
        H5Pclose(gcpl);
        reopen(t, H5F_ACC_RDWR);
        const hid_t at = H5Gopen2(t->file, name, H5P_DEFAULT);
        H5Gclose(group(at, "x"));
        const hid_t again = H5Gget_create_plist(at);
        H5Pget_link_creation_order(again, &links);
        H5Pget_attr_creation_order(again, &attributes);
        say(t, "%s: %u %u", name, links, attributes);
        say(t, " info %s", went(H5Gget_info_by_name(t->file, name, &info, H5P_DEFAULT)));
        say(t, " links %d highest %d mounted %d\n", (int)info.nlinks, (int)info.max_corder, info.mounted);
        H5Pclose(again);
        H5Gclose(at);
    }
}
ON_EVERY_KIND(group_lists)

/* Objects go on when their names are gone, also over the deletion of a group above. */
static void life_without_name(trial *t)
{
    const int values[] = {1, 2, 3, 4};
    int read[4] = {0};
    const hid_t g = group(t->file, "g"), d = dataset(g, "d"), h = group(g, "h");
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    say(t, "delete %s\n", went(H5Ldelete(t->file, "g", H5P_DEFAULT)));
    say(t, "read %s", went(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say(t, " %d %d\n", read[0], read[3]);
    say(t, "still below %d\n", H5Lexists(g, "d", H5P_DEFAULT));
    H5Gclose(group(h, "new"));
    say(t, "new below %d\n", H5Lexists(g, "h/new", H5P_DEFAULT));
    H5Gclose(group(t->file, "g"));
    say(t, "its successor is empty %d\n", H5Lexists(t->file, "g/d", H5P_DEFAULT));
    say(t, "back under a new name %s\n", went(H5Olink(d, t->file, "rescued", H5P_DEFAULT, H5P_DEFAULT)));
    H5Dclose(d);
    H5Gclose(h);
    H5Gclose(g);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t rescued = H5Dopen2(t->file, "rescued", H5P_DEFAULT);
    memset(read, 0, sizeof read);
    say(t, "rescued %s", went(H5Dread(rescued, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say(t, " %d %d\n", read[0], read[3]);
    H5Dclose(rescued);
}
ON_EVERY_KIND(life_without_name)

static void say_count(trial *t, hid_t id)
{
    H5O_info2_t info = {0};
    say(t, " %s", went(H5Oget_info3(id, &info, H5O_INFO_BASIC)));
    say(t, " rc %u\n", info.rc);
}

static void counts(trial *t)
{
    hid_t ids[] = {group(t->file, "g"), dataset(t->file, "d")};
    for (int i = 0; i < 2; i++) {
        say(t, "up %s", went(H5Oincr_refcount(ids[i])));
        say_count(t, ids[i]);
        say(t, "up %s", went(H5Oincr_refcount(ids[i])));
        say_count(t, ids[i]);
        say(t, "down %s", went(H5Odecr_refcount(ids[i])));
        say_count(t, ids[i]);
        H5Oclose(ids[i]);
    }
    reopen(t, H5F_ACC_RDWR);
    ids[0] = H5Oopen(t->file, "g", H5P_DEFAULT);
    say_count(t, ids[0]);
    say(t, "down %s", went(H5Odecr_refcount(ids[0])));
    say_count(t, ids[0]);
    H5Oclose(ids[0]);
}
ON_EVERY_KIND(counts)

/* A store and an HDF5 file in one process, both through us. */
static void two_kinds(void **state)
{
    (void)state;
    trial *zarr = trial_begin(ZARR), *native = trial_begin(WRAPPED);
    int values[] = {5, 6, 7, 8}, a[4] = {0}, b[4] = {0};
    const hid_t sets[] = {dataset(zarr->file, "d"), dataset(native->file, "d"), dataset(zarr->file, "e")};
    hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT}, all[] = {H5S_ALL, H5S_ALL, H5S_ALL};
    const void *from[] = {values, values, values};
    int c[4] = {0};
    void *to[] = {a, b, c};
    assert_true(H5Dwrite_multi(3, (hid_t *)sets, types, all, all, H5P_DEFAULT, from) >= 0);
    assert_true(H5Dread_multi(3, (hid_t *)sets, types, all, all, H5P_DEFAULT, to) >= 0);
    assert_memory_equal(a, values, sizeof values);
    assert_memory_equal(b, values, sizeof values);
    assert_memory_equal(c, values, sizeof values);
    assert_true(H5Olink(sets[0], native->file, "x", H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_true(H5Lcreate_hard(native->file, "d", zarr->file, "x", H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_true(H5Lmove(zarr->file, "d", native->file, "x", H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_int_equal(H5Fget_obj_count(zarr->file, H5F_OBJ_DATASET), 2);
    assert_int_equal(H5Fget_obj_count(native->file, H5F_OBJ_DATASET), 1);
    for (int i = 0; i < 3; i++)
        H5Dclose(sets[i]);
    H5Fclose(zarr->file);
    zarr->file = -1;
    trial_end(native);
    trial_end(zarr);
    free(native);
    free(zarr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(opening),
        AS_NATIVE(tokens),
        cmocka_unit_test(tokens_of_a_store),
        AS_NATIVE(old_references),
        AS_NATIVE(new_references),
        AS_NATIVE(comments),
        AS_NATIVE(counts),
        AS_NATIVE(flushes),
        AS_NATIVE(flushes_of_an_object),
        AS_NATIVE(group_lists),
        AS_NATIVE(life_without_name),
        cmocka_unit_test(two_kinds),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
