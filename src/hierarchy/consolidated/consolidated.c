/* consolidated.c - consolidated metadata at the root, what zarr-python calls consolidated
 * metadata: ".zmetadata", in format 3 a member of the root's own document. Readers trust it
 * without a look at the nodes, so it is gone before anything changes, and written anew as the
 * last act of closing. */
#include "hierarchy/consolidated/consolidated_internal.h"
#include "base/util/hash.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- dropping ---- */

/* The root's is looked at in the store, as another process may have written one since it was read.
 * So is that of a group that had one, since it gets it again. */
static bool drop_inside(vz_node *group, const char *prefix, vz_json **removed, vz_error *err)
{
    const vz_hierarchy *hierarchy = group->hierarchy;
    const vz_json *copy = vz_json_get(group->document, VZ_CONSOLIDATED);
    const bool is_known = copy && vz_json_kind_of(copy) != VZ_JSON_NULL;
    const bool had_one = hierarchy->consolidation.dropped && vz_strmap_get(hierarchy->consolidation.dropped, prefix);
    if (group->is_new || (!is_known && !had_one && group->parent))
        return true;
    if (!vz_documents_lock(group->hierarchy, err))
        return false;
    const bool ok =
        vz_document_drop_copy(group->hierarchy->store, group->zarr_format, prefix, &group->document_hash, removed, err);
    vz_documents_unlock(group->hierarchy);
    if (!ok)
        return false;
    if (is_known)
        vz_json_remove(group->document, VZ_CONSOLIDATED);
    if (*removed)
        vz_node_keep_version(group, false, NULL);
    return true;
}

/* Where it was prefetched, that tells; it can be too large to be. */
static bool is_there(vz_store *store, const char *key, bool *exists, vz_error *err)
{
    vz_buffer text = {0};
    vz_version version;
    vz_stamp stamp = {0};
    const bool known = vz_store_see_prefetched(store, key, &text, exists, &version);
    vz_buffer_clear(&text);
    if (known)
        return true;
    const bool ok = vz_store_stat(store, key, &stamp, err);
    *exists = stamp.exists;
    return ok;
}

/* A copy that was there when the store was opened is not looked at again. A DELETE of one that is
 * gone by now does no harm. */
static bool drop_apart(vz_node *group, const char *prefix, vz_json **removed, vz_error *err)
{
    vz_store *store = group->hierarchy->store;
    bool exists = false;
    char *key = vz_document_key_join(prefix, group->zarr_format->consolidated, err);
    if (!group->parent && !group->is_new)
        exists = vz_doc_cache_take_consolidated(group->hierarchy->documents);
    bool ok = key && (group->is_new || exists || is_there(store, key, &exists, err));
    if (ok && exists)
        ok = vz_consolidated_copy_delete(group->hierarchy, key, err) && (*removed = vz_json_null(err));
    free(key);
    return ok;
}

static bool drop_of(vz_node *group, vz_error *err)
{
    vz_hierarchy *hierarchy = group->hierarchy;
    vz_json *removed = NULL;
    char *prefix = vz_node_prefix(group, err);
    bool ok = prefix && (group->zarr_format->consolidated ? drop_apart : drop_inside)(group, prefix, &removed, err);
    if (ok && !group->parent)
        ok = vz_consolidated_drop_above(hierarchy->store, err);
    if (ok && !group->parent)
        hierarchy->consolidation.at_close |= group->is_new || removed;
    if (ok && removed && !group->parent)
        vz_doc_cache_add_hint(hierarchy->documents, removed, hierarchy->hard_links.names_changed);
    if (ok && removed)
        ok = vz_consolidated_remember(hierarchy, prefix, removed, err);
    free(prefix);
    return ok;
}

bool vz_consolidated_drop(vz_node *node, vz_error *err)
{
    node->hierarchy->consolidation.wrote_documents = true;
    if (vz_hierarchy_follows(node->hierarchy)) /* the leader drops it */
        return true;
    for (; node; node = node->parent) {
        if (node->kind != VZ_NODE_GROUP || node->consolidated_dropped)
            continue;
        if (!drop_of(node, err))
            return false;
        node->consolidated_dropped = true;
    }
    return true;
}

void vz_consolidated_look_again(vz_hierarchy *hierarchy)
{
    if (hierarchy->dirty.nodes && !hierarchy->root->is_new && !hierarchy->creation.just_made)
        hierarchy->root->consolidated_dropped = false;
}

