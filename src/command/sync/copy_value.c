/* copy_value.c - one value: read under its version, compared where that decides, put, and given its
 * time. A version that is gone, or too young to be told from the next one, is left to the next
 * round. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>

void vz_sync_tell_done(vz_sync *run, const vz_sync_item *item)
{
    vz_progress_add(run->progress, item->size);
}

bool vz_sync_set_time(vz_sync *run, const vz_sync_item *item, vz_error *err)
{
    char path[PATH_MAX];
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, item->modified};
    if (!run->target.is_directory || !item->has_time || run->request->dry_run)
        return true;
    const int length = snprintf(path, sizeof path, "%s/%s", run->target.raw->path, item->key);
    if (length < 0 || (size_t)length >= sizeof path)
        return true; /* it is compared the next time */
    const int file = vz_os_open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const bool ok = file >= 0 && vz_os_futimens(file, times) == 0;
    const int sys_errno = errno;
    if (file >= 0)
        vz_os_close(file);
    if (!ok && sys_errno != EPERM && sys_errno != ELOOP && sys_errno != EACCES)
        return vz_fail_errno(err, sys_errno, "its time cannot be set");
    return true;
}

/* ---- is it the same? ---- */

static bool has_sum(const vz_sync_item *item, vz_bytes bytes)
{
    uint8_t result[16];
    vz_sync_md5 sum;
    vz_sync_md5_begin(&sum);
    vz_sync_md5_more(&sum, bytes.data, bytes.size);
    vz_sync_md5_end(&sum, result);
    return memcmp(result, item->md5, sizeof result) == 0;
}

static bool is_there(vz_sync *run, const vz_sync_item *item, vz_bytes bytes, bool *same, vz_error *err)
{
    vz_buffer there = {.limit = (size_t)VZ_SYNC_WHOLE_MAX + 1};
    vz_error failed = VZ_ERROR_NONE;
    bool found = false;
    const bool ok = vz_store_get(run->target.store, item->key, VZ_WHOLE, &there, &found, &failed);
    *same = ok && found && there.size == bytes.size && (!bytes.size || memcmp(there.data, bytes.data, bytes.size) == 0);
    vz_buffer_clear(&there);
    /* Damaged values are replaced. */
    if (!ok && failed.class != VZ_LIMIT && failed.class != VZ_CORRUPT) {
        *err = failed;
        return false;
    }
    return true;
}

static bool decide(vz_sync *run, vz_sync_item *item, vz_bytes bytes, bool *same, vz_error *err)
{
    *same = item->way == VZ_SYNC_HASH && has_sum(item, bytes);
    return item->way != VZ_SYNC_LOOK || is_there(run, item, bytes, same, err);
}

bool vz_sync_put(vz_sync *run, vz_sync_item *item, vz_bytes bytes, vz_error *err)
{
    bool same;
    if (vz_sync_is_own_marker(run, item->key, bytes))
        return vz_fail(err, VZ_INVALID, "the target lies in the source, under another name");
    if (!decide(run, item, bytes, &same, err))
        return false;
    vz_sync_tell_done(run, item);
    if (same)
        return vz_sync_set_time(run, item, err);
    item->differs = true;
    if (run->request->dry_run)
        return true;
    if (!vz_sync_begin(run, err) || !vz_store_put(run->target.store, item->key, bytes, err) ||
        !vz_sync_set_time(run, item, err)) {
        vz_error_where(err, run->target.name, item->key);
        return false;
    }
    run->counts.copied++;
    run->counts.copied_size += bytes.size;
    return true;
}

/* ---- a source at hand ---- */

static bool read_held(vz_sync *run, vz_sync_item *item, const vz_store_value *value, vz_buffer *bytes, bool *is_sure,
                      vz_error *err)
{
    vz_store *store = run->source.store;
    vz_error failed = VZ_ERROR_NONE;
    *is_sure = value->stamp.size <= VZ_SYNC_WHOLE_MAX;
    if (!*is_sure) /* it has grown since it was listed */
        return true;
    bytes->size = 0;
    const bool ok = vz_store_read_value(store, item->key, value, &VZ_WHOLE, 1, bytes, &failed);
    const bool changed = run->source.is_directory && vz_store_value_changed(store, item->key, value);
    *is_sure = ok;
    if (!ok && failed.class == VZ_CHANGED)
        return true;
    if (!ok) {
        *err = failed;
        return false;
    }
    if (changed)
        vz_sync_sums_spoil(run->sums, item->key);
    if (run->source.is_directory)
        item->modified = value->stamp.modified;
    return true;
}

bool vz_sync_copy_held(vz_sync *run, vz_sync_item *item, vz_buffer *bytes, vz_error *err)
{
    vz_store_value value = {.file = -1};
    bool found = false, is_sure = false;
    if (!vz_store_open_value(run->source.store, item->key, VZ_VALUE_READ, &value, &found, err))
        return false;
    bool ok = !found || read_held(run, item, &value, bytes, &is_sure, err);
    if (found)
        vz_store_close_value(run->source.store, &value);
    if (ok && is_sure)
        ok = vz_sync_put(run, item, (vz_bytes){bytes->data, bytes->size}, err);
    else if (ok)
        vz_sync_sums_spoil(run->sums, item->key);
    vz_error_where(err, run->source.name, item->key);
    return ok;
}
