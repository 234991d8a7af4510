/* dialects.h - conventions of other programs: AnnData, hdmf-zarr, xarray. */
#ifndef VZ_DIALECTS_DIALECTS_H
#define VZ_DIALECTS_DIALECTS_H

#include "hdf5/types/types.h"
#include "hierarchy/nodes/node.h"

/* -- Categories --
 * The attribute by which a column of AnnData 0.7 names its categories. In HDF5 it is an object
 * reference to <the column's group>/__categories/<name>. In Zarr, as AnnData writes and reads
 * it, it is the text "__categories/<name>". Such a reference is stored as that text, with an
 * entry that marks it as a reference. */
/* Replaces *json by the text, and *entry by the type, if *json is such a reference. */
bool vz_categories_shorten(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);

/* The reference for such a text: a new value. NULL: it is any other value, or memory is short. */
vz_json *vz_categories_lengthen(const vz_node *node, const char *name, const vz_json *json, const vz_json *entry);

/* -- Convention writer --
 * The storage of new objects. A store has one writer, a row for a dialect and format, chosen when
 * it is opened, or once later (hdmf.h). Readers go by a node's content, whichever writer the
 * store has. */
struct vz_dialect_plan;

typedef struct vz_writer {
    vz_option_dialect dialect;
    int format;              /* of the Zarr format */
    bool narrow_words;       /* numbers of few bits have the words of zarr-extensions */
    bool little_records;     /* structures have little-endian numbers only */
    bool scalar_has_axis;    /* a scalar is one element along one axis, not along none */
    bool dtype_tells_scalar; /* what set_dtype says tells whether a dataset is a scalar */
    bool bare_paths;         /* references in arrays are paths where that says all, else JSON */
    bool shows_late;         /* nodes in the plain form may be there, and values that no reader may
                              * meet. src/hdf5/datasets brings both over before a document is
                              * written */

    /* Fills in dtype, codec and zarr_dtype of the plan for elements of such a tree. It also
     * fills in row and another axis if each member of a compound is an element of the array.
     * *special=false: the rules of src/hdf5/types hold, and nothing was done. NULL: they always
     * do. */
    bool (*plan)(struct vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);
    /* Sets the attribute with the type of a new array's elements (plan->zarr_dtype); takes the
     * value. */
    bool (*set_dtype)(vz_node *node, vz_json *take, vz_error *err);
    /* Replaces *json and *entry (NULL: none) of an attribute that is about to be set, if the
     * dialect, or its readers, need it. Both stay the caller's. */
    bool (*store_attribute)(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);
    /* Finishes all attributes of a node whose documents are about to be written. NULL: nothing
     * to do. */
    bool (*finish_attributes)(vz_node *node, vz_error *err);
} vz_writer;

/* The row of a dialect and a Zarr format; the newest format's if that format has none. */
const vz_writer *vz_writer_for(vz_option_dialect dialect, const vz_zarr_format *zarr_format);

/* The writer of new objects in the store. */
const vz_writer *vz_writer_of(const vz_hierarchy *hierarchy);

/* The writer of a node of any format. */
const vz_writer *vz_writer_of_node(const vz_node *node);

/* -- Dimensions --
 * Dimension names for xarray, from HDF5's dimension scales and labels: "_ARRAY_DIMENSIONS" (v2)
 * and "dimension_names" (v3). */
#define VZ_DIMENSION_SCALE "DIMENSION_SCALE" /* CLASS of a scale */
/* The beginning of NAME of a netCDF dimension without a variable. */
#define VZ_DIMENSION_PLACEHOLDER "This is a netCDF dimension but not a netCDF variable."

/* Is the dataset a dimension scale? */
bool vz_dimensions_is_scale(const vz_node *node);

/* The list of references in an attribute such as DIMENSION_LIST, which may stand alone or in
 * {"zarr_dtype", "value"}; borrowed, NULL: there is none. */
const vz_json *vz_dimensions_references(const vz_node *node, const char *name);

/* The reference to the first scale of an axis; borrowed, NULL: there is none. */
const vz_json *vz_dimensions_first_scale(const vz_node *node, unsigned axis);

/* The node that such a reference leads to; borrowed, NULL: to none. */
vz_node *vz_dimensions_target(const vz_node *from, const vz_json *reference);

