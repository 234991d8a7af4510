/* write_round.c - the documents of many nodes at once, where each by itself would be a round
 * trip. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- writing ---- */

static void cut(vz_flush_document_round *round, size_t count)
{
    while (round->count > count)
        vz_flush_document_drop(&round->writes[--round->count]);
}

/* Of the nodes of which nothing failed yet. */
static size_t choose(const vz_flush_document_round *round, bool of_attributes, vz_request *requests)
{
    size_t count = 0;
    for (size_t i = 0; i < round->count; i++) {
        const vz_node_document_write *write = &round->writes[i];
        const bool sent = !write->printed.key;
        if (sent || write->of_attributes != of_attributes || round->failed[write->number] != VZ_OK)
            continue;
        requests[count] = vz_flush_document_request(write);
        requests[count++].tag = i;
    }
    return count;
}

static void fail_all(vz_flush_document_round *round, const vz_request *requests, size_t count, vz_error_class class)
{
    for (size_t i = 0; i < count; i++)
        round->failed[round->writes[requests[i].tag].number] = class;
}

static void send_requests(vz_flush *flush, vz_flush_document_round *round, vz_request *requests, size_t count)
{
    vz_buffer unused = {0};
    vz_batch *batch = vz_batch_open(flush->hierarchy->store, requests, count, &flush->now);
    if (!batch)
        fail_all(round, requests, count, flush->now.class);
    for (vz_request *request; batch && (request = vz_batch_next(batch, &unused));) {
        vz_node_document_write *write = &round->writes[request->tag];
        round->failed[write->number] = request->failed;
        if (request->failed == VZ_OK)
            vz_flush_document_written(flush, write, &request->version);
    }
    vz_buffer_clear(&unused);
    const bool ok = batch && vz_batch_close(batch, &flush->now);
    vz_flush_note(flush, ok || flush->now.class == VZ_CHANGED); /* then the node is written once
                                                                 * more */
}

/* Attributes first, so that no reader sees a node without them. */
static void send_kind(vz_flush *flush, vz_flush_document_round *round, bool of_attributes)
{
    vz_request *requests = malloc((round->count + 1) * sizeof *requests);
    const size_t count = requests ? choose(round, of_attributes, requests) : 0;
    for (size_t i = 0; i < count; i++)
        vz_store_forget_prefetched(flush->hierarchy->store, requests[i].key);
    if (count > 0)
        send_requests(flush, round, requests, count);
    for (size_t i = 0; !requests && i < round->count; i++)
        round->failed[round->writes[i].number] = VZ_NO_MEMORY;
    free(requests);
}

static void prepare(vz_flush *flush, vz_flush_document_round *round, vz_node *const *nodes, size_t count)
{
    flush->round = round;
    for (size_t i = 0; i < count; i++) {
        const size_t before = round->count;
        const bool ok = vz_flush_node_prepare_documents(flush, nodes[i], &flush->now);
        if (!ok) {
            cut(round, before);
            round->failed[i] = flush->now.class;
        }
        vz_flush_note(flush, ok);
        for (size_t k = before; k < round->count; k++)
            round->writes[k].number = i;
    }
    flush->round = NULL;
}

/* Where another process changed one of the documents since we looked, we look again. */
static bool end_node(vz_flush *flush, vz_node *node, vz_error_class failed, vz_error *err)
{
    if (failed == VZ_CHANGED) {
        vz_node_keep_version(node, false, NULL);
        vz_node_keep_version(node, true, NULL);
        return vz_flush_node_documents(flush, node, err);
    }
    if (failed == VZ_OK)
        vz_flush_node_documents_written(node);
    return failed == VZ_OK || vz_fail(err, failed, "a document could not be written");
}

bool vz_flush_documents_write(vz_flush *flush, vz_node *const *nodes, size_t count)
{
    vz_flush_document_round round = {.failed = calloc(count + 1, sizeof *round.failed)};
    bool ok = true;
    if (!round.failed)
        return vz_flush_note(flush, vz_fail_memory(&flush->now));
    prepare(flush, &round, nodes, count);
    send_kind(flush, &round, true);
    send_kind(flush, &round, false);
    for (size_t i = 0; i < count; i++)
        ok = vz_flush_note(flush, end_node(flush, nodes[i], round.failed[i], &flush->now)) && ok;
    cut(&round, 0);
    free(round.writes);
    free(round.failed);
    return ok;
}

