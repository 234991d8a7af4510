/* consolidated_above.c - a store may lie in a group of another one, whose copy of all documents then lists what was in
 * ours. Readers of that copy trust it, so it goes before ours changes; what it says is never looked at here. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/location.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const char *directory)
{
    struct stat status;
    return stat(directory, &status) == 0 && status.st_uid == geteuid() && access(directory, W_OK) == 0;
}

static bool drop_at(const char *directory, vz_error *err)
{
    vz_store *store = vz_store_open_directory(directory, true, err);
    uint64_t unknown = 0;
    vz_json *removed = NULL;
    const bool ok = store && vz_store_del(store, VZ_DOCUMENT_CONSOLIDATED, err) &&
                    vz_v3_drop_consolidated(store, "", &unknown, &removed, err);
    vz_json_free(removed);
    vz_store_close(store);
    return ok;
}

bool vz_consolidated_drop_above(const char *path, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *above = vz_path_group_above(path, &failed);
    while (above && failed.class == VZ_OK) {
        if (is_ours(above))
            drop_at(above, &failed);
        char *next = failed.class == VZ_OK ? vz_path_group_above(above, &failed) : NULL;
        free(above);
        above = next;
    }
    free(above);
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}
