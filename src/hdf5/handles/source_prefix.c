/* source_prefix.c - prefixes of source files, and the access list that shows them. */
#include "hdf5/handles/handle.h"
#include "hdf5/handles/locate.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/view.h"
#include "hdf5/h5/h5.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include "base/util/bytes.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define ORIGIN "${ORIGIN}"

static const char *environment(vz_prefix which)
{
    const char *text = vz_os_environment(which == VZ_PREFIX_VIRTUAL ? "HDF5_VDS_PREFIX" : "HDF5_EXTFILE_PREFIX");
    return text && *text ? text : NULL;
}

/* The prefix of the list itself, "" for none. */
static void listed(hid_t dapl, vz_prefix which, char *text, size_t size)
{
    const ssize_t length = VZ_H5_QUIETLY(which == VZ_PREFIX_VIRTUAL ? H5Pget_virtual_prefix(dapl, text, size)
                                                                    : H5Pget_efile_prefix(dapl, text, size));
    if (length <= 0 || (size_t)length >= size)
        *text = '\0';
}

/* The directory of the store, absolute, with its slash. */
static char *origin(const char *store, const char *rest)
{
    char *text = NULL, *whole = vz_os_path_absolute_if_known(store);
    const int made = whole ? asprintf(&text, "%.*s%s", (int)vz_os_directory_length(whole), whole, rest) : -1;
    free(whole);
    return made < 0 ? NULL : text;
}

char *vz_prefix_of(const vz_handle *handle, vz_prefix which)
{
    char own[PATH_MAX] = "";
    const char *text = environment(which);
    if (!text && handle->dapl >= 0)
        listed(handle->dapl, which, own, sizeof own);
    text = text ? text : own;
    if (strcmp(text, ".") == 0)
        text = "";
    return strncmp(text, ORIGIN, strlen(ORIGIN)) == 0 ? origin(handle->file->name, text + strlen(ORIGIN))
                                                      : strdup(text);
}

/* Another id of the same dataset. */
static const vz_handle *twin_of(const vz_handle *handle)
{
    for (const vz_handle *other = vz_handles_first(); other; other = other->next)
        if (other != handle && other->node == handle->node && other->object.type == H5I_DATASET)
            return other;
    return NULL;
}

bool vz_prefix_agrees(const vz_handle *handle, vz_error *err)
{
    const vz_handle *other = vz_sources_kind_of(handle->node) == VZ_SOURCES_EXTERNAL ? twin_of(handle) : NULL;
    if (!other)
        return true;
    char *own = vz_prefix_of(handle, VZ_PREFIX_EXTERNAL), *others = vz_prefix_of(other, VZ_PREFIX_EXTERNAL);
    const bool equal = own && others && strcmp(own, others) == 0;
    if (!own || !others)
        vz_fail_memory(err);
    else if (!equal)
        vz_fail(err, VZ_INVALID, "the dataset is open with another prefix of external files: \"%.200s\"", others);
    free(own);
    free(others);
    return equal;
}

static bool check_external(const vz_named *named, const char *prefix, bool writing, vz_error *err)
{
    char *path = NULL;
    const bool whole = *named->name == '/';
    if (asprintf(&path, "%s%s%s", whole ? "" : prefix, whole || !*prefix ? "" : "/", named->name) < 0)
        return vz_fail_memory(err);
    const bool creates = writing || named->by == VZ_NAMER_REMOTE_STORE;
    const bool ok = vz_named_check_path(named, path, creates, err);
    free(path);
    return ok || (err->class == VZ_NOT_FOUND && (*err = VZ_ERROR_NONE, true)); /* HDF5 says it */
}

bool vz_prefix_check_external(const vz_handle *handle, bool writing, vz_error *err)
{
    const char *name;
    vz_named named = vz_file_named(handle->file, "");
    char *prefix = vz_named_may_leave(&named) ? NULL : vz_prefix_of(handle, VZ_PREFIX_EXTERNAL);
    if (!prefix)
        return vz_named_may_leave(&named) || vz_fail_memory(err);
    named.prefix = *prefix ? prefix : NULL;
    bool ok = true;
    for (size_t i = 0; ok && (name = vz_external_name(handle->node, i)); i++) {
        named.name = name;
        ok = check_external(&named, prefix, writing, err);
    }
    free(prefix);
    return ok;
}

static bool show_prefix(const vz_handle *handle, vz_prefix which, hid_t dapl, vz_error *err)
{
    char before[PATH_MAX] = "";
    char *text = vz_prefix_of(handle, which);
    if (!text)
        return vz_fail_memory(err);
    listed(dapl, which, before, sizeof before);
    const bool ok = strcmp(text, before) == 0 || (which == VZ_PREFIX_VIRTUAL ? H5Pset_virtual_prefix(dapl, text)
                                                                             : H5Pset_efile_prefix(dapl, text)) >= 0;
    free(text);
    return ok || vz_fail_hdf5(err);
}

/* As HDF5: of a chunked dataset the cache that is used, where what the list leaves open is the
 * file's; else nothing. */
static bool tell_cache(const vz_handle *handle, hid_t dapl, vz_error *err)
{
    size_t slots = H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes = H5D_CHUNK_CACHE_NBYTES_DEFAULT, file_slots, file_bytes;
    double preemption = H5D_CHUNK_CACHE_W0_DEFAULT, file_preemption;
    const hid_t fapl = handle->file->fapl;
    if (vz_dataset_layout(handle->node) != H5D_CHUNKED)
        return H5Pset_chunk_cache(dapl, slots, bytes, preemption) >= 0 || vz_fail_hdf5(err);
    /* H5Pget_chunk_cache answers with the default file's values where the list leaves them open. */
    if (H5Pget(dapl, "rdcc_nslots", &slots) < 0 || H5Pget(dapl, "rdcc_nbytes", &bytes) < 0 ||
        H5Pget(dapl, "rdcc_w0", &preemption) < 0 || H5Pget(fapl, "rdcc_nslots", &file_slots) < 0 ||
        H5Pget(fapl, "rdcc_nbytes", &file_bytes) < 0 || H5Pget(fapl, "rdcc_w0", &file_preemption) < 0)
        return vz_fail_hdf5(err);
    if (slots == H5D_CHUNK_CACHE_NSLOTS_DEFAULT)
        slots = file_slots;
    if (bytes == H5D_CHUNK_CACHE_NBYTES_DEFAULT)
        bytes = file_bytes;
    if (preemption < 0)
        preemption = file_preemption;
    return H5Pset_chunk_cache(dapl, slots, bytes, preemption) >= 0 || vz_fail_hdf5(err);
}

hid_t vz_handle_dapl(const vz_handle *handle, vz_error *err)
{
    const hid_t dapl = H5Pcopy(handle->dapl >= 0 ? handle->dapl : H5P_DATASET_ACCESS_DEFAULT);
    if (dapl < 0)
        vz_fail_hdf5(err);
    if (dapl < 0 || (show_prefix(handle, VZ_PREFIX_VIRTUAL, dapl, err) &&
                     show_prefix(handle, VZ_PREFIX_EXTERNAL, dapl, err) && tell_cache(handle, dapl, err)))
        return dapl;
    vz_h5_close_quietly(dapl);
    return H5I_INVALID_HID;
}
