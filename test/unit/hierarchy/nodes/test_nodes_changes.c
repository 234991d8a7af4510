/* test_nodes_changes.c - creating, deleting and moving nodes, their order and names: over a store in memory,
 * by what the store then holds. */
#include "members_support.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/node_state.h"

/* ---- creating ---- */

static void new_nodes(void **state)
{
    (void)state;
    vz_hierarchy *h = over(new_store(), true, true);
    vz_node *root = vz_hierarchy_root(h);
    assert_text(h->store, ".zgroup", GROUP);
    char *text = get_text(h->store, ".zgroup");
    assert_string_equal(text, "{\n    \"zarr_format\": 2\n}"); /* as zarr-python prints it */
    free(text);
    vz_node *g = new_group(h, root, "g"), *a = new_array(h, g, "a");
    assert_false(has_key(h->store, "g/.zgroup"));
    assert_names(root, VZ_BY_NAME, "g");
    write_elements(a, 10);
    must(vz_node_set_attribute(a, "unit", json_of("'m'"), &err));
    flush(h);
    assert_text(h->store, "g/.zgroup", GROUP);
    assert_text(h->store, "g/a/.zarray", ARRAY_DOCUMENT);
    assert_text(h->store, "g/a/.zattrs", "{'unit':'m'}");
    assert_false(has_key(h->store, "g/.zattrs")); /* nothing to say */
    assert_true(has_key(h->store, "g/a/0") && has_key(h->store, "g/a/1"));
    const uint64_t puts = vz_store_counted(h->store).puts;
    flush(h);
    assert_int_equal(vz_store_counted(h->store).puts, puts); /* nothing is dirty */
    must(vz_node_remove_attribute(a, "unit", &err));
    flush(h);
    assert_text(h->store, "g/a/.zattrs", "{}"); /* it was there */
    vz_node *b = new_array(h, NULL, NULL);
    must_fail(vz_edit_link(b, g, "a", false, &err), VZ_EXISTS, "\"a\"");
    must_fail(vz_edit_link(b, a, "x", false, &err), VZ_INVALID, "no members");
    must_fail(vz_edit_link(b, g, "", false, &err), VZ_INVALID, "no name");
    must_fail(vz_edit_link(b, g, "x/y", false, &err), VZ_INVALID, "no name");
    vz_node_unref(a);
    vz_node_unref(b);
    vz_node_unref(g);
    close_it(h);
}

static void anonymous_nodes(void **state)
{
    (void)state;
    vz_store *store = new_store();
    vz_hierarchy *h = over(store, true, true);
    vz_node *root = vz_hierarchy_root(h), *a = new_array(h, NULL, NULL), *gone = new_array(h, NULL, NULL);
    assert_null(vz_node_path(a, NULL));
    write_elements(a, 1);
    write_elements(gone, 2);
    h->options.dirty_max = 0; /* everything must go out at once: into partial directories */
    write_element(a, 2, 77);
    vz_entry *entries = NULL;
    size_t count = 0;
    must(vz_store_list(store, "", &entries, &count, &err));
    assert_int_equal(count, 1); /* .zgroup: what is unlinked is not seen */
    vz_entries_free(entries, count);
    must(vz_edit_link(a, root, "a", false, &err));
    flush(h);
    assert_true(has_key(store, "a/0") && has_key(store, "a/1") && has_key(store, "a/.zarray"));
    assert_int_equal(read_element(a, 2), 77);
    assert_int_equal(read_element(gone, 0), 2);
    char *prefix = vz_node_prefix(gone, NULL), *key = vz_document_key_join(prefix, "0", NULL);
    vz_node_unref(gone);
    assert_false(has_key(store, key));
    free(key);
    free(prefix);
    /* A group without a name, with members. */
    vz_node *g = new_group(h, NULL, NULL), *x = new_array(h, g, "x");
    write_elements(x, 5);
    flush(h);
    must(vz_edit_link(g, root, "g", false, &err));
    must_fail(vz_edit_link(new_array(h, NULL, NULL), g, "x", false, &err), VZ_EXISTS, "x");
    flush(h);
    assert_text(store, "g/x/.zarray", ARRAY_DOCUMENT);
    assert_int_equal(read_element(x, 3), 8);
    /* A cycle goes with its last handle. */
    vz_node *top = new_group(h, NULL, NULL), *below = new_group(h, top, "below");
    must(vz_edit_link(top, below, "up", false, &err));
    vz_node_unref(below);
    vz_node_unref(top);
    vz_node_unref(a);
    vz_node_unref(x);
    vz_node_unref(g);
    close_it(h);
}

