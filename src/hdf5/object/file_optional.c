/* file_optional.c - the native file's own operations: those that make sense for a store are
 * answered, those about bytes of a file are refused. */
#include "hierarchy/writeback/writeback.h"
#include "hdf5/handles/file.h"
#include "hdf5/object/object_internal.h"

typedef H5VL_native_file_optional_args_t file_args;

static void cache_size(const H5VL_native_file_get_mdc_size_t *out)
{
    if (out->max_size)
        *out->max_size = 0;
    if (out->min_clean_size)
        *out->min_clean_size = 0;
    if (out->cur_size)
        *out->cur_size = 0;
    if (out->cur_num_entries)
        *out->cur_num_entries = 0;
}

/* Bytes under a prefix of the store. */
static bool tree_size(vz_store *store, const char *prefix, unsigned depth, uint64_t *total, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > 2 * VZ_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "directories nested too deep");
    if (!vz_store_list(store, prefix, &entries, &count, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        vz_buffer key = {0};
        vz_stamp stamp = {0};
        ok = vz_buffer_printf(&key, err, "%s%s%s", prefix, *prefix ? "/" : "", entries[i].name) &&
             vz_buffer_append(&key, "", 1, err);
        if (ok && entries[i].is_prefix)
            ok = tree_size(store, (const char *)key.data, depth + 1, total, err);
        else if (ok) {
            ok = vz_store_stat(store, (const char *)key.data, &stamp, err);
            *total += stamp.exists ? stamp.size : 0;
        }
        vz_buffer_clear(&key);
    }
    vz_entries_free(entries, count);
    return ok;
}

/* Of the file that the store is, or of all that is in a directory. */
static bool file_size(const vz_file *file, hsize_t *size, vz_error *err)
{
    vz_store *store = vz_hierarchy_store(file->hierarchy);
    uint64_t total = 0, unused;
    const bool ok = vz_store_unused(store, &total, &unused) || tree_size(store, "", 0, &total, err);
    *size = total;
    return ok;
}

/* As of the sec2 driver: a pointer to the descriptor, here of the store's directory or file. */
static bool descriptor(vz_file *file, void **handle, vz_error *err)
{
    const int *of_store = vz_hierarchy_store(file->hierarchy)->descriptor;
    if (vz_hierarchy_store(file->hierarchy)->handle) {
        *handle = vz_hierarchy_store(file->hierarchy)->handle;
        return true;
    }
    if (!of_store)
        return vz_fail(err, VZ_UNSUPPORTED, "a descriptor of a store that is no directory or file");
    file->vfd.descriptor = *of_store;
    *handle = &file->vfd;
    return true;
}

/* All that was written is in it. */
static bool image(const vz_file *file, const H5VL_native_file_get_file_image_t *args, vz_error *err)
{
    vz_store *store = vz_hierarchy_store(file->hierarchy);
    uint64_t size;
    if (!store->class->image)
        return vz_fail(err, VZ_UNSUPPORTED, "an image of a store that is no file");
    if ((file->intent & H5F_ACC_RDWR) && !(vz_flush_store(file->hierarchy, false, err) && vz_store_commit(store, err)))
        return false;
    if (!store->class->image(store, args->buf, args->buf_size, &size, err))
        return false;
    if (args->image_len)
        *args->image_len = (size_t)size;
    return true;
}

bool vz_obj_file_optional_known(int op)
{
    switch (op) {
    case H5VL_NATIVE_FILE_CLEAR_ELINK_CACHE:
    case H5VL_NATIVE_FILE_GET_FILE_IMAGE:
    case H5VL_NATIVE_FILE_GET_FREE_SECTIONS:
    case H5VL_NATIVE_FILE_GET_FREE_SPACE:
    case H5VL_NATIVE_FILE_GET_INFO:
    case H5VL_NATIVE_FILE_GET_MDC_CONF:
    case H5VL_NATIVE_FILE_GET_MDC_HR:
    case H5VL_NATIVE_FILE_GET_MDC_SIZE:
    case H5VL_NATIVE_FILE_GET_SIZE:
    case H5VL_NATIVE_FILE_GET_VFD_HANDLE:
    case H5VL_NATIVE_FILE_RESET_MDC_HIT_RATE:
    case H5VL_NATIVE_FILE_START_SWMR_WRITE:
    case H5VL_NATIVE_FILE_SET_MDC_CONFIG:
    case H5VL_NATIVE_FILE_GET_MDC_LOGGING_STATUS:
    case H5VL_NATIVE_FILE_FORMAT_CONVERT:
    case H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO:
    case H5VL_NATIVE_FILE_GET_METADATA_READ_RETRY_INFO:
    case H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS:
    case H5VL_NATIVE_FILE_GET_MIN_DSET_OHDR_FLAG:
    case H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG:
        return true;
    default:
        return false;
    }
}

