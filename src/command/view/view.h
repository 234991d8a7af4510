/* view.h - a Zarr view of an HDF5 file. A store without most of its chunks, and a list of where
 * these lie, become a reference file. */
#ifndef VZ_VIEW_VIEW_H
#define VZ_VIEW_VIEW_H

#include "base/util/hash.h"
#include "command/convert/convert.h"
#include "hierarchy/nodes/node.h"
#include "store/store/byte_source.h"

/* The HDF5 file. */
typedef struct vz_view_source {
    const char *path;      /* borrowed */
    vz_byte_source here;   /* of a file of this machine */
    vz_byte_source *bytes; /* NULL: not open */
    int file;              /* -1: it is on a server */
    uint64_t size, device, inode;
    int64_t modified_ns; /* the time of its last change, on this machine */
    char *etag;          /* of its version, on a server; NULL: not known */
} vz_view_source;
bool vz_view_source_open(vz_view_source *source, const char *path, bool is_far, vz_error *err);
/* Its name in a view at `target`: the URL, if there is one, a path relative to the view, or an
 * absolute one. A file on a server has its own name. *leaves: our own readers do not go there
 * unless an option says so. The caller frees it. */
char *vz_view_name_source(const vz_view_source *source, const char *target, const char *url, bool relative,
                          bool *leaves, vz_error *err);
/* Is it the file that was opened, and unchanged? VZ_CHANGED. */
bool vz_view_source_check(const vz_view_source *source, vz_error *err);
void vz_view_source_close(vz_view_source *source);

/* Forms of views. */
typedef enum vz_view_form {
    VZ_VIEW_FILE,  /* a reference file, as kerchunk has them */
    VZ_VIEW_LINDI, /* a reference file with LINDI's conventions */
    VZ_VIEW_STORE, /* a store of ours, in which lists beside arrays have the references */
} vz_view_form;
/* The form of a view whose target is called so, unless a kind of store is asked for. VZ_INVALID:
 * there is no such kind. */
bool vz_view_find_form(const char *target, const char *container, vz_view_form *form, vz_error *err);

/* All of it is borrowed. */
typedef struct vz_view_request {
    vz_node *root;    /* of the store: documents, and elements that cannot be referred to */
    const char *list; /* file with the places of chunks (command/convert/convert.h) */
    const vz_view_source *source;
    const char *name;   /* of the source, in the view */
    const char *path;   /* of the view, which is not there yet; beside it may be made what is gone
                         * afterwards */
    const char *target; /* the path that it will have */
    vz_view_form form;
    const char *container; /* the kind of a store; NULL: what the target's name tells */
    vz_strmap *by_value;   /* receives paths of datasets whose chunks are not what Zarr stores: with
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
