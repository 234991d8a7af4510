/* store.c - what all kinds of store share: keys are checked, writes to read-only stores refused, operations counted. */
#include "store/store.h"
#include "store/copy.h"
#include "store/held.h"
#include "store/stage.h"
#include "util/path.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NODE_ROOM 64 /* bytes behind a node's prefix: documents, short keys of chunks, names of unfinished files */

enum { COUNT_GET, COUNT_MISS, COUNT_PUT, COUNT_DEL, COUNT_LIST, COUNT_STAT, COUNT_RENAME, COUNT_READ, COUNT_WRITTEN };

static void count(vz_store *store, int what, uint64_t number)
{
    atomic_fetch_add_explicit(&store->count[what], number, memory_order_relaxed);
}

vz_store_counts vz_store_counted(const vz_store *store)
{
    return (vz_store_counts){
        .gets = store->count[COUNT_GET],
        .misses = store->count[COUNT_MISS],
        .puts = store->count[COUNT_PUT],
        .dels = store->count[COUNT_DEL],
        .lists = store->count[COUNT_LIST],
        .stats = store->count[COUNT_STAT],
        .renames = store->count[COUNT_RENAME],
        .bytes_read = store->count[COUNT_READ],
        .bytes_written = store->count[COUNT_WRITTEN],
    };
}

/* ---- what every call begins and ends with ---- */

/* Parts between single slashes, none of them empty, "." or "..": a key can name nothing outside of the store. */
static bool is_key(const char *key)
{
    for (;;) {
        const size_t length = strcspn(key, "/");
        if (length == 0 || (length == 1 && key[0] == '.') || (length == 2 && key[0] == '.' && key[1] == '.'))
            return false;
        if (!key[length])
            return true;
        key += length + 1;
    }
}

/* room: bytes that shall still fit behind it. */
static bool check_length(const vz_store *store, const char *key, size_t room, vz_error *err)
{
    return !store->class->key_max || strlen(key) + room <= store->class->key_max ||
           vz_fail_errno(err, ENAMETOOLONG, "the path in the store");
}

static bool check_key(const vz_store *store, const char *key, vz_error *err)
{
    return (is_key(key) || vz_fail(err, VZ_INVALID, "\"%.100s\" is no key", key)) && check_length(store, key, 0, err);
}

static bool check_prefix(const vz_store *store, const char *prefix, vz_error *err)
{
    return !*prefix || check_key(store, prefix, err);
}

static bool check_writable(const vz_store *store, vz_error *err)
{
    return store->capabilities & VZ_STORE_WRITE || vz_fail(err, VZ_READ_ONLY, "the store was opened read-only");
}

static bool done(const vz_store *store, const char *key, bool ok, vz_error *err)
{
    if (!ok)
        vz_error_where(err, store->path, key);
    return ok;
}

/* Where the key is now. */
static bool place(vz_store *store, const char *key, vz_place *at, vz_error *err)
{
    if (store->stage)
        return vz_stage_place(store->stage, key, at, err);
    at->store = store;
    at->key = key;
    return true;
}

/* ---- reading ---- */

bool vz_store_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    const size_t before = out->size;
    vz_place at;
    *found = false;
    const bool ok = check_key(store, key, err) && place(store, key, &at, err) &&
                    store->class->get(at.store, at.key, range, out, found, err);
    count(store, COUNT_GET, 1);
    count(store, COUNT_MISS, ok && !*found);
    count(store, COUNT_READ, out->size - before);
    return done(store, key, ok, err);
}

static bool get_each_range(vz_store *store, const char *key, const vz_range *ranges, size_t number, vz_buffer *out,
                           bool *found, vz_error *err)
{
    *found = true;
    for (size_t i = 0; i < number && *found; i++)
        if (!store->class->get(store, key, ranges[i], &out[i], found, err))
            return false;
    return true;
}

static uint64_t total_size(const vz_buffer *buffers, size_t number)
{
    uint64_t total = 0;
    for (size_t i = 0; i < number; i++)
        total += buffers[i].size;
    return total;
}

bool vz_store_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t number, vz_buffer *out,
                         bool *found, vz_error *err)
{
    const uint64_t before = total_size(out, number);
    vz_place at;
    *found = false;
    bool ok = check_key(store, key, err) && place(store, key, &at, err);
    if (ok && store->class->get_ranges)
        ok = store->class->get_ranges(at.store, at.key, ranges, number, out, found, err);
    else if (ok)
        ok = get_each_range(at.store, at.key, ranges, number, out, found, err);
    count(store, COUNT_GET, 1);
    count(store, COUNT_MISS, ok && !*found);
    count(store, COUNT_READ, total_size(out, number) - before);
    return done(store, key, ok, err);
}

/* ---- values that are held open ---- */

/* Of a store that holds nothing open: what the stamp tells. */
static bool open_by_stamp(vz_store *store, const char *key, vz_store_value *value, bool *found, vz_error *err)
{
    if (!store->class->stat(store, key, &value->stamp, err))
        return false;
    *found = value->stamp.exists;
    value->settled = true;
    return true;
}

