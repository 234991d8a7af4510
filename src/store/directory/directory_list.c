/* directory_list.c - a directory of files: listing and deleting. Deleting follows no link and
 * holds one descriptor, however deep the tree is. */
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include "store/store/lease.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- deleting ---- */

/* A directory above the one being emptied: who it is, and the name of the one below. */
struct level {
    dev_t device;
    ino_t inode;
    char *name;
};

struct path {
    struct level *levels;
    size_t count, capacity;
    int here; /* the directory being emptied */
};

static int open_directory(int parent, const char *name)
{
    return vz_os_open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

static bool grow_levels(struct path *path, vz_error *err)
{
    if (path->count >= VZ_STORE_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "directories nested deeper than %d", VZ_STORE_DEPTH_MAX);
    if (path->count < path->capacity)
        return true;
    const size_t capacity = path->capacity ? 2 * path->capacity : 16;
    struct level *levels = realloc(path->levels, capacity * sizeof *levels);
    if (!levels)
        return vz_fail_memory(err);
    path->levels = levels;
    path->capacity = capacity;
    return true;
}

static bool go_down(struct path *path, const char *name, vz_error *err)
{
    struct stat status;
    if (!grow_levels(path, err))
        return false;
    const int below = open_directory(path->here, name);
    if (below < 0 || vz_os_fstat(path->here, &status) != 0) {
        vz_fail_errno(err, errno, "cannot open the directory %.100s", name);
        if (below >= 0)
            vz_os_close(below);
        return false;
    }
    char *copy = strdup(name);
    if (!copy) {
        vz_os_close(below);
        return vz_fail_memory(err);
    }
    path->levels[path->count++] = (struct level){.device = status.st_dev, .inode = status.st_ino, .name = copy};
    vz_os_close(path->here);
    path->here = below;
    return true;
}

/* Back to the directory above, if it still is the one we came from, and removes the emptied one. */
static bool go_up(struct path *path, vz_error *err)
{
    struct level *level = &path->levels[path->count - 1];
    struct stat status;
    const int above = open_directory(path->here, "..");
    if (above < 0 || vz_os_fstat(above, &status) != 0) {
        vz_fail_errno(err, errno, "cannot go back from the directory %.100s", level->name);
        if (above >= 0)
            vz_os_close(above);
        return false;
    }
    vz_os_close(path->here);
    path->here = above;
    if (status.st_dev != level->device || status.st_ino != level->inode)
        return vz_fail(err, VZ_BUSY, "the directory %.100s was moved meanwhile", level->name);
    if (vz_os_rmdir_at(above, level->name) != 0 && errno != ENOENT)
        return vz_fail_errno(err, errno, "cannot remove the directory %.100s", level->name);
    free(level->name);
    path->count--;
    return true;
}

/* Removes one entry, or says that it is a directory that is not empty. */
static bool remove_entry(int directory, const vz_os_entry *entry, bool *is_full, vz_error *err)
{
    *is_full = false;
    if (entry->kind != VZ_OS_KIND_DIRECTORY) {
        if (vz_os_unlink_at(directory, entry->name) == 0 || errno == ENOENT)
            return true;
        if (errno != EISDIR && errno != EPERM)
            return vz_fail_errno(err, errno, "cannot remove %.100s", entry->name);
        const int sys_errno = errno;
        struct stat status;
        if (vz_os_lstat_at(directory, entry->name, &status) != 0 || !S_ISDIR(status.st_mode))
            return vz_fail_errno(err, sys_errno, "cannot remove %.100s", entry->name);
    }
    if (vz_os_rmdir_at(directory, entry->name) == 0 || errno == ENOENT)
        return true;
    *is_full = errno == ENOTEMPTY || errno == EEXIST;
    return *is_full || vz_fail_errno(err, errno, "cannot remove the directory %.100s", entry->name);
}

/* Removes what can be removed here at once; stops at the first directory that is not empty:
 * `full` gets its name. `here` was opened a moment ago, and is listed once. */
static bool remove_entries(int here, char *full, size_t size, vz_error *err)
{
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    full[0] = '\0';
    bool ok = true, is_full = false;
    vz_os_listing listing = {.directory = here, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    while (ok && !is_full && vz_os_list_next(&listing, &entry)) {
        ok = remove_entry(here, &entry, &is_full, err);
        if (is_full && strlen(entry.name) < size)
            strcpy(full, entry.name);
    }
    if (ok && !is_full && errno)
        ok = vz_fail_errno(err, errno, "cannot read a directory");
    vz_os_list_end(&listing);
    return ok;
}

/* Empties the directory `here`, which it takes over. */
static bool empty_directory(int here, vz_error *err)
{
    struct path path = {.here = here};
    char full[NAME_MAX + 1];
    bool ok = true;
    for (;;) {
        ok = remove_entries(path.here, full, sizeof full, err);
        if (ok && full[0])
            ok = go_down(&path, full, err);
        else if (ok && path.count)
            ok = go_up(&path, err);
        else
            break;
        if (!ok)
            break;
    }
    vz_os_close(path.here);
    while (path.count)
        free(path.levels[--path.count].name);
    free(path.levels);
    return ok;
}

/* A file or a link; `sys_errno` tells why it is not opened as a directory. */
static bool remove_file(int parent, const char *name, int sys_errno, vz_error *err)
{
    if (vz_os_unlink_at(parent, name) == 0 || vz_directory_is_missing(errno))
        return true;
    const bool is_directory = errno == EISDIR || (errno == EPERM && sys_errno != ENOTDIR && sys_errno != ELOOP);
    return vz_fail_errno(err, is_directory ? sys_errno : errno, "cannot remove");
}

/* Removes a file, a link or a directory with all that it holds, which it mostly is. Missing is
 * fine. */
static bool remove_tree(int parent, const char *name, vz_error *err)
{
    const int directory = open_directory(parent, name);
    if (directory < 0)
        return errno == ENOENT || remove_file(parent, name, errno, err);
    if (!empty_directory(directory, err))
        return false;
    if (vz_os_rmdir_at(parent, name) == 0 || errno == ENOENT)
        return true;
    return vz_fail_errno(err, errno, "cannot remove the directory");
}

/* Is the last part of the path one of a chunk's key? */
static bool is_chunk_part(const char *path)
{
    const char *last = vz_directory_last_part(path);
    return vz_partial_is_chunk_part(last, strlen(last));
}

/* Removes the directory, if nothing is in it. */
static bool remove_if_empty(const struct vz_directory *store, const char *path)
{
    const int above = vz_directory_enter_parent(store, path);
    const bool ok = above >= 0 && vz_os_rmdir_at(above, vz_directory_last_part(path)) == 0;
    if (above >= 0)
        vz_os_close(above);
    return ok;
}

/* The chunk was the last of its directory: that goes too, and those above it that held nothing
 * else. Whoever is about to write there makes them anew. `parent`: the directory, where one call
 * tells that there is more in it. */
static void remove_emptied(const struct vz_directory *store, int parent, const char *key)
{
    char path[PATH_MAX], beside[NAME_MAX + sizeof "../"];
    const size_t length = (size_t)(vz_directory_last_part(key) - key);
    if (length < 2 || length >= sizeof path || !is_chunk_part(key))
        return;
    memcpy(path, key, length - 1);
    path[length - 1] = '\0';
    if (!is_chunk_part(path) ||
        snprintf(beside, sizeof beside, "../%s", vz_directory_last_part(path)) >= (int)sizeof beside ||
        vz_os_rmdir_at(parent, beside) != 0)
        return;
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (!is_chunk_part(path) || !remove_if_empty(store, path))
            return;
    }
}

bool vz_directory_del(vz_store *store, const char *key, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    const int parent = vz_directory_borrow_parent(directory, key);
    if (parent < 0)
        return vz_directory_is_missing(errno) || vz_directory_fail(directory, key, errno, "cannot remove", err);
    const bool removed = vz_os_unlink_at(parent, vz_directory_last_part(key)) == 0;
    const bool ok =
        removed || vz_directory_is_missing(errno) || errno == EISDIR || vz_fail_errno(err, errno, "cannot remove");
    if (removed)
        remove_emptied(directory, parent, key);
    vz_directory_leave(directory, parent);
    return ok;
}

static bool remove_key(struct vz_directory *store, const char *key, vz_error *err)
{
    const int parent = vz_directory_borrow_parent(store, key);
    if (parent < 0)
        return vz_directory_is_missing(errno) || vz_directory_fail(store, key, errno, "cannot remove", err);
    const bool ok = remove_tree(parent, vz_directory_last_part(key), err);
    vz_directory_leave(store, parent);
    return ok;
}

bool vz_directory_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    if (*prefix)
        return remove_key(directory, prefix, err);
    const int root = vz_os_open_at(directory->root, ".", O_RDONLY | O_DIRECTORY);
    if (root < 0)
        return vz_fail_errno(err, errno, "cannot read the directory");
    return empty_directory(root, err);
}

