/* write_behind.c - a store whose writers do not wait. Values that are put are owned by a bounded
 * table, from which reads are answered. They go to the store below in batches. Until it is drained
 * nobody else sees it, and a writer that dies loses it. */
#include "store/layers/layer_internal.h"
#include "store/layers/write_behind_internal.h"
#include "base/os/file.h"
#include "base/util/bytes.h"
#include <stdlib.h>

static vz_write_buffer *buffer_of(vz_store *store)
{
    return (vz_write_buffer *)store;
}

/* ---- reading ---- */

static bool append_range(const vz_write_buffer_value *buffered, vz_range range, vz_buffer *out, vz_error *err)
{
    uint64_t offset;
    size_t size = 0;
    return vz_os_range_resolve(buffered->size, range, &offset, &size, err) && vz_os_range_room(out, size, err) &&
           vz_buffer_append(out, buffered->data + offset, size, err);
}

/* Does the table tell what is under the key? Else the store below does. */
static bool knows(const vz_write_buffer *b, const char *key, const vz_write_buffer_entry *entry)
{
    return entry || vz_write_buffer_keeps(b, key);
}

static vz_stamp stamp_of(const vz_write_buffer_entry *entry)
{
    return entry ? vz_write_buffer_stamp(entry) : (vz_stamp){0};
}

/* *known=false: the store below tells. */
static bool read_ranges(vz_write_buffer *b, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                        bool *known, bool *found, vz_error *err)
{
    bool ok = true;
    vz_write_buffer_lock(b);
    const vz_write_buffer_entry *entry = vz_write_buffer_find(b, key);
    const vz_write_buffer_value *newest = entry ? vz_write_buffer_newest(entry) : NULL;
    *known = knows(b, key, entry);
    *found = newest && newest->data;
    for (size_t i = 0; ok && *found && i < count; i++)
        ok = append_range(newest, ranges[i], &out[i], err);
    vz_write_buffer_unlock(b);
    return ok;
}

static bool buffer_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    bool known;
    if (!read_ranges(b, key, &range, 1, out, &known, found, err))
        return false;
    return known || vz_store_get(b->layer.below, key, range, out, found, err);
}

static bool buffer_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                              bool *found, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    bool known;
    if (!read_ranges(b, key, ranges, count, out, &known, found, err))
        return false;
    return known || vz_store_get_ranges(b->layer.below, key, ranges, count, out, found, err);
}

static bool buffer_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const vz_write_buffer_entry *entry = vz_write_buffer_find(b, key);
    const bool known = knows(b, key, entry);
    if (known)
        *stamp = stamp_of(entry);
    vz_write_buffer_unlock(b);
    return known || vz_store_stat(b->layer.below, key, stamp, err);
}

/* The store below lists what it has: all of the prefix first. */
static bool buffer_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const bool ok =
        vz_write_buffer_show(b, prefix, err) && (!vz_write_buffer_has(b, prefix) || vz_write_buffer_drain(b, err));
    vz_write_buffer_unlock(b);
    return ok && vz_store_list(b->layer.below, prefix, entries, count, err);
}

/* ---- changing ---- */

static bool add(vz_store *store, const char *key, const vz_bytes *value, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const bool ok = vz_write_buffer_add(b, key, value, err);
    vz_write_buffer_unlock(b);
    return ok;
}

static bool buffer_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return add(store, key, &value, err);
}

static bool buffer_del(vz_store *store, const char *key, vz_error *err)
{
    return add(store, key, NULL, err);
}

/* A value in the table is the newest there is, and a condition is compared with it. *known=false:
 * the store below has to be asked. *now: the version of the put value. */
static bool change_known(vz_write_buffer *b, const char *key, const vz_bytes *value, const vz_version *version,
                         vz_version *now, bool *known, vz_error *err)
{
    vz_write_buffer_lock(b);
    const vz_write_buffer_entry *entry = vz_write_buffer_find(b, key);
    bool ok = true;
    if ((*known = knows(b, key, entry))) {
        vz_stamp stamp = stamp_of(entry);
        const vz_version there = vz_version_of(&stamp, true);
        ok = (vz_version_equal(&there, version) ||
              vz_fail(err, VZ_CHANGED, "another version was put in its place meanwhile")) &&
             vz_write_buffer_add(b, key, value, err);
        stamp = stamp_of(ok ? vz_write_buffer_find(b, key) : NULL);
        *now = vz_version_of(&stamp, true);
    }
    vz_write_buffer_unlock(b);
    return ok;
}

static bool buffer_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                          vz_version *now, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    bool known;
    if (!change_known(b, key, value, version, now, &known, err))
        return false;
    if (known)
        return true;
    vz_request request = {.op = value ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = value ? *value : (vz_bytes){0},
                          .when = version->size ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = *version,
                          .tells = value != NULL};
    const bool ok = vz_request_do(b->layer.below, &request, NULL, err);
    *now = ok && value ? request.version : (vz_version){0};
    return ok;
}

