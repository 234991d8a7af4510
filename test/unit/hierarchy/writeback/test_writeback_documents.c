/* test_writeback_documents.c - what goes to the store and when: order, a full disk, merging with other writers,
 * refresh. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "node_support.h"
#include <errno.h>

#define GROUP "{'zarr_format':2}"

/* ---- a memory store that records what is written, and fails on demand ---- */

typedef struct watch {
    vz_store_class class; /* the memory store's, but for put, del and del_tree */
    const vz_store_class *real;
    char log[8192];
    const char *refuse; /* puts of keys that end so fail with ENOSPC */
} watch;

static watch watched; /* one store at a time */

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static void log_it(const char *what, const char *key)
{
    const size_t used = strlen(watched.log);
    snprintf(watched.log + used, sizeof watched.log - used, "%s%s%s", used ? " " : "", what, key);
}

static bool watch_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    if (watched.refuse && ends_with(key, watched.refuse))
        return vz_fail_errno(err, ENOSPC, "cannot write");
    log_it("", key);
    return watched.real->put(store, key, value, err);
}

static bool watch_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    if (watched.refuse && ends_with(key, watched.refuse))
        return vz_fail_errno(err, ENOSPC, "cannot write");
    log_it("", key);
    return watched.real->put_new(store, key, value, err);
}

static bool watch_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                         vz_version *now, vz_error *err)
{
    if (value && watched.refuse && ends_with(key, watched.refuse))
        return vz_fail_errno(err, ENOSPC, "cannot write");
    log_it(value ? "" : "-", key);
    return watched.real->change(store, key, value, version, now, err);
}

static bool watch_del(vz_store *store, const char *key, vz_error *err)
{
    log_it("-", key);
    return watched.real->del(store, key, err);
}

static bool watch_del_tree(vz_store *store, const char *key, vz_error *err)
{
    log_it("--", key);
    return watched.real->del_tree(store, key, err);
}

static vz_store *watched_store(void)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    watched = (watch){.class = *store->class, .real = store->class};
    watched.class.put = watch_put;
    watched.class.put_new = watch_put_new;
    watched.class.put_stamped = NULL;
    watched.class.change = watch_change;
    watched.class.del = watch_del;
    watched.class.del_tree = watch_del_tree;
    store->class = &watched.class;
    return store;
}

/* Chunks go out in parallel in any order, but before all documents. */
static void chunks_arrays_groups(void **state)
{
    (void)state;
    vz_hierarchy *h = over(watched_store(), true, true);
    vz_node *g = new_group(h, h->root, "g"), *s = new_group(h, g, "s"), *a = new_array(h, s, "a"),
            *b = new_array(h, h->root, "b");
    write_element(a, 0, 1);
    write_element(b, 0, 1);
    must(vz_node_set_attribute(a, "k", json_of("1"), &err) && vz_node_set_attribute(g, "k", json_of("1"), &err));
    watched.log[0] = '\0';
    must(vz_flush_store(h, true, &err));
    const char *const order[] = {"a/0", "g/s/a/.zattrs", "g/s/a/.zarray", "g/s/.zgroup", "g/.zattrs", "g/.zgroup"};
    const char *last = watched.log;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        last = strstr(last, order[i]);
        if (!last)
            fail_msg("%s out of order in: %s", order[i], watched.log);
    }
    assert_true(strstr(watched.log, "b/.zarray") < strstr(watched.log, "g/s/.zgroup"));
    assert_true(strstr(watched.log, "b/0") < strstr(watched.log, ".zattrs"));
    watched.log[0] = '\0';
    must(vz_flush_store(h, false, &err));
    assert_string_equal(watched.log, "");
    /* Only what is above and not there yet goes with one node. */
    vz_node *t = new_group(h, s, "t"), *c = new_array(h, t, "c"), *d = new_array(h, t, "d");
    must(vz_flush_node(c, &err));
    assert_string_equal(watched.log, "g/s/t/c/.zarray g/s/t/.zgroup");
    must(vz_edit_unlink(g, "s", &err));
    vz_node *const all[] = {a, b, c, d, t, s, g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vz_node_unref(all[i]);
    must(vz_close_hierarchy(h, &err));
}

