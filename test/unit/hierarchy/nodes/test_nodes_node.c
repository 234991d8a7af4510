/* test_nodes_node.c - members, broken nodes, attributes, many and deep ones: over a store in memory, by what the
 * store then holds. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/resolve/token.h"
#include "members_support.h"

/* ---- reading ---- */

static void members(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(tree, false);
    vz_node *root = vz_hierarchy_root(h);
    assert_names(root, VZ_BY_NAME, "a b implicit v3");
    assert_names(root, VZ_BY_CREATION, "a b implicit v3");
    assert_int_equal(find(root, "b")->kind, VZ_NODE_ARRAY);
    assert_int_equal(find(root, "b")->meta->shape[0], 4);
    assert_json(vz_node_attribute(find(root, "b"), "unit"), "'m'");
    assert_json(root->attributes, "{'title':'x','n':1}");
    assert_true(find(root, "implicit")->implicit);
    assert_names(find(find(root, "implicit"), "deep"), VZ_BY_NAME, "y");
    must_fail(vz_group_find(root, "chunks", &err), VZ_NOT_FOUND, "\"chunks\"");
    must_fail(vz_group_find(root, "nothing", &err), VZ_NOT_FOUND, "\"nothing\"");
    must_fail(vz_group_count(find(root, "b"), &(uint64_t){0}, &err), VZ_INVALID, "no members");
    assert_string_equal(vz_hierarchy_path(h), "memory");
    char *path = vz_node_path(find(find(find(root, "implicit"), "deep"), "y"), NULL);
    assert_string_equal(path, "/implicit/deep/y");
    free(path);
    must_fail(vz_node_set_attribute(root, "x", json_of("1"), &err), VZ_READ_ONLY, "read-only");
    must_fail(vz_edit_unlink(root, "a", &err), VZ_READ_ONLY, "read-only");
    must_fail(vz_group_new(h, false, &err), VZ_READ_ONLY, "read-only");
    must_fail(vz_node_new_array(h, new_meta(), &err), VZ_READ_ONLY, "read-only");
    close_it(h);
}

/* A listing is one listing, and a look or two at each member that is not known; a probe keeps what it read. */
static void store_operations(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(tree, false);
    vz_node *root = vz_hierarchy_root(h);
    const vz_store_counts before = vz_store_counted(h->store);
    uint64_t count;
    find(root, "b");
    const vz_store_counts after = vz_store_counted(h->store);
    assert_int_equal(after.lists - before.lists, 1);
    assert_int_equal(after.gets - before.gets, 2); /* .zarray, .zattrs */
    assert_int_equal(after.stats, 0);
    must(vz_group_count(root, &count, &err));
    const vz_store_counts counted = vz_store_counted(h->store);
    assert_int_equal(counted.stats, 10);
    find(root, "b");
    find(root, "a");
    const vz_store_counts last = vz_store_counted(h->store);
    assert_int_equal(last.stats, counted.stats);
    assert_int_equal(last.puts, before.puts);
    must(vz_group_count(root, &count, &err) && vz_group_link_at(root, VZ_BY_NAME, 0, &err));
    assert_int_equal(vz_store_counted(h->store).gets, last.gets);
    close_it(h);
}

static const char *const broken[] = {".zgroup",
                                     GROUP,
                                     "good/.zarray",
                                     ARRAY_DOCUMENT,
                                     "json/.zarray",
                                     "{'shape'",
                                     "type/.zarray",
                                     "{'shape':[4],'chunks':[2],'dtype':'<x9','fill_value':0,'order':'C','filters':"
                                     "null,'compressor':null,'zarr_format':2}",
                                     "type/.zattrs",
                                     "{'still':'here'}",
                                     "attrs/.zarray",
                                     ARRAY_DOCUMENT,
                                     "attrs/.zattrs",
                                     "[1]",
                                     "group/.zgroup",
                                     "{'zarr_format':3}",
                                     "group2/.zgroup",
                                     "[]",
                                     "note/.zgroup",
                                     GROUP,
                                     "note/.zattrs",
                                     "{'_HDF5':'{not json','a':1}",
                                     "badnote/.zgroup",
                                     GROUP,
                                     "badnote/.zattrs",
                                     "{'_HDF5':[1,2],'a':1}",
                                     NULL};

