/* test_file.c - H5F: open and create with every flag, close degrees, ids, names, what a file tells. */
#include "file_support.h"

static int told_errno(void)
{
    char text[256] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, text);
    const char *found = strstr(text, "errno = ");
    return found ? atoi(found + strlen("errno = ")) : 0;
}

static void flags(trial *t)
{
    char missing[160], text[160];
    snprintf(missing, sizeof missing, "%s/missing", t->directory);
    snprintf(text, sizeof text, "%s/missing/below", t->directory);
    H5Gclose(group(t->file, "a"));
    say(t, "exclusive while open %s\n", went(H5Fcreate(t->path, H5F_ACC_EXCL, H5P_DEFAULT, t->fapl)));
    say(t, "truncate while open %s\n", went(H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl)));
    H5Fclose(t->file);
    t->file = -1;
    say(t, "exclusive %s", went(H5Fcreate(t->path, H5F_ACC_EXCL, H5P_DEFAULT, t->fapl)));
    say(t, " errno %d\n", told_errno());
    say(t, "missing %s", went(H5Fopen(missing, H5F_ACC_RDONLY, t->fapl)));
    say(t, " errno %d\n", told_errno());
    say(t, "missing for writing %s", went(H5Fopen(missing, H5F_ACC_RDWR, t->fapl)));
    say(t, " errno %d\n", told_errno());
    say(t, "create below a missing directory %s", went(H5Fcreate(text, H5F_ACC_EXCL, H5P_DEFAULT, t->fapl)));
    say(t, " errno %d\n", told_errno());
    say(t, "no name %s\n", went(H5Fopen("", H5F_ACC_RDONLY, t->fapl)));
    const hid_t reader = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "read %s a %d\n", went(reader), H5Lexists(reader, "a", H5P_DEFAULT));
    say(t, "write beside a reader %s\n", went(H5Fopen(t->path, H5F_ACC_RDWR, t->fapl)));
    H5Fclose(reader);
    const hid_t writer = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    const hid_t beside = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    H5Gclose(group(writer, "b"));
    say(t, "read beside a writer %s b %d\n", went(beside), H5Lexists(beside, "b", H5P_DEFAULT));
    H5Fclose(writer);
    say(t, "still %d\n", H5Lexists(beside, "b", H5P_DEFAULT));
    H5Fclose(beside);
    if (t->kind == WRAPPED) /* would make a store of it */
        return;
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    say(t, "truncated %s a %d\n", went(t->file), H5Lexists(t->file, "a", H5P_DEFAULT));
}

static void flags_are_as_native(void **state)
{
    (void)state;
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY};
    on_kinds(flags, others, 2);
}

static void tells(trial *t)
{
    char name[256] = "";
    unsigned intent = 9;
    unsigned long number = 0, other = 0;
    const hid_t at = group(t->file, "g");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(at, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t objects[] = {t->file, at, dataset};
    H5Sclose(space);
    for (size_t i = 0; i < 3; i++) {
        const ssize_t length = H5Fget_name(objects[i], name, sizeof name);
        say(t, "name %d %d\n", length == (ssize_t)strlen(t->path), strcmp(name, t->path) == 0);
        say(t, "cut %d", H5Fget_name(objects[i], name, 5) == length);
        say(t, " %d\n", (int)strlen(name));
        const hid_t file = H5Iget_file_id(objects[i]);
        say(t, "same id %d\n", file == t->file);
        H5Fclose(file);
        say(t, "flush %s\n", went(H5Fflush(objects[i], H5F_SCOPE_LOCAL)));
    }
    H5Dclose(dataset);
    say(t, "intent %s", went(H5Fget_intent(t->file, &intent)));
    say(t, " %u\n", intent);
    say(t, "number %s\n", went(H5Fget_fileno(t->file, &number)));
    say_plists(t, t->file);
    const hid_t second = H5Freopen(t->file);
    H5Fget_fileno(second, &other);
    say(t, "reopened %s, other id %d, same number %d\n", went(second), second != t->file, number == other);
    H5Gclose(at);
    H5Fclose(second);
    reopen(t, H5F_ACC_RDONLY);
    H5Fget_intent(t->file, &intent);
    say(t, "intent %u\n", intent);
    say_plists(t, t->file);
}
ON_EVERY_KIND(tells)

static void counts(trial *t)
{
    static const unsigned kinds[] = {H5F_OBJ_FILE, H5F_OBJ_GROUP, H5F_OBJ_DATASET, H5F_OBJ_ALL,
                                     H5F_OBJ_ALL | H5F_OBJ_LOCAL};
    const hid_t at = group(t->file, "g"), second = H5Freopen(t->file);
    const hid_t through = H5Gopen2(second, "g", H5P_DEFAULT);
    hid_t ids[8];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        say(t, "%u: %d", kinds[i], (int)H5Fget_obj_count(t->file, kinds[i]));
        say(t, " of the second %d", (int)H5Fget_obj_count(second, kinds[i]));
        say(t, " of all files %d", (int)H5Fget_obj_count(H5F_OBJ_ALL, kinds[i]));
        const ssize_t got = H5Fget_obj_ids(t->file, kinds[i], 8, ids);
        say(t, " ids %d", (int)got);
        for (ssize_t k = 0; k < got; k++)
            say(t, " %s",
                ids[k] == t->file   ? "file"
                : ids[k] == second  ? "second"
                : ids[k] == at      ? "g"
                : ids[k] == through ? "through"
                                    : "?");
        say(t, " at most one %d\n", (int)H5Fget_obj_ids(t->file, kinds[i], 1, ids));
    }
    H5Gclose(through);
    H5Gclose(at);
    H5Fclose(second);
}
ON_EVERY_KIND(counts)

