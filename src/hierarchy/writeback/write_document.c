/* write_document.c - writing one node's documents. Before each, the store is asked whether it
 * still says what we read. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/nodes/pending_value.h"
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/node_state.h"
#include <errno.h>
#include <stdlib.h>

#define WRITE_ATTEMPTS 8 /* at a document that others change between our look and our change */

/* ---- .zattrs ---- */

/* Attributes that are only printed need not be copied. */
static vz_json *attributes_seen(vz_node *node, vz_error *err)
{
    return vz_attributes_differ(node) ? vz_attributes_seen(node, err) : vz_json_share(node->attributes);
}

static bool put_attributes(vz_flush *flush, vz_node *node, const char *prefix, const vz_flush_current *now,
                           vz_error *err)
{
    vz_node_document_write write = {
        .node = node, .of_attributes = true, .has_annotation = true, .when = now->when, .version = now->version};
    if (!vz_flush_attributes_to_print(node, flush->links, &write.kept, err))
        return false;
    const bool needed = now->found || vz_json_length(node->attributes) > 0;
    vz_json *seen = needed ? attributes_seen(node, err) : NULL;
    const bool ok = seen && vz_document_print(&write.printed, prefix, node->zarr_format->attributes, seen, err);
    vz_json_free(seen);
    vz_flush_attributes_printed(node);
    if (ok)
        return vz_flush_document_send(flush, &write, err);
    if (!needed) {
        vz_json_free(node->annotation_value);
        node->annotation_value = write.kept;
        write.kept = NULL;
    }
    vz_flush_document_drop(&write);
    return !needed;
}

static bool write_attributes(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    vz_flush_current now;
    bool ok =
        vz_flush_document_look(flush, node, prefix, node->zarr_format->attributes, node->attributes_hash, &now, err);
    if (ok && now.is_foreign) {
        vz_json *theirs = vz_flush_document_foreign(&now, node->zarr_format->attributes, err);
        ok = theirs && vz_merge_attributes(node, theirs, err);
    }
    ok = ok && put_attributes(flush, node, prefix, &now, err);
    vz_buffer_clear(&now.text);
    return ok;
}

/* ---- .zarray ---- */

/* Does the document that is written say nothing but what the metadata does? */
static bool says_metadata(const vz_node *node, const vz_flush_current *now)
{
    return !node->document && vz_node_understood(node) && !now->is_foreign &&
           !vz_json_get(node->annotation, VZ_ANNOTATION_FILL);
}

static void note_printed(const vz_node_document_write *write, const vz_flush_current *now)
{
    const vz_node *node = write->node;
    if (says_metadata(node, now))
        vz_doc_cache_note_printed(node->hierarchy->documents, node->zarr_format, &write->printed, write->document,
                                  node->meta);
}

/* Takes the document, also on failure. */
static bool put_array(vz_flush *flush, vz_node *node, const char *prefix, vz_json *document,
                      const vz_flush_current *now, vz_error *err)
{
    vz_node_document_write write = {.node = node, .document = document, .when = now->when, .version = now->version};
    if (vz_document_print(&write.printed, prefix, node->zarr_format->array, document, err)) {
        note_printed(&write, now);
        return vz_flush_document_send(flush, &write, err);
    }
    vz_flush_document_drop(&write);
    return false;
}

/* The document to be written: ours over what was read, or over what another process made of it. */
static vz_json *edited_document(vz_node *node, const vz_flush_current *now, vz_error *err)
{
    vz_json *ours = node->document ? vz_json_copy(node->document, err) : vz_json_object(err);
    if (ours && vz_node_understood(node) &&
        (!node->zarr_format->write(node->meta, ours, err) || !vz_node_stored_fill_print(node, ours, err))) {
        vz_json_free(ours);
        return NULL;
    }
    if (!ours || !now->is_foreign || !now->found)
        return ours;
    vz_json *theirs = vz_flush_document_foreign(now, node->zarr_format->array, err);
    if (theirs && !vz_merge_document(node, ours, theirs, err)) {
        vz_json_free(theirs);
        theirs = NULL;
    }
    vz_json_free(ours);
    if (theirs && vz_node_understood(node))
        vz_flush_document_adopt(node, theirs);
    return theirs;
}

/* Sends the text that was printed for another new array with equal metadata. *ok: it was sent.
 * False: there is no such text. */
