/* merge_links.c - another process changed the list of a group's links ("L") since it was read.
 * The process that changed a link wins: links that they removed or replaced are forgotten here,
 * new ones are added. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback_internal.h"
#include <stdlib.h>

/* The list before and now: name -> entry. */
typedef struct lists {
    vz_json *was, *now;
} lists;

/* ---- what they removed or changed ---- */

static bool same(const vz_json *a, const vz_json *b)
{
    return a == b || (a && b && vz_json_equal(a, b));
}

/* Of two entries with one name the first counts. */
static bool add_entry(vz_json *entries, const vz_json *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *name = vz_link_entry_name(entry, &failed);
    const bool ok = name ? vz_json_get(entries, name) || vz_json_set(entries, name, vz_json_copy(entry, err), err)
                         : failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
    free(name);
    return ok;
}

static vz_json *entries_by_name(const vz_json *annotation, vz_error *err)
{
    const vz_json *list = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    vz_json *entries = vz_json_object(err);
    bool ok = entries != NULL;
    for (size_t i = 0; ok && i < vz_json_length(list) && vz_json_at(list, i); i++)
        ok = add_entry(entries, vz_json_at(list, i), err);
    if (ok)
        return entries;
    vz_json_free(entries);
    return NULL;
}

/* A directory that cannot be looked at counts as there. */
static bool is_directory_there(const vz_node *group, const vz_link *link)
{
    const char *document;
    char *above = vz_node_prefix(group, NULL),
         *prefix = above ? vz_document_key_join(above, link->segment, NULL) : NULL;
    bool there = !prefix;
    for (size_t i = 0; !there && (document = vz_zarr_document_name(i)) && vz_zarr_is_node_document(document); i++) {
        vz_stamp stamp = {0};
        char *key = vz_document_key_join(prefix, document, NULL);
        there = !key || !vz_store_stat(group->hierarchy->store, key, &stamp, NULL) || stamp.exists;
        free(key);
    }
    free(above);
    free(prefix);
    return there;
}

/* A directory counts before an entry of its name. So where there is another one now, or the
 * directory's own is gone, the directory may be gone, too. Theirs may have come, gone and come
 * again since we listed them. */
static bool is_directory_gone(const vz_node *group, const vz_link *link, const vz_json *was, const vz_json *now)
{
    const bool ours = link->node && link->node->is_new;
    const bool doubtful = now ? !vz_link_entry_is_node(now) : was && vz_link_entry_is_node(was);
    return !ours && doubtful && !is_directory_there(group, link);
}

/* Did another process remove or change the link, and we did not? */
static bool is_theirs(const vz_node *group, const vz_link *link, const lists *l)
{
    const vz_json *was = vz_json_get(l->was, link->name), *now = vz_json_get(l->now, link->name);
    if (link->kind == VZ_LINK_NODE)
        return is_directory_gone(group, link, was, now);
    if (link->is_foreign || same(was, now))
        return false;
    vz_json *ours = was ? vz_link_entry_print(link, group->track_order, NULL) : NULL;
    const bool unchanged = ours && same(was, ours);
    vz_json_free(ours);
    return unchanged;
}

static bool forget_theirs(vz_node *group, const lists *l, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        if (!is_theirs(group, &member->link, l))
            continue;
        if (member->link.node && !vz_flush_node_lost(member->link.node, err))
            return false;
        vz_members_remove(group->members, member);
    }
    return true;
}

/* ---- creation order ---- */

/* The first number behind all of the list's. */
static uint64_t next_order(const vz_json *entries)
{
    const char *name;
    vz_json *entry;
    uint64_t next = 0;
    for (size_t i = 0; vz_json_member(entries, i, &name, &entry); i++) {
        const uint64_t order = vz_link_entry_order(entry);
        if (order != VZ_NO_ORDER && order >= next)
            next = order + 1;
    }
    return next;
}

static bool is_numbered(const vz_link *link, const lists *l)
{
    const vz_json *was = vz_json_get(l->was, link->name);
    return was && vz_link_entry_order(was) == link->order;
}

/* Links that we made since come after theirs: two of one number would have no order. */
static bool number_ours(vz_node *group, const lists *l, vz_error *err)
{
    const size_t count = vz_strmap_count(group->members->by_name);
    uint64_t next = next_order(l->now);
    vz_link **links = vz_members_in_order(group->members, VZ_BY_CREATION, err);
    for (size_t i = 0; links && i < count; i++) {
        vz_link *link = links[i];
        if (is_numbered(link, l))
            continue;
        if (link->order < next)
            link->order = next;
        next = link->order + 1;
    }
    if (group->next_order < next)
        group->next_order = next;
    return links != NULL;
}

/* ---- what they made ---- */

static bool is_unlinked(const vz_node *group, const char *name)
{
    return group->unwritten && group->unwritten->unlinked && vz_strmap_get(group->unwritten->unlinked, name);
}

static bool meet_theirs(vz_node *group, const lists *l, vz_error *err)
{
    const char *name;
    vz_json *entry;
    for (size_t i = 0; vz_json_member(l->now, i, &name, &entry); i++)
        if (!is_unlinked(group, name) && !vz_link_entry_add(group, group->members, entry, err))
            return false;
    return true;
}

/* ---- the attribute that tells links to others ---- */

/* Entries of `list` about links that are members, or (others) are none and were not ours to
 * remove. */
static bool append_listed(vz_json *listed, const vz_node *group, const vz_json *list, bool others, vz_error *err)
{
    for (size_t i = 0; i < vz_json_length(list) && vz_json_at(list, i); i++) {
        const char *name = vz_json_get_string(vz_json_get(vz_json_at(list, i), "name"), NULL);
        const bool known = name && vz_strmap_get(group->members->by_name, name);
        const bool away = name && (is_unlinked(group, name) || vz_members_had(group->members, name));
        const bool wanted = others ? !known && !away : known;
        if (wanted && !vz_json_append(listed, vz_json_copy(vz_json_at(list, i), err), err))
            return false;
    }
    return true;
}

/* Of the links that are known here ours tells, of the others theirs. */
static bool merge_listed(vz_node *group, vz_json *theirs, vz_error *err)
{
    const char *attribute = vz_links_attribute(group);
    const vz_strmap *changed = group->unwritten ? group->unwritten->attributes : NULL;
    if (!attribute || !(group->is_new || (changed && vz_strmap_get(changed, attribute))))
        return true;
    vz_json *listed = vz_json_array(err);
    if (!listed || !append_listed(listed, group, vz_json_get(group->attributes, attribute), false, err) ||
        !append_listed(listed, group, vz_json_get(theirs, attribute), true, err)) {
        vz_json_free(listed);
        return false;
    }
    if (vz_json_length(listed) > 0)
        return vz_json_set(theirs, attribute, listed, err);
    vz_json_free(listed);
    vz_json_remove(theirs, attribute);
    return true;
}

static bool merge(vz_node *group, const lists *l, vz_json *attributes, vz_error *err)
{
    return forget_theirs(group, l, err) && (!group->track_order || number_ours(group, l, err)) &&
           merge_listed(group, attributes, err) && meet_theirs(group, l, err);
}

bool vz_merge_links(vz_node *group, const vz_json *base, const vz_json *theirs, vz_json *attributes, vz_error *err)
{
    if (!group->members)
        return true;
    lists l = {.was = entries_by_name(base, err)};
    l.now = l.was ? entries_by_name(theirs, err) : NULL;
    const bool ok = l.now && merge(group, &l, attributes, err);
    vz_json_free(l.was);
    vz_json_free(l.now);
    return ok;
}
