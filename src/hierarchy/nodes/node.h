/* node.h - the hierarchy of a store: nodes (groups and arrays) in memory, loaded on demand, written
 * back at flush.
 *
 * One vz_hierarchy per root and module instance, shared by all handles (open_stores.c, keyed by
 * the root's device and inode). Nothing here is thread-safe: the HDF5 library calls one at a
 * time. */
#ifndef VZ_NODES_NODE_H
#define VZ_NODES_NODE_H

#include "hierarchy/moves/moves.h"
#include "store/store/kind.h"
#include "store/store/store.h"
#include "base/util/options.h"
#include "base/util/hash.h"
#include "array/array/array.h"
#include "hierarchy/nodes/attributes.h"
#include "hierarchy/nodes/group.h"
#include "metadata/metadata/format.h"

typedef struct vz_hierarchy vz_hierarchy;
typedef struct vz_node vz_node;

typedef enum vz_node_kind { VZ_NODE_GROUP, VZ_NODE_ARRAY } vz_node_kind;

/* The kind of a name in a group. All but the first kind are no directories: they stand in the
 * group's annotation. */
typedef enum vz_link_kind {
    VZ_LINK_NODE,  /* the first name of a node: its directory */
    VZ_LINK_ALIAS, /* another name of a node */
    VZ_LINK_SOFT,  /* a path */
    VZ_LINK_USER,  /* a class of HDF5's (external links too) with the bytes that class wants */
} vz_link_kind;

/* A member of a group. The node is loaded only when asked for (vz_link_node). */
typedef struct vz_link {
    char *name;      /* as HDF5 shows it */
    char *segment;   /* as the store spells it (hierarchy/documents/documents.h); NULL unless
                      * VZ_LINK_NODE */
    vz_node *node;   /* NULL until loaded, and unless VZ_LINK_NODE */
    uint64_t order;  /* creation order; meaningful if the group tracks it */
    bool is_listed;  /* name and segment are the same, in memory of the group (vz_members.names) */
    bool utf8;       /* the name's character set is UTF-8 rather than ASCII */
    bool is_foreign; /* met as another process's convention only (vz_conventions), which goes on
                      * holding it */
    vz_link_kind kind;
    int class;      /* VZ_LINK_USER */
    char *target;   /* VZ_LINK_SOFT: the path; VZ_LINK_ALIAS: where its node was when last looked */
    uint64_t since; /* VZ_LINK_ALIAS: number of the last move before that look */
    uint8_t *value; /* VZ_LINK_USER */
    size_t value_size;
} vz_link;

/* its value: a byte of version and flags, file name, path, both with their NUL */
#define VZ_LINK_CLASS_EXTERNAL 64

struct vz_node {
    vz_hierarchy *hierarchy;
    vz_node_kind kind;
    const vz_zarr_format *zarr_format; /* of its documents */
    vz_node *parent;                   /* NULL: the root, or unlinked */
    vz_link *link;                     /* in the parent; NULL like parent */
    char *partial;                     /* unlinked (anonymous or deleted): the key prefix its chunks
                                        * live under; NULL else */
    uint32_t refs;                     /* open handles */
    uint64_t token;                    /* 0 until asked for */

    vz_json *attributes;                        /* object, in creation order; what HDF5 must not see
                                                 * included (zarr_dtype ...), VZ_ANNOTATION not */
    vz_json *annotation;                        /* object; empty = not written */
    vz_json *derived;                           /* attributes that no document holds
                                                 * (vz_node_set_derived); NULL: not looked for */
    bool implicit;                              /* a prefix without a document: listed as a group,
                                                 * gets a document when changed */
    bool is_new;                                /* never written */
    bool is_untold;                             /* vz_conventions.loaded failed: is asked again */
    bool netcdf;                                /* its annotation stands where xarray does not see
                                                 * it */
    bool note_in_group;                         /* it stands in the annotation of the group */
    bool labelled;                              /* what is derived are labels of dimensions, and
                                                 * nothing of netCDF's */
    bool fixed_shape;                           /* it may not grow, although its store is not
                                                 * ours */
    bool is_dimension;                          /* no document of its own says that it is there;
                                                 * is_new, too (dimension_node.c,
                                                 * dimension_note.c) */
    uint64_t scales_looked;                     /* vz_links_moment() when users of scales, or scales
                                                 * of an array, were looked for */
    vz_json_size attributes_size;               /* at most, as text; all zeros: not known */
    struct vz_attribute_order *attribute_order; /* names by name; NULL until asked for
                                                 * (attribute_order.c) */
    void *view;                                 /* cached by the modules above (HDF5 type ...);
                                                 * freed by view_free */
    void (*view_free)(void *);

