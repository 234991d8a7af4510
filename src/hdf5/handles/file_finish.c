/* file_finish.c - what is to be written before a file, or the last object of a closed one, goes. */
#include "hierarchy/writeback/writeback.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/file.h"
#include "hdf5/attributes/attributes.h"
#include <stdio.h>

/* Reports on stderr, for failures that no call can return. */
static void report(const vz_error *err, const char *consequence)
{
    char text[1200];
    fprintf(stderr, "vol-zarr: %s; %s\n", vz_error_message(err, text, sizeof text), consequence);
}

static void report_loss(const vz_error *err)
{
    report(err, "what was not written is lost");
}

void vz_file_report_left(const vz_error *err)
{
    report(err, "it is tried again when the store is opened again, or the process ends");
}

bool vz_file_write_before_close(vz_handle *handle, vz_error *err)
{
    vz_file *file = handle->file;
    vz_hierarchy *hierarchy = file->hierarchy;
    if (handle->object.type != H5I_FILE && file->refs > 1)
        return true;
    if (!(file->intent & H5F_ACC_RDWR) || file->is_written)
        return true;
    const bool at_exit = vz_native_is_closing();
    const bool give_up = at_exit || (file->gave_up && file->gave_up_at == vz_hierarchy_changes(hierarchy));
    vz_error failed = VZ_ERROR_NONE;
    file->gave_up = !(vz_file_another_is_open(file) ? vz_flush_write(hierarchy, &failed)
                                                    : vz_flush_finish(hierarchy, give_up, &failed));
    file->gave_up_at = vz_hierarchy_changes(hierarchy);
    if (!file->gave_up)
        return true;
    vz_error_where(&failed, file->name, NULL);
    if (at_exit)
        report_loss(&failed);
    else if (!give_up && err)
        *err = failed;
    return give_up;
}

void vz_file_close_at_exit(void)
{
    for (vz_file *file = vz_file_next(NULL); file; file = vz_file_next(file)) {
        vz_error failed = VZ_ERROR_NONE;
        if (!file->gave_up || vz_flush_finish(file->hierarchy, true, &failed))
            continue;
        vz_error_where(&failed, file->name, NULL);
        report_loss(&failed);
    }
    vz_attribute_types_close();
}
