/* target.c - opens the target, or makes it. Of two that make one, one goes on: a directory is made
 * exclusively and locked. A key in a bucket is put under a condition. A file gets its name when it
 * is whole. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include "store/zip/zip.h"
#include <errno.h>
#include <stdlib.h>

static bool fail_exists(vz_error *err)
{
    return vz_fail(err, VZ_EXISTS, "is there already: h5zarr sync brings it up to date");
}

static bool is_empty(vz_store *store, bool *empty, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (!vz_store_list(store, "", &entries, &count, err))
        return false;
    vz_entries_free(entries, count);
    *empty = count == 0;
    return true;
}

static bool lock(vz_sync *run, vz_error *err)
{
    run->lock = (vz_store_lock){.descriptor = -1};
    return !run->target.is_directory || run->request->dry_run ||
           vz_store_lock_acquire(run->target.raw, &run->lock, "", true, VZ_LOCK_IF_POSSIBLE, err);
}

/* ---- what is there ---- */

static bool check_origin(vz_sync *run, const char *source, vz_error *err)
{
    const bool is_same = strcmp(source, run->source.label) == 0;
    if (run->request->is_copy && !is_same)
        return vz_fail(err, VZ_EXISTS, "an unfinished copy of %.200s, and not of this source", source);
    if (run->request->is_copy && !run->is_new)
        return vz_fail(err, VZ_EXISTS, "an unfinished sync is there: h5zarr sync goes on with it");
    if (run->request->is_copy && run->lock.descriptor < 0 && !run->request->resumes && !run->request->dry_run)
        return vz_fail(err, VZ_BUSY,
                       "an unfinished copy of this source, and nothing tells whether the program that makes it still "
                       "runs: h5zarr cp --resume goes on with it");
    run->compares = run->compares || !is_same;
    return true;
}

static bool judge_marker(vz_sync *run, vz_error *err)
{
    vz_buffer source = {0};
    bool ok = true;
    run->is_unfinished = vz_sync_read_marker(&run->old.text[0], &source, &run->is_new, &(vz_error){0});
    if (run->is_unfinished) {
        run->counts.resumed = true;
        ok = check_origin(run, (const char *)source.data, err);
    }
    vz_buffer_clear(&source);
    return ok;
}

static bool judge(vz_sync *run, vz_error *err)
{
    bool is_store = false, empty = false;
    if (!lock(run, err) || !vz_sync_roots_read(&run->old, &run->target, err) || !judge_marker(run, err))
        return false;
    if (run->is_unfinished)
        return run->request->dry_run || vz_sync_sweep(&run->target, err);
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        is_store = is_store || run->old.found[i];
    if (is_store)
        return !run->request->is_copy || fail_exists(err);
    if (!is_empty(run->target.raw, &empty, err))
        return false;
    if (!empty)
        return vz_fail(err, VZ_EXISTS, "is there, and no Zarr store: nothing is written there");
    run->is_new = true;
    return run->request->dry_run || vz_sync_sweep(&run->target, err);
}

static bool open_there(vz_sync *run, vz_error *err)
{
    const bool writable = !run->request->dry_run;
    vz_store *raw = vz_location_open(&run->target.found.at, writable, err);
    return raw && vz_sync_take_store(&run->target, raw, writable, err) && judge(run, err);
}

/* ---- what is new ---- */

static void tell_left(const char *directory, const char *mark, bool removed)
{
    vz_say_error("note: %s/%s..., which a command that was killed had left, %s", directory, mark,
                 removed ? "was removed" : "cannot be removed");
}

static bool make_file(vz_sync *run, const vz_store_kind *kind, vz_error *err)
{
    run->has_made = true;
    if (!vz_made_begin(&run->made, run->source.name, run->target.name, VZ_ZIP_SUFFIX, false, err))
        return false;
    vz_made_remove_left(run->made.directory, tell_left);
    vz_store *raw = vz_location_create(run->made.partial, kind, 0, VZ_MAKE_NEW, err);
    run->is_new = true;
    return raw && vz_sync_take_store(&run->target, raw, true, err);
}

static bool make_new(vz_sync *run, vz_error *err)
{
    const vz_store_creation wanted = {.kind = run->request->container};
    const vz_store_kind *kind = vz_location_kind(run->target.name, &wanted, err);
    if (!kind)
        return false;
    run->is_new = true;
    if (run->request->dry_run)
        return true;
    if (vz_location_kind_is_file(kind))
        return make_file(run, kind, err);
    vz_store *raw = vz_location_create(run->target.name, kind, 0, VZ_MAKE_NEW, err);
    if (!raw || !vz_sync_take_store(&run->target, raw, true, err) || !lock(run, err) ||
        !vz_sync_roots_read(&run->old, &run->target, err))
        return false;
    bool empty;
    return is_empty(raw, &empty, err) && (empty || fail_exists(err));
}

bool vz_sync_open_target(vz_sync *run, vz_error *err)
{
    const vz_path_result *found = &run->target.found;
    const bool is_far = vz_location_is_elsewhere(&found->at);
    bool ok;
    if (is_far && run->request->container)
        ok = vz_fail(err, VZ_INVALID, "--container is for new stores of this machine");
    else if (found->kind == VZ_PATH_ZARR && run->request->is_copy && !is_far && vz_location_is_file(&found->at))
        ok = fail_exists(err);
    else if (is_far || found->at.type == VZ_PATH_TYPE_STORE)
        ok = open_there(run, err);
    else if (found->at.type == VZ_PATH_TYPE_NONE && (found->sys_errno == 0 || found->sys_errno == ENOENT))
        ok = make_new(run, err);
    else
        ok = vz_fail(err, VZ_EXISTS, "is there, and no Zarr store");
    vz_error_where(err, run->target.name, NULL);
    return ok;
}
