/* test_open_round_trips_writing.c - how many round trips making, changing and closing many nodes take in a store that
 * is far away: 50 ms for an answer, 64 requests under way. And in which order readers meet what is written. */
#include "store/layers/layer_internal.h"
#include "failing_store.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "slow_store.h"
#include "node_support.h"
#include <sys/wait.h>

enum { LATENCY = 50, IN_FLIGHT = 64, ARRAYS = 1000 };

typedef struct far {
    vz_store *memory;
    failing_store *failing;
    slow_store *slow;
    vz_hierarchy *h;
} far;

static far open_far(vz_store *memory, bool create, int format)
{
    far f = {.memory = memory};
    vz_options options = default_options();
    options.format = format;
    f.failing = failing_store_over(memory);
    f.slow = slow_store_over(&f.failing->layer.base, LATENCY, IN_FLIGHT);
    must((f.h = vz_open_hierarchy_over(&f.slow->layer.base, "memory", &options, true, create, &err)));
    f.slow->now = f.slow->requests = 0;
    return f;
}

static vz_store *new_memory(void)
{
    vz_store *memory = NULL;
    must((memory = vz_store_new_memory(&err)));
    return memory;
}

static unsigned rounds_for(unsigned requests)
{
    return (requests + IN_FLIGHT - 1) / IN_FLIGHT;
}

static const char *name_of(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof name, "a%u", i);
    return name;
}

/* A small dataset as programs make them: written whole, two attributes, closed. */
static void make_array(far *f, vz_node *group, unsigned i)
{
    vz_node *array = new_array(f->h, group, name_of(i));
    write_elements(array, (int32_t)i);
    must(vz_node_set_attribute(array, "unit", json_of("'mV'"), &err) &&
         vz_node_set_attribute(array, "number", json_of(name_of(i) + 1), &err));
    vz_node_unref(array);
}

/* A store in which ARRAYS of them were flushed; nothing is counted yet. */
static far far_with_arrays(int format)
{
    far f = open_far(new_memory(), true, format);
    for (unsigned i = 0; i < ARRAYS; i++)
        make_array(&f, f.h->root, i);
    must(vz_flush_store(f.h, false, &err));
    f.slow->now = f.slow->requests = 0;
    return f;
}

static void assert_arrays(vz_store *memory, const char *above, int format)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s/%s", above, name_of(i), format == 3 ? "zarr.json" : ".zarray");
        assert_true(has_key(memory, key));
        snprintf(key, sizeof key, "%s%s/%s1", above, name_of(i), format == 3 ? "c/" : "");
        assert_true(has_key(memory, key));
        if (format == 3)
            continue;
        char text[64];
        snprintf(text, sizeof text, "{'unit':'mV','number':%u}", i);
        snprintf(key, sizeof key, "%s%s/.zattrs", above, name_of(i));
        assert_text(memory, key, text);
    }
}

/* Two chunks and the documents of each: in format 2 two, in format 3 one. */
static void making_many(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        far f = open_far(new_memory(), true, format);
        for (unsigned i = 0; i < ARRAYS; i++)
            make_array(&f, f.h->root, i);
        must(vz_flush_store(f.h, false, &err));
        assert_arrays(f.memory, "", format);
        const unsigned documents = format == 3 ? 1 : 2;
        /* and one round that looks at the root: its attributes, and the copy of all documents */
        assert_in_range(f.slow->requests, ARRAYS * (2 + documents), ARRAYS * (2 + documents) + 2);
        assert_in_range(slow_rounds(f.slow), 1, rounds_for(2 * ARRAYS) + documents * rounds_for(ARRAYS) + 1);
        f.slow->requests = 0;
        must(vz_flush_store(f.h, false, &err));
        assert_int_equal(f.slow->requests, 0);
        must(vz_close_hierarchy(f.h, &err));
    }
}

/* The documents of nodes that this process wrote, or read, are not read again: one condition each. */
static void changing_many(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        far f = far_with_arrays(format);
        for (unsigned i = 0; i < ARRAYS; i++)
            must(vz_node_set_attribute(find(f.h->root, name_of(i)), "unit", json_of("'V'"), &err));
        must(vz_flush_store(f.h, false, &err));
        assert_in_range(slow_rounds(f.slow), 1, rounds_for(ARRAYS) + 2); /* and the copy of all documents */
        assert_in_range(f.slow->requests, ARRAYS, ARRAYS + 2);
        must(vz_close_hierarchy(f.h, &err));
    }
}

