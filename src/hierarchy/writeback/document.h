/* document.h - writing the documents of a node: compared with those in the store, printed, and
 * sent one by one or in a round. */
#ifndef VZ_WRITEBACK_DOCUMENT_H
#define VZ_WRITEBACK_DOCUMENT_H

#include "hierarchy/nodes/node_state.h"

/* write_document.c */
/* Are there documents in the store that readers see, and that a killed process would leave? */
bool vz_flush_is_in_place(const vz_node *node);

/* Writes what is dirty of a linked node's documents (attributes first, so that no reader sees a
 * node without them). */
bool vz_flush_documents(vz_node *node, vz_error *err);

/* As vz_flush_documents, under another prefix and without the lock (vz_documents_lock). */
bool vz_flush_documents_at(vz_node *node, const char *prefix, vz_error *err);

#endif