static void deletion_begins_with_documents(void **state)
{
    (void)state;
    vz_hierarchy *h = over(watched_store(), true, true);
    vz_node *a = new_array(h, h->root, "a");
    write_elements(a, 1);
    vz_node_unref(a);
    must(vz_flush_store(h, false, &err));
    watched.log[0] = '\0';
    must(vz_edit_unlink(h->root, "a", &err));
    assert_string_equal(watched.log, "-a/zarr.json -a/.zarray -a/.zgroup -a/.zattrs -a/.zmetadata --a");
    must(vz_close_hierarchy(h, &err));
}

static void consolidated_metadata_goes_first(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    put_text(store, ".zgroup", GROUP);
    put_text(store, ".zmetadata", "{}");
    put_text(store, "g/.zgroup", GROUP);
    put_text(store, "g/.zmetadata", "{}");
    put_text(store, "g/a/.zarray", ARRAY_DOCUMENT);
    put_text(store, "other/.zgroup", GROUP);
    put_text(store, "other/.zmetadata", "{}");
    watched.log[0] = '\0';
    vz_hierarchy *h = over(store, true, false);
    must(vz_flush_store(h, false, &err));
    vz_node *a = find(find(h->root, "g"), "a");
    write_element(a, 0, 1); /* chunks are not in it */
    must(vz_flush_store(h, false, &err));
    assert_true(has_key(store, ".zmetadata"));
    must(vz_node_set_attribute(a, "k", json_of("1"), &err) && vz_flush_store(h, false, &err));
    assert_false(has_key(store, ".zmetadata") || has_key(store, "g/.zmetadata"));
    assert_true(has_key(store, "other/.zmetadata"));
    assert_true(strstr(watched.log, "-.zmetadata") < strstr(watched.log, "g/a/.zattrs"));
    must(vz_close_hierarchy(h, &err));
}

static void full_disk(void **state)
{
    (void)state;
    static const char *const refused[] = {"a/1", "a/.zattrs", "a/.zarray", "g/.zgroup"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        vz_store *store = watched_store();
        vz_hierarchy *h = over(store, true, true);
        vz_node *g = new_group(h, h->root, "g"), *a = new_array(h, g, "a"), *b = new_array(h, h->root, "b");
        write_element(a, 0, 1);
        write_element(a, 3, 2);
        write_elements(b, 5);
        must(vz_node_set_attribute(a, "k", json_of("1"), &err));
        watched.refuse = refused[i];
        vz_error failed = VZ_ERROR_NONE;
        assert_false(vz_flush_store(h, false, &failed));
        assert_int_equal(failed.class, VZ_IO);
        assert_int_equal(failed.sys_errno, ENOSPC);
        assert_true(has_key(store, "b/.zarray") && has_key(store, "b/1")); /* the rest is there */
        assert_int_equal(read_element(a, 3), 2);                           /* nothing is lost in memory */
        watched.refuse = NULL;
        must(vz_flush_store(h, false, &err));
        assert_true(has_key(store, "g/a/1") && has_key(store, "g/.zgroup"));
        assert_text(store, "g/a/.zarray", ARRAY_DOCUMENT);
        assert_text(store, "g/a/.zattrs", "{'k':1}");
        vz_node_unref(a);
        vz_node_unref(b);
        vz_node_unref(g);
        must(vz_node_set_attribute(h->root, "last", json_of("1"), &err));
        watched.refuse = ".zattrs";
        must_fail(vz_close_hierarchy(h, &err), VZ_IO, "cannot write"); /* lost, and said so */
    }
}

static void undefined_fill(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    vz_hierarchy *h = over(store, true, true);
    vz_meta *meta = new_meta();
    must(vz_meta_set_fill(meta, NULL, &err));
    vz_node *a = NULL;
    must((a = vz_node_new_array(h, meta, &err)) && vz_edit_link(a, h->root, "a", false, &err));
    must(vz_flush_store(h, false, &err));
    assert_true(has_key(store, "a/0") && has_key(store, "a/1"));
    const uint64_t old_shape[] = {4};
    a->meta->shape[0] = 6;
    must(vz_array_resized(vz_node_io(a, &err), old_shape, &err) && vz_node_meta_changed(a, &err));
    must(vz_flush_store(h, false, &err));
    assert_true(has_key(store, "a/2"));
    vz_node_unref(a);
    must(vz_close_hierarchy(h, &err));
}

