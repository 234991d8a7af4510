/* document_internal.h - one document: compared with the stored one, printed, sent. */
#ifndef VZ_WRITEBACK_DOCUMENT_INTERNAL_H
#define VZ_WRITEBACK_DOCUMENT_INTERNAL_H

#include "hierarchy/writeback/document.h"
#include "hierarchy/writeback/writeback_internal.h"

/* write_v3.c */
bool vz_flush_joint_write(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err);

/* Writes the names of a stored group, which stays dirty. */
bool vz_flush_node_write_names(vz_flush *flush, vz_node *group, vz_error *err);

/* The two halves of vz_flush_documents, for vz_flush_documents_write. */
bool vz_flush_node_prepare_documents(vz_flush *flush, vz_node *node, vz_error *err);
void vz_flush_node_documents_written(vz_node *node);

/* compare_stored.c */
/* Puts the annotation and links of a node into its attributes for the next write, until
 * vz_flush_attributes_printed. *kept becomes annotation_value and is the caller's. */
bool vz_flush_attributes_to_print(vz_node *node, vz_links_mode links, vz_json **kept, vz_error *err);
void vz_flush_attributes_printed(vz_node *node);

/* The text of a document in the store, and the condition to write under. */
typedef struct vz_flush_current {
    vz_buffer text;
    bool found;
    bool is_foreign;           /* not what we last read or wrote */
    vz_request_condition when; /* what must still be true when it is written */
    vz_version version;
} vz_flush_current;

/* The condition for a document that was not read again. */
vz_flush_current vz_flush_document_unseen(const vz_flush *flush, const vz_node *node);
bool vz_flush_document_look(const vz_flush *flush, vz_node *node, const char *prefix, const char *document,
                            uint64_t known, vz_flush_current *now, vz_error *err);

/* The JSON object of another writer's text. A text without one counts as empty, and ours
 * replaces it. NULL: it is too large. */
vz_json *vz_flush_document_foreign(const vz_flush_current *now, const char *document, vz_error *err);

/* The node in memory takes over changes of others, mainly the shape. */
void vz_flush_document_adopt(vz_node *node, const vz_json *document);

/* Documents that are sent in one round trip. */
typedef struct vz_flush_document_round {
    vz_node_document_write *writes;
    size_t count, capacity;
    vz_error_class *failed; /* by number of the node */
} vz_flush_document_round;

/* Writes a document, or adds it to the flush's round. The node's hash and version follow when the
 * store has it. Takes what `write` holds, also on failure. */
bool vz_flush_document_send(vz_flush *flush, vz_node_document_write *write, vz_error *err);
void vz_flush_document_drop(vz_node_document_write *write); /* frees what it holds */

vz_request vz_flush_document_request(const vz_node_document_write *write);

/* The store has the document, in that version (NULL: not known). Frees what `write` holds. */
void vz_flush_document_written(const vz_flush *flush, vz_node_document_write *write, const vz_version *version);

/* write_document.c. Has the node changes that go into a document? */
bool vz_flush_node_needs_documents(const vz_node *node);

/* Sends all dirty documents with vz_flush_document_send, attributes first. */
bool vz_flush_node_print_documents(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err);

/* write_round.c */
/* As vz_flush_node_documents for many nodes, none of which is above another: one request a
 * document, in as few round trips as possible. A document that others changed since it was read
 * is read once more. Failures are noted; false if there were any. */
bool vz_flush_documents_write(vz_flush *flush, vz_node *const *nodes, size_t count);

/* Before a flush: prefetches the documents that will be compared (vz_store_pin_prefetched). */
bool vz_flush_documents_prefetch(vz_hierarchy *hierarchy, vz_error *err);

#endif
