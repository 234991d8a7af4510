/* send_document.c - a document that is printed goes to the store: at once, or with those of many
 * nodes (write_round.c). A node takes on what was written when it is there. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

void vz_flush_document_drop(vz_node_document_write *write)
{
    vz_printed_document_clear(&write->printed);
    vz_json_free(write->document);
    vz_json_free(write->kept);
    *write = (vz_node_document_write){0};
}

/* The store has it. */
void vz_flush_document_written(const vz_flush *flush, vz_node_document_write *write, const vz_version *version)
{
    vz_node *node = write->node;
    const uint64_t hash = vz_hash_text(write->printed.text.data, write->printed.text.size);
    if (node == node->hierarchy->root)
        node->hierarchy->creation.claims = false;
    if (write->of_attributes)
        node->attributes_hash = hash;
    else
        node->document_hash = hash;
    vz_node_keep_version(node, write->of_attributes, version);
    vz_doc_cache_note_facts(node->hierarchy->documents, node->zarr_format, hash, write->printed.size,
                            node->kind == VZ_NODE_ARRAY && !write->of_attributes ? write->document : NULL);
    if (flush->scope & (VZ_FLUSH_CLOSE | VZ_FLUSH_EARLY))
        vz_tree_prefetch_wrote(write, hash);
    if (write->document) {
        vz_json_free(node->document);
        node->document = write->document;
        write->document = NULL;
    }
    if (write->has_annotation) {
        vz_json_free(node->annotation_value);
        node->annotation_value = write->kept;
        write->kept = NULL;
    }
    vz_flush_document_drop(write);
}

vz_request vz_flush_document_request(const vz_node_document_write *write)
{
    return (vz_request){.op = VZ_REQUEST_PUT,
                        .key = write->printed.key,
                        .value = {write->printed.text.data, write->printed.text.size},
                        .when = write->when,
                        .version = write->version,
                        .tells = vz_hierarchy_is_remote(write->node->hierarchy)};
}

static bool write_now(const vz_flush *flush, vz_node_document_write *write, vz_error *err)
{
    vz_store *store = write->node->hierarchy->store;
    vz_request request = vz_flush_document_request(write);
    vz_store_forget_prefetched(store, write->printed.key);
    const bool ok = vz_request_do(store, &request, NULL, err);
    if (ok)
        vz_flush_document_written(flush, write, request.tells ? &request.version : NULL);
    else
        vz_flush_document_drop(write);
    return ok;
}

bool vz_flush_document_send(vz_flush *flush, vz_node_document_write *write, vz_error *err)
{
    vz_flush_document_round *round = flush->round;
    if (!round)
        return write_now(flush, write, err);
    if (round->count == round->capacity) {
        const size_t capacity = round->capacity ? 2 * round->capacity : 64;
        vz_node_document_write *writes = realloc(round->writes, capacity * sizeof *writes);
        if (!writes) {
            vz_flush_document_drop(write);
            return vz_fail_memory(err);
        }
        round->writes = writes;
        round->capacity = capacity;
    }
    round->writes[round->count++] = *write;
    return true;
}
