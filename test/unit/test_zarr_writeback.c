/* test_zarr_writeback.c - what goes to the store and when: order, merging with other writers, a killed writer, a full
 * disk, a forked child, refresh. */
#include "zarr_node_support.h"
#include <errno.h>
#include <sys/wait.h>
#include "util/pool.h"

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
    must(vz_hierarchy_flush(h, true, &err));
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
    must(vz_hierarchy_flush(h, false, &err));
    assert_string_equal(watched.log, "");
    /* Only what is above and not there yet goes with one node. */
    vz_node *t = new_group(h, s, "t"), *c = new_array(h, t, "c"), *d = new_array(h, t, "d");
    must(vz_node_flush(c, &err));
    assert_string_equal(watched.log, "g/s/t/c/.zarray g/s/t/.zgroup");
    must(vz_group_unlink(g, "s", &err));
    vz_node *const all[] = {a, b, c, d, t, s, g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vz_node_unref(all[i]);
    must(vz_hierarchy_close(h, &err));
}

static void deletion_begins_with_documents(void **state)
{
    (void)state;
    vz_hierarchy *h = over(watched_store(), true, true);
    vz_node *a = new_array(h, h->root, "a");
    write_elements(a, 1);
    vz_node_unref(a);
    must(vz_hierarchy_flush(h, false, &err));
    watched.log[0] = '\0';
    must(vz_group_unlink(h->root, "a", &err));
    assert_string_equal(watched.log, "-a/.zarray -a/.zgroup -a/zarr.json -a/.zattrs -a/.zmetadata --a");
    must(vz_hierarchy_close(h, &err));
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
    must(vz_hierarchy_flush(h, false, &err));
    vz_node *a = find(find(h->root, "g"), "a");
    write_element(a, 0, 1); /* chunks are not in it */
    must(vz_hierarchy_flush(h, false, &err));
    assert_true(has_key(store, ".zmetadata"));
    must(vz_node_set_attribute(a, "k", json_of("1"), &err) && vz_hierarchy_flush(h, false, &err));
    assert_false(has_key(store, ".zmetadata") || has_key(store, "g/.zmetadata"));
    assert_true(has_key(store, "other/.zmetadata"));
    assert_true(strstr(watched.log, "-.zmetadata") < strstr(watched.log, "g/a/.zattrs"));
    must(vz_hierarchy_close(h, &err));
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
        assert_false(vz_hierarchy_flush(h, false, &failed));
        assert_int_equal(failed.class, VZ_IO);
        assert_int_equal(failed.sys_errno, ENOSPC);
        assert_true(has_key(store, "b/.zarray") && has_key(store, "b/1")); /* the rest is there */
        assert_int_equal(read_element(a, 3), 2);                           /* nothing is lost in memory */
        watched.refuse = NULL;
        must(vz_hierarchy_flush(h, false, &err));
        assert_true(has_key(store, "g/a/1") && has_key(store, "g/.zgroup"));
        assert_text(store, "g/a/.zarray", ARRAY_DOCUMENT);
        assert_text(store, "g/a/.zattrs", "{'k':1}");
        vz_node_unref(a);
        vz_node_unref(b);
        vz_node_unref(g);
        must(vz_node_set_attribute(h->root, "last", json_of("1"), &err));
        watched.refuse = ".zattrs";
        must_fail(vz_hierarchy_close(h, &err), VZ_IO, "cannot write"); /* lost, and said so */
    }
}

static void undefined_fill(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    vz_hierarchy *h = over(store, true, true);
    vz_array_meta *meta = new_meta();
    must(vz_meta_set_fill(meta, NULL, &err));
    vz_node *a = NULL;
    must((a = vz_array_new(h, meta, &err)) && vz_node_link(a, h->root, "a", false, &err));
    must(vz_hierarchy_flush(h, false, &err));
    assert_true(has_key(store, "a/0") && has_key(store, "a/1"));
    const uint64_t old_shape[] = {4};
    a->meta->shape[0] = 6;
    must(vz_array_resized(vz_node_io(a, &err), old_shape, &err) && vz_node_meta_changed(a, &err));
    must(vz_hierarchy_flush(h, false, &err));
    assert_true(has_key(store, "a/2"));
    vz_node_unref(a);
    must(vz_hierarchy_close(h, &err));
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
    assert_int_equal(h->dirty_bytes, 0);
    vz_node_unref(a);
    vz_node_unref(b);
    must(vz_hierarchy_close(h, &err));
}

