/* apart.c - the source is not the target, and neither lies in the other. Names are compared without
 * links, and what stands there by its device and number, so that other spellings, links, hard links
 * and mounts are found. The marker finds what no name tells (marker.c). */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include <stdlib.h>

static bool is_below(const char *name, const char *above)
{
    const size_t length = strlen(above);
    return strncmp(name, above, length) == 0 && (name[length] == '/' || (length && above[length - 1] == '/'));
}

static bool compare(const char *source, const char *target, vz_error *err)
{
    if (strcmp(source, target) == 0)
        return vz_fail(err, VZ_INVALID, "the source and the target are the same");
    if (is_below(target, source))
        return vz_fail(err, VZ_INVALID, "the target would lie in the source");
    return !is_below(source, target) || vz_fail(err, VZ_INVALID, "the source lies in the target");
}

/* Is some directory above the path that one, by another name or mount? */
static bool has_above(const char *path, const char *directory, bool *has, vz_error *err)
{
    struct stat is, above;
    *has = false;
    if (vz_os_stat(directory, &is) != 0 || !S_ISDIR(is.st_mode))
        return true;
    char *at = strdup(path);
    if (!at)
        return vz_fail_memory(err);
    for (char *slash = strrchr(at, '/'); !*has && slash; slash = slash == at ? NULL : strrchr(at, '/')) {
        slash[slash == at] = '\0';
        *has = vz_os_stat(at, &above) == 0 && vz_os_file_is_same(&is, &above);
    }
    free(at);
    return true;
}

static bool check_above(const char *source, const char *target, vz_error *err)
{
    bool target_within, source_within;
    if (!has_above(target, source, &target_within, err) || !has_above(source, target, &source_within, err))
        return false;
    if (target_within)
        return vz_fail(err, VZ_INVALID, "the target would lie in the source");
    return !source_within || vz_fail(err, VZ_INVALID, "the source lies in the target");
}

/* Without links as far as it is there. */
static char *place_of(const char *name, vz_error *err)
{
    char *absolute = vz_os_path_absolute(name, err);
    char *place = absolute ? vz_os_path_resolve_what_is_there(absolute, err) : NULL;
    free(absolute);
    return place;
}

/* A place of the file system on one side only is no part of the other one. */
static bool compare_names(vz_sync_side *source, vz_sync_side *target, vz_error *err)
{
    const bool is_far = vz_location_is_elsewhere(&target->found.at);
    if (is_far != vz_location_is_elsewhere(&source->found.at))
        return true;
    const char *from = vz_location_root(&source->found.at, err);
    char *to = !from    ? NULL
               : is_far ? vz_location_root(&target->found.at, err) ? strdup(target->found.at.root) : NULL
                        : place_of(target->name, err);
    if (!to)
        return err->class != VZ_OK ? false : vz_fail_memory(err);
    const bool ok = compare(from, to, err) && (is_far || check_above(from, to, err));
    free(to);
    return ok;
}

bool vz_sync_check_apart(vz_sync_side *source, vz_sync_side *target, vz_error *err)
{
    const vz_identity *a = &source->raw->identity, *b = &target->found.at.identity;
    bool ok = true;
    if (vz_identity_is_known(a) && vz_identity_is_known(b) && vz_identity_equal(a, b))
        ok = vz_fail(err, VZ_INVALID, "the source and the target are the same");
    ok = ok && compare_names(source, target, err);
    vz_error_where(err, target->name, NULL);
    return ok;
}
