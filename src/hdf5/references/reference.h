/* reference.h - references. In the store, and in what src/hdf5/types makes of it, a reference is text: JSON of an object
 * {source, path, object_id, source_object_id}, "" for the null reference. In memory it is what the user's datatype
 * says:
 *
 *     H5T_STD_REF_OBJ      8 bytes, the target's token; in memory this is a number, so no target is loaded for it
 *     H5T_STD_REF_DSETREG  12 bytes, a place in the gateway's heap
 *     H5T_STD_REF          an H5R_ref_t
 *
 * The latter two only HDF5 makes, from an id: src/hdf5/object does that (vz_reference_maker).
 *
 * A path that leads nowhere gets a token all the same: dereferencing it is what fails. */
#ifndef VZ_REFERENCES_REFERENCE_H
#define VZ_REFERENCES_REFERENCE_H

#include "hdf5/types/type_tree.h"
#include "hierarchy/nodes/node.h"

/* Members of such an object. */
#define VZ_REFERENCE_ID        "object_id"        /* the target's attribute of that name */
#define VZ_REFERENCE_SOURCE_ID "source_object_id" /* the root's */
#define VZ_REFERENCE_SINCE     "since"            /* moves before it do not concern it (move_log.c) */
#define VZ_REFERENCE_ADDRESS   "file_address"     /* in the HDF5 file that is the source */
#define VZ_REFERENCE_EXTENT    "extent"           /* of the dataset of a region in another file: dimensions */

typedef struct vz_reference_maker {
    void *context;
    /* An H5R_ref_t for a parsed text; `token` is the target's, or a number that leads nowhere; 0: the target is in the
     * file that "source" names. */
    bool (*make)(void *context, uint64_t token, const vz_json *text, H5R_ref_t *out, vz_error *err);
    /* The target's token, and in *text what else is to be said (NULL: nothing). Of one in another file the root's, and
     * *text has "source", "path" and "object_id". 0 + err on failure. */
    uint64_t (*describe)(void *context, const H5R_ref_t *reference, vz_json **text, vz_error *err);
    /* The same for old region references; the token of one from an HDF5 file, whose bytes are kept, is an address. */
    bool (*make_region)(void *context, uint64_t token, const vz_json *text, hdset_reg_ref_t *out, vz_error *err);
    uint64_t (*describe_region)(void *context, const hdset_reg_ref_t *reference, vz_json **text, vz_error *err);
} vz_reference_maker;

/* Where elements with references belong. */
typedef struct vz_reference_context {
    vz_hierarchy *hierarchy;
    const vz_reference_maker *maker; /* NULL: no H5R_ref_t is met */
    bool bare_paths;                 /* text is a path where that says all, else JSON */
    vz_arena *arena; /* where text is made, and sequences are copied to, which may be the user's. NULL for resolving */
} vz_reference_context;

/* The form in which elements of `shown` are converted to or from mem_type: references of mem_type's kind where it has
 * some, text where it has nothing of that name. A new id. */
hid_t vz_reference_form(hid_t shown, hid_t mem_type, vz_error *err);

/* Elements of a form: text becomes references, in place. */
bool vz_references_resolve(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                           vz_error *err);
/* The same of lists of dimension scales: a reference to what was deleted leads to the object that has its path now. If
 * there is none, it is left out of its sequence. */
bool vz_references_resolve_scales(const vz_reference_context *context, const vz_type_tree *form, void *elements,
                                  size_t count, vz_error *err);
/* lost_references.c, of vz_references_resolve_scales: leaves them out. */
bool vz_references_drop_lost(vz_hierarchy *hierarchy, const vz_type_tree *form, void *elements, size_t count,
                             vz_error *err);
/* The way back. */
bool vz_references_print(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                         vz_error *err);

/* Can this number be stored: is it anything but the token of an object without a name? */
bool vz_reference_is_known(const vz_hierarchy *hierarchy, uint64_t token);
/* Does "source" mean this store? */
bool vz_reference_is_here(const vz_hierarchy *hierarchy, const vz_json *source);
/* The object that the text of a reference is. A bare path, as hdmf-zarr has it in format 3, is one that has only that.
 */
vz_json *vz_reference_parse(const char *text, vz_error *err);
/* Does a parsed text lead to another store? Where that is there, "source" becomes the name by which HDF5 looks for it.
 */
bool vz_reference_is_elsewhere(const vz_hierarchy *hierarchy, vz_json *json);
/* The token of a parsed text's target; 0 without an error: it is in another store, or no reference. */
uint64_t vz_reference_target(vz_hierarchy *hierarchy, const vz_json *text, vz_error *err);
/* Does a token lead nowhere? Fails where that cannot be found out. */
bool vz_reference_is_lost(vz_hierarchy *hierarchy, uint64_t token, bool *lost, vz_error *err);
/* *token, which is a text's target, becomes that of the object at the text's path, where it leads nowhere and there is
 * such an object. */
bool vz_reference_succeed(vz_hierarchy *hierarchy, const vz_json *text, uint64_t *token, vz_error *err);

#endif
