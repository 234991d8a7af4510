/* link_table.c - "L" in a group's annotation. It holds what the name of a directory cannot hold of
 * a link: its true name, its place in the creation order, its character set. Links that are no
 * directories stand there, too (link_record.c). */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

/* Keys of a directory's entry that are read here; link_record.c knows them all. */
#define KEY_SEGMENT "e"
#define KEY_CHARSET "cs"
#define KEY_ORDER   "i"

void vz_link_facts_free(void *facts)
{
    if (facts)
        free(((vz_link_facts *)facts)->name);
    free(facts);
}

/* ---- reading ---- */

static vz_link_facts *read_facts(const vz_json *entry, vz_error *err)
{
    char *name = vz_link_entry_name(entry, err);
    vz_link_facts *facts = name ? calloc(1, sizeof *facts) : NULL;
    if (!facts) {
        if (name)
            vz_fail_memory(err);
        free(name);
        return NULL;
    }
    const vz_json *charset = vz_json_get(entry, KEY_CHARSET);
    facts->name = name;
    facts->order = vz_link_entry_order(entry);
    facts->utf8 = vz_json_is(charset, "utf8");
    facts->has_charset = facts->utf8 || vz_json_is(charset, "ascii");
    return facts;
}

/* Of two entries for one directory the first counts. */
static bool read_entry(vz_strmap *all, const vz_json *entry, bool *tracked, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *tracked = *tracked || vz_json_get(entry, KEY_ORDER);
    vz_link_facts *facts = vz_link_entry_is_node(entry) ? read_facts(entry, &failed) : NULL;
    if (!facts)
        return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
    const char *segment = vz_json_get_string(vz_json_get(entry, KEY_SEGMENT), NULL);
    if (!segment)
        segment = facts->name;
    if (!vz_strmap_get(all, segment) && vz_strmap_put(all, segment, facts, &failed))
        return true;
    vz_link_facts_free(facts);
    return failed.class == VZ_OK || vz_fail_memory(err);
}

vz_strmap *vz_link_list_read(const vz_json *annotation, bool *tracked, vz_error *err)
{
    const vz_json *list = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    const bool is_list = list && vz_json_kind_of(list) == VZ_JSON_ARRAY;
    vz_strmap *all = vz_strmap_new();
    if (!all) {
        vz_fail_memory(err);
        return NULL;
    }
    *tracked = is_list && vz_json_length(list) == 0;
    for (size_t i = 0; is_list && i < vz_json_length(list); i++)
        if (!read_entry(all, vz_json_at(list, i), tracked, err)) {
            vz_strmap_free(all, vz_link_facts_free);
            return NULL;
        }
    return all;
}

/* ---- writing ---- */

static bool is_listed(const vz_link *link, bool tracked)
{
    if (link->kind != VZ_LINK_NODE)
        return !link->is_foreign || tracked;
    if (link->node && link->node->is_dimension && link->node->is_new)
        return false;
    return tracked || strcmp(link->name, link->segment) != 0 || vz_link_entry_has_odd_charset(link);
}

/* Is it an entry of a kind that we know nothing of? Those stay. */
static bool is_understood(const vz_json *entry, vz_error *err)
{
    vz_link link = {0};
    const bool understood = vz_link_entry_is_node(entry) || vz_link_entry_read(entry, &link, err);
    vz_link_clear(&link);
    return understood;
}

/* Does an entry of the old list stay? A name that only another process knows does, that of a
 * deleted node does not. */