/* One number for a store, also when it is opened again: native's numbers count openings. */
static void number_of_a_store(void **state)
{
    (void)state;
    unsigned long first = 0, second = 0;
    trial *t = trial_begin(ZARR);
    assert_true(H5Fget_fileno(t->file, &first) >= 0);
    reopen(t, H5F_ACC_RDONLY);
    assert_true(H5Fget_fileno(t->file, &second) >= 0);
    assert_true(first == second && first >> 63 == 1);
    trial_end(t);
    free(t);
}

/* What is left of a file whose id is closed. */
static void weak(trial *t)
{
    const hid_t at = group(t->file, "g");
    say(t, "close %s\n", went(H5Fclose(t->file)));
    H5Gclose(group(at, "later"));
    const hid_t back = H5Iget_file_id(at);
    char name[160] = "";
    say(t, "file comes back %s", went(back));
    H5Fget_name(back, name, sizeof name);
    say(t, " %d\n", strcmp(name, t->path) == 0);
    const hid_t once_more = H5Iget_file_id(at);
    say(t, "same id %d\n", once_more == back);
    H5Fclose(once_more);
    say(t, "count %d\n", (int)H5Fget_obj_count(back, H5F_OBJ_ALL));
    H5Fclose(back);
    const hid_t third = H5Iget_file_id(at);
    say(t, "and again %s\n", went(third));
    H5Gclose(at);
    say(t, "later %d\n", H5Lexists(third, "g/later", H5P_DEFAULT));
    H5Fclose(third);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "later %d\n", H5Lexists(t->file, "g/later", H5P_DEFAULT));
}
ON_EVERY_KIND(weak)

static void with_degree(trial *t, H5F_close_degree_t degree)
{
    H5Fclose(t->file);
    H5Pset_fclose_degree(t->fapl, degree);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
}

static void semi(trial *t)
{
    with_degree(t, H5F_CLOSE_SEMI);
    const hid_t at = group(t->file, "g");
    say(t, "close with an open group %s, id valid %d\n", went(H5Fclose(t->file)), H5Iis_valid(t->file));
    H5Gclose(at);
    say(t, "close %s\n", went(H5Fclose(t->file)));
    t->file = -1;
}
ON_EVERY_KIND(semi)

static void strong(trial *t)
{
    with_degree(t, H5F_CLOSE_STRONG);
    const hid_t at = group(t->file, "g"), below = group(at, "h");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(at, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    H5Iinc_ref(below);
    say_plists(t, t->file);
    say(t, "close %s", went(H5Fclose(t->file)));
    say(t, " left %d %d %d\n", H5Iis_valid(at), H5Iis_valid(below), H5Iis_valid(dataset));
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    H5Pset_fclose_degree(t->fapl, H5F_CLOSE_WEAK);
    const hid_t other = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "another degree %s\n", went(other));
    H5Pset_fclose_degree(t->fapl, H5F_CLOSE_DEFAULT);
    const hid_t same = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "no wish %s\n", went(same));
}
ON_EVERY_KIND(strong)

