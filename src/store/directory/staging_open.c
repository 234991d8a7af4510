/* staging_open.c - the directory of a stage: made at first use, what its lease notes, its end. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* A forked child that writes has a lease of its own, so that it counts for dead when it is, whatever became of the
 * parent. What already waits goes with the parent's: the child has that too. */
static void leave_inherited(vz_staging *stage)
{
    stage->owner = getpid();
    if (vz_stage_table_count(stage->entries))
        return;
    vz_later_free(stage->later);
    stage->later = NULL;
    stage->knows_later = stage->knows_moves = false;
    vz_directory_close(stage->inner);
    stage->inner = NULL;
    if (stage->parent >= 0)
        close(stage->parent);
    if (stage->lease.file >= 0)
        close(stage->lease.file);
    if (stage->journal >= 0)
        close(stage->journal);
    stage->parent = stage->lease.file = stage->journal = -1;
    stage->journal_size = 0;
    empty(&stage->noted);
    empty(&stage->shapes);
}

static bool is_made(vz_staging *stage, vz_error *err)
{
    if (stage->owner != (pid_t)vz_process_id())
        leave_inherited(stage);
    return stage->inner || vz_stage_make(stage, err);
}

vz_store *vz_stage_store(vz_staging *stage, vz_error *err)
{
    pthread_mutex_lock(&stage->making);
    const bool ok = is_made(stage, err);
    pthread_mutex_unlock(&stage->making);
    return ok ? stage->inner : NULL;
}

/* ---- what waits ---- */

/* A store that is durable promises more than a call that waits. */
void vz_stage_know_later(vz_staging *stage)
{
    stage->knows_later = true;
    stage->later = stage->outer->durable ? NULL : vz_later_new();
}

bool vz_stage_may_move_later(vz_staging *stage)
{
    static const char other_case[] = "LEASE";
    if (!stage->later)
        return false;
    if (!stage->knows_moves)
        stage->may_move_later = vz_directory_is_of_one_kernel(vz_directory_of(stage->inner)) &&
                                !vz_stage_is_at(vz_directory_root(stage->inner), other_case);
    stage->knows_moves = true;
    return stage->may_move_later;
}

bool vz_stage_drain(vz_staging *stage, uint64_t ticket, vz_error *err)
{
    if (!vz_later_waits(stage->later, ticket))
        return true;
    if (stage->owner != (pid_t)vz_process_id())
        return vz_fail(err, VZ_BUSY, "what the process that this one was forked from could not write is not there");
    return vz_later_drain(stage->later, err);
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
        if (!vz_is_chunk_part(directory + last, length - last) || last == 0)
            return length;
        length = last - 1;
    }
}

/* A line of the lease, once. */
static bool note(vz_staging *stage, const char *line, vz_error *err)
{
    return vz_strmap_get(stage->noted, line) ||
           (vz_lease_note(&stage->lease, line, err) && vz_strmap_put(stage->noted, line, stage, err));
}

static bool note_directory(vz_staging *stage, const char *directory, vz_error *err)
{
    char array[PATH_MAX];
    const size_t length = array_length(directory);
    if (length >= sizeof array)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(array, directory, length);
    array[length] = '\0';
    return note(stage, length ? array : ".", err);
}

