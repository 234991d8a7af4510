/* list_members.c - a group is listed when somebody looks into it, and each of its directories
 * probed when somebody asks for that. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- listing ---- */

/* Sources of names that differ from the directories' names. */
typedef struct other_names {
    const vz_strmap *facts; /* of "L"; NULL: there is none */
    bool in_journals;
    bool none; /* then no two entries have one name */
} other_names;

static bool find_name(vz_node *group, const char *segment, const other_names *known, const vz_link_facts **facts,
                      const char **name, vz_error *err)
{
    *facts = known->facts ? vz_strmap_get(known->facts, segment) : NULL;
    *name = *facts ? (*facts)->name : NULL;
    if (!*name && known->in_journals && !vz_root_move_log_stored_name(group, segment, name, err))
        return false;
    if (!*name)
        *name = segment;
    return true;
}

static bool add_as_called(struct vz_members *members, vz_entry *entry, vz_error *err)
{
    vz_link link = {.name = entry->name, .segment = entry->name, .is_listed = entry->in_names, .order = VZ_NO_ORDER};
    link.utf8 = !vz_text_is_ascii(link.name);
    entry->name = NULL;
    return vz_members_add(members, link, err) != NULL;
}

/* Takes the entry's name where it is the link's. Its memory the group keeps in any case. */
static bool add_listed(vz_node *group, struct vz_members *members, vz_entry *entry, const other_names *known,
                       vz_error *err)
{
    char *segment = entry->name;
    const vz_link_facts *of;
    const char *name;
    if (known->none)
        return add_as_called(members, entry, err);
    if (!find_name(group, segment, known, &of, &name, err))
        return false;
    if (vz_strmap_get(members->by_name, name))
        name = segment;
    if (vz_strmap_get(members->by_name, name))
        return vz_unwritten_name(&members->hidden, segment, err);
    const bool is_same = name == segment || strcmp(name, segment) == 0;
    vz_link link = {.is_listed = is_same && entry->in_names, .order = of ? of->order : VZ_NO_ORDER};
    link.segment = entry->in_names && !is_same ? strdup(segment) : segment;
    link.name = is_same ? segment : strdup(name);
    entry->name = NULL;
    link.utf8 = of && of->has_charset ? of->utf8 : link.name && !vz_text_is_ascii(link.name);
    if (link.order != VZ_NO_ORDER && link.order >= group->next_order)
        group->next_order = link.order + 1;
    return vz_members_add(members, link, err) != NULL;
}

/* Members that no list has come behind those that one has: other processes added them later. */
static void number_rest(vz_node *group, struct vz_members *members)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(members->by_name, &cursor, &name, &value)) {
        vz_link *link = &((vz_member *)value)->link;
        if (link->order == VZ_NO_ORDER)
            link->order = group->next_order++;
    }
}

/* The links of "L" that are no directories. */
static bool add_others(vz_node *group, struct vz_members *members, vz_error *err)
{
    const vz_json *list = vz_json_get(group->annotation, VZ_ANNOTATION_LINKS);
    bool ok = true;
    for (size_t i = 0; ok && i < vz_json_length(list); i++)
        ok = vz_link_entry_add(group, members, vz_json_at(list, i), err);
    return ok;
}

/* The directories of a listing, and whether they are in order, so that no two have the same
 * name. */
static size_t count_directories(const vz_entry *entries, size_t count, bool *ordered)
{
    size_t directories = 0;
    *ordered = true;
    for (size_t i = 0; i < count; i++) {
        directories += entries[i].is_prefix;
        *ordered = *ordered && (i == 0 || strcmp(entries[i - 1].name, entries[i].name) < 0);
    }
    return directories;
}

