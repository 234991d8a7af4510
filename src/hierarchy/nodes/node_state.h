/* node_state.h - nodes in memory as the files of the hierarchy see them: made, read, kept,
 * freed, and marked as unwritten. */
#ifndef VZ_NODES_NODE_STATE_H
#define VZ_NODES_NODE_STATE_H

#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"

/* Changes of a node that are not written yet. It exists while there are any, in the hierarchy's
 * list. */
struct vz_unwritten {
    vz_node *node;
    struct vz_unwritten *next, *previous;
    vz_strmap *attributes; /* names set or removed */
    vz_strmap *unlinked;   /* names of links removed (groups) */
    bool annotation;
    bool meta;
    bool links;      /* members came, went or were renamed */
    bool goes_early; /* its documents stand in the staging area as they are (write_early.c) */
    uint64_t chunk_bytes;
};

/* node.c */
/* refs 0, in no list */
vz_node *vz_node_new(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err);

/* node_free.c */
void vz_node_free(vz_node *node);                 /* with everything below */
void vz_members_free(struct vz_members *members); /* the nodes too */

/* Frees what the modules above cached of the node (`view`). */
void vz_node_forget_view(vz_node *node);

/* node_path.c */
bool vz_node_is_linked(const vz_node *node); /* up to the root */
size_t vz_node_depth(const vz_node *node);
bool vz_node_has_refs(const vz_node *node); /* it or a loaded node below */

/* Of the members of a group those that are loaded, one after the other: *cursor starts at 0,
 * NULL ends. The current one may leave the group meanwhile, no other one. Borrowed. */
vz_node *vz_node_next_below(const vz_node *node, size_t *cursor);
bool vz_node_make_unlinked(vz_node *node, vz_error *err); /* gives it a partial prefix and a place
                                                           * in the list */
void vz_node_leave_unlinked(vz_node *node);

/* The path of a name in a group; NULL without an error when the group is unlinked. Caller frees. */
char *vz_node_path_of_name(const vz_node *group, const char *name, vz_error *err);

/* After a prefix above changed: tells it to every open array in the subtree. */
bool vz_node_reprefix(vz_node *node, vz_error *err);

/* The key that a segment in this group stands for. Caller frees. */
char *vz_node_key_in(const vz_node *group, const char *segment, vz_error *err);

/* idle_nodes.c */
/* Nobody holds the node any more: its chunk cache goes, and the node itself once enough others
 * were left behind it. */
void vz_node_left(vz_node *node);
#define VZ_IDLE_NODES 4096 /* nodes without a handle that a hierarchy remembers */

/* node_refs.c */
/* In a tree without a name: a group that nobody holds, itself or a group above, is gone although
 * somebody holds a member. So are the further hard links in it, and they count no more. */
void vz_node_drop_names(vz_node *node);

/* Takes a link out of the table. In a group that became empty the numbers of creation order
 * begin again, as native's do. */
void vz_group_forget_link(vz_node *group, vz_link *link);

/* node_load.c */
vz_node *vz_node_load_root(vz_hierarchy *hierarchy, vz_error *err);

/* Reads the attributes anew into `node`. */
bool vz_node_load_attributes(vz_node *node, vz_error *err);

/* Why the metadata is not understood; class VZ_OK: it is. */
void vz_node_set_meta_error(vz_node *node, const vz_error *failed);

/* Parses an array's document into meta (or meta_error); text is what was read. */
bool vz_node_parse_document(vz_node *node, const char *text, size_t size, vz_error *err);

/* node_attributes.c */
/* Takes the three, as vz_node_annotation_detach left them, for the node's. */
void vz_node_replace_attributes(vz_node *node, vz_json *attributes, vz_json *annotation, vz_json *value);

/* annotation.c */
/* Moves VZ_ANNOTATION out of `attributes`, and into it what it has of VZ_ANNOTATION_UNSEEN:
 * *value as it stood (NULL: none), *annotation an object. */
bool vz_node_annotation_detach(vz_json *attributes, vz_json **annotation, vz_json **value, vz_error *err);

/* The object at `key` of the node's annotation, which is made where there is none; borrowed. */
vz_json *vz_node_annotation_entries(vz_node *node, const char *key, vz_error *err);

/* The attributes of a document become what the annotation makes of them in memory. */
bool vz_attributes_show(vz_json *attributes, const vz_json *annotation, vz_error *err);