/* ---- listing ---- */

struct listing {
    vz_entry *entries;
    size_t count, capacity;
    vz_entry_names *names; /* of what is read now: the entry whose name is the first there has it */
    size_t names_used;
    bool writable;
    vz_strmap *stagings; /* gets the names of staging areas in the root; NULL: none is expected
                          * there */
    int root;            /* of the store; the directory listed is `prefix` below it */
    const char *prefix;
};

enum kind { KIND_FILE, KIND_DIRECTORY, KIND_OTHER };

static bool is_directory(int root, const char *path, const struct stat *wanted)
{
    struct stat status;
    return vz_os_stat_at(root, path, &status) == 0 && vz_os_file_is_same(&status, wanted);
}

/* Is `target` the directory listed, or one above it in the store? A link there would make the
 * store endless. */
static bool leads_back(const struct listing *listing, const struct stat *target)
{
    char path[PATH_MAX];
    const size_t length = strlen(listing->prefix);
    if (is_directory(listing->root, ".", target))
        return true;
    for (size_t i = 1; i <= length && i < sizeof path; i++)
        if (i == length || listing->prefix[i] == '/') {
            snprintf(path, sizeof path, "%.*s", (int)i, listing->prefix);
            if (is_directory(listing->root, path, target))
                return true;
        }
    return false;
}

