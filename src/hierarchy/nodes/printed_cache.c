/* printed_cache.c - hashes of texts that this process printed into documents. Consolidation
 * takes these texts from the store without parsing them. Equal texts have one entry. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"

#define TEXTS_MAX ((size_t)1 << 17)
#define DEPTH_MAX (VZ_JSON_MAX_DEPTH / 2) /* of the values in one, which stand deeper in the copy */

enum { READABLE = 1, ARRAY = 2, VALUES_SHIFT = 2 };

void vz_known_text_note(const vz_document_write *write, uint64_t hash)
{
    const vz_node *node = write->node;
    const vz_spelling *spelling = node->spelling;
    vz_nummap *known = &node->hierarchy->documents.printed;
    const bool is_array = node->kind == VZ_NODE_ARRAY && !write->of_attributes && write->document;
    if (write->printed.size.depth > DEPTH_MAX || known->count >= TEXTS_MAX || vz_nummap_find(known, hash))
        return;
    const bool readable = is_array && spelling->readable(write->document);
    void **place = vz_nummap_put(known, hash, NULL);
    if (place)
        *place = (void *)((uintptr_t)write->printed.size.values << VALUES_SHIFT | (is_array ? ARRAY : 0) |
                          (readable ? READABLE : 0));
}

vz_known_text vz_known_text_of(const vz_hierarchy *hierarchy, uint64_t hash)
{
    void **place = vz_nummap_find(&hierarchy->documents.printed, hash);
    const uintptr_t facts = place ? (uintptr_t)*place : 0;
    return (vz_known_text){.values = facts >> VALUES_SHIFT, .is_array = facts & ARRAY, .readable = facts & READABLE};
}
