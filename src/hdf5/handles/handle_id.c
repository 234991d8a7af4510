/* handle_id.c - a handle of the kind that a node is, and an id for it. */
#include "hdf5/h5/h5.h"
#include "hdf5/references/committed.h"
#include "hdf5/handles/committed_type.h"

vz_handle *vz_datatype_handle_of(vz_file *file, vz_node *node, hid_t type, vz_error *err)
{
    vz_handle *handle = vz_handle_open(file, H5I_DATATYPE, node, err);
    if (!handle || vz_twin_type_open(&handle->type_twin, type, err))
        return handle;
    vz_handle_drop(handle, err);
    return NULL;
}

vz_handle *vz_datatype_handle(vz_file *file, vz_node *node, vz_error *err)
{
    const hid_t type = vz_committed_type(node, err);
    if (type < 0)
        return NULL;
    vz_handle *handle = vz_datatype_handle_of(file, node, type, err);
    vz_h5_close_quietly(type);
    return handle;
}

hid_t vz_handle_id_open(vz_file *file, vz_node *node, vz_error *err)
{
    return vz_handle_id_open_as(file, node, &(vz_opened){0}, err);
}

hid_t vz_handle_id_open_as(vz_file *file, vz_node *node, vz_opened *opened, vz_error *err)
{
    vz_handle *handle = vz_committed_is_type(node) ? vz_datatype_handle(file, node, err)
                                                   : vz_handle_open(file, vz_handle_node_id_type(node), node, err);
    if (!vz_opened_give(handle, opened))
        return H5I_INVALID_HID;
    const hid_t id = vz_object_register(&handle->object, err);
    if (id < 0)
        vz_handle_drop(handle, err);
    return id;
}
