/* unlink.c - taking a node's name away: it goes with all below, or lives on as long as somebody
 * holds it. */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/resolve/token.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

/* Without these no reader takes a directory for a node. */
static bool delete_documents(vz_store *store, const char *prefix, vz_error *err)
{
    const char *document;
    bool ok = true;
    for (size_t i = 0; ok && (document = vz_zarr_document_name(i)); i++) {
        char *key = vz_document_key_join(prefix, document, err);
        ok = key && vz_store_del(store, key, err);
        free(key);
    }
    return ok;
}

static bool load_below(vz_node *group, vz_error *err);

static bool load_tree(vz_node *node, vz_error *err)
{
    return node->kind == VZ_NODE_ARRAY || load_below(node, err);
}

/* Holds a deleted group's content in memory, as its documents go. A node that cannot be read cannot
 * be kept. */
static bool load_below(vz_node *group, vz_error *err)
{
    if (!vz_members_probe_all(group, err))
        return false;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        vz_error ignored = VZ_ERROR_NONE;
        if (member->state == VZ_MEMBER_LINK)
            continue;
        vz_node *node = vz_link_node(group, &member->link, &ignored);
        if (node ? !load_tree(node, err) : ignored.class == VZ_NO_MEMORY)
            return node ? false : vz_fail_memory(err);
        if (!node)
            vz_members_remove(group->members, member);
    }
    return true;
}

static bool is_symbolic_link(const vz_node *node, const char *prefix, bool *is_link, vz_error *err)
{
    vz_store_key_kind kind;
    *is_link = false;
    if (!*prefix)
        return true;
    const bool ok = vz_store_look(node->hierarchy->store, prefix, &kind, err);
    *is_link = ok && kind == VZ_STORE_LINK;
    return ok;
}

/* The target of a symbolic link keeps its documents. */
static bool delete_tree_documents(vz_node *node, vz_error *err)
{
    char *prefix = vz_node_prefix(node, err);
    bool is_link = false;
    bool ok = prefix && is_symbolic_link(node, prefix, &is_link, err) &&
              (is_link || delete_documents(node->hierarchy->store, prefix, err));
    free(prefix);
    size_t cursor = 0;
    vz_node *member;
    while (ok && !is_link && (member = vz_node_next_below(node, &cursor)))
        ok = delete_tree_documents(member, err);
    return ok;
}

/* From here on the subtree is as if it had never been written: a link to it writes its documents
 * anew. */
static void forget_written(vz_node *node)
{
    vz_unwritten_drop(node);
    node->is_new = true;
    node->implicit = false;
    node->document_hash = node->attributes_hash = 0;
    free(node->versions);
    node->versions = NULL;
    size_t cursor = 0;
    vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        forget_written(member);
}

/* A node of the subtree is in use: the subtree moves to a hidden prefix in one step, with its
 * documents. */
static bool detach(vz_node *node, const char *prefix, vz_error *err)
{
    vz_store *store = node->hierarchy->store;
    if (!load_tree(node, err) || !vz_node_make_unlinked(node, err))
        return false;
    vz_error failed = VZ_ERROR_NONE;
    vz_doc_cache_forget_written(node->hierarchy->documents);
    if (!vz_store_rename_tree(store, prefix, node->partial, &failed) && failed.class != VZ_NOT_FOUND) {
        if (err && err->class == VZ_OK)
            *err = failed;
        vz_node_leave_unlinked(node);
        free(node->partial);
        node->partial = NULL;
        return false;
    }
    node->parent = NULL;
    node->link = NULL;
    node->was_stored = true;
    delete_tree_documents(node, NULL); /* nobody reads them there */
    forget_written(node);
    vz_node_drop_names(node);
    return vz_node_reprefix(node, err);
}

/* Deleting the tree of a symbolic link deletes the link. */
static bool delete_now(vz_node *node, vz_node *group, const char *prefix, vz_error *err)
{
    vz_store *store = group->hierarchy->store;
    vz_doc_cache_forget_written(group->hierarchy->documents);
    bool is_link = false, at_once = vz_store_deletes_at_once(store);
    if ((!at_once && !is_symbolic_link(group, prefix, &is_link, err)) ||
        (!at_once && !is_link && !delete_documents(store, prefix, err)) || !vz_store_del_tree(store, prefix, err))
        return false;
    vz_node_free(node);
    return true;
}