static void bounded_memory(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    vz_hierarchy *h = over(store, true, true);
    vz_node *a = new_array(h, h->root, "a"), *b = new_array(h, h->root, "b");
    write_element(a, 0, 1);
    h->options.dirty_max = (int64_t)(2 * vz_array_dirty_bytes(a->io)); /* two chunks of dirty state */
    write_element(b, 0, 1);
    assert_false(has_key(store, "a/0") || has_key(store, "b/0"));
    write_element(a, 3, 1);
    assert_true(has_key(store, "a/0") && has_key(store, "a/1") && has_key(store, "b/0"));
    assert_int_equal(h->dirty.chunk_bytes, 0);
    vz_node_unref(a);
    vz_node_unref(b);
    must(vz_close_hierarchy(h, &err));
}

/* ---- what the rooms above do first ---- */

static int prepared, flushes, linked;

static bool before_writing(vz_hierarchy *h, vz_node *only, vz_error *err)
{
    prepared++;
    flushes += only == NULL;
    return vz_node_set_attribute(vz_hierarchy_root(h), "prepared", json_of("true"), err) &&
           vz_flush_store(h, false, err); /* does not come here again */
}

static bool read_links(vz_node *group, vz_error *err)
{
    (void)group, (void)err;
    linked++;
    return true;
}

static const char *no_attribute(const vz_node *group)
{
    (void)group;
    return NULL;
}

static void conventions(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    vz_hierarchy *h = over(store, true, true);
    static const vz_conventions ours = {read_links, no_attribute, before_writing};
    uint64_t count;
    must(vz_group_count(h->root, &count, &err));
    for (int i = 0; i < 2; i++)
        must(vz_hierarchy_set_conventions(h, &ours, &err));
    assert_int_equal(linked, 1); /* of the group that was loaded before, once */
    must(vz_flush_store(h, false, &err));
    assert_int_equal(prepared, 0); /* nothing was dirty */
    must(vz_node_set_attribute(h->root, "x", json_of("1"), &err) && vz_flush_store(h, false, &err));
    assert_int_equal(prepared, 1);
    assert_int_equal(flushes, 1);
    assert_text(store, ".zattrs", "{'x':1,'prepared':true}");
    must(vz_close_hierarchy(h, &err));
}

/* ---- other writers ---- */

static void somebody_else_writes(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    put_text(store, ".zgroup", GROUP);
    put_text(store, ".zattrs", "{'a':1,'b':2,'_HDF5':'{\\'v\\':1,\\'x\\':1,\\'y\\':1}'}");
    put_text(store, "n/.zarray", ARRAY_DOCUMENT);
    vz_hierarchy *h = over(store, true, false);
    vz_node *root = h->root, *n = find(root, "n");
    must(vz_node_set_attribute(root, "a", json_of("10"), &err) && vz_node_remove_attribute(root, "b", &err));
    must(vz_json_set(root->annotation, "x", json_of("2"), &err) && vz_json_remove(root->annotation, "y") &&
         vz_node_annotated(root, &err));
    put_text(store, ".zattrs", "{'theirs':[3],'b':3,'a':1,'_HDF5':'{\\'v\\':1,\\'x\\':1,\\'y\\':1,\\'z\\':9}'}");
    n->meta->shape[0] = 6;
    must(vz_node_meta_changed(n, &err) && vz_node_set_attribute(n, "mine", json_of("1"), &err));
    put_text(store, "n/.zarray",
             "{'shape':[4],'chunks':[2],'dtype':'<i4','fill_value':9,'order':'C','filters':null,'compressor':null,"
             "'zarr_format':2,'note':'theirs'}");
    put_text(store, "n/.zattrs", "{'theirs':1}");
    must(vz_flush_store(h, false, &err));
    assert_text(store, ".zattrs", "{'theirs':[3],'a':10,'_HDF5':'{\\'v\\':1,\\'x\\':2,\\'z\\':9}'}");
    assert_text(store, "n/.zarray",
                "{'shape':[6],'chunks':[2],'dtype':'<i4','fill_value':9,'order':'C','filters':null,'compressor':null,"
                "'zarr_format':2,'note':'theirs'}");
    assert_text(store, "n/.zattrs", "{'theirs':1,'mine':1}");
    assert_json(vz_node_attribute(root, "theirs"), "[3]"); /* seen from now on */
    /* Their new shape reaches memory when something else of ours is written. */
    put_text(store, "n/.zarray",
             "{'shape':[8],'chunks':[2],'dtype':'<i4','fill_value':9,'order':'C','filters':null,'compressor':null,"
             "'zarr_format':2}");
    must(vz_node_meta_changed(n, &err) && vz_flush_store(h, false, &err));
    assert_int_equal(n->meta->shape[0], 8);
    /* What they broke, ours replaces. */
    put_text(store, ".zattrs", "{broken");
    must(vz_node_set_attribute(root, "a", json_of("11"), &err) && vz_flush_store(h, false, &err));
    assert_text(store, ".zattrs", "{'a':11}");
    must(vz_close_hierarchy(h, &err));
}

