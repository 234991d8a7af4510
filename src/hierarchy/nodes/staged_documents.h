/* staged_documents.h - which nodes write_early.c has not looked at, and what is kept of documents that were put early. */
#ifndef VZ_NODES_STAGED_DOCUMENTS_H
#define VZ_NODES_STAGED_DOCUMENTS_H

#include "hierarchy/nodes/node_documents.h"

struct vz_early_documents {
    vz_document_write writes[2]; /* in the order in which they were put */
    size_t count;
};

/* There is something unwritten of a node; it changes again; there is nothing any more. */
void vz_early_documents_wait(struct vz_unwritten *unwritten);
void vz_early_documents_changed(struct vz_unwritten *unwritten);
void vz_early_documents_drop(struct vz_unwritten *unwritten);
/* It was looked at. */
void vz_early_documents_pass(struct vz_unwritten *unwritten);
/* A document was put. Takes what `write` holds, also on failure. */
bool vz_early_documents_keep(vz_document_write *write, vz_error *err);
void vz_early_documents_forget(struct vz_unwritten *unwritten);

#endif
