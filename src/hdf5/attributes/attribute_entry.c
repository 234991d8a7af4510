/* attribute_entry.c - the entry of an attribute in the annotation. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/dialects/hdmf.h"

const vz_json *vz_attribute_entry(const vz_node *node, const char *name)
{
    return vz_json_get(vz_json_get(node->annotation, "a"), name);
}

bool vz_attribute_set_entry(vz_node *node, const char *name, vz_json *take, vz_error *err)
{
    vz_json *entries = vz_json_get(node->annotation, "a");
    if (!take && !vz_json_remove(entries, name))
        return true;
    if (!take && vz_json_length(entries) == 0)
        return vz_annotation_set(node, "a", NULL, err);
    if (take && !entries) {
        entries = vz_json_object(err);
        if (entries && vz_json_set(entries, name, take, err))
            return vz_annotation_set(node, "a", entries, err);
        vz_json_free(entries);
        return false;
    }
    return (!take || vz_json_set(entries, name, take, err)) && vz_node_annotated(node, err);
}

const char *vz_attribute_find_key(const vz_node *node, const char *name, vz_error *err)
{
    const char *key = vz_attribute_key(node, name);
    if (!key)
        vz_fail(err, VZ_NOT_FOUND, "no attribute \"%.200s\"", name);
    return key;
}

vz_json *vz_attribute_meaning(const vz_node *node, const char *name, const vz_json *json)
{
    vz_json *reference = vz_categories_lengthen(node, name, json, vz_attribute_entry(node, name));
    vz_json *shown = reference ? reference : vz_hdmf_attribute(node, name, json);
    return shown ? shown : vz_dialect_lindi_attribute(node, json);
}
