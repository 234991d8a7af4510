/* drop_in_parents.c - a store may lie in a group of another one, whose consolidated metadata
 * then lists what was in ours. Readers of that copy trust it, so it goes before ours changes;
 * what it says is never looked at here. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"

/* A document that nobody can read shows no copy. */
bool vz_consolidated_drop_in(vz_store *store, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = true;
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS; i++) {
        uint64_t unknown = 0;
        vz_json *removed = NULL;
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        failed = VZ_ERROR_NONE;
        ok = zarr_format->consolidated ? vz_store_del(store, zarr_format->consolidated, &failed)
                                       : vz_document_drop_copy(store, zarr_format, "", &unknown, &removed, &failed) ||
                                             failed.class == VZ_CORRUPT;
        vz_json_free(removed);
    }
    if (!ok && err)
        *err = failed;
    return ok;
}

/* `above`: the group that `store` lies in, as it was looked at. */
static bool drop_over(vz_store *store, const vz_store *above, vz_error *err)
{
    vz_store *opened = vz_store_above(store, true, err);
    const bool ok =
        opened && (!vz_identity_equal(&opened->identity, &above->identity) || vz_consolidated_drop_in(opened, err));
    vz_store_close(opened);
    return ok;
}

bool vz_consolidated_drop_above(vz_store *store, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_store *here = store, *above = vz_document_group_above(store, &failed);
    while (above && failed.class == VZ_OK) {
        if (vz_store_is_own(above))
            drop_over(here, above, &failed);
        if (here != store)
            vz_store_close(here);
        here = above;
        above = failed.class == VZ_OK ? vz_document_group_above(here, &failed) : NULL;
    }
    if (here != store)
        vz_store_close(here);
    vz_store_close(above);
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}
