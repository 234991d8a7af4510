/* zarr_names.c - names of attributes that differ between Zarr formats. */
#include "hdf5/dialects/dialects_internal.h"

static const vz_dialect_zarr_names rows[] = {
    {.format = 3, .links = "_LINKS", .dtype = "_DTYPE"},
    {.format = 2, .links = "zarr_link", .link_ids = true, .dtype = "zarr_dtype"},
};

const vz_dialect_zarr_names *vz_dialect_zarr_names_of(const vz_zarr_format *zarr_format)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].format == zarr_format->format)
            return &rows[i];
    return &rows[0];
}
