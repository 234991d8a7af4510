/* web_internal.h - keys of a store on a web server; for the files that find them. */
#ifndef VZ_SYNC_WEB_INTERNAL_H
#define VZ_SYNC_WEB_INTERNAL_H

#include "command/sync/sync_internal.h"
#include "metadata/metadata/format.h"

#define VZ_SYNC_KEY_MAX 4096 /* bytes of a key */

struct vz_sync_web {
    const vz_zarr_format *zarr_format;
    vz_store *documents; /* in memory: keys that have to be there */
    vz_strmap *arrays;   /* prefix -> vz_meta */
};

/* web_names.c: are its chunks few enough to be asked for? */
bool vz_sync_web_check_grid(const vz_meta *meta, vz_error *err);

#endif
