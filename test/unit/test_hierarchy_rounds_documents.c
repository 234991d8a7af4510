/* test_hierarchy_rounds_documents.c - how many round trips listing a group and opening what is in it take in a store
 * that is far away: 50 ms for an answer, 64 requests under way. */
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
        vz_hierarchy *h = over(&slow->stacked.base, false, false);
        slow->now = 0;
        open_all(h);
        const unsigned documents = format == 3 ? 1 : 3;
        assert_int_equal(slow_rounds(slow), 1 + (ARRAYS * documents + IN_FLIGHT - 1) / IN_FLIGHT);
        must(vz_hierarchy_close(h, &err));
    }
}

/* What another program changed since is met by a refresh, though it was read ahead. */
static void a_refresh_reads_anew(void **state)
{
    (void)state;
    vz_store *memory = store_of(2);
    slow_store *slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
    vz_hierarchy *h = over(&slow->stacked.base, false, false);
    uint64_t count;
    must(vz_group_count(h->root, &count, &err));
    put_text(memory, "a7/.zattrs", "{'k':'theirs'}");
    must(vz_node_refresh(h->root, &err));
    vz_link *link = NULL;
    vz_node *node = NULL;
    must((link = vz_group_find(h->root, "a7", &err)) && (node = vz_link_node(h->root, link, &err)));
    assert_json(vz_json_get(node->attributes, "k"), "'theirs'");
    must(vz_hierarchy_close(h, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_and_opening),
        cmocka_unit_test(a_refresh_reads_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
