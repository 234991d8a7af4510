/* test_netcdf_scale_users.c - REFERENCE_LIST of a scale that arrays of groups below use: they are looked for when a
 * program asks for that attribute, and shown behind those of the scale's own group. */
#include "netcdf_support.h"
#include "failing_store.h"

static vz_store *tree_new(void)
{
    vz_store *store = store_new();
    put_group(store, "g/zarr.json", "{}");
    put_group(store, "g/h/zarr.json", "{}");
    put_array(store, "time/zarr.json", "[2]", "['time']", "");
    put_array(store, "v/zarr.json", "[2]", "['time']", "");
    put_array(store, "u/zarr.json", "[4]", "['k']", "");
    put_array(store, "g/a/zarr.json", "[3,2]", "['y','time']", "");
    put_array(store, "g/h/b/zarr.json", "[2,3,2]", "['time','y','time']", "");
    return store;
}

static void users_of_groups_below(void **state)
{
    (void)state;
    vz_hierarchy *hierarchy = opened(tree_new(), true);
    vz_node *root = vz_hierarchy_root(hierarchy), *time = find(root, "time"), *y = find(find(root, "g"), "y");
    wanted(time, "CLASS");
    assert_users(time, "/v 0 ");
    wanted(time, "REFERENCE_LIST");
    assert_users(time, "/v 0 /g/a 1 /g/h/b 0 /g/h/b 2 ");
    wanted(y, "REFERENCE_LIST");
    assert_users(y, "/g/a 0 /g/h/b 1 ");
    assert_false(vz_node_is_dirty(time) || vz_node_is_dirty(root));
    closed(hierarchy);
}

/* k is no variable. Nobody in its own group uses t, and a list of attributes lacks the users until they are asked for
 * (docs/limits.md). */
static void scales_without_users_beside_them(void **state)
{
    (void)state;
    vz_store *store = tree_new();
    put_array(store, "t/zarr.json", "[7]", "['t']", "");
    put_array(store, "g/h/c/zarr.json", "[4,7]", "['k','t']", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *root = vz_hierarchy_root(hierarchy), *t = find(root, "t"), *k = find(root, "k");
    wanted(t, NULL);
    assert_null(vz_node_attribute(t, "REFERENCE_LIST"));
    wanted(t, "REFERENCE_LIST");
    assert_users(t, "/g/h/c 1 ");
    wanted(k, "REFERENCE_LIST");
    assert_users(k, "/u 0 /g/h/c 0 ");
    closed(hierarchy);
}

static void who_is_no_user(void **state)
{
    (void)state;
    vz_store *store = tree_new();
    put_group(store, "own/zarr.json", "{}");
    put_array(store, "own/time/zarr.json", "[2]", "['time']", "");
    put_array(store, "own/x/zarr.json", "[2]", "['time']", "");
    put_group(store, "longer/zarr.json", "{}");
    put_array(store, "longer/x/zarr.json", "[9]", "['time']", "");
    put_group(store, "other/zarr.json", "{'multiscales':[]}");
    put_array(store, "other/x/zarr.json", "[2]", "['time']", "");
    put_group(store, "half/zarr.json", "{}");
    put_array(store, "half/x/zarr.json", "[2,2]", "['time',null]", "");
    put_group(store, "damaged/zarr.json", "{}");
    put_text(store, "damaged/x/zarr.json", "{'zarr_format':3,'node_type':'array'}");
    put_array(store, "damaged/z/zarr.json", "[2]", "['time']", "");
    put_group(store, "timeless/zarr.json", "{}");
    put_array(store, "timeless/time/zarr.json", "[2]", "['x']", "");
    put_array(store, "timeless/y/zarr.json", "[2]", "['time']", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *time = find(vz_hierarchy_root(hierarchy), "time");
    wanted(time, "REFERENCE_LIST");
    assert_users(time, "/v 0 /damaged/z 0 /g/a 1 /g/h/b 0 /g/h/b 2 ");
    closed(hierarchy);
}

/* A member that comes is a reason to look again, and nobody is on the list twice. */
static void looked_for_again(void **state)
{
    (void)state;
    vz_hierarchy *hierarchy = opened(tree_new(), true);
    vz_node *root = vz_hierarchy_root(hierarchy), *time = find(root, "time");
    for (int i = 0; i < 3; i++) {
        wanted(time, "REFERENCE_LIST");
        assert_users(time, "/v 0 /g/a 1 /g/h/b 0 /g/h/b 2 ");
        vz_node_unref(new_group(hierarchy, find(root, "g"), i == 0 ? "first" : i == 1 ? "second" : "third"));
    }
    closed(hierarchy);
}

/* A document that cannot be read hides no failure behind it. */
static void a_failing_server(void **state)
{
    (void)state;
    vz_store *store = tree_new();
    put_text(store, "g/A/zarr.json", "{'zarr_format':3,'node_type':'array'}");
    failing_store *failing = failing_store_over(store);
    failing->class = VZ_TRANSIENT;
    failing->only = "g/h/b/zarr.json";
    vz_hierarchy *hierarchy = opened(&failing->layer.base, true);
    vz_node *time = find(vz_hierarchy_root(hierarchy), "time");
    failing->turn = 1;
    failing->for_good = true;
    must_fail(vz_netcdf_attributes_wanted(time, "REFERENCE_LIST", &err), VZ_TRANSIENT,
              "the test lets this request fail");
    assert_users(time, "/v 0 ");
    failing->turn = 0;
    wanted(time, "REFERENCE_LIST");
    assert_users(time, "/v 0 /g/a 1 /g/h/b 0 /g/h/b 2 ");
    closed(hierarchy);
}

/* Nor does it make arrays of a group ones without dimensions, also when they are asked for once more. */
static void a_failing_server_for_a_group(void **state)
{
    (void)state;
    failing_store *failing = failing_store_over(tree_new());
    failing->class = VZ_TRANSIENT;
    failing->only = "time/zarr.json";
    vz_hierarchy *hierarchy = opened(&failing->layer.base, true);
    vz_node *root = vz_hierarchy_root(hierarchy);
    vz_link *link;
    must((link = vz_group_find(root, "v", &err)));
    failing->turn = 1;
    failing->for_good = true;
    for (int i = 0; i < 2; i++)
        must_fail(vz_link_node(root, link, &err), VZ_TRANSIENT, "the test lets this request fail");
    failing->turn = 0;
    assert_scales(find(root, "v"), "/time ");
    assert_users(find(root, "time"), "/v 0 ");
    closed(hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_of_groups_below), cmocka_unit_test(scales_without_users_beside_them),
        cmocka_unit_test(who_is_no_user),        cmocka_unit_test(looked_for_again),
        cmocka_unit_test(a_failing_server),      cmocka_unit_test(a_failing_server_for_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
