/* handle.c - opening and closing what HDF5 holds pointers to. */
#include "object/handle.h"
#include "h5/errors.h"
#include "map/committed.h"
#include "map/file_settings.h"
#include "object/datatype.h"
#include "object/file.h"
#include "object/mount.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

H5I_type_t vz_node_id_type(const vz_node *node)
{
    return node->kind == VZ_NODE_ARRAY ? H5I_DATASET : vz_is_committed(node) ? H5I_DATATYPE : H5I_GROUP;
}

static vz_handle *open_handles;

vz_handle *vz_handles_first(void)
{
    return open_handles;
}

static void list_handle(vz_handle *handle)
{
    handle->next = open_handles;
    if (open_handles)
        open_handles->previous = handle;
    open_handles = handle;
}

static void unlist_handle(vz_handle *handle)
{
    if (handle->next)
        handle->next->previous = handle->previous;
    if (handle->previous)
        handle->previous->next = handle->next;
    else
        open_handles = handle->next;
}

vz_handle *vz_handle_open(vz_file *file, H5I_type_t type, vz_node *node, vz_error *err)
{
    vz_handle *handle = calloc(1, sizeof *handle);
    if (!handle) {
        vz_fail_memory(err);
        return NULL;
    }
    handle->object = (vz_object){&vz_zarr_ops, type};
    handle->file = vz_mount_file_of(file, node);
    handle->node = node;
    handle->dapl = H5I_INVALID_HID;
    handle->file->refs++;
    vz_node_ref(node);
    list_handle(handle);
    return handle;
}

vz_handle *vz_handle_open_file(vz_file *file, vz_error *err)
{
    vz_opened root = {0};
    vz_handle *handle = vz_opened_root(&root, err) ? vz_handle_open(file, H5I_FILE, file->start, err) : NULL;
    if (handle)
        file->object = handle;
    return vz_opened_give(handle, &root);
}

static void retire_twin(vz_file *file)
{
    if (file->twin_is_live)
        vz_file_twin_retire(&file->twin);
    file->twin_is_live = false;
}

bool vz_file_renew_twin(vz_file *file, vz_error *err)
{
    if (file->twin_is_live || !vz_gateway_is_on())
        return true;
    vz_file_twin_release(&file->twin);
    file->twin_is_live = vz_file_twin_open(&file->twin, file, err);
    return file->twin_is_live;
}

static vz_file *open_files;

static void list_file(vz_file *file)
{
    file->next = open_files;
    open_files = file;
}

static void unlist_file(vz_file *file)
{
    for (vz_file **at = &open_files; *at; at = &(*at)->next)
        if (*at == file) {
            *at = file->next;
            return;
        }
}

vz_file *vz_file_next(const vz_file *after)
{
    return after ? after->next : open_files;
}

vz_file *vz_file_next_on(const vz_hierarchy *hierarchy, const vz_file *after)
{
    vz_file *file = vz_file_next(after);
    while (file && file->hierarchy != hierarchy)
        file = file->next;
    return file;
}

static bool is_last(const vz_file *file)
{
    const vz_file *first = vz_file_next_on(file->hierarchy, NULL);
    return first == file && !vz_file_next_on(file->hierarchy, file);
}

void vz_file_free(vz_file *file)
{
    vz_mounts_drop(file);
    vz_file_twin_release(&file->twin);
    if (is_last(file))
        vz_datatypes_drop(file->hierarchy);
    unlist_file(file);
    vz_node_unref(file->start);
    vz_hierarchy_close(file->hierarchy, NULL); /* what it has to write was written before, or is given up */
    if (file->fapl >= 0)
        H5Pclose(file->fapl);
    if (file->fcpl >= 0)
        H5Pclose(file->fcpl);
    free(file->name);
    free(file->whole_name);
    free(file);
}

/* The library may look at the object while its twin goes, so it has none by then. */
static void close_type_twin(vz_handle *handle)
{
    void *twin = handle->type_twin;
    handle->type_twin = NULL;
    vz_type_twin_close(twin);
}

static void handle_free(vz_handle *handle)
{
    close_type_twin(handle);
    unlist_handle(handle);
    vz_opened_clear(&handle->opened);
    vz_attribute_clear(&handle->attribute);
    vz_node_unref(handle->node);
    if (handle->dapl >= 0)
        H5Pclose(handle->dapl);
    free(handle);
}

