/* walk.c - the values of a store in the bytewise order of their keys, with what tells versions
 * apart. A bucket is walked page by page, all else level by level (walk_levels.c). */
#include "command/sync/walk_internal.h"
#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)

/* ---- values ---- */

static void take_stamp(vz_sync_walk *walk, const vz_stamp *stamp)
{
    const vz_sync_side *side = walk->side;
    const uint64_t parts[] = {stamp->size, stamp->device, stamp->inode, (uint64_t)stamp->modified.tv_sec,
                              (uint64_t)stamp->modified.tv_nsec};
    const uint64_t of_file[] = {stamp->size, side->generation};
    walk->value = (vz_sync_value){.key = (const char *)walk->key.data,
                                  .size = stamp->size,
                                  .version = side->is_directory ? vz_hash(parts, sizeof parts, 0)
                                                                : vz_hash(of_file, sizeof of_file, 0),
                                  .has_time = side->is_directory,
                                  .modified = stamp->modified};
}

static bool next_by_levels(vz_sync_walk *walk, bool *found, vz_error *err)
{
    for (;;) {
        vz_stamp stamp = {0};
        if (!vz_sync_walk_key(walk, found, err))
            return false;
        if (!*found)
            return true;
        if (!vz_store_stat(walk->side->store, (const char *)walk->key.data, &stamp, err))
            return false;
        if (stamp.exists) {
            take_stamp(walk, &stamp);
            return true;
        }
    }
}

/* Servers tell times in seconds. A part of the version stands for what is behind the second, so
 * that a file with this time is a copy of this version. */
static void take_version(vz_sync_walk *walk, const char *key, uint64_t size, const vz_version *version,
                         int64_t modified_ns)
{
    const uint64_t number = vz_hash(version->bytes, version->size, size);
    walk->value = (vz_sync_value){
        .key = key,
        .size = size,
        .version = number,
        .demanded = *version,
        .has_time = modified_ns > 0 && version->size > 0,
        .modified = {.tv_sec = (time_t)(modified_ns / NS_PER_S), .tv_nsec = (long)(number % (uint64_t)NS_PER_S)}};
}

static int64_t seconds_to_ns(uint64_t seconds)
{
    return seconds < (uint64_t)(INT64_MAX / NS_PER_S) ? (int64_t)seconds * NS_PER_S : 0;
}

static bool next_of_bucket(vz_sync_walk *walk, bool *found, vz_error *err)
{
    vz_bucket_walked w;
    if (!vz_bucket_walk_next(walk->pages, &w, found, err))
        return false;
    if (!*found)
        return true;
    take_version(walk, w.key, w.size, &w.version, w.modified_ns);
    walk->value.has_md5 = vz_sync_md5_parse(w.etag, w.md5, walk->value.md5);
    return true;
}

/* ---- a web server ---- */

static void forget_looks(vz_sync_walk *walk)
{
    for (size_t i = 0; i < walk->look_count; i++)
        free((void *)(uintptr_t)walk->looks[i].key);
    walk->look_count = walk->look_at = 0;
}

/* At some of the next keys, all at once. */
static bool look_ahead(vz_sync_walk *walk, vz_error *err)
{
    static const vz_range nothing;
    bool ok = true, found = true;
    forget_looks(walk);
    while (walk->look_count < VZ_SYNC_LOOKS && (ok = vz_sync_walk_key(walk, &found, err)) && found) {
        char *key = strdup((const char *)walk->key.data);
        if (!(ok = key || vz_fail_memory(err)))
            break;
        walk->looks[walk->look_count++] = (vz_request){.op = VZ_REQUEST_GET, .key = key, .ranges = &nothing};
    }
    ok = ok && vz_requests_do(walk->side->store, walk->looks, walk->look_count, err);
    for (size_t i = 0; !ok && i < walk->look_count; i++)
        if (walk->looks[i].failed != VZ_OK) {
            vz_error_where(err, NULL, walk->looks[i].key);
            break;
        }
    return ok;
}

/* Some servers do not say how long a value is. */
static bool measure(vz_sync_walk *walk, vz_request *look, vz_error *err)
{
    vz_buffer bytes = {.limit = (size_t)VZ_SYNC_WHOLE_MAX};
    const bool ok = vz_store_get(walk->side->store, look->key, VZ_WHOLE, &bytes, &look->found, err);
    look->size = bytes.size;
    vz_buffer_clear(&bytes);
    return ok;
}

static bool fail_missing(const char *key, vz_error *err)
{
    vz_sync_web_fail_missing(err);
    vz_error_where(err, NULL, key);
    return false;
}

static bool next_of_web(vz_sync_walk *walk, bool *found, vz_error *err)
{
    for (;;) {
        if (walk->look_at == walk->look_count && !look_ahead(walk, err))
            return false;
        *found = walk->look_count > 0;
        if (!*found)
            return true;
        vz_request *look = &walk->looks[walk->look_at++];
        if (look->found && look->size == 0 && !measure(walk, look, err))
            return false;
        if (look->found) {
            take_version(walk, look->key, look->size, &look->version, seconds_to_ns(look->unmodified));
            return true;
        }
        if (vz_sync_web_needs(walk->web, look->key))
            return fail_missing(look->key, err);
    }
}

bool vz_sync_walk_next(vz_sync_walk *walk, const vz_sync_value **value, vz_error *err)
{
    bool found;
    if (!(walk->pages ? next_of_bucket(walk, &found, err)
          : walk->web ? next_of_web(walk, &found, err)
                      : next_by_levels(walk, &found, err))) {
        vz_error_where(err, walk->side->name, NULL);
        return false;
    }
    *value = found ? &walk->value : NULL;
    return true;
}

/* ---- the whole ---- */

vz_sync_walk *vz_sync_walk_open(vz_sync_side *side, const vz_sync_side *never, vz_error *err)
{
    vz_sync_walk *walk = calloc(1, sizeof *walk);
    if (!walk) {
        vz_fail_memory(err);
        return NULL;
    }
    walk->side = side;
    walk->never = never;
    if (side->is_bucket)
        walk->pages = vz_bucket_walk_open(side->raw, err);
    if (side->is_web) {
        walk->web = side->web ? side->web : vz_sync_web_open(side, err);
        side->web = NULL;
    }
    if (side->is_bucket ? walk->pages != NULL : (!side->is_web || walk->web) && vz_sync_walk_enter(walk, err))
        return walk;
    vz_error_where(err, side->name, NULL);
    vz_sync_walk_close(walk);
    return NULL;
}

void vz_sync_walk_close(vz_sync_walk *walk)
{
    if (!walk)
        return;
    vz_sync_walk_leave(walk);
    forget_looks(walk);
    vz_bucket_walk_close(walk->pages);
    vz_sync_web_close(walk->web);
    vz_buffer_clear(&walk->key);
    free(walk);
}
