/* alias.c - one place by two names that do not show it: a bucket and the URL of its server, a
 * mount, an access point. When the marker is in the target, it is looked for where the source is.
 * On a server it is also looked for in the groups above the source. */
#include "command/sync/sync_internal.h"
#include <stdlib.h>

static bool has_marker(vz_sync *run, vz_store *store, bool *has, vz_error *err)
{
    const char *key = vz_sync_root_names[0];
    vz_buffer text = {.limit = VZ_SYNC_MARKER_MAX};
    vz_error failed = VZ_ERROR_NONE;
    bool found = false;
    const bool ok = vz_store_get(store, key, VZ_WHOLE, &text, &found, &failed);
    *has = ok && found && vz_sync_is_own_marker(run, key, (vz_bytes){text.data, text.size});
    vz_buffer_clear(&text);
    if (ok || failed.class == VZ_LIMIT) /* a longer document is none */
        return true;
    *err = failed;
    return false;
}

/* A document that cannot be read is no marker of ours. */
static bool has_marker_at(vz_sync *run, const char *name)
{
    vz_location location = {0};
    vz_error ignored = VZ_ERROR_NONE;
    bool has = false;
    if (vz_location_find(name, &location, &ignored) && location.store)
        has_marker(run, location.store, &has, &ignored);
    vz_location_clear(&location);
    return has;
}

/* The name without its last part; false: nothing but a server or a bucket is left. */
static bool go_up(char *name)
{
    char *place = strstr(name, "//"), *begin = place ? strchr(place + 2, '/') : NULL, *slash = strrchr(name, '/');
    if (!begin || slash == begin)
        return false;
    *slash = '\0';
    return true;
}

static bool is_above(vz_sync *run, bool *is, vz_error *err)
{
    const char *root = vz_location_root(&run->source.found.at, err);
    char *name = root ? strdup(root) : NULL, *query = name ? strchr(name, '?') : NULL;
    bool ok = name || (root && vz_fail_memory(err));
    if (query)
        *query++ = '\0';
    while (ok && !*is && go_up(name)) {
        char *whole = NULL;
        ok = asprintf(&whole, "%s%s%s", name, query ? "?" : "", query ? query : "") >= 0 || vz_fail_memory(err);
        *is = ok && has_marker_at(run, whole);
        free(ok ? whole : NULL);
    }
    free(name);
    return ok;
}

bool vz_sync_meets_marker(vz_sync *run, const char **why, vz_error *err)
{
    bool is = false;
    *why = NULL;
    if (!has_marker(run, run->source.store, &is, err))
        return false;
    if (is)
        *why = "the source and the target are the same";
    else if (run->source.is_far && !is_above(run, &is, err))
        return false;
    else if (is)
        *why = "the source lies in the target, under another name";
    return true;
}
