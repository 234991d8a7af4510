/* node_documents.h - what a node knows of its documents in the store: what they say, in which versions, and those that
 * are printed and not yet there. */
#ifndef VZ_NODES_NODE_DOCUMENTS_H
#define VZ_NODES_NODE_DOCUMENTS_H

#include "hierarchy/documents/document_io.h"
#include "hierarchy/nodes/hierarchy.h"

/* read_v3.c */
/* What the document of that spelling (one for arrays and groups) says that the node at a prefix is; VZ_SAYS_NEITHER:
 * there is none. One that cannot be read is taken for a group's, so that
 * opening it tells what is wrong. */
vz_says vz_document_look_says(vz_store *store, const char *prefix, const vz_spelling *spelling);
/* What a document says that spells arrays and groups under one name. */
vz_says vz_document_says(const vz_spelling *spelling, const char *text, size_t size);
/* Reads a node that has its place: document, attributes, metadata. VZ_UNSUPPORTED for a group with members that must be
 * understood; what is wrong with an array goes into meta_error. */
bool vz_joint_parse(vz_node *node, const char *text, size_t size, vz_error *err);
bool vz_joint_load_attributes(vz_node *node, vz_error *err);
/* Takes the attributes out of a document, where an empty object keeps their place. NULL on failure. */
vz_json *vz_joint_detach_attributes(vz_json *document, vz_error *err);

/* document_etag.c */
bool vz_hierarchy_is_far(const vz_hierarchy *hierarchy); /* each request is a round trip */
/* The versions of a node's documents as last read or written; size 0: not known. */
struct vz_node_versions {
    vz_version document, attributes;
};
const vz_version *vz_node_version(const vz_node *node, bool of_attributes);
bool vz_node_versions_known(const vz_node *node);                                        /* of all its documents */
void vz_node_keep_version(vz_node *node, bool of_attributes, const vz_version *version); /* NULL: not known */

/* A document of a node, printed. */
typedef struct vz_document_write {
    vz_node *node;
    bool of_attributes;          /* .zattrs */
    vz_printed_document printed; /* its key is NULL once it is written */
    vz_json *document;           /* becomes the node's; NULL: it has none of its own */
    bool has_annotation;         /* then `kept` (NULL: none) becomes its annotation_value */
    vz_json *kept;
    vz_when when;
    vz_version version;
    size_t number; /* of the node in the round */
} vz_document_write;
/* staged_documents.c */
void vz_document_drop(vz_document_write *write); /* frees what it holds */

/* printed_cache.c */
/* A document that was written: its text need not be parsed for the copy of all documents. */
void vz_known_text_note(const vz_document_write *write, uint64_t hash);
/* What is known of a text in the store; values 0: nothing. */
typedef struct vz_known_text {
    size_t values;
    bool is_array, readable; /* is it an array's document; one that the spelling's `readable` is true of */
} vz_known_text;
vz_known_text vz_known_text_of(const vz_hierarchy *hierarchy, uint64_t hash);

#endif
