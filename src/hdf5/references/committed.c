/* committed.c - committed datatypes as nodes, and the paths that their users keep. */
#include "hierarchy/resolve/token.h"
#include "hdf5/references/committed.h"
#include "hdf5/types/types.h"
#include "hdf5/annotation/annotation.h"
#include <stdlib.h>

#define KIND  "datatype"
#define ORDER (H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED)

bool vz_committed_is_type(const vz_node *node)
{
    return node->kind == VZ_NODE_GROUP && vz_json_is(vz_annotation_get(node, "k"), KIND);
}

/* Annotation "pl", as for groups and datasets: "ao" where the order of attributes is tracked;
 * hints. */
static bool store_properties(vz_node *node, hid_t tcpl, vz_error *err)
{
    unsigned order = 0;
    if (H5Pget_attr_creation_order(tcpl, &order) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the creation property list");
    vz_json *list = vz_json_object(err);
    bool ok = list && vz_hints_store_object(list, tcpl, err);
    if (ok && order != 0)
        ok = vz_json_set(list, "ao", vz_json_int64(order, err), err);
    if (ok && vz_json_length(list) > 0)
        return vz_annotation_set(node, "pl", list, err);
    vz_json_free(list);
    return ok;
}

vz_node *vz_committed_new(vz_hierarchy *hierarchy, hid_t type, hid_t tcpl, vz_error *err)
{
    vz_json *form = vz_short_form_print(type, err);
    vz_node *node = form ? vz_group_new(hierarchy, false, err) : NULL;
    if (!node) {
        vz_json_free(form);
        return NULL;
    }
    vz_json *kind = vz_json_text(KIND, err);
    bool ok = vz_annotation_set(node, "t", form, err);
    if (ok)
        ok = kind && vz_annotation_set(node, "k", kind, err) && store_properties(node, tcpl, err);
    else
        vz_json_free(kind);
    if (ok)
        return node;
    vz_node_unref(node);
    return NULL;
}

hid_t vz_committed_type(const vz_node *node, vz_error *err)
{
    const vz_json *form = vz_annotation_get(node, "t");
    if (form)
        return vz_short_form_parse(form, err);
    vz_fail(err, VZ_CORRUPT, "a committed datatype that is not described");
    return H5I_INVALID_HID;
}

hid_t vz_committed_tcpl(const vz_node *node, vz_error *err)
{
    int64_t order = 0;
    hid_t tcpl = H5Pcreate(H5P_DATATYPE_CREATE);
    const vz_json *stored_order = vz_json_get(vz_annotation_get(node, "pl"), "ao");
    if (tcpl >= 0 && stored_order && vz_json_get_int64(stored_order, &order) && order > 0 && order <= ORDER &&
        H5Pset_attr_creation_order(tcpl, (unsigned)order) < 0) {
        H5Pclose(tcpl);
        tcpl = H5I_INVALID_HID;
    }
    if (tcpl >= 0)
        vz_hints_show_object(vz_annotation_get(node, "pl"), tcpl);
    else
        vz_fail(err, VZ_INVALID, "HDF5 refused to make a datatype creation property list");
    return tcpl;
}

const char *vz_committed_path(const vz_node *node, const char *key)
{
    const vz_json *entry = key ? vz_json_get(vz_json_get(node->annotation, "a"), key) : NULL;
    const vz_json *path = key ? vz_json_get(entry, "ct") : vz_annotation_get(node, "ct");
    return path ? vz_json_get_string(path, NULL) : NULL;
}

vz_node *vz_committed_at(vz_hierarchy *hierarchy, const char *path)
{
    const uint64_t token = vz_token_of_stored(hierarchy, path, NULL);
    vz_node *node = token ? vz_token_node(hierarchy, token, NULL) : NULL;
    return node && vz_committed_is_type(node) ? node : NULL;
}

/* An attribute's entry, made if it has none. */
static vz_json *entry_of(vz_node *node, const char *key, vz_error *err)
{
    vz_json *entries = vz_json_get(node->annotation, "a");
    if (!entries) {
        entries = vz_json_object(err);
        if (!entries || !vz_annotation_set(node, "a", entries, err))
            return NULL;
    }
    vz_json *entry = vz_json_get(entries, key);
    if (entry)
        return entry;
    entry = vz_json_object(err);
    return entry && vz_json_set(entries, key, entry, err) ? entry : NULL;
}

bool vz_committed_set(vz_node *node, const char *key, const char *path, vz_error *err)
{
    char *stored = vz_hierarchy_holds_references(node->hierarchy, err)
                       ? vz_hierarchy_stored_path(node->hierarchy, path, err)
                       : NULL;
    vz_json *entered = stored ? vz_json_text(stored, err) : NULL;
    free(stored);
    if (!entered || !key)
        return entered && vz_annotation_set(node, "ct", entered, err);
    vz_json *entry = entry_of(node, key, err);
    if (entry)
        return vz_json_set(entry, "ct", entered, err) && vz_node_annotated(node, err);
    vz_json_free(entered);
    return false;
}

bool vz_committed_forget(vz_node *node, const char *key, vz_error *err)
{
    if (!key)
        return vz_annotation_set(node, "ct", NULL, err);
    vz_json_remove(vz_json_get(vz_json_get(node->annotation, "a"), key), "ct");
    return vz_node_annotated(node, err);
}