    /* arrays */
    /* If the document is not understood, its outline (metadata/metadata/format.h), or NULL where
     * not even the shape is known. Then vz_node_meta_error tells why, and elements are neither read
     * nor written. */
    vz_meta *meta;
    vz_error *meta_error; /* NULL: the document is understood, or there was no memory for the
                           * error */
    /* An array's document as parsed; where attributes are in it (then a group's, too), with
     * empty ones. Edited, never regenerated */
    vz_json *document;
    /* Length of all users of an unlimited scale, while vz_node_documents_read() is matched_at. */
    uint64_t matched_length, matched_at;
    bool was_matched;      /* it was such a user at a flush */
    vz_array *io;          /* NULL until data is touched: vz_node_io */
    bool chunks_elsewhere; /* all chunks are there, though not in the store: none is missing */
    bool rest_is_gone;     /* what lay beyond the shape is removed, in memory at least (resize.c) */
    bool reshaped;         /* the store has a resize record that is not confirmed yet (resize.c) */

    /* groups */
    struct vz_members *members; /* loaded by the first look into the group */
    struct vz_member *aliases;  /* links of kind VZ_LINK_ALIAS that are known to lead here */
    unsigned alias_count;       /* of them */
    bool aliases_known;         /* the annotation's list of them ("nm") was followed */
    vz_json *names_elsewhere;   /* paths that other processes put on that list meanwhile; NULL:
                                 * none */
    uint64_t next_order;
    bool track_order; /* link creation order is kept in the annotation ("L") */

    /* private to src/hierarchy */
    struct vz_unwritten *unwritten;          /* changed keys; NULL: clean */
    struct vz_deferred *deferred;            /* an attribute whose value is not JSON yet
                                              * (pending_value.c); NULL: none */
    struct vz_deferred *rendered;            /* the last one that became JSON; NULL: none */
    vz_node *next, *previous;                /* in the hierarchy's list of unlinked nodes, or of
                                              * idle ones */
    bool idle;                               /* clean, linked, without a handle: may be forgotten */
    vz_json *annotation_value;               /* VZ_ANNOTATION as it stands in the store; NULL:
                                              * nowhere */
    uint64_t document_hash, attributes_hash; /* of the texts last read or written; 0: there is
                                              * none */
    struct vz_node_versions *versions;       /* versions of both, in a remote store; NULL: not
                                              * known */
    vz_chunks_seen seen;                     /* how an array's document was met in the store */
    bool consolidated_dropped;               /* this group's .zmetadata is gone, or never was */
    bool may_change;                         /* it is known not to lie behind a link that leaves the
                                              * store */
    bool attributes_refused;                 /* there are none as far as a refusal says so: the next
                                              * call asks again */
    bool was_stored;                         /* unlinked after it was written: its data moved under
                                              * `partial` */
    char *gone;                              /* deleted: where stored references to it lead until it
                                              * has a name (deleted_objects.c); NULL: to no place */
};

/* A number that grows with each document of an array that is read. Never 0. */
uint64_t vz_node_documents_read(void);
/* Before a call looks at attributes: are they to be asked for again? */
bool vz_node_renew_attributes(vz_node *node, vz_error *err);

/* Why an array's metadata could not be understood, with the store and the object. */
const vz_error *vz_node_meta_error(const vz_node *node);
/* Fails with that error; false. */
bool vz_node_fail_meta(const vz_node *node, vz_error *err);

/* The metadata of an array that is understood; else NULL. */
static inline vz_meta *vz_node_understood(const vz_node *node)
{
    return node->meta_error ? NULL : node->meta;
}

/* ---- the tree ---- */

