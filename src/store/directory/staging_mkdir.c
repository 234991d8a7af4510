/* staging_mkdir.c - making a staging area's directory: beside the store's, where no reader of
 * the store looks, ".<name>.partial".
 *
 * Files made in it, and published later, must inherit as they would in the store's root: group,
 * access lists, labels, quotas. Where that is not so beside the root it is made in the root and
 * renamed to its place. Where that cannot be either, it stays in the root: the directory above
 * may not be written, is a group itself, or another file system. It stays there, too, where an
 * access list says who may see the store. Nobody may enter it who may not enter the root. */
#include "store/directory/directory_internal.h"
#include "base/os/file_system.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>

#define TRIES  8 /* when somebody who looks for leftovers is faster */
#define RIGHTS (S_IRWXU | S_IRWXG | S_IRWXO)

/* ---- is it the same beside the root? ---- */

static bool has_same_group(const struct stat *root, const struct stat *made)
{
    return (root->st_mode & S_ISGID) == (made->st_mode & S_ISGID) && made->st_gid == vz_os_group_of_new(root);
}

static bool is_equal(int root, const struct stat *a, int made, const struct stat *b)
{
    return a->st_dev == b->st_dev && vz_os_is_own(b) && has_same_group(a, b) && !vz_os_has_access_list(root, true) &&
           !vz_os_has_access_list(made, true) && vz_os_inherit_equally(root, made);
}

/* Both were made by this process, where they lie now, the root a moment ago. Their inherited
 * attributes are equal, and so are those of what is made in them. Exceptions are what an access
 * list decides, or somebody who gave the root away meanwhile. */
static bool is_equal_to_new(const struct stat *a, int made, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_uid == b->st_uid && a->st_gid == b->st_gid &&
           (a->st_mode & S_ISGID) == (b->st_mode & S_ISGID) && !vz_os_has_access_list(made, true);
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
    if (vz_os_fstat(directory, &b->made_status) != 0 ||
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
    if (vz_os_mkdir_at(b->above, staging->name, b->root_status.st_mode & RIGHTS) != 0)
        return errno;
    b->made = vz_os_open_at(b->above, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const bool was_removed = b->made < 0 && errno == ENOENT; /* who looks for leftovers found it
                                                              * empty */
    const int sys_errno = was_removed ? EEXIST : b->made < 0 ? errno : acquire_lease(staging, b);
    if (sys_errno == 0)
        return 0;
    if (b->made >= 0)
        vz_os_close(b->made);
    vz_os_rmdir_at(b->above, staging->name);
    return sys_errno;
}

/* Beside a new store nobody has looked yet. */
static int make_beside(vz_staging *staging, struct beside *b)
{
    b->root_status = staging->root_made;
    int sys_errno = staging->is_new || vz_os_fstat(b->root, &b->root_status) == 0 ? EEXIST : errno;
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
        sys_errno = vz_os_mkdir_at(root, staging->name, 0777) == 0 ? 0 : errno;
    }
    if (sys_errno == 0)
        return vz_os_open_at(root, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
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
            vz_os_close(*directory);
        if (failed.class == VZ_OK || *directory >= 0)
            vz_os_rmdir_at(root, staging->name); /* if it is empty */
        if (i == TRIES || !was_removed)
            return vz_fail_errno(err, sys_errno, "cannot make the lease of the store");
    }
}

/* From the root to beside it, if that can be. */
static bool move_out(vz_staging *staging, int root, int above, int directory)
{
    char name[NAME_MAX + 1];
    struct stat status, made;
    if (vz_os_fstat(root, &status) != 0 || vz_os_fstat(directory, &made) != 0 ||
        (made.st_mode & ~status.st_mode & RIGHTS &&
         vz_os_fchmod(directory, made.st_mode & (status.st_mode | ~RIGHTS)) != 0))
        return false;
    for (unsigned slot = 0; slot < VZ_STAGING_SLOTS && vz_staging_name_slot(staging->outer, slot, name); slot++) {
        if (vz_os_rename_new(root, staging->name, above, name) == 0) {
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
    const int directory = vz_os_open_at(parent, staging->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory < 0)
        return;
    vz_staging_remove(parent, staging->name, directory, false);
    vz_os_close(directory);
}

/* Takes both descriptors. status: of the directory, or NULL. */
static bool use(vz_staging *staging, int parent, int directory, const struct stat *status, vz_error *err)
{
    staging->inner = vz_directory_over(directory, staging->outer->path, status, true, err);
    if (!staging->inner) {
        unmake(staging, parent);
        vz_os_close(parent);
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
            vz_os_close(above);
        return false;
    }
    const bool is_out = above >= 0 && move_out(staging, root, above, directory);
    const int parent = is_out ? above : vz_os_dup(root);
    if (above >= 0 && !is_out)
        vz_os_close(above);
    if (parent >= 0)
        return use(staging, parent, directory, NULL, err);
    vz_fail_errno(err, errno, "cannot open the store's directory");
    vz_os_close(directory);
    unmake(staging, root);
    return false;
}

/* -1: not there. Above a store that was made a moment ago the place is known. An access list that
 * it inherited is one that the staging area inherits, too. */
static int open_above(vz_staging *staging, int root)
{
    const int above = staging->above;
    staging->above = -1;
    if (staging->is_new || !vz_os_has_access_list(root, false))
        return above >= 0 ? above : vz_staging_open_above(staging->outer);
    if (above >= 0)
        vz_os_close(above);
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
        vz_os_close(above);
    if (!ok && staging->lease.file >= 0) {
        vz_os_close(staging->lease.file);
        staging->lease.file = -1; /* so that the next writer finds a dead one */
    }
    return ok;
}
