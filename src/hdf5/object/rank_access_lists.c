/* rank_access_lists.c - the access lists of files that several ranks opened together. */
#include "hdf5/h5/h5.h"
#include "hierarchy/edit/ranks.h"
#include "hdf5/handles/handle.h"
#include "hdf5/object/object.h"

static bool copy_settings(hid_t from, hid_t to)
{
    H5F_close_degree_t degree;
    hbool_t use, ignore;
    size_t size;
    unsigned metadata, raw;
    H5F_flush_cb_t call;
    void *context;
    return H5Pget_fclose_degree(from, &degree) >= 0 && H5Pset_fclose_degree(to, degree) >= 0 &&
           H5Pget_file_locking(from, &use, &ignore) >= 0 && H5Pset_file_locking(to, use, ignore) >= 0 &&
           H5Pget_page_buffer_size(from, &size, &metadata, &raw) >= 0 &&
           H5Pset_page_buffer_size(to, size, metadata, raw) >= 0 &&
           H5Pget_object_flush_cb(from, &call, &context) >= 0 && H5Pset_object_flush_cb(to, call, context) >= 0;
}

hid_t vz_obj_ranks_list_alone(hid_t fapl, vz_error *err)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list >= 0 && copy_settings(fapl, list))
        return list;
    vz_fail_hdf5(err);
    if (list >= 0)
        vz_h5_close_quietly(list);
    return H5I_INVALID_HID;
}

bool vz_obj_ranks_opened(vz_object *object, hid_t fapl, vz_error *err)
{
    vz_file *file = vz_handle_of(object)->file;
    file->shown_fapl = H5Pcopy(fapl);
    vz_file_mark_drop(file->shown_fapl);
    return ((file->shown_fapl >= 0 && H5Pset_fclose_degree(file->shown_fapl, file->degree) >= 0) ||
            vz_fail_hdf5(err)) &&
           vz_ranks_joined(file->hierarchy, err);
}
