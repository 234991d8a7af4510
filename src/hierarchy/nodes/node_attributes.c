/* node_attributes.c - a node takes attributes that were read or merged. */
#include "hierarchy/nodes/pending_value_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state_internal.h"

void vz_node_replace_attributes(vz_node *node, vz_json *attributes, vz_json *annotation, vz_json *value)
{
    if (node == node->hierarchy->root)
        vz_root_move_log_forget(node->hierarchy);
    vz_attributes_order_drop(node);
    vz_deferred_drop(node);
    vz_deferred_forget(node);
    vz_json_free(node->attributes);
    vz_json_free(node->annotation);
    vz_json_free(node->annotation_value);
    node->attributes = attributes;
    node->attributes_size = (vz_json_size){0};
    node->annotation = annotation;
    node->annotation_value = value;
    if (!node->parent && vz_json_get(annotation, VZ_ANNOTATION_ALIASES))
        node->hierarchy->hard_links.any = true;
}

bool vz_node_set_attributes(vz_node *node, vz_json *attributes, uint64_t hash, vz_error *err)
{
    vz_json *annotation, *value;
    node->netcdf = node->netcdf || vz_json_get(attributes, VZ_ANNOTATION_NETCDF);
    if (!vz_node_annotation_detach(attributes, &annotation, &value, err)) {
        vz_json_free(attributes);
        return false;
    }
    vz_node_replace_attributes(node, attributes, annotation, value);
    node->attributes_hash = hash;
    vz_node_keep_version(node, true, NULL);
    return !node->derived || vz_derived_show(node, err);
}
