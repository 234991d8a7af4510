/* test_writeback_early.c - documents of new arrays in a new group are put before the flush, where nobody else sees
 * them, and say at the flush what is then to be said. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "node_support.h"

#define MANY 40 /* more than wait for what their program does next */

static vz_hierarchy *open_new(const char *path)
{
    vz_store *store = NULL;
    must((store = vz_store_open_directory(path, true, &err)));
    return over(store, true, true);
}

static char *name_of(unsigned i)
{
    static char name[8];
    snprintf(name, sizeof name, "a%u", i);
    return name;
}

static char *key_of(const char *group, unsigned i, const char *document)
{
    static char key[64];
    snprintf(key, sizeof key, "%s%sa%u/%s", group, *group ? "/" : "", i, document);
    return key;
}

static void set(vz_node *node, const char *name, const char *value)
{
    must(vz_node_set_attribute(node, name, json_of(value), &err));
}

static vz_node *hold(vz_node *group, const char *name)
{
    vz_node *node = find(group, name);
    vz_node_ref(node);
    return node;
}

static vz_node *make_arrays(vz_hierarchy *h, const char *name)
{
    vz_node *group = new_group(h, h->root, name);
    for (unsigned i = 0; i < MANY; i++) {
        vz_node *array = new_array(h, group, name_of(i));
        write_elements(array, (int32_t)i);
        set(array, "x", "1");
        vz_node_unref(array);
    }
    return group;
}

static void close_all(vz_hierarchy *h, vz_node *group)
{
    vz_node_unref(group);
    must(vz_hierarchy_finish(h, false, &err) && vz_hierarchy_close(h, &err));
}

/* As who comes from outside: no hierarchy, no stage. */
static void assert_in_store(const char *path, const char *group, unsigned i, const char *attributes,
                            const char *document)
{
    vz_store *store = NULL;
    must((store = vz_store_open_directory(path, false, &err)));
    assert_text(store, key_of(group, i, ".zattrs"), attributes);
    assert_text(store, key_of(group, i, ".zarray"), document);
    assert_int_equal(has_key(store, key_of(group, i, "0")), document != NULL);
    vz_store_close(store);
}

static void are_there_at_the_flush(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g");
    assert_true(h->staged.put >= MANY / 2);
    assert_in_store(*state, "g", 0, NULL, NULL);
    must(vz_store_drain(h->store, &err));
    close_all(h, group);
    vz_store *store = NULL;
    must((store = vz_store_open_directory(*state, false, &err)));
    assert_true(has_key(store, ".zmetadata"));
    vz_store_close(store);
    for (unsigned i = 0; i < MANY; i++)
        assert_in_store(*state, "g", i, "{'x':1}", ARRAY_DOCUMENT);
}

/* What is kept of documents until the flush does not grow with any number of arrays. */
static void are_kept_of_some(void **state)
{
    enum { ALL = 17000, MOST = 16384 };
    vz_hierarchy *h = open_new(*state);
    vz_node *group = new_group(h, h->root, "g");
    for (unsigned i = 0; i < ALL; i++)
        vz_node_unref(new_array(h, group, name_of(i)));
    assert_int_equal(h->staged.kept, MOST);
    must(vz_hierarchy_flush(h, false, &err));
    assert_int_equal(h->staged.kept, 0);
    close_all(h, group);
}

/* Each way in which an array can become another one meanwhile. */
static void say_what_changed(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g");
    vz_node *changed = hold(group, "a0"), *bare = hold(group, "a1"), *grown = hold(group, "a2");
    set(changed, "x", "2");
    set(changed, "y", "3");
    must(vz_node_remove_attribute(bare, "x", &err));
    const uint64_t size = 6;
    must(vz_node_resize(grown, &size, &err));
    must(vz_group_unlink(group, "a3", &err));
    vz_node *fresh = new_array(h, group, "a3");
    write_elements(fresh, 5);
    must(vz_link_rename(group, "a4", group, "a99", false, &err));
    must(vz_link_rename(group, "a5", h->root, "a5", false, &err));
    assert_int_equal(h->staged.missed, 3);
    vz_node *all[] = {changed, bare, grown, fresh};
    for (unsigned i = 0; i < 4; i++)
        vz_node_unref(all[i]);
    close_all(h, group);
    assert_in_store(*state, "g", 0, "{'x':2,'y':3}", ARRAY_DOCUMENT);
    assert_in_store(*state, "g", 1, "{}", ARRAY_DOCUMENT);
    assert_in_store(*state, "g", 2, "{'x':1}",
                    "{'shape':[6],'chunks':[2],'dtype':'<i4','fill_value':0,'order':'C','filters':null,"
                    "'dimension_separator':'.','compressor':null,'zarr_format':2}");
    assert_in_store(*state, "g", 3, NULL, ARRAY_DOCUMENT);
    assert_in_store(*state, "g", 4, NULL, NULL);
    assert_in_store(*state, "g", 99, "{'x':1}", ARRAY_DOCUMENT);
    assert_in_store(*state, "", 5, "{'x':1}", ARRAY_DOCUMENT);
}

static void go_with_their_group(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g"), *other = make_arrays(h, "h");
    must(vz_link_rename(h->root, "g", other, "i", false, &err));
    vz_node_unref(group);
    close_all(h, other);
    for (unsigned i = 0; i < MANY; i++) {
        assert_in_store(*state, "h", i, "{'x':1}", ARRAY_DOCUMENT);
        assert_in_store(*state, "h/i", i, "{'x':1}", ARRAY_DOCUMENT);
    }
}

/* What was deleted with its attributes has none of them under its new name. */
static void unlinked_and_linked_again(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g"), *node = hold(group, "a0");
    must(vz_group_unlink(group, "a0", &err));
    must(vz_node_remove_attribute(node, "x", &err));
    must(vz_node_link(node, group, "a98", false, &err));
    vz_node_unref(node);
    close_all(h, group);
    assert_in_store(*state, "g", 0, NULL, NULL);
    assert_in_store(*state, "g", 98, NULL, ARRAY_DOCUMENT);
}

/* Others see the root, and may make what has the same name. */
static void not_where_others_see(void **state)
{
    vz_hierarchy *h = open_new(*state);
    for (unsigned i = 0; i < MANY; i++) {
        vz_node *array = new_array(h, h->root, name_of(i));
        set(array, "x", "1");
        vz_node_unref(array);
    }
    assert_int_equal(h->staged.put, 0);
    must(vz_hierarchy_finish(h, false, &err) && vz_hierarchy_close(h, &err));
}

/* A program that comes back to each of its arrays has few documents put in vain. */
static void stops_where_it_is_in_vain(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = new_group(h, h->root, "g");
    for (unsigned i = 0; i < 10 * MANY; i++) {
        vz_node_unref(new_array(h, group, name_of(i)));
        if (i < 2 * MANY)
            continue;
        vz_node *before = hold(group, name_of(i - 2 * MANY));
        set(before, "x", "1");
        vz_node_unref(before);
    }
    assert_true(h->staged.put < 3 * MANY);
    close_all(h, group);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(are_there_at_the_flush),    TEST(say_what_changed),     TEST(go_with_their_group),
        TEST(unlinked_and_linked_again), TEST(not_where_others_see), TEST(stops_where_it_is_in_vain),
        TEST(are_kept_of_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
