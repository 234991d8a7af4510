/* reference_store.c - the class of stores that a reference file describes. They can be read
 * only. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdlib.h>

/* ---- one value ---- */

/* Where the value of a key is; *target is NULL for one that stands in the file. */
static bool find_value(vz_kerchunk *store, const char *key, vz_kerchunk_value *value, const vz_kerchunk_target **target,
                       bool *found, vz_error *err)
{
    const vz_kerchunk_entry *entry = vz_kerchunk_find(&store->table, key);
    *value = (vz_kerchunk_value){0};
    *target = NULL;
    *found = entry != NULL;
    if (!entry)
        return vz_kerchunk_check_absent(&store->table, key, err);
    return vz_kerchunk_value_read(&store->table, entry, value, err) &&
           (value->is_inline || ((*target = vz_kerchunk_target_of(store, value->name, err)) &&
                                 vz_kerchunk_check_document(key, *target, err)));
}

static bool read_remote(const vz_kerchunk_value *value, const vz_kerchunk_target *target, const vz_range *ranges,
                        size_t count, vz_buffer *out, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_range *parts = calloc(count + 1, sizeof *parts);
    bool found = false, ok = parts || vz_fail_memory(&why);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_kerchunk_place_range(value, ranges[i], &parts[i], &why);
    ok = ok && vz_store_get_ranges(target->place->store, target->key, parts, count, out, &found, &why) &&
         (found || vz_fail(&why, VZ_IO, "there is no such file"));
    free(parts);
    return ok || vz_kerchunk_fail(value->name, &why, err);
}

static bool get_ranges(vz_store *base, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_kerchunk *store = vz_kerchunk_of(base);
    vz_kerchunk_value value;
    const vz_kerchunk_target *target;
    bool ok = find_value(store, key, &value, &target, found, err);
    if (ok && *found)
        ok = target && !target->path
                 ? read_remote(&value, target, ranges, count, out, err)
                 : vz_kerchunk_read_local(store, &value, target ? target->path : NULL, ranges, count, out, err);
    vz_kerchunk_value_clear(&value);
    return ok;
}

static bool get(vz_store *base, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return get_ranges(base, key, &range, 1, out, found, err);
}

/* ---- what is known of it ---- */

static bool stat_remote(vz_kerchunk *store, const vz_kerchunk_value *value, const vz_kerchunk_target *target,
                        vz_stamp *stamp, vz_error *err)
{
    *stamp = store->stamp;
    stamp->size = value->size;
    if (!value->is_whole)
        return true;
    vz_error why = VZ_ERROR_NONE;
    return (vz_store_stat(target->place->store, target->key, stamp, &why) &&
            (stamp->exists || vz_fail(&why, VZ_IO, "there is no such file"))) ||
           vz_kerchunk_fail(value->name, &why, err);
}

static bool stat_value(vz_store *base, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_kerchunk *store = vz_kerchunk_of(base);
    vz_kerchunk_value value;
    const vz_kerchunk_target *target;
    bool found, ok = find_value(store, key, &value, &target, &found, err);
    *stamp = (vz_stamp){0};
    if (ok && found)
        ok = target && !target->path ? stat_remote(store, &value, target, stamp, err)
                                     : vz_kerchunk_stat_local(store, &value, target ? target->path : NULL, stamp, err);
    vz_kerchunk_value_clear(&value);
    return ok;
}

/* The reference file says where a value lies; a local file may be replaced by another one. */
static bool open_value(vz_store *base, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                       vz_error *err)
{
    (void)use;
    if (!stat_value(base, key, &value->stamp, err))
        return false;
    *found = value->stamp.exists;
    value->settled = vz_kerchunk_of(base)->settled && value->stamp.inode == vz_kerchunk_of(base)->stamp.inode;
    return true;
}

static bool has(vz_store *base, const char *key, bool *is_there, vz_error *err)
{
    (void)err;
    *is_there = vz_kerchunk_find(&vz_kerchunk_of(base)->table, key) != NULL;
    return true;
}

static bool list(vz_store *base, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_kerchunk_list(&vz_kerchunk_of(base)->table, prefix, entries, count, err);
}

static bool is_at(const vz_store *base, const char *path)
{
    struct stat status;
    const vz_kerchunk *store = (const vz_kerchunk *)base;
    if (store->is_remote)
        return strcmp(base->path, path) == 0;
    return vz_os_stat(path, &status) == 0 && (uint64_t)status.st_dev == base->identity.part[0] &&
           (uint64_t)status.st_ino == base->identity.part[1];
}

static void close_store(vz_store *base)
{
    vz_kerchunk *store = vz_kerchunk_of(base);
    vz_kerchunk_files_close(store);
    vz_kerchunk_targets_free(store);
    vz_kerchunk_table_clear(&store->table);
    vz_os_mutex_destroy(&store->lock);
    free(base->path);
    free(store);
}

static const vz_store_class class = {
    .kind = "references",
    .get = get,
    .get_ranges = get_ranges,
    .open_value = open_value,
    .stat = stat_value,
    .list = list,
    .has = has,
    .is_at = is_at,
    .close = close_store,
};

bool vz_kerchunk_is_store(const vz_store *store)
{
    return store->class->close == close_store;
}

bool vz_kerchunk_is_lindi(const vz_store *store)
{
    return ((const vz_kerchunk *)store)->table.is_lindi;
}

/* ---- opening ---- */

static void take_origin(vz_kerchunk *store, const vz_kerchunk_origin *origin)
{
    store->is_remote = origin->is_remote;
    store->is_own = origin->is_own;
    store->options = origin->options;
    store->targets = origin->options.targets;
    store->stamp = origin->stamp;
    store->settled = origin->settled;
    store->base.identity = origin->identity;
}

/* Whether servers are asked is known by the names alone. */
static void take_class(vz_kerchunk *store)
{
    const bool asks = store->is_remote || store->table.names_servers;
    store->class = class;
    store->class.batches = asks ? &vz_kerchunk_batches : NULL;
    store->base.class = &store->class;
    store->base.capabilities = VZ_STORE_LIST | (asks ? VZ_STORE_AT_HAND : VZ_STORE_CHEAP);
    if (store->table.is_lindi)
        store->base.capabilities |= VZ_STORE_CUTS;
    store->base.in_flight = asks ? VZ_KERCHUNK_IN_FLIGHT : 0;
}

vz_store *vz_kerchunk_over(vz_buffer *text, const vz_kerchunk_origin *origin, vz_error *err)
{
    vz_kerchunk *store = calloc(1, sizeof *store);
    if (!store) {
        vz_buffer_clear(text);
        vz_fail_memory(err);
        return NULL;
    }
    vz_os_mutex_init(&store->lock);
    take_origin(store, origin);
    bool ok = vz_kerchunk_table_read(&store->table, text, err);
    ok = ok && (((store->base.path = strdup(origin->path)) && (store->known = vz_strmap_new()) &&
                 (store->places = vz_strmap_new())) ||
                vz_fail_memory(err));
    take_class(store);
    if (ok)
        return &store->base;
    vz_error_where(err, origin->path, NULL);
    close_store(&store->base);
    return NULL;
}
