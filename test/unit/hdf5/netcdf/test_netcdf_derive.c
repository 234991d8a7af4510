/* test_netcdf_derive.c - what HDF5 programs see of names of dimensions: the attributes that netCDF-C and h5netcdf keep
 * in files (../shared/reference/netcdf.md, 1). Names that do not fit together derive nothing, and nothing is changed.
 */
#include "node_support.h"
#include "hierarchy/nodes/conventions.h"
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/netcdf/netcdf.h"

static const vz_conventions conventions = {
    .read_links = vz_dialect_links_read,
    .links_attribute = vz_dialect_links_attribute,
    .complete = vz_netcdf_complete,
    .loaded = vz_netcdf_loaded,
};

static void put_group(vz_store *store, const char *key, const char *attributes)
{
    char text[1024];
    snprintf(text, sizeof text, "{'zarr_format':3,'node_type':'group','attributes':%s}", attributes);
    put_text(store, key, text);
}

static void put_array(vz_store *store, const char *key, const char *shape, const char *names, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{'zarr_format':3,'node_type':'array','shape':%s,'data_type':'float32','chunk_grid':{'name':'regular',"
             "'configuration':{'chunk_shape':%s}},'chunk_key_encoding':{'name':'default'},'fill_value':0.0,"
             "'codecs':[{'name':'bytes','configuration':{'endian':'little'}}],'dimension_names':%s%s}",
             shape, shape, names, more);
    put_text(store, key, text);
}

static vz_store *store_new(void)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_group(store, "zarr.json", "{}");
    return store;
}

static vz_hierarchy *opened(vz_store *store)
{
    vz_hierarchy *hierarchy = over(store, true, false);
    must(vz_hierarchy_set_conventions(hierarchy, &conventions, &err));
    return hierarchy;
}

static void closed(vz_hierarchy *hierarchy)
{
    must(vz_close_hierarchy(hierarchy, &err));
}

static const char *text_of(const vz_node *node, const char *name)
{
    return vz_json_get_string(vz_node_attribute(node, name), NULL);
}

/* The paths of the scales of a variable, with a blank behind each. */
static void assert_scales(const vz_node *node, const char *expected)
{
    char found[256] = "";
    const vz_json *list = vz_json_get(vz_node_attribute(node, "DIMENSION_LIST"), "value");
    for (size_t axis = 0; axis < vz_json_length(list); axis++) {
        assert_int_equal(vz_json_length(vz_json_at(list, axis)), 1);
        strcat(found, vz_json_get_string(vz_json_get(vz_json_at(vz_json_at(list, axis), 0), "path"), NULL));
        strcat(found, " ");
    }
    assert_string_equal(found, expected);
}

/* "PATH AXIS " of each user of a scale. */
static void assert_users(const vz_node *scale, const char *expected)
{
    char found[256] = "";
    const vz_json *list = vz_node_attribute(scale, "REFERENCE_LIST");
    for (size_t i = 0; i < vz_json_length(list); i++) {
        const vz_json *use = vz_json_at(list, i);
        uint64_t axis;
        assert_true(vz_json_get_uint64(vz_json_get(use, "dimension"), &axis));
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s %d ",
                 vz_json_get_string(vz_json_get(vz_json_get(use, "dataset"), "path"), NULL), (int)axis);
    }
    assert_string_equal(found, expected);
}

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
    vz_hierarchy *hierarchy = opened(store);
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
    vz_hierarchy *hierarchy = opened(store);
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
    vz_hierarchy *hierarchy = opened(store);
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
        vz_hierarchy *hierarchy = opened(store);
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
    vz_hierarchy *hierarchy = opened(store);
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
