/* object_ops.c - objects of any type. */
#include "hierarchy/writeback/writeback.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/committed.h"
#include "hdf5/copy/copy.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/committed_type.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/reference.h"
#include <stdlib.h>

vz_object *vz_obj_open(vz_object *obj, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl, vz_error *err)
{
    vz_handle *from = vz_handle_of(obj);
    vz_locate_result reached = {.wants_path = true};
    vz_locate_external there;
    vz_node *node = vz_locate_as(from, loc, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, from, &reached.out, loc, err)
                   ? VZ_THERE(&there, object_open, there.root, &there.loc, opened_type, dxpl, err)
                   : NULL;
    vz_handle *handle = node->kind == VZ_NODE_ARRAY  ? vz_obj_dataset_handle(from->file, node, H5P_DEFAULT, err)
                        : vz_committed_is_type(node) ? vz_datatype_handle(from->file, node, err)
                                                     : vz_handle_open(from->file, H5I_GROUP, node, err);
    *opened_type = vz_handle_node_id_type(node);
    vz_node_unref(node);
    return vz_opened_give(handle, &reached.opened) ? &handle->object : NULL;
}

herr_t vz_obj_copy(const vz_object_ends *ends, vz_error *err)
{
    /* The locations are always the objects themselves. */
    return vz_copy_object(ends->src, ends->src_name, ends->dst, ends->dst_name, ends->ocpypl, ends->lcpl, err);
}

static bool get_name(const vz_handle *handle, vz_node *node, bool is_self, H5VL_object_get_args_t *args, vz_error *err)
{
    if (is_self && (handle->opened.hidden || handle->opened.user)) {
        vz_handle_copy_text(handle->opened.hidden ? "" : handle->opened.user, args->args.get_name.buf,
                            args->args.get_name.buf_size, args->args.get_name.name_len);
        return true;
    }
    char *path = vz_handle_path(handle->file, node, err);
    if (path)
        vz_handle_copy_text(path, args->args.get_name.buf, args->args.get_name.buf_size, args->args.get_name.name_len);
    free(path);
    return path != NULL;
}

static bool get(const vz_handle *handle, vz_node *node, bool is_self, H5VL_object_get_args_t *args, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_OBJECT_GET_FILE:
        return vz_obj_file_answer(handle->file, args->args.get_file.file, err);
    case H5VL_OBJECT_GET_NAME:
        return get_name(handle, node, is_self, args, err);
    case H5VL_OBJECT_GET_TYPE:
        if (args->args.get_type.obj_type)
            *args->args.get_type.obj_type = vz_handle_object_type(node);
        return true;
    case H5VL_OBJECT_GET_INFO:
        return vz_handle_object_info(node, args->args.get_info.fields, args->args.get_info.oinfo, err);
    }
    return vz_fail(err, VZ_UNSUPPORTED, "object information %d", (int)args->op_type);
}

herr_t vz_obj_get(vz_object *obj, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *handle = vz_handle_of(obj);
    vz_locate_result reached = {0};
    vz_locate_external there;
    vz_node *node = vz_locate_as(handle, loc, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, handle, &reached.out, loc, err)
                   ? VZ_THERE(&there, object_get, there.root, &there.loc, args, dxpl, err)
                   : -1;
    const bool ok = get(handle, node, loc->type == H5VL_OBJECT_BY_SELF, args, err);
    vz_node_unref(node);
    return vz_handle_status(ok);
}

/* By name, through a soft link. */
static bool dangles(const vz_handle *handle, const vz_loc *loc)
{
    return loc->type == H5VL_OBJECT_BY_NAME &&
           vz_locate_dangles(handle, loc->loc_data.loc_by_name.name, loc->loc_data.loc_by_name.lapl_id);
}

/* An external link that leads nowhere is no failure. */
static bool exists_there(const vz_handle *handle, vz_locate_exit *out, const vz_loc *loc,
                         H5VL_object_specific_args_t *args, hid_t dxpl)
{
    vz_locate_external there;
    vz_error absent = VZ_ERROR_NONE;
    if (!vz_locate_external_by_loc(&there, handle, out, loc, &absent) ||
        VZ_THERE(&there, object_specific, there.root, &there.loc, args, dxpl, &absent) < 0)
        *args->args.exists.exists = false;
    return true;
}

/* False is for links that lead nowhere; a link that is not there is a failure, as in native. */
static bool exists(const vz_handle *handle, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                   vz_error *err)
{
    vz_error absent = VZ_ERROR_NONE;
    vz_locate_result reached = {0};
    vz_node *node = vz_locate_as(handle, loc, &reached, &absent);
    if (reached.out.group)
        return exists_there(handle, &reached.out, loc, args, dxpl);
    *args->args.exists.exists = node != NULL;
    if (node)
        vz_node_unref(node);
    if (node || (absent.class == VZ_NOT_FOUND && dangles(handle, loc)))
        return true;
    *err = absent;
    return false;
}

