/* test_hierarchy_ranks.c - several ranks write one store together. What they wrote is looked at in the files. */
#include "fork_comm.h"
#include "node_support.h"
#include <dirent.h>

enum { RANKS = 3, SIDE = 10, CHUNK = 4 };

static vz_hierarchy *open_turn(vz_comm *comm, const char *path, vz_open_mode mode, vz_node **start)
{
    vz_error err = VZ_ERROR_NONE;
    vz_hierarchy *h = NULL;
    const vz_options options = default_options();
    vz_found *found = vz_path_find(path, &err);
    need(found);
    vz_found_share(found, comm);
    need(vz_found_open(found, mode, &options, &h, start, &err));
    vz_found_free(found);
    return h;
}

/* The leader makes the store, the others open it. */
static vz_hierarchy *open_together(vz_comm *comm, const char *path, vz_node **start)
{
    vz_error err = VZ_ERROR_NONE;
    vz_hierarchy *h = NULL;
    if (vz_comm_leads(comm)) {
        h = open_turn(comm, path, VZ_CREATE_TRUNCATE, start);
        need(vz_hierarchy_flush(h, false, &err));
    }
    need(vz_comm_agree(comm, true, &err));
    if (!vz_comm_leads(comm))
        h = open_turn(comm, path, VZ_OPEN_WRITE, start);
    need(vz_comm_agree(comm, true, &err) && vz_ranks_joined(h, &err));
    return h;
}

static void close_together(vz_comm *comm, vz_hierarchy *h, vz_node *start)
{
    vz_error err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, true, &err));
    need(vz_ranks_end(h, vz_hierarchy_finish(h, false, &err), true, &err));
    vz_node_unref(start);
    need(vz_hierarchy_close(h, &err));
}

static vz_node *array_of(vz_hierarchy *h, const char *document, vz_error *err)
{
    vz_json *json = json_of(document);
    vz_array_meta *meta = vz_meta_parse_v2(json, err);
    vz_json_free(json);
    return meta ? vz_array_new(h, meta, err) : NULL;
}

#define SQUARE                                                                                                         \
    "{'shape':[10,10],'chunks':[4,4],'dtype':'<i4','fill_value':-1,'order':'C','filters':null,"                        \
    "'dimension_separator':'.','compressor':null,'zarr_format':2}"

static vz_node *create(vz_comm *comm, vz_hierarchy *h, vz_node *group, const char *name, const char *document)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *node = NULL;
    need(vz_ranks_begin(h, false, &err));
    bool ok = (node = array_of(h, document, &err)) && vz_node_link(node, group, name, false, &err);
    need(vz_ranks_end(h, ok, false, &err));
    return node;
}

static int32_t value_at(uint64_t row, uint64_t column)
{
    return (int32_t)(row * 100 + column);
}

static bool move_row(vz_node *node, uint64_t row, int32_t *values, bool reading, vz_error *err)
{
    const vz_region region = {.rank = 2,
                              .start = {row, 0},
                              .stride = {1, 1},
                              .count = {1, 1},
                              .block = {1, SIDE},
                              .memory_stride = {SIDE, 1}};
    const vz_transfer transfer = {.region = &region, .buffer = values, .element_size = sizeof *values};
    vz_array *io = vz_node_io(node, err);
    return io && (reading ? vz_array_read(io, &transfer, err)
                          : vz_array_write(io, &transfer, err) && vz_node_wrote(node, err));
}

static bool write_row(vz_node *node, uint64_t row, vz_error *err)
{
    int32_t values[SIDE];
    for (uint64_t i = 0; i < SIDE; i++)
        values[i] = value_at(row, i);
    return move_row(node, row, values, false, err);
}

/* Rows r, r + ranks ... of each rank: every chunk has parts of several; the last rank leaves the last row out. */
static void write_rows(vz_comm *comm, vz_node *node, uint64_t rows)
{
    vz_error err = VZ_ERROR_NONE;
    bool ok = vz_node_share_begin(node, &err);
    for (uint64_t row = (uint64_t)comm->rank; ok && row < rows; row += (uint64_t)comm->size)
        ok = write_row(node, row, &err);
    need(vz_node_share_end(node, ok, &err));
    for (uint64_t row = 0; row < SIDE; row++) {
        int32_t values[SIDE];
        vz_node_drop_cached(node);
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
    need(vz_ranks_end(h, vz_node_link(nameless, root, "b", false, &err), false, &err));
    write_rows(comm, nameless, SIDE);
    if (comm->rank == 1) { /* held here alone */
        vz_node_unref(node);
        node = NULL;
    }
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, vz_group_unlink(root, "a", &err), false, &err));
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, vz_link_rename(root, "b", root, "c", false, &err), false, &err));
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

static void change(vz_comm *comm, vz_hierarchy *h, bool (*make)(vz_hierarchy *h, vz_error *err))
{
    vz_error err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, make(h, &err), false, &err));
}

static bool delete_a(vz_hierarchy *h, vz_error *err)
{
    return vz_group_unlink(vz_hierarchy_root(h), "a", err);
}

static bool delete_group(vz_hierarchy *h, vz_error *err)
{
    return vz_group_unlink(vz_hierarchy_root(h), "g", err);
}