/* A second reference for a reopened file; it needs its own vz_close_hierarchy (open.h). */
void vz_hierarchy_ref(vz_hierarchy *hierarchy);
vz_node *vz_hierarchy_root(vz_hierarchy *hierarchy);
const char *vz_hierarchy_path(const vz_hierarchy *hierarchy);
vz_store *vz_hierarchy_store(vz_hierarchy *hierarchy);
vz_options *vz_hierarchy_options(vz_hierarchy *hierarchy);
/* stored_name.c: a name that this store says. Borrows the name and what is the hierarchy's. */
vz_named vz_hierarchy_named(const vz_hierarchy *hierarchy, const char *name);
/* of the root and of new nodes */
const vz_zarr_format *vz_hierarchy_zarr_format(const vz_hierarchy *hierarchy);
/* a reference file that LINDI wrote */
bool vz_hierarchy_is_lindi(const vz_hierarchy *hierarchy);
/* carries the root mark {"v":1} */
bool vz_hierarchy_is_ours(const vz_hierarchy *hierarchy);
bool vz_hierarchy_is_array(const vz_hierarchy *hierarchy);   /* the root is made up, and holds the
                                                              * array that it is */
uint64_t vz_hierarchy_fileno(const vz_hierarchy *hierarchy); /* hash of device and inode, top bit
                                                              * set; one per store */
bool vz_hierarchy_inherited(const vz_hierarchy *hierarchy);  /* another process's, from before a
                                                              * fork: only read */
/* A number that changes whenever something in the store was changed through it, or refreshed. A
 * result that was derived from many nodes holds while the number stays. */
uint64_t vz_hierarchy_changes(const vz_hierarchy *hierarchy);
/* As vz_hierarchy_changes, but elements of arrays do not count. A result that was derived from
 * names, attributes, annotations and metadata holds while the number stays. */
uint64_t vz_hierarchy_facts(const vz_hierarchy *hierarchy);
/* Does the path lead to this store? */
bool vz_hierarchy_is_at(const vz_hierarchy *hierarchy, const char *path);
/* Did an object lose a name since this was asked last? */
bool vz_hierarchy_take_names_gone(vz_hierarchy *hierarchy);
bool vz_hierarchy_names_gone(const vz_hierarchy *hierarchy); /* the same, without taking note of the
                                                              * answer */
/* The writer of the dialect that new objects are stored in, of which src/hdf5/dialects alone
 * knows more (hdf5/dialects/dialects.h). NULL until it is set. */
struct vz_writer;
const struct vz_writer *vz_hierarchy_writer(const vz_hierarchy *hierarchy);
void vz_hierarchy_set_writer(vz_hierarchy *hierarchy, const struct vz_writer *writer);
/* Work to do in such a store before documents are written. */
#define VZ_DUE_FORMS 1u /* nodes in the plain dialect may be there */
/* references may say what is not so any more, or lack ids that their targets have got */
#define VZ_DUE_REFERENCES 2u
unsigned vz_hierarchy_due(const vz_hierarchy *hierarchy);
void vz_hierarchy_add_due(vz_hierarchy *hierarchy, unsigned due);
void vz_hierarchy_done(vz_hierarchy *hierarchy, unsigned due);

/* ---- locks, and writers that are not this process ---- */

/* Before a flush reports success: VZ_BUSY in a forked child that may not write. */
bool vz_hierarchy_check_flush(vz_hierarchy *hierarchy, vz_error *err);
/* For SWMR, where the store is locked: a writer lets readers in, a reader locks nobody out. */
bool vz_hierarchy_relax_lock(vz_hierarchy *hierarchy, vz_error *err);
/* From now on others find that this process writes under SWMR, whatever is locked, until the
 * store is closed. */
void vz_hierarchy_mark_swmr(vz_hierarchy *hierarchy);
/* VZ_BUSY when another process writes the store under SWMR: only readers under SWMR may open it. */
bool vz_hierarchy_check_swmr(const vz_hierarchy *hierarchy, vz_error *err);
/* Before documents of an array are written: is it, in the store, still the one that is in memory
 * (vz_array_document_check)? VZ_NOT_FOUND: it was deleted, or another one is in its place. */
bool vz_node_check_same(vz_node *node, vz_error *err);

