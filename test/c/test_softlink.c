/* test_softlink.c - soft links: made, followed, read back, copied, moved, listed, deleted. */
#include "both.h"

static void make(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

static void soft(trial *t, const char *target, hid_t at, const char *name)
{
    say(t, "%s -> %s: %s\n", name, target, went(H5Lcreate_soft(target, at, name, H5P_DEFAULT, H5P_DEFAULT)));
}

static void say_link(trial *t, hid_t at, const char *name)
{
    H5L_info2_t info = {0};
    char value[80], little[4];
    say(t, "%s: %s", name, went(H5Lget_info2(at, name, &info, H5P_DEFAULT)));
    if (info.type == H5L_TYPE_SOFT) {
        memset(value, 'z', sizeof value);
        memset(little, 'z', sizeof little);
        say(t, " size %d %s", (int)info.u.val_size, went(H5Lget_val(at, name, value, sizeof value, H5P_DEFAULT)));
        say(t, " \"%s\" %s", value, went(H5Lget_val(at, name, little, sizeof little, H5P_DEFAULT)));
        say(t, " \"%.4s\"", little);
    }
    say(t, " type %d cset %d exists %d", info.type, info.cset, H5Lexists(at, name, H5P_DEFAULT));
    say(t, " object %d\n", H5Oexists_by_name(at, name, H5P_DEFAULT));
}

static void say_object(trial *t, hid_t at, const char *name)
{
    H5O_info2_t info = {0};
    const hid_t id = H5Oopen(at, name, H5P_DEFAULT);
    say(t, "open %s: %s", name, went(id));
    if (id >= 0) {
        say(t, " %s", went(H5Oget_info3(id, &info, H5O_INFO_ALL)));
        say(t, " type %d rc %u", info.type, info.rc);
        H5Oclose(id);
    }
    say(t, "\n");
}

static void targets(trial *t)
{
    static const char *const names[] = {"abs", "rel", "deep", "dangling", "a/up", "a/odd", "self", "chain", "other"};
    make(t->file, "a");
    make(t->file, "a/b");
    soft(t, "/a/b", t->file, "abs");
    soft(t, "a", t->file, "rel");
    soft(t, "rel/b", t->file, "deep");
    soft(t, "/nowhere/at/all", t->file, "dangling");
    soft(t, "/a", t->file, "a/up");
    soft(t, "//a///./b//", t->file, "a/odd");
    soft(t, "self", t->file, "self");
    soft(t, "dangling", t->file, "chain");
    soft(t, "", t->file, "empty");
    soft(t, "/a", t->file, "abs");
    soft(t, "x", t->file, "missing/name");
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            say_link(t, t->file, names[i]);
            say_object(t, t->file, names[i]);
        }
        say_object(t, t->file, "rel/up/up/b");
        say_object(t, t->file, "a/up/up/up/odd");
        say_link(t, t->file, "rel/up");
        say_link(t, t->file, "dangling/x");
        reopen(t, H5F_ACC_RDWR);
    }
    make(t->file, "rel/made");
    make(t->file, "nowhere");
    make(t->file, "nowhere/at");
    make(t->file, "nowhere/at/all");
    say_object(t, t->file, "chain");
    say(t, "over a link %s\n", went(H5Gcreate2(t->file, "self", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say_object(t, t->file, "a/made");
    say(t, "delete %s\n", went(H5Ldelete(t->file, "rel", H5P_DEFAULT)));
    say_object(t, t->file, "a");
    say_object(t, t->file, "deep");
}
ON_EVERY_KIND(targets)

/* As many links as the access list allows, and not one more. */
static void limits(trial *t)
{
    char name[16], target[16];
    make(t->file, "l0");
    for (int i = 1; i <= 20; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(target, sizeof target, "l%d", i - 1);
        assert_true(H5Lcreate_soft(target, t->file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    const hid_t gapl = H5Pcreate(H5P_GROUP_ACCESS), lapl = H5Pcreate(H5P_LINK_ACCESS);
    for (int allowed = 15; allowed <= 20; allowed += 5) {
        H5Pset_nlinks(gapl, (size_t)allowed);
        H5Pset_nlinks(lapl, (size_t)allowed);
        for (int i = 14; i <= 20; i++) {
            snprintf(name, sizeof name, "l%d", i);
            const hid_t group = H5Gopen2(t->file, name, allowed == 15 ? H5P_DEFAULT : gapl);
            say(t, "%d %d: %s\n", allowed, i, went(group));
            H5Gclose(group);
            const hid_t object = H5Oopen(t->file, name, lapl);
            say(t, "%d %d: %s\n", allowed, i, went(object));
            H5Oclose(object);
        }
    }
    H5Pclose(gapl);
    H5Pclose(lapl);
}
ON_EVERY_KIND(limits)

static herr_t tell(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    trial *t = data;
    (void)at;
    say(t, "  %s type %d order %d\n", name, info->type, info->corder_valid ? (int)info->corder : -1);
    return 0;
}

static hid_t tracked(hid_t at, const char *name)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    assert_true(id >= 0);
    return id;
}

static void say_order(trial *t, hid_t at)
{
    H5G_info_t info = {0};
    H5Gget_info(at, &info);
    say(t, "links %d next %d\n", (int)info.nlinks, (int)info.max_corder);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++) {
            char value[16] = "";
            say(t, "index %d order %d: %s\n", index, order, went(H5Literate2(at, index, order, NULL, tell, t)));
            say(t, "value of 1: %s",
                went(H5Lget_val_by_idx(at, ".", index, order, 1, value, sizeof value, H5P_DEFAULT)));
            say(t, " %s\n", value);
        }
}

static void orders(trial *t)
{
    const hid_t g = tracked(t->file, "g"), h = tracked(t->file, "h");
    soft(t, "/x", g, "s1");
    make(g, "d");
    soft(t, "/y", g, "a");
    say_order(t, g);
    say(t, "copy %s\n", went(H5Lcopy(g, "s1", h, "copied", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "move %s\n", went(H5Lmove(g, "a", h, "moved", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "rename %s\n", went(H5Lmove(g, "s1", H5L_SAME_LOC, "s2", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "onto another %s\n", went(H5Lmove(g, "s2", g, "d", H5P_DEFAULT, H5P_DEFAULT)));
    say_order(t, g);
    say_order(t, h);
    H5Gclose(g);
    H5Gclose(h);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say_order(t, again);
    say(t, "delete %s\n", went(H5Ldelete_by_idx(again, ".", H5_INDEX_CRT_ORDER, H5_ITER_DEC, 0, H5P_DEFAULT)));
    say(t, "delete %s\n", went(H5Ldelete_by_idx(again, ".", H5_INDEX_CRT_ORDER, H5_ITER_DEC, 0, H5P_DEFAULT)));
    say_order(t, again);
    soft(t, "/z", again, "first");
    say_order(t, again);
    H5Gclose(again);
}
ON_EVERY_KIND(orders)

/* Visits list links and do not follow them. */
static void visits(trial *t)
{
    make(t->file, "g");
    make(t->file, "g/h");
    soft(t, "/g", t->file, "g/h/up");
    soft(t, "/nowhere", t->file, "g/gone");
    say(t, "%s\n", went(H5Lvisit2(t->file, H5_INDEX_NAME, H5_ITER_INC, tell, t)));
    say(t, "%s\n", went(H5Lvisit_by_name2(t->file, "g/h/up/h", H5_INDEX_NAME, H5_ITER_INC, tell, t, H5P_DEFAULT)));
}
ON_EVERY_KIND(visits)

static void attributes_through_links(trial *t)
{
    make(t->file, "g");
    soft(t, "g", t->file, "s");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr =
        H5Acreate_by_name(t->file, "s", "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "create %s", went(attr));
    H5Aclose(attr);
    H5Sclose(space);
    say(t, " exists %d %d\n", H5Aexists_by_name(t->file, "g", "a", H5P_DEFAULT),
        H5Aexists_by_name(t->file, "s", "a", H5P_DEFAULT));
}
ON_EVERY_KIND(attributes_through_links)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(targets),
        AS_NATIVE(limits),
        AS_NATIVE(orders),
        AS_NATIVE(visits),
        AS_NATIVE(attributes_through_links),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