/* ---- looks ---- */

static bool add_key(const vz_node *node, vz_strmap *keys, const char *prefix, const char *document, vz_error *err)
{
    static char present;
    bool found;
    vz_bytes bytes;
    char *key = vz_document_key_join(prefix, document, err);
    const bool ok = key && (vz_store_has_prefetched(node->hierarchy->store, key, &found, &bytes) ||
                            vz_strmap_put(keys, key, &present, err));
    free(key);
    return ok;
}

/* Adds the documents of a dirty node that must be read. These are documents whose version is not
 * known, and the document of an array whose chunks are written. */
static bool add_documents(const vz_node *node, const char *prefix, vz_strmap *keys, vz_error *err)
{
    const bool array = node->kind == VZ_NODE_ARRAY, known = vz_node_versions_known(node);
    const vz_zarr_format *zarr_format = node->zarr_format;
    if (vz_zarr_format_in_one(zarr_format))
        return (known && !node->unwritten->chunk_bytes) || add_key(node, keys, prefix, zarr_format->array, err);
    if (array && (!known || node->unwritten->chunk_bytes) && !add_key(node, keys, prefix, zarr_format->array, err))
        return false;
    return vz_node_version(node, true)->size > 0 || add_key(node, keys, prefix, zarr_format->attributes, err);
}

static bool has_documents_to_write(const vz_node *node)
{
    const struct vz_unwritten *unwritten = node->unwritten;
    return node->is_new || node->implicit || unwritten->attributes || unwritten->unlinked || unwritten->annotation ||
           unwritten->meta || unwritten->links;
}

/* And of each group above: its consolidated metadata, which must go. */
static bool add_copies(const vz_node *node, vz_strmap *keys, vz_error *err)
{
    bool ok = true;
    for (; ok && node; node = node->parent) {
        const bool is_root = !node->parent;
        const char *apart = node->zarr_format->consolidated;
        if (node->kind != VZ_NODE_GROUP || node->is_new || node->consolidated_dropped || (!apart && !is_root) ||
            (is_root && vz_doc_cache_has_consolidated(node->hierarchy->documents)))
            continue;
        char *prefix = vz_node_prefix(node, err);
        ok = prefix && add_key(node, keys, prefix, apart ? apart : node->zarr_format->group, err);
        free(prefix);
    }
    return ok;
}

static bool add_keys(const vz_node *node, vz_strmap *keys, vz_error *err)
{
    if (!vz_node_is_linked(node))
        return true;
    char *prefix = node->is_new ? NULL : vz_node_prefix(node, err);
    const bool ok = (node->is_new || (prefix && add_documents(node, prefix, keys, err))) &&
                    (!has_documents_to_write(node) || add_copies(node, keys, err));
    free(prefix);
    return ok;
}

static bool read_keys(vz_store *store, const vz_strmap *keys, vz_error *err)
{
    const size_t count = vz_strmap_count(keys);
    const char **list = malloc((count + 1) * sizeof *list);
    size_t cursor = 0, i = 0;
    void *value;
    if (!list)
        return vz_fail_memory(err);
    while (i < count && vz_strmap_next(keys, &cursor, &list[i], &value))
        i++;
    const bool ok = count == 0 || vz_store_prefetch(store, list, count, err);
    free(list);
    return ok;
}

/* A root that this process has just made has no attributes' document in the store. */
static void know_made(const vz_hierarchy *hierarchy)
{
    if (hierarchy->creation.just_made && !vz_zarr_format_in_one(hierarchy->zarr_format))
        vz_store_know_missing(hierarchy->store, hierarchy->zarr_format->attributes);
}

bool vz_flush_documents_prefetch(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_strmap *keys = vz_strmap_new();
    bool ok = (keys || vz_fail_memory(err)) && vz_store_pin_prefetched(hierarchy->store, err);
    if (ok)
        know_made(hierarchy);
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; ok && unwritten; unwritten = unwritten->next)
        ok = add_keys(unwritten->node, keys, err);
    ok = ok && read_keys(hierarchy->store, keys, err);
    vz_strmap_free(keys, NULL);
    return ok;
}
