/* probe_library.c - a small store through an HDF5 library. */
#include "command/convert/convert.h"
#include "command/convert/convert_internal.h"
#include "H5VLzarr.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS 4

static bool make(const char *path, const int *numbers, vz_error *err)
{
    const hsize_t count = NUMBERS;
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t file = fapl >= 0 && H5Pset_fapl_zarr(fapl, NULL) >= 0 ? H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, fapl)
                                                                      : H5I_INVALID_HID;
    const hid_t space = file < 0 ? file : H5Screate_simple(1, &count, NULL);
    const hid_t dataset =
        space < 0 ? space : H5Dcreate2(file, "numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0;
    vz_convert_id_close(dataset);
    vz_convert_id_close(space);
    if (file >= 0)
        ok = H5Fclose(file) >= 0 && ok;
    if (!ok)
        vz_convert_h5_fail(err, "a store cannot be made");
    vz_convert_id_close(fapl);
    return ok;
}

/* As a program does that knows nothing of us. */
static bool find(const char *path, const int *numbers, vz_error *err)
{
    int read[NUMBERS] = {0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = file < 0 ? file : H5Dopen2(file, "numbers", H5P_DEFAULT);
    const bool ok = dataset >= 0 && H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0;
    if (!ok)
        vz_convert_h5_fail(err, "a store is not found by the plugin path alone");
    vz_convert_id_close(dataset);
    if (file >= 0)
        H5Fclose(file);
    return ok && (memcmp(read, numbers, sizeof read) == 0 || vz_fail(err, VZ_CORRUPT, "a store has other values"));
}

void vz_probe_library(const char *file, const char *plugin, const char *directory, vz_probe_result *probe)
{
    static const int numbers[NUMBERS] = {2, 3, 5, 7};
    char path[PATH_MAX];
    vz_error err = VZ_ERROR_NONE;
    *probe = (vz_probe_result){0};
    const int length = snprintf(path, sizeof path, "%s/probe.zarr", directory);
    const bool fits = length > 0 && (size_t)length < sizeof path;
    const bool is_loaded = vz_library_load(file, &probe->version, &err);
    probe->finds = is_loaded && vz_library_looks_in(plugin);
    if (is_loaded && vz_convert_register(plugin, &err)) {
        probe->loads = true;
        probe->works = fits && make(path, numbers, &err) && find(path, numbers, &err);
    }
    snprintf(probe->why, sizeof probe->why, "%s", err.text);
}
