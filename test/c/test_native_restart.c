/* test_native_restart.c - H5close with everything left open, and HDF5 started again: the gateway comes and goes,
 * nothing is lost, and no object of the gateway is ever counted. */
#include "native_files.h"

static ssize_t open_objects(void)
{
    return H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE | H5F_OBJ_GROUP | H5F_OBJ_DATASET | H5F_OBJ_ATTR);
}

static void make_attribute(hid_t where, const char *name)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const int value = 9;
    const hid_t attr = H5Acreate2(where, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attr >= 0 && H5Awrite(attr, H5T_NATIVE_INT, &value) >= 0 && H5Sclose(space) >= 0);
}

/* Leaves a file, a group, a dataset and an attribute open. */
static void fill_and_leave(hid_t file, int round)
{
    char name[32];
    snprintf(name, sizeof name, "round%d", round);
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(group >= 0);
    write_int_dataset(group, "n", round);
    CHECK(H5Dopen2(group, "n", H5P_DEFAULT) >= 0);
    make_attribute(group, "a");
}

static void check_rounds(hid_t file, int rounds)
{
    char name[32];
    for (int round = 0; round < rounds; round++) {
        snprintf(name, sizeof name, "round%d/n", round);
        CHECK(read_int_dataset(file, name) == round);
        snprintf(name, sizeof name, "round%d", round);
        CHECK(H5Aexists_by_name(file, name, "a", H5P_DEFAULT) > 0);
    }
}

