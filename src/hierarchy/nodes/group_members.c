/* group_members.c - the members of a group in memory: the table of names, and its two orders. */
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias_internal.h"
#include <stdlib.h>

struct vz_members *vz_members_new(vz_node *group, vz_error *err)
{
    struct vz_members *members = calloc(1, sizeof *members);
    if (members && (members->by_name = vz_strmap_new_borrowing())) {
        members->group = group;
        return members;
    }
    free(members);
    vz_fail_memory(err);
    return NULL;
}

/* ---- the hierarchy's list of groups with links ---- */

static void add_other(struct vz_members *members)
{
    struct vz_members **first = &members->group->hierarchy->with_links;
    if (members->others++ > 0)
        return;
    members->next = *first;
    if (*first)
        (*first)->previous = members;
    *first = members;
}

static void leave_list(struct vz_members *members)
{
    if (members->next)
        members->next->previous = members->previous;
    *(members->previous ? &members->previous->next : &members->group->hierarchy->with_links) = members->next;
    members->next = members->previous = NULL;
}

static void remove_other(struct vz_members *members)
{
    if (--members->others == 0)
        leave_list(members);
}

void vz_members_forget_links(struct vz_members *members)
{
    if (members->others > 0)
        leave_list(members);
    members->others = 0;
}

/* ---- members ---- */

bool vz_members_reserve(struct vz_members *members, size_t count, vz_error *err)
{
    if (count == 0)
        return true;
    if (!(members->block = calloc(count, sizeof *members->block)))
        return vz_fail_memory(err);
    members->block_size = count;
    return vz_strmap_reserve(members->by_name, count, err);
}

static vz_member *new_member(struct vz_members *members)
{
    if (members->block_used == members->block_size)
        return calloc(1, sizeof(vz_member));
    vz_member *member = &members->block[members->block_used++];
    member->in_block = true;
    return member;
}

void vz_link_clear(vz_link *link)
{
    if (link->segment != link->name)
        free(link->segment);
    if (!link->is_listed)
        free(link->name);
    free(link->target);
    free(link->value);
}

void vz_member_free(vz_member *member)
{
    vz_alias_detach(member);
    vz_link_clear(&member->link);
    vz_member_forget_document(member);
    if (!member->in_block)
        free(member);
}

void vz_member_keep_document(vz_member *member, vz_buffer *text, const vz_version *version)
{
    const bool is_exact = text->size > 0 && text->capacity == text->size;
    char *exact = is_exact ? (char *)text->data : realloc(text->data, text->size ? text->size : 1);
    vz_member_forget_document(member);
    member->document = exact ? exact : (char *)text->data;
    member->document_size = text->size;
    if (version->size > 0 && (member->version = malloc(sizeof *version)))
        *member->version = *version;
    *text = (vz_buffer){0};
}

void vz_member_forget_document(vz_member *member)
{
    free(member->document);
    free(member->version);
    member->document = NULL;
    member->version = NULL;
    member->document_size = 0;
}

static uint64_t changes; /* of all groups in memory */

uint64_t vz_links_moment(void)
{
    return changes;
}

void vz_members_change(void)
{
    changes++;
}

static void forget_orders(struct vz_members *members)
{
    free(members->sorted);
    free(members->created);
    members->sorted = members->created = NULL;
}

static bool note_escaped(struct vz_members *members, vz_member *member, vz_error *err)
{
    if (!members->escaped && !(members->escaped = vz_strmap_new()))
        return vz_fail_memory(err);
    return vz_strmap_put(members->escaped, member->link.segment, member, err);
}

vz_member *vz_members_add(struct vz_members *members, vz_link link, vz_error *err)
{
    vz_member *member = new_member(members);
    const bool is_node = link.kind == VZ_LINK_NODE;
    vz_members_change();
    if (!member || !link.name || (is_node && !link.segment)) {
        if (member)
            vz_member_free(member);
        vz_link_clear(&link);
        vz_fail_memory(err);
        return NULL;
    }
    if (is_node && link.segment != link.name && strcmp(link.segment, link.name) == 0) {
        free(link.segment);
        link.segment = link.name; /* one copy is enough for nearly all */
    }
    member->link = link;
    const bool is_escaped = is_node && link.segment != link.name;
    if ((is_escaped && !note_escaped(members, member, err)) ||
        !vz_strmap_put(members->by_name, link.name, member, err)) {
        if (is_escaped && members->escaped)
            vz_strmap_remove(members->escaped, link.segment);
        vz_member_free(member);
        return NULL;
    }
    member->state = is_node ? VZ_MEMBER_UNKNOWN : VZ_MEMBER_LINK;
    if (is_node)
        members->unknown++;
    else
        add_other(members);
    forget_orders(members);
    return member;
}

/* Takes a link out of an order that is there, so that a walk that deletes needs no new sort. */
static void leave_order(vz_link **links, size_t count, const vz_link *link)
{
    size_t i = 0;
    while (links && i < count && links[i] != link)
        i++;
    if (links && i < count)
        memmove(links + i, links + i + 1, (count - i - 1) * sizeof(vz_link *));
}

void vz_members_remove(struct vz_members *members, vz_member *member)
{
    const size_t count = vz_strmap_count(members->by_name);
    vz_members_change();
    leave_order(members->sorted, count, &member->link);
    leave_order(members->created, count, &member->link);
    vz_strmap_remove(members->by_name, member->link.name);
    if (members->escaped && member->link.segment && member->link.segment != member->link.name)
        vz_strmap_remove(members->escaped, member->link.segment);
    if (member->state == VZ_MEMBER_UNKNOWN)
        members->unknown--;
    if (member->state == VZ_MEMBER_LINK)
        remove_other(members);
    vz_member_free(member);
}

