/* Times of objects: kept where a creation property list asks, told and moved on as native files do. */
#include "both.h"
#include <time.h>

static hid_t list_with(bool track)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_obj_track_times(dcpl, track) >= 0);
    return dcpl;
}

static void make(trial *t, const char *name, bool track)
{
    const hsize_t two = 2, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &two, &unlimited), dcpl = list_with(track);
    assert_true(H5Pset_chunk(dcpl, 1, &two) >= 0);
    const hid_t dataset = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "%s: %s\n", name, went(dataset));
    H5Dclose(dataset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static time_t changed(trial *t, const char *name)
{
    H5O_info2_t info;
    assert_true(H5Oget_info_by_name3(t->file, name, &info, H5O_INFO_TIME, H5P_DEFAULT) >= 0);
    assert_int_equal(info.rc, 0);
    return info.ctime;
}

static void say_times(trial *t, const char *name)
{
    H5O_info2_t info;
    const time_t now = time(NULL);
    assert_true(H5Oget_info_by_name3(t->file, name, &info, H5O_INFO_TIME, H5P_DEFAULT) >= 0);
    say(t, "%s: changed %s, access %d modification %d birth %d\n", name,
        info.ctime == 0                                    ? "never"
        : info.ctime <= now + 1 && info.ctime >= now - 100 ? "now" /* time() may lag behind HDF5's clock by a tick */
                                                           : "some time",
        (int)info.atime, (int)info.mtime, (int)info.btime);
}

/* Of a dataset that was opened, HDF5's list says yes whatever was asked for; ours says what is so. */
static void check_list(trial *t, const char *name, bool asked)
{
    bool track = !asked;
    const bool native = t->kind == NATIVE || t->kind == WRAPPED;
    const hid_t dataset = H5Dopen2(t->file, name, H5P_DEFAULT), dcpl = H5Dget_create_plist(dataset);
    assert_true(H5Pget_obj_track_times(dcpl, &track) >= 0);
    assert_int_equal(track, asked || native);
    H5Pclose(dcpl);
    H5Dclose(dataset);
}

static void kept_where_asked(trial *t)
{
    make(t, "yes", true);
    make(t, "no", false);
    H5Gclose(H5Gcreate2(t->file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    check_list(t, "yes", true);
    check_list(t, "no", false);
    say_times(t, "yes");
    say_times(t, "no");
    say_times(t, "group");
    reopen(t, H5F_ACC_RDWR);
    check_list(t, "yes", true);
    check_list(t, "no", false);
    say_times(t, "yes");
    say_times(t, "no");
    say(t, "copy %s\n", went(H5Ocopy(t->file, "yes", t->file, "yes again", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "copy %s\n", went(H5Ocopy(t->file, "no", t->file, "no again", H5P_DEFAULT, H5P_DEFAULT)));
    say_times(t, "yes again");
    say_times(t, "no again");
}

/* ---- what moves the time on ---- */

typedef void (*change)(trial *t);

static void new_attribute(trial *t)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Aclose(
        H5Acreate_by_name(t->file, "new_attribute", "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void extent(trial *t)
{
    const hsize_t five = 5;
    const hid_t dataset = H5Dopen2(t->file, "extent", H5P_DEFAULT);
    assert_true(H5Dset_extent(dataset, &five) >= 0);
    H5Dclose(dataset);
}

static void reading(trial *t)
{
    int read[2];
    const hid_t dataset = H5Dopen2(t->file, "reading", H5P_DEFAULT);
    assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
    H5Dclose(dataset);
}

static const struct {
    const char *name;
    change run;
} changes[] = {{"new_attribute", new_attribute}, {"extent", extent}, {"reading", reading}};

/* One wait for all. */
static void moved_on_by_changes(void **state)
{
    enum { KINDS = 3, CHANGES = sizeof changes / sizeof *changes };
    (void)state;
    trial *trials[KINDS];
    time_t before[KINDS][CHANGES];
    for (int k = 0; k < KINDS; k++) {
        trials[k] = trial_begin(k == 0 ? NATIVE : k == 1 ? ZARR : WRAPPED);
        for (int c = 0; c < CHANGES; c++) {
            make(trials[k], changes[c].name, true);
            before[k][c] = changed(trials[k], changes[c].name);
        }
    }
    nanosleep(&(struct timespec){1, 100000000}, NULL); /* a second, and more than time() lags behind */
    for (int k = 0; k < KINDS; k++) {
        for (int c = 0; c < CHANGES; c++)
            changes[c].run(trials[k]);
        reopen(trials[k], H5F_ACC_RDONLY);
        for (int c = 0; c < CHANGES; c++)
            say(trials[k], "%s: %s\n", changes[c].name,
                changed(trials[k], changes[c].name) > before[k][c] ? "later" : "as before");
        H5Fclose(trials[k]->file);
        trials[k]->file = H5I_INVALID_HID; /* what is open counts when a trial ends */
    }
    for (int k = 0; k < KINDS; k++)
        trial_end(trials[k]);
    compare(trials[0], trials[1]);
    compare(trials[0], trials[2]);
    for (int k = 0; k < KINDS; k++)
        free(trials[k]);
}

ON_EVERY_KIND(kept_where_asked)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(kept_where_asked),
        cmocka_unit_test(moved_on_by_changes),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
