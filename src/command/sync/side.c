/* side.c - the source and the target as stores. Nothing of Zarr is interpreted but the documents of
 * the root, which tell that there is a store. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include "remote/bucket/bucket.h"
#include "store/layers/layer.h"
#include "store/store/prefetch.h"
#include <errno.h>
#include <stdlib.h>

/* Of a store that is one local file. */
static uint64_t generation_of(const vz_sync_side *side)
{
    struct stat is;
    if (!vz_location_is_file(&side->found.at) || vz_location_is_elsewhere(&side->found.at) ||
        vz_os_stat(side->raw->path, &is) != 0)
        return 0;
    const uint64_t parts[] = {(uint64_t)is.st_dev, (uint64_t)is.st_ino, (uint64_t)is.st_size,
                              (uint64_t)is.st_mtim.tv_sec, (uint64_t)is.st_mtim.tv_nsec};
    return vz_hash(parts, sizeof parts, 0) | 1;
}

bool vz_sync_take_store(vz_sync_side *side, vz_store *raw, bool writable, vz_error *err)
{
    vz_store_forget_prefetched(raw, NULL); /* another look was before */
    side->raw = raw;
    side->is_bucket = vz_bucket_walks(raw);
    side->is_web = strcmp(raw->class->kind, "http") == 0;
    side->is_far = side->is_bucket || side->is_web;
    side->is_directory = strcmp(raw->class->kind, "directory") == 0;
    side->keeps_back = vz_store_keeps_back(raw);
    side->generation = generation_of(side);
    side->store = vz_layer_for_use(raw, writable, err);
    return side->store != NULL;
}

/* No secret of a remote name is in it. */
static bool set_label(vz_sync_side *side, vz_error *err)
{
    const char *label =
        vz_location_is_elsewhere(&side->found.at) ? side->found.at.path : vz_location_root(&side->found.at, err);
    if (!label)
        return false;
    free(side->label);
    return (side->label = strdup(label)) || vz_fail_memory(err);
}

static bool fail_why(const vz_path_result *found, vz_error *err)
{
    if (found->at.why.class != VZ_OK && err)
        *err = found->at.why;
    else if (found->sys_errno)
        vz_fail_errno(err, found->sys_errno, "cannot be read");
    else if (vz_subject_refuse(found, err))
        vz_fail(err, VZ_INVALID, "there is no Zarr store");
    return false;
}

/* ---- the source ---- */

static bool check_source(vz_sync_side *side, vz_error *err)
{
    const vz_path_result *found = &side->found;
    if (found->at.inside && *found->at.inside)
        return vz_fail(err, VZ_INVALID, "a part of a store in one file: only whole stores are copied");
    if (side->is_web)
        return (side->web = vz_sync_web_open(side, err)) != NULL;
    return side->store->capabilities & VZ_STORE_LIST ||
           vz_fail(err, VZ_UNSUPPORTED, "a kind of store that does not list its keys");
}

/* Names that a killed writer moved stand in its journal alone, which lies beside the store. */
static bool meet_leftover(void *context, const vz_leftover *leftover, vz_error *err)
{
    (void)context;
    return !leftover->has_journal ||
           vz_fail(err, VZ_BUSY,
                   "a writer has moved names there, and its documents do not say so yet (%.200s): close it, or open "
                   "the store for writing once",
                   leftover->path);
}

static bool check_journals(vz_sync_side *side, vz_error *err)
{
    return !side->is_directory || vz_store_each_leftover(side->raw, meet_leftover, NULL, err);
}

static bool check_root(vz_sync_side *side, vz_error *err)
{
    vz_sync_roots roots = {0};
    bool is_store = false, ok = vz_sync_roots_read(&roots, side, err);
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        is_store = is_store || roots.found[i];
    if (ok && !is_store)
        ok = vz_fail(err, VZ_INVALID, "there is no Zarr store: its root has no metadata");
    if (ok && roots.found[0] && vz_sync_is_marker(&roots.text[0]))
        ok = vz_fail(err, VZ_INVALID, "an unfinished copy itself: run the command that makes it once more");
    vz_sync_roots_clear(&roots);
    return ok;
}

bool vz_sync_open_source(vz_sync_side *side, vz_error *err)
{
    vz_path_result *found = &side->found;
    if (!vz_path_result_look(side->name, found, err))
        return false;
    const bool may_be = found->kind == VZ_PATH_ZARR || (found->kind == VZ_PATH_OTHER && found->at.store);
    vz_store *raw = NULL;
    bool ok = may_be ? set_label(side, err) && (raw = vz_location_open(&found->at, false, err)) != NULL
                     : fail_why(found, err);
    ok = ok && vz_sync_take_store(side, raw, false, err) && check_source(side, err) && check_journals(side, err) &&
         check_root(side, err);
    vz_error_where(err, side->name, NULL);
    return ok;
}

bool vz_sync_reopen(vz_sync_side *side, bool *changed, vz_error *err)
{
    *changed = side->generation && generation_of(side) != side->generation;
    if (!*changed)
        return true;
    vz_sync_side fresh = {.name = side->name};
    const bool ok = vz_sync_open_source(&fresh, err);
    vz_sync_close_side(side);
    *side = fresh;
    return ok;
}

/* ---- the target ---- */

bool vz_sync_find_target(vz_sync_side *side, vz_error *err)
{
    vz_path_result *found = &side->found;
    bool ok = vz_path_result_look(side->name, found, err);
    if (ok && vz_location_is_elsewhere(&found->at))
        ok = found->at.why.class == VZ_OK || found->kind == VZ_PATH_MISSING || fail_why(found, err);
    if (ok && found->at.inside && *found->at.inside)
        ok = vz_fail(err, VZ_INVALID, "a place inside of a store in one file");
    if (ok && found->kind == VZ_PATH_HDF5)
        ok = vz_fail(err, VZ_EXISTS, "an HDF5 file is there");
    vz_error_where(err, side->name, NULL);
    return ok;
}

void vz_sync_close_side(vz_sync_side *side)
{
    vz_sync_web_close(side->web);
    if (side->store)
        vz_store_close(side->store);
    vz_path_result_clear(&side->found);
    free(side->label);
    *side = (vz_sync_side){.name = side->name};
}
