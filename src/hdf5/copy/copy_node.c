/* copy_node.c - one object, without what is below it. A node is copied as such where both sides
 * have nodes of one format, else by its properties, its elements and its attributes. */
#include "hdf5/h5/h5.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/references/committed.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/copy/copy_internal.h"
#include "hdf5/handles/handle.h"
#include "hierarchy/edit/edit.h"
#include <stdlib.h>

/* ---- between stores ---- */

static vz_handle *zarr_of(hid_t id)
{
    vz_object *object = vz_object_of_id(id);
    return object && vz_handle_is_zarr(object) ? vz_handle_of(object) : NULL;
}

/* The present name is a part of the object that is dropped. */
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

typedef enum references { NO_REFERENCES, ARE_REFERENCES, HOLDS_REFERENCES } references;

/* Takes the type. */
static references references_of(hid_t type)
{
    references found = NO_REFERENCES;
    if (type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0)
        found = H5Tget_class(type) == H5T_REFERENCE ? ARE_REFERENCES : HOLDS_REFERENCES;
    if (type >= 0)
        H5Tclose(type);
    return found;
}

static references elements_of(vz_node *node)
{
    vz_error ignored = VZ_ERROR_NONE;
    return node->kind == VZ_NODE_ARRAY && node->meta ? references_of(vz_dataset_type(node, &ignored)) : NO_REFERENCES;
}

/* References to another store's objects lead nowhere here: their data is left out, and reads as
 * null references. */
