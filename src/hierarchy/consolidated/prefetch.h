/* prefetch.h - requests for consolidation, sent early; documents that this process wrote, kept
 * for it. */
#ifndef VZ_CONSOLIDATED_PREFETCH_H
#define VZ_CONSOLIDATED_PREFETCH_H

#include "hierarchy/nodes/node_state.h"

/* -- Consolidate prefetch --
 * requests for what the consolidated metadata needs, sent beside the last documents before it. */
/* Called before the last documents are sent: the listings that consolidated metadata needs are
 * requested beside them, if they are few. A failed request is repeated when its answer is
 * needed. */
void vz_tree_prefetch_begin(vz_hierarchy *hierarchy);

/* Keeps the root's document as it was written, or (NULL) as it was prefetched, if that is the
 * known version. */
void vz_tree_prefetch_keep_root(vz_hierarchy *hierarchy, const vz_document_write *write);

/* Puts the answers and what was written meanwhile among the prefetched values. To be called before
 * vz_own_documents_show. */
bool vz_tree_prefetch_finish(vz_hierarchy *hierarchy, vz_error *err);
void vz_tree_prefetch_drop(vz_hierarchy *hierarchy);

/* -- Written cache --
 * texts of documents that this process wrote, kept for the consolidated metadata. */
/* A document was written: its text may be kept, and is then taken from `write`. */
void vz_own_documents_keep(vz_document_write *write, uint64_t hash);

/* Moves all kept texts to the prefetched values. */
bool vz_own_documents_show(vz_hierarchy *hierarchy, const vz_spelling *spelling, vz_error *err);
void vz_own_documents_forget(vz_hierarchy *hierarchy); /* keys may mean something else from here on */

#endif