/* ---- writing ---- */

/* A copy that stood in a document of its own is not remembered but as null. */
static const vz_zarr_format *format_of_metadata(const vz_json *copy)
{
    size_t i = 0;
    while (i + 1 < VZ_ZARR_FORMATS && !vz_zarr_formats[i]->consolidated != (vz_json_kind_of(copy) != VZ_JSON_NULL))
        i++;
    return vz_zarr_formats[i];
}

/* Groups below the root that had a copy get it again. */
static bool write_below(vz_hierarchy *hierarchy, vz_error *err)
{
    size_t cursor = 0;
    const char *prefix;
    void *copy;
    bool ok = true;
    while (ok && hierarchy->consolidation.dropped &&
           vz_strmap_next(hierarchy->consolidation.dropped, &cursor, &prefix, &copy))
        if (*prefix)
            ok = vz_consolidated_put(hierarchy, prefix, format_of_metadata(copy), NULL, err);
    return ok;
}

static bool remove_inside(vz_hierarchy *hierarchy, const char *prefix, const vz_zarr_format *zarr_format,
                          vz_json **removed, vz_error *err)
{
    uint64_t hash = 0;
    if (!vz_documents_lock(hierarchy, err))
        return false;
    const bool ok = vz_document_drop_copy(hierarchy->store, zarr_format, prefix, &hash, removed, err);
    vz_documents_unlock(hierarchy);
    return ok;
}

/* Another process may have written one while we changed what it says. */
static bool remove_copy(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_stamp stamp = {0};
    vz_json *removed = NULL;
    if (!hierarchy->zarr_format->consolidated) {
        const bool ok = remove_inside(hierarchy, "", hierarchy->zarr_format, &removed, err);
        vz_json_free(removed);
        return ok;
    }
    return vz_store_stat(hierarchy->store, hierarchy->zarr_format->consolidated, &stamp, err) &&
           (!stamp.exists || vz_store_del(hierarchy->store, hierarchy->zarr_format->consolidated, err));
}

static bool forget_drop(vz_node *node, void *context, vz_error *err)
{
    (void)context, (void)err;
    node->consolidated_dropped = false;
    return true;
}

bool vz_consolidated_write(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->writable || hierarchy->array_root || !hierarchy->consolidation.wrote_documents)
        return true;
    bool ok = !vz_hierarchy_may_have_copies(hierarchy) || write_below(hierarchy, err);
    if (!vz_hierarchy_leaves_copy(hierarchy))
        ok = remove_copy(hierarchy, ok ? err : NULL) && ok;
    else
        ok = vz_consolidated_put(hierarchy, "", hierarchy->zarr_format, NULL, ok ? err : NULL) && ok;
    /* Of some copies that are there, the next change must know. */
    vz_hierarchy_each_loaded(hierarchy, forget_drop, NULL, NULL);
    hierarchy->consolidation.wrote_documents = !ok;
    return ok;
}

/* ---- by command ---- */

/* Removes it; the program that made it can read its nodes. */
static bool drop_for_another(vz_hierarchy *hierarchy, const char *prefix, const vz_zarr_format *zarr_format,
                             vz_error *err)
{
    vz_json *removed = NULL;
    char *key = NULL;
    bool ok;
    if (zarr_format->consolidated)
        ok = (key = vz_document_key_join(prefix, zarr_format->consolidated, err)) &&
             vz_store_del(hierarchy->store, key, err);
    else
        ok = remove_inside(hierarchy, prefix, zarr_format, &removed, err);
    free(key);
    if (ok && removed)
        return vz_consolidated_remember(hierarchy, prefix, removed, err);
    vz_json_free(removed);
    return ok;
}

bool vz_consolidated_write_node(vz_node *group, char **blocked, vz_error *err)
{
    *blocked = NULL;
    if (group->kind != VZ_NODE_GROUP || group->hierarchy->array_root)
        return vz_fail(err, VZ_INVALID, "only a group can have consolidated metadata");
    if (!vz_node_check_writable(group, err))
        return false;
    char *prefix = vz_node_prefix(group, err);
    const bool ok = prefix && drop_for_another(group->hierarchy, prefix, group->zarr_format, err) &&
                    vz_consolidated_put(group->hierarchy, prefix, group->zarr_format, blocked, err);
    free(prefix);
    return ok;
}
