/* test_nodes_equal_documents.c - arrays whose documents are one text: it is parsed and printed for the first two of
 * them, and a change of one is seen in no other. */
#include "node_support.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"

#define GROUP "{'zarr_format':2}"
#define MANY  5
/* With a member that nobody here knows, which stays. */
#define THEIRS(shape)                                                                                                  \
    "{'shape':[" #shape "],'chunks':[2],'dtype':'<i4','fill_value':0,'order':'C','filters':null,"                      \
    "'compressor':null,'zarr_format':2,'theirs':[1,2]}"

static char *name_of(unsigned i)
{
    static char name[8];
    snprintf(name, sizeof name, "a%u", i);
    return name;
}

static void assert_document(vz_store *store, unsigned i, const char *expected)
{
    char key[32];
    snprintf(key, sizeof key, "%s/.zarray", name_of(i));
    assert_text(store, key, expected);
}

/* Those before `count` but one, whose shape has changed. */
static void assert_others(vz_store *store, unsigned count, unsigned but, const char *document, const char *changed)
{
    for (unsigned i = 0; i < count; i++)
        assert_document(store, i, i == but ? changed : document);
}

static void resize(vz_node *node, uint64_t size)
{
    must(vz_edit_resize(node, &size, &err));
}

static void new_ones_are_printed_once(void **state)
{
    (void)state;
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    vz_hierarchy *h = over(store, true, true);
    vz_node *nodes[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        nodes[i] = new_array(h, h->root, name_of(i));
        must(vz_flush_documents(nodes[i], &err));
    }
    assert_ptr_equal(nodes[2]->document, nodes[MANY - 1]->document);
    assert_others(store, MANY, MANY, ARRAY_DOCUMENT, NULL);
    resize(nodes[3], 6);
    must(vz_flush_store(h, false, &err));
    vz_json *grown = json_of(ARRAY_DOCUMENT), *shape = json_of("[6]");
    must(vz_json_set(grown, "shape", shape, &err));
    assert_true(vz_json_equal(nodes[3]->document, grown));
    for (unsigned i = 0; i < MANY; i++)
        if (i != 3)
            assert_json(nodes[i]->document, ARRAY_DOCUMENT);
    assert_document(store, 2, ARRAY_DOCUMENT);
    vz_json_free(grown);
    for (unsigned i = 0; i < MANY; i++)
        vz_node_unref(nodes[i]);
    must(vz_close_hierarchy(h, &err));
}

/* Another shape, fill value, type or separator is another document. */
static void what_differs_is_printed(void **state)
{
    (void)state;
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    vz_hierarchy *h = over(store, true, true);
    const int32_t seven = 7;
    for (unsigned i = 0; i < 3 * MANY; i++) {
        vz_meta *meta = new_meta();
        meta->shape[0] = i % 4 == 1 ? 5 : 4;
        meta->separator = i % 4 == 2 ? '/' : '.';
        if (i % 4 == 3)
            must(vz_meta_set_fill(meta, &seven, &err));
        vz_node *node = NULL;
        must((node = vz_node_new_array(h, meta, &err)));
        must(vz_edit_link(node, h->root, name_of(i), false, &err));
        must(vz_flush_documents(node, &err));
        vz_meta *again = NULL;
        must((again = vz_meta_parse_v2(node->document, &err)));
        assert_int_equal(again->shape[0], i % 4 == 1 ? 5 : 4);
        assert_int_equal(again->separator, i % 4 == 2 ? '/' : '.');
        assert_int_equal(again->fill_zero, i % 4 != 3);
        vz_meta_free(again);
        vz_node_unref(node);
    }
    must(vz_close_hierarchy(h, &err));
}

/* nodes: MANY arrays of that store, which have been loaded. */
static vz_hierarchy *open_theirs(vz_store **store, vz_node **nodes)
{
    char key[32];
    must((*store = vz_store_new_memory(&err)));
    put_text(*store, ".zgroup", GROUP);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%s/.zarray", name_of(i));
        put_text(*store, key, THEIRS(4));
    }
    vz_hierarchy *h = over(*store, true, false);
    for (unsigned i = 0; i < MANY; i++) {
        nodes[i] = find(h->root, name_of(i));
        vz_node_ref(nodes[i]);
    }
    return h;
}

static void close_theirs(vz_hierarchy *h, vz_node **nodes)
{
    for (unsigned i = 0; i < MANY; i++)
        vz_node_unref(nodes[i]);
    must(vz_close_hierarchy(h, &err));
}

static void equal_texts_are_parsed_once(void **state)
{
    (void)state;
    vz_store *store;
    vz_node *nodes[MANY];
    vz_hierarchy *h = open_theirs(&store, nodes);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(nodes[i]->meta->shape[0], 4);
    assert_ptr_equal(nodes[2]->document, nodes[4]->document);
    assert_ptr_not_equal(nodes[2]->meta, nodes[4]->meta);
    resize(nodes[4], 8);
    must(vz_flush_store(h, false, &err));
    assert_others(store, MANY, 4, THEIRS(4), THEIRS(8));
    assert_json(nodes[2]->document, THEIRS(4));
    assert_int_equal(nodes[2]->meta->shape[0], 4);
    close_theirs(h, nodes);
}

/* Another program makes one of them smaller while it is written to: the document that the others share stays. */
static void one_that_others_made_smaller(void **state)
{
    (void)state;
    vz_store *store;
    vz_node *nodes[MANY];
    vz_hierarchy *h = open_theirs(&store, nodes);
    write_element(nodes[3], 1, 5);
    write_element(nodes[3], 3, 7);
    put_text(store, "a3/.zarray", THEIRS(2));
    vz_error failed = VZ_ERROR_NONE;
    assert_false(vz_flush_store(h, false, &failed)); /* which tells that an element is not stored */
    assert_json(nodes[3]->document, THEIRS(2));
    assert_json(nodes[2]->document, THEIRS(4));
    assert_json(nodes[4]->document, THEIRS(4));
    close_theirs(h, nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_ones_are_printed_once),
        cmocka_unit_test(what_differs_is_printed),
        cmocka_unit_test(equal_texts_are_parsed_once),
        cmocka_unit_test(one_that_others_made_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
