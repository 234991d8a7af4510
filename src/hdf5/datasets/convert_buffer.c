/* convert_buffer.c - chooses how elements are converted, and converts a batch on the caller's
 * thread. */
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/datasets/datasets.h"

#include <stdlib.h>

/* Are exceptions of conversions the user's to decide, so that H5Tconvert must ask? */
static bool has_callback(hid_t dxpl)
{
    H5T_conv_except_func_t function = NULL;
    void *data;
    return !vz_type_is_default_list(dxpl) && (H5Pget_type_conv_cb(dxpl, &function, &data) < 0 || function);
}

bool vz_dataset_may_convert_numbers(hid_t dxpl, bool converted)
{
    return vz_type_is_default_list(dxpl) || (!vz_transform_is_set(dxpl) && !(converted && has_callback(dxpl)));
}

/* Reads the settings of the transfer list for these elements: h5py gives a list with each call,
 * mostly an empty one. */
static bool read_transfer_list(vz_dataset_convert_buffer *buffer, hid_t dxpl, vz_error *err)
{
    buffer->transform = vz_transform_is_set(dxpl);
    return !buffer->plan->vlen || vz_allocator_of(dxpl, &buffer->allocator, err);
}

/* The list for H5Tconvert: the plan's, where it is free and the user asks for nothing, else one of
 * our own. */
static bool find_list(vz_dataset_convert_buffer *buffer, vz_error *err)
{
    const hid_t asked = buffer->dxpl;
    if (!buffer->plan->vlen)
        return true;
    buffer->dxpl =
        vz_type_is_default_list(asked) ? vz_element_plan_lend_list(buffer->plan, &buffer->arena, err) : H5I_INVALID_HID;
    if (buffer->dxpl >= 0) {
        buffer->lender = buffer->plan;
        return true;
    }
    buffer->to_arena = &buffer->arena;
    buffer->dxpl = vz_dataset_arena_list(asked, &buffer->to_arena, err);
    buffer->own_dxpl = buffer->dxpl >= 0;
    return buffer->own_dxpl;
}

static void leave_list(vz_dataset_convert_buffer *buffer)
{
    if (buffer->own_dxpl)
        H5Pclose(buffer->dxpl);
    if (buffer->lender)
        vz_element_plan_give_back(buffer->lender);
}

/* HDF5 transforms nothing where it has nothing: the fill value of a dataset that has no storage
 * yet is read as it is. */
static bool spare_fill(vz_dataset_convert_buffer *buffer, vz_node *node, vz_error *err)
{
    H5D_space_status_t status;
    int64_t when;
    if (!buffer->transform ||
        (vz_json_get_int64(vz_json_get(vz_annotation_get(node, "pl"), "alloc"), &when) && when == H5D_ALLOC_TIME_EARLY))
        return true;
    if (!vz_dataset_space_status(node, &status, err))
        return false;
    buffer->transform = status != H5D_SPACE_STATUS_NOT_ALLOCATED;
    return true;
}

/* Takes the plan that the dataset's view keeps; makes it anew when the array got another type. */
static bool take_plan(vz_dataset_convert_buffer *buffer, vz_error *err)
{
    vz_element_plan_release(buffer->plan);
    vz_dataset_view_release(buffer->view);
    buffer->plan = NULL;
    buffer->view = vz_dataset_view_take(buffer->node, err);
    if (!buffer->view)
        return false;
    buffer->plan = vz_element_plan_take(buffer->view, buffer->mem_type, err);
    buffer->dtype = buffer->node->meta->dtype;
    return buffer->plan != NULL;
}

