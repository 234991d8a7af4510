/* dialects_internal.h - what the conventions of plain Zarr tools and of hdmf-zarr are called where that differs between
 * the spellings of metadata: one row for each. */
#ifndef VZ_DIALECTS_DIALECTS_INTERNAL_H
#define VZ_DIALECTS_DIALECTS_INTERNAL_H

#include "metadata/metadata/format.h"
#include "hdf5/dialects/dialects.h"

/* -- Zarr dtype --
 * what the plain dialect adds for other tools, which is the attribute zarr_dtype, and what HDF5 must not
 * see of any dialect. */
/* hdmf-zarr's name of an element; inside: of a member of a compound. */
vz_json *vz_zarr_dtype_of_element(const vz_dtype *dtype, const vz_type_tree *layout, bool inside, vz_error *err);

/* The value of the zarr_dtype attribute of an array (hdmf-zarr's name of the element type). */
vz_json *vz_zarr_dtype_new(const vz_dtype *dtype, const vz_type_tree *layout, bool scalar, vz_error *err);

/* The same for a null dataspace. */
vz_json *vz_zarr_dtype_of_null(vz_error *err);

/* As the attribute zarr_dtype, which belongs to the conventions of format 2. */
bool vz_zarr_dtype_set(vz_node *node, vz_json *take, vz_error *err);
bool vz_zarr_dtype_not_set(vz_node *node, vz_json *take, vz_error *err);

/* A text that the user calls as HDMF calls a reference has an entry, by which it is shown as a text. */
bool vz_zarr_dtype_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry,
                                   vz_error *err);

typedef struct vz_zarr_names {
    int format;        /* of the spelling */
    const char *links; /* attribute of a group: the list of its links */
    bool link_ids;     /* entries of that list have places for ids of objects */
    const char *dtype; /* attribute of an array: the name of its type */
} vz_zarr_names;

/* Of a spelling without a row: those of the newest one that has a row. */
const vz_zarr_names *vz_zarr_names_of(const vz_spelling *spelling);

#endif
