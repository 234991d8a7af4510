/* members.c - links of the store and second names, together. */
#include "object/members.h"
#include <stdlib.h>

typedef struct second_name {
    struct second_name *next;
    vz_node *group; /* one reference */
    vz_link link;   /* name and node (one reference); no segment, since the store does not know it */
} second_name;

static second_name *second_names; /* newest last */

static second_name *find_second(const vz_node *group, const char *name)
{
    for (second_name *s = second_names; s; s = s->next)
        if (s->group == group && strcmp(s->link.name, name) == 0)
            return s;
    return NULL;
}

static void second_free(second_name *s)
{
    if (s->group)
        vz_node_unref(s->group);
    if (s->link.node)
        vz_node_unref(s->link.node);
    free(s->link.name);
    free(s);
}

static void second_remove(second_name *gone)
{
    for (second_name **at = &second_names; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            second_free(gone);
            return;
        }
}

static bool second_add(vz_node *group, const char *name, bool utf8, vz_node *node, vz_error *err)
{
    second_name *s = calloc(1, sizeof *s);
    char *copy = strdup(name);
    if (!s || !copy) {
        free(s);
        free(copy);
        return vz_fail_memory(err);
    }
    vz_node_ref(group);
    vz_node_ref(node);
    *s =
        (second_name){.group = group, .link = {.name = copy, .node = node, .order = group->next_order++, .utf8 = utf8}};
    second_name **at = &second_names;
    while (*at)
        at = &(*at)->next;
    *at = s;
    return true;
}

bool vz_member_is_second(const vz_node *group, const char *name)
{
    return find_second(group, name) != NULL;
}

vz_link *vz_member_find(vz_node *group, const char *name, vz_error *err)
{
    second_name *second = find_second(group, name);
    return second ? &second->link : vz_group_find(group, name, err);
}

static uint64_t count_second(const vz_node *group)
{
    uint64_t count = 0;
    for (const second_name *s = second_names; s; s = s->next)
        count += s->group == group;
    return count;
}

bool vz_member_count(vz_node *group, uint64_t *count, vz_error *err)
{
    if (!vz_group_count(group, count, err))
        return false;
    *count += count_second(group);
    return true;
}