/* ---- deleting and moving ---- */

static void delete_nodes(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(tree, true);
    vz_store *store = h->store;
    vz_node *root = vz_hierarchy_root(h);
    must(vz_edit_unlink(root, "b", &err));
    assert_false(has_key(store, "b/.zarray") || has_key(store, "b/0") || has_key(store, "b/.zattrs"));
    must_fail(vz_edit_unlink(root, "b", &err), VZ_NOT_FOUND, "\"b\"");
    must(vz_edit_unlink(root, "implicit", &err));
    assert_names(root, VZ_BY_NAME, "a v3");
    must(vz_edit_unlink(root, "v3", &err));
    assert_false(has_key(store, "v3/zarr.json"));
    must(vz_edit_unlink(root, "a", &err));
    assert_false(has_key(store, "a/x/.zarray"));
    /* The name is free again, and nothing of the old node shines through. */
    vz_node *a = new_array(h, root, "a");
    assert_int_equal(read_element(a, 0), 0);
    /* What a deleted array left behind goes; what somebody put there does not. */
    vz_node *c = new_array(h, root, "chunks");
    assert_false(has_key(store, "chunks/0/0"));
    vz_node *n = new_array(h, NULL, NULL), *g = new_group(h, NULL, NULL);
    must_fail(vz_edit_link(n, root, "notes", false, &err), VZ_EXISTS, "something else");
    must(vz_edit_link(g, root, "notes", false, &err));
    flush(h);
    assert_true(has_key(store, "notes/readme.txt") && has_key(store, "notes/.zgroup"));
    vz_node_unref(a);
    vz_node_unref(c);
    vz_node_unref(n);
    vz_node_unref(g);
    close_it(h);
}

static void deleted_with_handles(void **state)
{
    (void)state;
    vz_store *store = new_store();
    vz_hierarchy *h = over(store, true, true);
    vz_node *root = vz_hierarchy_root(h), *g = new_group(h, root, "g"), *a = new_array(h, g, "a"),
            *b = new_array(h, g, "b");
    write_elements(a, 10);
    must(vz_node_set_attribute(a, "k", json_of("1"), &err));
    flush(h);
    vz_node_unref(b);
    vz_node_unref(g);
    must(vz_edit_unlink(root, "g", &err)); /* `a` below it is held */
    assert_false(has_key(store, "g/.zgroup") || has_key(store, "g/a/.zarray") || has_key(store, "g/a/0"));
    assert_null(vz_node_path(a, NULL));
    assert_int_equal(read_element(a, 2), 12);
    write_element(a, 2, 99);
    assert_json(vz_node_attribute(a, "k"), "1");
    flush(h); /* writes no document of it */
    vz_entry *entries = NULL;
    size_t count = 0;
    must(vz_store_list(store, "", &entries, &count, &err));
    assert_int_equal(count, 1);
    vz_entries_free(entries, count);
    char *prefix = vz_node_prefix(a, NULL), *key = vz_document_key_join(prefix, ".zarray", NULL);
    assert_false(has_key(store, key));
    free(key);
    key = vz_document_key_join(prefix, "0", NULL);
    assert_true(has_key(store, key));
    vz_node_unref(a);
    assert_false(has_key(store, key));
    free(key);
    free(prefix);
    /* Deleted, then linked again, group and all. */
    g = new_group(h, root, "g");
    a = new_array(h, g, "a");
    write_elements(a, 1);
    flush(h);
    must(vz_edit_unlink(root, "g", &err));
    must(vz_edit_link(g, root, "again", true, &err));
    flush(h);
    assert_text(store, "again/a/.zarray", ARRAY_DOCUMENT);
    assert_text(store, "again/.zgroup", GROUP);
    assert_int_equal(read_element(a, 3), 4);
    /* Held to the end: the last close removes it. */
    must(vz_edit_unlink(root, "again", &err));
    close_it(h);
}

