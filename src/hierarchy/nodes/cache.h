/* cache.h - consolidated hint, staged documents. */
#ifndef VZ_NODES_CACHE_H
#define VZ_NODES_CACHE_H

#include "hierarchy/nodes/node.h"
#include "hierarchy/nodes/node_state.h"

/* -- Consolidated hint --
 * what the copy of all documents told when a store that is far away was opened for writing. */
typedef struct vz_told vz_told;

/* A copy that stood in the root's document, and is taken out of it now. */
void vz_told_copy(vz_hierarchy *hierarchy, const vz_json *copy);
void vz_told_free(vz_told *told); /* NULL is fine */

/* The nodes, in any order; `cursor` begins at 0. None where this process moved or deleted some since. */
bool vz_told_next(const vz_hierarchy *hierarchy, size_t *cursor, const char **prefix, bool *is_group);

/* Is the prefix one of those? */
bool vz_told_has(const vz_hierarchy *hierarchy, const char *prefix);

/* Was there a copy in a document of the root's own when the store was opened, and nobody took it away since? */
bool vz_told_has_copy(const vz_hierarchy *hierarchy);

/* The same, of who takes it away now. */
bool vz_told_take_copy(vz_hierarchy *hierarchy);

/* -- Staged documents --
 * which nodes write_early.c has not looked at, and what is kept of documents that were put early. */
struct vz_early_documents {
    vz_document_write writes[2]; /* in the order in which they were put */
    size_t count;
};

/* It was looked at. */
void vz_early_documents_pass(struct vz_unwritten *unwritten);

/* A document was put. Takes what `write` holds, also on failure. */
bool vz_early_documents_keep(vz_document_write *write, vz_error *err);
void vz_early_documents_forget(struct vz_unwritten *unwritten);

#endif
