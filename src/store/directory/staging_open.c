/* staging_open.c - the directory of a staging area: made at first use, what its lease notes, its
 * end. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SUFFIX ".partial"

/* ---- making it ---- */

static void empty(vz_strmap **set)
{
    vz_strmap *fresh = vz_strmap_new();
    if (!fresh)
        return;
    vz_strmap_free(*set, NULL);
    *set = fresh;
}

/* A forked child that writes has a lease of its own, so that its death is noticed whether or not
 * the parent lives. Prefixes that already wait stay with the parent's lease, which the child holds,
 * too. */
static void leave_inherited(vz_staging *staging)
{
    staging->owner = (pid_t)vz_process_id();
    if (vz_staging_table_count(staging->entries))
        return;
    vz_staging_queue_free(staging->later);
    staging->later = NULL;
    staging->knows_later = staging->knows_moves = false;
    vz_directory_close(staging->inner);
    staging->inner = NULL;
    if (staging->parent >= 0)
        vz_os_close(staging->parent);
    if (staging->lease.file >= 0)
        vz_os_close(staging->lease.file);
    if (staging->journal >= 0)
        vz_os_close(staging->journal);
    staging->parent = staging->lease.file = staging->journal = -1;
    staging->journal_size = 0;
    staging->keeps_aside = false;
    empty(&staging->noted);
    empty(&staging->shapes);
}

static bool is_made(vz_staging *staging, vz_error *err)
{
    if (staging->owner != (pid_t)vz_process_id())
        leave_inherited(staging);
    return staging->inner || vz_staging_make(staging, err);
}

vz_store *vz_staging_store(vz_staging *staging, vz_error *err)
{
    vz_os_mutex_lock(&staging->making);
    const bool ok = is_made(staging, err);
    vz_os_mutex_unlock(&staging->making);
    return ok ? staging->inner : NULL;
}

/* ---- what waits ---- */

/* A store that is durable promises more than a call that waits. */
void vz_staging_know_later(vz_staging *staging)
{
    staging->knows_later = true;
    staging->later = staging->outer->durable ? NULL : vz_staging_queue_new();
}

bool vz_staging_may_move_later(vz_staging *staging)
{
    static const char other_case[] = "LEASE";
    if (!staging->later)
        return false;
    if (!staging->knows_moves)
        staging->may_move_later = vz_directory_is_of_one_kernel(vz_directory_of(staging->inner)) &&
                                  !vz_staging_is_at(vz_directory_root(staging->inner), other_case);
    staging->knows_moves = true;
    return staging->may_move_later;
}

bool vz_staging_drain(vz_staging *staging, uint64_t ticket, vz_error *err)
{
    if (!vz_staging_queue_waits(staging->later, ticket))
        return true;
    if (staging->owner != (pid_t)vz_process_id())
        return vz_fail(err, VZ_BUSY, "what the process that this one was forked from could not write is not there");
    return vz_staging_queue_drain(staging->later, err);
}

/* ---- partial files ---- */

/* The array that the chunks in a directory belong to, as far as names tell. */
static size_t array_length(const char *directory)
{
    size_t length = strlen(directory);
    for (;;) {
        size_t last = length;
        while (last > 0 && directory[last - 1] != '/')
            last--;
        if (!vz_partial_is_chunk_part(directory + last, length - last) || last == 0)
            return length;
        length = last - 1;
    }
}

/* A line of the lease, once. */
static bool note(vz_staging *staging, const char *line, vz_error *err)
{
    return vz_strmap_get(staging->noted, line) ||
           (vz_lease_note(&staging->lease, line, err) && vz_strmap_put(staging->noted, line, staging, err));
}

static bool note_directory(vz_staging *staging, const char *directory, vz_error *err)
{
    char array[PATH_MAX];
    const size_t length = array_length(directory);
    if (length >= sizeof array)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(array, directory, length);
    array[length] = '\0';
    return note(staging, length ? array : ".", err);
}