static bool changed_by_stamp(vz_store *store, const char *key, const vz_store_value *value)
{
    vz_stamp now = {0};
    return !store->class->stat(store, key, &now, NULL) || !vz_stamp_equal(&now, &value->stamp);
}

bool vz_store_open_value(vz_store *store, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                         vz_error *err)
{
    *value = (vz_store_value){.file = -1};
    *found = false;
    vz_place at;
    bool ok = check_key(store, key, err) && place(store, key, &at, err);
    if (ok && store->class->open_value)
        ok = store->class->open_value(at.store, at.key, use, value, found, err);
    else if (ok)
        ok = open_by_stamp(store, key, value, found, err);
    count(store, COUNT_MISS, ok && !*found);
    return done(store, key, ok, err);
}

bool vz_store_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                         size_t number, vz_buffer *out, vz_error *err)
{
    if (store->class->read_value) {
        const uint64_t before = total_size(out, number);
        vz_place at;
        const bool ok =
            place(store, key, &at, err) && store->class->read_value(at.store, at.key, value, ranges, number, out, err);
        count(store, COUNT_GET, 1);
        count(store, COUNT_READ, total_size(out, number) - before);
        return done(store, key, ok, err);
    }
    bool found;
    if (!vz_store_get_ranges(store, key, ranges, number, out, &found, err))
        return false;
    return done(store, key,
                (found && !changed_by_stamp(store, key, value)) ||
                    vz_fail(err, VZ_CHANGED, "another version was put in its place"),
                err);
}

bool vz_store_value_changed(vz_store *store, const char *key, const vz_store_value *value)
{
    vz_place at;
    if (!store->class->value_changed)
        return changed_by_stamp(store, key, value);
    return !place(store, key, &at, NULL) || store->class->value_changed(at.store, at.key, value);
}

void vz_store_close_value(vz_store *store, vz_store_value *value)
{
    if (store->class->close_value)
        store->class->close_value(store, value);
}

bool vz_store_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_place at;
    *stamp = (vz_stamp){0};
    count(store, COUNT_STAT, 1);
    const bool ok = check_key(store, key, err) && place(store, key, &at, err);
    return done(store, key, ok && store->class->stat(at.store, at.key, stamp, err), err);
}

bool vz_stamp_equal(const vz_stamp *a, const vz_stamp *b)
{
    if (!a->exists || !b->exists)
        return a->exists == b->exists;
    return a->size == b->size && a->device == b->device && a->inode == b->inode &&
           a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const vz_entry *)a)->name, ((const vz_entry *)b)->name);
}

void vz_entries_sort(vz_entry *entries, size_t number)
{
    if (number)
        qsort(entries, number, sizeof *entries, compare_entries);
}

bool vz_store_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *number, vz_error *err)
{
    *entries = NULL;
    *number = 0;
    count(store, COUNT_LIST, 1);
    if (!(store->capabilities & VZ_STORE_LIST))
        return done(store, prefix, vz_fail(err, VZ_UNSUPPORTED, "a %s store cannot list", store->class->kind), err);
    vz_place at;
    const bool ok = check_prefix(store, prefix, err) && place(store, prefix, &at, err) &&
                    store->class->list(at.store, at.key, entries, number, err);
    vz_entries_sort(*entries, *number);
    return done(store, prefix, ok, err);
}

void vz_entries_free(vz_entry *entries, size_t number)
{
    for (size_t i = 0; i < number; i++)
        free(entries[i].name);
    free(entries);
}

/* ---- writing ---- */

/* The shared number first: a process forked in between takes the store for changed. */
static void note_write(vz_store *store)
{
    if (store->shared_writes)
        atomic_fetch_add_explicit(store->shared_writes, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->writes, 1, memory_order_relaxed);
}

static bool may_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    if (!check_writable(store, err) || !check_key(store, key, err))
        return done(store, key, false, err);
    count(store, COUNT_PUT, 1);
    count(store, COUNT_WRITTEN, value.size);
    note_write(store);
    return true;
}

static bool put(vz_store *store, const char *key, vz_bytes value,
                bool (*put_value)(vz_store *store, const char *key, vz_bytes value, vz_error *err), vz_error *err)
{
    vz_place at;
    const bool ok = place(store, key, &at, err) && put_value(at.store, at.key, value, err);
    if (ok && at.store != store)
        vz_stage_wrote(store->stage, key);
    return done(store, key, ok, err);
}

bool vz_store_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return may_put(store, key, value, err) && put(store, key, value, store->class->put, err);
}

bool vz_store_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return may_put(store, key, value, err) && put(store, key, value, store->class->put_new, err);
}

bool vz_store_del(vz_store *store, const char *key, vz_error *err)
{
    vz_place at;
    const bool ok = check_writable(store, err) && check_key(store, key, err) && place(store, key, &at, err);
    count(store, COUNT_DEL, ok);
    if (ok)
        note_write(store);
    return done(store, key, ok && store->class->del(at.store, at.key, err), err);
}

