/* test_netcdf_by_name.c - arrays of a store that lists nothing: their scales are found by the names of their
 * dimensions, once a program asks for them. */
#include "netcdf_support.h"
#include "failing_store.h"
#include "slow_store.h"

#define IN_FLIGHT 64

/* Over the store, which it takes: nothing is listed, documents cost a round trip each, those of a batch one together.
 */
static slow_store *unlisted(vz_store *below)
{
    vz_layer *silent = vz_layer_new(below, sizeof *silent, "silent", NULL);
    silent->base.capabilities &= ~(unsigned)VZ_STORE_LIST;
    return slow_store_over(&silent->base, 1, IN_FLIGHT);
}

static vz_store *weather_new(void)
{
    vz_store *store = store_new();
    put_array(store, "time/zarr.json", "[2]", "['time']", "");
    put_array(store, "lat/zarr.json", "[3]", "['lat']", "");
    put_array(store, "v/zarr.json", "[2,3,4]", "['time','lat','nv']", "");
    put_array(store, "w/zarr.json", "[3,2]", "['lat','time']", "");
    return store;
}

/* In one round. */
static void scales_are_found_once(void **state)
{
    (void)state;
    slow_store *slow = unlisted(weather_new());
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *w = find(vz_hierarchy_root(hierarchy), "w");
    wanted(w, "units");
    assert_null(vz_node_attribute(w, "DIMENSION_LIST"));
    const uint64_t before = slow_rounds(slow);
    wanted(w, "DIMENSION_LIST");
    assert_scales(w, "/lat /time ");
    assert_int_equal(slow_rounds(slow) - before, 1);
    assert_non_null(vz_node_attribute(w, "DIMENSION_LABELS"));
    assert_false(vz_node_is_dirty(w));
    const uint64_t requests = slow->requests;
    wanted(w, NULL);
    wanted(w, "CLASS");
    assert_int_equal(slow->requests, requests);
    closed(hierarchy);
}

/* Nor is a scale looked for again that there is not. */
static void a_dimension_without_a_variable(void **state)
{
    (void)state;
    slow_store *slow = unlisted(weather_new());
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
    wanted(v, "DIMENSION_LIST");
    assert_scales(v, "/time /lat - ");
    const uint64_t requests = slow->requests;
    wanted(v, "DIMENSION_LIST");
    assert_int_equal(slow->requests, requests);
    closed(hierarchy);
}

static void a_scale_says_that_it_is_one(void **state)
{
    (void)state;
    slow_store *slow = unlisted(weather_new());
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *lat = find(vz_hierarchy_root(hierarchy), "lat");
    const uint64_t requests = slow->requests;
    wanted(lat, "CLASS");
    assert_string_equal(text_of(lat, "CLASS"), "DIMENSION_SCALE");
    assert_string_equal(text_of(lat, "NAME"), "lat");
    assert_scales(lat, "");
    assert_null(vz_node_attribute(lat, "REFERENCE_LIST"));
    assert_int_equal(slow->requests, requests); /* its own name says so */
    closed(hierarchy);
}

static void scales_of_groups_above(void **state)
{
    (void)state;
    vz_store *store = weather_new();
    put_group(store, "g/zarr.json", "{}");
    put_group(store, "g/h/zarr.json", "{}");
    put_array(store, "g/time/zarr.json", "[5]", "['time']", "");
    put_array(store, "g/k/zarr.json", "[4]", "['k']", "");
    put_array(store, "g/h/lat/zarr.json", "[9]", "['lat']", "");
    put_array(store, "g/h/n/zarr.json", "[2,4,3]", "['time','k','lat']", "");
    slow_store *slow = unlisted(store);
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *g = find(vz_hierarchy_root(hierarchy), "g"), *n = find(find(g, "h"), "n");
    wanted(n, NULL);
    /* The next one above of that length; an array of the name in the own group is none, and hides those above. */
    assert_scales(n, "/time /g/k - ");
    closed(hierarchy);
}

