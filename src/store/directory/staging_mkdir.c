/* staging_mkdir.c - making a staging area's directory: beside the store's, where no reader of
 * the store looks, ".<name>.partial".
 *
 * Files made in it, and published later, must inherit as they would in the store's root: group,
 * access lists, labels, quotas. Where that is not so beside the root it is made in the root and
 * renamed to its place; where that cannot be either (the directory above may not be written, is a
 * group itself, or another file system), and where an access list says who may see the store, it
 * stays in the root. Nobody may enter it who may not enter the root. */
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TRIES      8 /* when somebody who looks for leftovers is faster */
#define LABEL_SIZE 256
#define RIGHTS     (S_IRWXU | S_IRWXG | S_IRWXO)

/* ---- is it the same beside the root? ---- */

static bool has(int directory, const char *attribute)
{
    return fgetxattr(directory, attribute, NULL, 0) >= 0 || errno == ERANGE;
}

static bool has_same(int a, int b, const char *attribute)
{
    char first[LABEL_SIZE], second[LABEL_SIZE];
    const ssize_t size = fgetxattr(a, attribute, first, sizeof first);
    const bool none = size < 0 && errno != ERANGE;
    const ssize_t other = fgetxattr(b, attribute, second, sizeof second);
    return none ? other < 0 && errno != ERANGE : size >= 0 && other == size && memcmp(first, second, (size_t)size) == 0;
}

/* Renames between the two stay within one mount, which a device number does not tell. */
static bool has_same_mount(int a, int b)
{
    struct statx first, second;
    return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &first) == 0 &&
           statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &second) == 0 && first.stx_mask & second.stx_mask & STATX_MNT_ID &&
           first.stx_mnt_id == second.stx_mnt_id;
}

static bool has_same_project(int a, int b)
{
    struct fsxattr first = {0}, second = {0};
    if (ioctl(a, FS_IOC_FSGETXATTR, &first) != 0)
        return ioctl(b, FS_IOC_FSGETXATTR, &second) != 0;
    return ioctl(b, FS_IOC_FSGETXATTR, &second) == 0 && first.fsx_projid == second.fsx_projid &&
           (first.fsx_xflags & FS_XFLAG_PROJINHERIT) == (second.fsx_xflags & FS_XFLAG_PROJINHERIT);
}

static bool has_same_group(const struct stat *root, const struct stat *made)
{
    return (root->st_mode & S_ISGID) == (made->st_mode & S_ISGID) &&
           made->st_gid == (root->st_mode & S_ISGID ? root->st_gid : getegid());
}

static bool is_equal(int root, const struct stat *a, int made, const struct stat *b)
{
    static const char inherited[] = "system.posix_acl_default", label[] = "security.selinux";
    return a->st_dev == b->st_dev && b->st_uid == geteuid() && has_same_group(a, b) && !has(root, inherited) &&
           !has(made, inherited) && has_same(root, made, label) && has_same_mount(root, made) &&
           has_same_project(root, made);
}

/* Both were made by this process, where they lie now, the root a moment ago: what they inherited
 * is the same, and so is what is made in them, but for what an access list decides, or somebody
 * who gave the root away meanwhile. */
static bool is_equal_to_new(const struct stat *a, int made, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_uid == b->st_uid && a->st_gid == b->st_gid &&
           (a->st_mode & S_ISGID) == (b->st_mode & S_ISGID) && !has(made, "system.posix_acl_default");
}

/* ---- making it beside the root ---- */

/* The store's directory, the one above it, and the staging area's that is being made there. */
struct beside {
    int root, above, made;
    struct stat root_status, made_status;
};

/* Takes the lease of a new directory: 0, or an errno. EEXIST: somebody who looks for leftovers
 * was faster. */
static int acquire_lease(vz_staging *staging, struct beside *b)
{
    vz_error failed = VZ_ERROR_NONE;
    const int directory = b->made;
    if (fstat(directory, &b->made_status) != 0 ||
        !(staging->is_new ? is_equal_to_new(&b->root_status, directory, &b->made_status)
                          : is_equal(b->root, &b->root_status, directory, &b->made_status)))
        return EXDEV;
    if (vz_lease_acquire(directory, &staging->lease, &failed))
        return 0;
    return failed.class == VZ_BUSY || failed.sys_errno == ENOENT ? EEXIST : failed.sys_errno ? failed.sys_errno : EIO;
}

