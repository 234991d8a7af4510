/* document_version.c - in a remote store: the versions of a node's documents that were read or
 * written last. Documents are written under the condition of that version and are not read
 * again. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

bool vz_hierarchy_is_remote(const vz_hierarchy *hierarchy)
{
    return !(hierarchy->store->capabilities & VZ_STORE_CHEAP);
}

static vz_version *place_of(vz_node *node, bool of_attributes)
{
    return of_attributes ? &node->versions->attributes : &node->versions->document;
}

const vz_version *vz_node_version(const vz_node *node, bool of_attributes)
{
    static const vz_version unknown;
    return node->versions ? place_of((vz_node *)node, of_attributes) : &unknown;
}

bool vz_node_versions_known(const vz_node *node)
{
    return vz_node_version(node, false)->size > 0 &&
           (vz_zarr_format_in_one(node->zarr_format) || vz_node_version(node, true)->size > 0);
}

/* Without memory for it the document is read again before it is written. */
void vz_node_keep_version(vz_node *node, bool of_attributes, const vz_version *version)
{
    const bool known = version && version->size > 0 && version->lasts;
    if (!known && !node->versions)
        return;
    if (!node->versions && !(node->versions = calloc(1, sizeof *node->versions)))
        return;
    *place_of(node, of_attributes) = known ? *version : (vz_version){0};
}
