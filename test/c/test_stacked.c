/* test_stacked.c - another connector over this one: HDF5's pass_through. Many of the other tests run beneath it, too
 * (test/CMakeLists.txt). */
#include "both.h"
#include <H5VLconnector_passthru.h>
#include <pthread.h>

static herr_t say_name(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group;
    say(context, "  %s %d\n", name, (int)info->type);
    return 0;
}

static herr_t say_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object;
    say(context, "  %s %d bytes\n", name, (int)info->data_size);
    return 0;
}

static void make(trial *t)
{
    const hsize_t dims[] = {4, 3}, most[] = {H5S_UNLIMITED, 3}, chunk[] = {2, 3};
    const int values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const char *const texts[] = {"a", "longer", ""};
    const hsize_t three = 3;
    const hid_t space = H5Screate_simple(2, dims, most), line = H5Screate_simple(1, &three, NULL);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE), text = H5Tcopy(H5T_C_S1);
    H5Pset_chunk(list, 2, chunk);
    H5Tset_size(text, H5T_VARIABLE);
    const hid_t group = H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t id = H5Dcreate2(group, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    say(t, "write %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    const hid_t words = H5Dcreate2(group, "words", text, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "write %s\n", went(H5Dwrite(words, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts)));
    const hid_t attribute = H5Acreate2(id, "a", H5T_NATIVE_INT, line, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "write %s\n", went(H5Awrite(attribute, H5T_NATIVE_INT, values)));
    say(t, "links %s", went(H5Lcreate_soft("/g/x", t->file, "soft", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " %s", went(H5Lcreate_hard(t->file, "g/x", t->file, "hard", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " %s\n", went(H5Lcreate_external("none.h5", "x", t->file, "outside", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "copy %s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "type %s\n", went(H5Tcommit2(t->file, "t", text, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5R_ref_t reference;
    say(t, "reference %s\n", went(H5Rcreate_object(t->file, "g/x", H5P_DEFAULT, &reference)));
    const hid_t led = H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "leads to a %d\n", (int)H5Iget_type(led));
    H5Rdestroy(&reference);
    const hid_t ids[] = {led, attribute, id, words, group, text, space, line, list};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Idec_ref(ids[i]);
}

static void look(trial *t)
{
    const hid_t id = H5Dopen2(t->file, "soft", H5P_DEFAULT), words = H5Dopen2(t->file, "copy/words", H5P_DEFAULT);
    const hid_t space = H5Dget_space(id), type = H5Dget_type(words), line = H5Dget_space(words);
    const hsize_t at[] = {0, 1, 3, 2, 1, 0}, three = 3, larger[] = {6, 3};
    const hid_t memory = H5Screate_simple(1, &three, NULL);
    int values[18] = {0};
    char *texts[3] = {0};
    H5Sselect_elements(space, H5S_SELECT_SET, 3, at);
    say(t, "points %s", went(H5Dread(id, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values)));
    say(t, " %d %d %d\n", values[0], values[1], values[2]);
    say(t, "texts %s", went(H5Dread(words, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts)));
    say(t, " %s %s %s\n", texts[0], texts[1], texts[2]);
    H5Treclaim(type, line, H5P_DEFAULT, texts);
    say(t, "extent %s", went(H5Dset_extent(id, larger)));
    say(t, " read %s:", went(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    for (int i = 0; i < 18; i++)
        say(t, " %d", values[i]);
    say(t, "\nflush %s refresh %s\n", went(H5Dflush(id)), went(H5Drefresh(id)));
    say(t, "attributes\n");
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, NULL, say_attribute, t);
    say(t, "links\n");
    H5Lvisit2(t->file, H5_INDEX_NAME, H5_ITER_INC, say_name, t);
    say(t, "move %s delete %s", went(H5Lmove(t->file, "hard", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT)),
        went(H5Ldelete(t->file, "copy", H5P_DEFAULT)));
    say(t, " gone %d open %s\n", (int)H5Lexists(t->file, "copy", H5P_DEFAULT), went(H5Fflush(id, H5F_SCOPE_GLOBAL)));
    say(t, "none %s\n", went(H5Dopen2(t->file, "none", H5P_DEFAULT)));
    const hid_t ids[] = {id, words, space, type, line, memory};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Idec_ref(ids[i]);
}

static void stacked(trial *t)
{
    char name[32] = "";
    H5VLget_connector_name(t->file, name, sizeof name);
    assert_string_equal(name, t->kind == STACKED ? "pass_through" : "native");
    make(t);
    look(t);
    reopen(t, H5F_ACC_RDWR);
    say(t, "copied again %s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    look(t);
    if (t->kind != STACKED)
        return;
    assert_true(H5Fclose(t->file) >= 0); /* it is a store, for this connector alone, too */
    H5Pclose(t->fapl);
    t->fapl = access_list(ZARR);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    assert_true(H5Lexists(t->file, "moved", H5P_DEFAULT) > 0);
}

static void stacked_is_as_native(void **state)
{
    static const kind others[] = {STACKED};
    (void)state;
    on_kinds(stacked, others, 1);
}

/* ---- what vol-async does ---- */

typedef struct question {
    void *object, *answer;
    hid_t connector;
} question;

static void *ask_for_file(void *context)
{
    question *q = context;
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_GROUP};
    H5VL_object_get_args_t args = {.op_type = H5VL_OBJECT_GET_FILE, .args.get_file.file = &q->answer};
    H5VLobject_get(q->object, &self, q->connector, &args, H5P_DATASET_XFER_DEFAULT, NULL);
    return NULL;
}

/* It asks in a thread of its own; HDF5 compares the answer with the ids of files in the program's. */
static void the_file_is_the_same_in_another_thread(void **state)
{
    (void)state;
    char path[] = "/tmp/vol-zarr-test-XXXXXX";
    assert_non_null(mkdtemp(path));
    const hid_t fapl = access_list(ZARR), fcpl = H5Pcreate(H5P_FILE_CREATE), dxpl = H5P_DATASET_XFER_DEFAULT;
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_FILE};
    question q = {.connector = H5VLget_connector_id_by_name("zarr")};
    void *file = H5VLfile_create(path, H5F_ACC_TRUNC, fcpl, fapl, dxpl, NULL);
    assert_non_null(file);
    q.object = H5VLgroup_create(file, &self, q.connector, "g", H5P_LINK_CREATE_DEFAULT, H5P_GROUP_CREATE_DEFAULT,
                                H5P_GROUP_ACCESS_DEFAULT, dxpl, NULL);
    assert_non_null(q.object);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_for_file, &q), 0);
    pthread_join(thread, NULL);
    assert_non_null(q.answer);
    assert_ptr_equal(H5VLget_object(file, q.connector), q.answer);
    assert_true(H5VLgroup_close(q.object, q.connector, dxpl, NULL) >= 0);
    assert_true(H5VLfile_close(file, q.connector, dxpl, NULL) >= 0);
    H5VLclose(q.connector);
    H5Pclose(fapl);
    H5Pclose(fcpl);
    remove_tree(path);
}

/* It calls this for every file, and does not ask whether it is there. A native file leaks where it is called again. */
static void after_opening(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    H5VL_optional_args_t args = {.op_type = H5VL_NATIVE_FILE_POST_OPEN};
    assert_true(H5VLfile_optional_op(t->file, &args, H5P_DATASET_XFER_DEFAULT, H5ES_NONE) >= 0);
    trial_end(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_the_same_in_another_thread), /* first: nothing has looked into an object yet */
        AS_NATIVE(stacked),
        cmocka_unit_test(after_opening),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
