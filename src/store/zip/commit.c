/* commit.c - values that were put become visible to others: in the file itself or, where that
 * cannot be, by a new file in its place. A file of which most is dead is written anew. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <errno.h>
#include <stdlib.h>

/* bytes of what nobody reads any more, before a file is written anew for it */
#define DEAD_MIN ((uint64_t)64 << 20)

static bool commit(vz_zip *zip, vz_error *err)
{
    struct stat now;
    bool gone = false;
    if (!vz_zip_begin(zip, err))
        return false;
    if (!zip->rewrites && !vz_zip_check(zip, &now, &gone, err))
        return false;
    return zip->rewrites || gone ? vz_zip_rewrite(zip, err) : vz_zip_append(zip, err);
}

bool vz_zip_is_worth_packing(const vz_zip *zip)
{
    const uint64_t dead = zip->size > zip->live ? zip->size - zip->live : 0;
    return zip->live && dead > zip->live && dead > DEAD_MIN;
}

/* A caller that has other names for the file, or is not its owner, keeps it as it is. */
static bool may_be_packed(const vz_zip *zip)
{
    return zip->status.st_nlink == 1 && vz_os_is_own(&zip->status);
}

bool vz_zip_commit(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    const bool is_due = zip->changed || zip->slot.deltas;
    const bool ok = !is_due || commit(zip, err);
    if (ok && is_due && !zip->rewrites && vz_zip_is_worth_packing(zip) && may_be_packed(zip))
        vz_zip_rewrite(zip, NULL); /* what was put is there in any case */
    else if (!is_due && vz_zip_needs_end_repair(zip))
        vz_zip_repair_end(zip);
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static bool compact(vz_zip *zip, vz_error *err)
{
    if (!vz_zip_begin(zip, err)) /* so that nobody else writes; what was put and not reported goes
                                  * along */
        return false;
    return vz_zip_rewrite(zip, err);
}

bool vz_zip_compact(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    *before = (uint64_t)zip->status.st_size;
    const bool ok = compact(zip, err);
    *after = zip->size;
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

/* ---- onto the disk ---- */

bool vz_zip_sync(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    if (!zip->unsynced)
        return true;
    char *above = strdup(store->path);
    if (!above)
        return vz_fail_memory(err);
    char *slash = strrchr(above, '/');
    if (slash)
        slash[slash == above] = '\0';
    const int directory = vz_os_open(above, O_RDONLY | O_DIRECTORY);
    bool ok = directory >= 0 || vz_fail_errno(err, errno, "cannot open the directory of the zip file");
    ok = ok && vz_os_file_sync(zip->file, true, err) && vz_os_file_sync(directory, true, err);
    if (directory >= 0)
        vz_os_close(directory);
    free(above);
    zip->unsynced = !ok;
    return ok;
}
