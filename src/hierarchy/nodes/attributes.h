/* attributes.h - attributes of a node and its annotation. node.h includes it. */
#ifndef VZ_NODES_ATTRIBUTES_H
#define VZ_NODES_ATTRIBUTES_H

#include "base/util/error.h"
#include "base/util/json.h"

typedef struct vz_hierarchy vz_hierarchy;
typedef struct vz_node vz_node;

/* ---- the annotation ---- */

/* the one reserved attribute: JSON text of an object (docs/format.md) */
#define VZ_ANNOTATION "_HDF5"
/* Where xarray looks for no attribute: the annotation of groups, and of format 2's arrays, in a
 * netCDF store. In format 3 an array's is the member VZ_ANNOTATION of its document, an object with
 * the text as VZ_ANNOTATION_NOTE. */
#define VZ_ANNOTATION_NETCDF "_nc_hdf5"
#define VZ_ANNOTATION_NOTE   "note"
/* In the annotation: {name: form} of attributes that stand in the store in another form than in
 * memory (attribute_forms.c). */
#define VZ_ANNOTATION_FORMS "w"
/* In memory a list of one value, but for VZ_FORM_FLOAT_SCALAR. */
enum {
    VZ_FORM_BARE = 1,        /* the value without the list */
    VZ_FORM_FLOAT = 2,       /* base64 of the value's bytes, little-endian, as a float of 64 bits */
    VZ_FORM_FLOAT_SCALAR = 3 /* as VZ_FORM_FLOAT, of a value without a list */
};
/* Is the value such base64 of a float? */
bool vz_node_attribute_form_float(const vz_json *value, double *number);
/* In the annotation of an array: {"w": fill value in the document, "v": fill value of HDF5}. */
#define VZ_ANNOTATION_FILL "fw"
/* In the annotation of a group: {name: {"d": document, "a": attributes, "i": place}}. These are
 * members that are no arrays of the store: dimensions of netCDF without a variable. */
#define VZ_ANNOTATION_DIMENSIONS "dm"
/* In the annotation of a group: {segment: entry} of arrays whose annotation stands there
 * (group_note.c). */
#define VZ_ANNOTATION_ARRAYS "ar"
/* In the annotation of an array: the names of dimensions in its document were made here. They are
 * the value (before 0.2: 1), and what the annotation says of dimensions was written for them. */
#define VZ_NOTE_DIMENSIONS "ad"
/* The attribute of format 2 that names dimensions. */
#define VZ_ARRAY_DIMENSIONS "_ARRAY_DIMENSIONS"
/* In the annotation of a root: the store is one of ours. */
#define VZ_ANNOTATION_MARK "v"
/* In the annotation: attributes that stand nowhere else in the store, [[place among all, name,
 * value] ...], because readers of a convention would stumble over them. In memory they are
 * attributes like any other. */
#define VZ_ANNOTATION_UNSEEN "hv"

/* ---- attributes ---- */

/* derived.c: an object {name: [value, entry in the annotation or null, value in the document or
 * null]}. It has attributes that follow from other documents; a value of null hides one. The node
 * shows them in place of those derived before, and is not dirty for it. They are written only once
 * a program changes them. Takes `take`, also on failure; NULL fails. */
bool vz_node_set_derived(vz_node *node, vz_json *take, vz_error *err);
/* The node has these attributes from now on, and is not dirty for it. Takes them. */
void vz_node_show_attributes(vz_node *node, vz_json *take);
/* Does the attribute have the value that was derived? Then no document will say it. */
bool vz_node_shows_derived(const vz_node *node, const char *name);

/* Attributes. Values are borrowed; setters take. Hidden names are the caller's business. */
vz_json *vz_node_attribute(const vz_node *node, const char *name);
bool vz_node_set_attribute(vz_node *node, const char *name, vz_json *take, vz_error *err);
bool vz_node_remove_attribute(vz_node *node, const char *name, vz_error *err); /* VZ_NOT_FOUND */
bool vz_node_rename_attribute(vz_node *node, const char *from, const char *to, vz_error *err);
/* Without making the JSON of a deferred value. */
bool vz_node_has_attribute(const vz_node *node, const char *name);

/* The modules above keep a deferred value in their own form. Its JSON is made when it is asked
 * for, at the latest before documents are written or a name is deleted. A program may read and
 * rewrite a whole list for each member that it adds. Then it does not make the JSON of all members
 * each time. */
typedef struct vz_deferred_class {
    /* sets the attribute's JSON */
    bool (*render)(vz_node *node, const char *name, const void *value, vz_error *err);
    void (*free)(void *value);
    /* while this is the same, the same JSON is made of the value; 0: that is not known */
    uint64_t (*moment)(const vz_node *node);
} vz_deferred_class;
/* Sets the attribute; `value` is taken, also on failure. A node has one at most: the JSON of
 * another one is made. */
bool vz_node_defer_attribute(vz_node *node, const char *name, const vz_deferred_class *class, void *value,
                             vz_error *err);
/* The value, borrowed until the attribute changes; NULL: it has JSON, or is not there. */
const void *vz_node_deferred(const vz_node *node, const char *name);
/* The value whose JSON was made last, if it was that attribute's. *json: that JSON (NULL: none),
 * which the attribute need not have any more. Both borrowed until JSON of another value is made.
 * *moment: the one of then. NULL: there is none. */
const void *vz_node_rendered(const vz_node *node, const char *name, const vz_json **json, uint64_t *moment);
/* Makes the JSON of all deferred values. */
bool vz_hierarchy_render_deferred(vz_hierarchy *hierarchy, vz_error *err);

/* All names in bytewise order, hidden ones too. The index-th name is borrowed (NULL + VZ_NOT_FOUND
 * beyond the end). Of a name its place; false, perhaps without an error: it is none of them. */
const char *vz_node_attribute_in_order(vz_node *node, size_t index, vz_error *err);
bool vz_node_attribute_place(vz_node *node, const char *name, size_t *place, vz_error *err);
/* The annotation is edited in place; say so afterwards. */
bool vz_node_annotated(vz_node *node, vz_error *err);

#endif
