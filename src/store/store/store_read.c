/* store_read.c - reads from a store of any kind. Keys are checked and operations are counted. */
#include "store/store/store.h"
#include "store/store/call_internal.h"

vz_store_counts vz_store_counted(const vz_store *store)
{
    return (vz_store_counts){
        .gets = store->count[VZ_COUNT_GET],
        .misses = store->count[VZ_COUNT_MISS],
        .puts = store->count[VZ_COUNT_PUT],
        .dels = store->count[VZ_COUNT_DEL],
        .lists = store->count[VZ_COUNT_LIST],
        .stats = store->count[VZ_COUNT_STAT],
        .renames = store->count[VZ_COUNT_RENAME],
        .bytes_read = store->count[VZ_COUNT_READ],
        .bytes_written = store->count[VZ_COUNT_WRITTEN],
    };
}

/* ---- reading ---- */

bool vz_store_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    const size_t before = out->size;
    vz_store_key_location at;
    *found = false;
    const bool ok = vz_store_call_check_key(store, key, err) && vz_store_call_place(store, key, &at, err) &&
                    store->class->get(at.store, at.key, range, out, found, err);
    vz_store_call_count(store, VZ_COUNT_GET, 1);
    vz_store_call_count(store, VZ_COUNT_MISS, ok && !*found);
    vz_store_call_count(store, VZ_COUNT_READ, out->size - before);
    return vz_store_call_done(store, key, ok, err);
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
    vz_store_key_location at;
    *found = false;
    bool ok = vz_store_call_check_key(store, key, err) && vz_store_call_place(store, key, &at, err);
    if (ok && store->class->get_ranges)
        ok = store->class->get_ranges(at.store, at.key, ranges, number, out, found, err);
    else if (ok)
        ok = get_each_range(at.store, at.key, ranges, number, out, found, err);
    vz_store_call_count(store, VZ_COUNT_GET, 1);
    vz_store_call_count(store, VZ_COUNT_MISS, ok && !*found);
    vz_store_call_count(store, VZ_COUNT_READ, total_size(out, number) - before);
    return vz_store_call_done(store, key, ok, err);
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

bool vz_store_open_value(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value, bool *found,
                         vz_error *err)
{
    *value = (vz_store_value){.file = -1};
    *found = false;
    vz_store_key_location at;
    bool ok = vz_store_call_check_key(store, key, err) && vz_store_call_place(store, key, &at, err);
    if (ok && store->class->open_value)
        ok = store->class->open_value(at.store, at.key, use, value, found, err);
    else if (ok)
        ok = open_by_stamp(store, key, value, found, err);
    vz_store_call_count(store, VZ_COUNT_MISS, ok && !*found);
    return vz_store_call_done(store, key, ok, err);
}

bool vz_store_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                         size_t number, vz_buffer *out, vz_error *err)
{
    if (store->class->read_value) {
        const uint64_t before = total_size(out, number);
        vz_store_key_location at;
        const bool ok = vz_store_call_place(store, key, &at, err) &&
                        store->class->read_value(at.store, at.key, value, ranges, number, out, err);
        vz_store_call_count(store, VZ_COUNT_GET, 1);
        vz_store_call_count(store, VZ_COUNT_READ, total_size(out, number) - before);
        return vz_store_call_done(store, key, ok, err);
    }
    bool found;
    if (!vz_store_get_ranges(store, key, ranges, number, out, &found, err))
        return false;
    return vz_store_call_done(store, key,
                              (found && !changed_by_stamp(store, key, value)) ||
                                  vz_fail(err, VZ_CHANGED, "another version was put in its place"),
                              err);
}

bool vz_store_value_changed(vz_store *store, const char *key, const vz_store_value *value)
{
    vz_store_key_location at;
    if (!store->class->value_changed)
        return changed_by_stamp(store, key, value);
    return !vz_store_call_place(store, key, &at, NULL) || store->class->value_changed(at.store, at.key, value);
}

void vz_store_close_value(vz_store *store, vz_store_value *value)
{
    if (store->class->close_value)
        store->class->close_value(store, value);
}

bool vz_store_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_store_key_location at;
    *stamp = (vz_stamp){0};
    vz_store_call_count(store, VZ_COUNT_STAT, 1);
    const bool ok = vz_store_call_check_key(store, key, err) && vz_store_call_place(store, key, &at, err);
    return vz_store_call_done(store, key, ok && store->class->stat(at.store, at.key, stamp, err), err);
}

bool vz_store_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *number, vz_error *err)
{
    *entries = NULL;
    *number = 0;
    vz_store_call_count(store, VZ_COUNT_LIST, 1);
    if (!(store->capabilities & VZ_STORE_LIST))
        return vz_store_call_done(store, prefix,
                                  vz_fail(err, VZ_UNSUPPORTED, "a %s store cannot list", store->class->kind), err);
    vz_store_key_location at;
    const bool ok = vz_store_call_check_prefix(store, prefix, err) && vz_store_call_place(store, prefix, &at, err) &&
                    store->class->list(at.store, at.key, entries, number, err);
    vz_entries_sort(*entries, *number);
    return vz_store_call_done(store, prefix, ok, err);
}