static void what_is_no_scale(void **state)
{
    static const struct {
        const char *shape, *names;
    } cases[] = {
        {"[3]", "['x']"},       /* of another length */
        {"[2]", "['other']"},   /* along another dimension */
        {"[2,2]", "['x','y']"}, /* of two */
        {"[2]", "[null]"},      /* of none */
        {"[2]", "5"},           /* damaged */
        {"[-1]", "['x']"},      /* */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vz_store *store = store_new();
        put_array(store, "x/zarr.json", cases[i].shape, cases[i].names, "");
        put_array(store, "v/zarr.json", "[2]", "['x']", "");
        slow_store *slow = unlisted(store);
        vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
        vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
        wanted(v, NULL);
        assert_null(vz_node_attribute(v, "DIMENSION_LIST"));
        assert_non_null(vz_node_attribute(v, "DIMENSION_LABELS"));
        closed(hierarchy);
    }
}

/* Names that no directory has, and as many axes as there may be, each of the same name. */
static void hostile_names(void **state)
{
    char shape[256] = "[2", names[512] = "['..'";
    (void)state;
    for (unsigned axis = 1; axis < VZ_MAX_RANK; axis++) {
        strcat(shape, ",2");
        strcat(names, axis == 1 ? ",'%2E%2E'" : axis == 2 ? ",'zarr.json'" : ",'v'");
    }
    vz_store *store = store_new();
    put_array(store, "v/zarr.json", strcat(shape, "]"), strcat(names, "]"), "");
    slow_store *slow = unlisted(store);
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
    wanted(v, NULL);
    assert_null(vz_node_attribute(v, "DIMENSION_LIST"));
    closed(hierarchy);
}

static void other_conventions(void **state)
{
    (void)state;
    vz_store *store = weather_new();
    put_group(store, "zarr.json", "{'encoding-type':'anndata'}");
    slow_store *slow = unlisted(store);
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
    const uint64_t requests = slow->requests;
    wanted(v, NULL);
    assert_null(vz_node_attribute(v, "DIMENSION_LIST"));
    assert_int_equal(slow->requests, requests);
    closed(hierarchy);
}

/* A listed group says all by itself, and one that does not qualify shows no scale. */
static void listed_groups(void **state)
{
    (void)state;
    vz_store *store = weather_new();
    put_array(store, "nameless/zarr.json", "[2]", "[null]", "");
    vz_hierarchy *hierarchy = opened(store, true);
    vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
    wanted(v, NULL);
    assert_null(vz_node_attribute(v, "DIMENSION_LIST"));
    closed(hierarchy);
}

/* A server that fails for a moment does not make an axis one without a scale. */
static void a_failing_server(void **state)
{
    (void)state;
    failing_store *failing = failing_store_over(weather_new());
    failing->class = VZ_TRANSIENT;
    failing->only = "lat/zarr.json";
    slow_store *slow = unlisted(&failing->layer.base);
    vz_hierarchy *hierarchy = opened(&slow->layer.base, false);
    vz_node *v = find(vz_hierarchy_root(hierarchy), "v");
    failing->turn = 1;
    failing->for_good = true;
    must_fail(vz_netcdf_attributes_wanted(v, "DIMENSION_LIST", &err), VZ_TRANSIENT, "the test lets this request fail");
    assert_null(vz_node_attribute(v, "DIMENSION_LIST"));
    failing->turn = 0;
    wanted(v, "DIMENSION_LIST");
    assert_scales(v, "/time /lat - ");
    closed(hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_found_once),
        cmocka_unit_test(a_dimension_without_a_variable),
        cmocka_unit_test(a_scale_says_that_it_is_one),
        cmocka_unit_test(scales_of_groups_above),
        cmocka_unit_test(what_is_no_scale),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(other_conventions),
        cmocka_unit_test(listed_groups),
        cmocka_unit_test(a_failing_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
