/* write_behind.c - a store whose writers do not wait: what is put is owned by a bounded table, from which reads are
 * answered, and goes to the store below in batches. Until it is drained nobody else sees it, and a writer that dies
 * loses it. */
#include "store/layers/layer_internal.h"
#include "store/layers/write_behind_internal.h"
#include "base/os/file.h"
#include "base/util/bytes.h"
#include <stdlib.h>

static vz_behind *behind_of(vz_store *store)
{
    return (vz_behind *)store;
}

/* ---- reading ---- */

static bool append_range(const vz_owed *owed, vz_range range, vz_buffer *out, vz_error *err)
{
    uint64_t offset;
    size_t size = 0;
    return vz_range_resolve(owed->size, range, &offset, &size, err) && vz_range_room(out, size, err) &&
           vz_buffer_append(out, owed->data + offset, size, err);
}

/* Does the table tell what is under the key? Else the store below does. */
static bool knows(const vz_behind *b, const char *key, const vz_behind_entry *entry)
{
    return entry || vz_behind_keeps(b, key);
}

static vz_stamp stamp_of(const vz_behind_entry *entry)
{
    return entry ? vz_behind_stamp(entry) : (vz_stamp){0};
}

/* *known=false: the store below tells. */
static bool read_ranges(vz_behind *b, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                        bool *known, bool *found, vz_error *err)
{
    bool ok = true;
    vz_behind_lock(b);
    const vz_behind_entry *entry = vz_behind_find(b, key);
    const vz_owed *newest = entry ? vz_behind_newest(entry) : NULL;
    *known = knows(b, key, entry);
    *found = newest && newest->data;
    for (size_t i = 0; ok && *found && i < count; i++)
        ok = append_range(newest, ranges[i], &out[i], err);
    vz_behind_unlock(b);
    return ok;
}

static bool behind_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    vz_behind *b = behind_of(store);
    bool known;
    if (!read_ranges(b, key, &range, 1, out, &known, found, err))
        return false;
    return known || vz_store_get(b->stacked.below, key, range, out, found, err);
}

static bool behind_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                              bool *found, vz_error *err)
{
    vz_behind *b = behind_of(store);
    bool known;
    if (!read_ranges(b, key, ranges, count, out, &known, found, err))
        return false;
    return known || vz_store_get_ranges(b->stacked.below, key, ranges, count, out, found, err);
}

static bool behind_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const vz_behind_entry *entry = vz_behind_find(b, key);
    const bool known = knows(b, key, entry);
    if (known)
        *stamp = stamp_of(entry);
    vz_behind_unlock(b);
    return known || vz_store_stat(b->stacked.below, key, stamp, err);
}

/* The store below lists what it has: all of the prefix first. */
static bool behind_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const bool ok = vz_behind_show(b, prefix, err) && (!vz_behind_owes(b, prefix) || vz_behind_drain(b, err));
    vz_behind_unlock(b);
    return ok && vz_store_list(b->stacked.below, prefix, entries, count, err);
}

/* ---- changing ---- */

static bool add(vz_store *store, const char *key, const vz_bytes *value, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const bool ok = vz_behind_add(b, key, value, err);
    vz_behind_unlock(b);
    return ok;
}

static bool behind_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return add(store, key, &value, err);
}

static bool behind_del(vz_store *store, const char *key, vz_error *err)
{
    return add(store, key, NULL, err);
}

/* What is in the table is the newest there is: a condition is held against it. *known=false: the store below has to
 * tell. *now: of what was put. */
static bool change_known(vz_behind *b, const char *key, const vz_bytes *value, const vz_version *version,
                         vz_version *now, bool *known, vz_error *err)
{
    vz_behind_lock(b);
    const vz_behind_entry *entry = vz_behind_find(b, key);
    bool ok = true;
    if ((*known = knows(b, key, entry))) {
        vz_stamp stamp = stamp_of(entry);
        const vz_version there = vz_version_of(&stamp, true);
        ok = (vz_version_equal(&there, version) ||
              vz_fail(err, VZ_CHANGED, "another version was put in its place meanwhile")) &&
             vz_behind_add(b, key, value, err);
        stamp = stamp_of(ok ? vz_behind_find(b, key) : NULL);
        *now = vz_version_of(&stamp, true);
    }
    vz_behind_unlock(b);
    return ok;
}

