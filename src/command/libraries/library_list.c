/* library_list.c - a list of files, each once. */
#include "command/libraries/libraries_internal.h"
#include "base/os/file.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARIES_MAX 256 /* of one search */

/* The other libraries of HDF5, and builds for MPI, which want a program that runs under it. */
static bool is_c_library(const char *file)
{
    static const char *const others[] = {"_hl", "_cpp", "_fortran", "_tools", "mpich", "openmpi", "_java"};
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i]))
            return false;
    return true;
}

bool vz_libraries_add(vz_libraries *found, const char *file, const char *where, vz_error *err)
{
    char real[PATH_MAX];
    if (!vz_os_realpath(file, real))
        return true; /* a link that leads nowhere */
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].file, real) == 0)
            return true;
    if (found->count == LIBRARIES_MAX)
        return true;
    if (found->count == found->capacity) {
        const size_t capacity = found->capacity ? 2 * found->capacity : 8;
        vz_library *items = realloc(found->items, capacity * sizeof *items);
        if (!items)
            return vz_fail_memory(err);
        found->items = items;
        found->capacity = capacity;
    }
    vz_library *added = &found->items[found->count];
    *added = (vz_library){strdup(real), strdup(where)};
    if (added->file && added->where) {
        found->count++;
        return true;
    }
    free(added->file);
    free(added->where);
    return vz_fail_memory(err);
}

void vz_libraries_clear(vz_libraries *found)
{
    for (size_t i = 0; i < found->count; i++) {
        free(found->items[i].file);
        free(found->items[i].where);
    }
    free(found->items);
    *found = (vz_libraries){0};
}

/* Higher versions first: the later names of a sorted list, as libhdf5.so.310 comes after
 * libhdf5.so.103. */
bool vz_libraries_add_matches(vz_libraries *found, const char *pattern, const char *where, vz_error *err)
{
    vz_os_matches matches;
    bool ok = vz_os_glob(pattern, &matches) == 0 || vz_fail_memory(err);
    for (size_t i = matches.count; ok && i-- > 0;)
        if (is_c_library(matches.paths[i]))
            ok = vz_libraries_add(found, matches.paths[i], where, err);
    vz_os_glob_free(&matches);
    return ok;
}
