/* test_attribute.c - H5A: one attribute and the list of them, by name and by index. Values have tests of their own. */
#include "both.h"

static hid_t scalar(void)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    assert_true(space >= 0);
    return space;
}

static void make(hid_t at, const char *name, int value)
{
    const hid_t space = scalar(), attr = H5Acreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT, &value) >= 0);
    H5Aclose(attr);
    H5Sclose(space);
}

static hid_t tracked_group(hid_t at, const char *name)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    assert_true(id >= 0);
    return id;
}

static void say_value(trial *t, hid_t attr)
{
    char name[32] = "";
    int value = -1;
    H5A_info_t info;
    say(t, " %s", went(attr));
    if (attr >= 0) {
        say(t, " name %d %s", (int)H5Aget_name(attr, sizeof name, name), name);
        say(t, " read %s", went(H5Aread(attr, H5T_NATIVE_INT, &value)));
        say(t, " %d info %s", value, went(H5Aget_info(attr, &info)));
        say(t, " size %d %d\n", (int)info.data_size, (int)H5Aget_storage_size(attr));
        H5Aclose(attr);
    } else
        say(t, "\n");
}

static void one(trial *t)
{
    char name[32] = "";
    const hid_t g = tracked_group(t->file, "g"), space = scalar();
    hid_t attr = H5Acreate2(g, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "before a value");
    const hid_t type = H5Aget_type(attr), its_space = H5Aget_space(attr);
    say(t, " class %d size %d", H5Tget_class(type), (int)H5Tget_size(type));
    say(t, " rank %d\n", H5Sget_simple_extent_ndims(its_space));
    H5Tclose(type);
    H5Sclose(its_space);
    int value = 7;
    H5Awrite(attr, H5T_NATIVE_INT, &value);
    say(t, "object of it %d", (int)H5Iget_name(attr, name, sizeof name));
    say(t, " %s\n", name);
    const hid_t file = H5Iget_file_id(attr);
    say(t, "file of it %d\n", file == t->file);
    H5Fclose(file);
    say_value(t, attr);
    say(t, "again %s\n", went(H5Acreate2(g, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "by name %s\n",
        went(attr =
                 H5Acreate_by_name(t->file, "g", "b", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Awrite(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    reopen(t, H5F_ACC_RDWR);
    say_value(t, H5Aopen_by_name(t->file, "g", "a", H5P_DEFAULT, H5P_DEFAULT));
    say_value(t, H5Aopen_by_name(t->file, "g", "nope", H5P_DEFAULT, H5P_DEFAULT));
    say_value(t, H5Aopen_by_name(t->file, "nope", "a", H5P_DEFAULT, H5P_DEFAULT));
    say_value(t, H5Aopen(g, "b", H5P_DEFAULT));
    say(t, "exists %d %d", H5Aexists(g, "a"), H5Aexists(g, "nope"));
    say(t, " %d\n", H5Aexists_by_name(t->file, "g", "b", H5P_DEFAULT));
    H5Sclose(space);
    H5Gclose(g);
}
ON_EVERY_KIND(one)

static void deletes_and_renames(trial *t)
{
    const hid_t g = tracked_group(t->file, "g");
    make(g, "a", 1);
    make(g, "b", 2);
    make(g, "c", 3);
    say(t, "rename %s\n", went(H5Arename(g, "b", "d")));
    say_value(t, H5Aopen(g, "d", H5P_DEFAULT));
    say(t, "onto another %s\n", went(H5Arename(g, "a", "c")));
    say(t, "of nothing %s\n", went(H5Arename(g, "b", "e")));
    const hid_t open = H5Aopen(g, "c", H5P_DEFAULT);
    say(t, "by name %s\n", went(H5Arename_by_name(t->file, "g", "c", "e", H5P_DEFAULT)));
    say(t, "the open one");
    say_value(t, open);
    say(t, "delete %s\n", went(H5Adelete(g, "a")));
    say(t, "again %s\n", went(H5Adelete(g, "a")));
    say(t, "by name %s\n", went(H5Adelete_by_name(t->file, "g", "e", H5P_DEFAULT)));
    say(t, "left %d %d %d %d %d\n", H5Aexists(g, "a"), H5Aexists(g, "b"), H5Aexists(g, "c"), H5Aexists(g, "d"),
        H5Aexists(g, "e"));
    H5Gclose(g);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Gopen2(t->file, "g", H5P_DEFAULT), space = scalar();
    say(t, "read-only create %s\n", went(H5Acreate2(again, "z", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "read-only delete %s\n", went(H5Adelete(again, "d")));
    say(t, "read-only rename %s\n", went(H5Arename(again, "d", "y")));
    const hid_t attr = H5Aopen(again, "d", H5P_DEFAULT);
    int value = 0;
    H5Aread(attr, H5T_NATIVE_INT, &value);
    say(t, "value %d, read-only write %s\n", value, went(H5Awrite(attr, H5T_NATIVE_INT, &value)));
    H5Aclose(attr);
    H5Sclose(space);
    H5Gclose(again);
}
ON_EVERY_KIND(deletes_and_renames)

typedef struct walk {
    trial *t;
    int calls, stop_at, value;
} walk;

static herr_t tell(hid_t at, const char *name, const H5A_info_t *info, void *data)
{
    walk *w = data;
    say(w->t, "  %s cset %d exists %d\n", name, info->cset, H5Aexists(at, name));
    return ++w->calls == w->stop_at ? w->value : 0;
}

static herr_t tell_old(hid_t at, const char *name, void *data)
{
    walk *w = data;
    say(w->t, "  %s exists %d\n", name, H5Aexists(at, name));
    return ++w->calls == w->stop_at ? w->value : 0;
}

static void iterate(trial *t, hid_t at, H5_index_t index, H5_iter_order_t order, hsize_t from, int stop_at, int value)
{
    walk w = {.t = t, .stop_at = stop_at, .value = value};
    hsize_t position = from;
    say(t, "iterate index %d order %d from %d\n", index, order, (int)from);
    const herr_t status = H5Aiterate2(at, index, order, &position, tell, &w);
    say(t, "  = %d calls %d position %d\n", status < 0 ? -1 : status, w.calls, status < 0 ? -1 : (int)position);
}

static void iteration(trial *t)
{
    walk w = {.t = t};
    const hid_t g = tracked_group(t->file, "g");
    iterate(t, g, H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0);
    for (const char *const *name = (const char *const[]){"delta", "alpha", "charlie", "bravo", NULL}; *name; name++)
        make(g, *name, 1);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++)
            for (int from = 0; from < 6; from++)
                iterate(t, g, index, order, (hsize_t)from, 2, 7);
    iterate(t, g, H5_INDEX_NAME, H5_ITER_INC, 0, 3, -1);
    say(t, "by name %s\n",
        went(H5Aiterate_by_name(t->file, "g", H5_INDEX_NAME, H5_ITER_INC, NULL, tell, &w, H5P_DEFAULT)));
    unsigned position = 1;
    w.stop_at = w.calls + 2, w.value = 5;
    say(t, "old\n");
    say(t, "  = %d", H5Aiterate1(g, &position, tell_old, &w));
    say(t, " position %u\n", position);
    say(t, "count %d\n", H5Aget_num_attrs(g));
    H5Gclose(g);
}
ON_EVERY_KIND(iteration)

static void by_index(trial *t)
{
    char name[16];
    H5A_info_t info;
    const hid_t g = tracked_group(t->file, "g");
    make(g, "delta", 1);
    make(g, "alpha", 2);
    make(g, "charlie", 3);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++)
        for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++)
            for (hsize_t n = 0; n < 4; n++) {
                strcpy(name, "-");
                const ssize_t length = H5Aget_name_by_idx(t->file, "g", index, order, n, name, 4, H5P_DEFAULT);
                say(t, "%d %d %d: %d %s", index, order, (int)n, (int)length, length < 0 ? "" : name);
                say(t, " info %s", went(H5Aget_info_by_idx(t->file, "g", index, order, n, &info, H5P_DEFAULT)));
                say_value(t, H5Aopen_by_idx(t->file, "g", index, order, n, H5P_DEFAULT, H5P_DEFAULT));
            }
    say(t, "length only %d\n", (int)H5Aget_name_by_idx(g, ".", H5_INDEX_NAME, H5_ITER_INC, 0, NULL, 0, H5P_DEFAULT));
    say(t, "delete %s\n", went(H5Adelete_by_idx(t->file, "g", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT)));
    say(t, "delete %s\n", went(H5Adelete_by_idx(g, ".", H5_INDEX_NAME, H5_ITER_DEC, 5, H5P_DEFAULT)));
    iterate(t, g, H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0);
    say(t, "info by name %s\n", went(H5Aget_info_by_name(t->file, "g", "alpha", &info, H5P_DEFAULT)));
    say(t, "info by name %s\n", went(H5Aget_info_by_name(t->file, "g", "delta", &info, H5P_DEFAULT)));
    H5Gclose(g);
}
ON_EVERY_KIND(by_index)

/* Every name by index, in both orders. */
static void say_names(trial *t, hid_t at)
{
    H5O_info2_t info = {0};
    char name[20];
    assert_true(H5Oget_info3(at, &info, H5O_INFO_NUM_ATTRS) >= 0);
    for (int index = H5_INDEX_NAME; index <= H5_INDEX_CRT_ORDER; index++) {
        for (hsize_t i = 0; i < info.num_attrs; i++) {
            assert_true(H5Aget_name_by_idx(at, ".", (H5_index_t)index, i % 2 ? H5_ITER_INC : H5_ITER_DEC, i, name,
                                           sizeof name, H5P_DEFAULT) >= 0);
            say(t, "%s ", name);
        }
        say(t, "\n");
    }
}

static void many(trial *t)
{
    enum { COUNT = 40 };
    char name[20], other[20];
    const hid_t g = tracked_group(t->file, "g");
    say_names(t, g);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "a%02d", i * 7 % COUNT);
        make(g, name, i);
        if (i % 10 == 0)
            say_names(t, g);
    }
    for (int i = 0; i < COUNT; i += 3) {
        snprintf(name, sizeof name, "a%02d", i);
        snprintf(other, sizeof other, "%c%02d", i % 2 ? '0' : 'z', i);
        say(t, "%s", went(H5Arename(g, name, other)));
    }
    say_names(t, g);
    for (int i = 0; i < COUNT; i += 2) {
        say(t, "%s",
            went(H5Adelete_by_idx(t->file, "g", i % 4 ? H5_INDEX_NAME : H5_INDEX_CRT_ORDER,
                                  i % 3 ? H5_ITER_INC : H5_ITER_DEC, (hsize_t)(i % 5), H5P_DEFAULT)));
        say_names(t, g);
    }
    H5Gclose(g);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say_names(t, again);
    make(again, "first", 1);
    say_names(t, again);
    H5Gclose(again);
}
ON_EVERY_KIND(many)

/* Any bytes are a name; so are those that the conventions of Zarr have taken. */
static void odd_names(trial *t)
{
    static const char *const odd[] = {"b\xff\xfe", "zarr_dtype",   "b%FF%FE", "\xff",     "_HDF5",  "zarr_link",
                                      "plain",     "%7Aarr_dtype", "%FF",     "\xc0\x80", "_LINKS", "caf\xc3\xa9"};
    enum { COUNT = sizeof odd / sizeof *odd };
    hid_t g = tracked_group(t->file, "g");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            if (round == 0)
                make(g, odd[i], i);
            say(t, "%d %s", H5Aexists(g, odd[i]),
                went(H5Acreate2(g, odd[i], H5T_NATIVE_INT, H5S_ALL, H5P_DEFAULT, H5P_DEFAULT)));
            const hid_t attr = H5Aopen(g, odd[i], H5P_DEFAULT);
            assert_true(attr >= 0);
            say_value(t, attr);
            H5Aclose(attr);
            say_names(t, g);
        }
        H5Gclose(g);
        reopen(t, H5F_ACC_RDWR);
        g = H5Gopen2(t->file, "g", H5P_DEFAULT);
    }
    for (int i = 0; i < COUNT; i++) {
        char to[20];
        snprintf(to, sizeof to, "%c%s", i % 2 ? '\xfd' : 'x', odd[i]);
        say(t, "%s", went(H5Arename(g, odd[i], i % 3 ? to : odd[(i + 1) % COUNT])));
        say(t, "%s", went(H5Arename(g, odd[i], "\xfb")));
        say(t, "%s %d\n", went(H5Adelete(g, i % 4 ? to : "\xfb")), H5Aexists(g, odd[i]));
        say_names(t, g);
    }
    H5Gclose(g);
    reopen(t, H5F_ACC_RDONLY);
    g = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say_names(t, g);
    H5Gclose(g);
}
ON_EVERY_KIND(odd_names)

static void character_sets(trial *t)
{
    H5T_cset_t cset;
    const hid_t acpl = H5Pcreate(H5P_ATTRIBUTE_CREATE), space = scalar();
    for (int i = H5T_CSET_ASCII; i <= H5T_CSET_UTF8; i++) {
        H5Pset_char_encoding(acpl, i);
        const hid_t attr = H5Acreate2(t->file, i ? "\xc3\xa4" : "a", H5T_NATIVE_INT, space, acpl, H5P_DEFAULT);
        const hid_t list = H5Aget_create_plist(attr);
        H5Pget_char_encoding(list, &cset);
        say(t, "%d: %d\n", i, cset);
        H5Pclose(list);
        H5Aclose(attr);
    }
    reopen(t, H5F_ACC_RDONLY);
    iterate(t, t->file, H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0);
    H5Sclose(space);
    H5Pclose(acpl);
}
ON_EVERY_KIND(character_sets)

/* A record of which a program wants the number alone: the reference is none of its business. */
typedef struct record {
    int number;
    hobj_ref_t to;
} record;

static void say_record(trial *t, hid_t attr, hid_t type)
{
    record r = {-1, 0};
    char name[32] = "";
    say(t, "read %s", went(H5Aread(attr, type, &r)));
    const hid_t target = H5Rdereference2(t->file, H5P_DEFAULT, H5R_OBJECT, &r.to);
    say(t, " %d leads to %s", r.number, went(target));
    if (target >= 0) {
        H5Iget_name(target, name, sizeof name);
        say(t, " %s", name);
        H5Oclose(target);
    }
    say(t, "\n");
}

static void part_of_a_record(trial *t)
{
    const hid_t g = tracked_group(t->file, "g"), space = scalar();
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(record)), part = H5Tcreate(H5T_COMPOUND, sizeof(int));
    H5Tinsert(type, "number", HOFFSET(record, number), H5T_NATIVE_INT);
    H5Tinsert(type, "to", HOFFSET(record, to), H5T_STD_REF_OBJ);
    H5Tinsert(part, "number", 0, H5T_NATIVE_INT);
    record whole = {5, 0};
    say(t, "refer %s\n", went(H5Rcreate(&whole.to, t->file, "g", H5R_OBJECT, -1)));
    hid_t attr = H5Acreate2(g, "r", type, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "write %s\n", went(H5Awrite(attr, type, &whole)));
    say_record(t, attr, type);
    int number = -1;
    say(t, "read the number %s", went(H5Aread(attr, part, &number)));
    say(t, " %d\n", number++);
    say(t, "write the number %s\n", went(H5Awrite(attr, part, &number)));
    say_record(t, attr, type);
    H5Aclose(attr);
    H5Gclose(g);
    reopen(t, H5F_ACC_RDONLY);
    attr = H5Aopen_by_name(t->file, "g", "r", H5P_DEFAULT, H5P_DEFAULT);
    say_record(t, attr, type);
    say(t, "read the number %s", went(H5Aread(attr, part, &number)));
    say(t, " %d\n", number);
    H5Aclose(attr);
    H5Tclose(part);
    H5Tclose(type);
    H5Sclose(space);
}
WITH_GATEWAY(part_of_a_record)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(one),       AS_NATIVE(deletes_and_renames), AS_NATIVE(iteration),
        AS_NATIVE(by_index),  AS_NATIVE(character_sets),      AS_NATIVE(many),
        AS_NATIVE(odd_names), AS_NATIVE(part_of_a_record),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
