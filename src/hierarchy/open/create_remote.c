/* create_remote.c - makes and empties remote stores. They have no directories, a request is a
 * round trip, and no step is atomic for a whole store. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/resolve/path.h"
#include "store/store/prefetch.h"
#include "store/layers/layer.h"
#include <errno.h>
#include <stdlib.h>

#define TREES_MAX 64 /* trees that are deleted one by one, so that the root's documents go last */

/* ---- emptying ---- */

/* Prefetched documents that exist, but not the root's: without these no reader finds anything
 * else. */
typedef struct documents {
    vz_request *at;
    size_t count, capacity;
} documents;

static bool add_document(void *context, const char *key, vz_error *err)
{
    documents *d = context;
    if (!strchr(key, '/') || !vz_zarr_is_document(strrchr(key, '/') + 1))
        return true;
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity ? 2 * d->capacity : 256;
        vz_request *at = realloc(d->at, capacity * sizeof *at);
        if (!at)
            return vz_fail_memory(err);
        d->at = at;
        d->capacity = capacity;
    }
    d->at[d->count++] = (vz_request){.op = VZ_REQUEST_DELETE, .key = key};
    return true;
}

/* A killed process leaves no array that seems to hold nothing but fill values. */
static bool delete_documents(vz_store *looked, vz_store *store, vz_error *err)
{
    documents d = {0};
    const bool ok = vz_store_each_prefetched(looked, add_document, &d, err) &&
                    (d.count == 0 || vz_requests_do(store, d.at, d.count, err));
    free(d.at);
    return ok;
}

static bool delete_trees(vz_store *store, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list(store, "", &entries, &count, err);
    const bool one_by_one = count <= TREES_MAX;
    for (size_t i = 0; ok && one_by_one && i < count; i++)
        if (!vz_zarr_is_node_document(entries[i].name))
            ok = (entries[i].is_prefix ? vz_store_del_tree : vz_store_del)(store, entries[i].name, err);
    vz_entries_free(entries, count);
    return ok && vz_store_del_tree(store, "", err);
}

/* `looked`: the store that prefetched all documents. Consolidated metadata is removed first. */
static bool empty(vz_store *looked, vz_store *store, vz_error *err)
{
    return vz_consolidated_drop_in(store, err) && delete_documents(looked, store, err) && delete_trees(store, err);
}

bool vz_open_remove_remote(vz_path_result *found, vz_error *err)
{
    vz_store *looked = found->at.store;
    found->at.store = NULL;
    vz_store *store = NULL;
    bool ok = vz_delete_check_all_is_zarr(looked, err);
    if (ok && (store = vz_location_open(&found->at, true, err)))
        store = vz_layer_for_use(store, false, err); /* what fails for a moment is repeated */
    ok = store && empty(looked, store, err);
    if (store)
        vz_registry_forget_tokens(&store->identity);
    vz_store_close(store);
    vz_store_close(looked);
    return ok;
}

/* ---- making ---- */

bool vz_open_create_remote_check(const vz_path_result *found, const vz_options *options, vz_error *err)
{
    const char *title = vz_store_kind_title(found->at.kind);
    if (options->container == VZ_CONTAINER_ZIP || options->container == VZ_CONTAINER_FILE)
        return vz_fail(err, VZ_UNSUPPORTED, "option container: a store that is a %s cannot be made as one file", title);
    return !options->user_block ||
           vz_fail(err, VZ_UNSUPPORTED, "a user block of %llu bytes before a store that is a %s",
                   (unsigned long long)options->user_block, title);
}

vz_store *vz_open_create_remote(vz_path_result *found, vz_path_open_mode mode, vz_open_made *made, vz_error *err)
{
    const char *root = vz_location_root(&found->at, err);
    if (!root)
        return NULL;
    made->kind = found->at.kind;
    if (found->at.why.class != VZ_OK) {
        *err = found->at.why;
        return NULL;
    }
    const bool is_there = found->kind != VZ_PATH_MISSING;
    if (is_there && mode != VZ_CREATE_TRUNCATE) {
        vz_fail_errno(err, EEXIST, "cannot create the store");
        return NULL;
    }
    if (is_there && !vz_open_remove_remote(found, err))
        return NULL;
    return vz_location_create(root, made->kind, 0, is_there ? VZ_MAKE_OVER : VZ_MAKE_NEW, err);
}
