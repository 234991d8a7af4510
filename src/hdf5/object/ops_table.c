/* ops_table.c - the "zarr" table of operations, and how the library looks at these objects from
 * the native side. */
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/locate.h"
#include "hdf5/h5/h5.h"
#include "hdf5/object/object.h"
#include <errno.h>

/* Keeps the errno and the error records of a failing call. */
static void make_twin(vz_file *file)
{
    const int errno_before = errno;
    const hid_t records = H5Eget_current_stack();
    VZ_H5_QUIETLY(vz_file_renew_twin(file, NULL));
    vz_h5_errors_restore(records);
    errno = errno_before;
}

/* A file whose id is being closed gets no twin any more. */
static void *file_stand_in(const vz_handle *handle)
{
    vz_file *file = handle->file;
    if (vz_obj_file_is_compared(&handle->object))
        return (void *)handle;
    if (file->object == handle && !file->twin_is_live)
        make_twin(file);
    void *native = vz_twin_file_get(&file->twin);
    return native ? native : vz_gateway_stand_in(H5I_FILE);
}

/* The library looks inside every open id, also one that is just closing. */
static void *native_stand_in(const vz_object *object)
{
    if (!vz_gateway_is_on())
        return NULL;
    if (object->type == H5I_FILE)
        return file_stand_in((const vz_handle *)object);
    if (object->type == H5I_DATATYPE && ((const vz_handle *)object)->type_twin)
        return ((const vz_handle *)object)->type_twin;
    return vz_gateway_stand_in(object->type);
}

static const H5VL_class_t *terminal_class(vz_object *object)
{
    (void)object;
    return vz_gateway_is_on() ? vz_native_class() : NULL;
}

/* The only native object that legitimately comes back is a file's twin: its id was closed and is
 * asked for again. Without gateway it is the file object that vz_obj_file_answer made. */
static void *wrap(vz_wrap_context *context, void *native, H5I_type_t type)
{
    (void)context;
    if (type != H5I_FILE)
        return vz_locate_external_wrap(native, type);
    if (!vz_gateway_is_on() || vz_obj_file_was_answered(native))
        return native;
    vz_file *file = vz_twin_file_owner(native);
    return file ? vz_handle_open_file(file, NULL) : NULL;
}

static void context_free(vz_wrap_context *context)
{
    (void)context;
}

/* Nothing about the object at hand is needed, so one context serves all. */
static vz_wrap_context *wrap_context(const vz_object *object)
{
    static vz_wrap_context context = {wrap, context_free};
    (void)object;
    return &context;
}

const vz_ops vz_obj_zarr_ops = {
    .kind = VZ_OPS_ZARR,
    .attr_create = vz_attr_create,
    .attr_open = vz_attr_open,
    .attr_read = vz_attr_read,
    .attr_write = vz_attr_write,
    .attr_get = vz_attr_get,
    .attr_specific = vz_attr_specific,
    .attr_optional = vz_attr_optional,
    .attr_close = vz_obj_close,
    .dataset_create = vz_obj_dataset_new,
    .dataset_open = vz_obj_dataset_open,
    .datasets_move = vz_obj_datasets_move,
    .datasets_start = vz_obj_datasets_start,
    .dataset_get = vz_obj_dataset_get,
    .dataset_specific = vz_obj_dataset_specific,
    .dataset_optional = vz_obj_dataset_optional,
    .dataset_close = vz_obj_dataset_close,
    .datatype_commit = vz_obj_datatype_commit,
    .datatype_open = vz_obj_datatype_open,
    .datatype_get = vz_obj_datatype_get,
    .datatype_specific = vz_obj_datatype_specific,
    .datatype_optional = vz_obj_datatype_optional,
    .datatype_close = vz_obj_close,
    .file_get = vz_obj_file_get,
    .file_specific = vz_obj_file_specific,
    .file_optional = vz_obj_file_optional,
    .file_close = vz_obj_file_close,
    .group_create = vz_obj_group_create,
    .group_open = vz_obj_group_open,
    .group_get = vz_obj_group_get,
    .group_specific = vz_obj_group_specific,
    .group_optional = vz_obj_group_optional,
    .group_close = vz_obj_close,
    .link_create = vz_obj_link_create,
    .link_copy = vz_obj_link_copy_across,
    .link_move = vz_obj_link_move_across,
    .link_get = vz_obj_link_get,
    .link_specific = vz_obj_link_specific,
    .link_optional = vz_obj_link_optional,
    .object_open = vz_obj_open,
    .object_copy = vz_obj_copy,
    .object_get = vz_obj_get,
    .object_specific = vz_obj_specific,
    .object_optional = vz_obj_optional,
    .opt_query = vz_opt_query,
    .terminal_class = terminal_class,
    .get_object = native_stand_in,
    .wrap_context = wrap_context,
    .token_cmp = vz_obj_token_cmp,
    .token_to_str = vz_obj_token_to_str,
    .token_from_str = vz_obj_token_from_str,
    .blob_put = vz_blob_put,
    .blob_get = vz_blob_get,
    .blob_specific = vz_blob_specific,
};
