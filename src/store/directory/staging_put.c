/* staging_put.c - puts into a staging area that may wait in the queue
 * (staging_queue_internal.h). */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/os/thread.h"

/* A value that lies in several places is not small, and does not wait. */
static bool add_later(vz_staging *staging, struct staged *entry, const char *key, vz_parts value, bool *waits,
                      vz_error *err)
{
    const vz_staging_call call = {
        .what = VZ_STAGED_PUT, .inner = staging->inner, .key = key, .value = *value.list, .begins = !entry->made};
    *waits = false;
    return value.count > 1 || vz_staging_queue_add(staging->later, &call, &entry->last, waits, err);
}

static bool put_in(vz_staging *staging, struct staged *entry, const char *key, vz_parts value, vz_error *err)
{
    bool waits;
    if (!staging->knows_later)
        vz_staging_know_later(staging);
    if (!add_later(staging, entry, key, value, &waits, err) ||
        (!waits && (!vz_staging_drain(staging, entry->last, err) ||
                    !vz_directory_put_numbered(staging->inner, key, value, !entry->made, err))))
        return false;
    entry->made = true;
    atomic_store_explicit(&entry->written, true, memory_order_relaxed);
    return true;
}

bool vz_staging_put(vz_staging *staging, const char *key, vz_parts value, bool *done, vz_error *err)
{
    const char *rest;
    char text[PATH_MAX];
    bool ok = true;
    *done = false;
    if (vz_pool_works_together() || staging->owner != (pid_t)vz_process_id())
        return true;
    vz_os_rwlock_read(&staging->lock);
    struct staged *entry =
        vz_staging_table_count(staging->entries) ? vz_staging_find_above(staging, key, true, &rest) : NULL;
    if (entry) {
        vz_staging_key_of(entry, rest, text);
        ok = put_in(staging, entry, text, value, err);
    }
    vz_os_rwlock_unlock(&staging->lock);
    *done = ok && entry;
    return ok;
}

bool vz_staging_has_unwritten(vz_staging *staging, const char *prefix)
{
    const char *rest;
    vz_os_rwlock_read(&staging->lock);
    const struct staged *entry = *prefix ? vz_staging_find_above(staging, prefix, true, &rest) : NULL;
    const bool has_unwritten =
        (entry || !*prefix) && vz_staging_queue_waits(staging->later, entry ? entry->last : VZ_STAGED_ANY);
    vz_os_rwlock_unlock(&staging->lock);
    return has_unwritten;
}
