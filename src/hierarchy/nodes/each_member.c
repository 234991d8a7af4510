/* each_member.c - the links of a group one after the other, each looked at when its turn comes. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include <stdlib.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(vz_member *const *)a)->link.name, (*(vz_member *const *)b)->link.name);
}

/* Members in the order of their names; heap. */
static vz_member **in_order(const struct vz_members *members, size_t *count, vz_error *err)
{
    const size_t most = vz_strmap_count(members->by_name);
    vz_member **list = malloc((most ? most : 1) * sizeof *list);
    size_t cursor = 0;
    const char *name;
    void *value;
    *count = 0;
    if (!list)
        vz_fail_memory(err);
    while (list && vz_strmap_next(members->by_name, &cursor, &name, &value))
        list[(*count)++] = value;
    if (list)
        qsort(list, *count, sizeof *list, compare_names);
    return list;
}

bool vz_group_each_link(vz_node *group, vz_link_visit visit, void *context, vz_error *err)
{
    size_t count;
    vz_member **list =
        vz_members_load(group, err) && vz_members_check_listed(group, err) && vz_group_complete(group, err)
            ? in_order(group->members, &count, err)
            : NULL;
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        bool is_node; /* a member that is none is freed by the look, and no other one */
        ok = vz_member_probe(group, list[i], &is_node, err) && (!is_node || visit(context, group, &list[i]->link, err));
    }
    free(list);
    return ok;
}
