/* refresh.c - forgetting what is clean, so that the next look sees what another process wrote. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- arrays ---- */

/* Open handles and the chunk cache survive a new shape or fill, not another type or chunk grid. */
static bool reload_array(vz_node *node, const vz_buffer *text, vz_error *err)
{
    const bool was_understood = vz_node_understood(node);
    vz_meta *old = node->meta;
    node->meta = NULL;
    if (!vz_node_parse_document(node, (const char *)text->data, text->size, err) ||
        !vz_node_stored_fill_read(node, err)) {
        vz_meta_free(node->meta);
        node->meta = old;
        return false;
    }
    if (was_understood && vz_node_understood(node) && vz_meta_same_grid(old, node->meta)) {
        vz_meta *read = node->meta;
        const vz_meta kept = *old;
        *old = *read; /* the chunk cache points to it */
        *read = kept;
        node->meta = old;
        vz_meta_free(read);
        return true;
    }
    vz_array_close(node->io);
    node->io = NULL;
    vz_meta_free(old);
    return true;
}

static bool refresh_array(vz_node *node, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    const char *document = node->zarr_format->array;
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_document_get(node->hierarchy->store, prefix, document, &text, &found, err);
    if (ok && !found)
        ok = vz_fail(err, VZ_NOT_FOUND, "the array was deleted by another process");
    if (ok && vz_hash_text(text.data, text.size) != node->document_hash)
        ok = reload_array(node, &text, err);
    node->seen.cut_off = node->seen.cut_off && !ok;
    vz_buffer_clear(&text);
    free(prefix);
    return ok;
}

/* ---- groups ---- */

/* Takes a node that must stay from the old members to the new ones. */
static bool carry(vz_member *old, struct vz_members *fresh, vz_error *err)
{
    vz_node *node = old->link.node;
    vz_member *member = vz_strmap_get(fresh->by_name, old->link.name);
    if (!member && !node->is_new)
        return vz_flush_node_orphan(node, err);
    if (!member) {
        vz_link link = {.name = strdup(old->link.name), .segment = strdup(old->link.segment)};
        member = vz_members_add(fresh, link, err);
        if (!member)
            return false;
    }
    if (member->state == VZ_MEMBER_UNKNOWN)
        fresh->unknown--;
    member->state = old->state;
    member->zarr_format = old->zarr_format;
    member->link.order = old->link.order;
    member->link.utf8 = old->link.utf8;
    if (member->link.node && member->link.node != node)
        vz_node_free(member->link.node);
    member->link.node = node;
    node->link = &member->link;
    return true;
}

static bool carry_all(struct vz_members *old, struct vz_members *fresh, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(old->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        vz_node *node = member->link.node;
        if (!node || !(node->is_new || vz_node_has_refs(node) || vz_flush_node_holds_unwritten(node)))
            continue;
        if (!carry(member, fresh, err))
            return false;
        member->link.node = NULL;
    }
    return true;
}

/* Where no list in the store keeps it, the order is that in which this process met the names. */
static void keep_orders(vz_node *group, const struct vz_members *old, uint64_t next_order)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        const vz_member *known = vz_strmap_get(old->by_name, name);
        ((vz_member *)value)->link.order = known ? known->link.order : next_order++;
    }
    group->next_order = next_order;
}

/* The nodes that these names, and those in groups that go with them, lead to look for all their
 * names anew. */
static void forget_names(const struct vz_members *old)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(old->by_name, &cursor, &name, &value)) {
        const vz_member *member = value;
        if (member->leads_to)
            member->leads_to->aliases_known = false;
        if (member->link.node && member->link.node->members)
            forget_names(member->link.node->members);
    }
}

static bool refresh_group(vz_node *group, vz_error *err)
{
    struct vz_members *old = group->members;
    const bool links = old && group->unwritten && group->unwritten->links;
    const bool unsaved = group->unwritten && (group->unwritten->unlinked || (links && old->others > 0));
    if (!old || old->unlisted || group->is_new || group->hierarchy->array_root || unsaved)
        return true;
    if (links &&
        /* the directories are listed by it */
        !vz_link_list_write(group, group->annotation, VZ_LINKS_ALL, err))
        return false;
    const uint64_t next_order = group->next_order;
    group->members = NULL;
    if (!vz_members_load(group, err)) {
        group->members = old;
        return false;
    }
    if (!group->track_order || links)
        keep_orders(group, old, next_order);
    else if (group->next_order < next_order)
        group->next_order = next_order;
    group->hierarchy->hard_links.names_changed++;
    const bool ok = carry_all(old, group->members, err);
    forget_names(old);
    vz_members_free(old);
    return ok;
}

bool vz_merge_refresh(vz_node *node, vz_error *err)
{
    if (!vz_node_is_linked(node) || node->is_new)
        return true;
    bool ok = vz_aliases_reconcile(node->hierarchy, err); /* nodes whose names are not yet written
                                                           * are not clean */
    vz_hierarchy_changed(node->hierarchy);
    node->may_change = false;
    ok = ok && vz_store_renew(node->hierarchy->store, err);
    if (vz_hierarchy_is_remote(node->hierarchy))
        vz_store_forget_prefetched(node->hierarchy->store, NULL);
    if (ok && !node->unwritten) {
        vz_node_forget_view(node);
        ok = (node->implicit || vz_node_load_attributes(node, err)) &&
             (node->kind == VZ_NODE_GROUP || (refresh_array(node, err) && vz_group_note_read(node, err)));
        node->aliases_known = false;
    }
    if (ok && node->kind == VZ_NODE_GROUP)
        ok = refresh_group(node, err);
    if (node->io)
        vz_array_drop_clean(node->io);
    return ok;
}
