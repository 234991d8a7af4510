/* staging_put.c - what is put into a stage, and need not be there at once (staging_queue_internal.h). */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/os/thread.h"

/* What lies in several places is not small, and does not wait. */
static bool add_later(vz_staging *stage, struct staged *entry, const char *key, vz_parts value, bool *waits,
                      vz_error *err)
{
    const vz_later_call call = {
        .what = VZ_LATER_PUT, .inner = stage->inner, .key = key, .value = *value.list, .begins = !entry->made};
    *waits = false;
    return value.count > 1 || vz_later_add(stage->later, &call, &entry->last, waits, err);
}

static bool put_in(vz_staging *stage, struct staged *entry, const char *key, vz_parts value, vz_error *err)
{
    bool waits;
    if (!stage->knows_later)
        vz_stage_know_later(stage);
    if (!add_later(stage, entry, key, value, &waits, err) ||
        (!waits && (!vz_stage_drain(stage, entry->last, err) ||
                    !vz_directory_put_numbered(stage->inner, key, value, !entry->made, err))))
        return false;
    entry->made = true;
    atomic_store_explicit(&entry->written, true, memory_order_relaxed);
    return true;
}

bool vz_stage_put(vz_staging *stage, const char *key, vz_parts value, bool *done, vz_error *err)
{
    const char *rest;
    char text[PATH_MAX];
    bool ok = true;
    *done = false;
    if (vz_pool_works_together() || stage->owner != (pid_t)vz_process_id())
        return true;
    pthread_rwlock_rdlock(&stage->lock);
    struct staged *entry = vz_stage_table_count(stage->entries) ? vz_stage_find_above(stage, key, true, &rest) : NULL;
    if (entry) {
        vz_stage_key_of(entry, rest, text);
        ok = put_in(stage, entry, text, value, err);
    }
    pthread_rwlock_unlock(&stage->lock);
    *done = ok && entry;
    return ok;
}

bool vz_stage_owes(vz_staging *stage, const char *prefix)
{
    const char *rest;
    pthread_rwlock_rdlock(&stage->lock);
    const struct staged *entry = *prefix ? vz_stage_find_above(stage, prefix, true, &rest) : NULL;
    const bool owes = (entry || !*prefix) && vz_later_waits(stage->later, entry ? entry->last : VZ_LATER_ANY);
    pthread_rwlock_unlock(&stage->lock);
    return owes;
}