static void moves(void **state)
{
    (void)state;
    vz_hierarchy *h = reading(tree, true);
    vz_store *store = h->store;
    vz_node *root = vz_hierarchy_root(h), *a = find(root, "a"), *b = find(root, "b");
    vz_node_ref(b);
    write_element(b, 3, 42); /* dirty while it moves */
    must(vz_edit_node_move(root, "b", a, "bb", false, &err));
    assert_names(root, VZ_BY_NAME, "a implicit v3");
    assert_names(a, VZ_BY_NAME, "bb x");
    assert_true(has_key(store, "a/bb/.zarray") && has_key(store, "a/bb/0"));
    flush(h);
    assert_int_equal(read_element(b, 3), 42);
    assert_true(has_key(store, "a/bb/1"));
    assert_false(has_key(store, "b/1") || has_key(store, "b/.zattrs"));
    must_fail(vz_edit_node_move(root, "a", a, "inside", false, &err), VZ_INVALID, "into itself");
    must_fail(vz_edit_node_move(root, "a", root, "implicit", false, &err), VZ_EXISTS, "implicit");
    must_fail(vz_edit_node_move(root, "nothing", root, "x", false, &err), VZ_NOT_FOUND, "nothing");
    must_fail(vz_edit_node_move(root, "a", root, "notes", false, &err), VZ_EXISTS, "something else");
    must_fail(vz_edit_node_move(root, "a", root, "a", false, &err), VZ_EXISTS, "there is a link");
    vz_node *fresh = new_group(h, root, "fresh");
    must(vz_edit_node_move(root, "a", fresh, "a", false, &err)); /* into a group that is not written yet */
    must(vz_edit_node_move(root, "fresh", root, "moved", false, &err));
    char *path = vz_node_path(b, NULL);
    assert_string_equal(path, "/moved/a/bb");
    free(path);
    flush(h);
    assert_true(has_key(store, "moved/.zgroup") && has_key(store, "moved/a/.zgroup") &&
                has_key(store, "moved/a/bb/.zarray"));
    vz_node_unref(fresh);
    vz_node_unref(b);
    close_it(h);
}

/* ---- order and names ---- */

static void creation_order(void **state)
{
    (void)state;
    vz_store *store = new_store();
    vz_hierarchy *h = over(store, true, true);
    vz_node *root = vz_hierarchy_root(h), *g = NULL;
    must((g = vz_group_new(h, true, &err)) && vz_edit_link(g, root, "g", false, &err));
    static const char *const names[] = {"z", "a", "m"};
    for (int i = 0; i < 3; i++)
        vz_node_unref(new_array(h, g, names[i]));
    assert_names(g, VZ_BY_CREATION, "z a m");
    assert_names(g, VZ_BY_NAME, "a m z");
    flush(h);
    assert_text(
        store, "g/.zattrs",
        "{'_HDF5':'{\\'L\\':[{\\'n\\':\\'z\\',\\'k\\':\\'hard\\',\\'i\\':0},{\\'n\\':\\'a\\',\\'k\\':\\'hard\\',"
        "\\'i\\':1},{\\'n\\':\\'m\\',\\'k\\':\\'hard\\',\\'i\\':2}]}'}");
    assert_false(has_key(store, ".zattrs"));
    /* Read by another hierarchy, to which somebody has added a member. */
    put_text(store, "g/b/.zarray", ARRAY_DOCUMENT);
    vz_node_free(h->root);
    must((h->root = vz_node_load_root(h, &err)));
    root = h->root;
    g = find(root, "g");
    assert_true(g->track_order);
    assert_names(g, VZ_BY_CREATION, "z a m b");
    must(vz_edit_unlink(g, "a", &err));
    must(vz_edit_node_move(g, "z", g, "zz", false, &err));
    vz_node_unref(new_array(h, g, "a"));
    assert_names(g, VZ_BY_CREATION, "m b zz a");
    flush(h);
    vz_node_free(h->root);
    must((h->root = vz_node_load_root(h, &err)));
    assert_names(find(h->root, "g"), VZ_BY_CREATION, "m b zz a");
    close_it(h);
}

