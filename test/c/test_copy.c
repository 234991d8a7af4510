/* test_copy.c - H5Ocopy: within a file, between files, and between files of both kinds. */
#include "both.h"

/* ---- something to copy ---- */

static void text_attribute(hid_t at, const char *name, const char *text)
{
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t attr = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attr, type, &text) >= 0);
    H5Aclose(attr);
    H5Tclose(type);
    H5Sclose(space);
}

static void int_attribute(hid_t at, const char *name, int value)
{
    const hsize_t dims[] = {2};
    const int values[] = {value, -value};
    const hid_t space = H5Screate_simple(1, dims, NULL);
    const hid_t attr = H5Acreate2(at, name, H5T_STD_I16BE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT, values) >= 0);
    H5Aclose(attr);
    H5Sclose(space);
}

static void numbers(hid_t at, const char *name, bool chunked)
{
    enum { ROWS = 20, COLUMNS = 30 };
    const hsize_t dims[] = {ROWS, COLUMNS}, most[] = {H5S_UNLIMITED, COLUMNS}, chunk[] = {7, 8};
    static int values[ROWS][COLUMNS];
    const int fill = 7;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i / COLUMNS][i % COLUMNS] = i * i;
    const hid_t space = H5Screate_simple(2, dims, chunked ? most : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (chunked) {
        H5Pset_chunk(dcpl, 2, chunk);
        H5Pset_deflate(dcpl, 3);
    }
    const hid_t dset = H5Dcreate2(at, name, H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    int_attribute(dset, "on data", 300);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void texts(hid_t at, const char *name)
{
    const hsize_t dims[] = {3};
    const char *const values[] = {"one", "", "drei\xc3\xa4"};
    const hid_t space = H5Screate_simple(1, dims, NULL), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t dset = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dset);
    H5Tclose(type);
    H5Sclose(space);
}

static void sequences(hid_t at, const char *name)
{
    const hsize_t dims[] = {2};
    int16_t first[] = {1, 2, 3};
    const hvl_t values[] = {{3, first}, {0, NULL}};
    const hid_t space = H5Screate_simple(1, dims, NULL), type = H5Tvlen_create(H5T_NATIVE_INT16);
    const hid_t dset = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dset);
    H5Tclose(type);
    H5Sclose(space);
}

static hid_t group(hid_t at, const char *name, bool tracked)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    if (tracked)
        H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    assert_true(id >= 0);
    return id;
}