static bool behind_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                          vz_version *now, vz_error *err)
{
    vz_behind *b = behind_of(store);
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
    const bool ok = vz_request_do(b->stacked.below, &request, NULL, err);
    *now = ok && value ? request.version : (vz_version){0};
    return ok;
}

static bool behind_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_error failed = VZ_ERROR_NONE;
    vz_version now;
    bool known;
    if (change_known(b, key, &value, &(vz_version){0}, &now, &known, &failed))
        return known || vz_store_put_new(b->stacked.below, key, value, err);
    if (failed.class == VZ_CHANGED)
        return vz_fail(err, VZ_EXISTS, "the key exists");
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* ---- trees ---- */

/* What waits to be put there need not be. *owes: something is left that does. */
static void remove_below(vz_behind *b, const char *prefix, bool *owes)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    *owes = false;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        vz_behind_entry *entry = value;
        if (!vz_key_is_within(key, prefix))
            continue;
        const bool puts = !entry->under_way && entry->waiting.data;
        *owes = *owes || !puts;
        if (puts)
            vz_behind_remove(b, entry);
    }
}

/* Single keys that were deleted before are gone before the rest is. */
static bool behind_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    vz_behind *b = behind_of(store);
    bool owes;
    vz_behind_lock(b);
    const bool all_is_here = vz_behind_keeps(b, prefix);
    remove_below(b, prefix, &owes);
    const bool ok = !owes || vz_behind_drain(b, err) || !vz_behind_owes(b, prefix);
    vz_behind_unlock(b);
    return ok && (all_is_here || vz_store_del_tree(b->stacked.below, prefix, err));
}

/* The store below moves what it has; what has no name there yet gets it here. */
static bool behind_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const bool all_is_here = vz_behind_keeps(b, from);
    const bool ok =
        all_is_here ? vz_behind_name(b, from, to, err) : vz_behind_show(b, to, err) && vz_behind_drain(b, err);
    vz_behind_unlock(b);
    return ok && (all_is_here || vz_store_rename_tree(b->stacked.below, from, to, err));
}

/* ---- all of it ---- */

static bool behind_drain(vz_store *store, vz_error *err)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const bool ok = vz_behind_drain(b, err);
    vz_behind_unlock(b);
    return ok;
}

static bool behind_owes(vz_store *store, const char *prefix)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    const bool owes = vz_behind_owes(b, prefix);
    vz_behind_unlock(b);
    return owes;
}

static bool behind_sync(vz_store *store, vz_error *err)
{
    return behind_drain(store, err) && vz_store_sync(behind_of(store)->stacked.below, err);
}

static void free_entry(void *value)
{
    vz_behind_entry *entry = value;
    if (entry->waits)
        free(entry->waiting.data);
    free(entry->key);
    free(entry);
}

/* What was not drained is dropped. */
static void behind_close(vz_store *store)
{
    vz_behind *b = behind_of(store);
    vz_behind_lock(b);
    vz_behind_stop(b);
    vz_behind_unlock(b);
    vz_strmap_free(b->by_key, free_entry);
    vz_strmap_free(b->shown, NULL);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->ended);
    vz_store_close(b->stacked.below);
    free(store->path);
    free(b);
}

vz_store *vz_store_behind(vz_store *below, vz_error *err)
{
    vz_strmap *by_key = vz_strmap_new(), *shown = vz_strmap_new();
    vz_behind *b = NULL;
    if (by_key && shown)
        b = (vz_behind *)vz_stacked_new(below, sizeof *b, below->class->kind, err);
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
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->ended, NULL);
    vz_behind_begin(b);
    vz_store_class *class = &b->stacked.class;
    class->get = behind_get;
    class->get_ranges = behind_get_ranges;
    class->stat = behind_stat;
    class->list = behind_list;
    class->put = behind_put;
    class->put_told = NULL;
    class->put_new = behind_put_new;
    class->change = class->change ? behind_change : NULL;
    class->del = behind_del;
    class->del_tree = behind_del_tree;
    class->rename_tree = behind_rename_tree;
    class->drain = behind_drain;
    class->owes = behind_owes;
    class->sync = behind_sync;
    class->batches = &vz_behind_batches;
    class->close = behind_close;
    return &b->stacked.base;
}
