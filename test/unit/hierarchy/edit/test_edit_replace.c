/* test_edit_replace.c - an array under another dtype, stopped at every step of the way: what is found afterwards
 * is the old array or the new one, never chunks of one under the document of the other. */
#include "node_support.h"
#include "base/os/file.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "store/zip/zip_internal.h"
#include <errno.h>

/* ---- a store that stops after so many changes, as that of a killed process does ---- */

static struct {
    vz_store_class class;
    const vz_store_class *real;
    int left;         /* changes that still work */
    bool no_exchange; /* as on a file system that cannot */
} mortal;

static bool dies(vz_error *err)
{
    if (mortal.left > 0) {
        mortal.left--;
        return false;
    }
    vz_fail_errno(err, EIO, "stopped here");
    return true;
}

static bool mortal_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return !dies(err) && mortal.real->put(store, key, value, err);
}

static bool mortal_del(vz_store *store, const char *key, vz_error *err)
{
    return !dies(err) && mortal.real->del(store, key, err);
}

static bool mortal_del_tree(vz_store *store, const char *key, vz_error *err)
{
    return !dies(err) && mortal.real->del_tree(store, key, err);
}

static bool mortal_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    return !dies(err) && mortal.real->rename_tree(store, from, to, err);
}

static bool mortal_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err)
{
    *done = false;
    return !dies(err) && (mortal.no_exchange || mortal.real->exchange_trees(store, a, b, done, err));
}

static bool mortal_commit(vz_store *store, vz_error *err)
{
    return !dies(err) && (!mortal.real->commit || mortal.real->commit(store, err));
}

static void make_mortal(vz_store *store, int changes)
{
    mortal.class = *store->class;
    mortal.real = store->class;
    mortal.left = changes;
    mortal.class.put = mortal_put;
    mortal.class.put_later = NULL;
    mortal.class.put_parts = NULL;
    mortal.class.del = mortal_del;
    mortal.class.del_tree = mortal_del_tree;
    mortal.class.rename_tree = mortal_rename_tree;
    mortal.class.exchange_trees = mortal_exchange_trees;
    mortal.class.commit = mortal_commit;
    store->class = &mortal.class;
}

/* ---- kinds of stores, and the formats ---- */

typedef struct kind {
    const char *suffix;
    vz_store *(*create)(const char *path, bool exclusive, vz_error *err);
    vz_store *(*open)(const char *path, bool writable, vz_error *err);
    int format;
} kind;

static vz_store *create_one_file(const char *path, bool exclusive, vz_error *err)
{
    return vz_zip_create_one_file(path, exclusive, 0, err);
}

static const kind kinds[] = {
    {"2", vz_store_create_directory, vz_store_open_directory, 2},
    {"3", vz_store_create_directory, vz_store_open_directory, 3},
    {"2.zip", vz_zip_create, vz_zip_open_path, 2},
    {"3.zip", vz_zip_create, vz_zip_open_path, 3},
    {"2.h5", create_one_file, vz_zip_open_path, 2},
};

static vz_hierarchy *hierarchy_of(const kind *k, vz_store *store, bool writable, bool create)
{
    vz_options options = default_options();
    vz_hierarchy *hierarchy = NULL;
    options.format = k->format;
    must((hierarchy = vz_open_hierarchy_over(store, store->path, &options, writable, create, &err)));
    return hierarchy;
}

/* g/a with 10, 11, 12, 13 in two chunks, an attribute, and a file of somebody else's beside them. */
static void make_array(const kind *k, const char *path)
{
    vz_store *store = NULL;
    vz_node *node = NULL;
    must((store = k->create(path, true, &err)));
    vz_hierarchy *h = hierarchy_of(k, store, true, true);
    vz_node *group = new_group(h, vz_hierarchy_root(h), "g");
    vz_meta *meta = new_meta();
    must((node = vz_node_new_array(h, meta, &err)) && vz_edit_link(node, group, "a", false, &err));
    must(vz_node_set_attribute(node, "unit", json_of("'m'"), &err));
    write_elements(node, 10);
    must(vz_flush_store(h, false, &err));
    put_text(store, "g/a/notes.txt", "'mine'");
    vz_node_unref(node);
    vz_node_unref(group);
    must(vz_close_hierarchy(h, &err));
}

/* ---- int32 becomes int64 ---- */

static vz_meta *wide_meta(const vz_meta *meta)
{
    vz_meta *wide = NULL;
    const int64_t fill = 0;
    vz_json *spelled = json_of("'<i8'");
    must((wide = vz_meta_copy(meta, &err)));
    vz_dtype_free(wide->dtype);
    must((wide->dtype = vz_dtype_parse_v2(spelled, NULL, &err)) && vz_meta_set_fill(wide, &fill, &err) &&
         vz_meta_measure_chunk(wide, &err));
    vz_json_free(spelled);
    return wide;
}