static hid_t open_or_create(const char *name, int round)
{
    return round ? H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT) : H5Fcreate(name, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t open_or_create_native(const char *name, int round)
{
    if (round == 0)
        make_native_file(name, 7);
    return H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
}

static void one_round(int round)
{
    CHECK(open_objects() == 0);
    const hid_t native = open_or_create_native("native.h5", round);
    const hid_t store = open_or_create("store.zarr", round);
    CHECK(store >= 0 && native >= 0);
    CHECK(open_objects() == 2);
    check_rounds(store, round);
    check_rounds(native, round);
    fill_and_leave(store, round);
    fill_and_leave(native, round);
    CHECK(H5Freopen(store) >= 0 && H5Freopen(native) >= 0);
    CHECK(open_objects() == 10);
}

static void rounds(void)
{
    for (int round = 0; round < 3; round++) {
        one_round(round);
        CHECK(H5close() >= 0 && H5open() >= 0);
    }
    one_round(3); /* and the process exits with all of it open */
}

static void rounds_without_gateway(void)
{
    setenv("HDF5_VOL_CONNECTOR", "zarr gateway=0", 1);
    rounds();
}

/* What was left open at exit is there in the next process. */
static void left_open_at_exit(void)
{
    const pid_t child = fork();
    if (child == 0) {
        one_round(0);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    const hid_t store = H5Fopen("store.zarr", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t native = H5Fopen("native.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    check_rounds(store, 1);
    check_rounds(native, 1);
    CHECK(H5Fclose(store) >= 0 && H5Fclose(native) >= 0);
}

/* Natively flushed, closed and moved while objects of a store are open: the library looks at every open id. */
static void native_walks_over_ours(void)
{
    make_native_file("native.h5", 7);
    const hid_t store = H5Fcreate("store.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill_and_leave(store, 0);
    const hid_t native = H5Fopen("native.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(H5Lmove(native, "g", native, "h", H5P_DEFAULT, H5P_DEFAULT) >= 0 && H5Fflush(native, H5F_SCOPE_GLOBAL) >= 0);
    CHECK(H5Fget_obj_count(native, H5F_OBJ_ALL) == 1 && H5Fget_obj_count(store, H5F_OBJ_ALL) == 4);
    CHECK(H5Ldelete(native, "h", H5P_DEFAULT) >= 0 && H5Fclose(native) >= 0);
    CHECK(open_objects() == 4);
}

/* It has a driver of its own. */
static bool gateway_is_made(void)
{
    return H5FDis_driver_registered_by_name("vol-zarr gateway") > 0;
}

/* A call that HDF5 answers from what it takes for a native object. */
static void need_gateway(hid_t file)
{
    CHECK(H5VLobject(file) != NULL && gateway_is_made());
}

/* A native file that nobody told us of: the library meets objects for which nothing stands yet, in the middle of a walk
 * through its ids. */
static void native_meets_ours(void)
{
    enum { FLUSHED, MOVED, COUNTED, CLOSED, WAYS };
    for (int way = 0; way < WAYS; way++) {
        make_native_file("native.h5", 7);
        const hid_t store = H5Fcreate("store.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        fill_and_leave(store, 0);
        CHECK(!gateway_is_made());
        const hid_t fapl = native_list(), native = H5Fopen("native.h5", H5F_ACC_RDWR, fapl);
        CHECK(native >= 0 && H5Pclose(fapl) >= 0);
        if (way == FLUSHED)
            CHECK(H5Fflush(native, H5F_SCOPE_GLOBAL) >= 0);
        else if (way == MOVED)
            CHECK(H5Lmove(native, "g", native, "h", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        else if (way == COUNTED)
            CHECK(H5Fget_obj_count(native, H5F_OBJ_ALL) == 1);
        CHECK(H5Fclose(native) >= 0 && gateway_is_made());
        CHECK(open_objects() == 4 && H5Fget_obj_count(store, H5F_OBJ_ALL) == 4);
        CHECK(read_int_dataset(store, "round0/n") == 0);
        CHECK(H5close() >= 0 && H5open() >= 0);
    }
}

/* What programs do mostly needs none. */
static void made_when_needed(void)
{
    H5G_stat_t about;
    const hid_t store = H5Fcreate("store.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill_and_leave(store, 0);
    const hid_t group = H5Gopen2(store, "round0", H5P_DEFAULT), file = H5Iget_file_id(group);
    CHECK(read_int_dataset(group, "n") == 0 && file == store);
    CHECK(H5Fget_obj_count(store, H5F_OBJ_ALL) == 5);
    CHECK(H5Fflush(store, H5F_SCOPE_LOCAL) >= 0 && !gateway_is_made());
    CHECK(H5Gget_objinfo(store, "round0", 0, &about) >= 0 && about.type == H5G_GROUP);
    need_gateway(store);
    CHECK(H5Iget_file_id(group) == store);
    CHECK(open_objects() == 5);
}

/* The file of an object is the one it was opened through. */
static void file_of_object_with(bool made)
{
    const hid_t x = H5Fcreate("x.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t y = H5Fcreate("y.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t in_x = H5Gcreate2(x, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t in_y = H5Gcreate2(y, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (made)
        need_gateway(x);
    CHECK(H5Iget_file_id(in_x) == x && H5Fclose(x) >= 0);
    CHECK(H5Iget_file_id(in_y) == y && H5Fclose(y) >= 0);
    CHECK(H5Fclose(x) >= 0); /* in_x keeps the store open */
    const hid_t revived = H5Iget_file_id(in_x);
    char name[64];
    CHECK(revived >= 0 && revived != y && H5Fget_name(revived, name, sizeof name) > 0 && strcmp(name, "x.zarr") == 0);
    CHECK(H5Fclose(revived) >= 0 && H5Gclose(in_x) >= 0 && H5Gclose(in_y) >= 0 && H5Fclose(y) >= 0);
    CHECK(open_objects() == 0 && gateway_is_made() == made);
}

static void file_of_object(void)
{
    file_of_object_with(false);
    file_of_object_with(true);
}

/* Revived while nothing stands for it, and looked into then. */
static void file_revived_before(void)
{
    const hid_t x = H5Fcreate("x.zarr", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(x, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Fclose(x) >= 0);
    const hid_t revived = H5Iget_file_id(group);
    CHECK(revived >= 0 && !gateway_is_made());
    need_gateway(revived);
    CHECK(H5Iget_file_id(group) == revived && H5Fclose(revived) >= 0);
    CHECK(H5Fclose(revived) >= 0);
    const hid_t again = H5Iget_file_id(group);
    CHECK(again >= 0 && H5Fclose(again) >= 0 && H5Gclose(group) >= 0 && open_objects() == 0);
}

static const test_case cases[] = {
    {"rounds", rounds},
    {"rounds without gateway", rounds_without_gateway},
    {"left open at exit", left_open_at_exit},
    {"native walks over ours", native_walks_over_ours},
    {"native meets ours", native_meets_ours},
    {"made when needed", made_when_needed},
    {"file of an object", file_of_object},
    {"file revived before", file_revived_before},
};
CASES_MAIN(cases)
