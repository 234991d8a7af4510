/* netcdf_internal.h - the table of a group's dimensions, and what follows from it. */
#ifndef VZ_NETCDF_NETCDF_INTERNAL_H
#define VZ_NETCDF_NETCDF_INTERNAL_H

#include "base/util/hash.h"
#include "base/util/json.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/stored_form.h"

#define VZ_FILL_ATTRIBUTE "_FillValue"

/* Of the root, by the netCDF libraries. */
#define VZ_NETCDF_PROPERTIES "_NCProperties"

/* An array that has the name of a dimension and is not its scale is shown with this prefix. */
#define VZ_NETCDF_NON_COORD "_nc4_non_coord_"

typedef struct vz_netcdf_array {
    vz_node *node;  /* borrowed */
    char *name;     /* without VZ_NETCDF_NON_COORD */
    vz_json *names; /* of its dimensions, as many as its rank; NULL only while the table is made */
    bool is_scalar; /* NCZarr's form of a scalar: one element, no dimension */
} vz_netcdf_array;

/* An axis of an array of the table. */
typedef struct vz_netcdf_use {
    size_t array; /* its place in the table */
    unsigned axis;
} vz_netcdf_use;

typedef struct vz_netcdf_dimension {
    char *name;
    uint64_t length;
    bool unlimited;
    bool is_declared; /* by NCZarr's description of the group */
    vz_node *scale;   /* its variable, of this group; NULL: a dataset without data, or `path` */
    char *path;       /* of the scale in a group above; NULL: it is in this group */
    size_t use_count, use_room;
    vz_netcdf_use *uses; /* in the order of arrays */
} vz_netcdf_dimension;

/* The arrays and dimensions of a group. Begins as {0}. */
typedef struct vz_netcdf_table {
    vz_node *group;
    bool qualifies; /* all arrays have full lists of valid names that agree in length; else the
                     * table is empty */
    size_t array_count, dimension_count, dimension_room, array_room;
    vz_netcdf_array *arrays;
    vz_netcdf_dimension *dimensions;                /* NCZarr's order, then that of arrays by
                                                     * name */
    vz_strmap *dimensions_by_name, *arrays_by_name; /* places, counted from 1; NULL: empty */
} vz_netcdf_table;

/* Makes the table from the arrays of a listed group, all of which are loaded for it, in their
 * present state. Groups that are other conventions' (AnnData, HDMF, OME-Zarr) do not qualify. */
bool vz_netcdf_table_make(vz_netcdf_table *table, vz_node *group, vz_error *err);
void vz_netcdf_table_clear(vz_netcdf_table *table);
/* NULL: there is none. */
const vz_netcdf_dimension *vz_netcdf_find(const vz_netcdf_table *table, const char *name);

/* The names of an array's dimensions as its document and attributes say them, new; *is_scalar: it
 * is NCZarr's scalar, of no name. NULL without an error: it has no full list of valid names. */
vz_json *vz_netcdf_names(const vz_node *array, bool *is_scalar, vz_error *err);

/* Facts that an array of the table shows beyond its own document. For vz_node_set_derived: {name:
 * [value, entry in the annotation or null, value in the document or null]}. NULL: failed. */
vz_json *vz_netcdf_derive(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_error *err);
/* Facts that the dataset of a dimension without a variable shows. */
vz_json *vz_netcdf_derive_dimension(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_error *err);

/* derive.c: a reference to the object at a path, new. */
vz_json *vz_netcdf_reference(const char *path, vz_error *err);
/* Appends to what will be REFERENCE_LIST that the array at the path uses the scale. */
bool vz_netcdf_append_use(vz_json *list, const char *path, unsigned axis, vz_error *err);
/* CLASS and NAME; DIMENSION_LIST and REFERENCE_LIST, of which an empty one is not shown. */
bool vz_netcdf_add_scale(vz_json *derived, const char *name, vz_error *err);
bool vz_netcdf_add_list(vz_json *derived, vz_json *take, vz_error *err);
bool vz_netcdf_add_users(vz_json *derived, vz_json *take, vz_error *err);

/* scale_users.c: a scale that is derived shows its users in groups below, too. */
bool vz_netcdf_find_users(vz_node *scale, vz_error *err);

