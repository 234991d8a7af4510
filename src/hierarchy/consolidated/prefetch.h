/* prefetch.h - consolidate prefetch, written cache. */
#ifndef VZ_CONSOLIDATED_PREFETCH_H
#define VZ_CONSOLIDATED_PREFETCH_H

#include "hierarchy/nodes/node_state.h"

/* -- Consolidate prefetch --
 * requests for what the consolidated metadata needs, sent beside the last documents before it. */
/* The last documents before the copy of all of them are about to be sent: what that needs is asked for beside them, if
 * it is not too much. What fails is asked for when it is needed. */
void vz_tree_ask_early(vz_hierarchy *hierarchy);

/* The root's document as it was written, or (NULL) as it was read ahead, if that is the version that we know. */
void vz_tree_keep_root(vz_hierarchy *hierarchy, const vz_document_write *write);

/* What was asked for is as if it was read ahead, with what was written meanwhile; before vz_own_documents_show. */
bool vz_tree_take_early(vz_hierarchy *hierarchy, vz_error *err);
void vz_tree_forget_early(vz_hierarchy *hierarchy);

/* -- Written cache --
 * texts of documents that this process wrote, kept for the consolidated metadata. */
/* It is in the store: its text may be kept, and then is taken. */
void vz_own_documents_keep(vz_document_write *write, uint64_t hash);

/* All that was kept is as if it was read ahead, once. */
bool vz_own_documents_show(vz_hierarchy *hierarchy, const vz_spelling *spelling, vz_error *err);
void vz_own_documents_forget(vz_hierarchy *hierarchy); /* keys may mean something else from here on */

#endif
