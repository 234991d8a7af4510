/* prefetch.h - requests for consolidation, sent beside the last documents. */
#ifndef VZ_CONSOLIDATED_PREFETCH_H
#define VZ_CONSOLIDATED_PREFETCH_H

#include "hierarchy/nodes/node_state.h"

/* -- Consolidate prefetch --
 * requests for what the consolidated metadata needs, sent beside the last documents before it. */
/* Called before the last documents are sent: the listings that consolidated metadata needs are
 * requested beside them, if they are few. A failed request is repeated when its answer is
 * needed. */
void vz_tree_prefetch_begin(vz_hierarchy *hierarchy);

/* A document was written while the store closes: the cache of documents may keep its text, and
 * then takes it from `write`. */
void vz_tree_prefetch_wrote(vz_node_document_write *write, uint64_t hash);

/* Keeps the root's document as it was written, or (NULL) as it was prefetched, if that is the
 * known version. */
void vz_tree_prefetch_keep_root(vz_hierarchy *hierarchy, const vz_node_document_write *write);

#endif
