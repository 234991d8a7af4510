/* info.c - the connector's info object: an option string. HDF5 copies, compares, prints and
 * frees it here. These callbacks make no HDF5 call but allocation, and a wrong option is only
 * reported by the first create or open: a program must start. */
#include "H5VLzarr.h"
#include "base/os/process.h"
#include "hdf5/vol/vol_internal.h"
#include <stdlib.h>

enum { STRICT = '!' }; /* H5Pset_fapl_zarr: a wrong string fails at once */

/* HDF5 copies the info with each access list, and where a copy fails it frees the original
 * twice. So each option string that a program uses is kept once until the process ends, and
 * copying what is kept cannot fail. HDF5 holds its lock around these callbacks. */
struct kept {
    H5VL_zarr_info_t info; /* what HDF5 holds */
    struct kept *next;
    char options[];
};
static struct kept *all_kept;

static H5VL_zarr_info_t *keep(const char *options)
{
    for (struct kept *kept = all_kept; kept; kept = kept->next)
        if (strcmp(kept->options, options) == 0)
            return &kept->info;
    const size_t size = strlen(options) + 1;
    struct kept *kept = malloc(sizeof *kept + size);
    if (!kept)
        return NULL;
    memcpy(kept->options, options, size);
    kept->info = (H5VL_zarr_info_t){.version = H5VL_ZARR_INFO_VERSION, .options = *options ? kept->options : NULL};
    kept->next = all_kept;
    all_kept = kept;
    return &kept->info;
}

static const char *text_of(const H5VL_zarr_info_t *info)
{
    return info && info->options ? info->options : "";
}

/* An info object that a program made itself (H5Pset_vol) is kept; its copy is the same object. */
static void *info_copy(const void *info)
{
    return keep(text_of(info));
}

static herr_t info_cmp(int *result, const void *a, const void *b)
{
    *result = strcmp(text_of(a), text_of(b));
    return 0;
}

static herr_t info_free(void *info)
{
    (void)info;
    return 0;
}

/* The library frees the text with free(). */
static herr_t info_to_str(const void *info, char **text)
{
    *text = strdup(text_of(info));
    return *text ? 0 : -1;
}

static bool options_are_right(const char *text)
{
    vz_options options;
    vz_options_init(&options, vz_os_environment_all(), NULL);
    return vz_options_parse(&options, text, NULL);
}

static herr_t info_from_str(const char *text, void **info)
{
    const int errno_before = errno;
    text = text ? text : "";
    *info = *text != STRICT || options_are_right(++text) ? keep(text) : NULL;
    errno = errno_before;
    return *info ? 0 : -1;
}

const H5VL_info_class_t vz_vol_info_class = {
    .size = sizeof(H5VL_zarr_info_t),
    .copy = info_copy,
    .cmp = info_cmp,
    .free = info_free,
    .to_str = info_to_str,
    .from_str = info_from_str,
};

/* An info object made by a newer header may have members that we do not know. */
static bool parse_info(const H5VL_zarr_info_t *info, vz_options *options, vz_error *err)
{
    if (info->version != H5VL_ZARR_INFO_VERSION)
        return vz_fail(err, VZ_UNSUPPORTED, "connector info of version %u", info->version);
    return vz_options_parse(options, text_of(info), err);
}

bool vz_vol_options(hid_t fapl, vz_options *options, vz_error *err)
{
    void *info = NULL;
    if (!vz_options_init(options, vz_os_environment_all(), err))
        return false;
    if (H5Pget_vol_info(fapl, &info) < 0)
        return vz_fail(err, VZ_HDF5, "no connector info in the access list");
    return !info || parse_info(info, options, err);
}