/* Who opens a store, and changes what is in it, lists and reads in rounds, and does not read it again. */
static void changing_after_opening(void **state)
{
    (void)state;
    vz_store *memory = new_memory();
    put_text(memory, ".zgroup", "{'zarr_format':2}");
    for (unsigned i = 0; i < ARRAYS; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s/.zarray", name_of(i));
        put_text(memory, key, ARRAY_DOCUMENT);
        snprintf(key, sizeof key, "%s/.zattrs", name_of(i));
        put_text(memory, key, "{'unit':'mV','theirs':1}");
    }
    far f = open_far(memory, false, 2);
    uint64_t count;
    must(vz_group_count(f.h->root, &count, &err));
    for (unsigned i = 0; i < ARRAYS; i++)
        must(vz_node_set_attribute(find(f.h->root, name_of(i)), "unit", json_of("'V'"), &err));
    f.slow->now = f.slow->requests = 0;
    must(vz_flush_store(f.h, false, &err));
    assert_in_range(slow_rounds(f.slow), 1, rounds_for(ARRAYS) + 2);
    assert_text(memory, "a7/.zattrs", "{'unit':'V','theirs':1}");
    must(vz_close_hierarchy(f.h, &err));
}

/* Another program changed some of them meanwhile: what it changed stays. */
static void changed_meanwhile(void **state)
{
    (void)state;
    far f = far_with_arrays(2);
    put_text(f.memory, "a7/.zattrs", "{'unit':'A','theirs':1}");
    for (unsigned i = 0; i < 100; i++)
        must(vz_node_set_attribute(find(f.h->root, name_of(i)), "unit", json_of("'V'"), &err));
    must(vz_flush_store(f.h, false, &err));
    assert_text(f.memory, "a7/.zattrs", "{'unit':'V','theirs':1}");
    assert_text(f.memory, "a8/.zattrs", "{'unit':'V','number':8}");
    /* And made one that we make, too: the later wins, as in a directory, but nothing of theirs in the attributes goes.
     */
    make_array(&f, f.h->root, ARRAYS);
    put_text(f.memory, "a1000/.zattrs", "{'theirs':1}");
    must(vz_flush_store(f.h, false, &err));
    assert_text(f.memory, "a1000/.zattrs", "{'theirs':1,'unit':'mV','number':1000}");
    must(vz_close_hierarchy(f.h, &err));
}

/* The copy of all documents, as the last act of closing: one round of listings, one of documents, one to write it. */
static void closing_consolidates(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        far f = far_with_arrays(format);
        must(vz_flush_finish(f.h, false, &err));
        const unsigned documents = format == 3 ? 1 : 3;
        assert_in_range(slow_rounds(f.slow), 1, 4 + rounds_for(documents * (ARRAYS + 1)));
        char *text = get_text(f.memory, format == 3 ? "zarr.json" : ".zmetadata");
        assert_non_null(strstr(text, "a999"));
        free(text);
        must(vz_close_hierarchy(f.h, &err));
    }
}

/* Parts of chunks of arrays that nobody else knows wait for their flush, and need no condition then. */
static void parts_of_new_arrays(void **state)
{
    (void)state;
    far f = open_far(new_memory(), true, 2);
    for (unsigned i = 0; i < ARRAYS; i++) {
        vz_node *array = new_array(f.h, f.h->root, name_of(i));
        write_element(array, 1, (int32_t)i);
        vz_node_unref(array);
    }
    f.slow->now = f.slow->requests = 0;
    must(vz_flush_store(f.h, false, &err));
    assert_in_range(slow_rounds(f.slow), 1, 2 * rounds_for(ARRAYS) + 1);
    assert_int_equal(read_element(find(f.h->root, "a77"), 1), 77);
    /* Later ones do: what another program wrote of the chunk stays. */
    put_text(f.memory, "a77/0", "abcdefgh");
    write_element(find(f.h->root, "a77"), 1, 5);
    put_text(f.memory, "a77/0", "ijklefgh");
    must(vz_flush_store(f.h, false, &err));
    char *text = get_text(f.memory, "a77/0");
    assert_memory_equal(text, "ijkl\5\0\0\0", 8);
    free(text);
    must(vz_close_hierarchy(f.h, &err));
}

/* ---- processes ---- */

/* A forked child reads what its parent put and has not sent, or not heard of; it writes nothing, and waits for nothing.
 */
