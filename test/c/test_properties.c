/* Creation properties that a store has no use for are told again; what HDF5 refuses to create is refused. */
#include "both.h"

static void say_hints(trial *t, const char *what, hid_t list)
{
    unsigned max = 0, min = 0, entries = 0, length = 0;
    size_t heap = 0;
    say(t, "%s: attributes %s", what, went(H5Pget_attr_phase_change(list, &max, &min)));
    say(t, " %u %u", max, min);
    if (H5Pisa_class(list, H5P_GROUP_CREATE) > 0) {
        H5Pget_link_phase_change(list, &max, &min);
        H5Pget_est_link_info(list, &entries, &length);
        H5Pget_local_heap_size_hint(list, &heap);
        say(t, " links %u %u, %u %u, heap %zu", max, min, entries, length, heap);
    }
    say(t, "\n");
    H5Pclose(list);
}

static void say_all_hints(trial *t)
{
    const hid_t group = H5Gopen2(t->file, "g", H5P_DEFAULT), dataset = H5Dopen2(t->file, "d", H5P_DEFAULT);
    const hid_t type = H5Topen2(t->file, "t", H5P_DEFAULT), usual = H5Gopen2(t->file, "usual", H5P_DEFAULT);
    say_hints(t, "group", H5Gget_create_plist(group));
    say_hints(t, "dataset", H5Dget_create_plist(dataset));
    say_hints(t, "type", H5Tget_create_plist(type));
    say_hints(t, "usual", H5Gget_create_plist(usual));
    H5Gclose(usual);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Gclose(group);
}

/* Link hints are kept by native files of the latest format only. */
static void hints(trial *t)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t tcpl = H5Pcreate(H5P_DATATYPE_CREATE), space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    if (t->kind == NATIVE || t->kind == WRAPPED)
        H5Fset_libver_bounds(t->file, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_attr_phase_change(gcpl, 9, 5);
    H5Pset_link_phase_change(gcpl, 12, 3);
    H5Pset_est_link_info(gcpl, 7, 20);
    H5Pset_attr_phase_change(dcpl, 20, 10);
    H5Pset_attr_phase_change(tcpl, 0, 0);
    H5Gclose(H5Gcreate2(t->file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(t->file, "usual", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Tcommit2(t->file, "t", type, H5P_DEFAULT, tcpl, H5P_DEFAULT);
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(tcpl);
    H5Pclose(dcpl);
    H5Pclose(gcpl);
    say_all_hints(t);
    reopen(t, H5F_ACC_RDONLY);
    say_all_hints(t);
}

static void say_charset(trial *t, const char *name)
{
    H5A_info_t info = {0};
    H5T_cset_t cset = H5T_CSET_ERROR;
    const hid_t attribute = H5Aopen(t->file, name, H5P_DEFAULT), acpl = H5Aget_create_plist(attribute);
    H5Pget_char_encoding(acpl, &cset);
    H5Aget_info(attribute, &info);
    say(t, "%s: %d %d\n", name, (int)cset, (int)info.cset);
    H5Pclose(acpl);
    H5Aclose(attribute);
}

static void names_of_attributes(trial *t)
{
    const hid_t acpl = H5Pcreate(H5P_ATTRIBUTE_CREATE), space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(t->file, "ascii", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_char_encoding(acpl, H5T_CSET_UTF8);
    const hid_t attribute = H5Acreate2(t->file, "utf8", H5T_NATIVE_INT, space, acpl, H5P_DEFAULT);
    const int five = 5;
    say_charset(t, "ascii");
    say_charset(t, "utf8");
    say(t, "%s", went(H5Awrite(attribute, H5T_NATIVE_INT, &five)));
    H5Aclose(attribute);
    reopen(t, H5F_ACC_RDWR);
    say_charset(t, "utf8");
    say(t, "%s", went(H5Arename(t->file, "utf8", "renamed")));
    say_charset(t, "renamed");
    H5Sclose(space);
    H5Pclose(acpl);
}

/* ---- what is refused ---- */

static void try_to_create(trial *t, const char *what, hid_t type, hid_t space, hid_t dcpl)
{
    const hid_t dataset = H5Dcreate2(t->file, what, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(t->file, what, type, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%s: dataset %s, attribute %s\n", what, went(dataset), went(attribute));
    if (dataset >= 0)
        H5Dclose(dataset);
    if (attribute >= 0)
        H5Aclose(attribute);
}

static void refused(trial *t)
{
    const hsize_t two = 2;
    const hid_t nothing = H5Screate(H5S_SIMPLE), space = H5Screate_simple(1, &two, NULL);
    const hid_t enumeration = H5Tenum_create(H5T_NATIVE_INT), text = H5Tcopy(H5T_C_S1);
    const hid_t compound = H5Tcreate(H5T_COMPOUND, 8), sequence = H5Tvlen_create(H5T_NATIVE_INT);
    const hid_t never = H5Pcreate(H5P_DATASET_CREATE), compact = H5Pcreate(H5P_DATASET_CREATE);
    H5Tset_size(text, H5T_VARIABLE);
    H5Pset_fill_time(never, H5D_FILL_TIME_NEVER);
    H5Pset_layout(compact, H5D_COMPACT);
    H5Pset_alloc_time(compact, H5D_ALLOC_TIME_LATE);
    try_to_create(t, "no extent", H5T_NATIVE_INT, nothing, H5P_DEFAULT);
    try_to_create(t, "enumeration", enumeration, space, H5P_DEFAULT);
    try_to_create(t, "compound", compound, space, H5P_DEFAULT);
    try_to_create(t, "sequence", sequence, space, never);
    try_to_create(t, "text", text, space, never);
    try_to_create(t, "compact", H5T_NATIVE_INT, space, compact);
    say(t, "commit %s\n", went(H5Tcommit2(t->file, "e", enumeration, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    const hid_t ids[] = {nothing, space, enumeration, text, compound, sequence, never, compact};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Idec_ref(ids[i]);
}

/* A user block needs one file; the directory of that name goes, unless it is open. */
static void one_file_in_the_place_of_a_directory(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_userblock(fcpl, 512) >= 0);
    assert_true(H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl) < 0);
    H5Gclose(H5Gcreate2(t->file, "still here", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    assert_true(H5Fclose(t->file) >= 0);
    assert_true(H5Fcreate(t->path, H5F_ACC_EXCL, fcpl, t->fapl) < 0);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl);
    assert_true(t->file >= 0);
    reopen(t, H5F_ACC_RDONLY);
    assert_int_equal(H5Lexists(t->file, "still here", H5P_DEFAULT), 0);
    H5Pclose(fcpl);
    trial_end(t);
    free(t);
}

ON_EVERY_KIND(hints)
ON_EVERY_KIND(names_of_attributes)
ON_EVERY_KIND(refused)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(hints),
        AS_NATIVE(names_of_attributes),
        AS_NATIVE(refused),
        cmocka_unit_test(one_file_in_the_place_of_a_directory),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
