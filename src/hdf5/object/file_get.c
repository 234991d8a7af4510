/* file_get.c - facts about a file. */
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/locate.h"

enum { TOKEN_SIZE = 8, BLOB_ID_SIZE = 8 };

static bool container_info(H5VL_file_cont_info_t *info, vz_error *err)
{
    if (info->version != H5VL_CONTAINER_INFO_VERSION)
        return vz_fail(err, VZ_UNSUPPORTED, "container info of version %u", info->version);
    info->feature_flags = 0;
    info->token_size = TOKEN_SIZE; /* 8 exactly: an old object reference has no room for more */
    info->blob_id_size = BLOB_ID_SIZE;
    return true;
}

static bool copy_list(hid_t list, hid_t *copy, vz_error *err)
{
    *copy = H5Pcopy(list);
    return *copy >= 0 || vz_fail_hdf5(err);
}

static bool show_creation_list(vz_file *file, hid_t *copy, vz_error *err)
{
    const hid_t list = vz_file_creation_list(file, err);
    return list >= 0 && copy_list(list, copy, err);
}

/* After asking an object for its file, HDF5 compares the answer with get_object of all ids of
 * files, and wraps it if none is equal. Where no native file stands for any of them, the objects
 * themselves do for that. Not of a thread: a connector over this one may ask in a thread of its
 * own (vol-async), and HDF5 compares in the program's. All this happens under HDF5's lock. */
static const void *answered;
static bool compares;

bool vz_obj_file_is_compared(const vz_object *object)
{
    if (!compares)
        return false;
    compares = object != answered;
    return true;
}

bool vz_obj_file_was_answered(const void *object)
{
    const bool is_it = compares && object == answered;
    compares = false;
    return is_it;
}

bool vz_obj_file_answer(vz_file *file, void **answer, vz_error *err)
{
    compares = false;
    if (vz_gateway_is_made()) {
        if (!vz_file_renew_twin(file, err))
            return false;
        *answer = vz_twin_file_get(&file->twin);
        return true;
    }
    vz_handle *object = file->object ? file->object : vz_handle_open_file(file, err);
    *answer = object;
    answered = object;
    compares = object && vz_gateway_is_on();
    return object != NULL;
}

herr_t vz_obj_file_get(vz_object *obj, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    return vz_obj_file_query(vz_handle_of(obj)->file, args, err);
}

herr_t vz_obj_file_query(vz_file *file, H5VL_file_get_args_t *args, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_FILE_GET_CONT_INFO:
        return vz_handle_status(container_info(args->args.get_cont_info.info, err));
    case H5VL_FILE_GET_FAPL:
        return vz_handle_status(
            copy_list(file->shown_fapl >= 0 ? file->shown_fapl : file->fapl, &args->args.get_fapl.fapl_id, err));
    case H5VL_FILE_GET_FCPL:
        return vz_handle_status(show_creation_list(file, &args->args.get_fcpl.fcpl_id, err));
    case H5VL_FILE_GET_FILENO:
        *args->args.get_fileno.fileno = (unsigned long)vz_hierarchy_fileno(file->hierarchy);
        return 0;
    case H5VL_FILE_GET_INTENT:
        *args->args.get_intent.flags = file->intent;
        return 0;
    case H5VL_FILE_GET_NAME:
        vz_handle_copy_text(file->name, args->args.get_name.buf, args->args.get_name.buf_size,
                            args->args.get_name.file_name_len);
        return 0;
    case H5VL_FILE_GET_OBJ_COUNT:
        return vz_handle_status(
            vz_file_ids(file, args->args.get_obj_count.types, NULL, 0, args->args.get_obj_count.count));
    case H5VL_FILE_GET_OBJ_IDS:
        return vz_handle_status(vz_file_ids(file, args->args.get_obj_ids.types, args->args.get_obj_ids.oid_list,
                                            args->args.get_obj_ids.max_objs, args->args.get_obj_ids.count));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "file information %d", (int)args->op_type));
}
