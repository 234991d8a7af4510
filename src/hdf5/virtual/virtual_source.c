/* virtual_source.c - opening the sources of virtual datasets. */
#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/locate.h"
#include "hdf5/virtual/virtual_internal.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

static _Thread_local unsigned depth;
static _Thread_local bool too_deep; /* since the outermost one was entered */

/* Of the records of so many calls one is enough; more than HDF5's stack holds it would lose. */
static bool fail_deep(vz_error *err)
{
    H5Eclear2(H5E_DEFAULT);
    return vz_fail(err, VZ_LIMIT, "virtual datasets are nested deeper than %d, or each in the other", VZ_VIRTUAL_DEPTH);
}

bool vz_virtual_enter(vz_error *err)
{
    if (depth == 0)
        too_deep = false;
    too_deep = too_deep || depth >= VZ_VIRTUAL_DEPTH;
    if (too_deep)
        return fail_deep(err);
    depth++;
    return true;
}

void vz_virtual_leave(void)
{
    depth--;
}

bool vz_virtual_failed(vz_error_class class, const char *text, vz_error *err)
{
    return too_deep ? fail_deep(err) : vz_fail(err, class, "%s", text);
}

/* ---- names ---- */

static char *name_of(const vz_virtual_mapping *m, bool of_file)
{
    const ssize_t length = of_file ? H5Pget_virtual_filename(m->list, m->index, NULL, 0)
                                   : H5Pget_virtual_dsetname(m->list, m->index, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    if (name && of_file)
        H5Pget_virtual_filename(m->list, m->index, name, (size_t)length + 1);
    else if (name)
        H5Pget_virtual_dsetname(m->list, m->index, name, (size_t)length + 1);
    return name;
}

/* "%b" becomes the number of the block, where blocks are numbered, and "%%" a percent sign. */
static char *expand(char *name, bool pattern, hsize_t number)
{
    char digits[24], *out;
    size_t size = 1, length = 0;
    if (!name)
        return NULL;
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (const char *p = name; *p; p++)
        size += *p == '%' ? sizeof digits : 1;
    out = malloc(size);
    for (const char *p = name; out && *p; p++) {
        if (p[0] == '%' && p[1] == 'b' && pattern)
            length += (size_t)snprintf(out + length, size - length, "%s", digits);
        else
            out[length++] = *p;
        p += p[0] == '%' && ((p[1] == 'b' && pattern) || p[1] == '%');
    }
    if (out)
        out[length] = '\0';
    free(name);
    return out;
}

/* ---- files ---- */

/* As native: the access list of the file that has the dataset, which also opens HDF5 files, and
 * the weak degree. */
static hid_t access_list(const vz_file *file)
{
    const hid_t fapl = H5Pcopy(file->fapl), own = vz_native_own_connector();
    hid_t connector = H5I_INVALID_HID;
    bool ok = fapl >= 0 && H5Pget_vol_id(fapl, &connector) >= 0;
    if (ok) {
        const bool is_ours = connector == own;
        vz_h5_close_quietly(connector);
        ok = (is_ours || H5Pset_vol(fapl, own, NULL) >= 0) && H5Pset_fclose_degree(fapl, H5F_CLOSE_WEAK) >= 0;
    }
    if (ok || fapl < 0)
        return fapl;
    vz_h5_close_quietly(fapl);
    return H5I_INVALID_HID;
}

hid_t vz_virtual_file_open(const vz_handle *handle, const vz_named *named, const char *name, vz_error *err)
{
    char *prefix = vz_prefix_of(handle, VZ_PREFIX_VIRTUAL);
    const hid_t fapl = prefix ? access_list(handle->file) : H5I_INVALID_HID;
    hid_t file = H5I_INVALID_HID;
    if (fapl >= 0) {
        const vz_file_search where = {.environment = "HDF5_VDS_PREFIX",
                                      .prefix = prefix,
                                      .beside = handle->file->whole_name,
                                      .named = named,
                                      .flags = vz_file_flags_beside(handle->file) & (H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE),
                                      .fapl = fapl};
        file = vz_file_search_open(&where, name, err);
        vz_h5_close_quietly(fapl);
    }
    free(prefix);
    return file;
}

static hid_t open_file(const vz_handle *handle, const char *name, vz_error *err)
{
    const vz_named named = vz_file_named(handle->file, name);
    return vz_virtual_file_open(handle, &named, name, err);
}

hid_t vz_virtual_source_dapl(const vz_handle *handle)
{
    return handle->dapl >= 0 ? handle->dapl : H5P_DATASET_ACCESS_DEFAULT;
}

/* A source that exists and cannot be read is an error. It is not missing, so it does not show
 * the fill value. */
static hid_t open_dataset(const vz_handle *handle, hid_t from, const char *file, const char *name, vz_error *err)
{
    const hid_t dataset = VZ_H5_QUIETLY(H5Dopen2(from, name, vz_virtual_source_dapl(handle)));
    if (dataset < 0 && !too_deep && VZ_H5_QUIETLY(H5Oexists_by_name(from, name, H5P_DEFAULT)) > 0)
        vz_fail(err, VZ_INVALID,
                "the source \"%.200s\" in \"%.200s\" of a virtual dataset is not a dataset that can be opened", name,
                file);
    return dataset;
}

hid_t vz_virtual_source_open(const vz_handle *handle, const vz_virtual_mapping *m, hsize_t number, bool *missing,
                             vz_error *err)
{
    const bool pattern = vz_virtual_mapping_is_pattern(m);
    char *file = expand(name_of(m, true), pattern, number), *name = expand(name_of(m, false), pattern, number);
    hid_t from = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
    *missing = false;
    if (!file || !name)
        vz_fail_memory(err);
    else if (strcmp(file, ".") == 0)
        from = vz_handle_id_open(handle->file, handle->file->start, err);
    else
        from = open_file(handle, file, err);
    if (from >= 0) {
        dataset = open_dataset(handle, from, file, name, err);
        vz_h5_close_quietly(from);
    }
    if (dataset < 0 && too_deep)
        fail_deep(err);
    *missing = dataset < 0 && err->class == VZ_OK;
    if (*missing) /* what was looked for in vain is no reason of what fails later */
        H5Eclear2(H5E_DEFAULT);
    free(file);
    free(name);
    return dataset;
}