static hid_t copy_zarr(vz_objcopy *copy, const vz_handle *from, const vz_handle *at)
{
    const bool whole = copy->same_file || elements_of(from->node) == NO_REFERENCES;
    vz_node *made = vz_edit_copy(from->node, at->file->hierarchy, whole, copy->err);
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

static hid_t copy_group(vz_objcopy *copy, hid_t from)
{
    const hid_t gcpl = H5Gget_create_plist(from);
    const hid_t to = gcpl < 0 ? gcpl : H5Gcreate_anon(copy->to, gcpl, H5P_DEFAULT);
    vz_copy_hdf5(copy, to >= 0);
    close_id(gcpl);
    return to;
}

/* The copy is a type like it, so not yet committed. */
static hid_t copy_type(vz_objcopy *copy, hid_t from)
{
    const hid_t tcpl = H5Tget_create_plist(from);
    hid_t to = H5Tcopy(from);
    if (!vz_copy_hdf5(copy, tcpl >= 0 && to >= 0 && H5Tcommit_anon(copy->to, to, tcpl, H5P_DEFAULT) >= 0)) {
        close_id(to);
        to = H5I_INVALID_HID;
    }
    close_id(tcpl);
    return to;
}

/* A list read from an HDF5 file asks for times even where the dataset has none: that file cannot
 * store the request. */
static bool keep_times_only(hid_t from, hid_t dcpl)
{
    H5O_info2_t info;
    return H5Oget_info3(from, &info, H5O_INFO_TIME) >= 0 &&
           (info.ctime != 0 || H5Pset_obj_track_times(dcpl, false) >= 0);
}

/* Type, space and creation list of a dataset; `type` is no committed one. */
typedef struct parts {
    hid_t type, space, dcpl;
} parts;

static bool parts_get(parts *p, vz_objcopy *copy, hid_t dataset)
{
    const hid_t given = H5Dget_type(dataset);
    *p = (parts){given < 0 ? given : H5Tcopy(given), H5Dget_space(dataset), H5Dget_create_plist(dataset)};
    close_id(given);
    return vz_copy_hdf5(copy, p->type >= 0 && p->space >= 0 && p->dcpl >= 0);
}

static void parts_close(const parts *p)
{
    close_id(p->type);
    close_id(p->space);
    close_id(p->dcpl);
}

static hid_t copy_dataset(vz_objcopy *copy, hid_t from)
{
    parts p;
    hid_t to = H5I_INVALID_HID;
    if (parts_get(&p, copy, from)) {
        const hid_t given = H5Dget_type(from), type = vz_copy_type_of(copy, given);
        if (type >= 0 && keep_times_only(from, p.dcpl))
            to = H5Dcreate_anon(copy->to, type, p.space, p.dcpl, H5P_DEFAULT);
        if (to < 0 && copy->err->class == VZ_OK)
            vz_copy_hdf5(copy, false);
        close_id(given);
        close_id(type);
    }
    parts_close(&p);
    return to;
}

static bool copy_comment(vz_objcopy *copy, hid_t from, hid_t to)
{
    const ssize_t length = H5Oget_comment(from, NULL, 0);
    if (length <= 0)
        return vz_copy_hdf5(copy, length == 0);
    char *comment = calloc(1, (size_t)length + 1);
    const bool ok = comment ? vz_copy_hdf5(copy, H5Oget_comment(from, comment, (size_t)length + 1) >= 0 &&
                                                     H5Oset_comment(to, comment) >= 0)
                            : vz_fail_memory(copy->err);
    free(comment);
    return ok;
}

static hid_t copy_properties(vz_objcopy *copy, hid_t from, H5I_type_t type)
{
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

static bool are_copied_whole(const vz_handle *from, const vz_handle *at)
{
    return from && at && from->node->zarr_format == vz_hierarchy_zarr_format(at->file->hierarchy);
}

hid_t vz_copy_node(vz_objcopy *copy, hid_t from, H5I_type_t type)
{
    const vz_handle *source = zarr_of(from), *target = zarr_of(copy->to);
    hid_t merged;
    if (type == H5I_DATATYPE && (!vz_copy_merged_type(copy, from, &merged) || merged >= 0))
        return merged;
    if (are_copied_whole(source, target))
        return copy_zarr(copy, source, target);
    hid_t to = copy_properties(copy, from, type);
    if (to >= 0 && !copy_comment(copy, from, to)) {
        close_id(to);
        to = H5I_INVALID_HID;
    }
    return to;
}

/* ---- elements and attributes ---- */

/* In a store references came along as they are, but HDF5 keeps those in attributes as little
 * within a file as between files. */
static bool mend_attribute(vz_objcopy *copy, hid_t from, hid_t to, const char *name, references what)
{
    if (what == ARE_REFERENCES)
        return vz_copy_expand(copy, from, to, name);
    const hid_t a = H5Aopen(from, name, H5P_DEFAULT), b = H5Aopen(to, name, H5P_DEFAULT);
    const hid_t type = a < 0 ? a : H5Aget_type(a), space = a < 0 ? a : H5Aget_space(a);
    const bool ok =
        vz_copy_hdf5(copy, b >= 0 && type >= 0 && space >= 0) && vz_copy_attribute_value(copy, a, b, type, space);
    close_id(a);
    close_id(b);
    close_id(type);
    close_id(space);
    return ok;
}

static bool mend_attributes(vz_objcopy *copy, hid_t from, hid_t to, vz_node *node)
{
    const char *name;
    bool ok = true;
    for (size_t i = 0; ok && (name = vz_attribute_at(node, i)); i++) {
        hid_t type = H5I_INVALID_HID;
        vz_error ignored = VZ_ERROR_NONE;
        vz_attribute attribute;
        if (vz_attribute_init(&attribute, node, name, &ignored))
            vz_attribute_type(&attribute, &type, &ignored);
        vz_attribute_clear(&attribute);
        const references what = references_of(type);
        if (what == ARE_REFERENCES || (what == HOLDS_REFERENCES && !copy->same_file))
            ok = mend_attribute(copy, from, to, name, what);
    }
    return ok;
}

static bool copy_elements(vz_objcopy *copy, hid_t from, hid_t to)
{
    parts p;
    const bool got = parts_get(&p, copy, from);
    const bool ok =
        got && (H5Tget_class(p.type) == H5T_REFERENCE ? vz_copy_expand(copy, from, to, NULL)
                                                      : vz_objcopy_elements(copy, from, to, p.type, p.space, p.dcpl));
    parts_close(&p);
    return ok;
}

static bool copy_attributes(vz_objcopy *copy, hid_t from, hid_t to, H5I_type_t type)
{
    const hid_t list = type == H5I_GROUP     ? H5Gget_create_plist(from)
                       : type == H5I_DATASET ? H5Dget_create_plist(from)
                                             : H5Tget_create_plist(from);
    const bool ok = vz_copy_hdf5(copy, list >= 0) && vz_objcopy_attributes(copy, from, to, list);
    close_id(list);
    return ok;
}

/* True if the object existed before the copy: a type that others were merged with. */
static bool has_name(hid_t to)
{
    return H5Iget_name(to, NULL, 0) > 0;
}

bool vz_copy_contents(vz_objcopy *copy, hid_t from, hid_t to, H5I_type_t type)
{
    if (type == H5I_DATATYPE && has_name(to))
        return true;
    const vz_handle *source = zarr_of(from), *target = zarr_of(to);
    /* A committed datatype may have attributes that were made with it: only now, as a known
     * copy, can it be met again. */
    const bool nodes = are_copied_whole(source, target);
    if (nodes && !vz_copy_retarget_types(copy, source, target->node))
        return false;
    const bool attributes = !(copy->flags & H5O_COPY_WITHOUT_ATTR_FLAG);
    const bool elements = nodes ? !copy->same_file && elements_of(source->node) : type == H5I_DATASET;
    if (elements && !copy_elements(copy, from, to))
        return false;
    if (!attributes)
        return true;
    return nodes ? mend_attributes(copy, from, to, source->node) : copy_attributes(copy, from, to, type);
}
