/* consolidate_prefetch.c - what consolidated metadata needs, asked for beside the last documents
 * that are written before it, where a request is a round trip and a node has one document:
 * groups are listed, and what is being written is added to what they show. The root's document
 * is the one that was read or written last: its version is the condition under which the copy is
 * put into it. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include "store/store/prefetch.h"
#include "base/util/bytes.h"
#include <stdlib.h>

#define GROUPS_MAX 64 /* beyond, what is written is looked for too often */

struct vz_tree_prefetch {
    vz_request *requests; /* listings; their keys are ours */
    size_t count, capacity;
    vz_batch *batch;
    vz_buffer root; /* the text of its document, with that version; of size 0: not known */
    vz_version version;
};

static void end_batch(struct vz_tree_prefetch *prefetch)
{
    vz_buffer unused = {0};
    while (prefetch->batch && vz_batch_next(prefetch->batch, &unused))
        ;
    if (prefetch->batch)
        vz_batch_close(prefetch->batch, NULL); /* what failed is asked for again */
    prefetch->batch = NULL;
    vz_buffer_clear(&unused);
}

void vz_tree_prefetch_drop(vz_hierarchy *hierarchy)
{
    struct vz_tree_prefetch *prefetch = hierarchy->documents.prefetch;
    if (!prefetch)
        return;
    end_batch(prefetch);
    for (size_t i = 0; i < prefetch->count; i++) {
        vz_entries_free(prefetch->requests[i].entries, prefetch->requests[i].entry_count);
        free((char *)prefetch->requests[i].key);
    }
    free(prefetch->requests);
    vz_buffer_clear(&prefetch->root);
    free(prefetch);
    hierarchy->documents.prefetch = NULL;
}

/* ---- asking ---- */

/* Takes the prefix; NULL fails. */
static bool add(struct vz_tree_prefetch *prefetch, char *prefix)
{
    if (prefix && prefetch->count < GROUPS_MAX) {
        prefetch->requests[prefetch->count++] = (vz_request){.op = VZ_REQUEST_LIST, .key = prefix};
        return true;
    }
    free(prefix);
    return false;
}

static bool add_groups(struct vz_tree_prefetch *prefetch, const vz_node *group)
{
    size_t cursor = 0;
    const vz_node *node;
    bool ok = add(prefetch, vz_node_prefix(group, NULL));
    while (ok && (node = vz_node_next_below(group, &cursor)))
        ok = node->kind != VZ_NODE_GROUP || add_groups(prefetch, node);
    return ok;
}

void vz_tree_prefetch_begin(vz_hierarchy *hierarchy)
{
    if (hierarchy->documents.prefetch || hierarchy->ranks.comm || !vz_hierarchy_is_remote(hierarchy) ||
        !vz_zarr_format_in_one(hierarchy->zarr_format) || !vz_hierarchy_leaves_copy(hierarchy))
        return;
    struct vz_tree_prefetch *prefetch = hierarchy->documents.prefetch = calloc(1, sizeof *prefetch);
    if (prefetch && (prefetch->requests = calloc(GROUPS_MAX, sizeof *prefetch->requests)) &&
        add_groups(prefetch, hierarchy->root))
        prefetch->batch = vz_batch_open(hierarchy->store, prefetch->requests, prefetch->count, NULL);
    else
        vz_tree_prefetch_drop(hierarchy);
}

/* ---- the root's document ---- */

void vz_tree_prefetch_keep_root(vz_hierarchy *hierarchy, const vz_document_write *write)
{
    struct vz_tree_prefetch *prefetch = hierarchy->documents.prefetch;
    const vz_node *root = hierarchy->root;
    const vz_version *known = vz_node_version(root, false);
    bool found = false;
    vz_version version = *known;
    if (!prefetch || known->size == 0 || (!write && prefetch->root.size > 0))
        return;
    prefetch->root.size = 0;
    const bool is_known =
        write
            ? vz_buffer_append(&prefetch->root, write->printed.text.data, write->printed.text.size, NULL)
            : vz_store_see_prefetched(hierarchy->store, root->zarr_format->group, &prefetch->root, &found, &version) &&
                  found;
    if (!is_known || !vz_version_equal(&version, known))
        prefetch->root.size = 0;
    prefetch->version = version;
}

