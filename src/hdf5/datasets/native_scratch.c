/* native_scratch.c - native files in memory. */
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/h5/h5.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH ((size_t)1 << 16) /* bytes by which the file in memory grows */

static bool list_native(hid_t fapl)
{
    const hid_t native = H5VLget_connector_id_by_name(H5VL_NATIVE_NAME);
    const bool ok = native >= 0 && H5Pset_vol(fapl, native, NULL) >= 0 && H5Pset_fapl_core(fapl, GROWTH, false) >= 0;
    if (native >= 0)
        vz_h5_close_quietly(native);
    return ok;
}

/* No two files of one name may be open. Nothing of that name is made on disk. */
static char *unique_name(const char *beside)
{
    static atomic_uint number;
    char *name = NULL;
    size_t end = beside ? strlen(beside) : 0;
    while (end > 1 && beside[end - 1] == '/')
        end--;
    while (end > 0 && beside[end - 1] != '/')
        end--;
    return asprintf(&name, "%.*svol-zarr in memory %u", (int)end, beside ? beside : "", ++number) < 0 ? NULL : name;
}

hid_t vz_dataset_native_memory_file(const char *beside)
{
    char *name = unique_name(beside);
    const hid_t fapl = name ? H5Pcreate(H5P_FILE_ACCESS) : H5I_INVALID_HID;
    const bool ready = fapl >= 0 && list_native(fapl);
    const hid_t file = ready ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl) : H5I_INVALID_HID;
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    free(name);
    return file;
}
