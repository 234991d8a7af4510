/* small_array_cache.c - chunks fetched with those of other arrays, until a read takes them. */
#include "hierarchy/consolidated/prefetch_internal.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include <stdlib.h>

struct kept {
    vz_buffer bytes;
    vz_version version;
    bool was_answered; /* some range of it was taken: the next request demands the version */
};

static void free_kept(void *value)
{
    struct kept *kept = value;
    vz_buffer_clear(&kept->bytes);
    free(kept);
}

static void forget(vz_small_prefetch *prefetch, const char *key)
{
    struct kept *kept = vz_strmap_remove(prefetch->kept, key);
    if (kept)
        free_kept(kept);
}

void vz_small_prefetch_forget(vz_small_prefetch *prefetch)
{
    vz_strmap_free(prefetch->kept, free_kept);
    prefetch->kept = NULL;
}

void vz_small_prefetch_keep(vz_small_prefetch *prefetch, const char *key, vz_buffer *bytes, const vz_version *version)
{
    struct kept *kept = calloc(1, sizeof *kept);
    if (!prefetch->kept)
        prefetch->kept = vz_strmap_new();
    if (!kept || !prefetch->kept || vz_strmap_get(prefetch->kept, key) ||
        !vz_strmap_put(prefetch->kept, key, kept, NULL)) {
        free(kept);
        return;
    }
    kept->version = *version;
    kept->bytes = *bytes;
    *bytes = (vz_buffer){0};
}

static bool is_old(const vz_small_prefetch *prefetch)
{
    return vz_os_now_ns() - prefetch->since_ns > VZ_SMALL_PREFETCH_SECONDS * INT64_C(1000000000);
}

void vz_small_prefetch_trim(vz_small_prefetch *prefetch)
{
    if (prefetch->kept && is_old(prefetch))
        vz_small_prefetch_forget(prefetch);
}

bool vz_small_prefetch_has(const vz_small_prefetch *prefetch, const vz_request *request)
{
    const bool reads = request->op == VZ_REQUEST_GET && (vz_request_is_whole(request) || request->range_count > 0);
    const struct kept *kept = prefetch->kept && reads ? vz_strmap_get(prefetch->kept, request->key) : NULL;
    if (!kept)
        return false;
    return request->when == VZ_WHEN_VERSION ? vz_version_equal(&kept->version, &request->version)
                                            : request->when == VZ_WHEN_ANY && !kept->was_answered;
}

/* Into memory of who asked, or where it is. */
static bool answer(const struct kept *kept, vz_request *request, vz_error *err)
{
    const vz_range *ranges = request->ranges ? request->ranges : &VZ_WHOLE;
    const size_t count = request->ranges ? request->range_count : 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset;
        size_t size;
        if (!vz_os_range_resolve(kept->bytes.size, ranges[i], &offset, &size, err))
            return false;
        request->bytes = (vz_bytes){kept->bytes.data + offset, size};
        if (request->into && !vz_buffer_append(&request->into[i], request->bytes.data, size, err))
            return false;
        if (request->most && size > request->most)
            return vz_fail(err, VZ_LIMIT, "%zu bytes", size);
    }
    return true;
}

bool vz_small_prefetch_answer(const vz_small_prefetch *prefetch, vz_request *request, vz_error *err)
{
    const struct kept *kept = vz_strmap_get(prefetch->kept, request->key);
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = answer(kept, request, &failed);
    request->found = true;
    request->version = kept->version;
    request->failed = failed.class;
    if (!ok)
        *err = failed;
    return ok;
}

void vz_small_prefetch_used(vz_small_prefetch *prefetch, const vz_request *request)
{
    struct kept *kept = prefetch->kept ? vz_strmap_get(prefetch->kept, request->key) : NULL;
    if (!kept)
        return;
    kept->was_answered = true;
    if (vz_request_is_whole(request) && request->hold == VZ_HOLD_NOT)
        forget(prefetch, request->key);
}