static void need_rows(vz_comm *comm, vz_node *node, uint64_t rows)
{
    vz_error err = VZ_ERROR_NONE;
    for (uint64_t row = 0; row < rows; row++) {
        int32_t values[SIDE];
        vz_node_drop_cached(node);
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
    bool ok = (group = vz_group_new(h, false, &err)) && vz_node_link(group, root, "g", false, &err);
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
        need(write_row(first, 0, &err) && vz_node_write_through(first, &err));
    }
    need(vz_ranks_begin(h, true, &err)); /* an end that leaves objects open */
    need(vz_ranks_end(h, vz_hierarchy_finish(h, false, &err), true, &err));
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

/* Nobody waits more often than this: a change is a message to the leader and one from it. */
static void counted(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "b", SQUARE);
    const fork_calls *calls = &((fork_comm *)comm)->calls;
    fork_calls before = *calls;
    vz_node_unref(create(comm, h, root, "a", SQUARE));
    change(comm, h, delete_a);
    need(vz_ranks_begin(h, true, &err) && vz_ranks_end(h, vz_hierarchy_flush(h, false, &err), true, &err));
    need(calls->most_for_leader - before.most_for_leader == 3 && calls->broadcast - before.broadcast == 3);
    need(calls->most == before.most && calls->exchange == before.exchange);
    /* Elements: nobody has parts, then all have. */
    before = *calls;
    need(vz_node_share_begin(node, &err) && vz_node_share_end(node, true, &err));
    need(calls->most - before.most == 1 && calls->exchange == before.exchange);
    bool ok = vz_node_share_begin(node, &err) && write_row(node, (uint64_t)comm->rank, &err);
    need(vz_node_share_end(node, ok, &err));
    need(calls->most - before.most == 5 && calls->exchange - before.exchange == 2);
    need(calls->broadcast == before.broadcast && calls->most_for_leader == before.most_for_leader);
    /* Each by itself: nobody waits. */
    before = *calls;
    need(write_row(node, (uint64_t)comm->rank, &err) && vz_node_write_through(node, &err));
    need(memcmp(&before, calls, sizeof before) == 0);
    vz_node_unref(node);
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
        ok = vz_node_link(second, root, "a", false, &err);
        ok = vz_ranks_end(h, ok, false, &err);
        vz_node_unref(second);
    }
    need(!ok && err.class == VZ_EXISTS);
    /* A write that fails on one rank fails on all, and none waits. */
    err = VZ_ERROR_NONE;
    ok = vz_node_share_begin(node, &err) && write_row(node, (uint64_t)comm->rank, &err);
    ok = ok && (comm->rank != 2 || vz_fail(&err, VZ_IO, "no room"));
    need(!vz_node_share_end(node, ok, &err) && err.class == VZ_IO);
    err = VZ_ERROR_NONE;
    /* A change in memory that one rank could not make is told by the next flush, once. */
    need(vz_ranks_begin_memory(h, &err));
    vz_ranks_end_memory(h, comm->rank != 2);
    need(vz_ranks_begin(h, true, &err) && !vz_ranks_end(h, vz_hierarchy_flush(h, false, &err), true, &err));
    need(err.class == VZ_IO && strstr(err.text, "attribute"));
    err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, true, &err) && vz_ranks_end(h, vz_hierarchy_flush(h, false, &err), true, &err));
    need(!vz_ranks_begin(h, false, &err) && err.class == VZ_BUSY);
    err = VZ_ERROR_NONE;
    h->apart = false;
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
    need(!h->without_locks); /* here they work */
    h->without_locks = true;
    vz_node *node = create(comm, h, root, "a", SQUARE);
    need(write_row(node, (uint64_t)comm->rank, &err));
    need(!vz_node_write_through(node, &err) && err.class == VZ_UNSUPPORTED);
    err = VZ_ERROR_NONE;
    need(vz_node_write_through(node, &err)); /* it was told, and is not tried again */
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
            vz_node_drop_cached(node);
            need(turn == 19 || move_row(node, row, values, false, &err));
            need(turn < 19 || write_row(node, row, &err));
            need(vz_node_write_through(node, &err));
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
    need(!vz_hierarchy_open(path, VZ_OPEN_WRITE, &options, &other, &again, &err) && err.class == VZ_BUSY);
    other = open_turn(comm, path, VZ_OPEN_WRITE, &again); /* the same ranks may */
    need(other == h);
    vz_node_unref(again);
    need(vz_hierarchy_close(other, &err));
    close_together(comm, h, root);
}

/* ---- what is in the store then ---- */

typedef struct place {
    char *scratch, *store;
} place;

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->scratch = scratch_new();
    p->store = scratch_path(p->scratch, "s.zarr");
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    scratch_remove(p->scratch);
    free(p->store);
    free(p);
    return 0;
}

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
    assert_true(on_ranks(RANKS, empty_and_partial, p->store));
    assert_square(p, "a", SIDE - 1);
    assert_true(on_ranks(RANKS, alone, p->store));
    assert_square(p, "a", SIDE);
    assert_true(on_ranks(RANKS, without_locks, p->store));
    assert_square(p, "a", SIDE);
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
    uint64_t count;
    must(vz_hierarchy_open(p->store, VZ_OPEN_READ, &options, &h, &root, &err) && vz_group_count(root, &count, &err));
    assert_int_equal(count, 2);
    vz_node_unref(root);
    must(vz_hierarchy_close(h, &err));
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
    assert_true(on_ranks(RANKS, counted, p->store));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naming, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