/* 0, or an errno. EXDEV: it would not be the same there, EEXIST: the name is taken. */
static int make_at(vz_staging *staging, struct beside *b)
{
    if (mkdirat(b->above, staging->name, b->root_status.st_mode & RIGHTS) != 0)
        return errno;
    b->made = openat(b->above, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool was_removed = b->made < 0 && errno == ENOENT; /* who looks for leftovers found it empty */
    const int sys_errno = was_removed ? EEXIST : b->made < 0 ? errno : acquire_lease(staging, b);
    if (sys_errno == 0)
        return 0;
    if (b->made >= 0)
        close(b->made);
    unlinkat(b->above, staging->name, AT_REMOVEDIR);
    return sys_errno;
}

/* Beside a new store nobody has looked yet. */
static int make_beside(vz_staging *staging, struct beside *b)
{
    b->root_status = staging->root_made;
    int sys_errno = staging->is_new || fstat(b->root, &b->root_status) == 0 ? EEXIST : errno;
    bool sweeps = staging->is_new;
    vz_lease_make_id(staging->lease.id);
    for (unsigned slot = 0;
         sys_errno == EEXIST && slot < VZ_STAGING_SLOTS && vz_staging_name_slot(staging->outer, slot, staging->name);
         slot++) {
        sys_errno = make_at(staging, b);
        if (sys_errno != EEXIST || !sweeps)
            continue;
        vz_staging_sweep_beside(staging, b->above);
        sweeps = false;
        sys_errno = make_at(staging, b);
    }
    return sys_errno;
}

/* It may work in the root. */
static bool is_of_the_place(int sys_errno)
{
    return sys_errno == EXDEV || sys_errno == EEXIST || sys_errno == EACCES || sys_errno == EPERM ||
           sys_errno == EROFS || sys_errno == ENAMETOOLONG;
}

/* ---- making it in the root ---- */

/* A directory in the root that was not there; -1: none. */
static int make_directory(vz_staging *staging, int root, vz_error *err)
{
    int sys_errno = EEXIST;
    for (unsigned slot = 0; slot < VZ_STAGING_SLOTS_INSIDE && sys_errno == EEXIST; slot++) {
        vz_staging_name_inside(slot, staging->name);
        sys_errno = mkdirat(root, staging->name, 0777) == 0 ? 0 : errno;
    }
    if (sys_errno == 0)
        return openat(root, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    vz_fail_errno(err, sys_errno, "cannot make a directory for what is not finished");
    return -1;
}

static bool make_with_lease(vz_staging *staging, int root, int *directory, vz_error *err)
{
    for (int i = 0;; i++) {
        vz_error failed = VZ_ERROR_NONE;
        vz_lease_make_id(staging->lease.id);
        *directory = make_directory(staging, root, &failed);
        if (*directory >= 0 && vz_lease_acquire(*directory, &staging->lease, &failed))
            return true;
        const int sys_errno = failed.sys_errno ? failed.sys_errno : errno;
        /* It may even be another writer's by now, who made one of that name when ours was gone. */
        const bool was_removed = sys_errno == ENOENT || sys_errno == EEXIST || failed.class == VZ_BUSY;
        if (*directory >= 0)
            close(*directory);
        if (failed.class == VZ_OK || *directory >= 0)
            unlinkat(root, staging->name, AT_REMOVEDIR); /* if it is empty */
        if (i == TRIES || !was_removed)
            return vz_fail_errno(err, sys_errno, "cannot make the lease of the store");
    }
}

/* From the root to beside it, if that can be. */
static bool move_out(vz_staging *staging, int root, int above, int directory)
{
    char name[NAME_MAX + 1];
    struct stat status, made;
    if (fstat(root, &status) != 0 || fstat(directory, &made) != 0 ||
        (made.st_mode & ~status.st_mode & RIGHTS && fchmod(directory, made.st_mode & (status.st_mode | ~RIGHTS)) != 0))
        return false;
    for (unsigned slot = 0; slot < VZ_STAGING_SLOTS && vz_staging_name_slot(staging->outer, slot, name); slot++) {
        if (renameat2(root, staging->name, above, name, RENAME_NOREPLACE) == 0) {
            memcpy(staging->name, name, sizeof name);
            return true;
        }
        if (errno != EEXIST && errno != ENOTEMPTY)
            return false;
    }
    return false;
}

/* Nothing but the lease is in it yet. */
static void unmake(vz_staging *staging, int parent)
{
    const int directory = openat(parent, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    vz_staging_remove(parent, staging->name, directory, false);
    close(directory);
}

/* Takes both descriptors. status: of the directory, or NULL. */
static bool use(vz_staging *staging, int parent, int directory, const struct stat *status, vz_error *err)
{
    staging->inner = vz_directory_over(directory, staging->outer->path, status, true, err);
    if (!staging->inner) {
        unmake(staging, parent);
        close(parent);
        return false;
    }
    staging->parent = parent;
    staging->inner->durable = staging->outer->durable;
    return true;
}

static bool make_inside(vz_staging *staging, int root, int above, vz_error *err)
{
    int directory;
    if (!make_with_lease(staging, root, &directory, err)) {
        if (above >= 0)
            close(above);
        return false;
    }
    const bool is_out = above >= 0 && move_out(staging, root, above, directory);
    const int parent = is_out ? above : fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (above >= 0 && !is_out)
        close(above);
    if (parent >= 0)
        return use(staging, parent, directory, NULL, err);
    vz_fail_errno(err, errno, "cannot open the store's directory");
    close(directory);
    unmake(staging, root);
    return false;
}

/* -1: not there. Above a store that was made a moment ago the place is known, and an access list
 * that it inherited is one that the staging area inherits, too. */
static int open_above(vz_staging *staging, int root)
{
    const int above = staging->above;
    staging->above = -1;
    if (staging->is_new || !has(root, "system.posix_acl_access"))
        return above >= 0 ? above : vz_staging_open_above(staging->outer);
    if (above >= 0)
        close(above);
    return -1;
}

bool vz_staging_make(vz_staging *staging, vz_error *err)
{
    const int root = vz_directory_of(staging->outer)->root;
    const int above = open_above(staging, root);
    struct beside b = {.root = root, .above = above, .made = -1};
    vz_lease_join(root);
    staging->lease.durable = staging->outer->durable;
    staging->lease.of_one_kernel = vz_directory_is_of_one_kernel(vz_directory_of(staging->outer));
    const int sys_errno = above < 0 ? EXDEV : make_beside(staging, &b);
    staging->is_new = false;
    bool ok = false;
    if (sys_errno == 0)
        ok = use(staging, above, b.made, &b.made_status, err);
    else if (is_of_the_place(sys_errno))
        ok = make_inside(staging, root, above, err);
    else
        vz_fail_errno(err, sys_errno, "cannot make a directory for what is not finished");
    if (sys_errno && !is_of_the_place(sys_errno))
        close(above);
    if (!ok && staging->lease.file >= 0) {
        close(staging->lease.file);
        staging->lease.file = -1; /* so that the next writer finds a dead one */
    }
    return ok;
}