/* ---- the settle hook ---- */

static int settled;

static bool settle(vz_hierarchy *h, vz_error *err)
{
    settled++;
    return vz_node_set_attribute(vz_hierarchy_root(h), "settled", json_of("true"), err) &&
           vz_hierarchy_flush(h, false, err); /* does not come here again */
}

static void settle_hook(void **state)
{
    (void)state;
    vz_store *store = watched_store();
    vz_hierarchy *h = over(store, true, true);
    vz_hierarchy_set_settle(settle);
    must(vz_hierarchy_flush(h, false, &err));
    assert_int_equal(settled, 0); /* nothing was dirty */
    must(vz_node_set_attribute(h->root, "x", json_of("1"), &err) && vz_hierarchy_flush(h, false, &err));
    assert_int_equal(settled, 1);
    assert_text(store, ".zattrs", "{'x':1,'settled':true}");
    vz_hierarchy_set_settle(NULL);
    must(vz_hierarchy_close(h, &err));
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
    must(vz_hierarchy_flush(h, false, &err));
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
    must(vz_node_meta_changed(n, &err) && vz_hierarchy_flush(h, false, &err));
    assert_int_equal(n->meta->shape[0], 8);
    /* What they broke, ours replaces. */
    put_text(store, ".zattrs", "{broken");
    must(vz_node_set_attribute(root, "a", json_of("11"), &err) && vz_hierarchy_flush(h, false, &err));
    assert_text(store, ".zattrs", "{'a':11}");
    must(vz_hierarchy_close(h, &err));
}

/* Two processes add keys to one node, and links to one group, at the same time. */
static void two_processes(void **state)
{
    const char *scratch = *state;
    char *path = scratch_path(scratch, "s.zarr"), name[32];
    const vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *root;
    must(vz_hierarchy_open(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err));
    vz_node *g = NULL;
    must((g = vz_group_new(h, true, &err)) && vz_node_link(g, root, "g", false, &err));
    vz_node_unref(g);
    vz_node_unref(root);
    must(vz_hierarchy_close(h, &err));
    must(vz_hierarchy_open(path, VZ_OPEN_WRITE, &options, &h, &root, &err));
    g = find(root, "g");
    uint64_t count;
    must(vz_group_count(g, &count, &err)); /* both have seen the group empty */
    vz_node_unref(new_group(h, g, "ours"));
    must(vz_node_set_attribute(g, "parent", json_of("1"), &err));
    const pid_t child = fork();
    if (child == 0) {
        vz_hierarchy *mine;
        vz_node *my_root, *node;
        vz_error err = VZ_ERROR_NONE;
        bool ok = vz_hierarchy_open(path, VZ_OPEN_WRITE, &options, &mine, &my_root, &err);
        node = ok ? find(my_root, "g") : NULL;
        ok = ok && mine != h && vz_node_set_attribute(node, "child", json_of("2"), &err);
        snprintf(name, sizeof name, "theirs");
        ok = ok && (vz_node_unref(new_group(mine, node, name)), true);
        _exit(ok && (vz_node_unref(my_root), vz_hierarchy_close(mine, &err)) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    must(vz_hierarchy_flush(h, false, &err));
    assert_json(vz_node_attribute(g, "child"), "2");
    must(vz_node_refresh(g, &err));
    must(vz_group_count(g, &count, &err));
    assert_int_equal(count, 2);
    vz_node_unref(root);
    must(vz_hierarchy_close(h, &err));
    must(vz_hierarchy_open(path, VZ_OPEN_READ, &options, &h, &root, &err));
    g = find(root, "g");
    assert_json(g->attributes, "{'child':2,'parent':1}");
    must(vz_group_count(g, &count, &err));
    assert_int_equal(count, 2);
    assert_int_equal(vz_json_length(vz_json_get(g->annotation, "L")), 2); /* both have their place */
    vz_node_unref(root);
    must(vz_hierarchy_close(h, &err));
    free(path);
}

/* ---- a writer that dies ---- */

static bool write_much(vz_hierarchy *h, vz_node *root, vz_error *failed)
{
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        vz_node *g = new_group(h, root, name), *a = new_array(h, g, "a");
        write_elements(a, i);
        must(vz_node_set_attribute(a, "k", json_of("1"), &err));
        vz_node_unref(a);
        vz_node_unref(g);
        if (!vz_hierarchy_flush(h, false, failed))
            return false;
    }
    vz_node *old = find(root, "g1");
    vz_node_ref(old);
    const bool ok = vz_group_unlink(root, "g1", failed) &&
                    vz_node_move(root, "g2", find(root, "g3"), "m", false, failed) &&
                    vz_group_unlink(root, "g0", failed);
    vz_node_unref(old);
    return ok && vz_hierarchy_flush(h, false, failed);
}

/* Dies in the middle of the n-th writing operation: before it, that is, as each is atomic. */
static int operations_left;

static const vz_store_class *real_class;

static void count_down(void)
{
    if (operations_left-- == 0)
        _exit(7);
}

static bool dying_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    count_down();
    return real_class->put(store, key, value, err);
}

