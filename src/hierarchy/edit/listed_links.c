/* listed_links.c - directories that are listed as members, and stand for links. */
#include "hierarchy/nodes/member.h"
#include <stdlib.h>

bool vz_hierarchy_is_lindi(const vz_hierarchy *hierarchy)
{
    return hierarchy->is_lindi;
}

bool vz_group_next_listed(const vz_node *group, size_t *cursor, vz_link **link)
{
    const char *name;
    void *value;
    while (group->members && vz_strmap_next(group->members->by_name, cursor, &name, &value)) {
        vz_member *member = value;
        *link = &member->link;
        if (member->state == VZ_MEMBER_UNKNOWN && member->link.kind == VZ_LINK_NODE)
            return true;
    }
    return false;
}

bool vz_link_read_attributes(const vz_node *group, const vz_link *link, vz_buffer *text, vz_error *err)
{
    vz_buffer key = {0};
    bool found;
    char *prefix = vz_node_prefix(group, err);
    const bool ok = prefix &&
                    vz_buffer_printf(&key, err, "%s%s%s/.zattrs", prefix, *prefix ? "/" : "", link->segment) &&
                    vz_buffer_append(&key, "", 1, err) &&
                    vz_store_get(group->hierarchy->store, (const char *)key.data, VZ_WHOLE, text, &found, err);
    vz_buffer_clear(&key);
    free(prefix);
    return ok;
}

bool vz_link_become_soft(vz_node *group, vz_link *link, const char *target, vz_error *err)
{
    vz_member *member = (vz_member *)link;
    if (!(link->target = strdup(target)))
        return vz_fail_memory(err);
    link->kind = VZ_LINK_SOFT;
    member->state = VZ_MEMBER_LINK;
    group->members->unknown--;
    return true;
}
