/* references.h - reference, complete selection, netcdf references, region reference. */
#ifndef VZ_REFERENCES_REFERENCES_H
#define VZ_REFERENCES_REFERENCES_H

#include "base/util/json.h"
#include "hdf5/h5/h5.h"
#include "hdf5/types/types.h"
#include "hierarchy/nodes/node.h"

/* -- Reference --
 * references. In the store, and in what src/hdf5/types makes of it, a reference is text: JSON of an object
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

/* The way back. */
bool vz_references_print(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                         vz_error *err);

/* Can this number be stored: is it anything but the token of an object without a name? */
bool vz_reference_is_known(const vz_hierarchy *hierarchy, uint64_t token);

/* Does "source" mean this store? */
bool vz_reference_is_here(const vz_hierarchy *hierarchy, const vz_json *source);

/* The token of a parsed text's target; 0 without an error: it is in another store, or no reference. */
uint64_t vz_reference_target(vz_hierarchy *hierarchy, const vz_json *text, vz_error *err);

/* -- Complete selection --
 * what stored references say, brought up to date: the path of an object that moved, and HDMF's
 * ids, which programs give their objects last. */
/* A parsed text. *changed becomes true (else it is left alone) when it says something else now. What leads nowhere, or
 * to another store, stays what it is. */
bool vz_reference_complete(vz_hierarchy *hierarchy, vz_json *reference, bool *changed, vz_error *err);

/* Its path, if there is nothing more to it than that and HDMF's ids; else NULL. */
const char *vz_reference_bare_path(const vz_json *reference);

/* Is there an object where it leads? True, too, for one in another store. */
bool vz_reference_has_target(vz_hierarchy *hierarchy, const vz_json *reference);

/* Elements of the shown type, with text in the place of references, as vz_type_unpack gives them. */
bool vz_references_complete(const vz_reference_context *context, const vz_type_tree *shown, void *elements,
                            size_t count, bool *changed, vz_error *err);

/* -- Netcdf references --
 * what "source" means in links and references that hdmf-zarr wrote. Its versions wrote "." for this
 * store, or its name, or its path when it was written; for another store a path from within this one, or from beside
 * it, or an absolute one. A store that was moved is told by what is there now. */
typedef enum vz_source_kind {
    VZ_SOURCE_THIS_STORE,  /* this store */
    VZ_SOURCE_OTHER_STORE, /* another one, which is there */
    VZ_SOURCE_MISSING,     /* nothing is there */
} vz_source_kind;

/* Is the source told by its text alone? A path that leaves the directory which the store is in is only looked at when a
 * link is followed: *file is then the name by which HDF5 looks for it first, heap; NULL: vz_source_find must tell. */
bool vz_source_is_outside(vz_hierarchy *hierarchy, const char *source, char **file, vz_error *err);

/* *file: NULL for this store, else the name by which HDF5 looks for the other one, absolute or from beside this one;
 * heap. */
bool vz_source_find(const vz_hierarchy *hierarchy, const char *source, vz_source_kind *kind, char **file,
                    vz_error *err);

/* The path of what a path from the group leads to by directories alone; heap. NULL: nothing, or (err) no memory. */
char *vz_source_path(vz_node *group, const char *target, vz_error *err);

/* -- Region reference --
 * the selection of a region reference as JSON: "all", "none", {"points": [[...] ...]},
 * {"start", "stride", "count", "block"}, or {"blocks": [[first ..., last ...] ...]}. */
vz_json *vz_region_print(hid_t space, vz_error *err);

/* Selects it in a dataspace that has the dataset's extent. VZ_CORRUPT when it is none of these or does not fit. */
bool vz_region_select(hid_t space, const vz_json *region, vz_error *err);

#endif
