/* file_new.c - a file object for a store that was opened. */
#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include "hierarchy/open/open.h"
#include "hierarchy/edit/ranks.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle.h"
#include "base/os/file.h"
#include <stdlib.h>

/* The user block is the store's own. */
static bool take_creation_list(vz_file *file, hid_t list)
{
    file->fcpl = list;
    return list >= 0 && H5Pset_userblock(list, vz_hierarchy_store(file->hierarchy)->user_block) >= 0;
}

hid_t vz_file_creation_list(vz_file *file, vz_error *err)
{
    if (file->fcpl >= 0)
        return file->fcpl;
    const hid_t list = file->usual_fcpl ? H5Pcopy(H5P_FILE_CREATE_DEFAULT) : H5Pcreate(H5P_FILE_CREATE);
    if (list >= 0 && !file->usual_fcpl)
        vz_annotation_file_show(vz_hierarchy_root(file->hierarchy), list);
    if (take_creation_list(file, list))
        return list;
    vz_fail_hdf5(err);
    return H5I_INVALID_HID;
}

static bool file_lists(vz_file *file, hid_t fcpl, hid_t fapl, vz_error *err)
{
    file->fapl = H5Pcopy(fapl);
    vz_file_mark_drop(file->fapl);
    file->usual_fcpl = fcpl == H5P_FILE_CREATE_DEFAULT;
    if (file->fapl < 0 || H5Pget_fclose_degree(file->fapl, &file->degree) < 0 ||
        (fcpl != H5P_DEFAULT && !file->usual_fcpl && !take_creation_list(file, H5Pcopy(fcpl))))
        return vz_fail_hdf5(err);
    if (file->degree == H5F_CLOSE_DEFAULT)
        /* as native's */
        file->degree = vz_ranks_comm(file->hierarchy) ? H5F_CLOSE_SEMI : H5F_CLOSE_WEAK;
    return H5Pset_fclose_degree(file->fapl, file->degree) >= 0 || vz_fail_hdf5(err);
}

vz_handle *vz_file_new(vz_hierarchy *hierarchy, vz_node *start, const vz_file_open_request *how, vz_error *err)
{
    vz_file *file = calloc(1, sizeof *file);
    if (!file) {
        vz_fail_memory(err);
        vz_node_unref(start);
        vz_close_hierarchy(hierarchy, NULL);
        return NULL;
    }
    *file = (vz_file){.ops = how->ops,
                      .hierarchy = hierarchy,
                      .start = start,
                      .intent = how->intent,
                      .fapl = H5I_INVALID_HID,
                      .shown_fapl = H5I_INVALID_HID,
                      .fcpl = H5I_INVALID_HID};
    vz_file_list(file);
    file->name = strdup(how->name);
    file->whole_name = vz_os_path_absolute_if_known(how->place);
    vz_handle *object = NULL;
    if (!file->name || !file->whole_name)
        vz_fail_memory(err);
    else if (file_lists(file, how->fcpl, how->fapl, err))
        object = vz_handle_open_file(file, err);
    if (object)
        return object;
    const hid_t records = vz_h5_errors_keep(err);
    vz_file_free(file);
    vz_h5_errors_restore(records);
    return NULL;
}