static bool write_beside(vz_store *store, const vz_meta *meta, const char *beside)
{
    vz_error err = VZ_ERROR_NONE;
    vz_array *io = vz_array_open(store, meta, beside, false, &err);
    bool ok = io != NULL;
    for (uint64_t chunk = 0; ok && chunk < 2; chunk++) {
        const int64_t values[2] = {10 + 2 * (int64_t)chunk, 11 + 2 * (int64_t)chunk};
        const vz_bytes bytes = {(const uint8_t *)values, sizeof values};
        ok = vz_array_put_chunk(io, &chunk, VZ_CHUNK_DECODED, bytes, &err);
    }
    ok = ok && vz_array_flush(io, &err);
    vz_array_close(io);
    return ok;
}

/* Returns whether it went through with so many changes. */
static bool widen(const kind *k, const char *path, int changes)
{
    char beside[VZ_PARTIAL_SIZE];
    vz_store *store = NULL;
    must((store = k->open(path, true, &err)) && vz_partial_name(beside, sizeof beside, &err));
    make_mortal(store, changes);
    vz_hierarchy *h = hierarchy_of(k, store, true, false);
    vz_node *group = find(vz_hierarchy_root(h), "g"), *node = find(group, "a");
    vz_meta *wide = wide_meta(node->meta);
    vz_error err = VZ_ERROR_NONE;
    bool ok = write_beside(store, wide, beside);
    vz_meta *unused = ok ? node->meta : wide;
    if (ok) {
        vz_array_close(node->io);
        node->io = NULL;
        node->meta = wide;
        ok = vz_node_meta_changed(node, &err) && vz_edit_replace(node, beside, &err);
    }
    vz_meta_free(unused);
    vz_node_unref(node);
    vz_node_unref(group);
    return vz_close_hierarchy(h, &err) && ok;
}

/* The size of an element; all else must be as it was. */
static size_t look(const kind *k, const char *path)
{
    vz_store *store = NULL;
    must((store = k->open(path, false, &err)));
    vz_hierarchy *h = hierarchy_of(k, store, false, false);
    vz_node *group = find(vz_hierarchy_root(h), "g"), *node = find(group, "a");
    vz_entry *entries;
    size_t count, size = node->meta->dtype->size;
    must(vz_node_io(node, &err));
    for (uint64_t chunk = 0; chunk < 2; chunk++) {
        vz_buffer elements = {0};
        bool found = false;
        must(vz_array_get_chunk(node->io, &chunk, VZ_CHUNK_DECODED, &elements, &found, &err));
        assert_true(found);
        assert_int_equal(elements.size, 2 * size);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(elements.data[i * size], 10 + 2 * chunk + i); /* the lowest byte */
        vz_buffer_clear(&elements);
    }
    assert_json(vz_json_get(node->attributes, "unit"), "'m'");
    assert_text(store, "g/a/notes.txt", "'mine'");
    must(vz_store_list(store, "", &entries, &count, &err)); /* nothing but g and the root's documents shows */
    for (size_t i = 0; i < count; i++)
        assert_true(entries[i].name[0] == '.' || !entries[i].is_prefix || strcmp(entries[i].name, "g") == 0);
    vz_entries_free(entries, count);
    vz_node_unref(node);
    vz_node_unref(group);
    must(vz_close_hierarchy(h, &err));
    return size;
}

static char *path_of(const char *scratch, const kind *k, int number)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%d.%s", scratch, number, k->suffix) > 0);
    return path;
}

static void stopped_at_every_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned old = 0, new = 0;
        bool through = false;
        for (int changes = 0; !through; changes++) {
            assert_true(changes < 100);
            char *path = path_of(*state, &kinds[i], changes);
            make_array(&kinds[i], path);
            through = widen(&kinds[i], path, changes);
            const size_t size = look(&kinds[i], path);
            assert_true(size == 8 || (size == 4 && !through && !new)); /* once new, it stays so */
            (size == 8 ? &new : &old)[0]++;
            free(path);
        }
        assert_true(old >= 3 && new >= 1);
    }
}

static void where_trees_cannot_be_exchanged(void **state)
{
    mortal.no_exchange = true;
    for (int i = 0; i < 2; i++) {
        char *path = path_of(*state, &kinds[i], 100);
        make_array(&kinds[i], path);
        assert_true(widen(&kinds[i], path, 1000));
        assert_int_equal(look(&kinds[i], path), 8);
        free(path);
    }
    mortal.no_exchange = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stopped_at_every_step, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(where_trees_cannot_be_exchanged, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