/* A tracked group without members says so, too; other kinds of links are kept. */
static void link_list_is_kept(void **state)
{
    (void)state;
    static const char *const keys[] = {
        ".zgroup",
        GROUP,
        ".zattrs",
        "{'_HDF5':'{\\'v\\':1,\\'L\\':[{\\'n\\':\\'s\\',\\'k\\':\\'soft\\',\\'to\\':\\'/x\\'},{\\'n\\':\\'gone\\',"
        "\\'k\\':\\'hard\\',\\'i\\':4},{\\'n\\':\\'x/"
        "y\\',\\'e\\':\\'q\\',\\'k\\':\\'hard\\'},5,{\\'k\\':\\'hard\\'}]}'}",
        "a/.zgroup",
        GROUP,
        "q/.zgroup",
        GROUP,
        NULL};
    vz_hierarchy *h = reading(keys, true);
    assert_true(vz_hierarchy_is_ours(h));
    assert_true(h->root->track_order);
    assert_names(h->root, VZ_BY_CREATION, "a q s");
    vz_node_unref(new_group(h, h->root, "new"));
    vz_node *g = NULL;
    must((g = vz_group_new(h, true, &err)) && vz_edit_link(g, h->root, "empty", false, &err));
    flush(h);
    assert_text(h->store, "empty/.zattrs", "{'_HDF5':'{\\'L\\':[]}'}");
    char *text = get_text(h->store, ".zattrs");
    assert_non_null(strstr(text, "soft"));
    free(text);
    vz_node_unref(g);
    close_it(h);
}

static void escaped_names(void **state)
{
    (void)state;
    static const char *const names[] = {".",       "..",  ".zarray",     "zarr.json", "a\\b",
                                        "bad\xff", "%2E", "CD4%20ratio", "\xc3\xa9"};
    const size_t count = sizeof names / sizeof *names;
    vz_store *store = new_store();
    vz_hierarchy *h = over(store, true, true);
    char longest[600];
    memset(longest, 'x', sizeof longest);
    longest[599] = '\0';
    for (size_t i = 0; i < count; i++) {
        vz_node *node = NULL;
        must((node = vz_node_new_array(h, new_meta(), &err)) && vz_edit_link(node, h->root, names[i], i == 8, &err));
        vz_node_unref(node);
    }
    vz_node_unref(new_group(h, h->root, longest));
    flush(h);
    assert_true(has_key(store, "%2E/.zarray") && has_key(store, "CD4%20ratio/.zarray") &&
                has_key(store, "a%5Cb/.zarray"));
    vz_node_free(h->root);
    must((h->root = vz_node_load_root(h, &err)));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(find(h->root, names[i])->kind, VZ_NODE_ARRAY);
    assert_int_equal(find(h->root, longest)->kind, VZ_NODE_GROUP);
    uint64_t number;
    must(vz_group_count(h->root, &number, &err));
    assert_int_equal(number, count + 1);
    assert_false(h->root->track_order);
    assert_true(vz_group_find(h->root, names[8], NULL)->utf8);
    assert_false(vz_group_find(h->root, names[0], NULL)->utf8);
    /* Gone from the list when gone. */
    for (size_t i = 0; i < count; i++)
        must(vz_edit_unlink(h->root, names[i], &err));
    must(vz_edit_unlink(h->root, longest, &err));
    flush(h);
    assert_text(store, ".zattrs", "{}");
    close_it(h);
}

static void charsets(void **state)
{
    (void)state;
    vz_store *store = new_store();
    vz_hierarchy *h = over(store, true, true);
    vz_node *node = NULL;
    must((node = vz_node_new_array(h, new_meta(), &err)) && vz_edit_link(node, h->root, "plain", true, &err));
    vz_node_unref(node);
    must((node = vz_node_new_array(h, new_meta(), &err)) && vz_edit_link(node, h->root, "\xc3\xa9", false, &err));
    vz_node_unref(node);
    flush(h);
    vz_node_free(h->root);
    must((h->root = vz_node_load_root(h, &err)));
    assert_true(vz_group_find(h->root, "plain", NULL)->utf8);
    assert_false(vz_group_find(h->root, "\xc3\xa9", NULL)->utf8);
    close_it(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_nodes),
        cmocka_unit_test(anonymous_nodes),
        cmocka_unit_test(delete_nodes),
        cmocka_unit_test(deleted_with_handles),
        cmocka_unit_test(moves),
        cmocka_unit_test(creation_order),
        cmocka_unit_test(link_list_is_kept),
        cmocka_unit_test(escaped_names),
        cmocka_unit_test(charsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
