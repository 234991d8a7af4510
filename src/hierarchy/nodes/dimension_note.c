/* dimension_note.c - arrays that stand in the annotation of their group, because readers of plain
 * Zarr must not see them: dimensions of netCDF without a variable. In memory they are arrays that
 * were never written, without data. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

/* NULL without an error: it cannot be understood. */
static vz_node *read_node(vz_node *group, const vz_json *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_json *said = vz_json_get(entry, VZ_DIMENSION_ATTRIBUTES);
    vz_meta *meta = group->zarr_format->load(vz_json_get(entry, VZ_DIMENSION_DOCUMENT), &failed);
    vz_node *node = meta ? vz_group_dimension_new(group, meta, err) : NULL;
    if (!node) {
        if (failed.class == VZ_NO_MEMORY)
            vz_fail_memory(err);
        return NULL;
    }
    node->netcdf = true;
    vz_json *attributes = vz_json_kind_of(said) == VZ_JSON_OBJECT ? vz_json_copy(said, err) : vz_json_object(err);
    if (attributes && vz_node_set_attributes(node, attributes, 0, err))
        return node;
    vz_node_free(node);
    return NULL;
}

/* Takes the node. */
static bool add_member(vz_node *group, const char *name, vz_node *node, const vz_json *entry, vz_error *err)
{
    uint64_t order;
    if (!vz_json_get_uint64(vz_json_get(entry, VZ_DIMENSION_PLACE), &order))
        order = group->next_order;
    return vz_group_link_dimension(group, name, node, order, err);
}

bool vz_group_dimensions_read(vz_node *group, vz_error *err)
{
    const vz_json *entries = vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS);
    const char *name;
    vz_json *entry;
    for (size_t i = 0; vz_json_member(entries, i, &name, &entry); i++) {
        vz_error failed = VZ_ERROR_NONE;
        if (!*name || strchr(name, '/') || vz_strmap_get(group->members->by_name, name))
            continue; /* an array of the store counts */
        vz_node *node = read_node(group, entry, &failed);
        if (node ? !add_member(group, name, node, entry, err) : failed.class != VZ_OK) {
            if (!node && err && err->class == VZ_OK)
                *err = failed;
            return false;
        }
    }
    return true;
}
