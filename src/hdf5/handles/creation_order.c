/* creation_order.c - see handle.h. */
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/handle.h"
#include "hdf5/annotation/annotation.h"

bool vz_handle_orders_wanted(hid_t gcpl, vz_handle_orders *wanted, vz_error *err)
{
    return (H5Pget_link_creation_order(gcpl, &wanted->links) >= 0 &&
            H5Pget_attr_creation_order(gcpl, &wanted->attributes) >= 0) ||
           vz_fail_hdf5(err);
}

/* Annotation "pl": "lo" where the order of links is tracked and not indexed, "ao" where there is
 * one of attributes; hints. */
static bool note_properties(vz_node *group, const vz_handle_orders *made, hid_t list, vz_error *err)
{
    vz_json *note = vz_json_object(err);
    bool ok = note && vz_hints_store_group(note, list, err);
    if (ok && made->links == H5P_CRT_ORDER_TRACKED)
        ok = vz_json_set(note, "lo", vz_json_int64(made->links, err), err);
    if (ok && made->attributes)
        ok = vz_json_set(note, "ao", vz_json_int64(made->attributes, err), err);
    if (ok && vz_json_length(note) > 0)
        return vz_annotation_set(group, "pl", note, err);
    vz_json_free(note);
    return ok;
}

unsigned vz_handle_asked_order(const vz_node *group, const char *key, unsigned otherwise)
{
    int64_t value = 0;
    const vz_json *note = vz_json_get(vz_annotation_get(group, "pl"), key);
    return note && vz_json_get_int64(note, &value) && value >= 0 && value <= VZ_TRACKED_AND_INDEXED ? (unsigned)value
                                                                                                    : otherwise;
}

bool vz_handle_take_orders(vz_node *group, hid_t list, vz_error *err)
{
    vz_handle_orders wanted = {0};
    if (!vz_handle_orders_wanted(list, &wanted, err))
        return false;
    group->track_order = wanted.links & H5P_CRT_ORDER_TRACKED;
    return note_properties(group, &wanted, list, err);
}

bool vz_handle_group_inherit_order(vz_node *group, const vz_node *parent, unsigned attributes, vz_error *err)
{
    const unsigned links = vz_handle_asked_order(parent, "lo", 0);
    if (links != H5P_CRT_ORDER_TRACKED && !attributes)
        return true;
    vz_json *note = vz_json_object(err);
    bool ok = note && (links != H5P_CRT_ORDER_TRACKED || vz_json_set(note, "lo", vz_json_int64(links, err), err));
    if (ok && attributes)
        ok = vz_json_set(note, "ao", vz_json_int64(attributes, err), err);
    if (ok)
        return vz_annotation_set(group, "pl", note, err);
    vz_json_free(note);
    return false;
}