static bool put_equal(vz_flush *flush, vz_node *node, const char *prefix, const vz_flush_current *now, bool *ok,
                      vz_error *err)
{
    vz_node_document_write write = {.node = node, .when = now->when, .version = now->version};
    if (!says_metadata(node, now) || !vz_doc_cache_find_printed(node->hierarchy->documents, node->zarr_format,
                                                                node->meta, &write.printed, &write.document))
        return false;
    write.printed.key = vz_document_key_join(prefix, node->zarr_format->array, err);
    *ok = write.printed.key && vz_flush_document_send(flush, &write, err);
    if (!write.printed.key)
        vz_flush_document_drop(&write);
    return true;
}

static bool write_array(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    bool ok;
    vz_flush_current now = vz_flush_document_unseen(flush, node);
    if (!node->is_new &&
        !vz_flush_document_look(flush, node, prefix, node->zarr_format->array, node->document_hash, &now, err)) {
        vz_buffer_clear(&now.text);
        return false;
    }
    if (put_equal(flush, node, prefix, &now, &ok, err)) {
        vz_buffer_clear(&now.text);
        return ok;
    }
    vz_json *document = edited_document(node, &now, err);
    vz_buffer_clear(&now.text);
    return document && put_array(flush, node, prefix, document, &now, err);
}

/* ---- .zgroup ---- */

static bool write_group(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    const vz_flush_current now = vz_flush_document_unseen(flush, node);
    vz_node_document_write write = {.node = node, .when = now.when};
    vz_json *document = vz_json_object(err);
    const bool ok = document && node->zarr_format->write_group(document, err) &&
                    vz_document_print(&write.printed, prefix, node->zarr_format->group, document, err);
    vz_json_free(document);
    if (ok)
        return vz_flush_document_send(flush, &write, err);
    vz_flush_document_drop(&write);
    return false;
}

/* ---- a node ---- */

static bool needs_attributes(const vz_node *node)
{
    const struct vz_unwritten *unwritten = node->unwritten;
    if (unwritten->attributes || unwritten->annotation ||
        (unwritten->links && node->members && vz_link_list_is_needed(node)))
        return true;
    return node->is_new && (vz_json_length(node->attributes) > 0 || vz_json_length(node->annotation) > 0);
}

static bool needs_document(const vz_node *node)
{
    return node->is_new || (node->kind == VZ_NODE_ARRAY ? node->unwritten->meta : node->implicit);
}

bool vz_flush_node_needs_documents(const vz_node *node)
{
    return node->unwritten && (needs_attributes(node) || needs_document(node));
}

static bool write_both(vz_flush *flush, vz_node *node, const char *prefix, bool attributes, bool document,
                       vz_error *err)
{
    if (attributes && !write_attributes(flush, node, prefix, err))
        return false;
    if (!document)
        return true;
    return node->kind == VZ_NODE_ARRAY ? write_array(flush, node, prefix, err) : write_group(flush, node, prefix, err);
}

bool vz_flush_node_print_documents(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    const bool attributes = needs_attributes(node), document = needs_document(node);
    if (vz_zarr_format_in_one(node->zarr_format))
        return vz_flush_joint_write(flush, node, prefix, err);
    /* Attributes alone in a directory would be nobody's: a new root is a group first. */
    const bool is_new_root = node->is_new && node == node->hierarchy->root && document;
    return (!is_new_root || write_both(flush, node, prefix, false, true, err)) &&
           write_both(flush, node, prefix, attributes, document && !is_new_root, err);
}

/* write_early.c put them there, and the node is as it was then. */
static bool went_early(const vz_node *node, const char *prefix)
{
    return node->unwritten->goes_early && node->is_new && vz_store_hides(node->hierarchy->store, prefix);
}

static bool write_documents(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    if (!needs_attributes(node) && !needs_document(node))
        return true;
    if (!vz_deferred_render(node, err)) /* where that could not be done before */
        return false;
    if (node->hierarchy->array_root && node == node->hierarchy->root)
        return vz_fail(err, VZ_UNSUPPORTED, "the store is one array: its root group cannot be changed");
    return vz_consolidated_drop(node, err) &&
           (went_early(node, prefix) || vz_flush_node_print_documents(flush, node, prefix, err));
}

bool vz_flush_is_in_place(const vz_node *node)
{
    return !node->is_new && vz_node_is_linked(node) && !node->hierarchy->store->class->commit;
}

