/* replace_array.c - see edit.h. */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias.h"
#include <stdlib.h>

/* The documents are first what they are now, so that what others changed meanwhile is seen as
 * ever. */
static bool complete_beside(vz_node *node, const char *prefix, const char *beside, vz_error *err)
{
    return vz_edit_others_copy(node->hierarchy->store, prefix, beside, err) &&
           (node->is_new || vz_flush_documents_at(node, beside, err));
}

/* *exchanged=false: the file system cannot. */
static bool exchange(vz_node *node, const char *prefix, const char *beside, bool *exchanged, vz_error *err)
{
    if (!vz_documents_lock(node->hierarchy, err))
        return false;
    const bool ok = complete_beside(node, prefix, beside, err) &&
                    vz_store_exchange_trees(node->hierarchy->store, prefix, beside, exchanged, err);
    vz_documents_unlock(node->hierarchy);
    return ok;
}

static bool replace(vz_node *node, const char *prefix, const char *beside, vz_error *err)
{
    vz_store *store = node->hierarchy->store;
    bool exchanged = false;
    if (!*prefix)
        return vz_edit_chunks_copy(store, beside, store, prefix, err) && vz_flush_documents(node, err);
    if (!exchange(node, prefix, beside, &exchanged, err) || exchanged)
        return exchanged;
    return vz_edit_chunks_copy(store, beside, store, prefix, err) && vz_edit_others_copy(store, beside, prefix, err);
}

/* Chunks go before documents when what is unwritten goes out, so what is to be stored in the new
 * form must find its document. */
static bool replace_document(vz_node *node, vz_error *err)
{
    return !vz_flush_is_in_place(node) || (vz_aliases_reconcile(node->hierarchy, err) && vz_flush_documents(node, err));
}

bool vz_edit_replace(vz_node *node, const char *beside, vz_error *err)
{
    if (!beside)
        return replace_document(node, err);
    vz_store *store = node->hierarchy->store;
    vz_doc_cache_forget_written(node->hierarchy->documents);
    char *prefix = vz_aliases_reconcile(node->hierarchy, err) ? vz_node_prefix(node, err) : NULL;
    const bool ok = prefix && vz_node_check_same(node, err) && replace(node, prefix, beside, err);
    vz_store_del_tree(store, beside, NULL); /* what stays is a partial, which the next writer
                                             * removes */
    free(prefix);
    return ok;
}