bool vz_dataset_convert_buffer_open(vz_dataset_convert_buffer *buffer, vz_node *node, hid_t mem_type, hid_t dxpl,
                                    const vz_reference_maker *maker, bool reading, bool contiguous, vz_error *err)
{
    *buffer = (vz_dataset_convert_buffer){.kind = VZ_CONVERT_BUFFERED,
                                          .node = node,
                                          .mem_type = mem_type,
                                          .dxpl = dxpl,
                                          .hierarchy = node->hierarchy,
                                          .maker = maker};
    if (!take_plan(buffer, err) || !read_transfer_list(buffer, dxpl, err))
        return false;
    const vz_element_plan *plan = buffer->plan;
    buffer->leave_missing = reading && buffer->dtype->kind != VZ_DTYPE_OBJECT && vz_dataset_is_never_filled(node);
    if (reading && !spare_fill(buffer, node, err))
        return false;
    if (buffer->transform)
        buffer->kind = VZ_CONVERT_BUFFERED;
    else if (buffer->view->same_bytes && plan->same_type)
        buffer->kind = VZ_CONVERT_DIRECT;
    else if (plan->is_number && !has_callback(dxpl))
        buffer->kind = VZ_CONVERT_NUMBERS;
    else if (plan->texts && contiguous && !(reading && buffer->allocator.allocate))
        buffer->kind = VZ_CONVERT_TEXTS;
    if (buffer->kind == VZ_CONVERT_NUMBERS)
        buffer->conversion = reading ? &plan->to_memory : &plan->to_file;
    return buffer->kind != VZ_CONVERT_BUFFERED || find_list(buffer, err);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t unit_of(const vz_dataset_convert_buffer *buffer)
{
    return larger(buffer->plan->shown_size, buffer->plan->mem_size);
}

/* Elements of a batch where there are so many. */
static size_t batch_of(const vz_dataset_convert_buffer *buffer, uint64_t count)
{
    const size_t most = VZ_CONVERT_BUFFER_BYTES / larger(unit_of(buffer), buffer->plan->file_size);
    return count < most ? (size_t)count : most ? most : 1;
}

uint64_t vz_dataset_convert_buffer_bytes(const vz_dataset_convert_buffer *buffer, uint64_t count)
{
    const uint64_t batch = batch_of(buffer, count), unit = unit_of(buffer);
    return batch * unit * (buffer->plan->background ? 2 : 1) +
           (buffer->view->same_bytes ? 0 : batch * buffer->plan->file_size);
}

bool vz_dataset_convert_buffer_reserve(vz_dataset_convert_buffer *buffer, uint64_t count, vz_error *err)
{
    const size_t unit = unit_of(buffer);
    buffer->batch = batch_of(buffer, count);
    buffer->work = malloc(buffer->batch * unit);
    buffer->elements = buffer->view->same_bytes ? buffer->work : malloc(buffer->batch * buffer->plan->file_size);
    if (buffer->plan->background)
        buffer->background = calloc(buffer->batch, unit);
    if (!buffer->work || !buffer->elements || (buffer->plan->background && !buffer->background))
        return vz_fail_memory(err);
    return true;
}

static bool convert(vz_dataset_convert_buffer *buffer, hid_t from, hid_t to, size_t count, vz_error *err)
{
    if (buffer->plan->same_type)
        return true;
    if (H5Tconvert(from, to, count, buffer->work, buffer->background, buffer->dxpl) < 0)
        return vz_fail(err, VZ_HDF5, "cannot convert between the dataset's and the memory datatype");
    return true;
}

/* The user's elements, in buffer->work: read ones after they were converted, those to write
 * before. */
static bool transform(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    return !buffer->transform || vz_transform_apply(buffer->dxpl, buffer->mem_type, buffer->work, count, err);
}

static bool unpack(vz_dataset_convert_buffer *buffer, size_t count, void *out, vz_error *err)
{
    const vz_packing *packing = vz_element_plan_packing(buffer->plan, buffer->view, err);
    return packing && vz_packing_unpack(packing, buffer->elements, count, out, &buffer->arena, err);
}

/* Text in the place of references becomes references. */
static bool resolve(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    if (!buffer->plan->references)
        return true;
    const vz_reference_context references = {buffer->hierarchy, buffer->maker, false, NULL};
    const vz_packing *packing = vz_element_plan_packing(buffer->plan, buffer->view, err);
    return packing && vz_references_resolve(&references, vz_packing_layout(packing), buffer->work, count, err);
}

static bool own(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    if (!buffer->plan->vlen)
        return true;
    const vz_type_tree *layout = vz_element_plan_layout(buffer->plan, err);
    return layout && vz_type_copy_vlen(layout, buffer->work, count, &buffer->allocator, err);
}

bool vz_dataset_convert_buffer_to_memory(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    return (buffer->view->same_bytes || unpack(buffer, count, buffer->work, err)) && resolve(buffer, count, err) &&
           convert(buffer, buffer->plan->shown, buffer->mem_type, count, err) && transform(buffer, count, err) &&
           own(buffer, count, err);
}

/* With background, the array's present elements, in the shown type, go under the conversion:
 * members that the user's type lacks stay. */
bool vz_dataset_convert_buffer_to_shown(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    if (buffer->plan->background && !buffer->view->same_bytes && !unpack(buffer, count, buffer->background, err))
        return false;
    if (!transform(buffer, count, err) || !convert(buffer, buffer->mem_type, buffer->plan->shown, count, err))
        return false;
    if (!buffer->plan->references)
        return true;
    const vz_reference_context references = {buffer->hierarchy, buffer->maker,
                                             vz_writer_of(buffer->hierarchy)->bare_paths, &buffer->arena};
    const vz_packing *packing = vz_element_plan_packing(buffer->plan, buffer->view, err);
    return packing && vz_references_print(&references, vz_packing_layout(packing), buffer->work, count, err);
}

bool vz_dataset_convert_buffer_grow(vz_dataset_convert_buffer *buffer, const void *elements, size_t count,
                                    vz_error *err)
{
    bool grown;
    if (!vz_type_can_grow(buffer->dtype))
        return true;
    const vz_packing *packing = vz_element_plan_packing(buffer->plan, buffer->view, err);
    if (!packing || !vz_dataset_grow(buffer->node, vz_packing_layout(packing), elements, count, &grown, err))
        return false;
    if (!grown)
        return true;
    if (!take_plan(buffer, err))
        return false;
    if (buffer->kind != VZ_CONVERT_BUFFERED)
        return true;
    uint8_t *larger = malloc(buffer->batch * buffer->plan->file_size);
    if (!larger)
        return vz_fail_memory(err);
    free(buffer->elements);
    buffer->elements = larger;
    return true;
}

bool vz_dataset_convert_buffer_pack(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err)
{
    if (buffer->view->same_bytes)
        return true;
    const vz_packing *packing = vz_element_plan_packing(buffer->plan, buffer->view, err);
    return packing && vz_packing_pack(packing, buffer->work, count, buffer->elements, &buffer->arena, err);
}

void vz_dataset_convert_buffer_next(vz_dataset_convert_buffer *buffer)
{
    vz_arena_clear(&buffer->arena);
}

void vz_dataset_convert_buffer_close(vz_dataset_convert_buffer *buffer)
{
    if (buffer->elements != buffer->work)
        free(buffer->elements);
    free(buffer->work);
    free(buffer->background);
    vz_arena_clear(&buffer->arena);
    leave_list(buffer);
    vz_element_plan_release(buffer->plan);
    vz_dataset_view_release(buffer->view);
}
