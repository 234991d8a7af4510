/* stage_home.c - the directory of a stage: where it is, what becomes of those of dead writers. It is made in the
 * store's root, so that what is made in it inherits what it would inherit there, and then renamed to a place beside the
 * root, where no reader of the store looks: ".<name>.partial". Where that cannot be (the directory above may not be
 * written, is a group itself, or another file system) it stays in the root. */
#include "store/directory.h"
#include "store/stage_inside.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX       ".partial"
#define SLOTS        16  /* names beside a store: so many writers at once have their stages there */
#define SLOTS_LOOK   3   /* are looked at even when those before them are not there */
#define SLOTS_INSIDE 256 /* the same in the root */
#define TRIES        8   /* when somebody who looks for leftovers is faster */
#define ID_LENGTH    (VZ_LEASE_ID_SIZE - 1)
#define DEPTH_MAX    66 /* of chunk keys: a part for each dimension, and "c" */

bool vz_is_stage_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == ID_LENGTH && strcmp(name + ID_LENGTH, SUFFIX) == 0;
}

/* ---- names beside the store ---- */

/* false: the store's name is too long, or it has none. */
static bool name_slot(const vz_stage *stage, unsigned slot, char name[NAME_MAX + 1])
{
    const char *last = vz_directory_last_part(stage->outer->path);
    char number[16] = "";
    if (slot)
        snprintf(number, sizeof number, "-%u", slot);
    return *last && snprintf(name, NAME_MAX + 1, ".%s%s%s", last, number, SUFFIX) <= NAME_MAX;
}

