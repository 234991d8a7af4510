/* dialects_internal.h - what the conventions of plain Zarr tools and of hdmf-zarr are called where that differs between the
 * spellings of metadata: one row for each. */
#ifndef VZ_DIALECTS_DIALECTS_INTERNAL_H
#define VZ_DIALECTS_DIALECTS_INTERNAL_H

#include "metadata/metadata/format.h"

typedef struct vz_zarr_names {
    int format;        /* of the spelling */
    const char *links; /* attribute of a group: the list of its links */
    bool link_ids;     /* entries of that list have places for ids of objects */
    const char *dtype; /* attribute of an array: the name of its type */
} vz_zarr_names;

/* Of a spelling without a row: those of the newest one that has a row. */
const vz_zarr_names *vz_zarr_names_of(const vz_spelling *spelling);

#endif
