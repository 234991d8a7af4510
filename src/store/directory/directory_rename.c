/* directory_rename.c - a directory of files: trees take other places, in the store or in its
 * staging area. */
#include "store/store/store.h"
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The directories that two keys lie in; -1: not there, and why not. */
struct places {
    int from, to;
    bool keeps_from, keeps_to; /* they are the stores' own: what lies in a root needs no way
                                * there */
    int sys_errno;
};

static void close_places(struct places *places)
{
    if (places->from >= 0 && !places->keeps_from)
        vz_os_close(places->from);
    if (places->to >= 0 && !places->keeps_to)
        vz_os_close(places->to);
}

static int enter(const struct vz_directory *store, const char *key, bool *keeps)
{
    *keeps = !strchr(key, '/');
    return *keeps ? store->root : vz_directory_enter_parent(store, key);
}

/* False only where the way there is barred: a directory that is missing is not. */
static bool open_places(struct vz_directory *from_store, const char *from, struct vz_directory *to_store,
                        const char *to, struct places *places, vz_error *err)
{
    *places = (struct places){.to = -1, .sys_errno = ENOENT};
    places->from = enter(from_store, from, &places->keeps_from);
    bool ok = places->from >= 0 || vz_directory_is_missing(errno) ||
              vz_directory_fail(from_store, from, errno, "cannot open the directory", err);
    if (ok && places->from >= 0 && from_store == to_store && vz_directory_is_one_place(from, to)) {
        places->to = places->from;
        places->keeps_to = true;
        return true;
    }
    if (ok)
        places->to = enter(to_store, to, &places->keeps_to);
    if (ok && places->to < 0) {
        places->sys_errno = errno;
        ok = vz_directory_is_missing(errno) || vz_directory_fail(to_store, to, errno, "cannot open the directory", err);
    }
    if (!ok)
        close_places(places);
    return ok;
}

static int rename_free(const struct places *places, const char *from, const char *to, bool is_same_store)
{
    bool is_link;
    char elsewhere[PATH_MAX];
    if (places->from < 0 || places->to < 0)
        return places->from < 0 ? ENOENT : places->sys_errno;
    if (!is_same_store) { /* a link is made anew there in any case */
        snprintf(elsewhere, sizeof elsewhere, "elsewhere/%s", vz_directory_last_part(to));
        to = elsewhere;
    }
    const int sys_errno = vz_directory_move_link(places->from, from, places->to, to, &is_link);
    if (is_link)
        return sys_errno;
    from = vz_directory_last_part(from);
    to = vz_directory_last_part(to);
    if (vz_os_rename_new(places->from, from, places->to, to) == 0)
        return 0;
    if (!vz_directory_cannot_rename_so(errno))
        return errno;
    if (vz_directory_look_at(places->to, to) == 0)
        return EEXIST;
    return vz_os_rename_at(places->from, from, places->to, to) == 0 ? 0 : errno;
}

/* Both directories are opened anew where the target's had to be made first. */
static bool rename_between(struct vz_directory *from_store, const char *from, struct vz_directory *to_store,
                           const char *to, int *sys_errno, vz_error *err)
{
    struct places places;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt && !vz_directory_make_parents(to_store, to, err))
            return false;
        if (!open_places(from_store, from, to_store, to, &places, err))
            return false;
        *sys_errno = rename_free(&places, from, to, from_store == to_store);
        const bool no_target = *sys_errno == ENOENT && places.to < 0 && places.from >= 0;
        const int source = no_target ? vz_directory_look_at(places.from, vz_directory_last_part(from)) : ENOENT;
        const bool try_again = source == 0;
        if (source && !vz_directory_is_missing(source))
            *sys_errno = source;
        close_places(&places);
        if (!try_again)
            break;
    }
    atomic_store_explicit(&from_store->unsynced, true, memory_order_relaxed);
    atomic_store_explicit(&to_store->unsynced, true, memory_order_relaxed);
    /* below a file */
    if (*sys_errno == ENOTDIR && vz_directory_look_at(from_store->root, from) != 0)
        *sys_errno = ENOENT;
    return true;
}

bool vz_directory_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    int sys_errno = 0;
    if (!rename_between(directory, from, directory, to, &sys_errno, err))
        return false;
    if (sys_errno == EXDEV) /* another file system is mounted or overlaid there */
        return vz_store_move_by_copy(store, from, to, err);
    return !sys_errno || vz_fail_errno(err, sys_errno, "cannot rename to \"%.100s\"", to);
}

