/* netcdf_references.c - the meaning of "source" in links and references of hdmf-zarr. */
#include "hierarchy/resolve/path.h"
#include "hdf5/references/references.h"
#include <stdio.h>
#include <stdlib.h>

/* `source`: as the store says it. */
static vz_source_kind what_is_at(const vz_hierarchy *hierarchy, const char *place, const char *source)
{
    const vz_named named = vz_hierarchy_named(hierarchy, source);
    if (vz_hierarchy_is_at(hierarchy, place))
        return VZ_SOURCE_THIS_STORE;
    return vz_path_look_named(place, &named) == VZ_PATH_ZARR ? VZ_SOURCE_OTHER_STORE : VZ_SOURCE_MISSING;
}

/* The length of the path of the directory that the store is in, with its slash. */
static int beside(const char *store)
{
    size_t length = strlen(store);
    while (length > 1 && store[length - 1] == '/')
        length--;
    while (length > 0 && store[length - 1] != '/')
        length--;
    return (int)length;
}

/* Seen from within the store, then from beside it. *name: how HDF5 would find the first of them. */
static bool find_relative(const vz_hierarchy *hierarchy, const char *source, vz_source_kind *kind, char **name,
                          vz_error *err)
{
    const char *store = vz_hierarchy_path(hierarchy);
    const int directory = beside(store);
    char *within = NULL, *outside = NULL;
    if (asprintf(&within, "%s/%s", store, source) < 0)
        within = NULL;
    if (asprintf(&outside, "%.*s%s", directory, store, source) < 0)
        outside = NULL;
    if (strncmp(source, "../", 3) == 0)
        *name = strdup(source + 3);
    else if (asprintf(name, "%s/%s", store + directory, source) < 0)
        *name = NULL;
    const bool ok = (within && outside && *name) || vz_fail_memory(err);
    if (ok)
        *kind = what_is_at(hierarchy, within, source);
    if (ok && *kind == VZ_SOURCE_MISSING) {
        *kind = what_is_at(hierarchy, outside, source);
        if (*kind == VZ_SOURCE_OTHER_STORE) {
            free(*name);
            *name = strdup(source);
        }
    }
    free(within);
    free(outside);
    return ok && (*name || vz_fail_memory(err));
}

/* Does a relative path go up more than the one directory that is left for what is beside the
 * store? */
static bool climbs(const char *source)
{
    unsigned up = 0;
    for (const char *part = source; part; part = strchr(part, '/')) {
        part += *part == '/';
        up += strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0');
    }
    return up > 1;
}

bool vz_source_is_outside(vz_hierarchy *hierarchy, const char *source, char **file, vz_error *err)
{
    *file = NULL;
    const char *own = vz_hierarchy_store(hierarchy)->path;
    size_t length = strlen(source);
    while (length > 1 && source[length - 1] == '/')
        length--;
    const bool absolute = *source == '/';
    if (absolute ? strlen(own) == length && strncmp(own, source, length) == 0 : !climbs(source))
        return true;
    *file = strdup(!absolute && strncmp(source, "../", 3) == 0 ? source + 3 : source);
    return *file || vz_fail_memory(err);
}

bool vz_source_find(const vz_hierarchy *hierarchy, const char *source, vz_source_kind *kind, char **file, vz_error *err)
{
    bool ok = true;
    *file = NULL;
    *kind = VZ_SOURCE_THIS_STORE;
    if (!*source || strcmp(source, ".") == 0)
        return true;
    if (*source == '/') {
        *kind = what_is_at(hierarchy, source, source);
        *file = strdup(source);
        ok = *file || vz_fail_memory(err);
    } else
        ok = find_relative(hierarchy, source, kind, file, err);
    if (!ok || *kind == VZ_SOURCE_THIS_STORE) {
        free(*file);
        *file = NULL;
    }
    return ok;
}

char *vz_source_path(vz_node *group, const char *target, vz_error *err)
{
    char *copy = strdup(target), *rest = copy, *part;
    vz_node *node = *target == '/' ? vz_hierarchy_root(group->hierarchy) : group;
    vz_error absent = VZ_ERROR_NONE;
    if (!copy)
        vz_fail_memory(err);
    while (node && rest && (part = strsep(&rest, "/"))) {
        if (!*part || strcmp(part, ".") == 0)
            continue;
        vz_link *link = node->kind == VZ_NODE_GROUP ? vz_group_find(node, part, &absent) : NULL;
        node = link && link->kind == VZ_LINK_NODE ? vz_link_node(node, link, &absent) : NULL;
    }
    char *path = copy && node ? vz_node_path(node, err) : NULL;
    free(copy);
    return path;
}
