/* reference_target.c - where the names in a reference file lead: to local files, which are found
 * when they are opened, or to values at a server. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define FILE_SCHEME "file://"

vz_named vz_kerchunk_named(const vz_kerchunk *store, const char *name)
{
    return (vz_named){.by = store->is_remote ? VZ_NAMER_REMOTE_REFERENCES : VZ_NAMER_REFERENCE_FILE,
                      .trusted = store->is_own,
                      .name = name,
                      .store = store->base.path,
                      .targets = store->targets,
                      .as = &store->options};
}

bool vz_kerchunk_fail(const char *name, const vz_error *why, vz_error *err)
{
    if (!err || err->class != VZ_OK)
        return false;
    const char *colon = strstr(name, "://"), *at = colon ? memchr(colon + 3, '@', strcspn(colon + 3, "/?#")) : NULL;
    const char *shown = at ? at + 1 : name;
    const int size = (int)(colon ? strcspn(shown, "?#") : strlen(shown));
    vz_error_set(err, why->class, "its bytes are said to lie in \"%.*s\": %s%s%s", size < 200 ? size : 200, shown,
                 why->text, *why->object ? " - " : "", why->object);
    err->sys_errno = why->sys_errno;
    return false;
}

bool vz_kerchunk_check_document(const char *key, const vz_kerchunk_target *target, vz_error *err)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    if (target->path || (strncmp(name, ".z", 2) != 0 && strcmp(name, "zarr.json") != 0))
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "metadata that the reference file itself does not have: it lies at a server");
}

/* ---- paths ---- */

/* Is a path of the file system meant? *path: which, borrowed. */
static bool is_path(const char *name, const char **path)
{
    *path = name;
    if (strncasecmp(name, FILE_SCHEME, strlen(FILE_SCHEME)) == 0) {
        const char *rest = name + strlen(FILE_SCHEME);
        *path = strncasecmp(rest, "localhost/", 10) == 0 ? rest + 9 : rest;
        return true;
    }
    const char *chained = strstr(name, "::"); /* fsspec's file systems, one over the other */
    return !vz_location_is_url(name) && !(chained && strstr(chained, "://"));
}

/* Relative names count from the reference file. */
static char *join(const char *base, const char *name, vz_error *err)
{
    char *path = NULL;
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    if (asprintf(&path, "%.*s%s", *name == '/' ? 0 : (int)vz_os_directory_length(base), base, name) >= 0)
        return path;
    vz_fail_memory(err);
    return NULL;
}

static bool take_path(vz_kerchunk *store, const char *path, vz_kerchunk_target *target, vz_error *err)
{
    char *base = vz_os_path_resolve(store->base.path, err);
    target->path = base ? join(base, path, err) : NULL;
    free(base);
    return target->path;
}

/* ---- values at a server ---- */

static vz_kerchunk_place *open_place(vz_kerchunk *store, const char *id, const vz_named_value *value, vz_error *err)
{
    vz_kerchunk_place *place = calloc(1, sizeof *place);
    if (!place) {
        vz_fail_memory(err);
        return NULL;
    }
    place->number = store->place_count;
    place->version_of_etag = value->kind->version_of_etag;
    place->store = vz_named_value_open(value, err);
    if (place->store && vz_strmap_put(store->places, id, place, err)) {
        store->place_count++;
        return place;
    }
    vz_store_close(place->store);
    free(place);
    return NULL;
}

static bool take_value(vz_kerchunk *store, const char *url, vz_kerchunk_target *target, vz_error *err)
{
    const vz_named named = vz_kerchunk_named(store, url);
    vz_named_value value = {0};
    char *id = NULL;
    bool ok = !strstr(url, "::") || vz_named_fail(&named, err, "a chain of file systems of fsspec");
    ok = ok && vz_named_value_find(&named, &value, err);
    if (ok && asprintf(&id, "%s%s", value.options.anonymous ? "anonymous " : "", value.place) < 0) {
        id = NULL;
        ok = vz_fail_memory(err);
    }
    if (ok) {
        target->place = vz_strmap_get(store->places, id);
        if (!target->place)
            target->place = open_place(store, id, &value, err);
        target->key = value.key;
        value.key = NULL;
    }
    free(id);
    vz_named_value_clear(&value);
    return ok && target->place;
}

static bool refuse_path(vz_kerchunk *store, const char *name, vz_error *err)
{
    const vz_named named = vz_kerchunk_named(store, name);
    vz_reach reach;
    vz_option_hosts hosts;
    return vz_named_decide(&named, VZ_TARGET_DISK, &reach, &hosts, err) &&
           vz_named_fail(&named, err, "a file of this machine");
}

static bool find(vz_kerchunk *store, const char *name, vz_kerchunk_target *target, vz_error *err)
{
    const char *path;
    if (!is_path(name, &path))
        return take_value(store, name, target, err);
    if (!store->is_remote)
        return take_path(store, path, target, err);
    if (*path == '/' || path != name)
        return refuse_path(store, name, err);
    char *url = join(store->base.path, name, err);
    const bool ok = url && take_value(store, url, target, err);
    free(url);
    return ok;
}

/* ---- the table ---- */

static void free_target(void *pointer)
{
    vz_kerchunk_target *target = pointer;
    free(target->path);
    free(target->key);
    free(target);
}

static vz_kerchunk_target *add(vz_kerchunk *store, const char *name, vz_error *err)
{
    vz_kerchunk_target *target = calloc(1, sizeof *target);
    if (!target) {
        vz_fail_memory(err);
        return NULL;
    }
    if (find(store, name, target, err) && vz_strmap_put(store->known, name, target, err))
        return target;
    free_target(target);
    return NULL;
}

const vz_kerchunk_target *vz_kerchunk_target_of(vz_kerchunk *store, const char *name, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_os_mutex_lock(&store->lock);
    const vz_kerchunk_target *target = vz_strmap_get(store->known, name);
    if (!target)
        target = add(store, name, &why);
    vz_os_mutex_unlock(&store->lock);
    if (!target)
        vz_kerchunk_fail(name, &why, err);
    return target;
}

static void close_place(void *pointer)
{
    vz_kerchunk_place *place = pointer;
    vz_store_close(place->store);
    free(place);
}

void vz_kerchunk_targets_free(vz_kerchunk *store)
{
    vz_strmap_free(store->known, free_target);
    vz_strmap_free(store->places, close_place);
}