static bool is_at(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The directory above the root, unless a reader would meet there what we make; -1: none. */
static int open_above(const vz_stage *stage)
{
    struct stat root, above;
    const int here = vz_directory_of(stage->outer)->root;
    const int directory = openat(here, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool fits = directory >= 0 && fstat(here, &root) == 0 && fstat(directory, &above) == 0 &&
                      (root.st_dev != above.st_dev || root.st_ino != above.st_ino) && !is_at(directory, ".zgroup") &&
                      !is_at(directory, "zarr.json");
    if (directory >= 0 && !fits)
        close(directory);
    return fits ? directory : -1;
}

/* In the root. They are counted, too, so that nobody has to list the root to find them. */
static void name_inside(unsigned slot, char name[NAME_MAX + 1])
{
    snprintf(name, NAME_MAX + 1, "%0*x%s", ID_LENGTH, slot, SUFFIX);
}

/* ---- making it ---- */

/* A directory in the root that was not there; -1: none. */
static int make_directory(vz_stage *stage, int root, vz_error *err)
{
    int sys_errno = EEXIST;
    for (unsigned slot = 0; slot < SLOTS_INSIDE && sys_errno == EEXIST; slot++) {
        name_inside(slot, stage->name);
        sys_errno = mkdirat(root, stage->name, 0777) == 0 ? 0 : errno;
    }
    if (sys_errno == 0)
        return openat(root, stage->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    vz_fail_errno(err, sys_errno, "cannot make a directory for what is not finished");
    return -1;
}

static bool make_with_lease(vz_stage *stage, int root, int *directory, vz_error *err)
{
    for (int i = 0;; i++) {
        vz_error failed = VZ_ERROR_NONE;
        vz_lease_make_id(stage->lease.id);
        *directory = make_directory(stage, root, &failed);
        if (*directory >= 0 && vz_lease_take(*directory, &stage->lease, &failed))
            return true;
        const int sys_errno = failed.sys_errno ? failed.sys_errno : errno;
        const bool was_removed = sys_errno == ENOENT || failed.class == VZ_BUSY;
        if (*directory >= 0)
            close(*directory);
        if (failed.class == VZ_OK || *directory >= 0)
            unlinkat(root, stage->name, AT_REMOVEDIR); /* if it is empty */
        if (i == TRIES || !was_removed)
            return vz_fail_errno(err, sys_errno, "cannot make the lease of the store");
    }
}

/* From the root to beside it, if that can be. */
static void move_out(vz_stage *stage, int root)
{
    char name[NAME_MAX + 1];
    const int above = open_above(stage);
    for (unsigned slot = 0; above >= 0 && slot < SLOTS && name_slot(stage, slot, name); slot++) {
        if (renameat2(root, stage->name, above, name, RENAME_NOREPLACE) == 0) {
            close(stage->parent);
            stage->parent = above;
            memcpy(stage->name, name, sizeof name);
            return;
        }
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    if (above >= 0)
        close(above);
}

static bool make(vz_stage *stage, vz_error *err)
{
    const int root = vz_directory_of(stage->outer)->root;
    int directory;
    if (!make_with_lease(stage, root, &directory, err))
        return false;
    stage->parent = fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (stage->parent >= 0)
        move_out(stage, root);
    stage->inner = stage->parent >= 0 ? vz_directory_over(directory, stage->outer->path, true, err) : NULL;
    if (stage->inner) {
        stage->inner->durable = stage->outer->durable;
        return true;
    }
    if (stage->parent < 0) {
        vz_fail_errno(err, errno, "cannot open the store's directory");
        close(directory);
    }
    close(stage->lease.file);
    stage->lease.file = -1; /* so that the next writer finds a dead one */
    return false;
}

/* A forked child that writes has a lease of its own, so that it counts for dead when it is, whatever became of the
 * parent. What already waits goes with the parent's: the child has that too. */
static void leave_inherited(vz_stage *stage)
{
    stage->owner = getpid();
    if (vz_strmap_count(stage->entries))
        return;
    vz_store_close(stage->inner);
    stage->inner = NULL;
    if (stage->parent >= 0)
        close(stage->parent);
    if (stage->lease.file >= 0)
        close(stage->lease.file);
    stage->parent = stage->lease.file = -1;
    vz_strmap *noted = vz_strmap_new();
    if (noted) {
        vz_strmap_free(stage->noted, NULL);
        stage->noted = noted;
    }
}

static bool is_made(vz_stage *stage, vz_error *err)
{
    if (stage->owner != getpid())
        leave_inherited(stage);
    return stage->inner || make(stage, err);
}

vz_store *vz_stage_store(vz_stage *stage, vz_error *err)
{
    pthread_mutex_lock(&stage->making);
    const bool ok = is_made(stage, err);
    pthread_mutex_unlock(&stage->making);
    return ok ? stage->inner : NULL;
}

/* ---- partial files ---- */

/* Digits and dots, in format 3 with a "c" in front: what a part of a chunk's key is called. */
static bool is_chunk_part(const char *name, size_t length)
{
    const size_t first = length > 0 && *name == 'c';
    if (length == 0 || (!first && (*name < '0' || *name > '9'))) /* above all, no "." and ".." */
        return false;
    return strspn(name + first, "0123456789.") >= length - first;
}

/* The array that the chunks in a directory belong to, as far as names tell. */
static size_t array_length(const char *directory)
{
    size_t length = strlen(directory);
    for (;;) {
        size_t last = length;
        while (last > 0 && directory[last - 1] != '/')
            last--;
        if (!is_chunk_part(directory + last, length - last) || last == 0)
            return length;
        length = last - 1;
    }
}

static bool note(vz_stage *stage, const char *directory, vz_error *err)
{
    char array[PATH_MAX];
    const size_t length = array_length(directory);
    if (length >= sizeof array)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(array, directory, length);
    array[length] = '\0';
    const char *key = length ? array : ".";
    return vz_strmap_get(stage->noted, key) ||
           (vz_lease_note(&stage->lease, key, err) && vz_strmap_put(stage->noted, key, stage, err));
}

bool vz_stage_name_partial(vz_stage *stage, const char *directory, char *name, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    pthread_mutex_lock(&stage->making);
    const bool made = is_made(stage, &failed), ok = made && note(stage, directory, err);
    pthread_mutex_unlock(&stage->making);
    if (!made && failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to below */
        return vz_partial_name(name, size, err);
    if (!made && err && err->class == VZ_OK)
        *err = failed;
    const uint64_t n = atomic_fetch_add(&stage->names, 1);
    if (ok && snprintf(name, size, "%s-%" PRIu64 SUFFIX, stage->lease.id, n) >= (int)size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    return ok;
}

/* ---- what dead writers left ---- */

struct sweep {
    const vz_lease *lease;
    int root;
};

static bool is_of_lease(const char *name, const vz_lease *lease)
{
    const char *rest = name + ID_LENGTH;
    return strncmp(name, lease->id, ID_LENGTH) == 0 && *rest == '-' && vz_is_partial_name(name);
}

static void sweep_directory(int directory, const vz_lease *lease, unsigned depth);

static void sweep_entry(int directory, const struct dirent *entry, const vz_lease *lease, unsigned depth)
{
    if (is_of_lease(entry->d_name, lease)) {
        unlinkat(directory, entry->d_name, 0);
    } else if (is_chunk_part(entry->d_name, strlen(entry->d_name)) && depth < DEPTH_MAX && entry->d_type != DT_REG) {
        sweep_directory(openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), lease,
                        depth + 1);
        unlinkat(directory, entry->d_name, AT_REMOVEDIR); /* if it is empty: made for a chunk that did not come */
    }
}

/* Takes over `directory`. What cannot be removed stays: that is no reason to fail. */
static void sweep_directory(int directory, const vz_lease *lease, unsigned depth)
{
    DIR *entries = directory < 0 ? NULL : fdopendir(directory);
    const struct dirent *entry;
    if (!entries) {
        if (directory >= 0)
            close(directory);
        return;
    }
    while ((entry = readdir(entries)))
        sweep_entry(dirfd(entries), entry, lease, depth);
    closedir(entries);
}

/* Down to a noted directory, through no link. */
static int open_noted(int root, const char *path)
{
    char *copy = strdup(path), *rest = copy, *part;
    int here = fcntl(root, F_DUPFD_CLOEXEC, 0);
    while (copy && here >= 0 && (part = strsep(&rest, "/"))) {
        const bool is_step = *part && strcmp(part, "..") != 0;
        const int below = is_step ? openat(here, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        close(here);
        here = below;
    }
    free(copy);
    return here;
}

static bool sweep_noted(void *context, const char *directory)
{
    const struct sweep *sweep = context;
    sweep_directory(open_noted(sweep->root, directory), sweep->lease, 0);
    return true;
}

/* Its owner is one of those whose store this is. */
static bool is_trusted(int root, int directory)
{
    struct stat store, status;
    return fstat(root, &store) == 0 && fstat(directory, &status) == 0 &&
           (status.st_uid == store.st_uid || status.st_uid == geteuid());
}

/* Everything but the lease, which goes last: as long as it is there, somebody can go on. */
static bool empty_all(int directory)
{
    const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    vz_store *store = copy < 0 ? NULL : vz_directory_over(copy, "/", true, NULL); /* removes trees */
    const int list = store ? openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *entries = list < 0 ? NULL : fdopendir(list);
    const struct dirent *entry;
    bool ok = entries != NULL;
    while (ok && (entry = readdir(entries)))
        if (strcmp(entry->d_name, VZ_LEASE_NAME) != 0 && strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0)
            ok = vz_directory_del_tree(store, entry->d_name, NULL);
    if (entries)
        closedir(entries);
    else if (list >= 0)
        close(list);
    vz_store_close(store);
    return ok;
}

static void remove_stage(int parent, const char *name, int directory)
{
    if (empty_all(directory) && (unlinkat(directory, VZ_LEASE_NAME, 0) == 0 || errno == ENOENT))
        unlinkat(parent, name, AT_REMOVEDIR);
}

/* false: there is no such stage. */
static bool sweep_stage(vz_stage *stage, int parent, const char *name)
{
    const int root = vz_directory_of(stage->outer)->root;
    const int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return errno != ENOENT;
    vz_lease lease = {.file = -1};
    const vz_lease_state state = is_trusted(root, directory) ? vz_lease_look(directory, &lease) : VZ_LEASE_UNPROVEN;
    struct sweep sweep = {.lease = &lease, .root = root};
    if (state == VZ_LEASE_DEAD && lease.id[0])
        vz_lease_each_note(&lease, sweep_noted, &sweep);
    if (state == VZ_LEASE_DEAD)
        remove_stage(parent, name, directory);
    else if (state == VZ_LEASE_NONE)
        unlinkat(parent, name, AT_REMOVEDIR); /* if it is empty */
    if (lease.file >= 0)
        close(lease.file);
    close(directory);
    return true;
}

void vz_stage_sweep(vz_stage *stage)
{
    char name[NAME_MAX + 1];
    const int above = open_above(stage), root = vz_directory_of(stage->outer)->root;
    bool found = true;
    for (unsigned slot = 0; above >= 0 && slot < SLOTS && (found || slot < SLOTS_LOOK); slot++)
        found = name_slot(stage, slot, name) && sweep_stage(stage, above, name);
    if (above >= 0)
        close(above);
    found = true;
    for (unsigned slot = 0; slot < SLOTS_INSIDE && (found || slot < SLOTS_LOOK); slot++) {
        name_inside(slot, name);
        found = sweep_stage(stage, root, name);
    }
}

void vz_stage_sweep_inside(vz_stage *stage, const char *name)
{
    sweep_stage(stage, vz_directory_of(stage->outer)->root, name);
}

/* ---- its life ---- */

vz_stage *vz_stage_new(vz_store *store, vz_error *err)
{
    vz_stage *stage = calloc(1, sizeof *stage);
    vz_strmap *entries = stage ? vz_strmap_new() : NULL, *noted = entries ? vz_strmap_new() : NULL;
    if (!noted) {
        vz_strmap_free(entries, NULL);
        free(stage);
        vz_fail_memory(err);
        return NULL;
    }
    *stage = (vz_stage){.outer = store, .owner = getpid(), .parent = -1, .entries = entries, .noted = noted};
    stage->lease.file = -1;
    pthread_rwlock_init(&stage->lock, NULL);
    pthread_mutex_init(&stage->making, NULL);
    return stage;
}

void vz_stage_free(vz_stage *stage)
{
    if (!stage)
        return;
    if (stage->inner && stage->owner == getpid())
        remove_stage(stage->parent, stage->name, vz_directory_of(stage->inner)->root);
    vz_store_close(stage->inner);
    if (stage->parent >= 0)
        close(stage->parent);
    if (stage->lease.file >= 0)
        close(stage->lease.file);
    vz_strmap_free(stage->entries, free);
    vz_strmap_free(stage->noted, NULL);
    pthread_rwlock_destroy(&stage->lock);
    pthread_mutex_destroy(&stage->making);
    free(stage);
}
