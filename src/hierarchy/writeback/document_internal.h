/* document_internal.h - the part of document.h that only this module uses. */
#ifndef VZ_WRITEBACK_DOCUMENT_INTERNAL_H
#define VZ_WRITEBACK_DOCUMENT_INTERNAL_H

#include "hierarchy/writeback/document.h"

/* write_v3.c */
bool vz_joint_write(vz_node *node, const char *prefix, vz_error *err);

/* The same of a group that is stored, which stays dirty. */
bool vz_node_write_names(vz_node *group, vz_error *err);

/* The two halves of it where documents of many nodes are written at once (vz_documents_write). */
bool vz_node_prepare_documents(vz_node *node, vz_error *err);
void vz_node_documents_written(vz_node *node);

/* compare_stored.c */
/* What of a node's annotation and links must be in the attributes for the next write; *kept as annotation_value. The
 * annotation stands among the attributes until vz_attributes_printed is called. `kept` is the caller's. */
bool vz_attributes_to_print(vz_node *node, vz_json **kept, vz_error *err);
void vz_attributes_printed(vz_node *node);

/* Text of what the store holds now, and what that means for us. */
typedef struct vz_current {
    vz_buffer text;
    bool found;
    bool is_foreign; /* not what we last read or wrote */
    vz_when when;    /* what must still be true when it is written */
    vz_version version;
} vz_current;

/* What a document that was not looked at is written under. */
vz_current vz_document_unseen(const vz_node *node);
bool vz_document_look(vz_node *node, const char *prefix, const char *document, uint64_t known, vz_current *now,
                      vz_error *err);

/* The object a foreign text holds; what is none is taken for nothing, and ours replaces it. NULL where it is too large
 * to tell. */
vz_json *vz_document_foreign(const vz_current *now, const char *document, vz_error *err);

/* What is in memory takes on what others changed: the shape, above all. */
void vz_document_adopt(vz_node *node, const vz_json *document);

/* Writes it, or keeps it for the round that is gathered; what the node knows of its documents follows when it is there.
 * Takes what `write` holds, also on failure. */
bool vz_document_send(vz_document_write *write, vz_error *err);

/* Documents of a node are to be written at that prefix: they were put there before (write_early.c), and are what
 * there is to say. Then the node takes them on. */
bool vz_document_sent_early(vz_node *node, const char *prefix);
vz_request vz_document_request(const vz_document_write *write);

/* The store has it, in that version (NULL: not told). Frees what it holds. */
void vz_document_written(vz_document_write *write, const vz_version *version);

/* write_document.c. Is there anything of the node that a document is to say? */
bool vz_node_needs_documents(const vz_node *node);

/* All that is to be said goes to vz_document_send, attributes first. */
bool vz_node_print_documents(vz_node *node, const char *prefix, vz_error *err);

/* write_round.c */
/* As vz_node_write_documents for many nodes, none of which is above another one: as many requests as there are
 * documents, and as few round trips as the store allows. One that others changed since it was looked at is looked at
 * once more. */
bool vz_documents_write(vz_hierarchy *hierarchy, vz_node *const *nodes, size_t count, vz_error *err);

/* Before everything dirty is written: reads what will be looked at, at once, and keeps it (vz_store_pin_prefetched). */
bool vz_documents_look_ahead(vz_hierarchy *hierarchy, vz_error *err);

#endif
