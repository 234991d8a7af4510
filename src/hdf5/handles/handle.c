/* handle.c - what HDF5 holds pointers to: made, listed, freed. handle_close.c closes it. */
#include "hdf5/handles/handle.h"
#include "hdf5/references/committed.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include <stdlib.h>

H5I_type_t vz_handle_node_id_type(const vz_node *node)
{
    return node->kind == VZ_NODE_ARRAY ? H5I_DATASET : vz_committed_is_type(node) ? H5I_DATATYPE : H5I_GROUP;
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
    handle->object = (vz_object){file->ops, type};
    handle->file = vz_mount_file_of(file, node);
    handle->node = node;
    handle->dapl = H5I_INVALID_HID;
    handle->file->refs++;
    vz_node_ref(node);
    list_handle(handle);
    return handle;
}

void vz_handle_take_place(vz_handle *into, vz_handle *from)
{
    unlist_handle(from);
    *into = *from;
    into->next = into->previous = NULL;
    list_handle(into);
    free(from);
}

/* The library may look at the object while its twin goes, so it has none by then. */
static void close_type_twin(vz_handle *handle)
{
    void *twin = handle->type_twin;
    handle->type_twin = NULL;
    vz_twin_type_close(twin);
}

/* Settings that hold for all handles of an object last while the object is open. An attribute
 * does not keep it open. */
static void pass_on(const vz_handle *handle)
{
    for (vz_handle *other = handle->keep_cached ? vz_handles_first() : NULL; other; other = other->next)
        if (other->node == handle->node && other->object.type != H5I_ATTR) {
            other->keep_cached = true;
            return;
        }
}

void vz_handle_free(vz_handle *handle)
{
    close_type_twin(handle);
    unlist_handle(handle);
    pass_on(handle);
    vz_opened_clear(&handle->opened);
    vz_attribute_clear(&handle->attribute);
    vz_node_unref(handle->node);
    if (handle->dapl >= 0)
        H5Pclose(handle->dapl);
    if (handle->linked > 0)
        vz_h5_close_quietly(handle->linked);
    free(handle);
}

vz_handle *vz_handle_open_file(vz_file *file, vz_error *err)
{
    vz_opened root = {0};
    vz_handle *handle = vz_opened_root(&root, err) ? vz_handle_open(file, H5I_FILE, file->start, err) : NULL;
    if (handle)
        file->object = handle;
    return vz_opened_give(handle, &root);
}

bool vz_file_renew_twin(vz_file *file, vz_error *err)
{
    static bool renewing; /* who fails closes what there is of it, and meets this file again */
    if (file->twin_is_live || !vz_gateway_is_on())
        return true;
    if (renewing)
        return false;
    renewing = true;
    vz_twin_file_release(&file->twin);
    file->twin_is_live = vz_twin_file_open(&file->twin, file, err);
    renewing = false;
    return file->twin_is_live;
}

static vz_file *open_files;

void vz_file_list(vz_file *file)
{
    file->next = open_files;
    open_files = file;
}

void vz_file_unlist(vz_file *file)
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

bool vz_file_another_is_open(const vz_file *file)
{
    for (const vz_file *other = vz_file_next_on(file->hierarchy, NULL); other;
         other = vz_file_next_on(file->hierarchy, other))
        if (other != file && other->object)
            return true;
    return false;
}

bool vz_handle_check_write(const vz_handle *handle, vz_error *err)
{
    /* A mounted file stands for the whole tree, which begins with another one. */
    const vz_file *file = handle->object.type == H5I_FILE ? vz_mount_top(handle->file) : handle->file;
    if (file->intent & H5F_ACC_RDWR)
        return true;
    vz_error_set(err, VZ_READ_ONLY,
                 "no write intent on file: it was opened read-only (mode \"r+\" opens it for writing)");
    vz_error_where(err, file->name, NULL);
    return false;
}

void vz_handle_copy_text(const char *text, char *buffer, size_t size, size_t *length)
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
