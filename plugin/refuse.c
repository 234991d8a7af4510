/* refuse.c - the class for a host that the connector cannot serve. HDF5 itself says that opening
 * and creating failed; a name's search over all plugins goes on. */
#include "host.h"
#include "H5VLzarr.h"
#include <stdio.h>

static herr_t no_flags(const void *info, uint64_t *flags)
{
    (void)info;
    *flags = 0;
    return 0;
}

static herr_t no_option(void *object, H5VL_subclass_t subclass, int op, uint64_t *flags)
{
    (void)object, (void)subclass, (void)op;
    *flags = 0;
    return 0;
}

static herr_t not_accessible(void *object, H5VL_file_specific_args_t *args, hid_t dxpl, void **request)
{
    (void)object, (void)dxpl, (void)request;
    if (args->op_type != H5VL_FILE_IS_ACCESSIBLE)
        return -1;
    *args->args.is_accessible.accessible = false;
    return 0;
}

static herr_t own_class(void *object, H5VL_get_conn_lvl_t level, const H5VL_class_t **class);

static const H5VL_class_t refusing_class = {
    .version = H5VL_VERSION,
    .value = H5VL_ZARR_VALUE,
    .name = H5VL_ZARR_NAME,
    .conn_version = H5VL_ZARR_VERSION,
    .file_cls = {.specific = not_accessible},
    .introspect_cls = {.get_conn_cls = own_class, .get_cap_flags = no_flags, .opt_query = no_option},
};

static herr_t own_class(void *object, H5VL_get_conn_lvl_t level, const H5VL_class_t **class)
{
    (void)object, (void)level;
    *class = &refusing_class;
    return 0;
}

const H5VL_class_t *vz_refuse(const vz_host *host, const char *why)
{
    fprintf(stderr, "vol-zarr: cannot work with %s: %s\n", host->file, why);
    return &refusing_class;
}
