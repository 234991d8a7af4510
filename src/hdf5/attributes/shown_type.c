/* shown_type.c - the decoded value that an attribute keeps, as HDF5 sees it. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

/* ---- decoding ---- */

static vz_json *find(vz_node *node, const char *name, vz_error *err)
{
    vz_json *json = vz_attribute_is_hidden(node, name) ? NULL : vz_node_attribute(node, name);
    if (!json)
        vz_fail(err, VZ_NOT_FOUND, "no attribute \"%.200s\"", name);
    return json;
}

static bool read_value(vz_node *node, const char *name, vz_attribute_value *value, vz_error *err)
{
    const vz_json *json = find(node, name, err);
    vz_json *instead = json ? vz_attribute_meaning(node, name, json) : NULL;
    const bool ok =
        json && vz_attribute_value_read(value, instead ? instead : json, vz_attribute_entry(node, name), err);
    vz_json_free(instead);
    return ok;
}

/* ---- an attribute that is open ---- */

bool vz_attribute_init(vz_attribute *attribute, vz_node *node, const char *name, vz_error *err)
{
    *attribute = (vz_attribute){.node = node, .name = strdup(name)};
    return attribute->name || vz_fail_memory(err);
}

void vz_attribute_clear(vz_attribute *attribute)
{
    vz_attribute_value_free(attribute->value);
    free(attribute->name);
    *attribute = (vz_attribute){0};
}

bool vz_attribute_follow(vz_attribute *attribute, const char *name, vz_error *err)
{
    char *copy = strdup(name);
    if (!copy)
        return vz_fail_memory(err);
    free(attribute->name);
    attribute->name = copy;
    return true;
}

static vz_attribute_value *decode(vz_attribute *attribute, vz_error *err)
{
    const uint64_t facts = vz_hierarchy_facts(attribute->node->hierarchy);
    const char *key = vz_attribute_find_key(attribute->node, attribute->name, err);
    const vz_attribute_value *deferred = key ? vz_node_deferred(attribute->node, key) : NULL;
    if (key && !deferred)
        deferred = vz_attribute_value_rendered(attribute->node, key);
    vz_attribute_value *value = !key       ? NULL
                                : deferred ? vz_attribute_value_copy(deferred, deferred->bytes, err)
                                           : malloc(sizeof *value);
    if (key && !deferred && !value)
        vz_fail_memory(err);
    if (!value || (!deferred && !read_value(attribute->node, key, value, err))) {
        free(value);
        return NULL;
    }
    value->facts = facts;
    return value;
}

vz_attribute_value *vz_attribute_lend(vz_attribute *attribute, vz_error *err)
{
    vz_attribute_value *value = attribute->value;
    attribute->value = NULL;
    if (value && value->facts == vz_hierarchy_facts(attribute->node->hierarchy))
        return value;
    vz_attribute_value_free(value);
    return decode(attribute, err);
}

void vz_attribute_give_back(vz_attribute *attribute, vz_attribute_value *value)
{
    vz_attribute_value_free(attribute->value);
    attribute->value = value;
}

/* ---- what HDF5 sees ---- */

bool vz_attribute_type(vz_attribute *attribute, hid_t *type, vz_error *err)
{
    vz_attribute_value *value = vz_attribute_lend(attribute, err);
    if (!value)
        return false;
    *type = H5Tcopy(value->type);
    vz_attribute_give_back(attribute, value);
    return *type >= 0 || vz_type_refused(err, "copy a datatype");
}

bool vz_attribute_space(vz_attribute *attribute, hid_t *space, vz_error *err)
{
    vz_attribute_value *value = vz_attribute_lend(attribute, err);
    if (!value)
        return false;
    *space = value->null   ? H5Screate(H5S_NULL)
             : value->rank ? H5Screate_simple((int)value->rank, value->dims, value->max)
                           : H5Screate(H5S_SCALAR);
    vz_attribute_give_back(attribute, value);
    return *space >= 0 || vz_type_refused(err, "make a dataspace");
}

/* Without decoding it, where nobody did that yet and the JSON value tells. */
static bool size_is_known(const vz_attribute *attribute, size_t *size)
{
    vz_node *node = attribute->node;
    const char *key = attribute->value ? NULL : vz_attribute_key(node, attribute->name);
    const bool is_json = key && !vz_attribute_is_hidden(node, key) && !vz_node_deferred(node, key);
    const vz_json *json = is_json ? vz_node_attribute(node, key) : NULL;
    if (!json || !vz_attribute_value_known_size(json, size) || vz_attribute_entry(node, key))
        return false;
    vz_json *instead = vz_attribute_meaning(node, key, json);
    vz_json_free(instead);
    return !instead;
}

bool vz_attribute_storage_size(vz_attribute *attribute, hsize_t *size, vz_error *err)
{
    size_t known;
    if (size_is_known(attribute, &known)) {
        *size = known;
        return true;
    }
    vz_attribute_value *value = vz_attribute_lend(attribute, err);
    if (!value)
        return false;
    *size = value->count * value->layout->size;
    vz_attribute_give_back(attribute, value);
    return true;
}

bool vz_attribute_info(vz_attribute *attribute, H5A_info_t *info, vz_error *err)
{
    *info = (H5A_info_t){.corder_valid = true, .corder = vz_attribute_order(attribute->node, attribute->name)};
    info->cset = vz_attribute_charset(attribute->node, attribute->name);
    return vz_attribute_storage_size(attribute, &info->data_size, err);
}
