/* marker.c - a store that is not finished does not open. In the place of the root's zarr.json lies
 * a document that no program takes for a group or an array. The other documents of the root are not
 * there. The last step puts them. */
#include "command/sync/sync_internal.h"

/* ---- one document of the root ---- */

/* On condition that nobody else changed it since `*version` was met, and the version afterwards.
 * `is_there`: there is one. */
static bool put_first(vz_sync *run, const vz_buffer *text, bool is_there, vz_version *version, vz_error *err)
{
    const char *key = vz_sync_root_names[0];
    vz_store *store = run->target.store;
    vz_buffer scratch = {0};
    vz_request request = {.op = text ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = text ? (vz_bytes){text->data, text->size} : (vz_bytes){0},
                          .when = is_there ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = *version,
                          .tells = text != NULL};
    if (!run->target.is_bucket && is_there) /* the lock keeps others out */
        request.when = VZ_WHEN_ANY;
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = vz_request_do(store, &request, &scratch, &failed);
    if (ok)
        *version = request.version;
    else if (failed.class == VZ_CHANGED)
        vz_fail(err, VZ_BUSY, "another program writes this store meanwhile");
    else
        *err = failed;
    vz_buffer_clear(&scratch);
    vz_error_where(err, run->target.name, key);
    return ok;
}

static bool put_root(vz_sync *run, int i, vz_error *err)
{
    const char *key = vz_sync_root_names[i];
    const vz_buffer *text = &run->roots.text[i];
    return run->roots.found[i] ? vz_store_put(run->target.store, key, (vz_bytes){text->data, text->size}, err)
                               : vz_store_del(run->target.store, key, err);
}

/* ---- the beginning ---- */

/* Such a document would tell of a store that is no more. */
static bool check_superfluous(vz_sync *run, vz_error *err)
{
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        if (run->old.found[i] && !run->roots.found[i] && !run->request->deletes && !run->is_unfinished) {
            vz_fail(err, VZ_EXISTS,
                    "the source has no such document, and it would tell of what was: --delete removes it");
            vz_error_where(err, run->target.name, vz_sync_root_names[i]);
            return false;
        }
    return true;
}

/* Both names lead to one place, although nothing about them says so. */
static bool check_alias(vz_sync *run, vz_error *err)
{
    const char *why;
    if (!vz_sync_meets_marker(run, &why, err))
        return false;
    if (!why)
        return true;
    return put_first(run, run->old.found[0] ? &run->old.text[0] : NULL, true, &run->marker_version, err) &&
           vz_fail(err, VZ_INVALID, "%s", why);
}

/* Somebody else has begun a store of another kind of document there at this moment. */
static bool check_alone(vz_sync *run, vz_error *err)
{
    const vz_sync_value *value = NULL;
    bool is_other = false;
    if (!run->is_new || run->is_unfinished || !run->target.is_bucket)
        return true;
    vz_sync_walk *walk = vz_sync_walk_open(&run->target, NULL, err);
    bool ok = walk != NULL;
    do {
        ok = ok && vz_sync_walk_next(walk, &value, err);
        is_other = ok && value && strcmp(value->key, vz_sync_root_names[0]) != 0;
    } while (ok && value && !is_other);
    vz_sync_walk_close(walk);
    if (!is_other)
        return ok;
    return put_first(run, NULL, true, &run->marker_version, err) &&
           vz_fail(err, VZ_EXISTS, "another program has made a store there");
}

static bool begin(vz_sync *run, vz_error *err)
{
    if (!check_superfluous(run, err) || run->target.keeps_back)
        return err->class == VZ_OK;
    run->marker_version = run->old.version[0];
    if (!vz_sync_print_marker(run, err) ||
        !put_first(run, &run->marker, run->old.found[0], &run->marker_version, err) || !check_alias(run, err) ||
        !check_alone(run, err))
        return false;
    for (int i = 1; i < VZ_SYNC_ROOTS; i++)
        if (run->old.found[i] && !vz_store_del(run->target.store, vz_sync_root_names[i], err))
            return false;
    return vz_store_drain(run->target.store, err);
}

/* Called by the thread that runs the pool. */
static void begin_once(void *argument)
{
    vz_sync *run = argument;
    if (run->has_begun || run->begin_error.class != VZ_OK)
        return;
    run->has_begun = begin(run, &run->begin_error);
    vz_error_where(&run->begin_error, run->target.name, NULL);
}

bool vz_sync_begin(vz_sync *run, vz_error *err)
{
    if (run->has_begun)
        return true;
    vz_pool_on_caller(begin_once, run);
    if (!run->has_begun && err && err->class == VZ_OK)
        *err = run->begin_error;
    return run->has_begun;
}

/* ---- the end ---- */

static bool finish_file(vz_sync *run, vz_error *err)
{
    bool ok = true;
    for (int i = 0; ok && i < VZ_SYNC_ROOTS; i++)
        ok = (!run->roots.found[i] && !run->old.found[i]) || put_root(run, i, err);
    ok = ok && vz_store_commit(run->target.store, err);
    if (!ok || !run->has_made)
        return ok;
    vz_store_close(run->target.store);
    run->target.store = run->target.raw = NULL;
    return vz_made_finish(&run->made, err);
}

bool vz_sync_finish(vz_sync *run, vz_error *err)
{
    vz_store *store = run->target.store;
    if (run->target.keeps_back)
        return finish_file(run, err);
    bool ok = vz_store_drain(store, err) && vz_store_sync(run->target.raw, err);
    for (int i = 1; ok && i < VZ_SYNC_ROOTS; i++)
        if (run->roots.found[i])
            ok = put_root(run, i, err);
    ok = ok && vz_store_drain(store, err);
    ok = ok && put_first(run, run->roots.found[0] ? &run->roots.text[0] : NULL, true, &run->marker_version, err);
    return ok && vz_store_sync(run->target.raw, err);
}