static void natives_own(trial *t)
{
    hsize_t size = 0;
    hssize_t room = 0;
    H5F_info2_t info;
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    double rate = 0;
    const hid_t at = group(t->file, "g");
    H5Fflush(t->file, H5F_SCOPE_LOCAL);
    say(t, "size %s", went(H5Fget_filesize(t->file, &size)));
    say(t, " some %d\n", size > 0);
    room = H5Fget_freespace(t->file);
    say(t, "free %s\n", went(room));
    say(t, "info %s\n", went(H5Fget_info2(at, &info)));
    say(t, "cache %s\n", went(H5Fget_mdc_config(t->file, &cache)));
    say(t, "cache %s\n", went(H5Fset_mdc_config(t->file, &cache)));
    say(t, "rate %s\n", went(H5Fget_mdc_hit_rate(t->file, &rate)));
    say(t, "reset %s\n", went(H5Freset_mdc_hit_rate_stats(t->file)));
    say(t, "bounds %s\n", went(H5Fset_libver_bounds(t->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST)));
    H5Gclose(at);
}
ON_EVERY_KIND(natives_own)

static void looking(trial *t)
{
    H5Fclose(t->file);
    t->file = -1;
    say(t, "accessible %d\n", H5Fis_accessible(t->path, t->fapl));
    say(t, "delete %s\n", went(H5Fdelete(t->path, t->fapl)));
    say(t, "accessible now %s\n", went(H5Fis_accessible(t->path, t->fapl)));
    say(t, "open %s\n", went(H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl)));
    say(t, "delete again %s\n", went(H5Fdelete(t->path, t->fapl)));
}
ON_EVERY_KIND(looking)

static void refuses(const char *path, unsigned open_flags, bool create, int want)
{
    const hid_t id =
        create ? H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT) : H5Fopen(path, open_flags, H5P_DEFAULT);
    assert_true(id < 0);
    assert_int_equal(told_errno(), want);
}

/* Names that are neither a store nor an HDF5 file. */
static void neither(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    char text[160], directory[160];
    snprintf(text, sizeof text, "%s/text", t->directory);
    snprintf(directory, sizeof directory, "%s/directory", t->directory);
    FILE *stream = fopen(text, "w");
    fputs("no store\n", stream);
    fclose(stream);
    snprintf(directory, sizeof directory, "%s", t->directory); /* holds a store, is none */
    refuses(text, H5F_ACC_RDONLY, false, 0);                   /* as native: it is there, but has no signature */
    refuses(text, 0, true, 17);
    refuses(directory, H5F_ACC_RDWR, false, 2);
    refuses(directory, 0, true, 17);
    assert_true(H5Fcreate(directory, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_int_equal(H5Fis_accessible(text, H5P_DEFAULT), 0);
    assert_int_equal(H5Fis_accessible(directory, H5P_DEFAULT), 0);
    assert_int_equal(access(text, F_OK), 0);
    trial_end(t);
    free(t);
}

static void put_in_the_way(const char *path)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fclose(stream);
}

/* What cannot be written is told once; the id stays, so that the cause can be mended, and goes at the second close. */
static void close_that_cannot_write(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    char kept[160], lost[160];
    snprintf(kept, sizeof kept, "%s/kept", t->path);
    snprintf(lost, sizeof lost, "%s/lost", t->path);
    H5Gclose(group(t->file, "kept"));
    put_in_the_way(kept);
    assert_true(H5Fclose(t->file) < 0);
    assert_true(H5Iis_valid(t->file) > 0);
    assert_true(H5Lexists(t->file, "kept", H5P_DEFAULT) > 0);
    assert_int_equal(unlink(kept), 0);
    assert_true(H5Fflush(t->file, H5F_SCOPE_GLOBAL) >= 0);
    assert_true(H5Fclose(t->file) >= 0);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    assert_true(H5Lexists(t->file, "kept", H5P_DEFAULT) > 0);
    H5Gclose(group(t->file, "lost"));
    put_in_the_way(lost);
    assert_true(H5Fclose(t->file) < 0);
    H5Gclose(group(t->file, "later")); /* what came after the failure is told anew */
    assert_true(H5Fclose(t->file) < 0);
    assert_true(H5Fclose(t->file) >= 0);
    assert_int_equal(H5Iis_valid(t->file), 0);
    t->file = -1;
    trial_end(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_as_native),
        AS_NATIVE(tells),
        cmocka_unit_test(number_of_a_store),
        AS_NATIVE(counts),
        AS_NATIVE(weak),
        AS_NATIVE(semi),
        AS_NATIVE(strong),
        AS_NATIVE(natives_own),
        AS_NATIVE(looking),
        cmocka_unit_test(neither),
        cmocka_unit_test(close_that_cannot_write),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