bool vz_store_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    bool ok = check_writable(store, err) && check_prefix(store, prefix, err);
    count(store, COUNT_DEL, ok);
    if (ok) {
        note_write(store);
        ok = store->stage ? vz_stage_del_tree(store->stage, prefix, err) : store->class->del_tree(store, prefix, err);
    }
    return done(store, prefix, ok, err);
}

/* Moving a tree into itself would lose it. */
static bool check_rename(const vz_store *store, const char *from, const char *to, vz_error *err)
{
    if (!check_key(store, from, err) || !check_key(store, to, err))
        return false;
    if (vz_key_is_within(to, from))
        return vz_fail(err, VZ_INVALID, "cannot be renamed to \"%.100s\"", to);
    return true;
}

bool vz_store_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    if (!check_writable(store, err) || !check_rename(store, from, to, err))
        return done(store, from, false, err);
    count(store, COUNT_RENAME, 1);
    note_write(store);
    const bool own = store->class->rename_tree != NULL;
    const bool ok = store->stage ? vz_stage_rename(store->stage, from, to, err)
                    : own        ? store->class->rename_tree(store, from, to, err)
                                 : vz_store_move_by_copy(store, from, to, err);
    return done(store, from, ok, err);
}

bool vz_store_exchange_trees(vz_store *store, const char *a, const char *b, bool *exchanged, vz_error *err)
{
    *exchanged = false;
    if (!check_writable(store, err) || !check_rename(store, a, b, err) || !check_rename(store, b, a, err))
        return done(store, a, false, err);
    if (!store->class->exchange_trees)
        return true;
    count(store, COUNT_RENAME, 1);
    note_write(store);
    const bool ok = store->stage ? vz_stage_exchange(store->stage, a, b, exchanged, err)
                                 : store->class->exchange_trees(store, a, b, exchanged, err);
    return done(store, a, ok, err);
}

bool vz_store_check_change(vz_store *store, const char *prefix, vz_error *err)
{
    if (!store->class->check_change)
        return true;
    vz_place at;
    const bool ok = check_prefix(store, prefix, err) && place(store, prefix, &at, err);
    return done(store, prefix, ok && store->class->check_change(at.store, at.key, err), err);
}

bool vz_store_look(vz_store *store, const char *key, vz_store_thing *thing, vz_error *err)
{
    *thing = VZ_STORE_NOTHING;
    if (!store->class->look)
        return true;
    count(store, COUNT_STAT, 1);
    vz_place at;
    const bool ok = check_key(store, key, err) && place(store, key, &at, err);
    return done(store, key, ok && store->class->look(at.store, at.key, thing, err), err);
}

bool vz_store_begin(vz_store *store, const char *prefix, vz_error *err)
{
    const bool ok =
        check_writable(store, err) && check_key(store, prefix, err) && check_length(store, prefix, NODE_ROOM, err);
    return done(store, prefix, ok && (!store->stage || vz_stage_begin(store->stage, prefix, err)), err);
}

bool vz_store_publish(vz_store *store, const char *prefix, vz_error *err)
{
    note_write(store);
    return done(store, prefix, !store->stage || vz_stage_publish(store->stage, prefix, err), err);
}

bool vz_store_spells_otherwise(vz_store *store, const char *key)
{
    return store->stage && check_key(store, key, NULL) && vz_stage_spells_otherwise(store->stage, key);
}

bool vz_store_give_way(vz_store *store, const char *prefix, vz_error *err)
{
    note_write(store);
    return done(store, prefix, !store->stage || vz_stage_give_way(store->stage, prefix, err), err);
}

bool vz_store_claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own)
{
    if (store->class->claims)
        store->class->claims(store, has, values, own);
    return store->class->claims != NULL;
}

bool vz_store_deletes_at_once(vz_store *store)
{
    return store->class->commit || (store->stage && vz_stage_store(store->stage, NULL));
}

bool vz_store_sync(vz_store *store, vz_error *err)
{
    if (!(store->capabilities & VZ_STORE_WRITE))
        return true;
    return done(store, NULL, store->class->sync(store, err), err);
}

bool vz_store_commit(vz_store *store, vz_error *err)
{
    if (!(store->capabilities & VZ_STORE_WRITE) || !store->class->commit)
        return true;
    const uint64_t writes = store->writes;
    note_write(store);
    if (!done(store, NULL, store->class->commit(store, err), err))
        return false;
    store->committed = writes + 1;
    return true;
}

bool vz_store_is_uncommitted(const vz_store *store)
{
    return store->class->commit && store->committed != store->writes;
}

void vz_store_touch(vz_store *store)
{
    if (store->class->touch && store->touched != store->writes)
        store->class->touch(store);
    store->touched = store->writes;
}

void vz_store_renew(vz_store *store)
{
    if (store->class->renew)
        store->class->renew(store);
}

bool vz_store_keeps_back(const vz_store *store)
{
    return store->class->commit != NULL;
}

void vz_store_close(vz_store *store)
{
    if (!store)
        return;
    vz_held_free(store);
    store->class->close(store);
}
