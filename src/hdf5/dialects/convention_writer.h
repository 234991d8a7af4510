/* convention_writer.h - how new things are stored. A store has one writer, chosen when it is opened, or once later (hdmf.h): a row
 * for each dialect and format. Readers go by what a node contains, whichever writer the store has. */
#ifndef VZ_DIALECTS_CONVENTION_WRITER_H
#define VZ_DIALECTS_CONVENTION_WRITER_H

#include "hierarchy/nodes/node.h"
#include "hdf5/types/type_tree.h"

struct vz_type_plan;

typedef struct vz_writer {
    vz_dialect dialect;
    int format;              /* of the spelling */
    bool little_records;     /* structures have little-endian numbers only */
    bool scalar_has_axis;    /* a scalar is one element along one axis, not along none */
    bool dtype_tells_scalar; /* what set_dtype says tells whether a dataset is a scalar */
    bool bare_paths;         /* references in arrays are paths where that says all, else JSON */
    bool shows_late;         /* nodes in the plain form may be there, and there are values that no reader may meet:
                              * src/hdf5/datasets brings both over before a document is written */

    /* Fills in dtype, codec and zarr_dtype of the plan for elements of such a layout, and row and another axis where
     * each member of a compound is an element of the array. *special=false: the rules of src/hdf5/types hold, and nothing
     * was done. NULL: they always do. */
    bool (*plan)(struct vz_type_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);
    /* Says what type a new array's elements are, as plan->zarr_dtype has it; takes the value. */
    bool (*set_dtype)(vz_node *node, vz_json *take, vz_error *err);
    /* Replaces *json and *entry (NULL: none) of an attribute that is about to be set, where the dialect, or what a
     * reader would make of it, asks for it. They stay the caller's. */
    bool (*store_attribute)(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);
    /* All attributes of a node whose documents are about to be written. NULL: there is nothing to do. */
    bool (*finish_attributes)(vz_node *node, vz_error *err);
} vz_writer;

/* The row of a dialect and a spelling; the newest format's where the spelling has none. */
const vz_writer *vz_writer_for(vz_dialect dialect, const vz_spelling *spelling);
/* Of new things in the store. */
const vz_writer *vz_writer_of(const vz_hierarchy *hierarchy);
/* Of a node of any format. */
const vz_writer *vz_writer_of_node(const vz_node *node);

#endif
