/* marker.c - a store that is not finished does not open. In the place of the root's zarr.json lies
 * a document that no program takes for a group or an array. The other documents of the root are not
 * there. The last step puts them. */
#include "command/sync/sync_internal.h"
#include "remote/bucket/bucket.h"
#include <errno.h>
#include "base/os/file.h"
#include <stdlib.h>

#define MARK     "unfinished copy" /* docs/format.md */
#define ID_BYTES 16

/* ---- its text ---- */

static bool add_id(vz_json *about, vz_error *err)
{
    uint64_t number[2];
    char text[2 * ID_BYTES + 1];
    vz_process_unlike(number);
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)number[0], (unsigned long long)number[1]);
    return vz_json_set_text(about, "id", text, err);
}

/* An array, since zarr-python makes a new group where an object is no node. */
static bool print_marker(vz_sync *run, vz_error *err)
{
    vz_json *document = vz_json_array(err), *about = vz_json_object(err);
    bool ok = document && about && add_id(about, err) &&
              vz_describe_set_text(about, "source", run->source.label, err) &&
              vz_json_set(about, "new", vz_json_bool(run->is_new, err), err) &&
              vz_json_set_text(about, "advice", "h5zarr sync or cp, run again, finishes this store", err);
    ok = ok && vz_json_append(document, vz_json_text(MARK, err), err);
    if (ok) {
        ok = vz_json_append(document, about, err);
        about = NULL;
    }
    ok = ok && vz_json_print(document, 2, &run->marker, err);
    vz_json_free(about);
    vz_json_free(document);
    return ok;
}

bool vz_sync_read_marker(const vz_buffer *document, vz_buffer *source, bool *is_new, vz_error *err)
{
    vz_json *json = document->size && document->size <= VZ_SYNC_MARKER_MAX
                        ? vz_json_parse((const char *)document->data, document->size, err)
                        : NULL;
    const vz_json *about = vz_json_at(json, 1);
    const bool is_marker = vz_json_is(vz_json_at(json, 0), MARK) && about;
    const char *text = is_marker ? vz_json_get_text(about, "source") : NULL;
    *is_new = false;
    if (is_marker)
        vz_json_get_bool(vz_json_get(about, "new"), is_new);
    const bool ok = is_marker && vz_buffer_append(source, text ? text : "", text ? strlen(text) + 1 : 1, err);
    vz_json_free(json);
    return ok;
}

bool vz_sync_is_marker(const vz_buffer *document)
{
    vz_buffer source = {0};
    bool is_new;
    const bool is = vz_sync_read_marker(document, &source, &is_new, &(vz_error){0});
    vz_buffer_clear(&source);
    return is;
}

bool vz_sync_is_own_marker(const vz_sync *run, const char *key, vz_bytes bytes)
{
    const char *slash = strrchr(key, '/');
    return run->marker.size && bytes.size == run->marker.size && strcmp(slash ? slash + 1 : key, "zarr.json") == 0 &&
           memcmp(bytes.data, run->marker.data, bytes.size) == 0;
}

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
    vz_buffer text = {0};
    bool found = false;
    bool ok = vz_store_get(run->source.store, vz_sync_root_names[0], VZ_WHOLE, &text, &found, err);
    if (ok && found && vz_sync_is_own_marker(run, vz_sync_root_names[0], (vz_bytes){text.data, text.size})) {
        ok = put_first(run, run->old.found[0] ? &run->old.text[0] : NULL, true, &run->marker_version, err);
        ok = ok && vz_fail(err, VZ_INVALID, "the source and the target are the same");
    }
    vz_buffer_clear(&text);
    return ok;
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
    if (!print_marker(run, err) || !put_first(run, &run->marker, run->old.found[0], &run->marker_version, err) ||
        !check_alias(run, err) || !check_alone(run, err))
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
