/* file_specific.c - H5Freopen, flushing, closing: what is done with a file that is open. */
#include "hdf5/object/object_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/handles/file.h"

static bool reopen(const vz_file *file, void **result, vz_error *err)
{
    vz_hierarchy_ref(file->hierarchy);
    vz_node_ref(file->start);
    const vz_file_open_request how = {.ops = file->ops,
                                      .name = file->name,
                                      .place = file->whole_name,
                                      .intent = file->intent,
                                      .fcpl = file->usual_fcpl  ? H5P_FILE_CREATE_DEFAULT
                                              : file->fcpl >= 0 ? file->fcpl
                                                                : H5P_DEFAULT,
                                      .fapl = file->fapl};
    vz_handle *second = vz_file_new(file->hierarchy, file->start, &how, err);
    *result = second;
    if (second && (file->shown_fapl < 0 || vz_obj_ranks_opened(&second->object, file->shown_fapl, err)))
        return true;
    *result = NULL;
    if (!second)
        return false;
    vz_handle_drop(second, err);
    return false;
}

/* An object that comes from the native side is looked up among the twins. */
static bool is_equal(const vz_file *file, const void *other, hbool_t *same)
{
    const vz_file *owner = other ? vz_twin_file_owner(other) : NULL;
    *same = owner && owner->hierarchy == file->hierarchy;
    return true;
}

static bool flush(vz_file *file, vz_error *err)
{
    if (!(file->intent & H5F_ACC_RDWR))
        return true;
    if (!vz_hierarchy_check_flush(file->hierarchy, err) ||
        !vz_flush_store(file->hierarchy, vz_hierarchy_options(file->hierarchy)->sync, err))
        return false;
    file->gave_up = false;
    return true;
}

herr_t vz_obj_file_specific(vz_object *obj, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_file *file = vz_handle_of(obj)->file;
    switch (args->op_type) {
    case H5VL_FILE_FLUSH:
        return vz_handle_status(flush(file, err));
    case H5VL_FILE_REOPEN:
        return vz_handle_status(reopen(file, args->args.reopen.file, err));
    case H5VL_FILE_IS_EQUAL:
        return vz_handle_status(is_equal(file, args->args.is_equal.obj2, args->args.is_equal.same_file));
    case H5VL_FILE_IS_ACCESSIBLE:
    case H5VL_FILE_DELETE:
        break; /* without an object: src/hdf5/vol */
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "file operation %d", (int)args->op_type));
}

herr_t vz_obj_file_close(vz_object *obj, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_handle *handle = vz_handle_of(obj);
    vz_file *file = handle->file;
    const vz_mount_count open = vz_mount_count_open(file);
    const bool in_use = open.files == 1 && open.objects > 0; /* another file of a mount tree keeps
                                                              * the objects open */
    if (file->degree == H5F_CLOSE_SEMI && in_use)
        return vz_handle_status(vz_fail(err, VZ_BUSY, "can't close file, there are objects still open"));
    if (file->degree == H5F_CLOSE_STRONG && in_use && !vz_mount_each(vz_mount_top(file), vz_file_close_objects, err))
        return -1;
    return vz_handle_status(vz_handle_close(handle, err));
}
