/* test_open_round_trips_documents.c - how many round trips listing a group and opening what is in it take in a store
 * that is far away: 50 ms for an answer, 64 requests under way. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "slow_store.h"
#include "node_support.h"

enum { LATENCY = 50, IN_FLIGHT = 64, ARRAYS = 1000 };

#define ARRAY_V2                                                                                                       \
    "{'shape':[6],'chunks':[2],'dtype':'<i4','fill_value':0,'order':'C','filters':null,'compressor':null,'zarr_"       \
    "format':2}"
#define ARRAY_V3                                                                                                       \
    "{'zarr_format':3,'node_type':'array','shape':[6],'data_type':'int32','chunk_grid':{'name':'regular',"             \
    "'configuration':{'chunk_shape':[2]}},'chunk_key_encoding':{'name':'default'},'fill_value':0,'codecs':[{'name':"   \
    "'bytes','configuration':{'endian':'little'}}],'attributes':{'k':%d}}"

static vz_store *store_of(int format)
{
    vz_store *store = NULL;
    char key[64], text[600];
    must((store = vz_store_new_memory(&err)));
    put_text(store, format == 3 ? "zarr.json" : ".zgroup",
             format == 3 ? "{'zarr_format':3,'node_type':'group','attributes':{}}" : "{'zarr_format':2}");
    for (int i = 0; i < ARRAYS; i++) {
        snprintf(key, sizeof key, format == 3 ? "a%d/zarr.json" : "a%d/.zarray", i);
        snprintf(text, sizeof text, format == 3 ? ARRAY_V3 : ARRAY_V2, i);
        put_text(store, key, text);
        if (format == 3)
            continue;
        snprintf(key, sizeof key, "a%d/.zattrs", i);
        snprintf(text, sizeof text, "{'k':%d}", i);
        put_text(store, key, text);
    }
    return store;
}

/* Each array is opened, and its attribute looked at. */
static void open_all(vz_hierarchy *h)
{
    uint64_t count = 0;
    must(vz_group_count(h->root, &count, &err));
    assert_int_equal(count, ARRAYS);
    for (int i = 0; i < ARRAYS; i++) {
        char name[32], value[32];
        vz_link *link = NULL;
        vz_node *node = NULL;
        snprintf(name, sizeof name, "a%d", i);
        snprintf(value, sizeof value, "%d", i);
        must((link = vz_group_find(h->root, name, &err)) && (node = vz_link_node(h->root, link, &err)));
        assert_int_equal(node->kind, VZ_NODE_ARRAY);
        assert_json(vz_json_get(node->attributes, "k"), value);
    }
}

static void listing_and_opening(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        slow_store *slow = slow_store_over(store_of(format), LATENCY, IN_FLIGHT);
        vz_hierarchy *h = over(&slow->layer.base, false, false);
        slow->now = 0;
        open_all(h);
        const unsigned documents = format == 3 ? 1 : 3;
        assert_int_equal(slow_rounds(slow), 1 + (ARRAYS * documents + IN_FLIGHT - 1) / IN_FLIGHT);
        must(vz_close_hierarchy(h, &err));
    }
}

/* ---- consolidated metadata ---- */

enum { GROUPS = 10, IN_EACH = 99 };

static void add_text(vz_buffer *all, const char *text)
{
    must(vz_buffer_append(all, text, strlen(text), &err));
}

static void add_node(vz_buffer *all, int format, const char *path, bool is_group, int number)
{
    char text[900], document[600];
    snprintf(document, sizeof document,
             format == 2 ? (is_group ? "{'zarr_format':2}" : ARRAY_V2)
             : is_group  ? "{'zarr_format':3,'node_type':'group','attributes':{'k':%d}}"
                         : ARRAY_V3,
             number);
    if (format == 3)
        snprintf(text, sizeof text, "%s'%s':%s", all->data[all->size - 1] == '{' ? "" : ",", path, document);
    else
        snprintf(text, sizeof text, "%s'%s%s':%s,'%s/.zattrs':{'k':%d}", all->data[all->size - 1] == '{' ? "" : ",",
                 path, is_group ? "/.zgroup" : "/.zarray", document, path, number);
    add_text(all, text);
}

