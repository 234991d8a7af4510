/* test_edit_ranks.c - several ranks write one store together. What they wrote is looked at in the files. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "ranks_support.h"
#include <dirent.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

enum { LUSTRE = 0x0BD00BD0 };

/* What locks do here: what the system says; or as in Lustre mounted without any, or with those that other machines do
 * not see, where each rank has one of its own. */
static enum { SYSTEM_LOCKS, NO_LOCKS, LOCAL_LOCKS } locks = SYSTEM_LOCKS;

int flock(int file, int operation)
{
    if (locks == NO_LOCKS)
        errno = ENOLCK;
    return locks == SYSTEM_LOCKS ? (int)syscall(SYS_flock, file, operation) : locks == NO_LOCKS ? -1 : 0;
}

int fstatfs(int file, struct statfs *status)
{
    const int result = (int)syscall(SYS_fstatfs, file, status);
    if (locks != SYSTEM_LOCKS)
        status->f_type = LUSTRE;
    return result;
}

/* Rows r, r + ranks ... of each rank: every chunk has parts of several; the last rank leaves the last row out. */
static void write_rows(vz_comm *comm, vz_node *node, uint64_t rows)
{
    vz_error err = VZ_ERROR_NONE;
    bool ok = vz_ranks_share_begin(node, &err);
    for (uint64_t row = (uint64_t)comm->rank; ok && row < rows; row += (uint64_t)comm->size)
        ok = write_row(node, row, &err);
    need(vz_ranks_share_end(node, ok, &err));
    for (uint64_t row = 0; row < SIDE; row++) {
        int32_t values[SIDE];
        vz_ranks_drop_cached(node);
        need(move_row(node, row, values, true, &err));
        for (uint64_t i = 0; i < SIDE; i++)
            need(values[i] == (row < rows ? value_at(row, i) : -1));
    }
}

/* ---- bodies ---- */

static void collective(vz_comm *comm, void *path)
{
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    need(!h->ranks.without_locks);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    const uint64_t puts = vz_store_counted(vz_hierarchy_store(h)).puts;
    write_rows(comm, node, SIDE);
    const uint64_t own = vz_store_counted(vz_hierarchy_store(h)).puts - puts;
    int most = (int)own, left_for_others = 9 - (int)own; /* nine chunks: each is put once, by its owner */
    vz_error err = VZ_ERROR_NONE;
    need(vz_comm_agree_on(comm, true, &most, 1, &err) && most < 9 && left_for_others > 0);
    vz_node_unref(node);
    close_together(comm, h, root);
}

/* A call that names a dataset twice begins and ends twice. */
static void twice(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    need(vz_ranks_share_begin(node, &err) && vz_ranks_share_begin(node, &err));
    const bool ok = write_row(node, (uint64_t)comm->rank, &err);
    need(vz_ranks_share_end(node, ok, &err) && vz_ranks_share_end(node, true, &err));
    write_rows(comm, node, SIDE);
    vz_node_unref(node);
    close_together(comm, h, root);
}

static void empty_and_partial(vz_comm *comm, void *path)
{
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    write_rows(comm, node, 1); /* only rank 0 has anything */
    write_rows(comm, node, SIDE - 1);
    vz_node_unref(node);
    close_together(comm, h, root);
}

static void names(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root, *nameless;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    need(vz_ranks_begin(h, false, &err));
    nameless = array_of(h, SQUARE, &err);
    need(vz_ranks_end(h, nameless != NULL, false, &err));
    write_rows(comm, nameless, SIDE); /* under a name that all ranks have for it */
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, vz_edit_link(nameless, root, "b", false, &err), false, &err));
    write_rows(comm, nameless, SIDE);
    if (comm->rank == 1) { /* held here alone */
        vz_node_unref(node);
        node = NULL;
    }
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, vz_edit_unlink(root, "a", &err), false, &err));
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, vz_edit_rename(root, "b", root, "c", false, &err), false, &err));
    if (node)
        vz_node_unref(node);
    node = create(comm, h, root, "a", SQUARE);
    write_rows(comm, node, SIDE);
    need(vz_ranks_begin_memory(h, &err));
    vz_json *value = vz_json_string("of all", 6, &err);
    vz_ranks_end_memory(h, vz_node_set_attribute(node, "unit", value, &err));
    vz_node_unref(node);
    vz_node_unref(nameless);
    close_together(comm, h, root);
}

