/* stored_name_list.c - see handle.h. */
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/handle.h"
#include "hdf5/h5/h5.h"

#define PROPERTY "vol-zarr named by"

vz_named vz_file_named(const vz_file *file, const char *name)
{
    vz_named named = vz_hierarchy_named(file->hierarchy, name);
    if (named.by == VZ_NAMER_REMOTE_STORE)
        named.store = file->whole_name; /* beside which names are looked for */
    return named;
}

static htri_t has(hid_t fapl)
{
    return fapl <= 0 ? 0 : VZ_H5_QUIETLY(H5Pexist(fapl, PROPERTY));
}

bool vz_names_list_put(hid_t fapl, const vz_named *named)
{
    const vz_named *value = named;
    if (has(fapl) > 0)
        return H5Pset(fapl, PROPERTY, &value) >= 0;
    return H5Pinsert2(fapl, PROPERTY, sizeof value, &value, NULL, NULL, NULL, NULL, NULL, NULL) >= 0;
}

bool vz_file_mark_get(hid_t fapl, vz_named *named)
{
    const vz_named *value = NULL;
    if (has(fapl) <= 0 || VZ_H5_QUIETLY(H5Pget(fapl, PROPERTY, &value)) < 0 || !value)
        return false;
    *named = *value;
    return true;
}

void vz_file_mark_drop(hid_t fapl)
{
    if (has(fapl) > 0)
        VZ_H5_QUIETLY(H5Premove(fapl, PROPERTY));
}
