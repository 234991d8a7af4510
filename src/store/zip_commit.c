/* zip_commit.c - all values go into a new zip file, which takes the place of the old one in one step. Whatever fails
 * before leaves the old file and the store as they were, so that it can be tried again. */
#include "store/zip.h"
#include "store/zip_new.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Somebody who wrote the file meanwhile must not lose it without a word. *now: what it is; all zeros if it is gone. */
static bool check_unchanged(const vz_zip *zip, struct stat *now, vz_error *err)
{
    *now = (struct stat){0};
    if (stat(zip->base.path, now) != 0)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot stat the zip file");
    return (now->st_dev == zip->status.st_dev && now->st_ino == zip->status.st_ino &&
            now->st_size == zip->status.st_size && now->st_mtim.tv_sec == zip->status.st_mtim.tv_sec &&
            now->st_mtim.tv_nsec == zip->status.st_mtim.tv_nsec) ||
           vz_fail(err, VZ_BUSY, "somebody else changed the zip file since it was opened, so it is not replaced");
}

/* ---- what the new file has from the old one ---- */

/* Access lists, and what users attached to the file. What the system does not let us set is not kept. */
static void copy_extended(int from, int to)
{
    const ssize_t size = flistxattr(from, NULL, 0);
    char *names = size > 0 ? malloc((size_t)size) : NULL;
    char *value = names ? malloc(XATTR_SIZE_MAX) : NULL;
    const ssize_t listed = value ? flistxattr(from, names, (size_t)size) : 0;
    for (const char *name = names; listed > 0 && name < names + listed; name += strlen(name) + 1) {
        const ssize_t length = fgetxattr(from, name, value, XATTR_SIZE_MAX);
        if (length >= 0 && fsetxattr(to, name, value, (size_t)length, 0) != 0)
            continue; /* not ours to set */
    }
    free(names);
    free(value);
}

bool vz_zip_keep_attributes(const struct stat *old, int from, int to, vz_error *err)
{
    struct stat status;
    if (fstat(to, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat the new zip file");
    /* Who may write a file may not always give it away: then it is the writer's, and nobody gets rights by that. */
    const bool owner =
        (status.st_uid == old->st_uid && status.st_gid == old->st_gid) || fchown(to, old->st_uid, old->st_gid) == 0;
    const bool group = owner || status.st_gid == old->st_gid || fchown(to, (uid_t)-1, old->st_gid) == 0;
    if (fchmod(to, old->st_mode & (owner ? 07777 : group ? 0777 : 0707)) != 0)
        return vz_fail_errno(err, errno, "cannot set the mode of the zip file");
    copy_extended(from, to);
    return true;
}

/* Whoever locked the old file by option `locking` has the new one locked before it is there. */
static bool carry_lock(const vz_zip *zip, int file, vz_error *err)
{
    const vz_store_lock *held = zip->base.lock;
    return !held || flock(file, held->operation | LOCK_NB) == 0 ||
           vz_fail_errno(err, errno, "cannot lock the new zip file");
}

/* ---- replacing ---- */

/* A power cut must not take the old file without leaving the new one. An empty one is no loss, unless somebody minds.
 */
static bool is_worth_a_sync(const vz_zip *zip)
{
    return zip->status.st_size > VZ_ZIP_END_SIZE || zip->base.durable;
}

static bool write_through(int file, vz_error *err)
{
    while (fsync(file) != 0)
        if (errno != EINTR)
            return vz_fail_errno(err, errno, "cannot write the zip file");
    return true;
}

static bool replace(vz_zip *zip, vz_zip_new *new, struct stat *status, vz_error *err)
{
    struct stat now;
    if (!check_unchanged(zip, &now, err))
        return false;
    if (now.st_nlink == 0) /* it was deleted */
        now.st_mode = zip->status.st_mode, now.st_uid = zip->status.st_uid, now.st_gid = zip->status.st_gid;
    if (!vz_zip_keep_attributes(&now, zip->file, new->file, err) || !carry_lock(zip, new->file, err))
        return false;
    if (fstat(new->file, status) != 0)
        return vz_fail_errno(err, errno, "cannot stat the new zip file");
    return vz_zip_new_place(new, zip->base.path, err);
}

/* The store is that of the new file from now on. Nothing here can fail: the old one is gone. Its descriptor keeps its
 * number, which somebody may have asked for. */
static void adopt(vz_zip *zip, const vz_zip_packed *packed, const struct stat *status)
{
    const int lock = zip->base.lock ? zip->base.lock->descriptor : -1;
    if (lock >= 0 && dup3(packed->file, lock, O_CLOEXEC) < 0)
        zip->base.lock = NULL; /* the lock is held through zip->file alone */
    if (dup3(packed->file, zip->file, O_CLOEXEC) >= 0) {
        close(packed->file);
    } else {
        close(zip->file);
        zip->file = packed->file;
    }
    if (zip->spool >= 0)
        close(zip->spool);
    vz_zip_spool_begin(zip, packed->spool, packed->spooled);
    zip->end = packed->end;
    zip->status = *status;
    zip->base.identity = (vz_identity){{(uint64_t)status->st_dev, (uint64_t)status->st_ino}};
    vz_zip_tree_settle(zip->tree);
    zip->changed = false;
    zip->settled = false;
    zip->unsynced = true;
}

static bool check_and_replace(vz_zip *zip, vz_zip_new *new, struct stat *status, vz_error *err)
{
    if (zip->base.lock) /* another lock is not needed, and where locks are the server's it would be refused */
        return replace(zip, new, status, err);
    if (!vz_zip_take_turn(zip->file, err))
        return false;
    const bool ok = replace(zip, new, status, err);
    vz_zip_end_turn(zip->file);
    return ok;
}

static bool try_commit(vz_zip *zip, bool with_name, bool *needs_name, vz_error *err)
{
    vz_zip_new new;
    struct stat status;
    if (!vz_zip_new_open(&new, zip->base.path, with_name, err))
        return false;
    vz_zip_packed packed = {.file = new.file, .spool = -1};
    if (vz_zip_pack(zip, &packed, err) && (!is_worth_a_sync(zip) || write_through(new.file, err)) &&
        check_and_replace(zip, &new, &status, err)) {
        adopt(zip, &packed, &status);
        return true;
    }
    *needs_name = new.needs_name;
    vz_zip_new_drop(&new);
    if (packed.spool >= 0)
        close(packed.spool);
    return false;
}

static bool commit(vz_zip *zip, vz_error *err)
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

bool vz_zip_commit(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    pthread_rwlock_wrlock(&zip->lock);
    const bool ok = !zip->changed || commit(zip, err);
    pthread_rwlock_unlock(&zip->lock);
    return ok;
}

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
    const int directory = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = directory >= 0 || vz_fail_errno(err, errno, "cannot open the directory of the zip file");
    ok = ok && write_through(zip->file, err) && write_through(directory, err);
    if (directory >= 0)
        close(directory);
    free(above);
    zip->unsynced = !ok;
    return ok;
}