/* A tree of which the store has no document but the copy of all of them, so that what is met comes from there. */
static vz_store *consolidated_store(int format)
{
    vz_store *store = NULL;
    vz_buffer all = {0};
    char path[64];
    must((store = vz_store_new_memory(&err)));
    add_text(&all, format == 3 ? "{'zarr_format':3,'node_type':'group','attributes':{},'consolidated_metadata':{'kind':"
                                 "'inline','must_understand':false,'metadata':{"
                               : "{'zarr_consolidated_format':1,'metadata':{");
    if (format == 2)
        add_text(&all, "'.zgroup':{'zarr_format':2}");
    for (int g = 0; g < GROUPS; g++) {
        snprintf(path, sizeof path, "g%d", g);
        add_node(&all, format, path, true, g);
        for (int i = 0; i < IN_EACH; i++) {
            snprintf(path, sizeof path, "g%d/a%d", g, i);
            add_node(&all, format, path, false, i);
        }
    }
    add_text(&all, format == 3 ? "}}}" : "}}");
    must(vz_buffer_append(&all, "", 1, &err));
    put_text(store, format == 3 ? "zarr.json" : ".zmetadata", (char *)all.data);
    vz_buffer_clear(&all);
    return store;
}

static unsigned visit(vz_node *group)
{
    uint64_t count;
    unsigned met = 1;
    must(vz_group_count(group, &count, &err));
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = NULL;
        vz_node *node = NULL;
        must((link = vz_group_link_at(group, VZ_BY_NAME, i, &err)) && (node = vz_link_node(group, link, &err)));
        assert_json(vz_json_get(node->attributes, "k"), link->name + 1);
        met += node->kind == VZ_NODE_GROUP ? visit(node) : 1;
    }
    return met;
}

/* The same tree as documents. */
static vz_store *tree_store(int format)
{
    vz_store *store = NULL;
    char path[64], key[96], text[600];
    must((store = vz_store_new_memory(&err)));
    put_text(store, format == 3 ? "zarr.json" : ".zgroup",
             format == 3 ? "{'zarr_format':3,'node_type':'group','attributes':{}}" : "{'zarr_format':2}");
    for (int g = 0; g < GROUPS; g++)
        for (int i = -1; i < IN_EACH; i++) {
            const bool is_group = i < 0;
            const int number = is_group ? g : i;
            snprintf(path, sizeof path, is_group ? "g%d" : "g%d/a%d", g, i);
            snprintf(key, sizeof key, "%s/%s", path, format == 3 ? "zarr.json" : is_group ? ".zgroup" : ".zarray");
            snprintf(text, sizeof text,
                     format == 2 ? (is_group ? "{'zarr_format':2}" : ARRAY_V2)
                     : is_group  ? "{'zarr_format':3,'node_type':'group','attributes':{'k':%d}}"
                                 : ARRAY_V3,
                     number);
            put_text(store, key, text);
            snprintf(key, sizeof key, "%s/.zattrs", path);
            snprintf(text, sizeof text, "{'k':%d}", number);
            if (format == 2)
                put_text(store, key, text);
        }
    return store;
}

/* Two levels, each a round of listings and one of documents. */
static void visiting_a_tree(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++)
        for (int listed = 0; listed < 2; listed++) {
            slow_store *slow = slow_store_over(tree_store(format), LATENCY, IN_FLIGHT);
            vz_hierarchy *h = over(&slow->layer.base, false, false);
            uint64_t count;
            if (listed)
                must(vz_group_count(h->root, &count, &err));
            slow->now = slow->requests = 0;
            must(vz_tree_read(h->root, &err));
            assert_int_equal(visit(h->root), 1 + GROUPS * (1 + IN_EACH));
            const unsigned documents = format == 3 ? 1 : 3;
            assert_in_range(slow->requests, 1, 1 + GROUPS + (GROUPS + GROUPS * IN_EACH + 1) * documents);
            assert_in_range(slow_rounds(slow), 1, 3 + (GROUPS * IN_EACH * documents + IN_FLIGHT - 1) / IN_FLIGHT);
            slow->requests = 0;
            must(vz_tree_read(h->root, &err));
            visit(h->root);
            assert_int_equal(slow->requests, 0);
            must(vz_close_hierarchy(h, &err));
        }
}

