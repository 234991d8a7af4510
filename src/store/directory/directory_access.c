/* directory_access.c - whose a directory store is, and where; what lies in it, a store's or not;
 * what locks stand on. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/os/thread.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>

/* ---- whose it is, and where ---- */

/* Where other machines write, too, only opening the directory tells what is in it now. Whether
 * documents of groups are there was asked a moment ago where the staging area has its place. */
bool vz_directory_above_may_have(vz_store *store, const char *key)
{
    char path[NAME_MAX];
    if (store->staging && vz_staging_knows_above(store->staging) && vz_directory_is_document(key))
        return false;
    const int length = snprintf(path, sizeof path, "../%s", key);
    return length >= (int)sizeof path || !vz_directory_is_of_one_kernel(vz_directory_of(store)) ||
           vz_os_access_at(vz_directory_root(store), path, F_OK) == 0 || !vz_directory_is_missing(errno);
}

/* A program that may put documents into the upper one decides what the lower one's paths mean. So
 * it must not be somebody who could not write to the lower one. (In a directory without the sticky
 * bit who may write could as well put another directory in the lower one's place.) */
bool vz_directory_may_be_inside(const vz_store *store, const vz_store *above)
{
    struct stat upper, lower;
    const int up = vz_directory_root(above), here = vz_directory_root(store);
    if (vz_os_fstat(up, &upper) != 0 || vz_os_fstat(here, &lower) != 0 || upper.st_uid != lower.st_uid)
        return false;
    if ((upper.st_mode & S_ISVTX && upper.st_mode & (S_IWOTH | S_IWGRP)) ||
        (upper.st_mode & S_IWOTH && !(lower.st_mode & S_IWOTH)))
        return false;
    return vz_os_may_write_at(up, ".") == 0 || vz_os_may_write_at(here, ".") != 0;
}

bool vz_directory_is_own(const vz_store *store)
{
    struct stat status;
    const int root = vz_directory_root(store);
    return vz_os_fstat(root, &status) == 0 && vz_os_is_own(&status) && vz_os_access_at(root, ".", W_OK) == 0;
}

bool vz_directory_is_at(const vz_store *store, const char *path)
{
    struct stat status;
    return vz_os_stat(path, &status) == 0 && (uint64_t)status.st_dev == store->identity.part[0] &&
           (uint64_t)status.st_ino == store->identity.part[1];
}

int vz_directory_open_lock(const vz_store *store, const char *key)
{
    return vz_os_open_at(vz_directory_root(store), *key ? key : ".", O_RDONLY);
}

/* ---- in it ---- */

typedef struct looking {
    int above;
    char rest[NAME_MAX + sizeof "//."]; /* of each path, behind the name of its directory */
    size_t rest_size;                   /* with its end */
    vz_entry_probe *looks;
    size_t count;
} looking;

/* A file is no directory, so nothing lies "in" it (ENOTDIR), and no error is reported. That is the
 * cheapest question whether a file is there. */
static bool has_file(const looking *l, const char *directory)
{
    char path[2 * NAME_MAX + sizeof "//."];
    const size_t length = strlen(directory);
    if (length > NAME_MAX)
        return false;
    memcpy(path, directory, length);
    memcpy(path + length, l->rest, l->rest_size);
    return vz_os_access_at(l->above, path, F_OK) != 0 && errno == ENOTDIR;
}

/* Looks of which each takes less than a microsecond: so many are worth waking another thread
 * for. */
#define LOOKS_APIECE   128
#define LOOKS_TOGETHER (4 * LOOKS_APIECE)

static bool look_for_some(void *context, size_t index, unsigned worker, vz_error *err)
{
    const looking *l = context;
    const size_t first = index * LOOKS_APIECE, left = l->count - first;
    (void)worker, (void)err;
    for (size_t i = first; i < first + (left < LOOKS_APIECE ? left : LOOKS_APIECE); i++)
        l->looks[i].is_there = has_file(l, l->looks[i].name);
    return true;
}

static bool look_for_all(looking *l, vz_error *err)
{
    const size_t parts = (l->count + LOOKS_APIECE - 1) / LOOKS_APIECE;
    if (l->count >= LOOKS_TOGETHER)
        return vz_pool_run(look_for_some, l, parts, err);
    bool ok = true;
    for (size_t i = 0; ok && i < parts; i++)
        ok = look_for_some(l, i, 0, err);
    return ok;
}

/* From the descriptor of the directory above, so that its path is walked once. Where other
 * machines write, too, what seems to be missing is looked for as ever. */
bool vz_directory_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                             bool *done, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    *done = false;
    if (!vz_directory_is_of_one_kernel(directory))
        return true;
    const int above = *prefix ? vz_os_open_at(directory->root, prefix, vz_os_place | O_DIRECTORY) : directory->root;
    if (above < 0)
        return true;
    looking l = {.above = above, .looks = looks, .count = count};
    const int length = snprintf(l.rest, sizeof l.rest, "/%s/.", name);
    l.rest_size = (size_t)length + 1;
    *done = length > 0 && l.rest_size <= sizeof l.rest && look_for_all(&l, err);
    if (above != directory->root)
        vz_os_close(above);
    return *done;
}

static vz_store_key_kind thing_of(mode_t mode)
{
    return S_ISREG(mode)   ? VZ_STORE_VALUE
           : S_ISDIR(mode) ? VZ_STORE_PREFIX
           : S_ISLNK(mode) ? VZ_STORE_LINK
                           : VZ_STORE_OTHER;
}

static vz_store_key_kind thing_listed(vz_os_kind kind)
{
    return kind == VZ_OS_KIND_FILE        ? VZ_STORE_VALUE
           : kind == VZ_OS_KIND_DIRECTORY ? VZ_STORE_PREFIX
           : kind == VZ_OS_KIND_LINK      ? VZ_STORE_LINK
                                          : VZ_STORE_OTHER;
}

static bool visit_entry(int directory, const vz_os_entry *entry, vz_entry_visit visit, void *context, vz_error *err)
{
    struct stat status;
    if (entry->kind != VZ_OS_KIND_UNKNOWN)
        return visit(context, entry->name, thing_listed(entry->kind), err);
    if (vz_os_lstat_at(directory, entry->name, &status) != 0)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot stat \"%.200s\"", entry->name);
    return visit(context, entry->name, thing_of(status.st_mode), err);
}

bool vz_directory_each_entry(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err)
{
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    const int flags = O_RDONLY | O_DIRECTORY | (*prefix ? O_NOFOLLOW : 0);
    const int file = vz_os_open_at(vz_directory_root(store), *prefix ? prefix : ".", flags);
    if (file < 0)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot look into the directory");
    vz_os_listing listing = {.directory = file, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    bool ok = true;
    while (ok && vz_os_list_next(&listing, &entry))
        ok = visit_entry(file, &entry, visit, context, err);
    if (ok && errno)
        ok = vz_fail_errno(err, errno, "cannot read the directory");
    vz_os_list_end(&listing);
    vz_os_close(file);
    return ok;
}
