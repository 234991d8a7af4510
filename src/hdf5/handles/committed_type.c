/* committed_type.c - committed datatypes that objects are created with: which one it was. */
#include "hdf5/handles/handle_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/references/committed.h"
#include <stdlib.h>

/* ---- given to us ---- */

bool vz_datatype_is_complete(hid_t type, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    return (class != H5T_COMPOUND && class != H5T_ENUM) || H5Tget_nmembers(type) > 0 ||
           vz_fail(err, VZ_INVALID, "the datatype has no members");
}

/* A file that is mounted has handles of its own. */
static bool is_of(const vz_handle *type, const vz_file *file, const vz_hierarchy *hierarchy)
{
    const bool any = !file || file->hierarchy != hierarchy;
    return type->file->hierarchy == hierarchy && (any || type->file == file);
}

bool vz_datatype_given_read(vz_datatype_given *given, hid_t type, const vz_file *file, const vz_hierarchy *hierarchy,
                            vz_error *err)
{
    *given = (vz_datatype_given){.plain = type};
    if (!vz_datatype_is_complete(type, err))
        return false;
    if (H5Tcommitted(type) <= 0)
        return true;
    vz_object *object = vz_object_of_id(type);
    if (object && vz_handle_is_zarr(object) && is_of(vz_handle_of(object), file, hierarchy)) {
        vz_error failure = VZ_ERROR_NONE;
        given->node = vz_handle_of(object)->node;
        vz_node_ref(given->node);
        given->path = vz_node_path(vz_handle_of(object)->node, &failure);
        if (!given->path && failure.class != VZ_OK) {
            vz_datatype_given_clear(given);
            return vz_fail(err, failure.class, "%s", failure.text);
        }
    }
    given->plain = H5Tcopy(type);
    given->copied = given->plain >= 0;
    if (given->copied)
        return true;
    vz_datatype_given_clear(given);
    return vz_fail_hdf5(err);
}

void vz_datatype_given_clear(vz_datatype_given *given)
{
    if (given->copied)
        vz_h5_close_quietly(given->plain);
    if (given->node)
        vz_node_unref(given->node);
    free(given->path);
    *given = (vz_datatype_given){.plain = H5I_INVALID_HID};
}

bool vz_datatype_given_store(const vz_datatype_given *given, vz_node *node, const char *attribute, vz_error *err)
{
    if (given->path)
        return vz_datatype_record_use(node, attribute, given->path, err) &&
               vz_committed_register_use(node, given->path, err);
    return !given->node || vz_datatype_wait_for_name(given->node, node, attribute, err);
}

/* ---- types given by programs ---- */

static vz_node *noted(const vz_handle *handle, const char *attribute)
{
    const char *key = attribute ? vz_attribute_key(handle->node, attribute) : NULL;
    const char *path = attribute && !key ? NULL : vz_committed_path(handle->node, key);
    vz_hierarchy *hierarchy = handle->file->hierarchy;
    if (!path)
        return vz_datatype_waited_for(handle->node, attribute);
    vz_node *node = vz_committed_at(hierarchy, path);
    if (node)
        vz_node_ref(node);
    return node;
}

static bool is_type(const vz_node *node, hid_t type)
{
    const hid_t committed = vz_committed_type(node, NULL);
    const bool same = committed >= 0 && H5Tequal(committed, type) > 0;
    if (committed >= 0)
        H5Tclose(committed);
    return same;
}

hid_t vz_datatype_named(const vz_handle *handle, const char *attribute, hid_t type, vz_error *err)
{
    if (type < 0)
        return type;
    vz_node *node = noted(handle, attribute);
    hid_t id = type;
    if (node && is_type(node, type)) {
        id = vz_handle_id_open(handle->file, node, err);
        vz_h5_close_quietly(type);
    }
    if (node)
        vz_node_unref(node);
    return id;
}
