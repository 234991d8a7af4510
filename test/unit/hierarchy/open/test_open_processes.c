/* test_open_processes.c - several processes at one store: two writers, a killed writer, a forked child. */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "node_support.h"
#include <sys/wait.h>
#include "base/os/file.h"
#include "base/os/thread.h"

#define GROUP "{'zarr_format':2}"

/* ---- two writers ---- */

/* Two processes add keys to one node, and links to one group, at the same time. */
static void two_processes(void **state)
{
    const char *scratch = *state;
    char *path = scratch_path(scratch, "s.zarr"), name[32];
    const vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *root;
    must(vz_open_hierarchy(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err));
    vz_node *g = NULL;
    must((g = vz_group_new(h, true, &err)) && vz_edit_link(g, root, "g", false, &err));
    vz_node_unref(g);
    vz_node_unref(root);
    must(vz_close_hierarchy(h, &err));
    must(vz_open_hierarchy(path, VZ_OPEN_WRITE, &options, &h, &root, &err));
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
        bool ok = vz_open_hierarchy(path, VZ_OPEN_WRITE, &options, &mine, &my_root, &err);
        node = ok ? find(my_root, "g") : NULL;
        ok = ok && mine != h && vz_node_set_attribute(node, "child", json_of("2"), &err);
        snprintf(name, sizeof name, "theirs");
        ok = ok && (vz_node_unref(new_group(mine, node, name)), true);
        _exit(ok && (vz_node_unref(my_root), vz_close_hierarchy(mine, &err)) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    must(vz_flush_store(h, false, &err));
    assert_json(vz_node_attribute(g, "child"), "2");
    must(vz_merge_refresh(g, &err));
    must(vz_group_count(g, &count, &err));
    assert_int_equal(count, 2);
    vz_node_unref(root);
    must(vz_close_hierarchy(h, &err));
    must(vz_open_hierarchy(path, VZ_OPEN_READ, &options, &h, &root, &err));
    g = find(root, "g");
    assert_json(g->attributes, "{'child':2,'parent':1}");
    must(vz_group_count(g, &count, &err));
    assert_int_equal(count, 2);
    assert_int_equal(vz_json_length(vz_json_get(g->annotation, "L")), 2); /* both have their place */
    vz_node_unref(root);
    must(vz_close_hierarchy(h, &err));
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
        if (!vz_flush_store(h, false, failed))
            return false;
    }
    vz_node *old = find(root, "g1");
    vz_node_ref(old);
    const bool ok = vz_edit_unlink(root, "g1", failed) &&
                    vz_edit_node_move(root, "g2", find(root, "g3"), "m", false, failed) &&
                    vz_edit_unlink(root, "g0", failed);
    vz_node_unref(old);
    return ok && vz_flush_store(h, false, failed);
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
        return vz_fail(err, VZ_CORRUPT, "%s", vz_node_meta_error(node)->text);
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
            if (!vz_open_hierarchy(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err))
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
            _exit(write_much(h, root, &err) && (vz_node_unref(root), vz_close_hierarchy(h, &err)) ? 0 : 2);
        }
        int status;
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != 7)
            assert_int_equal(WEXITSTATUS(status), 0);
        finished = WEXITSTATUS(status) == 0;
        must(vz_open_hierarchy(path, VZ_OPEN_WRITE, &options, &h, &root, &err));
        must(read_all(root, NULL, &err));
        vz_node_unref(root);
        must(vz_close_hierarchy(h, &err));
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
    must(vz_open_hierarchy(path, VZ_CREATE_EXCLUSIVE, &options, &h, &root, &err));
    vz_node *a = new_array(h, root, "a");
    write_elements(a, 10);
    must(vz_flush_store(h, false, &err));
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
        if (vz_node_set_attribute(root, "x", json_of("1"), &err) || vz_edit_unlink(root, "a", NULL))
            _exit(3);
        vz_node_unref(anonymous);
        vz_node_unref(a);
        vz_node_unref(root);
        err = VZ_ERROR_NONE;
        _exit(vz_flush_store(h, false, &err) && vz_close_hierarchy(h, &err) && err.class == VZ_OK ? 0 : 4);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_false(has_key(h->store, ".zattrs")); /* the child wrote nothing */
    must(vz_flush_store(h, false, &err));
    assert_text(h->store, ".zattrs", "{'k':1}");
    assert_int_equal(read_element(a, 0), 99);
    vz_node_unref(anonymous);
    vz_node_unref(a);
    vz_node_unref(root);
    must(vz_close_hierarchy(h, &err));
    free(path);
}

/* What a child does once the parent went on: 0 if it cannot have the store. */
static int take_over_later(vz_store *store, int wait)
{
    char byte;
    return read(wait, &byte, 1) == 1 && !vz_store_take_over(store) ? 0 : 1;
}

/* The number of writes of a store that was closed stands where the next store has its own: a child that was forked
 * before takes neither of them over. */
static void writes_of_another_store(void **state)
{
    (void)state;
    int ends[2], status;
    vz_store *first = vz_store_new_memory(NULL), *second = vz_store_new_memory(NULL);
    assert_true(first && second && pipe(ends) == 0);
    vz_store_share(first);
    const void *place = first->shared_writes;
    assert_non_null(place);
    pid_t child = fork();
    if (child == 0)
        _exit(take_over_later(first, ends[0]));
    vz_store_unshare(first);
    vz_store_share(second);
    assert_ptr_equal(second->shared_writes, place);
    assert_int_equal(write(ends[1], "x", 1), 1);
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    child = fork();
    if (child == 0) /* one of the second store's can, and once */
        _exit(vz_store_take_over(second) && !vz_store_take_over(second) ? 0 : 1);
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    child = fork();
    if (child == 0) { /* what a child opens is counted elsewhere */
        vz_store_unshare(second);
        vz_store_share(first);
        _exit(first->shared_writes && vz_store_take_over(first) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    vz_store_unshare(second);
    vz_store_close(first);
    vz_store_close(second);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_processes, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(killed_writer, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(forked_child, scratch_set_up, scratch_tear_down),
        cmocka_unit_test(writes_of_another_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
