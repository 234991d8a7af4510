/* test_writeback_early.c - documents of finished arrays in a new group are put before the flush, where nobody else
 * sees them, and say at the flush what is then to be said. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "node_support.h"

#define MANY 80 /* more than two batches */

static vz_store *directory(const char *path, bool writable)
{
    vz_store *store = NULL;
    must((store = vz_store_open_directory(path, writable, &err)));
    return store;
}

static vz_hierarchy *open_new(const char *path)
{
    return over(directory(path, true), true, true);
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

static void make_in(vz_hierarchy *h, vz_node *group)
{
    for (unsigned i = 0; i < MANY; i++) {
        vz_node *array = new_array(h, group, name_of(i));
        write_elements(array, (int32_t)i);
        set(array, "x", "1");
        vz_node_unref(array);
    }
}

static vz_node *make_arrays(vz_hierarchy *h, const char *name)
{
    vz_node *group = new_group(h, h->root, name);
    make_in(h, group);
    return group;
}

static void close_all(vz_hierarchy *h, vz_node *group)
{
    if (group)
        vz_node_unref(group);
    must(vz_flush_finish(h, false, &err) && vz_close_hierarchy(h, &err));
}

/* As who comes from outside: no hierarchy, no staging area. */
static void assert_in_store(const char *path, const char *group, unsigned i, const char *attributes,
                            const char *document)
{
    vz_store *store = directory(path, false);
    assert_text(store, key_of(group, i, ".zattrs"), attributes);
    assert_text(store, key_of(group, i, ".zarray"), document);
    assert_int_equal(has_key(store, key_of(group, i, "0")), document != NULL);
    vz_store_close(store);
}

static void are_there_before_the_flush(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g");
    assert_true(h->dirty.early >= MANY / 2);
    assert_true(has_key(h->store, "g/a0/.zarray") && has_key(h->store, "g/a0/.zattrs"));
    assert_in_store(*state, "g", 0, NULL, NULL);
    close_all(h, group);
    vz_store *store = directory(*state, false);
    char *copy = get_text(store, ".zmetadata");
    assert_true(copy && strstr(copy, "g/a0/.zattrs") && strstr(copy, "g/a79/.zarray"));
    free(copy);
    vz_store_close(store);
    for (unsigned i = 0; i < MANY; i++)
        assert_in_store(*state, "g", i, "{'x':1}", ARRAY_DOCUMENT);
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
    must(vz_edit_resize(grown, &size, &err));
    must(vz_edit_unlink(group, "a3", &err));
    vz_node *fresh = new_array(h, group, "a3");
    write_elements(fresh, 5);
    must(vz_edit_rename(group, "a4", group, "a99", false, &err));
    must(vz_edit_rename(group, "a5", h->root, "a5", false, &err));
    assert_int_equal(h->dirty.in_vain, 3);
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
    must(vz_edit_rename(h->root, "g", other, "i", false, &err));
    vz_node_unref(group);
    close_all(h, other);
    for (unsigned i = 0; i < MANY; i++) {
        assert_in_store(*state, "h", i, "{'x':1}", ARRAY_DOCUMENT);
        assert_in_store(*state, "h/i", i, "{'x':1}", ARRAY_DOCUMENT);
    }
}

/* An array that was deleted with its attributes has none of them under its new name. */
static void unlinked_and_linked_again(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g"), *node = hold(group, "a0");
    must(vz_edit_unlink(group, "a0", &err));
    must(vz_node_remove_attribute(node, "x", &err));
    must(vz_edit_link(node, group, "a98", false, &err));
    vz_node_unref(node);
    close_all(h, group);
    assert_in_store(*state, "g", 0, NULL, NULL);
    assert_in_store(*state, "g", 98, NULL, ARRAY_DOCUMENT);
}

/* Others see the root, and may make what has the same name. */
static void not_where_others_see(void **state)
{
    vz_hierarchy *h = open_new(*state);
    make_in(h, h->root);
    assert_int_equal(h->dirty.early, 0);
    close_all(h, NULL);
}

static void not_while_somebody_holds_them(void **state)
{
    vz_node *held[MANY];
    vz_hierarchy *h = open_new(*state);
    vz_node *group = new_group(h, h->root, "g");
    for (unsigned i = 0; i < MANY; i++)
        held[i] = new_array(h, group, name_of(i));
    assert_int_equal(h->dirty.early, 0);
    for (unsigned i = 0; i < MANY; i++)
        vz_node_unref(held[i]);
    close_all(h, group);
}

/* A program that comes back to each of its arrays has few documents put in vain. */
static void stops_where_it_is_in_vain(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = new_group(h, h->root, "g");
    for (unsigned i = 0; i < 5 * MANY; i++) {
        vz_node_unref(new_array(h, group, name_of(i)));
        if (i < MANY)
            continue;
        vz_node *before = hold(group, name_of(i - MANY));
        set(before, "x", "1");
        vz_node_unref(before);
    }
    assert_true(h->dirty.early < 2 * MANY);
    close_all(h, group);
    vz_store *store = directory(*state, false);
    assert_text(store, "g/a0/.zattrs", "{'x':1}");
    vz_store_close(store);
}

/* A flush of one array shows it and its group. The others wait, although their documents are put. */
static void wait_for_their_own_flush(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g"), *node = hold(group, "a1");
    must(vz_flush_node(node, &err));
    assert_in_store(*state, "g", 1, "{'x':1}", ARRAY_DOCUMENT);
    assert_in_store(*state, "g", 0, NULL, NULL);
    vz_node_unref(node);
    close_all(h, group);
    assert_in_store(*state, "g", 0, "{'x':1}", ARRAY_DOCUMENT);
}

/* Consolidated metadata is made of texts that are kept, but for those that others could change since. */
static void others_change_them_after_a_flush(void **state)
{
    vz_hierarchy *h = open_new(*state);
    vz_node *group = make_arrays(h, "g");
    must(vz_flush_write(h, &err));
    vz_store *other = directory(*state, true);
    put_text(other, "g/a0/.zattrs", "{'theirs':true}");
    vz_store_close(other);
    set(group, "last", "1");
    close_all(h, group);
    vz_store *store = directory(*state, false);
    char *copy = get_text(store, ".zmetadata");
    assert_true(copy && strstr(copy, "theirs"));
    free(copy);
    vz_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(are_there_before_the_flush), TEST(say_what_changed),         TEST(go_with_their_group),
        TEST(unlinked_and_linked_again),  TEST(not_where_others_see),     TEST(not_while_somebody_holds_them),
        TEST(stops_where_it_is_in_vain),  TEST(wait_for_their_own_flush), TEST(others_change_them_after_a_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