static bool add_all(vz_node *group, struct vz_members *members, vz_entry *entries, size_t count, vz_error *err)
{
    bool tracked, ordered;
    const bool has_list = vz_json_get(group->annotation, VZ_ANNOTATION_LINKS) != NULL;
    vz_strmap *facts = has_list ? vz_link_list_read(group->annotation, &tracked, err) : NULL;
    bool ok = (!has_list || facts) && vz_members_reserve(members, count_directories(entries, count, &ordered), err);
    const bool in_journals = vz_root_move_log_has_stored_names(group->hierarchy);
    const other_names known = {facts, in_journals,
                               ok && ordered && !in_journals && (!facts || vz_strmap_count(facts) == 0)};
    group->next_order = 0;
    for (size_t i = 0; ok && i < count; i++)
        if (entries[i].is_prefix)
            ok = add_listed(group, members, &entries[i], &known, err);
    vz_strmap_free(facts, vz_link_facts_free);
    ok = ok && add_others(group, members, err);
    number_rest(group, members);
    return ok;
}

const char *vz_links_attribute(const vz_node *group)
{
    const vz_conventions *conventions = group->hierarchy->conventions;
    return conventions ? conventions->links_attribute(group) : NULL;
}

static bool read_foreign_links(vz_node *group, void *context, vz_error *err)
{
    (void)context;
    const vz_conventions *conventions = group->hierarchy->conventions;
    return !conventions || !group->members || conventions->read_links(group, err);
}

bool vz_hierarchy_set_conventions(vz_hierarchy *hierarchy, const vz_conventions *conventions, vz_error *err)
{
    if (hierarchy->conventions)
        return true;
    hierarchy->conventions = conventions;
    return vz_hierarchy_each_loaded(hierarchy, read_foreign_links, NULL, err);
}

/* A server may refuse to list. Readers then find members by name. */
static bool list(const vz_node *group, const char *prefix, struct vz_members *members, vz_entry **entries,
                 size_t *count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_hierarchy *hierarchy = group->hierarchy;
    if (vz_store_list_first(hierarchy->store, prefix, entries, count, &failed))
        return true;
    const bool is_near = hierarchy->store->capabilities & VZ_STORE_CHEAP;
    if (!is_near && !hierarchy->writable && (failed.class == VZ_UNSUPPORTED || failed.class == VZ_PERMISSION)) {
        members->unlisted = malloc(sizeof *members->unlisted);
        if (!members->unlisted)
            return vz_fail_memory(err);
        *members->unlisted = failed;
        return true;
    }
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_members_check_listed(const vz_node *group, vz_error *err)
{
    const vz_error *why = group->members->unlisted;
    if (!why)
        return true;
    vz_fail(err, why->class, "%.300s; without consolidated metadata objects here open by their names alone", why->text);
    return false;
}

/* A directory without a document, of which the annotation has an array: another writer has put
 * chunks there already, which are the array's. */
static bool probe_noted(vz_node *group, vz_error *err)
{
    const vz_json *entries = vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS);
    const char *name;
    vz_json *entry;
    bool ok = true, is_node = true;
    for (size_t i = 0; ok && vz_json_member(entries, i, &name, &entry); i++) {
        vz_member *member = vz_strmap_get(group->members->by_name, name);
        char *segment = member && member->state == VZ_MEMBER_UNKNOWN ? strdup(member->link.segment) : NULL;
        ok = !segment || vz_member_probe(group, member, &is_node, err);
        if (ok && segment && !is_node && group->members->hidden)
            vz_strmap_remove(group->members->hidden, segment);
        free(segment);
    }
    return ok;
}

bool vz_members_load(vz_node *group, vz_error *err)
{
    if (group->kind != VZ_NODE_GROUP)
        return vz_fail(err, VZ_INVALID, "an array has no members");
    if (group->members)
        return true;
    vz_entry *entries = NULL;
    size_t count = 0;
    char *prefix = vz_node_prefix(group, err);
    struct vz_members *members = prefix ? vz_members_new(group, err) : NULL;
    bool ok = members && list(group, prefix, members, &entries, &count, err);
    if (ok)
        members->names = vz_entries_take_names(entries, count);
    ok = ok && add_all(group, members, entries, count, err);
    vz_entries_free(entries, count);
    free(prefix);
    if (!ok) {
        vz_members_free(members);
        return false;
    }
    group->members = members;
    if (probe_noted(group, err) && vz_group_dimensions_read(group, err) && read_foreign_links(group, NULL, err))
        return true;
    group->members = NULL;
    vz_members_free(members);
    return false;
}