/* Does the annotation say that the array can grow without limit along the axis? */
bool vz_dimensions_is_unlimited(const vz_node *array, unsigned axis);

/* Updates the names of a changed array that has scales or labels. Names by another program stay.
 * `alone`: the array is written without the others, and may be longer or shorter than an unlimited
 * dimension. */
bool vz_dimensions_update(vz_node *node, bool alone, vz_error *err);

/* A scalar beside arrays with dimension scales, which are stored as netCDF's. netCDF has no
 * references: those of hdmf's types stay as they are. */
bool vz_dimensions_is_netcdf_scalar(const vz_node *node);
/* Would vz_dimensions_update set names? */
bool vz_dimensions_are_wanted(const vz_node *node);

/* Is it a scale that stands for a dimension of netCDF without a variable, as NAME says? */
bool vz_dimensions_has_placeholder(const vz_node *scale);

/* Is the attribute VZ_ARRAY_DIMENSIONS of this node ours, and so hidden from HDF5? */
bool vz_dimensions_are_ours(const vz_node *node);

/* The user is about to make an attribute: removes ours of that name. */
bool vz_dimensions_release_name(vz_node *node, const char *name, vz_error *err);

/* -- Storage type --
 * The storage of a new dataset of an HDF5 type, in the dialect of its store. */
/* The storage of a dataset's elements. */
typedef struct vz_dialect_plan {
    /* Set by the caller: */
    const vz_writer *writer; /* NULL: plain, format 2 */
    bool null;               /* the dataspace will be H5S_NULL (tells in zarr_dtype only) */
    bool pickle_refs;        /* references as hdmf-zarr itself writes them, pickled */
    bool with_axes;          /* can store an array type as axes; without, such types are
                              * VZ_UNSUPPORTED */

    vz_dtype *dtype;     /* owned */
    vz_json *codec;      /* object codec in numcodecs' form, the first of the array's codecs, or
                          * NULL; owned */
    vz_json *annotation; /* "t", or NULL when what shows the dtype by itself (vz_type_to_hdf5) is
                          * equal to the type; owned */
    vz_json *zarr_dtype; /* for writer->set_dtype; owned */

    /* A top-level array type is stored as extra trailing axes of the array. The caller appends
     * axis[0..axes-1] to the shape and to the chunk shape; `dtype` is the element's. In the hdmf
     * dialect the last of them may be a compound's members (hdmf_internal.h). Then `row` is the
     * dtype of as many elements as make one of them, which is to be packed; else it is NULL. */
    unsigned axes;
    uint64_t axis[VZ_MAX_RANK];
    vz_dtype *row; /* owned */
} vz_dialect_plan;

/* Fills in a plan. Zero-initialise all but the caller's members. After true, plan->dtype and
 * plan->zarr_dtype are set. VZ_UNSUPPORTED names the missing feature. */
bool vz_dialect_plan_make(vz_dialect_plan *plan, hid_t type, bool scalar, vz_error *err);
void vz_dialect_plan_clear(vz_dialect_plan *plan);

bool vz_dialect_dtype_is_scalar(const vz_json *zarr_dtype); /* does it name a scalar? */

/* -- LINDI -- lindi.c: what a reference file that LINDI wrote says by its conventions; nothing
 * in any other store. */
hid_t vz_dialect_lindi_type(const vz_node *node); /* as vz_hdmf_type; may read an element */
/* The value as which an attribute is shown, new: "NaN" is the number. NULL: its own value. */
vz_json *vz_dialect_lindi_attribute(const vz_node *node, const vz_json *value);
/* Has an HDF5 file the elements? *file, and *path of the dataset in it, are the node's. */
bool vz_dialect_lindi_elsewhere(const vz_node *node, const char **file, const char **path);
/* Is it a name that is hidden in LINDI's files alone, and so shown here? */
bool vz_dialect_lindi_shows(const vz_node *node, const char *name);

/* ---- rows of convention_writer.c ---- */

/* Names of attributes that belong to a convention rather than to the user; the list ends with
 * NULL. */
enum { VZ_HIDDEN_ATTRIBUTES = 10 };
extern const char *const vz_hidden_attributes[VZ_HIDDEN_ATTRIBUTES + 1];
/* Those of netCDF's groups and arrays (hdf5/netcdf/netcdf.h), beside them; one is in both lists. */
extern const char *const vz_hidden_netcdf_attributes[];

#endif