/* ---- segments ---- */

vz_member *vz_members_by_segment(const struct vz_members *members, const char *segment)
{
    vz_member *member = members->escaped ? vz_strmap_get(members->escaped, segment) : NULL;
    if (member)
        return member;
    member = vz_strmap_get(members->by_name, segment);
    /* not of a link without segment */
    return member && member->link.segment == member->link.name ? member : NULL;
}

/* The segment of a name that a convention calls otherwise; NULL without an error: it is taken. */
static char *segment_by_convention(struct vz_members *members, const char *stored, vz_error *err)
{
    const vz_conventions *conventions = members->group->hierarchy->conventions;
    char *segment = vz_segment_of_name(stored, err);
    vz_member *member = segment ? vz_members_by_segment(members, segment) : NULL;
    if (!member)
        return segment;
    const vz_node *node = member->link.node;
    char *other = node && node->is_new && conventions->gives_way && conventions->gives_way(node)
                      ? vz_segment_of_name_hashed(member->link.name, err)
                      : NULL;
    const bool is_free =
        other && !vz_members_by_segment(members, other) && vz_members_rename_case(members, member, other, err);
    free(other);
    if (is_free)
        return segment;
    free(segment);
    return NULL;
}

/* The newcomer gives way: the directory of a link that is there is never renamed behind its
 * back. */
char *vz_members_segment(struct vz_members *members, const char *name, vz_error *err)
{
    const vz_conventions *conventions = members->group->hierarchy->conventions;
    const char *stored = conventions && conventions->stored_name ? conventions->stored_name(name) : name;
    char *by_convention = stored != name ? segment_by_convention(members, stored, err) : NULL;
    if (by_convention)
        return by_convention;
    char *segment = vz_segment_of_name(name, err);
    if (!segment || !vz_members_by_segment(members, segment))
        return segment;
    free(segment);
    segment = vz_segment_of_name_hashed(name, err);
    if (!segment || !vz_members_by_segment(members, segment))
        return segment;
    free(segment);
    vz_fail(err, VZ_EXISTS, "the store has no room for a link called \"%.200s\"", name);
    return NULL;
}

static void forget_segment(struct vz_members *members, vz_link *link)
{
    if (link->segment == link->name)
        return;
    vz_strmap_remove(members->escaped, link->segment);
    free(link->segment);
}

bool vz_members_rename_case(struct vz_members *members, vz_member *member, const char *segment, vz_error *err)
{
    vz_link *link = &member->link;
    const bool is_plain = strcmp(segment, link->name) == 0;
    if (strcmp(segment, link->segment) == 0)
        return true;
    char *copy = is_plain ? link->name : strdup(segment);
    if (!copy)
        return vz_fail_memory(err);
    if (!is_plain && !(members->escaped || (members->escaped = vz_strmap_new()))) {
        free(copy);
        return vz_fail_memory(err);
    }
    if (!is_plain && !vz_strmap_put(members->escaped, copy, member, err)) {
        free(copy);
        return false;
    }
    forget_segment(members, link);
    link->segment = copy;
    return true;
}

bool vz_members_show_as(struct vz_members *members, vz_member *member, const char *name, vz_error *err)
{
    vz_link *link = &member->link;
    char *shown = strdup(name), *segment = strdup(link->segment);
    vz_link was = *link;
    if (!shown || !segment || !vz_strmap_put(members->by_name, shown, member, err)) {
        free(shown);
        free(segment);
        return vz_fail_memory(err);
    }
    vz_strmap_remove(members->by_name, link->name);
    if (link->segment != link->name)
        vz_strmap_remove(members->escaped, link->segment);
    link->name = shown;
    link->segment = segment;
    link->is_listed = false;
    was.target = NULL;
    was.value = NULL;
    vz_link_clear(&was);
    vz_members_change();
    forget_orders(members);
    return note_escaped(members, member, err);
}

bool vz_members_had(const struct vz_members *members, const char *name)
{
    return members->gone && vz_strmap_get(members->gone, name);
}

/* ---- orders ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(vz_link *const *)a)->name, (*(vz_link *const *)b)->name);
}

static int compare_orders(const void *a, const void *b)
{
    const uint64_t x = (*(vz_link *const *)a)->order, y = (*(vz_link *const *)b)->order;
    return x != y ? (x < y ? -1 : 1) : compare_names(a, b);
}

/* Listings are sorted, so nearly always the table is. */
static void sort(vz_link **links, size_t count, int (*compare)(const void *, const void *))
{
    for (size_t i = 1; i < count; i++)
        if (compare(&links[i - 1], &links[i]) > 0) {
            qsort(links, count, sizeof *links, compare);
            return;
        }
}

vz_link **vz_members_in_order(struct vz_members *members, vz_link_order order, vz_error *err)
{
    vz_link ***place = order == VZ_BY_NAME ? &members->sorted : &members->created;
    if (*place)
        return *place;
    const size_t count = vz_strmap_count(members->by_name);
    vz_link **links = malloc((count ? count : 1) * sizeof *links);
    if (!links) {
        vz_fail_memory(err);
        return NULL;
    }
    size_t cursor = 0, i = 0;
    const char *name;
    void *value;
    while (i < count && vz_strmap_next(members->by_name, &cursor, &name, &value))
        links[i++] = &((vz_member *)value)->link;
    sort(links, count, order == VZ_BY_NAME ? compare_names : compare_orders);
    *place = links;
    return links;
}
