/* written_cache.h - texts of documents that this process wrote, kept for the consolidated metadata. */
#ifndef VZ_CONSOLIDATED_WRITTEN_CACHE_H
#define VZ_CONSOLIDATED_WRITTEN_CACHE_H

#include "hierarchy/nodes/node_documents.h"

/* It is in the store: its text may be kept, and then is taken. */
void vz_own_documents_keep(vz_document_write *write, uint64_t hash);
/* The text of a document, if it was kept: once, with its hash. It is the caller's to clear. */
bool vz_own_document_take(vz_hierarchy *hierarchy, const char *key, vz_buffer *text, uint64_t *hash);
/* All that was kept is as if it was read ahead, once. */
bool vz_own_documents_show(vz_hierarchy *hierarchy, const vz_spelling *spelling, vz_error *err);
void vz_own_documents_forget(vz_hierarchy *hierarchy); /* keys may mean something else from here on */

#endif