/* group_note.c: an array that was read takes its annotation from the group's, where it stands
 * there; the entry of a member that goes. */
#define VZ_NOTE_TEXT  "n" /* parts of an entry: the annotation, and what it was made of */
#define VZ_NOTE_NAMES "d"
#define VZ_NOTE_DTYPE "z"
#define VZ_NOTE_FILL  "f"
bool vz_group_note_read(vz_node *array, vz_error *err);
void vz_group_note_drop(vz_node *group, const char *segment);

/* The attributes as they are written: a copy without those that only the annotation tells. */
vz_json *vz_attributes_seen(const vz_node *node, vz_error *err);

/* Do the attributes differ from those that are written? */
bool vz_attributes_differ(const vz_node *node);

/* stored_fill.c: VZ_ANNOTATION_FILL counts for a document that is printed, and for metadata that
 * was read. */
bool vz_node_stored_fill_print(const vz_node *node, vz_json *document, vz_error *err);
bool vz_node_stored_fill_read(vz_node *node, vz_error *err);

/* derived.c: the annotation without what is derived, a copy; after attributes were read anew: what
 * is derived is shown again. */
vz_json *vz_node_annotation_without_derived(const vz_node *node, vz_error *err);
bool vz_derived_show(vz_node *node, vz_error *err);

/* The value of VZ_ANNOTATION for `annotation`, given the store's value; *value NULL: nothing. */
bool vz_node_annotation_print(const vz_json *annotation, const vz_json *current, vz_json **value, vz_error *err);

/* dirty_nodes.c */
/* Something of the node changes: makes the record where there is none. */
struct vz_unwritten *vz_unwritten_of(vz_node *node, vz_error *err);
/* As vz_unwritten_of, if elements of the array alone change. */
struct vz_unwritten *vz_unwritten_elements(vz_node *node, vz_error *err);
/* vz_hierarchy_changes and vz_hierarchy_facts grow. */
void vz_hierarchy_changed(vz_hierarchy *hierarchy);
void vz_unwritten_drop(vz_node *node);
void vz_unwritten_drop_tree(vz_node *node);
/* puts a name into a set */
bool vz_unwritten_name(vz_strmap **set, const char *name, vz_error *err);
/* brings the accounts up to date */
void vz_unwritten_chunks(vz_node *node);
bool vz_node_mark_new(vz_node *node, vz_error *err); /* the subtree's documents must be written
                                                      * (anew) */

/* -- Node documents --
 * the facts that a node has about its documents in the store: contents, versions, and documents
 * that are printed and not yet there. */
/* read_v3.c */
/* The kind of the node at a prefix, from its document; of Zarr formats with one document for arrays
 * and groups. VZ_SAYS_NEITHER: there is no document. A document that cannot be read counts as a
 * group's, so that opening the group reports the fault. */
vz_meta_document_kind vz_node_document_look_says(vz_store *store, const char *prefix,
                                                 const vz_zarr_format *zarr_format);

/* The kind of node in a document that arrays and groups share. */
vz_meta_document_kind vz_node_document_says(const vz_zarr_format *zarr_format, const char *text, size_t size);

/* Takes the attributes out of a document, where an empty object keeps their place. NULL on
 * failure. */
vz_json *vz_node_detach_joint_attributes(vz_json *document, vz_error *err);

/* document_version.c */
bool vz_hierarchy_is_remote(const vz_hierarchy *hierarchy); /* each request is a round trip */

/* The versions of a node's documents as last read or written; size 0: not known. */
struct vz_node_versions {
    vz_version document, attributes;
};
const vz_version *vz_node_version(const vz_node *node, bool of_attributes);
/* of all its documents */
bool vz_node_versions_known(const vz_node *node);
/* NULL: not known */
void vz_node_keep_version(vz_node *node, bool of_attributes, const vz_version *version);

/* A document of a node, printed. */
typedef struct vz_node_document_write {
    vz_node *node;
    bool of_attributes;          /* .zattrs */
    vz_printed_document printed; /* its key is NULL once it is written */
    vz_json *document;           /* becomes the node's; NULL: it has none of its own */
    bool has_annotation;         /* then `kept` (NULL: none) becomes its annotation_value */
    vz_json *kept;
    vz_request_condition when;
    vz_version version;
    size_t number; /* of the node in the round */
} vz_node_document_write;

#endif
