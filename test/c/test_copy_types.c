/* Committed datatypes and H5Ocopy: copied along with what uses them, or merged with equal ones. Each scenario copies
 * into a second file. */
#include "both.h"

static hid_t second_file(trial *t)
{
    char path[160];
    snprintf(path, sizeof path, "%s2", t->path);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    assert_true(file >= 0);
    return file;
}

static hid_t pair_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "a", 0, H5T_NATIVE_INT);
    H5Tinsert(type, "b", 4, H5T_NATIVE_FLOAT);
    return type;
}

static void commit(hid_t at, const char *name)
{
    const hid_t type = pair_type();
    assert_true(H5Tcommit2(at, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Tclose(type);
}

static void fill(hid_t file)
{
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    commit(group, "t");
    const hid_t type = H5Topen2(group, "t", H5P_DEFAULT);
    const hid_t dataset = H5Dcreate2(group, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const struct {
        int a;
        float b;
    } pair = {3, 4.5f};
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pair);
    H5Aclose(H5Acreate2(dataset, "of type", type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Aclose(H5Acreate2(type, "on type", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(dataset);
    H5Tclose(type);
    H5Sclose(space);
    H5Gclose(group);
}

/* Native gives such a type the path of the one that was copied: its token tells which it is. */
static void say_which(trial *t, hid_t file, hid_t type, const char *path)
{
    H5O_info2_t is = {0}, wanted = {0};
    int order = -1;
    say(t, "type: committed %d", H5Tcommitted(type));
    if (path && H5Tcommitted(type) > 0 && H5Oget_info3(type, &is, H5O_INFO_BASIC) >= 0 &&
        H5Oget_info_by_name3(file, path, &wanted, H5O_INFO_BASIC, H5P_DEFAULT) >= 0)
        H5Otoken_cmp(file, &is.token, &wanted.token, &order);
    say(t, "%s\n", order == 0 ? " the one expected" : "");
    H5Tclose(type);
}

/* With the number of the attributes of the type, and its reference count. */
static void say_type(trial *t, hid_t file, const char *path)
{
    H5O_info2_t info = {0};
    const herr_t status = H5Oget_info_by_name3(file, path, &info, H5O_INFO_ALL, H5P_DEFAULT);
    say(t, "%s: %s %d attributes %d references %u\n", path, went(status), (int)info.type, (int)info.num_attrs, info.rc);
}

static void say_users(trial *t, hid_t file, const char *path, const char *type)
{
    int a = 0;
    const hid_t memory = H5Tcreate(H5T_COMPOUND, sizeof a), dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t attribute = H5Aopen(dataset, "of type", H5P_DEFAULT);
    H5Tinsert(memory, "a", 0, H5T_NATIVE_INT);
    say(t, "%s: %s", path, went(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &a)));
    say(t, " %d\n", a);
    const hid_t types[] = {H5Dget_type(dataset), H5Aget_type(attribute)};
    say(t, "equal %d\n", H5Tequal(types[0], types[1]));
    for (int i = 0; i < 2; i++)
        say_which(t, file, types[i], type);
    H5Aclose(attribute);
    H5Dclose(dataset);
    H5Tclose(memory);
}

static void with_the_group(trial *t)
{
    fill(t->file);
    hid_t to = second_file(t);
    say(t, "%s\n", went(H5Ocopy(t->file, "g", to, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "%s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say_type(t, to, "copy/t");
    say_users(t, to, "copy/d", "copy/t");
    say_type(t, t->file, "g/t");
    say_type(t, t->file, "copy/t");
    say_users(t, t->file, "copy/d", "copy/t");
    H5Fclose(to);
    reopen(t, H5F_ACC_RDONLY);
    say_type(t, t->file, "copy/t");
    say_users(t, t->file, "copy/d", "copy/t");
}

static void dataset_alone(trial *t)
{
    fill(t->file);
    const hid_t to = second_file(t);
    say(t, "%s\n", went(H5Ocopy(t->file, "g/d", to, "d", H5P_DEFAULT, H5P_DEFAULT)));
    say_users(t, to, "d", NULL);
    H5Fclose(to);
}

/* Native counts no attribute that was copied among the users of a merged type. */
static void say_merged(trial *t, hid_t file, const char *path)
{
    H5O_info2_t info = {0};
    const herr_t status = H5Oget_info_by_name3(file, path, &info, H5O_INFO_ALL, H5P_DEFAULT);
    say(t, "%s: %s %d attributes %d\n", path, went(status), (int)info.type, (int)info.num_attrs);
}

static void merged(trial *t)
{
    fill(t->file);
    const hid_t to = second_file(t), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    commit(to, "same");
    H5Pset_copy_object(ocpypl, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    say(t, "%s\n", went(H5Ocopy(t->file, "g/d", to, "d", ocpypl, H5P_DEFAULT)));
    say_users(t, to, "d", "same");
    say_merged(t, to, "same");
    say(t, "%s\n", went(H5Ocopy(t->file, "g", to, "copy", ocpypl, H5P_DEFAULT)));
    say_users(t, to, "copy/d", "same");
    say_merged(t, to, "same");
    say_merged(t, to, "copy/t");
    H5Pclose(ocpypl);
    H5Fclose(to);
}

static H5O_mcdt_search_ret_t stop(void *asked)
{
    ++*(int *)asked;
    return H5O_MCDT_SEARCH_STOP;
}

static void search_stopped(trial *t)
{
    int asked = 0;
    fill(t->file);
    const hid_t to = second_file(t), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    commit(to, "same");
    H5Pset_copy_object(ocpypl, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    H5Pset_mcdt_search_cb(ocpypl, stop, &asked);
    say(t, "%s\n", went(H5Ocopy(t->file, "g/d", to, "d", ocpypl, H5P_DEFAULT)));
    say(t, "asked %d\n", asked > 0);
    say_users(t, to, "d", NULL);
    say_type(t, to, "same");
    H5Pclose(ocpypl);
    H5Fclose(to);
}

/* The paths are looked at first, in the order given; the program is asked only when nothing is found there. */
static void copy_with(trial *t, const char *first, const char *second, const char *expected)
{
    int asked = 0;
    const hid_t to = second_file(t), ocpypl = H5Pcreate(H5P_OBJECT_COPY), space = H5Screate(H5S_SCALAR);
    const hid_t other = H5Tcopy(H5T_NATIVE_INT);
    commit(to, "a");
    commit(to, "b");
    commit(to, "user's");
    const hid_t type = H5Topen2(to, "user's", H5P_DEFAULT);
    const hid_t user = H5Dcreate2(to, "user", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t bearer = H5Dcreate2(to, "bearer", other, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(bearer, "of type", type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Tcommit2(to, "unlike", other, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_copy_object(ocpypl, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    H5Pset_mcdt_search_cb(ocpypl, stop, &asked);
    H5Padd_merge_committed_dtype_path(ocpypl, first);
    H5Padd_merge_committed_dtype_path(ocpypl, second);
    say(t, "%s, %s: ", first, second);
    say(t, "%s, asked %d\n", went(H5Ocopy(t->file, "g/d", to, "d", ocpypl, H5P_DEFAULT)), asked > 0);
    say_users(t, to, "d", expected);
    H5Dclose(user);
    H5Dclose(bearer);
    H5Tclose(type);
    H5Tclose(other);
    H5Sclose(space);
    H5Pclose(ocpypl);
    H5Fclose(to);
}

static void suggested(trial *t)
{
    fill(t->file);
    copy_with(t, "/b", "/a", "b");
    copy_with(t, "/not there", "/b", "b");
    copy_with(t, "unlike", "b", "b");
    copy_with(t, "/user", "/b", "user's");
    copy_with(t, "bearer", "b", "user's");
    copy_with(t, "unlike", "not there", NULL);
}

/* Into a file of the other kind, where what the copy holds must be what native copies. */
static void between_kinds(void **state)
{
    (void)state;
    trial *zarr = trial_begin(ZARR), *native = trial_begin(WRAPPED);
    trial *const from[] = {zarr, native}, *const to[] = {native, zarr};
    fill(zarr->file);
    fill(native->file);
    for (int i = 0; i < 2; i++) {
        assert_true(H5Ocopy(from[i]->file, "g", to[i]->file, "copy", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        say_type(to[i], to[i]->file, "copy/t");
        say_users(to[i], to[i]->file, "copy/d", "copy/t");
    }
    for (int i = 0; i < 2; i++) {
        reopen(to[i], H5F_ACC_RDONLY);
        say_users(to[i], to[i]->file, "copy/d", "copy/t");
        say_type(to[i], to[i]->file, "copy/t");
        H5Fclose(to[i]->file);
        to[i]->file = H5I_INVALID_HID;
    }
    trial_end(zarr);
    trial_end(native);
    compare(native, zarr);
    assert_non_null(strstr(zarr->said, "type: committed 1 the one expected"));
    free(native);
    free(zarr);
}

static void between_files(scenario run)
{
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY};
    on_kinds(run, others, sizeof others / sizeof *others);
}

#define BETWEEN_FILES(name)                                                                                            \
    static void name##_is_as_native(void **state)                                                                      \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        between_files(name);                                                                                           \
    }

/* Within a file: a type that first has a name outside of what is copied, but is met there by another one, before or
 * after what was made with it. */
static void by_its_second_name(trial *t)
{
    fill(t->file);
    const hid_t type = H5Topen2(t->file, "g/t", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t k = H5Gcreate2(t->file, "k", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(k, "of type", type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(k, "a", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(k, "z", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_hard(t->file, "g/t", k, "t", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(k);
    H5Sclose(space);
    H5Tclose(type);
    say(t, "%s\n", went(H5Ocopy(t->file, "k", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    for (int i = 0; i < 2; i++) {
        const hid_t a = H5Dopen2(t->file, "copy/a", H5P_DEFAULT), z = H5Dopen2(t->file, "copy/z", H5P_DEFAULT);
        const hid_t on_group = H5Aopen_by_name(t->file, "copy", "of type", H5P_DEFAULT, H5P_DEFAULT);
        say_which(t, t->file, H5Dget_type(a), "copy/t");
        say_which(t, t->file, H5Dget_type(z), "copy/t");
        say_which(t, t->file, H5Aget_type(on_group), "copy/t");
        H5Aclose(on_group);
        H5Dclose(a);
        H5Dclose(z);
        say_type(t, t->file, "copy/t");
        say_type(t, t->file, "g/t");
        reopen(t, H5F_ACC_RDWR);
    }
}

/* Attributes whose names no JSON document can have as they are, or that a convention has taken. */
static void attributes_with_odd_names(trial *t)
{
    static const char *const names[] = {"\xff", "zarr_dtype"};
    fill(t->file);
    hid_t type = H5Topen2(t->file, "g/t", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gopen2(t->file, "g", H5P_DEFAULT);
    for (int i = 0; i < 2; i++)
        H5Aclose(H5Acreate2(group, names[i], type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
    H5Sclose(space);
    H5Tclose(type);
    const hid_t to = second_file(t), copies[] = {t->file, to};
    for (int c = 0; c < 2; c++) {
        say(t, "%s\n", went(H5Ocopy(t->file, "g", copies[c], "copy", H5P_DEFAULT, H5P_DEFAULT)));
        for (int i = 0; i < 2; i++) {
            const hid_t attribute = H5Aopen_by_name(copies[c], "copy", names[i], H5P_DEFAULT, H5P_DEFAULT);
            say_which(t, copies[c], H5Aget_type(attribute), "copy/t");
            H5Aclose(attribute);
        }
    }
    H5Fclose(to);
}

BETWEEN_FILES(by_its_second_name)
BETWEEN_FILES(attributes_with_odd_names)
BETWEEN_FILES(with_the_group)
BETWEEN_FILES(dataset_alone)
BETWEEN_FILES(merged)
BETWEEN_FILES(search_stopped)
BETWEEN_FILES(suggested)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(with_the_group), AS_NATIVE(dataset_alone),        AS_NATIVE(merged),
        AS_NATIVE(suggested),      AS_NATIVE(by_its_second_name),   AS_NATIVE(attributes_with_odd_names),
        AS_NATIVE(search_stopped), cmocka_unit_test(between_kinds),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