static void forked_child(void **state)
{
    (void)state;
    far f = open_far(new_memory(), true, 2);
    for (unsigned i = 0; i < ARRAYS; i++)
        make_array(&f, f.h->root, i);
    const uint64_t now = f.slow->now, requests = f.slow->requests;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vz_error failed = VZ_ERROR_NONE;
        bool ok = read_element(find(f.h->root, name_of(ARRAYS - 1)), 1) == ARRAYS &&
                  !vz_hierarchy_check_flush(f.h, &failed) && failed.class == VZ_BUSY && f.slow->dropped > 0 &&
                  f.slow->now == now && f.slow->requests == requests;
        ok = ok && vz_flush_store(f.h, false, NULL) && f.slow->requests == requests;
        ok = ok && vz_close_hierarchy(f.h, NULL);
        _exit(ok ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    must(vz_flush_store(f.h, false, &err));
    assert_arrays(f.memory, "", 2);
    must(vz_close_hierarchy(f.h, &err));
}

/* ---- order ---- */

static struct order_log {
    unsigned chunks, arrays, groups, wrong;
} order_log;

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static void log_key(const char *key)
{
    const bool group = ends_with(key, ".zgroup"), array = ends_with(key, ".zarray");
    if (group && strcmp(key, "outer/.zgroup") == 0)
        order_log.wrong += order_log.groups != 1;
    order_log.wrong += array && order_log.groups > 0;
    order_log.wrong += array && order_log.chunks < 2 * ARRAYS;
    order_log.groups += group;
    order_log.arrays += array;
    order_log.chunks += !group && !array && !strstr(key, "/.z") && *key != '.';
    order_log.wrong += group && order_log.arrays < ARRAYS;
}

static bool log_before(vz_layer *stacked, const char *key, vz_error *err)
{
    (void)stacked, (void)err;
    log_key(key);
    return true;
}

static void chunks_arrays_groups(void **state)
{
    (void)state;
    far f = open_far(new_memory(), true, 2);
    vz_node *outer = new_group(f.h, f.h->root, "outer"), *inner = new_group(f.h, outer, "inner");
    order_log.chunks = order_log.arrays = order_log.groups = order_log.wrong = 0;
    f.failing->layer.before = log_before;
    for (unsigned i = 0; i < ARRAYS; i++)
        make_array(&f, inner, i);
    must(vz_flush_store(f.h, false, &err));
    assert_int_equal(order_log.groups, 2);
    assert_int_equal(order_log.arrays, ARRAYS);
    assert_int_equal(order_log.chunks, 2 * ARRAYS);
    assert_int_equal(order_log.wrong, 0);
    assert_arrays(f.memory, "outer/inner/", 2);
    vz_node_unref(outer);
    vz_node_unref(inner);
    must(vz_close_hierarchy(f.h, &err));
}

/* ---- failures ---- */

/* What the store does not take stays dirty, and what it belongs to does not appear; the rest does. */
static void what_fails_stays_dirty(void **state)
{
    (void)state;
    static const char *const keys[] = {"a7/1", "a7/.zattrs", "a7/.zarray"};
    for (unsigned k = 0; k < 3; k++) {
        far f = open_far(new_memory(), true, 2);
        f.failing->only = keys[k];
        f.failing->turn = 1;
        f.failing->for_good = true;
        for (unsigned i = 0; i < ARRAYS; i++)
            make_array(&f, f.h->root, i);
        vz_error failed = VZ_ERROR_NONE;
        assert_false(vz_flush_store(f.h, false, &failed));
        assert_int_equal(failed.class, VZ_IO);
        assert_string_equal(failed.object, keys[k]);
        assert_false(has_key(f.memory, "a7/.zarray"));
        assert_true(has_key(f.memory, "a8/.zarray"));
        f.failing->turn = 0;
        must(vz_flush_store(f.h, false, &err));
        assert_arrays(f.memory, "", 2);
        must(vz_close_hierarchy(f.h, &err));
    }
}

/* A change of a document that could not be written is made by the next flush. */
static void changes_that_fail(void **state)
{
    (void)state;
    for (int format = 2; format <= 3; format++) {
        far f = open_far(new_memory(), true, format);
        make_array(&f, f.h->root, 1);
        must(vz_flush_store(f.h, false, &err));
        vz_node *a = find(f.h->root, "a1");
        const uint64_t shape = 9;
        must(vz_node_set_attribute(a, "unit", json_of("'V'"), &err) && vz_edit_resize(a, &shape, &err) &&
             vz_node_annotated(a, &err));
        must(vz_json_set(a->annotation, "x", json_of("1"), &err));
        f.failing->turn = 1;
        f.failing->for_good = true;
        assert_false(vz_flush_store(f.h, false, NULL));
        f.failing->turn = 0;
        must(vz_flush_store(f.h, false, &err));
        char *text = get_text(f.memory, format == 3 ? "a1/zarr.json" : "a1/.zarray"),
             *attributes = get_text(f.memory, format == 3 ? "a1/zarr.json" : "a1/.zattrs");
        assert_non_null(strstr(text, "9"));
        assert_non_null(strstr(attributes, "\"V\""));
        assert_non_null(strstr(attributes, "_HDF5"));
        free(text);
        free(attributes);
        must(vz_close_hierarchy(f.h, &err));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_many),
        cmocka_unit_test(changing_many),
        cmocka_unit_test(changing_after_opening),
        cmocka_unit_test(changed_meanwhile),
        cmocka_unit_test(chunks_arrays_groups),
        cmocka_unit_test(what_fails_stays_dirty),
        cmocka_unit_test(changes_that_fail),
        cmocka_unit_test(closing_consolidates),
        cmocka_unit_test(parts_of_new_arrays),
        cmocka_unit_test(forked_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
