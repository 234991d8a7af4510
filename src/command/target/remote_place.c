/* remote_place.c - places on a server: their names are no paths, and nothing there gets
 * another name in one step. */
#include "command/target/target_internal.h"
#include "base/os/file.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/path.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names without links, as vz_location_root has them. */
static bool is_below(const char *name, const char *above)
{
    const size_t length = strlen(above);
    return strncmp(name, above, length) == 0 && (name[length] == '/' || name[length] == '\0');
}

/* The source may be called by another name, or lie behind a doorway. */
static bool check_apart(const char *source, vz_path_result *target, vz_error *err)
{
    vz_path_result found;
    bool ok = vz_path_result_look(source, &found, err);
    if (ok && vz_location_is_elsewhere(&found.at)) {
        const char *from = vz_location_root(&found.at, err), *to = from ? vz_location_root(&target->at, err) : NULL;
        if (!to)
            ok = false;
        else if (strcmp(from, to) == 0)
            ok = vz_fail(err, VZ_INVALID, "the source and the target are the same");
        else if (is_below(to, from))
            ok = vz_fail(err, VZ_INVALID, "the target would lie in the source");
        else if (is_below(from, to))
            ok = vz_fail(err, VZ_INVALID, "the source lies in the target");
    }
    vz_path_result_clear(&found);
    return ok;
}

static bool check_target(const vz_path_result *found, bool overwrite, vz_error *err)
{
    if (found->at.why.class != VZ_OK && found->kind != VZ_PATH_MISSING) {
        *err = found->at.why;
        return false;
    }
    if (found->kind == VZ_PATH_MISSING)
        return true;
    if (!overwrite)
        return vz_fail_errno(err, EEXIST, "is there already (--overwrite replaces it)");
    if (found->kind != VZ_PATH_ZARR)
        return vz_fail(err, VZ_EXISTS, "no Zarr store, so not replaced");
    if (*found->at.inside || vz_location_is_file(&found->at))
        return vz_fail(err, VZ_EXISTS, "a part of a store, or a store in one file, so not replaced");
    return vz_delete_check_all_is_zarr(found->at.store, err);
}

bool vz_made_begin_far(vz_made *place, const char *source, const char *target, bool overwrite, vz_error *err)
{
    struct stat is;
    vz_path_result found;
    if (vz_os_lstat(target, &is) == 0) /* what is called so on this machine is meant */
        return true;
    bool ok = vz_path_result_look(target, &found, err);
    place->is_far = ok && vz_location_is_elsewhere(&found.at);
    if (place->is_far) {
        place->replaces = found.kind == VZ_PATH_ZARR;
        ok = check_target(&found, overwrite, err) && check_apart(source, &found, err);
        place->target = strdup(target);
        place->partial = strdup(target);
        ok = ok && ((place->target && place->partial) || vz_fail_memory(err));
    }
    vz_path_result_clear(&found);
    return ok;
}

bool vz_made_room(vz_made *place, vz_error *err)
{
    return !place->is_far || !place->replaces || vz_delete_hierarchy(place->target, err);
}