static bool dying_del(vz_store *store, const char *key, vz_error *err)
{
    count_down();
    return real_class->del(store, key, err);
}

static bool dying_del_tree(vz_store *store, const char *key, vz_error *err)
{
    count_down();
    return real_class->del_tree(store, key, err);
}

static bool dying_rename(vz_store *store, const char *from, const char *to, vz_error *err)
{
    count_down();
    return real_class->rename_tree(store, from, to, err);
}

static bool read_all(vz_node *node, void *context, vz_error *err);

static bool read_group(vz_node *group, vz_error *err)
{
    uint64_t count;
    if (!vz_group_count(group, &count, err))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_NAME, i, err);
        vz_node *node = link ? vz_link_node(group, link, err) : NULL;
        if (!node || !read_all(node, NULL, err))
            return false;
    }
    return true;
}

/* Every array is whole: its elements are there as soon as it is, and so are its attributes. */
static bool read_all(vz_node *node, void *context, vz_error *err)
{
    (void)context;
    if (node->kind == VZ_NODE_GROUP)
        return read_group(node, err);
    if (!node->meta)
        return vz_fail(err, VZ_CORRUPT, "%s", node->meta_error.text);
    const int32_t first = read_element(node, 0);
    assert_int_equal(read_element(node, 3), first + 3);
    assert_json(node->attributes, "{'k':1}");
    return true;
}

static void killed_writer(void **state)
{
    const char *scratch = *state;
    const vz_options options = default_options();
    bool finished = false;
    for (int n = 0; !finished && n < 200; n++) {
        char name[32];
        snprintf(name, sizeof name, "s%d.zarr", n);
        char *path = scratch_path(scratch, name);
        vz_hierarchy *h;
        vz_node *root;
        const pid_t child = fork();
        if (child == 0) {
            vz_error err = VZ_ERROR_NONE;
            if (!vz_hierarchy_open(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err))
                _exit(1);
            vz_store_class dying = *h->store->class;
            real_class = h->store->class;
            dying.put = dying_put;
            dying.del = dying_del;
            dying.del_tree = dying_del_tree;
            dying.rename_tree = dying_rename;
            h->store->class = &dying;
            operations_left = n;
            vz_pool_set_threads(1);
            _exit(write_much(h, root, &err) && (vz_node_unref(root), vz_hierarchy_close(h, &err)) ? 0 : 2);
        }
        int status;
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != 7)
            assert_int_equal(WEXITSTATUS(status), 0);
        finished = WEXITSTATUS(status) == 0;
        must(vz_hierarchy_open(path, VZ_OPEN_WRITE, &options, &h, &root, &err));
        must(read_all(root, NULL, &err));
        vz_node_unref(root);
        must(vz_hierarchy_close(h, &err));
        free(path);
    }
    assert_true(finished);
}