static bool delete_group(vz_hierarchy *h, vz_error *err)
{
    return vz_edit_unlink(vz_hierarchy_root(h), "g", err);
}

static void need_rows(vz_comm *comm, vz_node *node, uint64_t rows)
{
    vz_error err = VZ_ERROR_NONE;
    for (uint64_t row = 0; row < rows; row++) {
        int32_t values[SIDE];
        vz_ranks_drop_cached(node);
        need(move_row(node, row, values, true, &err));
        for (uint64_t i = 0; i < SIDE; i++)
            need(values[i] == value_at(row, i));
    }
}

static vz_node *create_group(vz_comm *comm, vz_hierarchy *h, vz_node *root)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *group = NULL;
    need(vz_ranks_begin(h, false, &err));
    bool ok = (group = vz_group_new(h, false, &err)) && vz_edit_link(group, root, "g", false, &err);
    need(vz_ranks_end(h, ok, false, &err));
    return group;
}

/* What is deleted while ranks hold it, of which the leader is none, stays theirs, though the name is used again; also
 * when it goes with the group that it is in. */
static void held(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *group = create_group(comm, h, root);
    vz_node *first = create(comm, h, root, "a", SQUARE), *inside = create(comm, h, group, "inside", SQUARE);
    write_rows(comm, first, SIDE);
    write_rows(comm, inside, SIDE);
    vz_node_unref(group);
    if (comm->rank != 1)
        vz_node_unref(inside);
    if (comm->rank == 0)
        vz_node_unref(first);
    change(comm, h, delete_a);
    change(comm, h, delete_group);
    vz_node *second = create(comm, h, root, "a", SQUARE);
    write_rows(comm, second, SIDE - 1);
    if (comm->rank == 1) {
        need_rows(comm, inside, SIDE);
        need(write_row(first, 0, &err) && vz_ranks_write_through(first, &err));
    }
    need(vz_ranks_begin(h, true, &err)); /* an end that leaves objects open */
    need(vz_ranks_end(h, vz_flush_finish(h, false, &err), true, &err));
    if (comm->rank != 0)
        need_rows(comm, first, SIDE);
    if (comm->rank == 1) {
        need_rows(comm, inside, SIDE);
        vz_node_unref(inside);
    }
    if (comm->rank != 0)
        vz_node_unref(first);
    vz_node_unref(second);
    close_together(comm, h, root);
}

static void failures(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    /* What fails everywhere does no harm; the leader does not even try. */
    vz_node *second = NULL;
    bool ok = vz_ranks_begin(h, false, &err);
    need(ok == (comm->rank != 0));
    if (ok) {
        second = array_of(h, SQUARE, &err);
        ok = vz_edit_link(second, root, "a", false, &err);
        ok = vz_ranks_end(h, ok, false, &err);
        vz_node_unref(second);
    }
    need(!ok && err.class == VZ_EXISTS);
    /* A write that fails on one rank fails on all, and none waits. */
    err = VZ_ERROR_NONE;
    ok = vz_ranks_share_begin(node, &err) && write_row(node, (uint64_t)comm->rank, &err);
    ok = ok && (comm->rank != 2 || vz_fail(&err, VZ_IO, "no room"));
    need(!vz_ranks_share_end(node, ok, &err) && err.class == VZ_IO);
    err = VZ_ERROR_NONE;
    /* A change in memory that one rank could not make is told by the next flush, once. */
    need(vz_ranks_begin_memory(h, &err));
    vz_ranks_end_memory(h, comm->rank != 2);
    need(vz_ranks_begin(h, true, &err) && !vz_ranks_end(h, vz_flush_store(h, false, &err), true, &err));
    need(err.class == VZ_IO && strstr(err.text, "attribute"));
    err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, true, &err) && vz_ranks_end(h, vz_flush_store(h, false, &err), true, &err));
    need(!vz_ranks_begin(h, false, &err) && err.class == VZ_BUSY);
    err = VZ_ERROR_NONE;
    h->ranks.apart = false;
    /* A change that one rank alone could not make is the last one. */
    ok = vz_ranks_begin(h, false, &err);
    need(ok == (comm->rank != 0));
    need(!ok || !vz_ranks_end(h, comm->rank != 1, false, &err));
    err = VZ_ERROR_NONE;
    need(!vz_ranks_begin(h, false, &err) && err.class == VZ_BUSY);
    vz_node_unref(node);
    close_together(comm, h, root);
}