/* How many links of the store come before a name. */
static bool rank(vz_node *group, const char *name, uint64_t count, uint64_t *result, vz_error *err)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const vz_link *link = vz_group_link_at(group, VZ_BY_NAME, middle, err);
        if (!link)
            return false;
        if (strcmp(link->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *result = low;
    return true;
}

/* The second names are few: each one's place among all is worked out. */
static vz_link *at_by_name(vz_node *group, uint64_t index, uint64_t count, vz_error *err)
{
    uint64_t before = 0;
    for (second_name *s = second_names; s; s = s->next) {
        uint64_t place = 0;
        if (s->group != group)
            continue;
        if (!rank(group, s->link.name, count, &place, err))
            return NULL;
        for (const second_name *other = second_names; other; other = other->next)
            place += other->group == group && strcmp(other->link.name, s->link.name) < 0;
        if (place == index)
            return &s->link;
        before += place < index;
    }
    return vz_group_link_at(group, VZ_BY_NAME, index - before, err);
}

vz_link *vz_member_at(vz_node *group, vz_order order, uint64_t index, vz_error *err)
{
    uint64_t count = 0;
    if (count_second(group) == 0)
        return vz_group_link_at(group, order, index, err);
    if (!vz_group_count(group, &count, err))
        return NULL;
    if (order == VZ_BY_NAME)
        return at_by_name(group, index, count, err);
    if (index < count)
        return vz_group_link_at(group, order, index, err);
    index -= count;
    for (second_name *s = second_names; s; s = s->next)
        if (s->group == group && index-- == 0)
            return &s->link;
    vz_fail(err, VZ_NOT_FOUND, "there are not so many links");
    return NULL;
}

static bool is_in_use(const vz_node *node)
{
    return node->parent || node == vz_hierarchy_root(node->hierarchy);
}

static bool is_below(const vz_node *node, const vz_node *above)
{
    for (; node; node = node->parent)
        if (node == above)
            return true;
    return false;
}

/* Was it deleted with a group above it? A new group that is still without a name was never in the store. */
static bool is_deleted_below(const vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node != vz_hierarchy_root(node->hierarchy) && node->was_stored;
}

/* A node that was deleted with a group above it still has its name there: it gives that up for one that counts. */
static bool leave_deleted(vz_node *node, vz_error *err)
{
    if (!node->parent || !is_deleted_below(node))
        return true;
    return vz_group_unlink(node->parent, node->link->name, err);
}

bool vz_member_link(vz_node *group, const char *name, bool utf8, vz_node *node, vz_error *err)
{
    vz_error absent = VZ_ERROR_NONE;
    if (vz_member_find(group, name, &absent))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    if (!leave_deleted(node, err))
        return false;
    if (!is_in_use(node))
        return vz_node_link(node, group, name, utf8, err);
    if (absent.class != VZ_NOT_FOUND)
        return vz_fail(err, absent.class, "%s", absent.text);
    if (!vz_node_check_writable(group, err))
        return false;
    return second_add(group, name, utf8, node, err);
}

/* The node is about to lose its own name: it takes its second one. */
static bool take_second(second_name *s, vz_error *err)
{
    vz_node *node = s->link.node, *group = s->group;
    char *name = s->link.name;
    const bool utf8 = s->link.utf8;
    s->link.name = NULL;
    vz_node_ref(group);
    vz_node_ref(node);
    second_remove(s);
    const bool ok = vz_node_move(node->parent, node->link->name, group, name, utf8, err);
    vz_node_unref(node);
    vz_node_unref(group);
    free(name);
    return ok;
}

/* What is deleted with `node` and has a second name elsewhere stays; second names that lie below it go. */
static bool save_second(const vz_node *node, vz_error *err)
{
    for (second_name *s = second_names, *next; s; s = next) {
        next = s->next;
        if (is_below(s->group, node))
            second_remove(s);
        else if (is_below(s->link.node, node)) {
            const bool whole = s->link.node == node;
            if (!take_second(s, err))
                return false;
            if (whole)
                return true;
            next = second_names; /* the list has changed */
        }
    }
    return true;
}

static bool unlink_first(vz_node *group, const char *name, vz_error *err)
{
    if (!second_names)
        return vz_group_unlink(group, name, err);
    vz_link *link = vz_group_find(group, name, err);
    if (!link || !vz_node_check_writable(group, err) || (link->node && !save_second(link->node, err)))
        return false;
    vz_error gone = VZ_ERROR_NONE;
    if (!vz_group_find(group, name, &gone)) /* the node went to its second name */
        return true;
    return vz_group_unlink(group, name, err);
}

/* The numbers of creation order begin again in a group that is empty, as native's do. */
static void restart_order(vz_node *group)
{
    uint64_t count = 0;
    if (vz_member_count(group, &count, NULL) && count == 0)
        group->next_order = 0;
}

bool vz_member_unlink(vz_node *group, const char *name, vz_error *err)
{
    second_name *second = find_second(group, name);
    if (second)
        second_remove(second);
    else if (!unlink_first(group, name, err))
        return false;
    restart_order(group);
    return true;
}

bool vz_member_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    second_name *second = find_second(group, name);
    if (find_second(to_group, to_name))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", to_name);
    if (!second)
        return vz_node_move(group, name, to_group, to_name, utf8, err);
    if (!vz_member_link(to_group, to_name, utf8, second->link.node, err))
        return false;
    second_remove(second);
    return true;
}

unsigned vz_node_names(const vz_node *node)
{
    unsigned count = is_in_use(node);
    for (const second_name *s = second_names; s; s = s->next)
        count += s->link.node == node;
    return count;
}

bool vz_second_names_check(const vz_hierarchy *hierarchy, vz_error *err)
{
    for (const second_name *s = second_names; s; s = s->next)
        if (s->group->hierarchy == hierarchy) {
            vz_fail(err, VZ_UNSUPPORTED, "\"%.200s\" is a second hard link to an object: it cannot be stored",
                    s->link.name);
            return false;
        }
    return true;
}

void vz_second_names_drop(const vz_hierarchy *hierarchy)
{
    for (second_name *s = second_names, *next; s; s = next) {
        next = s->next;
        if (s->group->hierarchy == hierarchy)
            second_remove(s);
    }
}