bool vz_handle_close(vz_handle *handle, vz_error *err)
{
    vz_file *file = handle->file;
    if (!vz_file_write_before_close(handle, err))
        return false;
    if (file->object == handle) {
        retire_twin(file);
        file->object = NULL;
    }
    handle_free(handle);
    if (--file->refs == 0) {
        const vz_hierarchy *hierarchy = file->hierarchy;
        vz_file_free(file);
        vz_files_drop_left(hierarchy); /* compared only, where it is gone */
    }
    return true;
}

void vz_handle_leave(vz_handle *handle)
{
    handle->file->refs--;
    handle_free(handle);
}

hid_t vz_handle_id_open(vz_file *file, vz_node *node, vz_error *err)
{
    return vz_handle_id_open_as(file, node, &(vz_opened){0}, err);
}

hid_t vz_handle_id_open_as(vz_file *file, vz_node *node, vz_opened *opened, vz_error *err)
{
    vz_handle *handle = vz_is_committed(node) ? vz_datatype_handle(file, node, err)
                                              : vz_handle_open(file, vz_node_id_type(node), node, err);
    if (!vz_opened_give(handle, opened))
        return H5I_INVALID_HID;
    const hid_t id = vz_object_register(&handle->object, err);
    if (id < 0)
        vz_handle_drop(handle, err);
    return id;
}

void vz_handle_drop(vz_handle *handle, const vz_error *err)
{
    const hid_t records = vz_h5_errors_keep(err);
    if (!vz_handle_close(handle, NULL))
        vz_handle_close(handle, NULL); /* nobody else has it to try again: what cannot be written is given up */
    vz_h5_errors_restore(records);
}

static bool file_lists(vz_file *file, hid_t fcpl, hid_t fapl, vz_error *err)
{
    file->fapl = H5Pcopy(fapl);
    file->fcpl = fcpl == H5P_DEFAULT ? H5Pcreate(H5P_FILE_CREATE) : H5Pcopy(fcpl);
    if (fcpl == H5P_DEFAULT && file->fcpl >= 0)
        vz_file_settings_show(vz_hierarchy_root(file->hierarchy), file->fcpl);
    if (file->fapl < 0 || file->fcpl < 0 || H5Pget_fclose_degree(file->fapl, &file->degree) < 0)
        return vz_fail_hdf5(err);
    if (file->degree == H5F_CLOSE_DEFAULT)
        file->degree = H5F_CLOSE_WEAK;
    return H5Pset_fclose_degree(file->fapl, file->degree) >= 0 || vz_fail_hdf5(err);
}

static char *whole_name(const char *name)
{
    char directory[PATH_MAX], *whole = NULL;
    if (*name == '/' || !getcwd(directory, sizeof directory))
        return strdup(name);
    return asprintf(&whole, "%s/%s", directory, name) < 0 ? NULL : whole;
}

vz_handle *vz_file_new(vz_hierarchy *hierarchy, vz_node *start, const char *name, unsigned intent, hid_t fcpl,
                       hid_t fapl, vz_error *err)
{
    vz_file *file = calloc(1, sizeof *file);
    if (!file) {
        vz_fail_memory(err);
        vz_node_unref(start);
        vz_hierarchy_close(hierarchy, NULL);
        return NULL;
    }
    *file = (vz_file){.hierarchy = hierarchy, .start = start, .intent = intent, .fapl = -1, .fcpl = -1};
    list_file(file);
    file->name = strdup(name);
    file->whole_name = whole_name(name);
    vz_handle *object = NULL;
    if (!file->name || !file->whole_name)
        vz_fail_memory(err);
    else if (file_lists(file, fcpl, fapl, err))
        object = vz_handle_open_file(file, err);
    if (object)
        return object;
    const hid_t records = vz_h5_errors_keep(err);
    vz_file_free(file);
    vz_h5_errors_restore(records);
    return NULL;
}

bool vz_handle_check_write(const vz_handle *handle, vz_error *err)
{
    if (handle->file->intent & H5F_ACC_RDWR)
        return true;
    vz_error_where(err, handle->file->name, NULL);
    return vz_fail(err, VZ_READ_ONLY, "no write intent on file: it was opened read-only");
}

void vz_text_out(const char *text, char *buffer, size_t size, size_t *length)
{
    const size_t whole = strlen(text);
    if (length)
        *length = whole;
    if (!buffer || size == 0)
        return;
    const size_t copied = whole < size ? whole : size - 1;
    memcpy(buffer, text, copied);
    buffer[copied] = '\0';
}
