/* test_zarr_node.c - members, links, moves, deletions, attributes: over a store in memory, by what the store then
 * holds. */
#include "zarr_node_support.h"
#include "zarr/names.h"

static vz_store *new_store(void)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    return store;
}

/* A hierarchy that reads what `keys` (pairs, NULL at the end) hold. */
static vz_hierarchy *reading(const char *const *keys, bool writable)
{
    vz_store *store = new_store();
    for (; *keys; keys += 2)
        put_text(store, keys[0], keys[1]);
    return over(store, writable, false);
}

static void close_it(vz_hierarchy *hierarchy)
{
    must(vz_hierarchy_close(hierarchy, &err));
}

static void flush(vz_hierarchy *hierarchy)
{
    must(vz_hierarchy_flush(hierarchy, false, &err));
}

#define GROUP "{'zarr_format':2}"

static void assert_names(vz_node *group, vz_order order, const char *expected)
{
    char text[1024] = "";
    uint64_t count = 0;
    must(vz_group_count(group, &count, &err));
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = NULL;
        must((link = vz_group_link_at(group, order, i, &err)));
        strcat(strcat(text, i ? " " : ""), link->name);
    }
    assert_string_equal(text, expected);
    must_fail(vz_group_link_at(group, order, count, &err), VZ_NOT_FOUND, "only");
}

/* ---- reading ---- */

static const char *const tree[] = {".zgroup",
                                   GROUP,
                                   ".zattrs",
                                   "{'title':'x','n':1}",
                                   "b/.zarray",
                                   ARRAY_DOCUMENT,
                                   "b/.zattrs",
                                   "{'unit':'m'}",
                                   "b/0",
                                   "12345678",
                                   "a/.zgroup",
                                   GROUP,
                                   "a/x/.zarray",
                                   ARRAY_DOCUMENT,
                                   "implicit/deep/y/.zarray",
                                   ARRAY_DOCUMENT,
                                   "chunks/0/0",
                                   "left by a deleted array",
                                   "notes/readme.txt",
                                   "hello",
                                   "v3/zarr.json",
                                   "{'zarr_format':3,'node_type':'group'}",
                                   "plain.txt",
                                   "hello",
                                   NULL};

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
    must_fail(vz_group_unlink(root, "a", &err), VZ_READ_ONLY, "read-only");
    must_fail(vz_group_new(h, false, &err), VZ_READ_ONLY, "read-only");
    must_fail(vz_array_new(h, new_meta(), &err), VZ_READ_ONLY, "read-only");
    close_it(h);
}