/* A link that is no directory: nothing goes but the name. */
static bool unlink_name(vz_node *group, vz_link *link, vz_error *err)
{
    struct vz_unwritten *unwritten = vz_unwritten_of(group, err);
    if (!unwritten || !vz_unwritten_name(&unwritten->unlinked, link->name, err))
        return false;
    vz_node *node = link->kind == VZ_LINK_ALIAS ? vz_link_node(group, link, NULL) : NULL;
    if (node && !vz_aliases_know(node, err)) /* so that its list of names follows */
        return false;
    group->hierarchy->hard_links.left |= link->kind == VZ_LINK_ALIAS && !group->is_new;
    vz_group_forget_link(group, link);
    return vz_group_links_changed(group, err);
}

/* The node, if somebody holds it or what is below: here, or on another rank, as the leader knows
 * from it. */
static bool find_held(vz_node *group, vz_link *link, vz_node **node, vz_error *err)
{
    vz_hierarchy *hierarchy = group->hierarchy;
    vz_error unreadable = VZ_ERROR_NONE; /* what cannot be read can be deleted */
    *node = link->node && vz_node_has_refs(link->node) ? link->node : NULL;
    hierarchy->ranks.holds_deleted |= *node != NULL;
    if (!*node && hierarchy->ranks.holds_deleted && vz_ranks_comm(hierarchy) && !vz_hierarchy_follows(hierarchy))
        *node = vz_link_node(group, link, &unreadable);
    return unreadable.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool unlink_member(vz_node *group, vz_link *link, const char *prefix, vz_error *err)
{
    struct vz_unwritten *unwritten = vz_unwritten_of(group, err);
    if (!unwritten || !vz_unwritten_name(&unwritten->unlinked, link->name, err) || !vz_consolidated_drop(group, err))
        return false;
    vz_node *node = NULL;
    if (!find_held(group, link, &node, err) ||
        !(node ? detach(node, prefix, err) : delete_now(link->node, group, prefix, err)))
        return false;
    vz_group_forget_link(group, link);
    if (node)
        vz_node_forget_detached(node);
    return vz_group_links_changed(group, err);
}

static bool unlink_node(vz_node *group, vz_link *link, vz_error *err)
{
    char *path = vz_node_path_of_name(group, link->name, err);
    char *above = vz_node_prefix(group, err);
    char *prefix = above ? vz_document_key_join(above, link->segment, err) : NULL;
    vz_node *held = link->node && vz_node_has_refs(link->node) ? link->node : NULL;
    bool ok = prefix && (!path || (link->node && link->node->is_new) ||
                         vz_flush_begin_move(group->hierarchy, path, NULL, prefix, NULL, err));
    ok = ok && unlink_member(group, link, prefix, err);
    if (ok && path) {
        if (held)
            vz_token_keep(held, path);
        vz_token_deleted(group->hierarchy, path);
        ok =
            held ? vz_root_move_log_add_held(held, path, err) : vz_root_move_log_add(group->hierarchy, path, NULL, err);
    }
    free(path);
    free(above);
    free(prefix);
    return ok;
}

static bool rescue(vz_node *group, vz_link *link, bool *moved, vz_error *err)
{
    *moved = false;
    if (!group->hierarchy->hard_links.any)
        return true;
    vz_error unreadable = VZ_ERROR_NONE; /* what cannot be read can be deleted */
    vz_node *node = vz_link_node(group, link, &unreadable);
    return !node || vz_edit_aliases_rescue(node, moved, err);
}

static bool unlink_link(vz_node *group, vz_link *link, vz_error *err)
{
    bool moved;
    if (link->kind != VZ_LINK_NODE)
        return unlink_name(group, link, err);
    return rescue(group, link, &moved, err) && (moved || unlink_node(group, link, err));
}

bool vz_edit_unlink(vz_node *group, const char *name, vz_error *err)
{
    if (!vz_node_check_writable(group, err))
        return false;
    if (group->hierarchy->array_root)
        return vz_fail(err, VZ_UNSUPPORTED, "the store is one array: it cannot be deleted from itself");
    vz_link *link = vz_members_find_unread(group, name, err);
    if (!vz_hierarchy_render_deferred(group->hierarchy, err)) /* what they refer to is called by its
                                                               * path while it has one */
        return false;
    return link && unlink_link(group, link, err);
}
