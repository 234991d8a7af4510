/* copy_node.c - one object, without what is below it: a node as such where both sides have nodes, else by its
 * properties, its elements and its attributes. */
#include "h5/errors.h"
#include "map/attribute.h"
#include "map/committed.h"
#include "map/dataset.h"
#include "object/copy.h"
#include "object/handle.h"
#include "zarr/node_copy.h"
#include <stdlib.h>

/* ---- between stores ---- */

static vz_handle *zarr_of(hid_t id)
{
    vz_object *object = vz_object_of_id(id);
    return object && vz_is_zarr(object) ? vz_handle_of(object) : NULL;
}

/* The name at hand belongs to what is dropped. */
static bool drop_attributes(vz_node *node, vz_error *err)
{
    bool ok = true;
    for (const char *name; ok && (name = vz_attribute_at(node, 0));) {
        char *copy = strdup(name);
        ok = copy ? vz_attribute_delete(node, copy, err) : vz_fail_memory(err);
        free(copy);
    }
    return ok;
}

/* References to another store's objects lead nowhere here: the data is left out, and reads as null references. */
static bool refers(vz_copy *copy, vz_node *node)
{
    if (copy->same_file || node->kind != VZ_NODE_ARRAY || !node->meta)
        return false;
    vz_error ignored = VZ_ERROR_NONE;
    const hid_t type = vz_dataset_type(node, &ignored);
    const bool found = type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0;
    if (type >= 0)
        H5Tclose(type);
    return found;
}

static hid_t copy_zarr(vz_copy *copy, const vz_handle *from, const vz_handle *at)
{
    vz_node *made = vz_node_copy(from->node, at->file->hierarchy, !refers(copy, from->node), copy->err);
    if (!made)
        return H5I_INVALID_HID;
    hid_t id = H5I_INVALID_HID;
    if (!(copy->flags & H5O_COPY_WITHOUT_ATTR_FLAG) || drop_attributes(made, copy->err))
        id = vz_handle_id_open(at->file, made, copy->err);
    vz_node_unref(made);
    return id;
}

/* ---- between kinds ---- */

/* Closes an id if it is one, keeping the records of what failed. */
static void close_id(hid_t id)
{
    if (id >= 0)
        vz_h5_close_quietly(id);
}

static bool finish(vz_copy *copy, hid_t from, hid_t to, hid_t ocpl)
{
    return (copy->flags & H5O_COPY_WITHOUT_ATTR_FLAG) || vz_copy_attributes(copy, from, to, ocpl);
}

static hid_t copy_group(vz_copy *copy, hid_t from)
{
    const hid_t gcpl = H5Gget_create_plist(from);
    hid_t to = gcpl < 0 ? gcpl : H5Gcreate_anon(copy->to, gcpl, H5P_DEFAULT);
    if (!vz_copy_hdf5(copy, to >= 0) || !finish(copy, from, to, gcpl)) {
        close_id(to);
        to = H5I_INVALID_HID;
    }
    close_id(gcpl);
    return to;
}

/* The copy is a type like it, so not yet committed. */
static hid_t copy_type(vz_copy *copy, hid_t from)
{
    const hid_t tcpl = H5Tget_create_plist(from);
    hid_t to = H5Tcopy(from);
    if (!vz_copy_hdf5(copy, tcpl >= 0 && to >= 0 && H5Tcommit_anon(copy->to, to, tcpl, H5P_DEFAULT) >= 0) ||
        !finish(copy, from, to, tcpl)) {
        close_id(to);
        to = H5I_INVALID_HID;
    }
    close_id(tcpl);
    return to;
}

/* A list read from an HDF5 file asks for times even where the dataset has none: that file has no room for the wish. */
static bool keep_times_only(hid_t from, hid_t dcpl)
{
    H5O_info2_t info;
    return H5Oget_info3(from, &info, H5O_INFO_TIME) >= 0 &&
           (info.ctime != 0 || H5Pset_obj_track_times(dcpl, false) >= 0);
}

static hid_t copy_dataset(vz_copy *copy, hid_t from)
{
    const hid_t given = H5Dget_type(from), space = H5Dget_space(from), dcpl = H5Dget_create_plist(from);
    const hid_t type = given < 0 ? given : H5Tcopy(given);
    hid_t to = type < 0 || space < 0 || dcpl < 0 || !keep_times_only(from, dcpl)
                   ? H5I_INVALID_HID
                   : H5Dcreate_anon(copy->to, type, space, dcpl, H5P_DEFAULT);
    if (!vz_copy_hdf5(copy, to >= 0) || !vz_copy_elements(copy, from, to, type, space, dcpl) ||
        !finish(copy, from, to, dcpl)) {
        close_id(to);
        to = H5I_INVALID_HID;
    }
    close_id(given);
    close_id(type);
    close_id(space);
    close_id(dcpl);
    return to;
}

hid_t vz_copy_node(vz_copy *copy, hid_t from, H5I_type_t type)
{
    const vz_handle *source = zarr_of(from), *target = zarr_of(copy->to);
    if (source && target)
        return copy_zarr(copy, source, target);
    switch (type) {
    case H5I_GROUP:
        return copy_group(copy, from);
    case H5I_DATASET:
        return copy_dataset(copy, from);
    case H5I_DATATYPE:
        return copy_type(copy, from);
    default:
        vz_fail(copy->err, VZ_UNSUPPORTED, "copying an object of type %d", (int)type);
        return H5I_INVALID_HID;
    }
}