/* ---- other documents that are written ---- */

/* Was nothing there before, of which another process may have changed the rest? */
static bool is_whole(const vz_document_write *write)
{
    return vz_hierarchy_is_remote(write->node->hierarchy) ? write->when == VZ_WHEN_ABSENT : write->node->is_new;
}

/* Those of arrays; in remote stores those of groups too, where all of a node is one document. */
void vz_tree_prefetch_wrote(vz_document_write *write, uint64_t hash)
{
    vz_hierarchy *hierarchy = write->node->hierarchy;
    if (!write->printed.key)
        return;
    const bool in_one = vz_zarr_format_in_one(write->node->zarr_format);
    if (in_one && write->node == hierarchy->root)
        vz_tree_prefetch_keep_root(hierarchy, write);
    else if (write->node->kind == VZ_NODE_ARRAY || (in_one && vz_hierarchy_is_remote(hierarchy)))
        vz_doc_cache_wrote(hierarchy->documents.cache, &write->printed, hash, is_whole(write));
}

/* ---- the answers ---- */

/* Adds what lies directly in the group, and was written, to what its listing shows. */
static bool add_written(const vz_hierarchy *hierarchy, vz_request *list)
{
    const size_t length = strlen(list->key), skipped = length ? length + 1 : 0;
    size_t cursor = 0, count = list->entry_count, room = count;
    const char *key;
    while (vz_doc_cache_next_written(hierarchy->documents.cache, &cursor, &key)) {
        const char *name = key + skipped, *slash;
        if (!vz_key_is_within(key, list->key) || !(slash = strchr(name, '/')) || strchr(slash + 1, '/'))
            continue;
        if (count == room) {
            room = 2 * room + 64;
            vz_entry *entries = realloc(list->entries, room * sizeof *entries);
            if (!entries)
                return false;
            list->entries = entries;
        }
        list->entries[count] = (vz_entry){.name = strndup(name, (size_t)(slash - name)), .is_prefix = true};
        if (!list->entries[count].name)
            return false;
        list->entry_count = ++count;
    }
    return true;
}

/* Two entries of one name become one. Of these the one that was listed stays, whose memory may
 * be that of others. */
static void join(vz_entry *first, const vz_entry *second)
{
    const bool is_prefix = first->is_prefix || second->is_prefix;
    if (!first->in_names) {
        free(first->name);
        *first = *second;
    } else if (!second->in_names) {
        free(second->name);
    }
    first->is_prefix = is_prefix;
}

static void merge(vz_request *list)
{
    size_t kept = 0;
    vz_entries_sort(list->entries, list->entry_count);
    for (size_t i = 0; i < list->entry_count; i++) {
        vz_entry *entry = &list->entries[i];
        if (kept > 0 && strcmp(list->entries[kept - 1].name, entry->name) == 0) {
            join(&list->entries[kept - 1], entry);
        } else {
            list->entries[kept++] = *entry;
        }
    }
    list->entry_count = kept;
}

static bool take_lists(vz_hierarchy *hierarchy, struct vz_tree_prefetch *prefetch, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < prefetch->count; i++) {
        vz_request *list = &prefetch->requests[i];
        if (list->failed != VZ_OK)
            continue;
        if (!add_written(hierarchy, list))
            return vz_fail_memory(err);
        merge(list);
        ok = vz_prefetch_keep_list(hierarchy->store->prefetched, list->key, list->entries, list->entry_count, err);
        list->entries = NULL;
        list->entry_count = 0;
    }
    return ok;
}

bool vz_tree_prefetch_finish(vz_hierarchy *hierarchy, vz_error *err)
{
    struct vz_tree_prefetch *prefetch = hierarchy->documents.prefetch;
    if (!prefetch)
        return true;
    const bool answered = prefetch->batch != NULL;
    end_batch(prefetch);
    bool ok = vz_prefetch_table_of(hierarchy->store) || vz_fail_memory(err);
    ok = ok && (!answered || take_lists(hierarchy, prefetch, err));
    if (ok && prefetch->root.size > 0)
        ok = vz_prefetch_keep(hierarchy->store->prefetched, hierarchy->root->zarr_format->group, true,
                              &prefetch->version, &prefetch->root, err);
    vz_tree_prefetch_drop(hierarchy);
    return ok;
}