bool vz_store_look(vz_store *store, const char *key, vz_store_key_kind *kind, vz_error *err)
{
    *kind = VZ_STORE_NOTHING;
    if (!store->class->look)
        return true;
    vz_store_call_count(store, VZ_COUNT_STAT, 1);
    vz_store_key_location at;
    const bool ok = vz_store_call_check_key(store, key, err) && vz_store_call_place(store, key, &at, err);
    return vz_store_call_done(store, key, ok && store->class->look(at.store, at.key, kind, err), err);
}

/* `key` ends with the prefix and a slash. */
static bool look_each(vz_store *store, vz_buffer *key, const char *name, vz_entry_probe *looks, size_t count,
                      vz_error *err)
{
    const size_t start = key->size;
    for (size_t i = 0; i < count; i++) {
        vz_stamp stamp;
        vz_error unclear = VZ_ERROR_NONE;
        key->size = start;
        if (!vz_buffer_printf(key, err, "%s/%s", looks[i].name, name) || !vz_buffer_append(key, "", 1, err))
            return false;
        looks[i].is_there = vz_store_stat(store, (const char *)key->data, &stamp, &unclear) && stamp.exists;
    }
    return true;
}

bool vz_store_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                         vz_error *err)
{
    bool done = false;
    vz_buffer key = {0};
    const bool is_one_place = !store->staging_operations || store->in_place;
    if (store->class->look_below && is_one_place &&
        !vz_store_call_done(store, prefix,
                            vz_store_call_check_prefix(store, prefix, err) &&
                                store->class->look_below(store, prefix, name, looks, count, &done, err),
                            err))
        return false;
    if (done) {
        vz_store_call_count(store, VZ_COUNT_STAT, count);
        return true;
    }
    const bool ok =
        (!*prefix || vz_buffer_printf(&key, err, "%s/", prefix)) && look_each(store, &key, name, looks, count, err);
    vz_buffer_clear(&key);
    return ok;
}

static bool visit_listed(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = store->class->list(store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = visit(context, entries[i].name, entries[i].is_prefix ? VZ_STORE_PREFIX : VZ_STORE_VALUE, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_store_each_entry(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err)
{
    vz_store_call_count(store, VZ_COUNT_LIST, 1);
    const bool ok =
        vz_store_call_check_prefix(store, prefix, err) &&
        (store->class->each_entry ? store->class->each_entry : visit_listed)(store, prefix, visit, context, err);
    return vz_store_call_done(store, prefix, ok, err);
}

bool vz_store_has(vz_store *store, const char *key, bool *has, vz_error *err)
{
    vz_stamp stamp = {0};
    *has = false;
    if (!store->class->has) {
        const bool ok = vz_store_stat(store, key, &stamp, err);
        *has = stamp.exists;
        return ok;
    }
    vz_store_call_count(store, VZ_COUNT_STAT, 1);
    return vz_store_call_done(store, key,
                              vz_store_call_check_key(store, key, err) && store->class->has(store, key, has, err), err);
}

/* ---- is it whole? ---- */

bool vz_store_verify(vz_store *store, const char *key, vz_error *err)
{
    vz_buffer bytes = {0};
    bool found;
    if (store->class->verify) {
        vz_store_call_count(store, VZ_COUNT_GET, 1);
        return vz_store_call_done(
            store, key, vz_store_call_check_key(store, key, err) && store->class->verify(store, key, err), err);
    }
    const vz_range nothing = {.kind = VZ_RANGE_AT};
    const bool ok = vz_store_get(store, key, nothing, &bytes, &found, err); /* it can be opened */
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_store_unused(vz_store *store, uint64_t *size, uint64_t *unused)
{
    return store->class->unused && store->class->unused(store, size, unused);
}

bool vz_store_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err)
{
    return !store->class->each_leftover ||
           vz_store_call_done(store, NULL, store->class->each_leftover(store, visit, context, err), err);
}

/* ---- where it lies ---- */

bool vz_identity_equal(const vz_identity *a, const vz_identity *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1];
}

bool vz_identity_is_known(const vz_identity *identity)
{
    return identity->part[0] || identity->part[1];
}

uint64_t vz_identity_number(const vz_identity *identity)
{
    return vz_hash(&identity->part[1], sizeof identity->part[1],
                   vz_hash(&identity->part[0], sizeof identity->part[0], 0));
}

bool vz_store_has_above(const vz_store *store)
{
    return store->class->above != NULL;
}

vz_store *vz_store_above(vz_store *store, bool writable, vz_error *err)
{
    return store->class->above ? store->class->above(store, writable, err) : NULL;
}

bool vz_store_above_may_have(vz_store *store, const char *key)
{
    return store->class->above && (!store->class->above_may_have || store->class->above_may_have(store, key));
}

bool vz_store_may_be_inside(const vz_store *store, const vz_store *above)
{
    return store->class->may_be_inside && store->class->may_be_inside(store, above);
}

bool vz_store_is_own(const vz_store *store)
{
    return store->class->is_own && store->class->is_own(store);
}

bool vz_store_is_at(const vz_store *store, const char *path)
{
    return store->class->is_at && store->class->is_at(store, path);
}

bool vz_store_claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own)
{
    if (store->class->claims)
        store->class->claims(store, has, values, own);
    return store->class->claims != NULL;
}