static bool buffer_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_error failed = VZ_ERROR_NONE;
    vz_version now;
    bool known;
    if (change_known(b, key, &value, &(vz_version){0}, &now, &known, &failed))
        return known || vz_store_put_new(b->layer.below, key, value, err);
    if (failed.class == VZ_CHANGED)
        return vz_fail(err, VZ_EXISTS, "the key exists");
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* ---- trees ---- */

/* Drops values that wait below the prefix. *has_unwritten: some are left. */
static void remove_below(vz_write_buffer *b, const char *prefix, bool *has_unwritten)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    *has_unwritten = false;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        vz_write_buffer_entry *entry = value;
        if (!vz_key_is_within(key, prefix))
            continue;
        const bool puts = !entry->under_way && entry->waiting.data;
        *has_unwritten = *has_unwritten || !puts;
        if (puts)
            vz_write_buffer_remove(b, entry);
    }
}

/* Single keys that were deleted before are gone before the rest is. */
static bool buffer_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    bool has_unwritten;
    vz_write_buffer_lock(b);
    const bool all_is_here = vz_write_buffer_keeps(b, prefix);
    remove_below(b, prefix, &has_unwritten);
    const bool ok = !has_unwritten || vz_write_buffer_drain(b, err) || !vz_write_buffer_has(b, prefix);
    vz_write_buffer_unlock(b);
    return ok && (all_is_here || vz_store_del_tree(b->layer.below, prefix, err));
}

/* The store below moves what it has; what has no name there yet gets it here. */
static bool buffer_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const bool all_is_here = vz_write_buffer_keeps(b, from);
    const bool ok = all_is_here ? vz_write_buffer_name(b, from, to, err)
                                : vz_write_buffer_show(b, to, err) && vz_write_buffer_drain(b, err);
    vz_write_buffer_unlock(b);
    return ok && (all_is_here || vz_store_rename_tree(b->layer.below, from, to, err));
}

/* ---- all of it ---- */

static bool buffer_drain(vz_store *store, vz_error *err)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const bool ok = vz_write_buffer_drain(b, err);
    vz_write_buffer_unlock(b);
    return ok;
}

static bool buffer_owes(vz_store *store, const char *prefix)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    const bool has_unwritten = vz_write_buffer_has(b, prefix);
    vz_write_buffer_unlock(b);
    return has_unwritten;
}

static bool buffer_sync(vz_store *store, vz_error *err)
{
    return buffer_drain(store, err) && vz_store_sync(buffer_of(store)->layer.below, err);
}

static void free_entry(void *value)
{
    vz_write_buffer_entry *entry = value;
    if (entry->waits)
        free(entry->waiting.data);
    free(entry->key);
    free(entry);
}

/* Values that were not drained are dropped. */
static void buffer_close(vz_store *store)
{
    vz_write_buffer *b = buffer_of(store);
    vz_write_buffer_lock(b);
    vz_write_buffer_stop(b);
    vz_write_buffer_unlock(b);
    vz_strmap_free(b->by_key, free_entry);
    vz_strmap_free(b->shown, NULL);
    vz_os_mutex_destroy(&b->lock);
    vz_os_condition_destroy(&b->ended);
    vz_store_close(b->layer.below);
    free(store->path);
    free(b);
}

vz_store *vz_layer_write_behind(vz_store *below, vz_error *err)
{
    vz_strmap *by_key = vz_strmap_new(), *shown = vz_strmap_new();
    vz_write_buffer *b = NULL;
    if (by_key && shown)
        b = (vz_write_buffer *)vz_layer_new(below, sizeof *b, below->class->kind, err);
    else {
        vz_store_close(below);
        vz_fail_memory(err);
    }
    if (!b) {
        vz_strmap_free(by_key, NULL);
        vz_strmap_free(shown, NULL);
        return NULL;
    }
    b->by_key = by_key;
    b->shown = shown;
    vz_os_mutex_init(&b->lock);
    vz_os_condition_init(&b->ended);
    vz_write_buffer_begin(b);
    vz_store_class *class = &b->layer.class;
    class->get = buffer_get;
    class->get_ranges = buffer_get_ranges;
    class->stat = buffer_stat;
    class->list = buffer_list;
    class->put = buffer_put;
    class->put_stamped = NULL;
    class->put_new = buffer_put_new;
    class->change = class->change ? buffer_change : NULL;
    class->del = buffer_del;
    class->del_tree = buffer_del_tree;
    class->rename_tree = buffer_rename_tree;
    class->drain = buffer_drain;
    class->has_unwritten = buffer_owes;
    class->sync = buffer_sync;
    class->batches = &vz_write_buffer_batches;
    class->close = buffer_close;
    return &b->layer.base;
}
