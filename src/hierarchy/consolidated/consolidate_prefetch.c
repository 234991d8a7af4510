/* consolidate_prefetch.c - the needs of consolidated metadata, asked for beside the last documents
 * that are written before it. It applies where a request is a round trip and a node has one
 * document. Groups are listed. The root's document is the one that was read or written last: its
 * version is the condition under which the copy is put into it. The cache of documents keeps all of
 * it. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define GROUPS_MAX 64 /* beyond, what is written is looked for too often */

/* ---- listings ---- */

typedef struct prefixes {
    char *at[GROUPS_MAX];
    size_t count;
} prefixes;

/* Takes the prefix; NULL fails. */
static bool add(prefixes *groups, char *prefix)
{
    if (prefix && groups->count < GROUPS_MAX) {
        groups->at[groups->count++] = prefix;
        return true;
    }
    free(prefix);
    return false;
}

static bool add_groups(prefixes *groups, const vz_node *group)
{
    size_t cursor = 0;
    const vz_node *node;
    bool ok = add(groups, vz_node_prefix(group, NULL));
    while (ok && (node = vz_node_next_below(group, &cursor)))
        ok = node->kind != VZ_NODE_GROUP || add_groups(groups, node);
    return ok;
}

void vz_tree_prefetch_begin(vz_hierarchy *hierarchy)
{
    bool with_root;
    prefixes groups = {.count = 0};
    if (vz_doc_cache_has_listings(hierarchy->documents, &with_root) || hierarchy->ranks.comm ||
        !vz_hierarchy_is_remote(hierarchy) || !vz_zarr_format_in_one(hierarchy->zarr_format) ||
        !vz_hierarchy_leaves_copy(hierarchy))
        return;
    if (add_groups(&groups, hierarchy->root)) {
        vz_doc_cache_request_listings(hierarchy->documents, hierarchy->store, groups.at, groups.count);
        return;
    }
    for (size_t i = 0; i < groups.count; i++)
        free(groups.at[i]);
}

/* ---- the root's document ---- */

void vz_tree_prefetch_keep_root(vz_hierarchy *hierarchy, const vz_node_document_write *write)
{
    const vz_node *root = hierarchy->root;
    const vz_version *known = vz_node_version(root, false);
    bool found = false, with_root;
    vz_version version = *known;
    vz_buffer text = {0};
    if (!vz_doc_cache_has_listings(hierarchy->documents, &with_root) || known->size == 0 || (!write && with_root))
        return;
    const bool is_known =
        write ? vz_buffer_append(&text, write->printed.text.data, write->printed.text.size, NULL)
              : vz_store_see_prefetched(hierarchy->store, root->zarr_format->group, &text, &found, &version) && found;
    if (!is_known || !vz_version_equal(&version, known))
        text.size = 0;
    vz_doc_cache_keep_root(hierarchy->documents, &text, &version);
}

/* ---- other documents that are written ---- */

/* Was nothing there before, of which another process may have changed the rest? */
static bool is_whole(const vz_node_document_write *write)
{
    return vz_hierarchy_is_remote(write->node->hierarchy) ? write->when == VZ_WHEN_ABSENT : write->node->is_new;
}

/* Those of arrays; in remote stores those of groups too, where all of a node is one document. */
void vz_tree_prefetch_wrote(vz_node_document_write *write, uint64_t hash)
{
    vz_hierarchy *hierarchy = write->node->hierarchy;
    if (!write->printed.key)
        return;
    const bool in_one = vz_zarr_format_in_one(write->node->zarr_format);
    if (in_one && write->node == hierarchy->root)
        vz_tree_prefetch_keep_root(hierarchy, write);
    else if (write->node->kind == VZ_NODE_ARRAY || (in_one && vz_hierarchy_is_remote(hierarchy)))
        vz_doc_cache_wrote(hierarchy->documents, &write->printed, hash, is_whole(write));
}
