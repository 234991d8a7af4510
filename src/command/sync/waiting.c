/* waiting.c - what waits until all values are there: documents, and what the source lacks. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool copy_documents(vz_sync *run, vz_error *err)
{
    vz_sync_item item;
    bool ok = vz_sync_list_rewind(&run->documents, err);
    while (ok && (ok = vz_sync_list_next(&run->documents, &item, err)) && item.key)
        ok = vz_sync_add(run, &item, err);
    return ok && vz_sync_flush(run, err);
}

static void remove_empty_above(vz_sync *run, const char *key)
{
    char *path = NULL;
    if (!run->target.is_directory || asprintf(&path, "%s/%s", run->target.raw->path, key) < 0)
        return;
    const size_t root = strlen(run->target.raw->path);
    for (char *slash = strrchr(path, '/'); slash && (size_t)(slash - path) > root; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (vz_os_rmdir(path) != 0 && errno != ENOENT) /* the store removes those of chunks */
            break;
    }
    free(path);
}

typedef struct deletion {
    vz_request *requests;
    size_t count;
} deletion;

static bool delete_window(vz_sync *run, deletion *d, vz_error *err)
{
    const bool ok = d->count == 0 || vz_requests_do(run->target.store, d->requests, d->count, err);
    for (size_t i = 0; i < d->count; i++) {
        if (ok)
            remove_empty_above(run, d->requests[i].key);
        free((void *)(uintptr_t)d->requests[i].key);
    }
    run->counts.deleted += ok ? d->count : 0;
    d->count = 0;
    return ok;
}

static bool delete_list(vz_sync *run, vz_sync_list *list, vz_error *err)
{
    vz_sync_item item;
    deletion d = {.requests = calloc(VZ_SYNC_WINDOW_KEYS, sizeof *d.requests)};
    bool ok = d.requests ? vz_sync_list_rewind(list, err) : vz_fail_memory(err);
    while (ok && (ok = vz_sync_list_next(list, &item, err)) && item.key && (ok = vz_sync_begin(run, err))) {
        char *key = strdup(item.key);
        if (!(ok = key || vz_fail_memory(err)))
            break;
        d.requests[d.count++] = (vz_request){.op = VZ_REQUEST_DELETE, .key = key};
        if (d.count == VZ_SYNC_WINDOW_KEYS)
            ok = delete_window(run, &d, err);
    }
    ok = delete_window(run, &d, ok ? err : NULL) && ok;
    free(d.requests);
    vz_error_where(err, run->target.name, NULL);
    return ok;
}

bool vz_sync_work_off(vz_sync *run, vz_error *err)
{
    bool ok = !run->target.store || vz_store_drain(run->target.store, err);
    ok = ok && copy_documents(run, err) && delete_list(run, &run->extra_documents, err) &&
         delete_list(run, &run->extra_values, err);
    return ok && (!run->target.store || vz_store_drain(run->target.store, err));
}

void vz_sync_clear_lists(vz_sync *run)
{
    vz_sync_list_clear(&run->documents);
    vz_sync_list_clear(&run->extra_documents);
    vz_sync_list_clear(&run->extra_values);
}
