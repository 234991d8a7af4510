/* test_netcdf_derive.c - what HDF5 programs see of names of dimensions: the attributes that netCDF-C and h5netcdf keep
 * in files (../shared/reference/netcdf.md, 1). Names that do not fit together derive nothing, and nothing is changed.
 */
#include "netcdf_support.h"

static void assert_not_shown(const vz_node *node)
{
    assert_false(vz_netcdf_is_shown(node));
    assert_null(vz_node_attribute(node, "DIMENSION_LIST"));
    assert_null(vz_node_attribute(node, "CLASS"));
    assert_null(vz_node_attribute(node, "REFERENCE_LIST"));
}

static void scales_and_placeholders(void **state)
{
    (void)state;
    vz_store *store = store_new();
    put_array(store, "time/zarr.json", "[2]", "['time']", "");
    put_array(store, "v/zarr.json", "[2,3]", "['time','x']", "");
    put_array(store, "w/zarr.json", "[3,2]", "['x','time']", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *root = vz_hierarchy_root(hierarchy), *time = find(root, "time"), *v = find(root, "v"),
            *x = find(root, "x");
    assert_scales(v, "/time /x ");
    assert_scales(find(root, "w"), "/x /time ");
    assert_string_equal(text_of(time, "CLASS"), "DIMENSION_SCALE");
    assert_string_equal(text_of(time, "NAME"), "time");
    assert_users(time, "/v 0 /w 1 ");
    assert_null(vz_node_attribute(time, "DIMENSION_LIST"));
    assert_true(x->is_dimension && x->meta->shape[0] == 3);
    assert_string_equal(text_of(x, "NAME"), "This is a netCDF dimension but not a netCDF variable.         3");
    assert_users(x, "/v 1 /w 0 ");
    assert_false(vz_node_is_dirty(v) || vz_node_is_dirty(time) || vz_node_is_dirty(x) || vz_node_is_dirty(root));
    assert_true(time->fixed_shape);
    closed(hierarchy);
}

static void a_variable_called_as_anothers_dimension(void **state)
{
    (void)state;
    vz_store *store = store_new();
    put_array(store, "c/zarr.json", "[2]", "['x']", "");
    put_array(store, "d/zarr.json", "[3,2]", "['c','x']", "");
    put_array(store, "y/zarr.json", "[2,3]", "['y','z']", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *root = vz_hierarchy_root(hierarchy);
    assert_scales(find(root, "_nc4_non_coord_c"), "/x ");
    assert_true(find(root, "c")->is_dimension);
    assert_scales(find(root, "d"), "/c /x ");
    assert_scales(find(root, "_nc4_non_coord_y"), "/y /z ");
    closed(hierarchy);
}

static void dimensions_of_groups_above(void **state)
{
    (void)state;
    vz_store *store = store_new();
    put_group(store, "g/zarr.json", "{}");
    put_group(store, "g/h/zarr.json", "{}");
    put_array(store, "time/zarr.json", "[2]", "['time']", "");
    put_array(store, "u/zarr.json", "[4]", "['k']", "");
    put_array(store, "g/h/n/zarr.json", "[2,4]", "['time','k']", "");
    put_array(store, "g/h/m/zarr.json", "[2,5]", "['time','k2']", "");
    put_array(store, "g/other/zarr.json", "[7]", "['time']", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *root = vz_hierarchy_root(hierarchy), *g = find(root, "g"), *h = find(g, "h");
    assert_scales(find(h, "n"), "/time /k ");
    assert_scales(find(h, "m"), "/time /g/h/k2 ");
    assert_scales(find(g, "other"), "/g/time "); /* of another length: a dimension of its own */
    closed(hierarchy);
}

static void what_does_not_fit(void **state)
{
    static const struct {
        const char *first, *second, *attributes;
    } cases[] = {
        {"['x','y']", "['y','x']", "{}"},   /* two lengths */
        {"['x',null]", "['x','y']", "{}"},  /* not all axes */
        {"['x']", "['x','y']", "{}"},       /* not as many as there are axes */
        {"['x','a/b']", "['x','y']", "{}"}, /* no name of a dataset */
        {"['x','']", "['x','y']", "{}"},    /* */
        {"['x',5]", "['x','y']", "{}"},     /* */
        {"['x','y']", "['x','y']", "{'multiscales':[]}"},
        {"['x','y']", "['x','y']", "{'encoding-type':'anndata'}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vz_store *store = store_new();
        put_group(store, "zarr.json", cases[i].attributes);
        put_array(store, "a/zarr.json", "[2,3]", cases[i].first, "");
        put_array(store, "b/zarr.json", "[2,3]", cases[i].second, "");
        vz_hierarchy *hierarchy = opened(store, true);
        vz_node *root = vz_hierarchy_root(hierarchy);
        assert_not_shown(find(root, "a"));
        assert_not_shown(find(root, "b"));
        assert_false(exists(root, "x"));
        closed(hierarchy);
    }
}

static void missing_value(void **state)
{
    (void)state;
    vz_store *store = store_new();
    put_array(store, "a/zarr.json", "[2]", "['x']", ",'attributes':{'_FillValue':'AAAAAAA4j8A=','units':'K'}");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *a = find(vz_hierarchy_root(hierarchy), "a");
    double number = 0;
    const vz_json *value = vz_node_attribute(a, "_FillValue");
    assert_true(vz_json_get_double(vz_json_length(value) ? vz_json_at(value, 0) : value, &number));
    assert_true(number == -999);
    assert_false(vz_node_is_dirty(a));
    closed(hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_and_placeholders),
        cmocka_unit_test(a_variable_called_as_anothers_dimension),
        cmocka_unit_test(dimensions_of_groups_above),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(missing_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