/* Where no lock keeps ranks apart, parts of chunks go by their owners, or not at all. */
static void without_locks(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    need(h->ranks.without_locks); /* it is found out */
    vz_node *node = create(comm, h, root, "a", SQUARE);
    need(write_row(node, (uint64_t)comm->rank, &err));
    need(!vz_ranks_write_through(node, &err) && err.class == VZ_UNSUPPORTED);
    err = VZ_ERROR_NONE;
    need(vz_ranks_write_through(node, &err)); /* it was told, and is not tried again */
    int32_t values[SIDE];
    need(move_row(node, (uint64_t)comm->rank, values, true, &err) && values[0] == -1);
    write_rows(comm, node, SIDE);
    vz_node_unref(node);
    close_together(comm, h, root);
}

/* Without waiting for each other, many times: nobody's part is lost. */
static void alone(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "a", SQUARE);
    for (unsigned turn = 0; turn < 20; turn++)
        for (uint64_t row = (uint64_t)comm->rank; row < SIDE; row += RANKS) {
            int32_t values[SIDE] = {0};
            vz_ranks_drop_cached(node);
            need(turn == 19 || move_row(node, row, values, false, &err));
            need(turn < 19 || write_row(node, row, &err));
            need(vz_ranks_write_through(node, &err));
        }
    vz_node_unref(node);
    close_together(comm, h, root);
}

static void joining(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root, *again;
    vz_hierarchy *h = open_together(comm, path, &root), *other = NULL;
    const vz_options options = default_options();
    need(!vz_open_hierarchy(path, VZ_OPEN_WRITE, &options, &other, &again, &err) && err.class == VZ_BUSY);
    other = open_turn(comm, path, VZ_OPEN_WRITE, &again); /* the same ranks may */
    need(other == h);
    vz_node_unref(again);
    need(vz_close_hierarchy(other, &err));
    close_together(comm, h, root);
}

/* ---- an array that stands in the annotation of its group ---- */

static bool no_links(vz_node *group, vz_error *err)
{
    (void)group, (void)err;
    return true;
}

static const char *no_attribute(const vz_node *group)
{
    (void)group;
    return NULL;
}

static bool begins_with_chunks(vz_hierarchy *h, vz_node *only, vz_error *err)
{
    (void)only;
    vz_link *link = vz_group_find(vz_hierarchy_root(h), "x", err);
    vz_node *node = link ? vz_link_node(vz_hierarchy_root(h), link, err) : NULL;
    if (node && vz_node_is_dirty(node))
        node->is_dimension = false;
    return node && vz_edit_note_dimensions(vz_hierarchy_root(h), err);
}

static void make_dimension(vz_comm *comm, const char *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = NULL;
    const vz_options options = default_options();
    need(vz_open_hierarchy(path, VZ_CREATE_TRUNCATE, &options, &h, &root, &err));
    vz_json *entries = vz_node_annotation_entries(root, VZ_ANNOTATION_DIMENSIONS, &err);
    need(vz_json_set(entries, "x", json_of("{'d':" SQUARE ",'a':{}}"), &err) && vz_node_annotated(root, &err));
    vz_node_unref(root);
    need(vz_close_hierarchy(h, &err));
}