bool vz_stage_name_partial(vz_staging *stage, const char *directory, char *name, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    pthread_mutex_lock(&stage->making);
    const bool made = is_made(stage, &failed), ok = made && note_directory(stage, directory, err);
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

/* ---- shapes ---- */

/* In the lease. */
static bool tell_shape(vz_staging *stage, const char *prefix, vz_error *err)
{
    char line[PATH_MAX];
    if (snprintf(line, sizeof line, "%c%s", VZ_LEASE_SHAPE, prefix) >= (int)sizeof line)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    return is_made(stage, err) && note(stage, line, err);
}

static bool note_shape(vz_staging *stage, const char *prefix, vz_error *err)
{
    return tell_shape(stage, prefix, err) && vz_strmap_put(stage->shapes, prefix, stage, err);
}

bool vz_stage_begin_shape_change(vz_staging *stage, const char *prefix, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    pthread_mutex_lock(&stage->making);
    const bool ok = note_shape(stage, prefix, &failed);
    pthread_mutex_unlock(&stage->making);
    if (ok || failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to below */
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

void vz_stage_end_shape_change(vz_staging *stage, const char *prefix)
{
    pthread_mutex_lock(&stage->making);
    vz_strmap_remove(stage->shapes, prefix);
    pthread_mutex_unlock(&stage->making);
}

/* One that is called after `to` from now on; false: there is none. */
static bool move_one_shape(vz_staging *stage, const char *from, const char *to)
{
    size_t cursor = 0;
    const char *prefix;
    void *value;
    char fresh[PATH_MAX];
    while (vz_strmap_next(stage->shapes, &cursor, &prefix, &value))
        if (vz_key_is_within(prefix, from)) {
            const int length = to ? snprintf(fresh, sizeof fresh, "%s%s", to, prefix + strlen(from)) : -1;
            vz_strmap_remove(stage->shapes, prefix);
            if (length >= 0 && length < (int)sizeof fresh)
                note_shape(stage, fresh, NULL);
            return true;
        }
    return false;
}

bool vz_stage_announce_shapes(vz_staging *stage, const char *from, const char *to, vz_error *err)
{
    size_t cursor = 0;
    const char *prefix;
    void *value;
    char fresh[PATH_MAX];
    bool ok = true;
    pthread_mutex_lock(&stage->making);
    while (ok && vz_strmap_next(stage->shapes, &cursor, &prefix, &value))
        if (vz_key_is_within(prefix, from))
            ok = (snprintf(fresh, sizeof fresh, "%s%s", to, prefix + strlen(from)) < (int)sizeof fresh ||
                  vz_fail_errno(err, ENAMETOOLONG, "cannot rename")) &&
                 tell_shape(stage, fresh, err);
    pthread_mutex_unlock(&stage->making);
    return ok;
}

void vz_stage_move_shapes(vz_staging *stage, const char *from, const char *to)
{
    pthread_mutex_lock(&stage->making);
    while (move_one_shape(stage, from, to))
        ;
    pthread_mutex_unlock(&stage->making);
}

/* ---- its life ---- */

vz_staging *vz_stage_new(vz_store *store, vz_error *err)
{
    vz_staging *stage = calloc(1, sizeof *stage);
    vz_stage_table *entries = stage ? vz_stage_table_new() : NULL;
    vz_strmap *noted = entries ? vz_strmap_new() : NULL;
    vz_strmap *shapes = noted ? vz_strmap_new() : NULL, *journals = shapes ? vz_strmap_new() : NULL;
    if (!journals) {
        vz_stage_table_free(entries);
        vz_strmap_free(noted, NULL);
        vz_strmap_free(shapes, NULL);
        free(stage);
        vz_fail_memory(err);
        return NULL;
    }
    *stage = (vz_staging){.outer = store,
                          .owner = (pid_t)vz_process_id(),
                          .parent = -1,
                          .above = -1,
                          .entries = entries,
                          .noted = noted,
                          .shapes = shapes,
                          .journals = journals};
    stage->lease.file = stage->journal = -1;
    pthread_rwlock_init(&stage->lock, NULL);
    pthread_mutex_init(&stage->making, NULL);
    return stage;
}

/* Nothing that was put there waits, so that it should be empty. On other file systems what is still open may keep a
 * name in it. */
static bool is_spent(const vz_staging *stage)
{
    return vz_stage_table_count(stage->entries) == 0 && stage->journal < 0 && stage->lease.of_one_kernel;
}

/* With changes of shapes that did not end the lease stays: its notes are for the next writer. *stays: the directory
 * could not be removed. */
static void end(vz_staging *stage, bool *stays)
{
    const int directory = vz_directory_of(stage->inner)->root;
    if (vz_strmap_count(stage->shapes))
        vz_stage_empty(directory);
    else if (is_spent(stage) && vz_stage_remove_empty(stage, directory))
        return;
    else if (!vz_stage_remove(stage->parent, stage->name, directory, stage->keeps_journal)) /* it may not fail again */
        *stays = !vz_stage_remove(stage->parent, stage->name, directory, stage->keeps_journal);
}

void vz_stage_free(vz_staging *stage)
{
    if (!stage)
        return;
    bool stays = false;
    vz_later_free(stage->later);
    if (stage->inner && stage->owner == (pid_t)vz_process_id())
        end(stage, &stays);
    vz_stage_forget_dead(stage);
    vz_directory_close(stage->inner);
    if (stage->lease.file >= 0)
        close(stage->lease.file);
    if (stage->journal >= 0)
        close(stage->journal);
    if (stays) /* on NFS and FUSE a file that is open keeps a name in its directory after it was removed */
        unlinkat(stage->parent, stage->name, AT_REMOVEDIR);
    if (stage->parent >= 0)
        close(stage->parent);
    if (stage->above >= 0)
        close(stage->above);
    vz_stage_table_free(stage->entries);
    vz_strmap_free(stage->noted, NULL);
    vz_strmap_free(stage->shapes, NULL);
    vz_strmap_free(stage->journals, NULL);
    pthread_rwlock_destroy(&stage->lock);
    pthread_mutex_destroy(&stage->making);
    free(stage);
}
