/* datatype_ops.c - committed datatypes: commit, open, facts. */
#include "hierarchy/writeback/writeback.h"
#include "hdf5/handles/committed_type.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/committed.h"
#include "hdf5/handles/locate.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/handle.h"
#include <stdlib.h>

/* ---- commit and open ---- */

/* Predefined types cannot be committed. HDF5 shows that a type is read-only only by refusing a
 * change: here to what it is. */
static bool is_immutable(hid_t type)
{
    herr_t status = 0;
    char *tag;
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
    case H5T_TIME:
    case H5T_REFERENCE:
        status = H5Tset_order(type, H5Tget_order(type));
        break;
    case H5T_STRING:
        status = H5Tset_cset(type, H5Tget_cset(type));
        break;
    case H5T_OPAQUE:
        tag = H5Tget_tag(type);
        status = tag ? H5Tset_tag(type, tag) : 0;
        H5free_memory(tag);
        break;
    default:
        break;
    }
    return status < 0;
}

static bool may_commit(hid_t type, vz_error *err)
{
    return is_immutable(type) ? vz_fail(err, VZ_INVALID, "a datatype that cannot be changed cannot be committed")
                              : vz_datatype_is_complete(type, err);
}

vz_object *vz_obj_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                  vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj), *handle = NULL;
    vz_place place;
    vz_locate_external there;
    if (!vz_handle_check_list(with->apl, H5P_DATATYPE_ACCESS, err) || !may_commit(with->type, err))
        return NULL;
    if (!vz_obj_place_of_new(&place, from, name, with, err))
        return vz_locate_external_to_create(&there, from, &place.out, with, err)
                   ? VZ_THERE(&there, datatype_commit, there.root, &there.self, there.path, &there.with, err)
                   : NULL;
    vz_node *node = vz_committed_new(vz_place_hierarchy(&place, from), with->type, with->cpl, err);
    if (node)
        handle = vz_datatype_handle_of(from->file, node, with->type, err);
    if (handle && place.group && !vz_place_link(&place, node, err)) {
        vz_handle_drop(handle, err);
        handle = NULL;
    }
    if (node)
        vz_node_unref(node);
    if (handle)
        vz_opened_give(handle, &place.opened);
    vz_place_clear(&place);
    return handle ? &handle->object : NULL;
}

vz_object *vz_obj_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl,
                                vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj), *handle = NULL;
    vz_locate_result reached = {.wants_path = true};
    vz_locate_external there;
    vz_node *node = vz_handle_check_list(tapl, H5P_DATATYPE_ACCESS, err)
                        ? vz_locate_path_as(from, name, tapl, &reached, err)
                        : NULL;
    if (!node)
        return vz_locate_external_by_name(&there, from, &reached.out, tapl, err)
                   ? VZ_THERE(&there, datatype_open, there.root, &there.self, there.path, there.list, dxpl, err)
                   : NULL;
    if (vz_committed_is_type(node))
        handle = vz_datatype_handle(from->file, node, err);
    else
        vz_fail(err, VZ_INVALID, "\"%s\" is not a named datatype", name);
    vz_node_unref(node);
    return vz_opened_give(handle, &reached.opened) ? &handle->object : NULL;
}

/* ---- facts ---- */

/* HDF5's own description of the type: its size where buf is NULL. */
static bool encode(const vz_handle *handle, void *buf, size_t *size, vz_error *err)
{
    const hid_t type = vz_committed_type(handle->node, err);
    if (type < 0)
        return false;
    const bool ok = H5Tencode(type, buf, size) >= 0 || vz_fail_hdf5(err);
    vz_h5_close_quietly(type);
    return ok;
}

static bool get_binary(const vz_handle *handle, const H5VL_datatype_get_args_t *args, vz_error *err)
{
    size_t size = args->args.get_binary.buf_size;
    return encode(handle, args->args.get_binary.buf, &size, err) &&
           (size <= args->args.get_binary.buf_size || vz_fail(err, VZ_INVALID, "no room for %zu bytes", size));
}

static bool get_tcpl(const vz_handle *handle, hid_t *tcpl, vz_error *err)
{
    *tcpl = vz_committed_tcpl(handle->node, err);
    return *tcpl >= 0;
}

herr_t vz_obj_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(type);
    switch (args->op_type) {
    case H5VL_DATATYPE_GET_BINARY_SIZE:
        *args->args.get_binary_size.size = 0;
        return vz_handle_status(encode(handle, NULL, args->args.get_binary_size.size, err));
    case H5VL_DATATYPE_GET_BINARY:
        return vz_handle_status(get_binary(handle, args, err));
    case H5VL_DATATYPE_GET_TCPL:
        return vz_handle_status(get_tcpl(handle, &args->args.get_tcpl.tcpl_id, err));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "datatype information %d", (int)args->op_type));
}

herr_t vz_obj_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(type);
    switch (args->op_type) {
    case H5VL_DATATYPE_FLUSH:
        return vz_handle_status(vz_obj_handle_flush(handle, args->args.flush.type_id, err));
    case H5VL_DATATYPE_REFRESH:
        return vz_handle_status(vz_merge_refresh(handle->node, err));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "datatype operation %d", (int)args->op_type));
}

herr_t vz_obj_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)type, (void)dxpl;
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "native datatype operation %d", args->op_type));
}