/* The answers that cannot fail. */
static void answer(vz_file *file, int op, file_args *args)
{
    switch (op) {
    case H5VL_NATIVE_FILE_GET_FREE_SECTIONS:
        if (args->get_free_sections.sect_count)
            *args->get_free_sections.sect_count = 0;
        break;
    case H5VL_NATIVE_FILE_GET_FREE_SPACE:
        *args->get_freespace.size = 0;
        break;
    case H5VL_NATIVE_FILE_GET_INFO:
        memset(args->get_info.finfo, 0, sizeof *args->get_info.finfo);
        break;
    case H5VL_NATIVE_FILE_GET_MDC_HR:
        *args->get_mdc_hit_rate.hit_rate = 0.0;
        break;
    case H5VL_NATIVE_FILE_GET_MDC_SIZE:
        cache_size(&args->get_mdc_size);
        break;
    case H5VL_NATIVE_FILE_GET_MDC_LOGGING_STATUS:
        if (args->get_mdc_logging_status.is_enabled)
            *args->get_mdc_logging_status.is_enabled = false;
        if (args->get_mdc_logging_status.is_currently_logging)
            *args->get_mdc_logging_status.is_currently_logging = false;
        break;
    case H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO:
        if (args->get_mdc_image_info.addr)
            *args->get_mdc_image_info.addr = HADDR_UNDEF;
        if (args->get_mdc_image_info.len)
            *args->get_mdc_image_info.len = 0;
        break;
    case H5VL_NATIVE_FILE_GET_METADATA_READ_RETRY_INFO: /* documents are replaced whole: nothing is
                                                         * read twice */
        memset(args->get_metadata_read_retry_info.info, 0, sizeof *args->get_metadata_read_retry_info.info);
        break;
    case H5VL_NATIVE_FILE_GET_MIN_DSET_OHDR_FLAG:
        *args->get_min_dset_ohdr_flag.minimize = file->minimize_headers;
        break;
    case H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG:
        file->minimize_headers = args->set_min_dset_ohdr_flag.minimize;
        break;
    default:
        break; /* accepted, without effect */
    }
}

herr_t vz_obj_file_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_file *file = vz_handle_of(obj)->file;
    file_args *native = args->args;
    if (args->op_type == H5VL_NATIVE_FILE_POST_OPEN) /* there is nothing to do; vol-async above us
                                                      * calls it unasked */
        return 0;
    if (!vz_obj_file_optional_known(args->op_type))
        return vz_handle_status(
            vz_fail(err, VZ_UNSUPPORTED, "a Zarr store is no HDF5 file: native file operation %d", args->op_type));
    if (args->op_type == H5VL_NATIVE_FILE_GET_SIZE)
        return vz_handle_status(file_size(file, native->get_size.size, err));
    if (args->op_type == H5VL_NATIVE_FILE_GET_VFD_HANDLE)
        return vz_handle_status(descriptor(file, native->get_vfd_handle.file_handle, err));
    if (args->op_type == H5VL_NATIVE_FILE_GET_FILE_IMAGE)
        return vz_handle_status(image(file, &native->get_file_image, err));
    if (args->op_type == H5VL_NATIVE_FILE_START_SWMR_WRITE)
        return vz_handle_status(vz_file_start_swmr(file, err));
    /* The metadata cache that we do not have is described by the access list. */
    if (args->op_type == H5VL_NATIVE_FILE_GET_MDC_CONF)
        return vz_handle_status(H5Pget_mdc_config(file->fapl, native->get_mdc_config.config) >= 0 || vz_fail_hdf5(err));
    if (args->op_type == H5VL_NATIVE_FILE_SET_MDC_CONFIG)
        return vz_handle_status(H5Pset_mdc_config(file->fapl, (H5AC_cache_config_t *)native->set_mdc_config.config) >=
                                    0 ||
                                vz_fail_hdf5(err));
    answer(file, args->op_type, native);
    return 0;
}
