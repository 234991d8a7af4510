/* view.h - a Zarr view of an HDF5 file: from a store without most of its chunks, and a list of
 * where these lie, to a reference file. */
#ifndef VZ_VIEW_VIEW_H
#define VZ_VIEW_VIEW_H

#include "base/util/hash.h"
#include "command/convert/convert.h"
#include "hierarchy/nodes/node.h"

/* The HDF5 file. */
typedef struct vz_view_source {
    const char *path; /* borrowed */
    int file;         /* -1: not open */
    uint64_t size, device, inode;
    int64_t modified_ns; /* the time of its last change */
} vz_view_source;
bool vz_view_source_open(vz_view_source *source, const char *path, vz_error *err);
/* Its name in a view at `target`: the URL, if there is one, a path relative to the view, or an
 * absolute one. *leaves: our own readers do not go there unless they are told. The caller's to
 * free. */
char *vz_view_name_source(const vz_view_source *source, const char *target, const char *url, bool relative,
                          bool *leaves, vz_error *err);
/* Is it the file that was opened, and unchanged? VZ_CHANGED. */
bool vz_view_source_check(const vz_view_source *source, vz_error *err);
void vz_view_source_close(vz_view_source *source);

/* All of it is borrowed. */
typedef struct vz_view_request {
    vz_node *root;    /* of the store: documents, and elements that cannot be referred to */
    const char *list; /* file with the places of chunks (command/convert/convert.h) */
    const vz_view_source *source;
    const char *name;    /* of the source, in the view */
    const char *path;    /* of the view, which is not there yet */
    vz_strmap *by_value; /* receives paths of datasets whose chunks are not what Zarr stores: with
                          * any, the view is to be made anew */
} vz_view_request;

typedef struct vz_view_counts {
    uint64_t references, inlined; /* chunks; bytes of elements that were copied */
    uint64_t bytes;               /* of the view */
} vz_view_counts;

/* The summary as a JSON object on standard output. */
bool vz_view_print_json(const char *target, const char *source, const vz_convert_counts *all,
                        const vz_view_counts *counts, vz_error *err);

bool vz_view_write(const vz_view_request *request, vz_view_counts *counts, vz_error *err);

#endif
