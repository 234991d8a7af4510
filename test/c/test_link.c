/* test_link.c - H5L: create, exists, move, delete, iterate, visit, info, by name and by index. */
#include "both.h"

static hid_t group(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    return id;
}

static void make(hid_t at, const char *name)
{
    H5Gclose(group(at, name));
}

static hid_t tracked_group(hid_t at, const char *name)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    assert_true(id >= 0);
    return id;
}

static void names(trial *t)
{
    static const char *const asked[] = {"/",       ".",       "a",         "/a",    "a/b", "a//b/",
                                        "./a/./b", "missing", "missing/x", "a/b/c", ""};
    make(t->file, "a");
    make(t->file, "a/b");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        say(t, "\"%s\" exists: %d\n", asked[i], (int)H5Lexists(t->file, asked[i], H5P_DEFAULT));
        if (*asked[i])
            say(t, "\"%s\" object exists: %d\n", asked[i], (int)H5Oexists_by_name(t->file, asked[i], H5P_DEFAULT));
    }
    const hid_t a = H5Gopen2(t->file, "a", H5P_DEFAULT);
    say(t, "relative %d absolute %d\n", H5Lexists(a, "b", H5P_DEFAULT), H5Lexists(a, "/a/b", H5P_DEFAULT));
    H5Gclose(a);
    say(t, "again: %s\n", went(H5Gcreate2(t->file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "root: %s\n", went(H5Gcreate2(t->file, "/", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "deep without intermediates: %s\n",
        went(H5Gcreate2(t->file, "p/q/r", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
}
ON_EVERY_KIND(names)

static void intermediates(trial *t)
{
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    const hid_t id = H5Gcreate2(t->file, "p//q/./r", lcpl, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "made: %s\n", went(id));
    H5Gclose(id);
    H5L_info2_t info;
    for (int i = 0; i < 2; i++) {
        say(t, "info: %s", went(H5Lget_info2(t->file, i ? "p/q/r" : "p/q", &info, H5P_DEFAULT)));
        say(t, " cset %d type %d order valid %d\n", info.cset, info.type, info.corder_valid);
        reopen(t, H5F_ACC_RDONLY);
    }
    say(t, "read-only: %s\n", went(H5Gcreate2(t->file, "s", lcpl, H5P_DEFAULT, H5P_DEFAULT)));
    H5Pclose(lcpl);
}
ON_EVERY_KIND(intermediates)

/* The order of links is kept in intermediate groups where it is in the group above. */
static void intermediates_in_order(trial *t)
{
    static const unsigned flags[] = {0, H5P_CRT_ORDER_TRACKED, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED};
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
        if (flags[i])
            H5Pset_link_creation_order(gcpl, flags[i]);
        const hid_t above = H5Gcreate2(t->file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
        H5Gclose(H5Gcreate2(above, "x/y/z", lcpl, H5P_DEFAULT, H5P_DEFAULT));
        H5Gclose(H5Gcreate2(above, "x/y/b", lcpl, H5P_DEFAULT, H5P_DEFAULT));
        H5Gclose(above);
        H5Pclose(gcpl);
    }
    H5Pclose(lcpl);
    reopen(t, H5F_ACC_RDWR);
    for (size_t i = 0; i < 3 * 3; i++) {
        static const char *const below[] = {"x", "x/y", "x/y/z"};
        char path[16];
        unsigned links = 9, attributes = 9;
        snprintf(path, sizeof path, "%c/%s", (char)('a' + i / 3), below[i % 3]);
        const hid_t g = H5Gopen2(t->file, path, H5P_DEFAULT), gcpl = H5Gget_create_plist(g);
        H5Pget_link_creation_order(gcpl, &links);
        H5Pget_attr_creation_order(gcpl, &attributes);
        say(t, "%s: %u %u\n", path, links, attributes);
        H5Pclose(gcpl);
        H5Gclose(g);
    }
}
ON_EVERY_KIND(intermediates_in_order)

typedef struct walk {
    trial *t;
    int stop_at; /* calls; 0: never */
    int calls;
    int value; /* returned at stop_at */
    bool deletes;
} walk;

static herr_t tell_link(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    walk *w = data;
    H5L_info2_t again;
    say(w->t, "  %s type %d order %d %d", name, info->type, info->corder_valid,
        info->corder_valid ? (int)info->corder : 0);
    say(w->t, " seen from the id: %s\n", went(H5Lget_info2(at, name, &again, H5P_DEFAULT)));
    if (w->deletes)
        H5Ldelete(at, name, H5P_DEFAULT);
    return ++w->calls == w->stop_at ? w->value : 0;
}

static void iterate(trial *t, hid_t at, H5_index_t index, H5_iter_order_t order, hsize_t from, int stop_at, int value)
{
    walk w = {.t = t, .stop_at = stop_at, .value = value};
    hsize_t position = from;
    say(t, "iterate index %d order %d from %d\n", index, order, (int)from);
    const herr_t status = H5Literate2(at, index, order, &position, tell_link, &w);
    say(t, "  = %d calls %d position %d\n", status < 0 ? -1 : status, w.calls, status < 0 ? -1 : (int)position);
}

static void iteration(trial *t)
{
    const hid_t at = tracked_group(t->file, "g");
    for (const char *const *name = (const char *const[]){"delta", "alpha", "charlie", "bravo", NULL}; *name; name++)
        make(at, *name);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++)
            for (int from = 0; from < 6; from++)
                iterate(t, at, index, order, (hsize_t)from, 2, 7);
    iterate(t, at, H5_INDEX_NAME, H5_ITER_INC, 0, 1, -5);
    H5Gclose(at);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Gopen2(t->file, "g", H5P_DEFAULT);
    iterate(t, again, H5_INDEX_CRT_ORDER, H5_ITER_DEC, 0, 0, 0);
    H5Gclose(again);
    say(t, "untracked by creation order:\n");
    walk w = {.t = t};
    say(t, "%s\n",
        went(H5Literate_by_name2(t->file, "/", H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, tell_link, &w, H5P_DEFAULT)));
    say(t, "%s\n",
        went(H5Literate_by_name2(t->file, "g", H5_INDEX_NAME, H5_ITER_DEC, NULL, tell_link, &w, H5P_DEFAULT)));
    say(t, "%s\n",
        went(H5Literate_by_name2(t->file, "nope", H5_INDEX_NAME, H5_ITER_INC, NULL, tell_link, &w, H5P_DEFAULT)));
}
ON_EVERY_KIND(iteration)

static void empty_group(trial *t)
{
    const hid_t at = group(t->file, "empty");
    iterate(t, at, H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0);
    H5Gclose(at);
}
ON_EVERY_KIND(empty_group)

static herr_t tell_path(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    walk *w = data;
    say(w->t, "  %s type %d exists %d\n", name, info->type, H5Oexists_by_name(at, name, H5P_DEFAULT));
    return ++w->calls == w->stop_at ? w->value : 0;
}

static herr_t tell_object(hid_t at, const char *name, const H5O_info2_t *info, void *data)
{
    walk *w = data;
    (void)at;
    say(w->t, "  %s type %d rc %u attributes %d\n", name, info->type, info->rc, (int)info->num_attrs);
    return ++w->calls == w->stop_at ? w->value : 0;
}

static void visits(trial *t)
{
    H5Gclose(tracked_group(t->file, "z"));
    for (const char *const *name = (const char *const[]){"z/b", "z/a", "z/b/x", "z/b/y", "m", "m/n", "m/n/o", NULL};
         *name; name++)
        make(t->file, *name);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++)
            for (int stop = 0; stop < 12; stop += 4) {
                walk w = {.t = t, .stop_at = stop, .value = 3};
                say(t, "links index %d order %d stop %d\n", index, order, stop);
                say(t, "  = %d\n", H5Lvisit2(t->file, index, order, tell_path, &w));
                w.calls = 0;
                say(t, "objects\n");
                say(t, "  = %d\n", H5Ovisit3(t->file, index, order, tell_object, &w, H5O_INFO_ALL));
            }
    walk w = {.t = t};
    say(t, "by name\n  = %d\n",
        H5Lvisit_by_name2(t->file, "z", H5_INDEX_NAME, H5_ITER_INC, tell_path, &w, H5P_DEFAULT));
    say(t, "by name\n  = %d\n",
        H5Ovisit_by_name3(t->file, "z/a", H5_INDEX_NAME, H5_ITER_INC, tell_object, &w, H5O_INFO_BASIC, H5P_DEFAULT));
    w.stop_at = w.calls + 1, w.value = -1;
    say(t, "failing\n  %s\n", went(H5Ovisit3(t->file, H5_INDEX_NAME, H5_ITER_INC, tell_object, &w, H5O_INFO_BASIC)));
}
ON_EVERY_KIND(visits)

static void by_index(trial *t)
{
    char name[16];
    H5L_info2_t info;
    const hid_t at = tracked_group(t->file, "g");
    for (const char *const *made = (const char *const[]){"delta", "alpha", "charlie", NULL}; *made; made++)
        make(at, *made);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++)
            for (hsize_t n = 0; n < 4; n++) {
                strcpy(name, "-");
                const ssize_t length = H5Lget_name_by_idx(t->file, "g", index, order, n, name, 5, H5P_DEFAULT);
                say(t, "%d %d %d: %d %s", index, order, (int)n, (int)length, length < 0 ? "" : name);
                const herr_t got = H5Lget_info_by_idx2(t->file, "g", index, order, n, &info, H5P_DEFAULT);
                say(t, " info %s order %d", went(got), got < 0 ? -1 : (int)info.corder);
                const hid_t object = H5Oopen_by_idx(t->file, "g", index, order, n, H5P_DEFAULT);
                say(t, " object %s", went(object));
                if (object >= 0) {
                    H5Iget_name(object, name, sizeof name);
                    say(t, " %s", name);
                    H5Oclose(object);
                }
                say(t, "\n");
            }
    say(t, "length only %d\n", (int)H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, 1, NULL, 0, H5P_DEFAULT));
    say(t, "delete %s\n", went(H5Ldelete_by_idx(at, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT)));
    iterate(t, at, H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, 0, 0);
    say(t, "value of a hard link %s\n", went(H5Lget_val(at, "alpha", name, sizeof name, H5P_DEFAULT)));
    H5Gclose(at);
}
ON_EVERY_KIND(by_index)

static void say_name(trial *t, hid_t id)
{
    char name[64] = "-";
    const ssize_t length = H5Iget_name(id, name, sizeof name);
    say(t, "  name %d %s\n", (int)length, length > 0 ? name : "");
}

static void moves(trial *t)
{
    make(t->file, "a");
    make(t->file, "a/b");
    make(t->file, "c");
    const hid_t b = H5Gopen2(t->file, "a/b", H5P_DEFAULT);
    say_name(t, b);
    say(t, "rename %s\n", went(H5Lmove(t->file, "a/b", H5L_SAME_LOC, "a/d", H5P_DEFAULT, H5P_DEFAULT)));
    say_name(t, b);
    say(t, "to another group %s\n", went(H5Lmove(t->file, "a/d", t->file, "c/e", H5P_DEFAULT, H5P_DEFAULT)));
    say_name(t, b);
    say(t, "parent %s\n", went(H5Lmove(t->file, "c", t->file, "f", H5P_DEFAULT, H5P_DEFAULT)));
    say_name(t, b);
    say(t, "onto another %s\n", went(H5Lmove(t->file, "a", t->file, "f", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "of nothing %s\n", went(H5Lmove(t->file, "nope", t->file, "g", H5P_DEFAULT, H5P_DEFAULT)));
    make(b, "below");
    say(t, "exists %d\n", H5Lexists(t->file, "f/e/below", H5P_DEFAULT));
    say(t, "delete %s\n", went(H5Ldelete(t->file, "f", H5P_DEFAULT)));
    say(t, "exists %d\n", H5Lexists(t->file, "f", H5P_DEFAULT));
    say(t, "delete again %s\n", went(H5Ldelete(t->file, "f", H5P_DEFAULT)));
    say(t, "delete root %s\n", went(H5Ldelete(t->file, "/", H5P_DEFAULT)));
    H5Gclose(b);
    reopen(t, H5F_ACC_RDONLY);
    say(t, "a %d c %d\n", H5Lexists(t->file, "a", H5P_DEFAULT), H5Lexists(t->file, "c", H5P_DEFAULT));
    say(t, "read-only delete %s\n", went(H5Ldelete(t->file, "a", H5P_DEFAULT)));
    say(t, "read-only move %s\n", went(H5Lmove(t->file, "a", t->file, "x", H5P_DEFAULT, H5P_DEFAULT)));
}
ON_EVERY_KIND(moves)

static void anonymous(trial *t)
{
    const hid_t made = H5Gcreate_anon(t->file, H5P_DEFAULT, H5P_DEFAULT);
    H5O_info2_t info;
    say(t, "made %s\n", went(made));
    say_name(t, made);
    say(t, "info %s", went(H5Oget_info3(made, &info, H5O_INFO_BASIC)));
    say(t, " rc %u\n", info.rc);
    say(t, "link %s\n", went(H5Olink(made, t->file, "named", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "info %s", went(H5Oget_info3(made, &info, H5O_INFO_BASIC)));
    say(t, " rc %u\n", info.rc);
    make(made, "below");
    H5Gclose(made);
    const hid_t lost = H5Gcreate_anon(t->file, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(lost);
    reopen(t, H5F_ACC_RDONLY);
    walk w = {.t = t};
    H5Lvisit2(t->file, H5_INDEX_NAME, H5_ITER_INC, tell_path, &w);
}
ON_EVERY_KIND(anonymous)

static void say_info(trial *t, const char *name)
{
    H5O_info2_t info;
    const herr_t got = H5Oget_info_by_name3(t->file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
    say(t, "  %s: %s", name, went(got));
    say(t, " rc %u exists %d\n", got < 0 ? 0 : info.rc, H5Lexists(t->file, name, H5P_DEFAULT));
}

/* f["x"] = f["_x"]; del f["_x"] */
static void rename_by_linking(trial *t)
{
    const char *const seen[] = {"_x", "x", "y", "g/z"};
    H5G_info_t group_info;
    make(t->file, "_x");
    make(t->file, "_x/below");
    make(t->file, "g");
    make(t->file, "x");
    H5Ldelete(t->file, "x", H5P_DEFAULT);
    const hid_t old = H5Gopen2(t->file, "_x", H5P_DEFAULT);
    say(t, "link %s\n", went(H5Olink(old, t->file, "x", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "taken %s\n", went(H5Olink(old, t->file, "x", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "taken %s\n", went(H5Gcreate2(t->file, "x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "third %s\n", went(H5Lcreate_hard(t->file, "x", t->file, "g/z", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "copy %s\n", went(H5Lcopy(t->file, "x", t->file, "y", H5P_DEFAULT, H5P_DEFAULT)));
    for (size_t i = 0; i < 4; i++)
        say_info(t, seen[i]);
    say(t, "through it %d\n", H5Lexists(t->file, "x/below", H5P_DEFAULT));
    H5Gget_info(t->file, &group_info);
    say(t, "links %d\n", (int)group_info.nlinks);
    iterate(t, t->file, H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0);
    iterate(t, t->file, H5_INDEX_NAME, H5_ITER_DEC, 1, 0, 0);
    say(t, "delete y %s\n", went(H5Ldelete(t->file, "y", H5P_DEFAULT)));
    say(t, "delete _x %s\n", went(H5Ldelete(t->file, "_x", H5P_DEFAULT)));
    for (size_t i = 0; i < 4; i++)
        say_info(t, seen[i]);
    say(t, "delete g %s\n", went(H5Ldelete(t->file, "g", H5P_DEFAULT)));
    for (size_t i = 0; i < 4; i++)
        say_info(t, seen[i]);
    H5Gclose(old);
    reopen(t, H5F_ACC_RDONLY);
    walk w = {.t = t};
    H5Lvisit2(t->file, H5_INDEX_NAME, H5_ITER_INC, tell_path, &w);
}
ON_EVERY_KIND(rename_by_linking)

/* Names go while they are being walked. */
static void deletion_in_a_walk(trial *t)
{
    const hid_t at = tracked_group(t->file, "g");
    for (const char *const *name = (const char *const[]){"d", "a", "c", "b", NULL}; *name; name++)
        make(at, *name);
    walk w = {.t = t, .deletes = true};
    say(t, "%s\n", went(H5Literate2(at, H5_INDEX_NAME, H5_ITER_INC, NULL, tell_link, &w)));
    H5G_info_t info;
    H5Gget_info(at, &info);
    say(t, "left %d\n", (int)info.nlinks);
    H5Gclose(at);
}
ON_EVERY_KIND(deletion_in_a_walk)

static void deprecated(trial *t)
{
    H5L_info1_t link;
    H5O_info1_t object;
    H5G_stat_t old;
    make(t->file, "a");
    say(t, "H5Lget_info1 %s", went(H5Lget_info1(t->file, "a", &link, H5P_DEFAULT)));
    say(t, " type %d\n", link.type);
    say(t, "H5Oget_info_by_name1 %s", went(H5Oget_info_by_name1(t->file, "a", &object, H5P_DEFAULT)));
    say(t, " type %d rc %u same address %d\n", object.type, object.rc, object.addr == link.u.address);
    say(t, "H5Gget_objinfo %s", went(H5Gget_objinfo(t->file, "a", 0, &old)));
    say(t, " type %d nlink %u same %d %d\n", old.type, old.nlink, old.objno[0] == object.addr,
        old.fileno[0] == object.fileno);
    const hid_t by_address = H5Oopen_by_addr(t->file, object.addr);
    say(t, "by address %s\n", went(by_address));
    say_name(t, by_address);
    H5Oclose(by_address);
    say(t, "by a wrong address %s\n", went(H5Oopen_by_addr(t->file, 12345)));
    hsize_t count = 0;
    say(t, "H5Gget_num_objs %s", went(H5Gget_num_objs(t->file, &count)));
    say(t, " %d\n", (int)count);
}

WITH_GATEWAY(deprecated)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(names),
        AS_NATIVE(intermediates),
        AS_NATIVE(intermediates_in_order),
        AS_NATIVE(iteration),
        AS_NATIVE(empty_group),
        AS_NATIVE(visits),
        AS_NATIVE(by_index),
        AS_NATIVE(moves),
        AS_NATIVE(anonymous),
        AS_NATIVE(deletion_in_a_walk),
        AS_NATIVE(rename_by_linking),
        AS_NATIVE(deprecated),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