/* ---- nodes ---- */

void vz_node_ref(vz_node *node);
/* The last reference to an unlinked node deletes its data. Clean nodes may be forgotten. */
void vz_node_unref(vz_node *node);
/* "/a/b" as HDF5 shows it, "/" for the root, NULL when unlinked (no error set) or out of memory;
 * caller frees. */
char *vz_node_path(const vz_node *node, vz_error *err);
/* Key prefix in the store: "" for the root, "a/b"; unlinked: the partial directory. Caller
 * frees. */
char *vz_node_prefix(const vz_node *node, vz_error *err);

/* The I/O state, opened at first use; fails with meta_error, or when a codec is missing. */
vz_array *vz_node_io(vz_node *node, vz_error *err);
/* Any change needs it: VZ_READ_ONLY when no handle may write, or in a forked child while its
 * parent runs. VZ_UNSUPPORTED for the root group of a store that is one array. VZ_PERMISSION
 * behind a symbolic link that leads out of the store. */
bool vz_node_check_writable(vz_node *node, vz_error *err);
/* As vz_node_check_writable, for elements and extents. VZ_UNSUPPORTED: chunks are references. */
bool vz_node_check_elements(vz_node *node, vz_error *err);
/* The last of these: what is put right before documents are written passes such nodes over. */
bool vz_node_is_behind_link(vz_node *node);

/* New nodes are unlinked, carry one reference, and are written at flush once linked. `meta` is
 * taken, also on failure; it is as asked for; defaults of the store's Zarr format are put in. */
vz_node *vz_group_new(vz_hierarchy *hierarchy, bool track_order, vz_error *err);
vz_node *vz_node_new_array(vz_hierarchy *hierarchy, vz_meta *meta, vz_error *err);
/* As vz_node_new_array, with metadata of an array of that Zarr format (NULL: metadata that could
 * not be read). */
vz_node *vz_node_new_array_like(vz_hierarchy *hierarchy, const vz_zarr_format *zarr_format, vz_meta *meta,
                                vz_error *err);
/* The list of names as document or attributes have it; borrowed, NULL: there is none. */
const vz_json *vz_node_dimension_names(const vz_node *array);

/* Names of a node, 0 when it is anonymous or deleted; at least 1 for the root. */
bool vz_node_name_count(vz_node *node, unsigned *count, vz_error *err);

/* Does anything of it wait to be written? */
static inline bool vz_node_is_dirty(const vz_node *node)
{
    return node->unwritten != NULL;
}

/* meta->shape (or fill, dtype ...) was changed in place: the document must follow. */
bool vz_node_meta_changed(vz_node *node, vz_error *err);

/* ---- references (root_move_log.c) ---- */

/* Did any object move, or go, since moves are logged? */
bool vz_hierarchy_has_moves(vz_hierarchy *hierarchy);
/* References are about to be stored: from now on moves are logged for them, in the root's
 * annotation. */
bool vz_hierarchy_holds_references(vz_hierarchy *hierarchy, vz_error *err);
/* The number to store with a reference to the object at this path. It is that of the last move, if
 * an object at the path was moved or deleted before; else 0. */
bool vz_hierarchy_since(vz_hierarchy *hierarchy, const char *path, uint64_t *since, vz_error *err);
/* While it is the same, each token has its path, and each path the number above. 0: that is not
 * known, as names moved in this store. */
uint64_t vz_hierarchy_paths_moment(vz_hierarchy *hierarchy);
/* That path and number in one text, the number first: heap. */
char *vz_hierarchy_stored_path(vz_hierarchy *hierarchy, const char *path, vz_error *err);

/* Visits every linked node in memory (loaded ones), parents before children. */
typedef bool (*vz_node_visit)(vz_node *node, void *context, vz_error *err);
bool vz_hierarchy_each_loaded(vz_hierarchy *hierarchy, vz_node_visit visit, void *context, vz_error *err);
/* Visits the dirty nodes, and groups that have links, as changes of other nodes change their
 * targets. The order is undefined. Nodes that a visit makes dirty are not visited. */
bool vz_hierarchy_each_to_finish(vz_hierarchy *hierarchy, vz_node_visit visit, void *context, vz_error *err);

#endif
