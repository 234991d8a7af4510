/* test_type_names_bytes.c - members of compounds and enumerations, and tags of opaque types, whose names are not UTF-8:
 * HDF5 takes any bytes, JSON and Zarr's dtypes do not. */
#include "both.h"

#define LATIN "na\xefve"

typedef struct inner {
    int32_t n;
    char *text;
} inner;

typedef struct record {
    int32_t a, b;
    inner in;
    int8_t colour;
    int32_t row[2];
} record;

static hid_t colours(void)
{
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    const int8_t values[] = {3, 1, -1};
    assert_true(H5Tenum_insert(type, "gr\xfcn", &values[0]) >= 0);
    assert_true(H5Tenum_insert(type, "blue", &values[1]) >= 0);
    assert_true(H5Tenum_insert(type, "gr%FCn", &values[2]) >= 0);
    return type;
}

static hid_t records(void)
{
    const hsize_t two = 2;
    const hid_t text = H5Tcopy(H5T_C_S1), in = H5Tcreate(H5T_COMPOUND, sizeof(inner)), colour = colours();
    assert_true(H5Tset_size(text, H5T_VARIABLE) >= 0 && H5Tset_cset(text, H5T_CSET_UTF8) >= 0);
    assert_true(H5Tinsert(in, "\xff", HOFFSET(inner, n), H5T_NATIVE_INT32) >= 0);
    assert_true(H5Tinsert(in, "t\xfe", HOFFSET(inner, text), text) >= 0);
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(record)), row = H5Tarray_create2(H5T_NATIVE_INT32, 1, &two);
    assert_true(H5Tinsert(type, LATIN, HOFFSET(record, a), H5T_NATIVE_INT32) >= 0);
    assert_true(H5Tinsert(type, "na%EFve", HOFFSET(record, b), H5T_NATIVE_INT32) >= 0); /* what the first one becomes */
    assert_true(H5Tinsert(type, "in", HOFFSET(record, in), in) >= 0);
    assert_true(H5Tinsert(type, "c\x80", HOFFSET(record, colour), colour) >= 0);
    assert_true(H5Tinsert(type, "row\xc3", HOFFSET(record, row), row) >= 0);
    H5Tclose(text);
    H5Tclose(in);
    H5Tclose(colour);
    H5Tclose(row);
    return type;
}

static void say_bytes(trial *t, const char *text)
{
    for (; *text; text++)
        say(t, (unsigned char)*text < 128 ? "%c" : "<%02x>", (unsigned char)*text);
    say(t, " ");
}

static void say_members(trial *t, hid_t type)
{
    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        say(t, "%d:", H5Tget_member_index(type, name));
        say_bytes(t, name);
        H5free_memory(name);
        if (H5Tget_class(type) != H5T_COMPOUND)
            continue;
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        if (H5Tget_class(member) == H5T_COMPOUND || H5Tget_class(member) == H5T_ENUM)
            say_members(t, member);
        H5Tclose(member);
    }
    say(t, "\n");
}

static void say_records(trial *t, hid_t type, record *r, size_t count)
{
    const hsize_t extent = count;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    for (size_t i = 0; i < count; i++)
        say(t, "%d %d %d '%s' %d %d %d\n", r[i].a, r[i].b, r[i].in.n, r[i].in.text ? r[i].in.text : "", r[i].colour,
            r[i].row[0], r[i].row[1]);
    H5Treclaim(type, space, H5P_DEFAULT, r);
    H5Sclose(space);
}

static void say_dataset(trial *t, const char *name)
{
    record r[3] = {0};
    const hid_t type = records(), set = H5Dopen2(t->file, name, H5P_DEFAULT), stored = H5Dget_type(set);
    say(t, "same %d\n", H5Tequal(type, stored));
    say_members(t, stored);
    say(t, "read %s\n", went(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r)));
    say_records(t, type, r, 3);
    H5Tclose(stored);
    H5Tclose(type);
    H5Dclose(set);
}

/* One member alone: fields are found by name. */
static void write_member(trial *t, const char *member, const int32_t values[3])
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *values), set = H5Dopen2(t->file, "d", H5P_DEFAULT);
    H5Tinsert(type, member, 0, H5T_NATIVE_INT32);
    say(t, "write one %s\n", went(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    H5Tclose(type);
    H5Dclose(set);
}

static void compounds(trial *t)
{
    record r[3] = {{1, 2, {3, "x"}, 1, {4, 5}}, {6, 7, {8, "longer"}, 3, {9, 10}}, {-1, -2, {0, ""}, -1, {0, 0}}};
    const hsize_t three = 3;
    const hid_t type = records(), space = H5Screate_simple(1, &three, NULL);
    const hid_t set = H5Dcreate2(t->file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "create %s\n", went(set));
    say(t, "write %s\n", went(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r)));
    const hid_t attribute = H5Acreate2(set, "a", type, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "attribute %s\n", went(H5Awrite(attribute, type, r)));
    H5Aclose(attribute);
    H5Dclose(set);
    say_dataset(t, "d");
    reopen(t, H5F_ACC_RDWR);
    say_dataset(t, "d");
    write_member(t, LATIN, (const int32_t[]){11, 12, 13});
    write_member(t, "na%EFve", (const int32_t[]){21, 22, 23});
    reopen(t, H5F_ACC_RDONLY);
    say_dataset(t, "d");
    memset(r, 0, sizeof r);
    const hid_t again = H5Aopen_by_name(t->file, "d", "a", H5P_DEFAULT, H5P_DEFAULT), stored = H5Aget_type(again);
    say(t, "same %d, read %s\n", H5Tequal(stored, type), went(H5Aread(again, type, r)));
    say_records(t, type, r, 3);
    H5Tclose(stored);
    H5Aclose(again);
    H5Sclose(space);
    H5Tclose(type);
}

static void put(trial *t, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(t->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%s: create %s, write %s\n", name, went(set),
        went(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value)));
    H5Dclose(set);
    H5Sclose(space);
}

static void say_type(trial *t, const char *name, hid_t type)
{
    const hid_t set = H5Dopen2(t->file, name, H5P_DEFAULT), stored = H5Dget_type(set);
    char value[16] = "";
    say(t, "%s: same %d, read %s", name, H5Tequal(stored, type),
        went(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value)));
    say(t, " %d %d %d\n", value[0], value[1], value[2]);
    H5Tclose(stored);
    H5Dclose(set);
}

static void others(trial *t)
{
    const hid_t colour = colours(), opaque = H5Tcreate(H5T_OPAQUE, 3);
    assert_true(H5Tset_tag(opaque, "t\xe4g") >= 0);
    put(t, "colour", colour, &(const int8_t){3});
    put(t, "opaque", opaque, "\1\2\3");
    say(t, "commit %s\n", went(H5Tcommit2(t->file, "t", colour, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Tclose(colour);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t committed = H5Topen2(t->file, "t", H5P_DEFAULT);
    say_type(t, "colour", committed);
    say_members(t, committed);
    say_type(t, "opaque", opaque);
    H5Tclose(committed);
    H5Tclose(opaque);
}

ON_EVERY_KIND(compounds)
ON_EVERY_KIND(others)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(compounds), AS_NATIVE(others)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