/* ---- refresh ---- */

static void refresh(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    put_text(store, ".zgroup", GROUP);
    put_text(store, "a/.zarray", ARRAY_DOCUMENT);
    put_text(store, "b/.zarray", ARRAY_DOCUMENT);
    put_text(store, "c/.zgroup", GROUP);
    vz_hierarchy *h = over(store, true, false);
    vz_node *root = h->root, *a = find(root, "a"), *b = find(root, "b");
    vz_node_ref(a);
    vz_node_ref(b);
    assert_int_equal(read_element(a, 0), 0);
    vz_node_unref(new_group(h, root, "mine")); /* not written yet */
    put_text(store, "a/.zarray",
             "{'shape':[8],'chunks':[2],'dtype':'<i4','fill_value':7,'order':'C','filters':null,'compressor':null,"
             "'zarr_format':2}");
    put_text(store, "a/.zattrs", "{'new':1}");
    put_text(store, "a/0", "12345678");
    put_text(store, "d/.zgroup", GROUP);
    put_text(store, ".zattrs", "{'r':1}");
    must(vz_store_del_tree(store, "b", &err) && vz_store_del_tree(store, "c", &err));
    must(vz_merge_refresh(a, &err));
    assert_int_equal(a->meta->shape[0], 8);
    assert_int_equal(read_element(a, 0), 0x34333231);
    assert_int_equal(read_element(a, 7), 7);
    assert_json(a->attributes, "{'new':1}");
    must_fail(vz_merge_refresh(b, &err), VZ_NOT_FOUND, "another process");
    must(vz_flush_store(h, false, &err) && vz_merge_refresh(root, &err));
    assert_true(exists(root, "a") && exists(root, "d") && exists(root, "mine"));
    assert_false(exists(root, "b") || exists(root, "c"));
    assert_json(root->attributes, "{'r':1}");
    assert_ptr_equal(find(root, "a"), a); /* handles keep their node */
    assert_null(vz_node_path(b, NULL));
    /* Another type under open handles: the array is opened anew. */
    put_text(store, "a/.zarray",
             "{'shape':[2],'chunks':[1],'dtype':'|i1','fill_value':7,'order':'C','filters':null,'compressor':null,"
             "'zarr_format':2}");
    must(vz_merge_refresh(a, &err));
    assert_int_equal(a->meta->dtype->size, 1);
    put_text(store, "a/.zarray", "{");
    must(vz_merge_refresh(a, &err));
    assert_null(a->meta);
    must_fail(vz_node_io(a, &err), VZ_CORRUPT, "");
    vz_node_unref(a);
    vz_node_unref(b);
    must(vz_close_hierarchy(h, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_arrays_groups),
        cmocka_unit_test(deletion_begins_with_documents),
        cmocka_unit_test(consolidated_metadata_goes_first),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(undefined_fill),
        cmocka_unit_test(bounded_memory),
        cmocka_unit_test(conventions),
        cmocka_unit_test(somebody_else_writes),
        cmocka_unit_test(refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