static bool write_at(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    vz_store *store = node->hierarchy->store;
    const bool appears = node->is_new && *prefix, is_root = node == node->hierarchy->root;
    if (node->is_dimension) /* its group's document has it, or other documents say it */
        return true;
    if ((appears && !vz_root_move_log_confirm(node->hierarchy, err)) ||
        (is_root && !vz_root_move_log_to_root(node->hierarchy, err)) ||
        (appears && !vz_store_give_way(store, prefix, err)) || !write_documents(flush, node, prefix, err) ||
        (appears && !vz_store_publish(store, prefix, err))) {
        /* what has that name may be another process's */
        vz_doc_cache_forget_written(node->hierarchy->documents);
        vz_error_where(err, node->hierarchy->path, prefix);
        return false;
    }
    /* what went early into the group may now be changed by others before the last flush */
    if (appears && node->kind == VZ_NODE_GROUP && flush->scope != VZ_FLUSH_CLOSE)
        vz_doc_cache_forget_written(node->hierarchy->documents);
    return true;
}

static bool write_documents_at(vz_flush *flush, vz_node *node, const char *prefix, vz_error *err)
{
    if (!node->unwritten)
        return true;
    if (!write_at(flush, node, prefix, err))
        return false;
    vz_flush_node_documents_written(node);
    return true;
}

/* *clash: the file system does not tell the node's name from another one that is there. */
static bool write_in_place(vz_flush *flush, vz_node *node, bool *clash, vz_error *err)
{
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_node_check_same(node, err) && write_documents_at(flush, node, prefix, err);
    *clash = !ok && prefix && node->is_new && node->parent && err->class == VZ_EXISTS &&
             vz_store_names_collide(node->hierarchy->store, prefix);
    if (ok)
        vz_residue_shape_written(node, prefix);
    free(prefix);
    return ok;
}

/* Another program has made a store there since: all that this one made is dropped. */
static void check_claim(const vz_node *node, vz_error *failed)
{
    if (failed->class != VZ_CHANGED || !node->hierarchy->creation.claims)
        return;
    *failed = VZ_ERROR_NONE;
    vz_fail_errno(failed, EEXIST, "another program is creating a store there");
    node->hierarchy->dirty.given_up = true;
}

bool vz_flush_node_documents(vz_flush *flush, vz_node *node, vz_error *err)
{
    if (!node->unwritten)
        return true;
    if (!vz_documents_lock(node->hierarchy, err))
        return false;
    bool clash;
    vz_error failed = VZ_ERROR_NONE;
    bool ok = write_in_place(flush, node, &clash, &failed);
    check_claim(node, &failed);
    for (unsigned attempt = 1; failed.class == VZ_CHANGED && attempt < WRITE_ATTEMPTS; attempt++) {
        failed = VZ_ERROR_NONE;
        node->hierarchy->store->is_fresh = false; /* another process wrote there */
        ok = write_in_place(flush, node, &clash, &failed);
    }
    if (clash) {
        failed = VZ_ERROR_NONE;
        ok = vz_flush_node_rename_case(node, &failed) && write_in_place(flush, node, &clash, &failed);
    }
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    vz_documents_unlock(node->hierarchy);
    return ok;
}

bool vz_flush_node_write_names(vz_flush *flush, vz_node *node, vz_error *err)
{
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_documents_lock(node->hierarchy, err);
    if (ok) {
        ok = write_documents(flush, node, prefix, err);
        vz_documents_unlock(node->hierarchy);
    }
    free(prefix);
    return ok;
}

bool vz_flush_documents(vz_node *node, vz_error *err)
{
    vz_flush flush;
    vz_flush_init(&flush, node->hierarchy, VZ_FLUSH_NODE);
    return vz_flush_node_documents(&flush, node, err);
}

bool vz_flush_documents_at(vz_node *node, const char *prefix, vz_error *err)
{
    vz_flush flush;
    vz_flush_init(&flush, node->hierarchy, VZ_FLUSH_NODE);
    return write_documents_at(&flush, node, prefix, err);
}

bool vz_flush_node_prepare_documents(vz_flush *flush, vz_node *node, vz_error *err)
{
    char *prefix = node->unwritten ? vz_node_prefix(node, err) : NULL;
    const bool ok = !node->unwritten || (prefix && (vz_node_versions_known(node) || vz_node_check_same(node, err)) &&
                                         write_at(flush, node, prefix, err));
    free(prefix);
    return ok;
}

void vz_flush_node_documents_written(vz_node *node)
{
    if (!node->unwritten)
        return;
    if (node == node->hierarchy->root)
        vz_root_move_log_written(node->hierarchy);
    node->is_new = node->is_dimension;
    node->implicit = false;
    vz_unwritten_chunks(node);
    if (node->unwritten->chunk_bytes == 0) {
        vz_unwritten_drop(node);
        if (node->refs == 0)
            vz_node_left(node);
        return;
    }
    vz_strmap_free(node->unwritten->attributes, NULL);
    node->unwritten->attributes = NULL;
    node->unwritten->annotation = node->unwritten->meta = false;
}
