/* new_hierarchy.c - one hierarchy in memory: made over a store, freed. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/store.h"
#include "base/os/file.h"
#include "store/layers/layer.h"
#include <stdlib.h>

#define DOCUMENTS_NEAR (VZ_STORE_CHEAP | VZ_STORE_AT_HAND) /* a look at one is no round trip */

static vz_hierarchy *new_hierarchy(vz_store *store, const char *path, const vz_options *options, bool writable,
                                   vz_error *err)
{
    store = vz_layer_for_use(store, writable, err);
    if (store && !writable && options->consolidated == VZ_CONSOLIDATED_AUTO && !(store->capabilities & DOCUMENTS_NEAR))
        store = vz_consolidated_store_if(store, err);
    if (!store)
        return NULL;
    vz_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    char *copy = strdup(path);
    vz_doc_cache *documents = vz_doc_cache_new(NULL);
    if (!hierarchy || !copy || !documents) {
        free(hierarchy);
        free(copy);
        vz_doc_cache_free(documents);
        vz_store_close(store);
        vz_fail_memory(err);
        return NULL;
    }
    hierarchy->store = store;
    store->follow_links = options->follow_links;
    store->durable = options->sync;
    store->without_locks = options->without_locks || !vz_lock_is_wanted_by_hdf5();
    hierarchy->path = copy;
    hierarchy->documents = documents;
    hierarchy->options = *options;
    hierarchy->zarr_format = vz_zarr_format_of((int)options->format);
    hierarchy->writable = writable;
    hierarchy->process.owner = vz_process_id();
    hierarchy->registry.opens = 1;
    hierarchy->access.lock.descriptor = -1;
    const vz_identity own = {{(uint64_t)hierarchy->process.owner, (uint64_t)(uintptr_t)store}};
    hierarchy->registry.identity = vz_identity_number(vz_identity_is_known(&store->identity) ? &store->identity : &own);
    while (vz_registry_has_identity(hierarchy->registry.identity))
        hierarchy->registry.identity = vz_hash(&hierarchy->registry.identity, sizeof hierarchy->registry.identity, 0);
    if (!writable || vz_hierarchy_own(hierarchy, err))
        return hierarchy;
    vz_open_hierarchy_free(hierarchy);
    return NULL;
}

void vz_open_hierarchy_free(vz_hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    vz_root_move_log_close(hierarchy);
    vz_node_free(hierarchy->root);
    while (hierarchy->unlinked) {
        vz_node *node = hierarchy->unlinked;
        vz_node_leave_unlinked(node);
        vz_node_free(node);
    }
    vz_consolidated_forget(hierarchy);
    vz_doc_cache_free(hierarchy->documents);
    vz_hierarchy_disown(hierarchy);
    vz_strmap_free(hierarchy->ranks.unlinked_left, NULL);
    vz_comm_free(hierarchy->ranks.comm);
    vz_store_close(hierarchy->store);
    vz_store_lock_leave(&hierarchy->access.lock);
    free(hierarchy->path);
    free(hierarchy);
}

/* The old store may have been of another format; until now its documents marked the store. In a
 * remote store all of it went before. */
static bool remove_other_marks(vz_hierarchy *hierarchy, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS && !vz_hierarchy_is_remote(hierarchy) && !hierarchy->store->is_fresh;
         i++)
        if (vz_zarr_formats[i] != hierarchy->zarr_format)
            ok = vz_store_del(hierarchy->store, vz_zarr_formats[i]->group, err);
    return ok;
}

/* A document that is all of the root's waits for what the program says of the file, where a
 * request is dear. */
static bool write_root_mark(vz_hierarchy *hierarchy, bool leaves_it, vz_error *err)
{
    vz_node *root = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    if (!root || !(root->members = vz_members_new(root, err))) {
        vz_node_free(root);
        return false;
    }
    hierarchy->root = root;
    hierarchy->creation.just_made = true;
    root->is_new = root->consolidated_dropped = hierarchy->consolidation.at_close =
        hierarchy->consolidation.wrote_documents = true;
    const bool waits =
        leaves_it || (vz_hierarchy_is_remote(hierarchy) && vz_zarr_format_in_one(hierarchy->zarr_format));
    return vz_unwritten_of(root, err) && (waits || vz_flush_documents(root, err)) &&
           remove_other_marks(hierarchy, err) && vz_store_drain(hierarchy->store, err);
}

static vz_hierarchy *opened(vz_hierarchy *hierarchy, const char *path, bool ok, vz_error *err)
{
    if (ok) {
        vz_root_move_log_written(hierarchy);
        return hierarchy;
    }
    vz_error_where(err, path, "/");
    vz_open_hierarchy_free(hierarchy);
    return NULL;
}

vz_hierarchy *vz_open_hierarchy_over(vz_store *store, const char *path, const vz_options *options, bool writable,
                                     bool create, vz_error *err)
{
    if (create)
        return vz_open_hierarchy_over_new(store, path, options, false, false, err);
    vz_hierarchy *hierarchy = new_hierarchy(store, path, options, writable, err);
    if (!hierarchy)
        return NULL;
    hierarchy->root = vz_node_load_root(hierarchy, err);
    return opened(hierarchy, path, hierarchy->root != NULL, err);
}

vz_hierarchy *vz_open_hierarchy_over_new(vz_store *store, const char *path, const vz_options *options, bool leaves,
                                         bool claims, vz_error *err)
{
    vz_hierarchy *hierarchy = new_hierarchy(store, path, options, true, err);
    if (!hierarchy)
        return NULL;
    hierarchy->creation.claims = claims;
    return opened(hierarchy, path, write_root_mark(hierarchy, leaves, err), err);
}