static bool change(const vz_handle *handle, vz_node *node, H5VL_object_specific_args_t *args, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_OBJECT_CHANGE_REF_COUNT:
        return vz_handle_check_write(handle, err) && vz_handle_change_count(node, args->args.change_rc.delta, err);
    case H5VL_OBJECT_LOOKUP:
        return vz_handle_reference_lookup(node, args->args.lookup.token_ptr, err);
    case H5VL_OBJECT_FLUSH:
        return vz_obj_handle_flush(handle, args->args.flush.obj_id, err);
    case H5VL_OBJECT_REFRESH:
        return vz_handle_refreshed(node, vz_merge_refresh(node, err));
    default:
        return vz_fail(err, VZ_UNSUPPORTED, "object operation %d", (int)args->op_type);
    }
}

herr_t vz_obj_specific(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *handle = vz_handle_of(obj);
    const bool visits = args->op_type == H5VL_OBJECT_VISIT;
    vz_locate_result reached = {.wants_path = visits};
    vz_locate_external there;
    if (args->op_type == H5VL_OBJECT_EXISTS)
        return vz_handle_status(exists(handle, loc, args, dxpl, err));
    vz_node *node = vz_locate_as(handle, loc, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, handle, &reached.out, loc, err)
                   ? VZ_THERE(&there, object_specific, there.root, &there.loc, args, dxpl, err)
                   : -1;
    const herr_t status = visits ? vz_visit_objects(handle->file, node, &reached.opened, &args->args.visit, err)
                                 : vz_handle_status(change(handle, node, args, err));
    vz_opened_clear(&reached.opened);
    vz_node_unref(node);
    return status;
}

static bool get_comment(const vz_node *node, const H5VL_native_object_get_comment_t *args, vz_error *err)
{
    char *comment = vz_comment(node, err);
    if (!comment)
        return false;
    if (args->comment_len)
        *args->comment_len = strlen(comment);
    if (args->buf && args->buf_size)
        strncpy(args->buf, comment, args->buf_size); /* as HDF5: h5dump and h5ls leave no room for a
                                                      * NUL */
    free(comment);
    return true;
}

/* The setting of one handle holds for all handles of the object. */
static vz_handle *keeper(const vz_node *node)
{
    for (vz_handle *handle = vz_handles_first(); handle; handle = handle->next)
        if (handle->node == node && handle->keep_cached)
            return handle;
    return NULL;
}

/* Twice is refused, as in HDF5. */
static bool keep_cached(vz_handle *handle, bool keep, vz_error *err)
{
    vz_handle *teller = keeper(handle->node);
    if ((teller != NULL) == keep)
        return vz_fail(err, VZ_INVALID, "metadata flushes are %s already", keep ? "disabled" : "enabled");
    (keep ? handle : teller)->keep_cached = keep;
    return true;
}

static bool optional(vz_handle *handle, vz_node *node, int op, H5VL_native_object_optional_args_t *args, vz_error *err)
{
    switch (op) {
    case H5VL_NATIVE_OBJECT_GET_COMMENT:
        return get_comment(node, &args->get_comment, err);
    case H5VL_NATIVE_OBJECT_SET_COMMENT:
        return vz_handle_check_write(handle, err) && vz_comment_set(node, args->set_comment.comment, err);
    case H5VL_NATIVE_OBJECT_DISABLE_MDC_FLUSHES:
    case H5VL_NATIVE_OBJECT_ENABLE_MDC_FLUSHES:
        return keep_cached(handle, op == H5VL_NATIVE_OBJECT_DISABLE_MDC_FLUSHES, err);
    case H5VL_NATIVE_OBJECT_ARE_MDC_FLUSHES_DISABLED:
        *args->are_mdc_flushes_disabled.flag = keeper(handle->node) != NULL;
        return true;
    case H5VL_NATIVE_OBJECT_GET_NATIVE_INFO: /* sizes of headers and indexes, which a store does not
                                              * have */
        memset(args->get_native_info.ninfo, 0, sizeof *args->get_native_info.ninfo);
        return true;
    default:
        return vz_fail(err, VZ_UNSUPPORTED, "native object operation %d", op);
    }
}

herr_t vz_obj_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_handle *handle = vz_handle_of(obj);
    vz_locate_result reached = {0};
    vz_locate_external there;
    vz_node *node = vz_locate_as(handle, loc, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, handle, &reached.out, loc, err)
                   ? VZ_THERE(&there, object_optional, there.root, &there.loc, args, dxpl, err)
                   : -1;
    const bool ok = optional(handle, node, args->op_type, args->args, err);
    vz_node_unref(node);
    return vz_handle_status(ok);
}