/* A failure to read a node, after which the node counts as absent. False: it says nothing of the
 * node (there was no memory, or a server failed for a moment), and is the caller's failure, too. */
static inline bool vz_netcdf_is_answer(const vz_error *failed, vz_error *err)
{
    if (failed->class != VZ_NO_MEMORY && failed->class != VZ_TRANSIENT)
        return true;
    if (err && err->class == VZ_OK)
        *err = *failed;
    return false;
}

/* names.c */
bool vz_netcdf_is_name(const char *name);        /* that a dataset of HDF5 can have */
bool vz_netcdf_says_names(const vz_node *array); /* is there a list of names at all? */

/* qualify.c: may what is in the group be netCDF's, as far as it and those above say? */
bool vz_netcdf_may_qualify(vz_node *group);
/* Is it, or a group above, another convention's? NULL: no. */
bool vz_netcdf_is_others(const vz_node *group);
bool vz_netcdf_is_nczarr(const vz_node *node); /* did netCDF-C write the store, or this node? */

/* derived_item.c: adds [value, entry, stored] under a name; takes all three, NULL for none. */
bool vz_netcdf_add(vz_json *derived, const char *name, vz_json *value, vz_json *entry, vz_json *stored, vz_error *err);

/* reserved.c: attributes of the document that have names of dimension scales give way. */
bool vz_netcdf_derive_reserved(const vz_node *node, vz_json *derived, vz_error *err);

/* missing_value.c: the attribute as it stands in the document, a list of one as its value;
 * borrowed. */
const vz_json *vz_netcdf_fill_attribute(const vz_node *array);
/* Adds `_FillValue` to what is derived. */
bool vz_netcdf_derive_missing(const vz_node *array, vz_json *derived, vz_error *err);
/* Is that a number as xarray spells it in format 3? */
bool vz_netcdf_is_spelled_float(const vz_json *value, double *number);

/* labels.c: shows the names of dimensions as labels, if nothing was derived for the array. With
 * `all` labels of format 2, too, as the arrays of its group are not known. */
bool vz_netcdf_label(vz_node *array, bool all, vz_error *err);

/* attribute_types.c: adds the attributes of which NCZarr says another type than their JSON has. */
bool vz_netcdf_derive_types(const vz_node *node, vz_json *derived, vz_error *err);
/* Adds the attributes that are ASCII text, as characters. */
bool vz_netcdf_derive_texts(const vz_node *node, vz_json *derived, vz_error *err);
/* Before a node is written: text that HDF5 programs wrote keeps its type. */
bool vz_netcdf_keep_texts(vz_node *node, vz_error *err);

/* stored_form.c: is the array in a store that gets names of dimensions? */
bool vz_netcdf_is_array(const vz_node *array);
/* The node and the groups above it are netCDF's. */
bool vz_netcdf_mark(vz_node *node, vz_error *err);

/* stored_form.c: all but the place of its annotation, of an array that is one of netCDF's. */
bool vz_netcdf_form_array(vz_node *array, vz_error *err);

/* stored_dimension.c: a dimension without a variable that is an array of the store, as version 0.1
 * has it, goes to its group's annotation (*leaves). */
bool vz_netcdf_leave_store(vz_node *array, bool *leaves, vz_error *err);

/* stored_note.c: the annotation of a changed array goes to its group's, unless names or values hang
 * on it. */
bool vz_netcdf_place_note(vz_node *array, vz_error *err);

/* stored_names.c: is the attribute one that dimension scales and netCDF use for themselves? */
bool vz_netcdf_is_bookkeeping(const vz_node *node, const char *name);
/* If what the annotation says of dimensions was written for other names or another
 * rank, the array is seen without it from now on. */
bool vz_netcdf_check_names(vz_node *array, bool *fell, vz_error *err);
/* The array is seen without it in any case, unless it is changed. */
bool vz_netcdf_forget_names(vz_node *array, vz_error *err);

/* stored_fill.c: the number in the attribute, which may be a list of one; NULL: there is none, or
 * the array holds no numbers. */
const vz_json *vz_netcdf_missing_value(const vz_node *array);
/* Decides what the document has as fill value, and stores chunks that this asks for. */
bool vz_netcdf_finish_fill(vz_node *array, vz_error *err);

#endif
