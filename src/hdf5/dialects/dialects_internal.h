/* dialects_internal.h - the attribute zarr_dtype, and names that differ between Zarr formats. */
#ifndef VZ_DIALECTS_DIALECTS_INTERNAL_H
#define VZ_DIALECTS_DIALECTS_INTERNAL_H

#include "metadata/metadata/format.h"
#include "hdf5/dialects/dialects.h"

/* -- Zarr dtype --
 * The attribute zarr_dtype, which the plain dialect adds for other tools, and the attributes
 * that HDF5 must not see. */
/* hdmf-zarr's name of an element; inside: of a member of a compound. */
vz_json *vz_dialect_zarr_dtype_of_element(const vz_dtype *dtype, const vz_type_tree *layout, bool inside,
                                          vz_error *err);

/* The value of the zarr_dtype attribute of an array (hdmf-zarr's name of the element type). */
vz_json *vz_dialect_zarr_dtype_new(const vz_dtype *dtype, const vz_type_tree *layout, bool scalar, vz_error *err);

/* The value of zarr_dtype for a null dataspace. */
vz_json *vz_dialect_zarr_dtype_of_null(vz_error *err);

/* Sets the attribute zarr_dtype, a convention of format 2; vz_dialect_zarr_dtype_not_set drops the
 * value. */
bool vz_dialect_zarr_dtype_set(vz_node *node, vz_json *take, vz_error *err);
bool vz_dialect_zarr_dtype_not_set(vz_node *node, vz_json *take, vz_error *err);

/* Gives a text an entry if the user's name for it is HDMF's name of a reference. The entry keeps
 * it a text. */
bool vz_dialect_zarr_dtype_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry,
                                           vz_error *err);

/* dimension_numbers.c: the name of an axis of a scale of several dimensions, as netCDF's numbers
 * tell it; borrowed, NULL: they do not. */
const char *vz_dimensions_name_by_number(vz_node *node, unsigned axis);

typedef struct vz_dialect_zarr_names {
    int format;        /* of the Zarr format */
    const char *links; /* attribute of a group: the list of its links */
    bool link_ids;     /* entries of that list have places for ids of objects */
    const char *dtype; /* attribute of an array: the name of its type */
} vz_dialect_zarr_names;

/* The names of a Zarr format; of a format without a row those of the newest one with a row. */
const vz_dialect_zarr_names *vz_dialect_zarr_names_of(const vz_zarr_format *zarr_format);

/* lindi.c: LINDI's soft links, as the member read_links of vz_conventions. */
bool vz_dialect_lindi_links(vz_node *group, vz_error *err);

#endif
