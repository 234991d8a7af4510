/* handle_close.c - closes a handle, and with the last one its file. HDF5 may drop the last
 * object of a file that could not be written. Such a file is left, without handles, until it can
 * be written. */
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

static void retire_twin(vz_file *file)
{
    if (file->twin_is_live)
        vz_twin_file_retire(&file->twin);
    file->twin_is_live = false;
}

static bool is_last(const vz_file *file)
{
    const vz_file *first = vz_file_next_on(file->hierarchy, NULL);
    return first == file && !vz_file_next_on(file->hierarchy, file);
}

/* Closes a handle that has no id. Data that cannot be written are reported (false) and dropped. */
static bool let_go(vz_handle *handle, vz_error *err)
{
    return vz_handle_close(handle, err) || (vz_handle_close(handle, NULL), false);
}

/* Ends a mount that was taken off the table. */
static bool end_mount(vz_mount_entry *m, vz_error *err)
{
    vz_handle *child = m->child, *above = m->above;
    vz_node_unref(m->point);
    free(m);
    const bool ok = let_go(child, err);
    return let_go(above, ok ? err : NULL) && ok;
}

bool vz_unmount(const vz_node *node, vz_error *err)
{
    vz_mount_entry *m = vz_mount_take(node, err);
    return m && end_mount(m, err);
}

/* They are taken off before the first of their handles is let go. */
static void unmount_all(const vz_file *top)
{
    for (vz_mount_entry *m = vz_mount_take_all(top), *next; m; m = next) {
        next = m->next;
        end_mount(m, NULL);
    }
}

void vz_file_free(vz_file *file)
{
    unmount_all(file);
    vz_twin_file_release(&file->twin);
    if (is_last(file))
        vz_datatypes_drop(file->hierarchy);
    vz_file_unlist(file);
    vz_node_unref(file->start);
    vz_close_hierarchy(file->hierarchy, NULL); /* what it has to write was written before, or is
                                                * given up */
    if (file->fapl >= 0)
        H5Pclose(file->fapl);
    if (file->shown_fapl >= 0)
        H5Pclose(file->shown_fapl);
    if (file->fcpl >= 0)
        H5Pclose(file->fcpl);
    free(file->name);
    free(file->whole_name);
    free(file);
}

static void drop_left(const vz_hierarchy *hierarchy);

bool vz_handle_close(vz_handle *handle, vz_error *err)
{
    vz_file *file = handle->file;
    if (!vz_file_write_before_close(handle, err))
        return false;
    if (file->object == handle) {
        retire_twin(file);
        file->object = NULL;
    }
    vz_file *top = vz_mount_top_on(file);
    vz_handle_free(handle);
    if (--file->refs == 0) {
        const vz_hierarchy *hierarchy = file->hierarchy;
        top = top == file ? NULL : top;
        vz_file_free(file);
        drop_left(hierarchy); /* compared only, where it is gone */
    }
    if (top && !vz_mount_is_used(top))
        unmount_all(top);
    return true;
}

void vz_handle_abandon(vz_handle *handle)
{
    handle->file->refs--;
    vz_handle_free(handle);
}

void vz_handle_drop(vz_handle *handle, const vz_error *err)
{
    const hid_t records = vz_h5_errors_keep(err);
    if (!vz_handle_close(handle, NULL))
        vz_handle_close(handle, NULL); /* nobody else has it to try again: what cannot be written is
                                        * given up */
    vz_h5_errors_restore(records);
}

/* ---- files that are left ---- */

static bool is_left(const vz_file *file)
{
    return file->refs == 0;
}

/* The last file with handles on a store was closed: those that are left have nothing to write
 * any more. */
static void drop_left(const vz_hierarchy *hierarchy)
{
    for (const vz_file *file = vz_file_next_on(hierarchy, NULL); file; file = vz_file_next_on(hierarchy, file))
        if (!is_left(file))
            return;
    for (vz_file *file; (file = vz_file_next_on(hierarchy, NULL));)
        vz_file_free(file);
}

void vz_file_retry_left(const char *truncated)
{
    vz_file *next;
    for (vz_file *file = vz_file_next(NULL); file; file = next) {
        next = vz_file_next(file);
        if (!is_left(file) || vz_file_another_is_open(file))
            continue;
        const bool give_up = truncated && vz_hierarchy_is_at(file->hierarchy, truncated);
        if (vz_flush_finish(file->hierarchy, give_up, NULL) || give_up) {
            drop_left(file->hierarchy);
            next = vz_file_next(NULL); /* several may have gone */
        }
    }
}
