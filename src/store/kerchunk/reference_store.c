/* reference_store.c - the class of stores that a reference file describes. They can be read
 * only. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdlib.h>

/* ---- one value ---- */

static bool fail_at(const vz_kerchunk *store, const char *key, vz_error *err)
{
    vz_error_where(err, vz_kerchunk_label(store), key);
    return false;
}

static bool ask(const vz_kerchunk_found *at, const vz_range *parts, size_t count, vz_buffer *out, bool *found,
                vz_error *err)
{
    vz_store *store = at->target->place->store;
    vz_request request = {.key = at->target->key, .ranges = parts, .range_count = count, .into = out};
    vz_buffer scratch = {0};
    vz_kerchunk_demand(at, &request);
    if (request.when == VZ_WHEN_ANY && !request.unmodified)
        return vz_store_get_ranges(store, request.key, parts, count, out, found, err);
    const bool ok = vz_request_do(store, &request, &scratch, err);
    *found = request.found;
    vz_buffer_clear(&scratch);
    return ok;
}

static bool read_remote(const vz_kerchunk_found *at, const vz_range *ranges, size_t count, vz_buffer *out,
                        vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_range *parts = calloc(count + 1, sizeof *parts);
    bool found = false, ok = parts || vz_fail_memory(&why);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_kerchunk_place_range(&at->value, ranges[i], &parts[i], &why);
    ok = ok && ask(at, parts, count, out, &found, &why) && (found || vz_fail(&why, VZ_IO, "there is no such file"));
    free(parts);
    return ok || vz_kerchunk_fail_value(&at->value, &why, err);
}

static bool get_ranges(vz_store *base, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_kerchunk *store = vz_kerchunk_of(base);
    vz_kerchunk_found at;
    bool ok = vz_kerchunk_look_up(store, key, &at, found, err);
    if (ok && *found)
        ok =
            at.target && !at.target->path
                ? read_remote(&at, ranges, count, out, err)
                : vz_kerchunk_read_local(store, &at.value, at.target ? at.target->path : NULL, ranges, count, out, err);
    vz_kerchunk_found_clear(&at);
    return ok || fail_at(store, key, err);
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
    vz_kerchunk_found at;
    bool found, ok = vz_kerchunk_look_up(store, key, &at, &found, err);
    const vz_kerchunk_target *target = at.target;
    *stamp = (vz_stamp){0};
    if (ok && found)
        ok = target && !target->path
                 ? stat_remote(store, &at.value, target, stamp, err)
                 : vz_kerchunk_stat_local(store, &at.value, target ? target->path : NULL, stamp, err);
    vz_kerchunk_found_clear(&at);
    return ok || fail_at(store, key, err);
}

/* The reference file says where a value lies; a local file may be replaced by another one. */
static bool open_value(vz_store *base, const char *key, vz_store_value_use use, vz_store_value *value, bool *found,
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
    vz_kerchunk *store = vz_kerchunk_of(base);
    return vz_kerchunk_has(store, key, is_there, err) || fail_at(store, key, err);
}

static bool list(vz_store *base, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_kerchunk *store = vz_kerchunk_of(base);
    const char *known = vz_kerchunk_table_key(store, prefix);
    const bool ok = store->finder ? store->finder->list(store->context, prefix, entries, count, err)
                                  : !known || vz_kerchunk_list(&store->table, known, entries, count, err);
    return ok || fail_at(store, prefix, err);
}

static bool is_at(const vz_store *base, const char *path)
{
    struct stat status;
    const vz_kerchunk *store = (const vz_kerchunk *)base;
    if (store->finder)
        return store->finder->is_at(store->context, path);
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
    if (store->finder)
        store->finder->close(store->context);
    vz_os_mutex_destroy(&store->lock);
    free(store->label);
    free(store->prefix);
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
static void take_class(vz_kerchunk *store, bool asks)
{
    store->class = class;
    if (store->finder)
        store->class.kind = store->finder->kind;
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
    if (origin->archive) {
        store->table.archive = *origin->archive;
        *origin->archive = (vz_kerchunk_archive){0};
    }
    bool ok = vz_kerchunk_table_read(&store->table, text, err);
    ok = ok && (((store->base.path = strdup(origin->path)) && (store->known = vz_strmap_new()) &&
                 (store->places = vz_strmap_new())) ||
                vz_fail_memory(err));
    take_class(store, store->is_remote || store->table.names_servers);
    if (ok)
        return &store->base;
    vz_error_where(err, origin->path, NULL);
    close_store(&store->base);
    return NULL;
}

vz_store *vz_kerchunk_over_array(vz_buffer *text, const char *prefix, const vz_kerchunk_origin *origin, vz_error *err)
{
    vz_store *store = vz_kerchunk_over(text, origin, err);
    if (!store || (vz_kerchunk_of(store)->prefix = strdup(prefix)))
        return store;
    vz_fail_memory(err);
    vz_store_close(store);
    return NULL;
}

/* ---- over another store ---- */

/* It is the place of number 0. */
static bool take_below(vz_kerchunk *store, vz_store *below, vz_error *err)
{
    store->below = store->places ? calloc(1, sizeof *store->below) : NULL;
    if (!store->below) {
        vz_store_close(below);
        return vz_fail_memory(err);
    }
    store->below->store = below;
    if (vz_strmap_put(store->places, "", store->below, err)) {
        store->place_count = 1;
        return true;
    }
    vz_store_close(below);
    free(store->below);
    return false;
}

vz_store *vz_kerchunk_over_finder(const vz_kerchunk_finder *finder, void *context, vz_store *below,
                                  const vz_kerchunk_origin *origin, const char *label, bool asks, vz_error *err)
{
    vz_kerchunk *store = calloc(1, sizeof *store);
    if (!store) {
        finder->close(context);
        vz_store_close(below);
        vz_fail_memory(err);
        return NULL;
    }
    vz_os_mutex_init(&store->lock);
    take_origin(store, origin);
    store->finder = finder;
    store->context = context;
    store->base.path = strdup(origin->path);
    store->label = strdup(label);
    store->known = vz_strmap_new();
    store->places = vz_strmap_new();
    take_class(store, asks);
    const bool ok = take_below(store, below, err);
    if (ok && store->base.path && store->label && store->known)
        return &store->base;
    if (ok)
        vz_fail_memory(err);
    close_store(&store->base);
    return NULL;
}