static bool keep_entry(const vz_node *group, const vz_json *entry, bool keep_old, bool *keep, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *name = is_understood(entry, &failed) ? vz_link_entry_name(entry, &failed) : NULL;
    *keep = !name;
    if (name) {
        const struct vz_unwritten *unwritten = group->unwritten;
        const bool unlinked = unwritten && unwritten->unlinked && vz_strmap_get(unwritten->unlinked, name);
        *keep = unlinked ? keep_old && !vz_link_entry_is_node(entry)
                         : !vz_strmap_get(group->members->by_name, name) && !group->is_new &&
                               !vz_members_had(group->members, name);
    }
    free(name);
    return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* The list before, which is in the order of creation where that is tracked. */
typedef struct old_list {
    const vz_json *entries;
    size_t count, at; /* those before `at` come before the link that was met last */
    bool *taken;      /* those that are in the new list */
} old_list;

static bool open_old(old_list *old, const vz_json *entries, vz_error *err)
{
    *old = (old_list){.entries = entries, .count = vz_json_length(entries)};
    old->taken = calloc(old->count + 1, sizeof *old->taken);
    return old->taken || vz_fail_memory(err);
}

/* The entry of a link that is tracked: the one before, where it says what a new one would. */
static vz_json *entry_of(old_list *old, const vz_link *link, vz_error *err)
{
    vz_json *entry;
    while ((entry = vz_json_at(old->entries, old->at)) && !vz_link_entry_tells(entry, link) &&
           vz_link_entry_order(entry) < link->order)
        old->at++;
    if (!entry || !vz_link_entry_tells(entry, link))
        return vz_link_entry_print(link, true, err);
    old->taken[old->at++] = true;
    return vz_json_share(entry);
}

static bool append_kept(const vz_node *group, vz_json *list, const old_list *old, bool keep_old, vz_error *err)
{
    for (size_t i = 0; i < old->count; i++) {
        const vz_json *entry = vz_json_at(old->entries, i);
        bool keep = false;
        if (!old->taken[i] && !keep_entry(group, entry, keep_old, &keep, err))
            return false;
        if (keep && !vz_json_append(list, vz_json_copy(entry, err), err))
            return false;
    }
    return true;
}

bool vz_link_is_deferred(const vz_node *group, const vz_link *link)
{
    if (link->kind != VZ_LINK_ALIAS || group->hierarchy->store->class->commit)
        return false;
    for (const vz_node *node = ((const vz_member *)link)->leads_to; node; node = node->parent)
        if (node->is_new)
            return true;
    return false;
}

static bool append_links(vz_node *group, vz_json *list, old_list *old, bool defer, vz_error *err)
{
    const bool tracked = group->track_order;
    const size_t count = vz_strmap_count(group->members->by_name);
    vz_link **links = vz_members_in_order(group->members, VZ_BY_CREATION, err);
    for (size_t i = 0; links && i < count; i++) {
        if (!is_listed(links[i], tracked) || (defer && vz_link_is_deferred(group, links[i])))
            continue;
        vz_json *entry = tracked ? entry_of(old, links[i], err) : vz_link_entry_print(links[i], false, err);
        if (!vz_json_append(list, entry, err))
            return false;
    }
    return links != NULL;
}

bool vz_link_list_is_needed(const vz_node *group)
{
    if (group->track_order || vz_json_get(group->annotation, VZ_ANNOTATION_LINKS) ||
        (group->members->escaped && vz_strmap_count(group->members->escaped) > 0) || group->members->others > 0)
        return true;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        if (vz_link_entry_has_odd_charset(&((vz_member *)value)->link))
            return true;
    return false;
}

bool vz_link_list_write(vz_node *group, vz_json *annotation, vz_links_mode mode, vz_error *err)
{
    old_list old;
    if (!open_old(&old, vz_json_get(annotation, VZ_ANNOTATION_LINKS), err))
        return false;
    vz_json *list = vz_json_array(err);
    const bool ok = list && append_links(group, list, &old, mode != VZ_LINKS_ALL, err) &&
                    append_kept(group, list, &old, mode == VZ_LINKS_KEEP_OLD, err);
    free(old.taken);
    if (!ok) {
        vz_json_free(list);
        return false;
    }
    if (group->track_order && old.count > 0)
        vz_json_keep_text(list, old.entries);
    if (group->track_order || vz_json_length(list) > 0)
        return vz_json_set(annotation, VZ_ANNOTATION_LINKS, list, err);
    vz_json_free(list);
    vz_json_remove(annotation, VZ_ANNOTATION_LINKS);
    return true;
}