/* Numbers are given once, so what is open under one is never another directory. */
static bool enter_numbered(struct vz_directory *staging, const char *key)
{
    char *slash;
    const unsigned long number = *key >= '1' && *key <= '9' ? strtoul(key, &slash, 10) : 0;
    if (!number || *slash != '/' || strchr(slash + 1, '/'))
        return false;
    if (number == staging->entered)
        return true;
    const int into = vz_directory_enter_parent(staging, key);
    if (into < 0)
        return false;
    vz_directory_leave_numbered(staging);
    staging->entered = number;
    staging->into = into;
    return true;
}

void vz_directory_leave_numbered(struct vz_directory *staging)
{
    if (staging->entered)
        vz_os_close(staging->into);
    staging->entered = 0;
}

bool vz_directory_rename_made(vz_store *store, const char *from, const char *to)
{
    struct vz_directory *staging = vz_directory_of(store);
    if (strchr(from, '/') || !enter_numbered(staging, to) ||
        vz_os_rename_new(staging->root, from, staging->into, vz_directory_last_part(to)) != 0)
        return false;
    atomic_store_explicit(&staging->unsynced, true, memory_order_relaxed);
    return true;
}

bool vz_directory_rename_out(vz_store *staging, const char *from, vz_store *store, const char *to)
{
    struct vz_directory *source = vz_directory_of(staging), *target = vz_directory_of(store);
    if (strchr(from, '/') || strchr(to, '/') || vz_os_rename_new(source->root, from, target->root, to) != 0)
        return false;
    atomic_store_explicit(&source->unsynced, true, memory_order_relaxed);
    atomic_store_explicit(&target->unsynced, true, memory_order_relaxed);
    return true;
}

bool vz_directory_rename_away(vz_store *store, const char *key, vz_store *staging, const char *name)
{
    struct vz_directory *source = vz_directory_of(store), *target = vz_directory_of(staging);
    const int parent = vz_directory_borrow_parent(source, key);
    const bool ok = parent >= 0 && vz_os_rename_new(parent, vz_directory_last_part(key), target->root, name) == 0;
    vz_directory_leave(source, parent);
    atomic_store_explicit(&source->unsynced, true, memory_order_relaxed);
    atomic_store_explicit(&target->unsynced, true, memory_order_relaxed);
    return ok;
}

bool vz_directory_rename_between(vz_store *from_store, const char *from, vz_store *to_store, const char *to,
                                 bool may_copy, vz_error *err)
{
    int sys_errno = 0;
    if (!rename_between(vz_directory_of(from_store), from, vz_directory_of(to_store), to, &sys_errno, err))
        return false;
    if (sys_errno == EXDEV && may_copy)
        return vz_store_copy_tree(from_store, from, to_store, to, err) &&
               from_store->class->del_tree(from_store, from, err);
    return !sys_errno || vz_fail_errno(err, sys_errno, "cannot rename to \"%.100s\"", to);
}

bool vz_directory_exchange_between(vz_store *a_store, const char *a, vz_store *b_store, const char *b, bool *done,
                                   vz_error *err)
{
    struct vz_directory *first = vz_directory_of(a_store), *second = vz_directory_of(b_store);
    struct places places;
    struct stat status;
    *done = false;
    if (!open_places(first, a, second, b, &places, err))
        return false;
    const char *last_a = vz_directory_last_part(a), *last_b = vz_directory_last_part(b);
    /* A link stays one, so what it leads to is changed value by value. */
    const bool is_link = vz_os_lstat_at(places.from, last_a, &status) == 0 && S_ISLNK(status.st_mode);
    if (!is_link)
        *done = vz_os_exchange(places.from, last_a, places.to, last_b) == 0;
    const int sys_errno = is_link || *done ? 0 : places.from < 0 || places.to < 0 ? places.sys_errno : errno;
    close_places(&places);
    if (is_link)
        return true;
    atomic_store_explicit(&first->unsynced, true, memory_order_relaxed);
    atomic_store_explicit(&second->unsynced, true, memory_order_relaxed);
    if (*done || vz_directory_cannot_rename_so(sys_errno) || sys_errno == EXDEV)
        return true;
    return vz_fail_errno(err, sys_errno, "cannot change places with \"%.100s\"", b);
}

bool vz_directory_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err)
{
    return vz_directory_exchange_between(store, a, store, b, done, err);
}
