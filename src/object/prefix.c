/* prefix.c - prefixes of source files, and the access list that tells them. */
#include "object/prefix.h"
#include "h5/errors.h"
#include "object/file_search.h"
#include "store/path.h"
#include "util/bytes.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define ORIGIN "${ORIGIN}"

static const char *environment(vz_prefix which)
{
    const char *text = getenv(which == VZ_PREFIX_VIRTUAL ? "HDF5_VDS_PREFIX" : "HDF5_EXTFILE_PREFIX");
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
    char *text = NULL, *whole = vz_path_absolute_if_known(store);
    const int made = whole ? asprintf(&text, "%.*s%s", (int)vz_directory_length(whole), whole, rest) : -1;
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

static bool tell(const vz_handle *handle, vz_prefix which, hid_t dapl, vz_error *err)
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

hid_t vz_dataset_dapl(const vz_handle *handle, vz_error *err)
{
    const hid_t dapl = H5Pcopy(handle->dapl >= 0 ? handle->dapl : H5P_DATASET_ACCESS_DEFAULT);
    if (dapl < 0)
        vz_fail_hdf5(err);
    if (dapl < 0 || (tell(handle, VZ_PREFIX_VIRTUAL, dapl, err) && tell(handle, VZ_PREFIX_EXTERNAL, dapl, err)))
        return dapl;
    vz_h5_close_quietly(dapl);
    return H5I_INVALID_HID;
}
