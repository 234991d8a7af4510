/* temp_file.c - a file that is to take the place of a zip file. It has no name until it is
 * finished, where the system knows such files, so that a killed writer leaves nothing. Elsewhere,
 * and for the moment before it is renamed, it is called "<zip file>.<16 hexadecimal
 * digits>.partial", and whoever writes it holds a lock on it. A lock ends with its process, in
 * whatever container that runs; so a partial file that can be locked is a dead writer's. */
#include "store/zip/replace_internal.h"
#include "base/os/file_system.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include "store/zip/zip_internal.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

#define SUFFIX ".partial"
/* bytes of the zip file's name, so that partial names are no longer than names may be */
#define STEM_MAX      200
#define RANDOM_DIGITS 16
#define NAME_ATTEMPTS 100
/* of two names, until a writer that was refused has its own file again */
#define SWAPS_MAX 64
/* a partial file of which a lock tells nothing is dead if nobody wrote to it for so long */
#define AGE_MAX_S 3600

/* ---- names ---- */

/* The length of the stem of partial names beside the zip file: its own name, cut between two
 * characters if it is long. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    if (length <= STEM_MAX)
        return length;
    length = STEM_MAX;
    while (length > 1 && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static bool draw_name(char *name, size_t size, const char *path, vz_error *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t directory = (size_t)(base - path), stem = stem_length(base);
    uint64_t number[2];
    if (!vz_os_random(number, sizeof number))
        vz_process_unlike(number); /* whoever makes the file sees whether the name is taken */
    const int length = snprintf(name, size, "%.*s.%0*llx" SUFFIX, (int)(directory + stem), path, RANDOM_DIGITS,
                                (unsigned long long)number[0] ^ number[1]);
    return (length > 0 && (size_t)length < size) || vz_fail(err, VZ_LIMIT, "the path is too long");
}

static bool is_digits(const char *text, size_t length, const char *digits)
{
    return length > 0 && strspn(text, digits) == length;
}

/* "<16 digits>", between the stem's dot and the suffix. */
static bool is_drawn(const char *middle, size_t length)
{
    return length == RANDOM_DIGITS && is_digits(middle, length, "0123456789abcdef");
}

/* "<host>-<process>-<n>", as this connector wrote once, without a lock. */
static bool is_old_form(const char *middle, size_t length)
{
    size_t dashes = 0;
    for (size_t end = length; dashes < 2; dashes++) {
        size_t at = end;
        while (at > 0 && middle[at - 1] >= '0' && middle[at - 1] <= '9')
            at--;
        if (at == end || at < 2 || middle[at - 1] != '-')
            return false;
        end = at - 1;
    }
    return true;
}

/* ---- making one ---- */

static int open_without_name(const char *path, vz_error *err)
{
    char *copy = strdup(path);
    if (!copy) {
        vz_fail_memory(err);
        return -1;
    }
    const int file = vz_os_can_link_temp() ? vz_os_temp_file(dirname(copy)) : -1;
    free(copy);
    return file;
}

/* Somebody who cleans up may have come between making the file and locking it. */
static bool is_ours(int file)
{
    struct stat status;
    return vz_zip_lock(file, VZ_ZIP_LOCK_ALIVE, VZ_OS_LOCK_EXCLUSIVE) != VZ_ZIP_REFUSED &&
           vz_os_fstat(file, &status) == 0 && status.st_nlink > 0;
}

static bool open_with_name(vz_zip_new *new, const char *path, vz_error *err)
{
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (!draw_name(new->name, sizeof new->name, path, err))
            return false;
        new->file = vz_os_create(new->name, O_RDWR | O_EXCL, 0600);
        if (new->file < 0 && errno != EEXIST)
            break;
        if (new->file < 0)
            continue;
        new->has_name = true;
        if (is_ours(new->file))
            return true;
        vz_zip_new_drop(new);
    }
    return vz_fail_errno(err, errno, "cannot create a file beside the zip file");
}