/* A listing is one listing; a probe keeps what it read; nothing is ever asked for its state. */
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
    must(vz_group_count(root, &count, &err));
    find(root, "b");
    find(root, "a");
    const vz_store_counts last = vz_store_counted(h->store);
    assert_int_equal(last.stats, 0);
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
    assert_string_equal(node->meta_error.object, "/json");
    node = find(root, "type");
    assert_null(node->meta);
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
        {"other", "x", VZ_NOT_FOUND, "no Zarr group or array"},
    };
    const vz_options options = default_options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vz_store *store = new_store();
        put_text(store, rows[i].key, rows[i].text);
        must_fail(vz_hierarchy_over(store, "memory", &options, false, false, &err), rows[i].class, rows[i].message);
    }
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
    must_fail(vz_node_link(other, root, "x", false, &err), VZ_UNSUPPORTED, "one array");
    must_fail(vz_group_unlink(root, "memory", &err), VZ_UNSUPPORTED, "one array");
    vz_node_unref(other);
    flush(h);
    assert_text(h->store, ".zattrs", "{'a':1,'b':2}");
    assert_text(h->store, ".zarray", ARRAY_DOCUMENT);
    assert_true(has_key(h->store, "1"));
    assert_false(has_key(h->store, ".zgroup"));
    close_it(h);
}

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
    must_fail(vz_node_link(b, g, "a", false, &err), VZ_EXISTS, "\"a\"");
    must_fail(vz_node_link(b, a, "x", false, &err), VZ_INVALID, "no members");
    must_fail(vz_node_link(b, g, "", false, &err), VZ_INVALID, "no name");
    must_fail(vz_node_link(b, g, "x/y", false, &err), VZ_INVALID, "no name");
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
    must(vz_node_link(a, root, "a", false, &err));
    flush(h);
    assert_true(has_key(store, "a/0") && has_key(store, "a/1") && has_key(store, "a/.zarray"));
    assert_int_equal(read_element(a, 2), 77);
    assert_int_equal(read_element(gone, 0), 2);
    char *prefix = vz_node_prefix(gone, NULL), *key = vz_key_join(prefix, "0", NULL);
    vz_node_unref(gone);
    assert_false(has_key(store, key));
    free(key);
    free(prefix);
    /* A group without a name, with members. */
    vz_node *g = new_group(h, NULL, NULL), *x = new_array(h, g, "x");
    write_elements(x, 5);
    flush(h);
    must(vz_node_link(g, root, "g", false, &err));
    must_fail(vz_node_link(new_array(h, NULL, NULL), g, "x", false, &err), VZ_EXISTS, "x");
    flush(h);
    assert_text(store, "g/x/.zarray", ARRAY_DOCUMENT);
    assert_int_equal(read_element(x, 3), 8);
    /* A cycle goes with its last handle. */
    vz_node *top = new_group(h, NULL, NULL), *below = new_group(h, top, "below");
    must(vz_node_link(top, below, "up", false, &err));
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
    must(vz_group_unlink(root, "b", &err));
    assert_false(has_key(store, "b/.zarray") || has_key(store, "b/0") || has_key(store, "b/.zattrs"));
    must_fail(vz_group_unlink(root, "b", &err), VZ_NOT_FOUND, "\"b\"");
    must(vz_group_unlink(root, "implicit", &err));
    assert_names(root, VZ_BY_NAME, "a v3");
    must(vz_group_unlink(root, "v3", &err));
    assert_false(has_key(store, "v3/zarr.json"));
    must(vz_group_unlink(root, "a", &err));
    assert_false(has_key(store, "a/x/.zarray"));
    /* The name is free again, and nothing of the old node shines through. */
    vz_node *a = new_array(h, root, "a");
    assert_int_equal(read_element(a, 0), 0);
    /* What a deleted array left behind goes; what somebody put there does not. */
    vz_node *c = new_array(h, root, "chunks");
    assert_false(has_key(store, "chunks/0/0"));
    vz_node *n = new_array(h, NULL, NULL), *g = new_group(h, NULL, NULL);
    must_fail(vz_node_link(n, root, "notes", false, &err), VZ_EXISTS, "something else");
    must(vz_node_link(g, root, "notes", false, &err));
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
    must(vz_group_unlink(root, "g", &err)); /* `a` below it is held */
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
    char *prefix = vz_node_prefix(a, NULL), *key = vz_key_join(prefix, ".zarray", NULL);
    assert_false(has_key(store, key));
    free(key);
    key = vz_key_join(prefix, "0", NULL);
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
    must(vz_group_unlink(root, "g", &err));
    must(vz_node_link(g, root, "again", true, &err));
    flush(h);
    assert_text(store, "again/a/.zarray", ARRAY_DOCUMENT);
    assert_text(store, "again/.zgroup", GROUP);
    assert_int_equal(read_element(a, 3), 4);
    /* Held to the end: the last close removes it. */
    must(vz_group_unlink(root, "again", &err));
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
    must(vz_node_move(root, "b", a, "bb", false, &err));
    assert_names(root, VZ_BY_NAME, "a implicit v3");
    assert_names(a, VZ_BY_NAME, "bb x");
    assert_true(has_key(store, "a/bb/.zarray") && has_key(store, "a/bb/0"));
    flush(h);
    assert_int_equal(read_element(b, 3), 42);
    assert_true(has_key(store, "a/bb/1"));
    assert_false(has_key(store, "b/1") || has_key(store, "b/.zattrs"));
    must_fail(vz_node_move(root, "a", a, "inside", false, &err), VZ_INVALID, "into itself");
    must_fail(vz_node_move(root, "a", root, "implicit", false, &err), VZ_EXISTS, "implicit");
    must_fail(vz_node_move(root, "nothing", root, "x", false, &err), VZ_NOT_FOUND, "nothing");
    must_fail(vz_node_move(root, "a", root, "notes", false, &err), VZ_EXISTS, "something else");
    must(vz_node_move(root, "a", root, "a", false, &err));
    vz_node *fresh = new_group(h, root, "fresh");
    must(vz_node_move(root, "a", fresh, "a", false, &err)); /* into a group that is not written yet */
    must(vz_node_move(root, "fresh", root, "moved", false, &err));
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
    must((g = vz_group_new(h, true, &err)) && vz_node_link(g, root, "g", false, &err));
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
    must(vz_group_unlink(g, "a", &err));
    must(vz_node_move(g, "z", g, "zz", false, &err));
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
    must((g = vz_group_new(h, true, &err)) && vz_node_link(g, h->root, "empty", false, &err));
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
        must((node = vz_array_new(h, new_meta(), &err)) && vz_node_link(node, h->root, names[i], i == 8, &err));
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
        must(vz_group_unlink(h->root, names[i], &err));
    must(vz_group_unlink(h->root, longest, &err));
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
    must((node = vz_array_new(h, new_meta(), &err)) && vz_node_link(node, h->root, "plain", true, &err));
    vz_node_unref(node);
    must((node = vz_array_new(h, new_meta(), &err)) && vz_node_link(node, h->root, "\xc3\xa9", false, &err));
    vz_node_unref(node);
    flush(h);
    vz_node_free(h->root);
    must((h->root = vz_node_load_root(h, &err)));
    assert_true(vz_group_find(h->root, "plain", NULL)->utf8);
    assert_false(vz_group_find(h->root, "\xc3\xa9", NULL)->utf8);
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
    assert_int_equal(vz_store_counted(store).gets, COUNT + 4); /* the root's zarr.json, .zarray, .zgroup, .zattrs */
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
    assert_int_equal(h->idle_count, VZ_IDLE_NODES);
    assert_null(vz_group_link_at(h->root, VZ_BY_NAME, 0, NULL)->node);
    assert_int_equal(find(h->root, "column00000")->meta->shape[0], 4);
    must(vz_store_del(store, "column00001/.zarray", &err));
    must_fail(vz_link_node(h->root, vz_group_link_at(h->root, VZ_BY_NAME, 1, NULL), &err), VZ_NOT_FOUND,
              "another process");
    for (uint64_t i = 0; i < COUNT; i++) /* always the first, as a walk that deletes does */
        must(vz_group_unlink(h->root, vz_group_link_at(h->root, VZ_BY_NAME, 0, NULL)->name, &err));
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
    must_fail(vz_node_link(last, group, "g", false, &err), VZ_LIMIT, "nested deeper");
    vz_node_unref(last);
    flush(h);
    must(vz_group_unlink(h->root, "g", &err));
    close_it(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),
        cmocka_unit_test(store_operations),
        cmocka_unit_test(broken_nodes_hide_nobody),
        cmocka_unit_test(broken_roots),
        cmocka_unit_test(array_store),
        cmocka_unit_test(new_nodes),
        cmocka_unit_test(anonymous_nodes),
        cmocka_unit_test(delete_nodes),
        cmocka_unit_test(deleted_with_handles),
        cmocka_unit_test(moves),
        cmocka_unit_test(creation_order),
        cmocka_unit_test(link_list_is_kept),
        cmocka_unit_test(escaped_names),
        cmocka_unit_test(charsets),
        cmocka_unit_test(attributes),
        cmocka_unit_test(many_members),
        cmocka_unit_test(deep_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