/* The kind of a name of which the system gives none. A link that leads nowhere, or round in a
 * circle, is nothing. One that leads to where we may not look is shown, and opening it reports the
 * reason. */
static enum kind kind_unspecified(int sys_errno)
{
    return vz_directory_is_missing(sys_errno) || sys_errno == ELOOP ? KIND_OTHER : KIND_DIRECTORY;
}

/* Links count as what they lead to. */
static enum kind kind_of(int directory, const vz_os_entry *entry, const struct listing *listing)
{
    struct stat status;
    if (entry->kind == VZ_OS_KIND_FILE)
        return KIND_FILE;
    if (entry->kind == VZ_OS_KIND_DIRECTORY)
        return KIND_DIRECTORY;
    if (entry->kind == VZ_OS_KIND_OTHER)
        return KIND_OTHER;
    if (vz_os_lstat_at(directory, entry->name, &status) != 0)
        return kind_unspecified(errno);
    const bool is_link = S_ISLNK(status.st_mode);
    if (is_link && vz_os_stat_at(directory, entry->name, &status) != 0)
        return kind_unspecified(errno);
    if (S_ISREG(status.st_mode))
        return KIND_FILE;
    return S_ISDIR(status.st_mode) && !(is_link && leads_back(listing, &status)) ? KIND_DIRECTORY : KIND_OTHER;
}

static bool add_entry(struct listing *listing, const char *name, bool is_prefix, vz_error *err)
{
    if (listing->count == listing->capacity) {
        const size_t capacity = listing->capacity ? 2 * listing->capacity : 16;
        vz_entry *entries = realloc(listing->entries, capacity * sizeof *entries);
        if (!entries)
            return vz_fail_memory(err);
        listing->entries = entries;
        listing->capacity = capacity;
    }
    char *place = listing->names->text + listing->names_used;
    const size_t size = strlen(name) + 1;
    memcpy(place, name, size);
    vz_entry_names *const own = listing->names_used ? NULL : listing->names;
    listing->entries[listing->count++] =
        (vz_entry){.name = place, .names = own, .is_prefix = is_prefix, .in_names = true};
    listing->names_used += size;
    return true;
}

/* A leftover is nobody's: that it could not be removed is no reason to fail. */
static bool list_entry(int directory, const vz_os_entry *entry, struct listing *listing, vz_error *err)
{
    if (!vz_partial_is_name(entry->name)) {
        const enum kind kind = kind_of(directory, entry, listing);
        return kind == KIND_OTHER || add_entry(listing, entry->name, kind == KIND_DIRECTORY, err);
    }
    if (listing->stagings && vz_partial_is_staging(entry->name))
        return vz_strmap_put(listing->stagings, entry->name, listing, err);
    if (listing->writable && vz_partial_is_dead(directory, entry->name))
        remove_tree(directory, entry->name, NULL);
    return true;
}

/* One batch. */
static bool list_some(vz_os_listing *from, struct listing *listing, vz_error *err)
{
    vz_os_entry entry;
    listing->names = malloc(sizeof *listing->names + from->size);
    listing->names_used = 0;
    bool ok = listing->names || vz_fail_memory(err);
    while (ok && vz_os_list_within(from, &entry))
        ok = list_entry(from->directory, &entry, listing, err);
    if (listing->names_used == 0)
        free(listing->names);
    return ok;
}

static bool list_entries(int directory, struct listing *listing, vz_error *err)
{
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    vz_os_listing from = {.directory = directory, .batch = batch, .room = sizeof batch};
    bool ok = true;
    int more;
    while (ok && (more = vz_os_list_more(&from)) != 0)
        ok = more > 0 ? list_some(&from, listing, err) : vz_fail_errno(err, errno, "cannot read the directory");
    vz_os_list_end(&from);
    return ok;
}

bool vz_directory_list_with(vz_store *store, const char *prefix, vz_strmap *stagings, vz_entry **entries, size_t *count,
                            vz_error *err)
{
    struct listing listing = {.writable = store->capabilities & VZ_STORE_WRITE,
                              .stagings = stagings,
                              .root = vz_directory_of(store)->root,
                              .prefix = prefix};
    const char *path = *prefix ? prefix : ".";
    const int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK;
    int file = listing.writable ? vz_directory_open_inside(vz_directory_of(store), path, flags) : -1;
    if (file < 0) { /* behind a link, perhaps: leftovers there are not ours to remove */
        listing.writable = false;
        file = vz_os_open_at(vz_directory_of(store)->root, path, flags);
    }
    if (file < 0)
        return vz_directory_is_missing(errno) || vz_fail_errno(err, errno, "cannot list");
    const bool ok = list_entries(file, &listing, err);
    vz_os_close(file);
    if (!ok) {
        vz_entries_free(listing.entries, listing.count);
        return false;
    }
    *entries = listing.entries;
    *count = listing.count;
    return true;
}
