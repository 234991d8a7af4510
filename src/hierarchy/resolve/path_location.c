/* path_location.c - the place of a path itself, for programs that need its keys or bytes and no
 * hierarchy. */
#include "hierarchy/resolve/path_internal.h"
#include "remote/bucket/bucket.h"

/* Some servers refuse HEAD: their documents are read. */
static bool has_document(const vz_location *location, const char *name, bool *has, vz_error *err)
{
    vz_buffer text = {.limit = VZ_DOCUMENT_MAX_SIZE};
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_location_is_elsewhere(location))
        return vz_store_has(location->store, name, has, err);
    const bool ok = vz_store_get(location->store, name, VZ_WHOLE, &text, has, &failed);
    vz_buffer_clear(&text);
    *has = *has || failed.class == VZ_LIMIT;
    if (!ok && !*has)
        *err = failed;
    return ok || *has;
}

static bool has_documents(const vz_location *location, bool *has, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && !*has && i < VZ_ZARR_FORMATS; i++)
        ok = has_document(location, vz_zarr_formats[i]->group, has, err) &&
             (*has || has_document(location, vz_zarr_formats[i]->array, has, err));
    return ok;
}

/* Without documents of its own it may be a repository, or on a server a file of any name. */
bool vz_path_find_location(const char *path, vz_location *location, vz_error *err)
{
    bool has = false;
    if (!vz_location_find(path, location, err))
        return false;
    if (!location->store || (location->inside && *location->inside))
        return true;
    if (!has_documents(location, &has, err))
        return false;
    if (has)
        return true;
    if (!vz_location_look_within(location, err))
        return false;
    if (!location->within && location->store && vz_location_is_elsewhere(location))
        vz_bucket_look_for_file(location);
    return true;
}