/* The last rank alone writes elements; the leader has not looked into the group. */
static void dimension(vz_comm *comm, void *path)
{
    static const vz_conventions ours = {no_links, no_attribute, begins_with_chunks};
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = NULL;
    if (vz_comm_leads(comm)) {
        make_dimension(comm, path);
        h = open_turn(comm, path, VZ_OPEN_WRITE, &root);
    }
    need(vz_comm_agree(comm, true, &err));
    if (!vz_comm_leads(comm))
        h = open_turn(comm, path, VZ_OPEN_WRITE, &root);
    need(vz_comm_agree(comm, true, &err) && vz_ranks_joined(h, &err) && vz_hierarchy_set_conventions(h, &ours, &err));
    if (comm->rank == comm->size - 1) {
        vz_link *link = vz_group_find(root, "x", &err);
        vz_node *node = link ? vz_link_node(root, link, &err) : NULL;
        need(node && node->is_dimension);
        vz_node_ref(node);
        need(vz_edit_store_dimension(node, &err));
        for (uint64_t row = 0; row < SIDE; row++)
            need(write_row(node, row, &err));
        need(vz_ranks_write_through(node, &err));
        vz_node_unref(node);
    }
    close_together(comm, h, root);
}

/* ---- what is in the store then ---- */

static void assert_square(const place *p, const char *name, uint64_t rows)
{
    for (uint64_t row = 0; row < SIDE; row++)
        for (uint64_t column = 0; column < SIDE; column++) {
            char key[100];
            int32_t chunk[CHUNK][CHUNK];
            snprintf(key, sizeof key, "%s/%d.%d", name, (int)(row / CHUNK), (int)(column / CHUNK));
            char *path = scratch_path(p->store, key);
            FILE *file = fopen(path, "rb");
            assert_non_null(file);
            assert_int_equal(fread(chunk, 1, sizeof chunk, file), sizeof chunk);
            fclose(file);
            free(path);
            assert_int_equal(chunk[row % CHUNK][column % CHUNK], row < rows ? value_at(row, column) : -1);
        }
}

static bool is_there(const place *p, const char *key)
{
    char *path = scratch_path(p->store, key);
    const bool is = access(path, F_OK) == 0;
    free(path);
    return is;
}

static void writing(void **state)
{
    place *p = *state;
    assert_true(on_ranks(RANKS, collective, p->store));
    assert_square(p, "a", SIDE);
    assert_true(is_there(p, ".zmetadata") && is_there(p, "a/.zarray"));
    assert_true(on_ranks(RANKS, twice, p->store));
    assert_square(p, "a", SIDE);
    assert_true(on_ranks(RANKS, empty_and_partial, p->store));
    assert_square(p, "a", SIDE - 1);
    assert_true(on_ranks(RANKS, alone, p->store));
    assert_square(p, "a", SIDE);
    for (locks = NO_LOCKS; locks <= LOCAL_LOCKS; locks++) {
        assert_true(on_ranks(RANKS, without_locks, p->store));
        assert_square(p, "a", SIDE);
    }
    locks = SYSTEM_LOCKS;
}

static void naming(void **state)
{
    place *p = *state;
    assert_true(on_ranks(RANKS, names, p->store));
    assert_square(p, "a", SIDE);
    assert_square(p, "c", SIDE);
    assert_true(is_there(p, "a/.zattrs") && !is_there(p, "b"));
    const vz_options options = default_options();
    vz_hierarchy *h = NULL;
    vz_node *root = NULL;
    uint64_t count = 0;
    must(vz_open_hierarchy(p->store, VZ_OPEN_READ, &options, &h, &root, &err) && vz_group_count(root, &count, &err));
    assert_int_equal(count, 2);
    vz_node_unref(root);
    must(vz_close_hierarchy(h, &err));
}

static void holding(void **state)
{
    place *p = *state;
    assert_true(on_ranks(RANKS, held, p->store));
    DIR *directory = opendir(p->store);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        assert_null(strstr(entry->d_name, ".partial")); /* nobody holds it any more */
    closedir(directory);
    assert_square(p, "a", SIDE - 1);
    assert_false(is_there(p, "g"));
    assert_true(on_ranks(2, held, p->store));
}

static void a_dimension_is_made_an_array(void **state)
{
    place *p = *state;
    assert_true(on_ranks(RANKS, dimension, p->store));
    assert_true(is_there(p, "x/.zarray"));
    assert_square(p, "x", SIDE);
}

static void failing(void **state)
{
    place *p = *state;
    assert_true(on_ranks(RANKS, failures, p->store));
    assert_true(is_there(p, "a/.zarray"));
    assert_true(on_ranks(RANKS, joining, p->store));
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naming, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dimension_is_made_an_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
