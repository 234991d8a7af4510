/* consolidate_prefetch.h - requests for what the consolidated metadata needs, sent beside the last documents before it. */
#ifndef VZ_CONSOLIDATED_CONSOLIDATE_PREFETCH_H
#define VZ_CONSOLIDATED_CONSOLIDATE_PREFETCH_H

#include "hierarchy/nodes/node_documents.h"

/* The last documents before the copy of all of them are about to be sent: what that needs is asked for beside them, if
 * it is not too much. What fails is asked for when it is needed. */
void vz_tree_ask_early(vz_hierarchy *hierarchy);
/* The root's document as it was written, or (NULL) as it was read ahead, if that is the version that we know. */
void vz_tree_keep_root(vz_hierarchy *hierarchy, const vz_document_write *write);
/* What was asked for is as if it was read ahead, with what was written meanwhile; before vz_own_documents_show. */
bool vz_tree_take_early(vz_hierarchy *hierarchy, vz_error *err);
void vz_tree_forget_early(vz_hierarchy *hierarchy);

#endif