static void nothing(hid_t at, const char *name)
{
    const hid_t space = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(at, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void zoo(hid_t file)
{
    const hid_t g = group(file, "g", true), below = group(g, "z below", false), deep = group(below, "deep", false);
    text_attribute(g, "title", "a group");
    int_attribute(g, "count", 5);
    numbers(g, "numbers", true);
    numbers(g, "contiguous", false);
    texts(below, "texts");
    sequences(below, "sequences");
    nothing(deep, "null");
    H5Gclose(deep);
    H5Gclose(below);
    H5Gclose(g);
}

/* ---- what is there ---- */

static void say_elements(trial *t, hid_t dset)
{
    const hid_t type = H5Dget_type(dset), space = H5Dget_space(dset);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    unsigned char *values = calloc(count ? (size_t)count : 1, size);
    say(t, " class %d %d elements:", H5Tget_class(type), (int)count);
    say(t, " %s", went(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    if (H5Tis_variable_str(type) > 0)
        for (hssize_t i = 0; i < count; i++)
            say(t, " \"%s\"", ((char **)values)[i] ? ((char **)values)[i] : "(null)");
    else if (H5Tget_class(type) == H5T_VLEN)
        for (hssize_t i = 0; i < count; i++)
            say(t, " %d of %d", (int)((hvl_t *)values)[i].len,
                ((hvl_t *)values)[i].len ? *(int16_t *)((hvl_t *)values)[i].p : 0);
    else {
        unsigned long sum = 5381;
        for (size_t i = 0; i < (size_t)count * size; i++)
            sum = sum * 33 + values[i];
        say(t, " %lx", sum);
    }
    if (count > 0)
        H5Treclaim(type, space, H5P_DEFAULT, values);
    say(t, "\n");
    free(values);
    H5Tclose(type);
    H5Sclose(space);
}

static herr_t say_attribute(hid_t at, const char *name, const H5A_info_t *info, void *context)
{
    (void)info;
    const hid_t attr = H5Aopen(at, name, H5P_DEFAULT), type = H5Aget_type(attr);
    int values[2] = {0};
    say(context, "    @%s class %d size %d", name, H5Tget_class(type), (int)H5Tget_size(type));
    if (H5Tget_class(type) == H5T_INTEGER && H5Aread(attr, H5T_NATIVE_INT, values) >= 0)
        say(context, " %d %d", values[0], values[1]);
    say(context, "\n");
    H5Tclose(type);
    H5Aclose(attr);
    return 0;
}

static herr_t say_object(hid_t at, const char *name, const H5O_info2_t *info, void *context)
{
    trial *t = context;
    say(t, "  %s type %d rc %u\n", name, info->type, info->rc);
    const hid_t id = H5Oopen(at, name, H5P_DEFAULT);
    if (info->type == H5O_TYPE_DATASET)
        say_elements(t, id);
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, NULL, say_attribute, t);
    H5Oclose(id);
    return 0;
}

static herr_t say_link(hid_t at, const char *name, const H5L_info2_t *info, void *context)
{
    (void)at;
    say(context, " %s(%d)", name, (int)info->corder);
    return 0;
}

static void say_all(trial *t, hid_t file, const char *name)
{
    say(t, "%s:\n", name);
    const hid_t id = H5Oopen(file, name, H5P_DEFAULT);
    if (id < 0) {
        say(t, " is not there\n");
        return;
    }
    assert_true(H5Ovisit3(id, H5_INDEX_NAME, H5_ITER_INC, say_object, t, H5O_INFO_BASIC) >= 0);
    if (H5Iget_type(id) == H5I_GROUP) {
        say(t, " by creation:");
        say(t, " %s\n", went(H5Literate2(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, say_link, t)));
    }
    H5Oclose(id);
}

/* ---- scenarios ---- */

static void within(trial *t)
{
    zoo(t->file);
    say(t, "group %s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "dataset %s\n", went(H5Ocopy(t->file, "g/numbers", t->file, "n", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "taken %s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "missing %s\n", went(H5Ocopy(t->file, "nope", t->file, "x", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "no group %s\n", went(H5Ocopy(t->file, "g", t->file, "x/y/z", H5P_DEFAULT, H5P_DEFAULT)));
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    say(t, "made on the way %s\n", went(H5Ocopy(t->file, "g", t->file, "x/y/z", H5P_DEFAULT, lcpl)));
    H5Pclose(lcpl);
    say(t, "into itself %s\n", went(H5Ocopy(t->file, "g", t->file, "g/self", H5P_DEFAULT, H5P_DEFAULT)));
    const hid_t g = H5Gopen2(t->file, "g", H5P_DEFAULT);
    say(t, "itself %s\n", went(H5Ocopy(g, ".", t->file, "dot", H5P_DEFAULT, H5P_DEFAULT)));
    H5Gclose(g);
    say_all(t, t->file, "/");
    reopen(t, H5F_ACC_RDWR);
    say_all(t, t->file, "copy");
    say_all(t, t->file, "x/y/z");
    /* the copy is another object */
    H5Ldelete(t->file, "g", H5P_DEFAULT);
    int_attribute(t->file, "still", 1);
    say_all(t, t->file, "copy");
    say_all(t, t->file, "n");
    say_all(t, t->file, "dot");
}
ON_EVERY_KIND(within)

static void flags(trial *t)
{
    static const struct {
        unsigned flag;
        const char *name;
    } wishes[] = {
        {H5O_COPY_SHALLOW_HIERARCHY_FLAG, "shallow"},
        {H5O_COPY_WITHOUT_ATTR_FLAG, "bare"},
        {H5O_COPY_SHALLOW_HIERARCHY_FLAG | H5O_COPY_WITHOUT_ATTR_FLAG, "both"},
    };
    zoo(t->file);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        const hid_t list = H5Pcreate(H5P_OBJECT_COPY);
        H5Pset_copy_object(list, wishes[i].flag);
        say(t, "%s %s\n", wishes[i].name, went(H5Ocopy(t->file, "g", t->file, wishes[i].name, list, H5P_DEFAULT)));
        H5Pclose(list);
        say_all(t, t->file, wishes[i].name);
    }
    reopen(t, H5F_ACC_RDONLY);
    say(t, "read-only %s\n", went(H5Ocopy(t->file, "g", t->file, "late", H5P_DEFAULT, H5P_DEFAULT)));
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        say_all(t, t->file, wishes[i].name);
}
ON_EVERY_KIND(flags)

/* Data that is not yet written, data that was, and what is cached of both. */
static void fresh(trial *t)
{
    numbers(t->file, "d", true);
    H5Fflush(t->file, H5F_SCOPE_LOCAL);
    const hid_t d = H5Dopen2(t->file, "d", H5P_DEFAULT);
    const hsize_t size[] = {25, 30}, at[] = {3, 4}, one[] = {1, 1};
    const int value = -5;
    H5Dset_extent(d, size);
    const hid_t space = H5Dget_space(d), scalar = H5Screate(H5S_SCALAR);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    H5Dwrite(d, H5T_NATIVE_INT, scalar, space, H5P_DEFAULT, &value);
    say(t, "open %s\n", went(H5Ocopy(d, ".", t->file, "e", H5P_DEFAULT, H5P_DEFAULT)));
    H5Sclose(space);
    H5Sclose(scalar);
    H5Dclose(d);
    say_all(t, t->file, "/");
    reopen(t, H5F_ACC_RDONLY);
    say_all(t, t->file, "/");
}
ON_EVERY_KIND(fresh)

static void several_names(trial *t)
{
    hid_t g = group(t->file, "g", false);
    numbers(g, "a", false);
    H5Lcreate_hard(g, "a", g, "b", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(g);
    say(t, "%s\n", went(H5Ocopy(t->file, "g", t->file, "h", H5P_DEFAULT, H5P_DEFAULT)));
    say_all(t, t->file, "h");
    H5Ldelete(t->file, "g/b", H5P_DEFAULT);
    H5Ldelete(t->file, "h/b", H5P_DEFAULT);
}
ON_EVERY_KIND(several_names)

static void say_kinds(trial *t, const char *path)
{
    static const char *const names[] = {"to a", "to nothing", "outside", "user"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char whole[100], value[100] = "";
        H5L_info2_t info = {0};
        snprintf(whole, sizeof whole, "%s/%s", path, names[i]);
        say(t, " %s %s", whole, went(H5Lget_info2(t->file, whole, &info, H5P_DEFAULT)));
        say(t, " type %d", info.type);
        if (info.type != H5L_TYPE_HARD && H5Lget_val(t->file, whole, value, sizeof value, H5P_DEFAULT) >= 0)
            say(t, " value of %d: %s", (int)info.u.val_size, info.type == H5L_TYPE_SOFT ? value : value + 1);
        say(t, "\n");
    }
}

/* Links that are no objects' names are copied as they are, or by what they lead to. */
static void links(trial *t)
{
    const unsigned wishes[] = {0, H5O_COPY_EXPAND_SOFT_LINK_FLAG, H5O_COPY_EXPAND_EXT_LINK_FLAG};
    const hid_t g = group(t->file, "g", false);
    numbers(t->file, "a", false);
    H5Lcreate_soft("/a", g, "to a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", g, "to nothing", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("no such file", "/x", g, "outside", H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", i);
        const hid_t list = H5Pcreate(H5P_OBJECT_COPY);
        H5Pset_copy_object(list, wishes[i]);
        say(t, "%s %s\n", name, went(H5Ocopy(t->file, "g", t->file, name, list, H5P_DEFAULT)));
        H5Pclose(list);
        say_kinds(t, name);
    }
    say(t, "through a link %s\n", went(H5Ocopy(t->file, "g/to a", t->file, "through", H5P_DEFAULT, H5P_DEFAULT)));
    say_all(t, t->file, "through");
    H5Gclose(g);
}
ON_EVERY_KIND(links)

/* A group that is a member of its own member. */
static void cycle(trial *t)
{
    const hid_t g = group(t->file, "g", false), h = group(g, "h", false);
    H5Lcreate_hard(t->file, "g", h, "up", H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%s\n", went(H5Ocopy(t->file, "g", t->file, "c", H5P_DEFAULT, H5P_DEFAULT)));
    say_all(t, t->file, "c");
    H5Gclose(h);
    H5Gclose(g);
}
ON_EVERY_KIND(cycle)

/* What is copied is met again below another group that leads up, and that group twice. */
static void cycle_by_the_root(trial *t)
{
    const hid_t g = group(t->file, "g", false), x = group(t->file, "x", false);
    H5Lcreate_hard(t->file, "/", g, "up", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(t->file, "/", x, "up", H5P_DEFAULT, H5P_DEFAULT);
    numbers(x, "d", true);
    H5Gclose(g);
    H5Gclose(x);
    say(t, "%s\n", went(H5Ocopy(t->file, "g", t->file, "c", H5P_DEFAULT, H5P_DEFAULT)));
    reopen(t, H5F_ACC_RDWR);
    say_all(t, t->file, "c");
    static const char *const same[][2] = {{"c", "c/up/g"}, {"c/up", "c/up/x/up"}, {"c/up/g/up/x/d", "c/up/x/d"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        H5O_info2_t one, two;
        assert_true(H5Oget_info_by_name3(t->file, same[i][0], &one, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
        assert_true(H5Oget_info_by_name3(t->file, same[i][1], &two, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
        say(t, "%d %u %u\n", memcmp(&one.token, &two.token, sizeof one.token) == 0, one.rc, two.rc);
    }
}
ON_EVERY_KIND(cycle_by_the_root)

/* ---- between files ---- */

static hid_t second_file(trial *t, kind k, char path[160])
{
    snprintf(path, 160, "%s/second-%d", t->directory, k);
    const hid_t fapl = access_list(k == WRAPPED ? NATIVE : k);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    if (k != WRAPPED)
        return file;
    H5Fclose(file);
    return H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
}

static void to_second(trial *t, kind k)
{
    char path[160];
    const hid_t other = second_file(t, k, path);
    assert_true(other >= 0);
    zoo(t->file);
    say(t, "group %s\n", went(H5Ocopy(t->file, "g", other, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "dataset %s\n", went(H5Ocopy(t->file, "g/z below/texts", other, "copy/t", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "taken %s\n", went(H5Ocopy(t->file, "g", other, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say_all(t, other, "/");
    say(t, "and back %s\n", went(H5Ocopy(other, "/copy", t->file, "/back", H5P_DEFAULT, H5P_DEFAULT)));
    H5Fclose(other);
    reopen(t, H5F_ACC_RDONLY);
    say_all(t, t->file, "back");
}

static void same_kind(trial *t)
{
    to_second(t, t->kind);
}
ON_EVERY_KIND(same_kind)

static void other_kind(trial *t)
{
    to_second(t, t->kind == NATIVE ? NATIVE : t->kind == ZARR ? WRAPPED : ZARR);
}
WITH_GATEWAY(other_kind)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(within),
                                       AS_NATIVE(flags),
                                       AS_NATIVE(fresh),
                                       AS_NATIVE(several_names),
                                       AS_NATIVE(links),
                                       AS_NATIVE(cycle),
                                       AS_NATIVE(cycle_by_the_root),
                                       AS_NATIVE(same_kind),
                                       AS_NATIVE(other_kind)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