static void broken_nodes_hide_nobody(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(broken, true);
    vz_node *root = vz_hierarchy_root(h), *node;
    assert_names(root, VZ_BY_NAME, "attrs badnote good group group2 json note type");
    node = find(root, "json");
    assert_null(node->meta);
    must_fail(vz_node_io(node, &err), VZ_CORRUPT, "");
    assert_string_equal(vz_node_meta_error(node)->object, "/json");
    node = find(root, "type");
    assert_true(node->meta && !vz_node_understood(node)); /* its outline */
    must_fail(vz_node_io(node, &err), VZ_UNSUPPORTED, "\"<x9\" is not known");
    assert_json(node->attributes, "{'still':'here'}");
    vz_link *link = vz_group_find(root, "attrs", NULL);
    must_fail(vz_link_node(root, link, &err), VZ_CORRUPT, ".zattrs: is an array, not an object");
    link = vz_group_find(root, "group", NULL);
    must_fail(vz_link_node(root, link, &err), VZ_UNSUPPORTED, "zarr_format 3");
    link = vz_group_find(root, "group2", NULL);
    must_fail(vz_link_node(root, link, &err), VZ_CORRUPT, "\"zarr_format\" is missing");
    must_fail(vz_node_io(root, &err), VZ_INVALID, "no data");
    /* An annotation that cannot be understood stays until somebody annotates. */
    node = find(root, "note");
    assert_json(node->annotation, "{}");
    assert_json(node->attributes, "{'a':1}");
    must(vz_node_set_attribute(node, "b", json_of("2"), &err));
    flush(h);
    assert_text(h->store, "note/.zattrs", "{'a':1,'b':2,'_HDF5':'{not json'}");
    /* Attributes of an array whose type is unknown can be edited; its document stays. */
    must(vz_node_set_attribute(find(root, "type"), "more", json_of("2"), &err));
    flush(h);
    assert_text(h->store, "type/.zattrs", "{'still':'here','more':2}");
    close_it(h);
}

static void broken_roots(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text;
        vz_error_class class;
        const char *message;
    } rows[] = {
        {".zgroup", "{'zarr_format':'2'}", VZ_CORRUPT, "\"zarr_format\" is a string"},
        {".zgroup", "{", VZ_CORRUPT, ""},
        {".zgroup", "", VZ_CORRUPT, ""},
        {".zgroup", "{'zarr_format':2", VZ_CORRUPT, ""},
        {".zgroup", "{'zarr_format':2}}", VZ_CORRUPT, ""},
        {".zgroup", "{'zarr_format':2 2}", VZ_CORRUPT, ""},
        {".zgroup", "{'zarr_format':22}", VZ_UNSUPPORTED, "zarr_format 22"},
        {".zgroup", "{'zarr_ format':2}", VZ_CORRUPT, "\"zarr_format\" is missing"},
        {"other", "x", VZ_NOT_FOUND, "no Zarr group or array"},
    };
    const vz_options options = default_options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vz_store *store = new_store();
        put_text(store, rows[i].key, rows[i].text);
        must_fail(vz_open_hierarchy_over(store, "memory", &options, false, false, &err), rows[i].class,
                  rows[i].message);
    }
}

static void white_space_in_a_root(void **state)
{
    (void)state;
    static const char *const keys[] = {".zgroup", "\r\n { 'zarr_format' :\t2 }\n", ".zattrs", " {\n} ", NULL};
    vz_hierarchy *h = reading(keys, true);
    assert_names(vz_hierarchy_root(h), VZ_BY_NAME, "");
    close_it(h);
}

static void array_store(void **state)
{
    (void)state;
    static const char *const keys[] = {".zarray", ARRAY_DOCUMENT, ".zattrs", "{'a':1}", "0", "12345678", NULL};
    vz_hierarchy *h = reading(keys, true);
    vz_node *root = vz_hierarchy_root(h);
    assert_names(root, VZ_BY_NAME, "memory");
    vz_node *array = find(root, "memory");
    char *prefix = vz_node_prefix(array, NULL), *path = vz_node_path(array, NULL);
    assert_string_equal(prefix, "");
    assert_string_equal(path, "/memory");
    free(prefix);
    free(path);
    assert_int_equal(read_element(array, 0), 0x34333231);
    write_element(array, 3, 5);
    must(vz_node_set_attribute(array, "b", json_of("2"), &err));
    vz_node *other = new_array(h, NULL, NULL);
    must_fail(vz_edit_link(other, root, "x", false, &err), VZ_UNSUPPORTED, "one array");
    must_fail(vz_edit_unlink(root, "memory", &err), VZ_UNSUPPORTED, "one array");
    vz_node_unref(other);
    flush(h);
    assert_text(h->store, ".zattrs", "{'a':1,'b':2}");
    assert_text(h->store, ".zarray", ARRAY_DOCUMENT);
    assert_true(has_key(h->store, "1"));
    assert_false(has_key(h->store, ".zgroup"));
    close_it(h);
}

/* ---- attributes ---- */