bool vz_member_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err)
{
    const uint64_t refusals = vz_refusals_counted();
    *is_node = true;
    if (member->state != VZ_MEMBER_UNKNOWN)
        return true;
    if (!vz_node_probe(group, member, is_node, err))
        return false;
    if (*is_node) {
        group->members->unknown--;
        return true;
    }
    const bool is_refused = vz_refusals_counted() != refusals; /* then it is asked about again */
    const bool ok = is_refused || vz_unwritten_name(&group->members->hidden, member->link.segment, err);
    vz_members_remove(group->members, member);
    return ok;
}

/* *asked is not looked at yet; NULL: it is known that there is none. */
static bool add_asked(vz_node *group, const char *name, vz_member **asked, vz_error *err)
{
    struct vz_members *members = group->members;
    char *segment = vz_members_segment(members, name, err);
    *asked = NULL;
    if (!segment)
        return false;
    if (members->hidden && vz_strmap_get(members->hidden, segment)) {
        free(segment);
        return true;
    }
    vz_link link = {.name = strdup(name), .segment = segment, .order = group->next_order++};
    link.utf8 = !vz_text_is_ascii(name);
    *asked = vz_members_add(members, link, err);
    return *asked && ((*asked)->is_asked = true);
}

bool vz_member_ask(vz_node *group, const char *name, vz_member **member, vz_error *err)
{
    bool is_node = false;
    vz_member *asked;
    const bool ok = add_asked(group, name, &asked, err) &&
                    (!asked || (vz_node_probe_prefetch(group, err) && vz_member_probe(group, asked, &is_node, err)));
    vz_store_forget_refused(group->hierarchy->store);
    *member = ok && is_node ? asked : NULL;
    return ok;
}

bool vz_group_prefetch_names(vz_node *group, const char *const *names, size_t count, vz_error *err)
{
    vz_member *ignored;
    if (!vz_members_load(group, err) || !group->members->unlisted)
        return group->members != NULL;
    for (size_t i = 0; i < count; i++)
        if (!vz_strmap_get(group->members->by_name, names[i]) && !add_asked(group, names[i], &ignored, err))
            return false;
    return vz_node_probe_prefetch(group, err);
}

static bool probe_all(vz_node *group, vz_error *err)
{
    if (!vz_members_load(group, err) || !vz_members_check_listed(group, err) ||
        (group->members->unknown > 1 && !vz_node_probe_prefetch(group, err)) ||
        (group->members->unknown > 0 && !vz_node_probe_names(group, err)))
        return false;
    size_t cursor = 0;
    const char *name;
    void *value;
    bool is_node;
    while (group->members->unknown > 0 && vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        if (!vz_member_probe(group, value, &is_node, err))
            return false;
    return true;
}

bool vz_group_complete(vz_node *group, vz_error *err)
{
    const vz_conventions *conventions = group->hierarchy->conventions;
    if (!conventions || !conventions->complete || group->members->is_completed)
        return true;
    group->members->is_completed = true;
    if (conventions->complete(group, err))
        return true;
    group->members->is_completed = false;
    return false;
}

bool vz_members_probe_all(vz_node *group, vz_error *err)
{
    const bool ok = probe_all(group, err) && vz_group_complete(group, err);
    vz_store_forget_refused(group->hierarchy->store);
    return ok;
}

/* ---- looking ---- */

bool vz_group_count(vz_node *group, uint64_t *count, vz_error *err)
{
    if (!vz_members_probe_all(group, err))
        return false;
    *count = vz_strmap_count(group->members->by_name);
    return true;
}