bool vz_zip_new_open(vz_zip_new *new, const char *path, bool with_name, vz_error *err)
{
    *new = (vz_zip_new){.file = -1};
    if (!with_name && (new->file = open_without_name(path, err)) >= 0) {
        vz_zip_lock(new->file, VZ_ZIP_LOCK_ALIVE, VZ_OS_LOCK_EXCLUSIVE);
        return true;
    }
    return open_with_name(new, path, err);
}

void vz_zip_new_drop(vz_zip_new *new)
{
    if (new->has_name)
        vz_os_unlink(new->name);
    if (new->file >= 0)
        vz_os_close(new->file);
    *new = (vz_zip_new){.file = -1};
}

int vz_zip_open_spool(const char *path, vz_error *err)
{
    vz_zip_new new;
    if (!vz_zip_new_open(&new, path, false, err))
        return -1;
    if (new.has_name)
        vz_os_unlink(new.name);
    return new.file;
}

/* ---- taking the place ---- */

static bool link_name(vz_zip_new *new, const char *path, vz_error *err)
{
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (!draw_name(new->name, sizeof new->name, path, err))
            return false;
        if (vz_os_link_temp(new->file, new->name) == 0) {
            new->has_name = true;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    new->needs_name = errno == ENOENT || errno == EPERM || errno == EXDEV || errno == EOPNOTSUPP || errno == ENOSYS;
    return vz_fail_errno(err, errno, "cannot name the new zip file");
}

static bool swap(const vz_zip_new *new, const char *path)
{
    return vz_os_exchange(AT_FDCWD, new->name, AT_FDCWD, path) == 0;
}

static bool is_as_it_was(const struct stat *now, const struct stat *then)
{
    return vz_os_file_is_same(now, then) && now->st_size == then->st_size &&
           vz_time_is_same(&now->st_mtim, &then->st_mtim);
}

/* Puts the file that was at the path back. Another writer in this place may have put its own file
 * there meanwhile: each goes on until it has its own again. */
static void swap_back(vz_zip_new *new, const char *path)
{
    struct stat own, at;
    if (vz_os_fstat(new->file, &own) != 0)
        return;
    for (int attempt = 0; attempt < SWAPS_MAX && swap(new, path); attempt++)
        if (vz_os_lstat(new->name, &at) == 0 && vz_os_file_is_same(&at, &own))
            return;
    new->has_name = false; /* it is not known whose file that is: it stays */
}

/* The two names change places in one step, and then it is seen whose file was there: nobody can
 * come between. */
static bool exchange(vz_zip_new *new, const char *path, const struct stat *there, bool *done, vz_error *err)
{
    struct stat was;
    *done = swap(new, path);
    if (!*done)
        return errno == EINVAL || errno == ENOSYS || vz_fail_errno(err, errno, "cannot replace the zip file");
    if (vz_os_lstat(new->name, &was) == 0 && is_as_it_was(&was, there)) {
        vz_os_unlink(new->name);
        return true;
    }
    swap_back(new, path);
    return vz_fail(err, VZ_BUSY, "somebody else changed the zip file since it was opened, so nothing is written to it");
}

static bool take_place(vz_zip_new *new, const char *path, const struct stat *there, vz_error *err)
{
    bool done = false;
    if (there && !exchange(new, path, there, &done, err))
        return false;
    if (!there) {
        done = vz_os_rename_new(AT_FDCWD, new->name, AT_FDCWD, path) == 0;
        if (!done && errno == EEXIST)
            return vz_fail(err, VZ_BUSY, "somebody else made the zip file anew meanwhile, so nothing is written to it");
        if (!done && errno != EINVAL && errno != ENOSYS)
            return vz_fail_errno(err, errno, "cannot replace the zip file");
    }
    return done || vz_os_rename(new->name, path) == 0 || vz_fail_errno(err, errno, "cannot replace the zip file");
}

bool vz_zip_new_place(vz_zip_new *new, const char *path, const struct stat *there, vz_error *err)
{
    if (!new->has_name && !link_name(new, path, err))
        return false;
    if (!take_place(new, path, there, err))
        return false;
    new->has_name = false;
    vz_zip_lock(new->file, VZ_ZIP_LOCK_ALIVE, VZ_OS_UNLOCK);
    return true;
}

/* ---- cleaning up ---- */

/* Of a file system of this machine alone, where every writer meets every lock. */
static bool is_local(int directory)
{
    const vz_os_lock_reach reach = vz_os_reach_of_locks(directory);
    return reach == VZ_OS_REACH_KERNEL || reach == VZ_OS_REACH_OVERLAY;
}

static bool is_old(const struct stat *status)
{
    return vz_os_date_s() - status->st_mtim.tv_sec > AGE_MAX_S;
}

/* Nobody can have locked what nobody is writing any more. *file: open, and locked if so; -1. */
static bool is_dead(int directory, const char *name, bool lock_tells, int *file)
{
    struct stat status;
    *file = vz_os_open_at(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    return *file >= 0 && vz_os_fstat(*file, &status) == 0 && S_ISREG(status.st_mode) &&
           (lock_tells || is_old(&status)) && vz_zip_lock(*file, VZ_ZIP_LOCK_ALIVE, VZ_OS_LOCK_SHARED) == VZ_ZIP_TAKEN;
}

/* Each file beside the zip file that has one of the names; false: as the visit says. */
typedef bool (*visit_partial)(void *context, int directory, const char *name, bool lock_tells);

/* `base`: the zip file's name. */
static bool visit_one(int directory, const char *name, const char *base, bool local, visit_partial visit, void *context)
{
    const size_t stem = stem_length(base), suffix = strlen(SUFFIX), length = strlen(name);
    if (length <= stem + 1 + suffix || strncmp(name, base, stem) != 0 || name[stem] != '.' ||
        strcmp(name + length - suffix, SUFFIX) != 0)
        return true;
    const char *middle = name + stem + 1;
    const size_t between = length - stem - 1 - suffix;
    if (is_drawn(middle, between))
        return visit(context, directory, name, local);
    return !is_old_form(middle, between) || visit(context, directory, name, false);
}

static bool visit_all(int directory, const char *base, visit_partial visit, void *context)
{
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    vz_os_listing listing = {.directory = directory, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    const bool local = is_local(directory);
    bool ok = true;
    while (ok && vz_os_list_next(&listing, &entry))
        ok = visit_one(directory, entry.name, base, local, visit, context);
    vz_os_list_end(&listing);
    return ok;
}

static bool visit_beside(const char *path, visit_partial visit, void *context)
{
    char *above = strdup(path), *base = strdup(path);
    const int directory = above && base ? vz_os_open(dirname(above), O_RDONLY | O_DIRECTORY | O_NONBLOCK) : -1;
    const bool ok = directory < 0 || visit_all(directory, basename(base), visit, context);
    if (directory >= 0)
        vz_os_close(directory);
    free(above);
    free(base);
    return ok;
}

/* Removed while the lock is held: its writer, had it not come to lock it yet, sees that it has
 * no name any more. */
static bool remove_if_dead(void *context, int directory, const char *name, bool lock_tells)
{
    int file;
    (void)context;
    if (is_dead(directory, name, lock_tells, &file))
        vz_os_unlink_at(directory, name);
    if (file >= 0)
        vz_os_close(file);
    return true;
}

void vz_zip_remove_residue(const char *path)
{
    visit_beside(path, remove_if_dead, NULL);
}

typedef struct telling {
    vz_store *store;
    vz_leftover_visit visit;
    void *context;
    vz_error *err;
} telling;

static bool tell(void *context, int directory, const char *name, bool lock_tells)
{
    const telling *t = context;
    const char *slash = strrchr(t->store->path, '/');
    vz_buffer path = {0};
    int file;
    vz_leftover leftover = {.is_dead = is_dead(directory, name, lock_tells, &file)};
    if (file >= 0)
        vz_os_close(file);
    bool ok = vz_buffer_printf(&path, t->err, "%.*s%s", slash ? (int)(slash + 1 - t->store->path) : 0, t->store->path,
                               name) &&
              vz_buffer_append(&path, "", 1, t->err);
    leftover.path = (const char *)path.data;
    ok = ok && t->visit(t->context, &leftover, t->err);
    vz_buffer_clear(&path);
    return ok;
}

bool vz_zip_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err)
{
    telling t = {store, visit, context, err};
    return visit_beside(store->path, tell, &t);
}