static void attributes(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(tree, true);
    vz_node *root = vz_hierarchy_root(h);
    must(vz_node_set_attribute(root, "new", json_of("[1,2.50,NaN]"), &err));
    must(vz_node_rename_attribute(root, "title", "name", &err));
    must_fail(vz_node_rename_attribute(root, "n", "name", &err), VZ_EXISTS, "\"name\"");
    must_fail(vz_node_rename_attribute(root, "title", "x", &err), VZ_NOT_FOUND, "\"title\"");
    must_fail(vz_node_remove_attribute(root, "title", &err), VZ_NOT_FOUND, "\"title\"");
    must_fail(vz_node_set_attribute(root, "_HDF5", json_of("1"), &err), VZ_INVALID, "reserved");
    must(vz_json_set(root->annotation, "v", json_of("1"), &err) && vz_node_annotated(root, &err));
    flush(h);
    assert_text(h->store, ".zattrs", "{'name':'x','n':1,'new':[1,2.50,NaN],'_HDF5':'{\\'v\\':1}'}");
    assert_true(vz_hierarchy_is_ours(h));
    must(vz_json_remove(root->annotation, "v") && vz_node_annotated(root, &err));
    flush(h);
    assert_text(h->store, ".zattrs", "{'name':'x','n':1,'new':[1,2.50,NaN]}");
    /* A change in an implicit group gives it a document. */
    must(vz_node_set_attribute(find(root, "implicit"), "a", json_of("1"), &err));
    flush(h);
    assert_text(h->store, "implicit/.zgroup", GROUP);
    close_it(h);
}

/* ---- many ---- */

static void many_members(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    vz_store *store = new_store();
    put_text(store, ".zgroup", GROUP);
    char key[64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "column%05d/.zarray", i);
        put_text(store, key, ARRAY_DOCUMENT);
    }
    vz_hierarchy *h = over(store, true, false);
    uint64_t count;
    must(vz_group_count(h->root, &count, &err));
    assert_int_equal(count, COUNT);
    assert_int_equal(vz_store_counted(store).lists, 1);
    assert_int_equal(vz_store_counted(store).gets, 4); /* the root's zarr.json, .zarray, .zgroup, .zattrs */
    assert_int_equal(vz_store_counted(store).stats, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) { /* what a listing of links tells of each takes nothing more */
        uint64_t token;
        must(vz_token_of_link(h->root, vz_group_link_at(h->root, VZ_BY_NAME, i, &err), &token, &err) && token);
    }
    assert_int_equal(vz_store_counted(store).gets, 4);
    assert_int_equal(vz_store_counted(store).stats, COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        must(vz_link_node(h->root, vz_group_link_at(h->root, VZ_BY_NAME, i, &err), &err));
    /* Handles that come and go leave a bounded number of nodes behind; what was forgotten is loaded again. */
    for (uint64_t i = 0; i < COUNT; i++) {
        vz_node *node = vz_link_node(h->root, vz_group_link_at(h->root, VZ_BY_NAME, i, NULL), NULL);
        vz_node_ref(node);
        assert_int_equal(read_element(node, 1), 0);
        vz_node_unref(node);
        assert_null(node->io);
    }
    assert_int_equal(h->idle.count, VZ_IDLE_NODES);
    assert_null(vz_group_link_at(h->root, VZ_BY_NAME, 0, NULL)->node);
    assert_int_equal(find(h->root, "column00000")->meta->shape[0], 4);
    must(vz_store_del(store, "column00001/.zarray", &err));
    must_fail(vz_link_node(h->root, vz_group_link_at(h->root, VZ_BY_NAME, 1, NULL), &err), VZ_NOT_FOUND,
              "another process");
    for (uint64_t i = 0; i < COUNT; i++) /* always the first, as a walk that deletes does */
        must(vz_edit_unlink(h->root, vz_group_link_at(h->root, VZ_BY_NAME, 0, NULL)->name, &err));
    must(vz_group_count(h->root, &count, &err));
    assert_int_equal(count, 0);
    close_it(h);
}

static void deep_groups(void **state)
{
    (void)state;
    vz_hierarchy *h = over(new_store(), true, true);
    vz_node *group = h->root;
    for (int i = 0; i < VZ_MAX_DEPTH; i++) {
        vz_node *next = new_group(h, group, "g");
        vz_node_unref(next);
        group = next;
    }
    vz_node *last = new_group(h, NULL, NULL);
    must_fail(vz_edit_link(last, group, "g", false, &err), VZ_LIMIT, "nested deeper");
    vz_node_unref(last);
    flush(h);
    must(vz_edit_unlink(h->root, "g", &err));
    close_it(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),
        cmocka_unit_test(store_operations),
        cmocka_unit_test(broken_nodes_hide_nobody),
        cmocka_unit_test(broken_roots),
        cmocka_unit_test(white_space_in_a_root),
        cmocka_unit_test(array_store),
        cmocka_unit_test(attributes),
        cmocka_unit_test(many_members),
        cmocka_unit_test(deep_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
