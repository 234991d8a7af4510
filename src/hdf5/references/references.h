/* references.h - references: text in the store, tokens and H5R_ref_t in memory. */
#ifndef VZ_REFERENCES_REFERENCES_H
#define VZ_REFERENCES_REFERENCES_H

#include "base/util/json.h"
#include "hdf5/h5/h5.h"
#include "hdf5/types/types.h"
#include "hierarchy/nodes/node.h"

/* -- Reference --
 * In the store, and for src/hdf5/types, a reference is text. It is JSON of an object {source, path,
 * object_id, source_object_id}, and "" for the null reference. In memory:
 *
 *     H5T_STD_REF_OBJ      8 bytes, the target's token: a number, so no target is loaded for it
 *     H5T_STD_REF_DSETREG  12 bytes, a place in the gateway's heap
 *     H5T_STD_REF          an H5R_ref_t
 *
 * Only HDF5 makes the latter two, from an id; src/hdf5/handles does that (vz_reference_maker).
 *
 * A path that leads nowhere gets a token, too. Dereferencing it fails. */
/* Members of the object. */
#define VZ_REFERENCE_ID        "object_id"        /* the target's attribute of that name */
#define VZ_REFERENCE_SOURCE_ID "source_object_id" /* the root's */
/* moves before it do not concern it (nodes/root_move_log.c) */
#define VZ_REFERENCE_SINCE   "since"
#define VZ_REFERENCE_ADDRESS "file_address" /* in the HDF5 file that is the source */
/* of the dataset of a region in another file: dimensions */
#define VZ_REFERENCE_EXTENT "extent"

typedef struct vz_reference_maker {
    void *context;
    /* Makes an H5R_ref_t for a parsed text. `token` is the target's, or a number that leads
     * nowhere; 0 if the target is in the file of "source". */
    bool (*make)(void *context, uint64_t token, const vz_json *text, H5R_ref_t *out, vz_error *err);
    /* The target's token, and in *text additional members (NULL: none). For a target in another
     * file the root's token, and *text has "source", "path" and "object_id". 0 with err set on
     * failure. */
    uint64_t (*describe)(void *context, const H5R_ref_t *reference, vz_json **text, vz_error *err);
    /* For old region references. The token of one from an HDF5 file, whose bytes are kept, is an
     * address. */
    bool (*make_region)(void *context, uint64_t token, const vz_json *text, hdset_reg_ref_t *out, vz_error *err);
    uint64_t (*describe_region)(void *context, const hdset_reg_ref_t *reference, vz_json **text, vz_error *err);
} vz_reference_maker;

/* The store and the memory of elements with references. */
typedef struct vz_reference_context {
    vz_hierarchy *hierarchy;
    const vz_reference_maker *maker; /* NULL: no H5R_ref_t is met */
    bool bare_paths;                 /* text is a path where that says all, else JSON */
    vz_arena *arena;                 /* where text is made, and sequences are copied to, which may
                                      * be the user's. NULL for resolving */
} vz_reference_context;

/* The type from or to which elements of `shown` are converted for mem_type. Its references are
 * of mem_type's kind, or text if mem_type has no such member. A new id. */
hid_t vz_reference_form(hid_t shown, hid_t mem_type, vz_error *err);

/* Replaces text by references, in place, in elements of a form. */
bool vz_references_resolve(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                           vz_error *err);

/* Resolves lists of dimension scales. A reference to a deleted object becomes one to the object
 * that has its path now. Without such an object the reference is left out of its sequence. */
bool vz_references_resolve_scales(const vz_reference_context *context, const vz_type_tree *form, void *elements,
                                  size_t count, vz_error *err);

/* Replaces references by text, in place. */
bool vz_references_print(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                         vz_error *err);

/* Is the JSON what vz_references_print makes of a reference with that token now? False, too, where
 * that is not seen at once. */
bool vz_reference_tells(vz_hierarchy *hierarchy, uint64_t token, const vz_json *json);

/* Can this token be stored? False for the token of an object without a name. */
bool vz_reference_is_known(const vz_hierarchy *hierarchy, uint64_t token);

/* Does "source" mean this store? */
bool vz_reference_is_here(const vz_hierarchy *hierarchy, const vz_json *source);

/* The token of a parsed text's target. 0 without an error: the target is in another store, or
 * the text is no reference. */
uint64_t vz_reference_target(vz_hierarchy *hierarchy, const vz_json *text, vz_error *err);

/* -- Complete selection --
 * Updates stored references: the path of a moved object, and HDMF's ids, which programs set
 * last. */
/* Updates a parsed text. *changed becomes true if it differs now; else it is left alone. A
 * reference to nothing, or to another store, stays unchanged. */
bool vz_reference_complete(vz_hierarchy *hierarchy, vz_json *reference, bool *changed, vz_error *err);

/* Its path, if it has only that and HDMF's ids; else NULL. */
const char *vz_reference_bare_path(const vz_json *reference);

/* Is there an object at its target? True, too, for a target in another store. */
bool vz_reference_has_target(vz_hierarchy *hierarchy, const vz_json *reference);

/* Elements of the shown type, with text in the place of references, as vz_type_unpack gives
 * them. */
bool vz_references_complete(const vz_reference_context *context, const vz_type_tree *shown, void *elements,
                            size_t count, bool *changed, vz_error *err);

/* -- netCDF references --
 * The meaning of "source" in links and references that hdmf-zarr wrote. Its versions wrote for
 * this store ".", its name, or its path at that time. For another store they wrote a path
 * relative to this one or to its directory, or an absolute path. The present files decide which
 * it is. */
typedef enum vz_source_kind {
    VZ_SOURCE_THIS_STORE,  /* this store */
    VZ_SOURCE_OTHER_STORE, /* another one, which is there */
    VZ_SOURCE_MISSING,     /* nothing is there */
} vz_source_kind;

/* Does the text of a source alone show that it leads out of the store's directory? Such a path
 * is only probed when a link is followed; *file is then the name that HDF5 tries first (heap).
 * *file NULL: call vz_source_find. */
bool vz_source_is_outside(vz_hierarchy *hierarchy, const char *source, char **file, vz_error *err);

/* Finds a source. *file: NULL for this store, else the name by which HDF5 finds the other one,
 * absolute or relative to this one's directory; heap. */
bool vz_source_find(const vz_hierarchy *hierarchy, const char *source, vz_source_kind *kind, char **file,
                    vz_error *err);

/* The absolute path of a path from the group, by directories alone; heap. NULL: it leads
 * nowhere, or (err) memory is short. */
char *vz_source_path(vz_node *group, const char *target, vz_error *err);

/* -- Region reference --
 * The selection of a region reference as JSON: "all", "none", {"points": [[...] ...]}, {"start",
 * "stride", "count", "block"}, or {"blocks": [[first ..., last ...] ...]}. */
vz_json *vz_reference_region_print(hid_t space, vz_error *err);

/* Selects the region in a dataspace that has the dataset's extent. VZ_CORRUPT if it has none of
 * these forms or does not fit. */
bool vz_reference_region_select(hid_t space, const vz_json *region, vz_error *err);

#endif
