/* test_resolve_token.c - numbers of nodes: the same after close and reopen, along with renames, never another node's.
 */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/token.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "node_support.h"

static vz_hierarchy *open_as(const char *path, vz_path_open_mode mode, vz_node **start)
{
    const vz_options options = default_options();
    vz_hierarchy *h = NULL;
    must(vz_open_hierarchy(path, mode, &options, &h, start, &err));
    return h;
}

static void close_it(vz_hierarchy *h, vz_node *start)
{
    vz_node_unref(start);
    must(vz_close_hierarchy(h, &err));
}

static uint64_t token_of(vz_node *node)
{
    uint64_t token = 0;
    must((token = vz_token_of_node(node, &err)) != 0);
    assert_true(token >= (uint64_t)1 << 40 && token < (uint64_t)1 << 62);
    assert_int_equal(vz_token_of_node(node, NULL), token);
    return token;
}

static void assert_leads_to(vz_hierarchy *h, uint64_t token, vz_node *node)
{
    vz_node *found = NULL;
    must((found = vz_token_node(h, token, &err)));
    assert_ptr_equal(found, node);
}

static void assert_gone(vz_hierarchy *h, uint64_t token)
{
    must_fail(vz_token_node(h, token, &err), VZ_NOT_FOUND, "no object");
}

static void lasting(void **state)
{
    char *path = scratch_path(*state, "s.zarr"), *other_path = scratch_path(*state, "t.zarr");
    vz_node *root, *other_root;
    vz_hierarchy *h = open_as(path, VZ_CREATE_EXCLUSIVE, &root),
                 *other = open_as(other_path, VZ_CREATE_EXCLUSIVE, &other_root);
    vz_node *g = new_group(h, root, "g"), *a = new_array(h, g, "a"), *twin = new_group(other, other_root, "g");
    const uint64_t tr = token_of(root), tg = token_of(g), ta = token_of(a);
    assert_true(tr != tg && tg != ta && tr != ta);
    assert_true(token_of(other_root) != tr && token_of(twin) != tg);
    assert_leads_to(h, ta, a);
    assert_leads_to(h, tr, root);
    assert_gone(other, ta);
    assert_gone(h, 12345);
    vz_node_unref(twin);
    vz_node_unref(a);
    vz_node_unref(g);
    close_it(other, other_root);
    close_it(h, root);
    h = open_as(path, VZ_OPEN_WRITE, &root);
    assert_leads_to(h, ta, find(find(root, "g"), "a")); /* before anybody asked for its token */
    assert_int_equal(token_of(find(find(root, "g"), "a")), ta);
    assert_int_equal(token_of(root), tr);
    close_it(h, root);
    h = open_as(path, VZ_CREATE_TRUNCATE, &root); /* another file at the same place */
    assert_true(token_of(root) != tr);
    g = new_group(h, root, "g");
    assert_true(token_of(g) != tg);
    assert_gone(h, tg);
    vz_node_unref(g);
    close_it(h, root);
    must(vz_delete_hierarchy(path, &err));
    free(path);
    free(other_path);
}

static void following(void **state)
{
    char *path = scratch_path(*state, "s.zarr");
    vz_node *root;
    vz_hierarchy *h = open_as(path, VZ_CREATE_EXCLUSIVE, &root);
    vz_node *g = new_group(h, root, "g"), *s = new_group(h, g, "s"), *a = new_array(h, s, "a"),
            *to = new_group(h, root, "to");
    const uint64_t tg = token_of(g), ta = token_of(a);
    must(vz_edit_node_move(root, "g", to, "moved", false, &err)); /* an ancestor moves: all below follow */
    assert_leads_to(h, ta, a);
    assert_leads_to(h, tg, g);
    vz_node *g2 = new_group(h, root, "g"), *s2 = new_group(h, g2, "s"), *a2 = new_array(h, s2, "a");
    assert_true(token_of(g2) != tg && token_of(a2) != ta);
    assert_leads_to(h, ta, a);
    must(vz_edit_unlink(to, "moved", &err)); /* held by handles: found until they go */
    assert_leads_to(h, ta, a);
    must(vz_edit_link(g, root, "back", false, &err));
    assert_leads_to(h, ta, a);
    assert_leads_to(h, tg, g);
    must(vz_flush_store(h, false, &err));
    vz_node *const all[] = {a, s, g, a2, s2, g2, to};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vz_node_unref(all[i]);
    close_it(h, root);
    h = open_as(path, VZ_OPEN_WRITE, &root);
    assert_leads_to(h, ta, find(find(find(root, "back"), "s"), "a"));
    must(vz_edit_unlink(root, "back", &err));
    assert_gone(h, ta);
    assert_gone(h, tg);
    vz_node *again = new_group(h, root, "back");
    assert_true(token_of(again) != tg);
    /* A node that had a number before it had a name. */
    vz_node *anonymous = new_array(h, NULL, NULL);
    const uint64_t t = token_of(anonymous);
    assert_leads_to(h, t, anonymous);
    must(vz_edit_link(anonymous, again, "x", false, &err));
    assert_leads_to(h, t, anonymous);
    vz_node *gone = new_array(h, NULL, NULL);
    const uint64_t never = token_of(gone);
    vz_node_unref(gone);
    assert_gone(h, never);
    vz_node_unref(anonymous);
    vz_node_unref(again);
    close_it(h, root);
    h = open_as(path, VZ_OPEN_READ, &root);
    assert_leads_to(h, t, find(find(root, "back"), "x"));
    close_it(h, root);
    free(path);
}

static void many(void **state)
{
    enum { COUNT = 3000 };
    char *path = scratch_path(*state, "s.zarr"), name[32];
    vz_node *root;
    vz_hierarchy *h = open_as(path, VZ_CREATE_EXCLUSIVE, &root);
    static uint64_t tokens[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "n%d", i);
        vz_node *node = new_group(h, root, name);
        tokens[i] = token_of(node);
        vz_node_unref(node);
    }
    for (int i = 0; i < COUNT; i += 2) {
        snprintf(name, sizeof name, "n%d", i);
        must(vz_edit_unlink(root, name, &err));
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "n%d", i);
        if (i % 2)
            assert_leads_to(h, tokens[i], find(root, name));
        else
            assert_gone(h, tokens[i]);
    }
    close_it(h, root);
    free(path);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lasting, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(following, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(many, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
