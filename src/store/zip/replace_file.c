/* replace_file.c - writes all values into a new zip file, which takes the place of the old one
 * in one step. That is done where a file cannot be changed in place, and to get rid of what is
 * dead in it. Whatever fails before leaves the old file and the store as they were, so that it
 * can be tried again. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"
#include "store/zip/zip_internal.h"
#include "store/zip/replace_internal.h"
#include <errno.h>
#include <stdlib.h>

/* ---- what the new file has from the old one ---- */

static bool keep_attributes(const struct stat *old, int from, int to, vz_error *err)
{
    struct stat status;
    if (vz_os_fstat(to, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat the new zip file");
    /* A caller that may write a file may not always give it away: then it is the writer's, and
     * nobody gets rights by that. */
    const bool owner = (status.st_uid == old->st_uid && status.st_gid == old->st_gid) ||
                       vz_os_fchown(to, old->st_uid, old->st_gid) == 0;
    const bool group = owner || status.st_gid == old->st_gid || vz_os_fchown(to, (uid_t)-1, old->st_gid) == 0;
    if (vz_os_fchmod(to, old->st_mode & (owner ? 07777 : group ? 0777 : 0707)) != 0)
        return vz_fail_errno(err, errno, "cannot set the mode of the zip file");
    vz_os_copy_attributes(from, to); /* access lists, and what users attached to the file */
    return true;
}

/* Whoever locked the old file by option `locking` has the new one locked before it is there. */
static bool carry_lock(const vz_zip *zip, int file, vz_error *err)
{
    const vz_store_lock *held = zip->base.lock;
    return !held || held->set(file, held->kind) == 0 ||
           vz_fail_errno(err, errno, "cannot lock the new zip file%s", vz_os_lock_trouble());
}

/* ---- replacing ---- */

/* Without locks somebody may have changed the file in place so soon after it was opened that its
 * times do not show it. The directory with which it ends does. */
static bool check_directory(const vz_zip *zip, vz_error *err)
{
    const vz_zip_end *known = &zip->directory;
    vz_byte_source source = vz_byte_source_over_file(zip->file);
    vz_zip_end end;
    bool found = false;
    if (zip->session.is_locked || zip->slot.deltas || known->after != zip->size)
        return true;
    if (!vz_zip_end_at_end(&source, zip->size, &end, NULL, &found, err))
        return false;
    return (found && end.crc == known->crc && end.directory == known->directory && end.count == known->count &&
            (!end.is_ours || end.generation == known->generation)) ||
           vz_fail(err, VZ_BUSY, "somebody else changed the zip file since it was opened, so nothing is written to it");
}

static bool replace(vz_zip *zip, vz_zip_new *new, struct stat *status, vz_error *err)
{
    struct stat now;
    bool gone;
    if (!vz_zip_check(zip, &now, &gone, err) || (!gone && !check_directory(zip, err)))
        return false;
    const struct stat there = now;
    if (gone) /* it was deleted */
        now.st_mode = zip->status.st_mode, now.st_uid = zip->status.st_uid, now.st_gid = zip->status.st_gid;
    if (!keep_attributes(&now, zip->file, new->file, err) || !carry_lock(zip, new->file, err))
        return false;
    if (vz_os_fstat(new->file, status) != 0)
        return vz_fail_errno(err, errno, "cannot stat the new zip file");
    return vz_zip_new_place(new, zip->base.path, gone ? NULL : &there, err);
}

/* The store is that of the new file from now on. Nothing here can fail: the old one is gone. Its
 * descriptor keeps its number, which somebody may have asked for. */
static void adopt(vz_zip *zip, const vz_zip_packed *packed, const struct stat *status)
{
    const int lock = zip->base.lock ? zip->base.lock->descriptor : -1;
    if (lock >= 0 && vz_os_dup_to(packed->file, lock) < 0)
        zip->base.lock = NULL; /* the lock is held through zip->file alone */
    if (vz_os_dup_to(packed->file, zip->file) >= 0) {
        vz_os_close(packed->file);
    } else {
        vz_os_close(zip->file);
        zip->file = packed->file;
    }
    if (zip->spool >= 0)
        vz_os_close(zip->spool);
    vz_zip_spool_begin(zip, packed->spool, packed->spooled);
    zip->rewrites = packed->spool >= 0; /* what is hidden in a spool stays there */
    zip->directory = packed->end;
    zip->end = packed->end.directory;
    zip->size = (uint64_t)status->st_size;
    zip->slot = packed->slot;
    vz_buffer_clear(&zip->session.removed);
    zip->session = (vz_zip_session){0};
    zip->status = *status;
    zip->base.identity = (vz_identity){{(uint64_t)status->st_dev, (uint64_t)status->st_ino}};
    vz_keytree_relocate(zip->tree);
    zip->changed = false;
    zip->settled = false;
    zip->unsynced = true;
}

static bool check_and_replace(vz_zip *zip, vz_zip_new *new, struct stat *status, vz_error *err)
{
    bool has_lock = false;
    if (zip->session.is_locked || zip->base.without_locks)
        return replace(zip, new, status, err);
    if (!vz_zip_lock_writing(zip->file, &has_lock, err)) /* where there are no locks it is done
                                                          * without */
        return false;
    const bool ok = replace(zip, new, status, err);
    if (has_lock)
        vz_zip_unlock_writing(zip->file);
    return ok;
}

static bool try_commit(vz_zip *zip, bool with_name, bool *needs_name, vz_error *err)
{
    vz_zip_new new;
    struct stat status;
    if (!vz_zip_new_open(&new, zip->base.path, with_name, err))
        return false;
    vz_zip_packed packed = {.file = new.file, .spool = -1};
    /* A power cut must not take the old file without leaving the new one. */
    if (vz_zip_pack(zip, &packed, err) && (!vz_zip_is_worth_a_sync(zip) || vz_os_file_sync(new.file, true, err)) &&
        check_and_replace(zip, &new, &status, err)) {
        adopt(zip, &packed, &status);
        return true;
    }
    *needs_name = new.needs_name;
    vz_zip_new_drop(&new);
    if (packed.spool >= 0)
        vz_os_close(packed.spool);
    return false;
}

bool vz_zip_rewrite(vz_zip *zip, vz_error *err)
{
    bool needs_name = false;
    vz_error failed = VZ_ERROR_NONE;
    if (try_commit(zip, false, &needs_name, &failed))
        return true;
    if (needs_name)
        return try_commit(zip, true, &needs_name, err);
    if (err)
        *err = failed;
    return false;
}