bool vz_staging_name_partial(vz_staging *staging, const char *directory, char *name, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_os_mutex_lock(&staging->making);
    const bool made = is_made(staging, &failed), ok = made && note_directory(staging, directory, err);
    vz_os_mutex_unlock(&staging->making);
    if (!made && failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to
                                                 * below */
        return vz_partial_name(name, size, err);
    if (!made && err && err->class == VZ_OK)
        *err = failed;
    const uint64_t n = atomic_fetch_add(&staging->names, 1);
    if (ok && snprintf(name, size, "%s-%" PRIu64 SUFFIX, staging->lease.id, n) >= (int)size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    return ok;
}

/* ---- shapes ---- */

/* In the lease. */
static bool tell_shape(vz_staging *staging, const char *prefix, vz_error *err)
{
    char line[PATH_MAX];
    if (snprintf(line, sizeof line, "%c%s", VZ_LEASE_SHAPE, prefix) >= (int)sizeof line)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    return is_made(staging, err) && note(staging, line, err);
}

static bool note_shape(vz_staging *staging, const char *prefix, vz_error *err)
{
    return tell_shape(staging, prefix, err) && vz_strmap_put(staging->shapes, prefix, staging, err);
}

bool vz_staging_begin_shape_change(vz_staging *staging, const char *prefix, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_os_mutex_lock(&staging->making);
    const bool ok = note_shape(staging, prefix, &failed);
    vz_os_mutex_unlock(&staging->making);
    if (ok || failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to
                                              * below */
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

void vz_staging_end_shape_change(vz_staging *staging, const char *prefix)
{
    vz_os_mutex_lock(&staging->making);
    vz_strmap_remove(staging->shapes, prefix);
    vz_os_mutex_unlock(&staging->making);
}

/* One that is called after `to` from now on; false: there is none. */
static bool move_one_shape(vz_staging *staging, const char *from, const char *to)
{
    size_t cursor = 0;
    const char *prefix;
    void *value;
    char fresh[PATH_MAX];
    while (vz_strmap_next(staging->shapes, &cursor, &prefix, &value))
        if (vz_key_is_within(prefix, from)) {
            const int length = to ? snprintf(fresh, sizeof fresh, "%s%s", to, prefix + strlen(from)) : -1;
            vz_strmap_remove(staging->shapes, prefix);
            if (length >= 0 && length < (int)sizeof fresh)
                note_shape(staging, fresh, NULL);
            return true;
        }
    return false;
}

bool vz_staging_announce_shapes(vz_staging *staging, const char *from, const char *to, vz_error *err)
{
    size_t cursor = 0;
    const char *prefix;
    void *value;
    char fresh[PATH_MAX];
    bool ok = true;
    vz_os_mutex_lock(&staging->making);
    while (ok && vz_strmap_next(staging->shapes, &cursor, &prefix, &value))
        if (vz_key_is_within(prefix, from))
            ok = (snprintf(fresh, sizeof fresh, "%s%s", to, prefix + strlen(from)) < (int)sizeof fresh ||
                  vz_fail_errno(err, ENAMETOOLONG, "cannot rename")) &&
                 tell_shape(staging, fresh, err);
    vz_os_mutex_unlock(&staging->making);
    return ok;
}

void vz_staging_move_shapes(vz_staging *staging, const char *from, const char *to)
{
    vz_os_mutex_lock(&staging->making);
    while (move_one_shape(staging, from, to))
        ;
    vz_os_mutex_unlock(&staging->making);
}

/* ---- its life ---- */

vz_staging *vz_staging_new(vz_store *store, vz_error *err)
{
    vz_staging *staging = calloc(1, sizeof *staging);
    vz_staging_table *entries = staging ? vz_staging_table_new() : NULL;
    vz_strmap *noted = entries ? vz_strmap_new() : NULL;
    vz_strmap *shapes = noted ? vz_strmap_new() : NULL, *journals = shapes ? vz_strmap_new() : NULL;
    if (!journals) {
        vz_staging_table_free(entries);
        vz_strmap_free(noted, NULL);
        vz_strmap_free(shapes, NULL);
        free(staging);
        vz_fail_memory(err);
        return NULL;
    }
    *staging = (vz_staging){.outer = store,
                            .owner = (pid_t)vz_process_id(),
                            .parent = -1,
                            .above = -1,
                            .entries = entries,
                            .noted = noted,
                            .shapes = shapes,
                            .journals = journals};
    staging->lease.file = staging->journal = -1;
    vz_os_rwlock_init(&staging->lock);
    vz_os_mutex_init(&staging->making);
    return staging;
}

/* Nothing that was put there waits, so that it should be empty. On other file systems what is
 * still open may keep a name in it. */
static bool is_spent(const vz_staging *staging)
{
    return vz_staging_table_count(staging->entries) == 0 && staging->journal < 0 && staging->lease.of_one_kernel;
}

/* With changes of shapes that did not end the lease stays: its notes are for the next writer. So
 * does all that is there if a tree of the store is among it.
 * *stays: the directory could not be removed. */
static void end(vz_staging *staging, bool *stays)
{
    const int directory = vz_directory_of(staging->inner)->root;
    if (staging->keeps_aside)
        return;
    if (vz_strmap_count(staging->shapes))
        vz_staging_empty(directory);
    else if (is_spent(staging) && vz_staging_remove_empty(staging, directory))
        return;
    else if (!vz_staging_remove(staging->parent, staging->name, directory,
                                staging->keeps_journal)) /* it may not fail again */
        *stays = !vz_staging_remove(staging->parent, staging->name, directory, staging->keeps_journal);
}

void vz_staging_free(vz_staging *staging)
{
    if (!staging)
        return;
    bool stays = false;
    vz_staging_queue_free(staging->later);
    if (staging->inner && staging->owner == (pid_t)vz_process_id())
        end(staging, &stays);
    vz_staging_forget_dead(staging);
    vz_directory_close(staging->inner);
    if (staging->lease.file >= 0)
        vz_os_close(staging->lease.file);
    if (staging->journal >= 0)
        vz_os_close(staging->journal);
    if (stays) /* on NFS and FUSE a file that is open keeps a name in its directory after it was
                * removed */
        vz_os_rmdir_at(staging->parent, staging->name);
    if (staging->parent >= 0)
        vz_os_close(staging->parent);
    if (staging->above >= 0)
        vz_os_close(staging->above);
    vz_staging_table_free(staging->entries);
    vz_strmap_free(staging->noted, NULL);
    vz_strmap_free(staging->shapes, NULL);
    vz_strmap_free(staging->journals, NULL);
    vz_os_rwlock_destroy(&staging->lock);
    vz_os_mutex_destroy(&staging->making);
    free(staging);
}