/* One round of two requests, whatever there is: no list, no look for what is not there. */
static void consolidated(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        slow_store *slow = slow_store_over(consolidated_store(format), LATENCY, IN_FLIGHT);
        vz_hierarchy *h = over(&slow->layer.base, false, false);
        assert_int_equal(visit(h->root), 1 + GROUPS * (1 + IN_EACH));
        assert_null(vz_group_find(h->root, "nothing", NULL));
        assert_int_equal(slow->requests, 2);
        assert_int_equal(slow_rounds(slow), 1);
        must(vz_close_hierarchy(h, &err));
    }
}

/* Chunks come from the store, as many at once as it likes. */
static void chunks_of_consolidated(void **state)
{
    (void)state;
    vz_store *memory = consolidated_store(2);
    put_text(memory, "g3/a5/0", "abcdefgh");
    put_text(memory, "g3/a5/2", "ijklmnop");
    slow_store *slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
    vz_hierarchy *h = over(&slow->layer.base, false, false);
    int32_t values[6];
    vz_region region = {.rank = 1, .stride = {1}, .count = {6}, .block = {1}, .memory_stride = {1}};
    vz_transfer transfer = {.region = &region, .buffer = values, .element_size = 4};
    vz_node *array = find(find(h->root, "g3"), "a5");
    slow->now = slow->requests = 0;
    must(vz_node_io(array, &err) && vz_array_read(array->io, &transfer, &err));
    assert_memory_equal(values, "abcdefgh\0\0\0\0\0\0\0\0ijklmnop", 24);
    assert_int_equal(slow->requests, 3);
    assert_int_equal(slow_rounds(slow), 1);
    must(vz_close_hierarchy(h, &err));
}

/* A copy that makes no sense, or is not to be used, is none; who writes has the documents themselves. */
static void without_a_copy(void **state)
{
    (void)state;
    static const char *const copies[] = {"no JSON", "{'zarr_consolidated_format':2,'metadata':{}}",
                                         "{'zarr_consolidated_format':1,'metadata':{}}"};
    for (unsigned i = 0; i < 5; i++) {
        vz_store *memory = store_of(2);
        put_text(memory, ".zmetadata",
                 i < 3 ? copies[i] : "{'zarr_consolidated_format':1,'metadata':{'.zgroup':{'zarr_format':2}}}");
        slow_store *slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
        vz_options options = default_options();
        options.consolidated = i == 3 ? VZ_CONSOLIDATED_IGNORE : VZ_CONSOLIDATED_AUTO;
        vz_hierarchy *h = NULL;
        must((h = vz_open_hierarchy_over(&slow->layer.base, "memory", &options, i == 4, false, &err)));
        assert_in_range(slow_rounds(slow), 1, 2); /* the copy; the root's documents */
        open_all(h);
        must(vz_close_hierarchy(h, &err));
    }
}

/* What another program changed since is met by a refresh, though it was read ahead. */
static void a_refresh_reads_anew(void **state)
{
    (void)state;
    vz_store *memory = store_of(2);
    slow_store *slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
    vz_hierarchy *h = over(&slow->layer.base, false, false);
    uint64_t count;
    must(vz_group_count(h->root, &count, &err));
    put_text(memory, "a7/.zattrs", "{'k':'theirs'}");
    must(vz_merge_refresh(h->root, &err));
    vz_link *link = NULL;
    vz_node *node = NULL;
    must((link = vz_group_find(h->root, "a7", &err)) && (node = vz_link_node(h->root, link, &err)));
    assert_json(vz_json_get(node->attributes, "k"), "'theirs'");
    must(vz_close_hierarchy(h, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_and_opening),    cmocka_unit_test(a_refresh_reads_anew),
        cmocka_unit_test(visiting_a_tree),        cmocka_unit_test(consolidated),
        cmocka_unit_test(chunks_of_consolidated), cmocka_unit_test(without_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