/* ---- fork ---- */

static void forked_child(void **state)
{
    const char *scratch = *state;
    char *path = scratch_path(scratch, "s.zarr");
    const vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *root;
    must(vz_hierarchy_open(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err));
    vz_node *a = new_array(h, root, "a");
    write_elements(a, 10);
    must(vz_hierarchy_flush(h, false, &err));
    write_element(a, 0, 99); /* dirty when the child is made */
    must(vz_node_set_attribute(root, "k", json_of("1"), &err));
    vz_node *anonymous = new_array(h, NULL, NULL);
    const pid_t child = fork();
    if (child == 0) {
        vz_error err = VZ_ERROR_NONE;
        if (read_element(a, 0) != 99 || read_element(a, 3) != 13)
            _exit(2); /* what the parent sees */
        if (!vz_hierarchy_inherited(h) || vz_node_check_writable(a, &err) || err.class != VZ_READ_ONLY ||
            !strstr(err.text, "forked"))
            _exit(1);
        err = VZ_ERROR_NONE;
        if (vz_node_set_attribute(root, "x", json_of("1"), &err) || vz_group_unlink(root, "a", NULL))
            _exit(3);
        vz_node_unref(anonymous);
        vz_node_unref(a);
        vz_node_unref(root);
        err = VZ_ERROR_NONE;
        _exit(vz_hierarchy_flush(h, false, &err) && vz_hierarchy_close(h, &err) && err.class == VZ_OK ? 0 : 4);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_false(has_key(h->store, ".zattrs")); /* the child wrote nothing */
    must(vz_hierarchy_flush(h, false, &err));
    assert_text(h->store, ".zattrs", "{'k':1}");
    assert_int_equal(read_element(a, 0), 99);
    vz_node_unref(anonymous);
    vz_node_unref(a);
    vz_node_unref(root);
    must(vz_hierarchy_close(h, &err));
    free(path);
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
    must(vz_node_refresh(a, &err));
    assert_int_equal(a->meta->shape[0], 8);
    assert_int_equal(read_element(a, 0), 0x34333231);
    assert_int_equal(read_element(a, 7), 7);
    assert_json(a->attributes, "{'new':1}");
    must_fail(vz_node_refresh(b, &err), VZ_NOT_FOUND, "another process");
    must(vz_hierarchy_flush(h, false, &err) && vz_node_refresh(root, &err));
    assert_true(exists(root, "a") && exists(root, "d") && exists(root, "mine"));
    assert_false(exists(root, "b") || exists(root, "c"));
    assert_json(root->attributes, "{'r':1}");
    assert_ptr_equal(find(root, "a"), a); /* handles keep their node */
    assert_null(vz_node_path(b, NULL));
    /* Another type under open handles: the array is opened anew. */
    put_text(store, "a/.zarray",
             "{'shape':[2],'chunks':[1],'dtype':'|i1','fill_value':7,'order':'C','filters':null,'compressor':null,"
             "'zarr_format':2}");
    must(vz_node_refresh(a, &err));
    assert_int_equal(a->meta->dtype->size, 1);
    put_text(store, "a/.zarray", "{");
    must(vz_node_refresh(a, &err));
    assert_null(a->meta);
    must_fail(vz_node_io(a, &err), VZ_CORRUPT, "");
    vz_node_unref(a);
    vz_node_unref(b);
    must(vz_hierarchy_close(h, &err));
}

static int set_up(void **state)
{
    *state = scratch_new();
    return 0;
}

static int tear_down(void **state)
{
    scratch_remove(*state);
    return 0;
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
        cmocka_unit_test(settle_hook),
        cmocka_unit_test(somebody_else_writes),
        cmocka_unit_test(refresh),
        cmocka_unit_test_setup_teardown(two_processes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_writer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forked_child, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
