/* file_pieces.c - parts of a remote file, which are got together and are of one version. */
#include "remote/bucket/bucket.h"
#include "remote/bucket/tree_internal.h"
#include <stdlib.h>

#define PIECE_MAX ((uint64_t)8 << 20) /* bytes of one request */

bool vz_bucket_pieces_add(vz_bucket_pieces *list, uint64_t first, size_t size, uint8_t *place, vz_error *err)
{
    for (size_t part; size > 0; first += part, size -= part, place += part) {
        if (list->count == list->capacity) {
            const size_t capacity = list->capacity ? 2 * list->capacity : 16;
            vz_bucket_piece *items = realloc(list->items, capacity * sizeof *items);
            if (!items)
                return vz_fail_memory(err);
            list->items = items;
            list->capacity = capacity;
        }
        part = size < PIECE_MAX ? size : (size_t)PIECE_MAX;
        list->items[list->count++] = (vz_bucket_piece){first, part, place};
    }
    return true;
}

/* All of one round. */
typedef struct round {
    vz_request *requests, **asked;
    vz_range *ranges;
    vz_buffer *into;
} round;

static void clear_round(round *r)
{
    free(r->requests);
    free(r->asked);
    free(r->ranges);
    free(r->into);
}

static bool prepare(const vz_version *version, const vz_bucket_pieces *list, round *r, vz_error *err)
{
    r->requests = calloc(list->count, sizeof *r->requests);
    r->asked = calloc(list->count, sizeof *r->asked);
    r->ranges = calloc(list->count, sizeof *r->ranges);
    r->into = calloc(list->count, sizeof *r->into);
    if (!r->requests || !r->asked || !r->ranges || !r->into)
        return vz_fail_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        const vz_bucket_piece *p = &list->items[i];
        r->ranges[i] = (vz_range){VZ_RANGE_AT, p->first, p->size};
        r->into[i] = vz_buffer_borrow(p->place, p->size);
        r->requests[i] = (vz_request){.key = "", .ranges = &r->ranges[i], .range_count = 1, .into = &r->into[i]};
        r->requests[i].when = version->size ? VZ_WHEN_VERSION : VZ_WHEN_ANY;
        r->requests[i].version = *version;
        r->asked[i] = &r->requests[i];
    }
    return true;
}

/* Is it all there, and of the version that was met first? */
static bool check(const vz_version *version, const vz_request *request, const vz_bucket_piece *p, vz_error *err)
{
    if (!request->found)
        return vz_fail(err, VZ_CHANGED, "the file is gone from the server");
    if (version->size && !vz_version_equal(&request->version, version))
        return vz_exchange_fail_changed(err);
    return request->into->size == p->size || vz_fail(err, VZ_CORRUPT, "the server sent fewer bytes than asked for");
}

static bool ask_once(vz_bucket *remote, const vz_version *version, const vz_bucket_pieces *list, vz_error *err)
{
    round r = {0};
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer unused = {0}; /* each has a place */
    size_t index;
    bool ok = prepare(version, list, &r, &failed);
    vz_coalesced *all = ok ? vz_coalesced_open(remote, r.asked, list->count, vz_task_begin_get, &failed) : NULL;
    while (all && failed.class == VZ_OK && vz_coalesced_next(all, &index, &unused, &failed))
        if (failed.class == VZ_OK)
            check(version, &r.requests[index], &list->items[index], &failed);
    if (all)
        vz_coalesced_close(all);
    clear_round(&r);
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}

bool vz_bucket_pieces_get(vz_bucket *remote, const vz_version *version, const vz_bucket_pieces *list, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    unsigned attempt = 0;
    do
        failed = VZ_ERROR_NONE;
    while (list->count > 0 && !ask_once(remote, version, list, &failed) && vz_bucket_again(++attempt, &failed));
    if (failed.class == VZ_OK)
        return true;
    const bool is_changed = failed.class == VZ_CHANGED;
    if (is_changed)
        failed = VZ_ERROR_NONE;
    if (is_changed)
        vz_error_set(&failed, VZ_CHANGED,
                     "the file on the server is not the one that was opened (another was put in its place, or it is "
                     "gone): close it and open it again");
    if (failed.class == VZ_CORRUPT) /* it is the answer that is wrong; h5zarr check reads stores */
        failed.class = VZ_IO;
    vz_error_where(&failed, remote->site->label, NULL);
    if (err)
        *err = failed;
    return false;
}
