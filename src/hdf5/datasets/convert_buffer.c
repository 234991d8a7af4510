/* convert_buffer.c - choosing how elements are converted, and converting a batch on the caller's thread. */
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
    return !vz_is_default_list(dxpl) && (H5Pget_type_conv_cb(dxpl, &function, &data) < 0 || function);
}

bool vz_list_leaves_numbers(hid_t dxpl, bool converted)
{
    return vz_is_default_list(dxpl) || (!vz_transform_is_wished(dxpl) && !(converted && has_callback(dxpl)));
}

/* What of the transfer list concerns these elements: h5py gives one with each call, mostly one that says nothing. */
static bool read_transfer_list(vz_convert_buffer *stage, hid_t dxpl, vz_error *err)
{
    stage->transform = vz_transform_is_wished(dxpl);
    return !stage->plan->vlen || vz_allocator_of(dxpl, &stage->allocator, err);
}

/* The list for H5Tconvert: the plan's, where it is free and the user has no wishes, else one of our own. */
static bool find_list(vz_convert_buffer *stage, vz_error *err)
{
    const hid_t asked = stage->dxpl;
    if (!stage->plan->vlen)
        return true;
    stage->dxpl =
        vz_is_default_list(asked) ? vz_element_plan_lend_list(stage->plan, &stage->arena, err) : H5I_INVALID_HID;
    if (stage->dxpl >= 0) {
        stage->lender = stage->plan;
        return true;
    }
    stage->to_arena = &stage->arena;
    stage->dxpl = vz_arena_list(asked, &stage->to_arena, err);
    stage->own_dxpl = stage->dxpl >= 0;
    return stage->own_dxpl;
}

static void leave_list(vz_convert_buffer *stage)
{
    if (stage->own_dxpl)
        H5Pclose(stage->dxpl);
    if (stage->lender)
        vz_element_plan_give_back(stage->lender);
}

/* HDF5 transforms nothing where it has nothing: the fill value of a dataset that has no storage yet is read as it is.
 */
static bool spare_fill(vz_convert_buffer *stage, vz_node *node, vz_error *err)
{
    H5D_space_status_t status;
    int64_t when;
    if (!stage->transform ||
        (vz_json_get_int64(vz_json_get(vz_annotation_get(node, "pl"), "alloc"), &when) && when == H5D_ALLOC_TIME_EARLY))
        return true;
    if (!vz_dataset_space_status(node, &status, err))
        return false;
    stage->transform = status != H5D_SPACE_STATUS_NOT_ALLOCATED;
    return true;
}

bool vz_dataset_is_never_filled(const vz_node *node)
{
    int64_t when;
    return vz_json_get_int64(vz_json_get(vz_annotation_get(node, "f"), "time"), &when) && when == H5D_FILL_TIME_NEVER;
}

/* What the dataset's view keeps; again when the array got another type. */
static bool take_plan(vz_convert_buffer *stage, vz_error *err)
{
    vz_element_plan_release(stage->plan);
    vz_dataset_view_release(stage->view);
    stage->plan = NULL;
    stage->view = vz_dataset_view_take(stage->node, err);
    if (!stage->view)
        return false;
    stage->plan = vz_element_plan_take(stage->view, stage->mem_type, err);
    stage->dtype = stage->node->meta->dtype;
    return stage->plan != NULL;
}

bool vz_stage_open(vz_convert_buffer *stage, vz_node *node, hid_t mem_type, hid_t dxpl, const vz_reference_maker *maker,
                   bool reading, bool contiguous, vz_error *err)
{
    *stage = (vz_convert_buffer){.kind = VZ_STAGE_STAGED,
                                 .node = node,
                                 .mem_type = mem_type,
                                 .dxpl = dxpl,
                                 .hierarchy = node->hierarchy,
                                 .maker = maker};
    if (!take_plan(stage, err) || !read_transfer_list(stage, dxpl, err))
        return false;
    const vz_element_plan *plan = stage->plan;
    stage->leave_missing = reading && stage->dtype->kind != VZ_DTYPE_OBJECT && vz_dataset_is_never_filled(node);
    if (reading && !spare_fill(stage, node, err))
        return false;
    if (stage->transform)
        stage->kind = VZ_STAGE_STAGED;
    else if (stage->view->same_bytes && plan->same_type)
        stage->kind = VZ_STAGE_DIRECT;
    else if (plan->is_number && !has_callback(dxpl))
        stage->kind = VZ_STAGE_CONVERT;
    else if (plan->texts && contiguous && !(reading && stage->allocator.allocate))
        stage->kind = VZ_STAGE_TEXTS;
    if (stage->kind == VZ_STAGE_CONVERT)
        stage->conversion = reading ? &plan->to_memory : &plan->to_file;
    return stage->kind != VZ_STAGE_STAGED || find_list(stage, err);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t unit_of(const vz_convert_buffer *stage)
{
    return larger(stage->plan->shown_size, stage->plan->mem_size);
}

/* Elements of a batch where there are so many. */
static size_t batch_of(const vz_convert_buffer *stage, uint64_t count)
{
    const size_t most = VZ_STAGE_BYTES / larger(unit_of(stage), stage->plan->file_size);
    return count < most ? (size_t)count : most ? most : 1;
}

uint64_t vz_stage_bytes(const vz_convert_buffer *stage, uint64_t count)
{
    const uint64_t batch = batch_of(stage, count), unit = unit_of(stage);
    return batch * unit * (stage->plan->background ? 2 : 1) +
           (stage->view->same_bytes ? 0 : batch * stage->plan->file_size);
}

bool vz_stage_reserve(vz_convert_buffer *stage, uint64_t count, vz_error *err)
{
    const size_t unit = unit_of(stage);
    stage->batch = batch_of(stage, count);
    stage->work = malloc(stage->batch * unit);
    stage->elements = stage->view->same_bytes ? stage->work : malloc(stage->batch * stage->plan->file_size);
    if (stage->plan->background)
        stage->behind = calloc(stage->batch, unit);
    if (!stage->work || !stage->elements || (stage->plan->background && !stage->behind))
        return vz_fail_memory(err);
    return true;
}

static bool convert(vz_convert_buffer *stage, hid_t from, hid_t to, size_t count, vz_error *err)
{
    if (stage->plan->same_type)
        return true;
    if (H5Tconvert(from, to, count, stage->work, stage->behind, stage->dxpl) < 0)
        return vz_fail(err, VZ_HDF5, "cannot convert between the dataset's and the memory datatype");
    return true;
}

/* The user's elements, in stage->work: read ones after they were converted, those to write before. */
static bool transform(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    return !stage->transform || vz_transform_apply(stage->dxpl, stage->mem_type, stage->work, count, err);
}

static bool unpack(vz_convert_buffer *stage, size_t count, void *out, vz_error *err)
{
    const vz_packing *packing = vz_element_plan_packing(stage->plan, stage->view, err);
    return packing && vz_packing_unpack(packing, stage->elements, count, out, &stage->arena, err);
}

/* Text in the place of references becomes references. */
static bool resolve(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    if (!stage->plan->references)
        return true;
    const vz_reference_context references = {stage->hierarchy, stage->maker, false, NULL};
    const vz_packing *packing = vz_element_plan_packing(stage->plan, stage->view, err);
    return packing && vz_references_resolve(&references, vz_packing_layout(packing), stage->work, count, err);
}

static bool own(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    if (!stage->plan->vlen)
        return true;
    const vz_type_tree *layout = vz_element_plan_layout(stage->plan, err);
    return layout && vz_own(layout, stage->work, count, &stage->allocator, err);
}

bool vz_stage_to_memory(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    return (stage->view->same_bytes || unpack(stage, count, stage->work, err)) && resolve(stage, count, err) &&
           convert(stage, stage->plan->shown, stage->mem_type, count, err) && transform(stage, count, err) &&
           own(stage, count, err);
}

/* With background, the array's present elements, in the shown type, go behind the conversion: members that the user's
 * type lacks stay. */
bool vz_stage_to_shown(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    if (stage->plan->background && !stage->view->same_bytes && !unpack(stage, count, stage->behind, err))
        return false;
    if (!transform(stage, count, err) || !convert(stage, stage->mem_type, stage->plan->shown, count, err))
        return false;
    if (!stage->plan->references)
        return true;
    const vz_reference_context references = {stage->hierarchy, stage->maker, vz_writer_of(stage->hierarchy)->bare_paths,
                                             &stage->arena};
    const vz_packing *packing = vz_element_plan_packing(stage->plan, stage->view, err);
    return packing && vz_references_print(&references, vz_packing_layout(packing), stage->work, count, err);
}

bool vz_stage_grow(vz_convert_buffer *stage, const void *elements, size_t count, vz_error *err)
{
    bool grown;
    if (!vz_type_can_grow(stage->dtype))
        return true;
    const vz_packing *packing = vz_element_plan_packing(stage->plan, stage->view, err);
    if (!packing || !vz_dataset_grow(stage->node, vz_packing_layout(packing), elements, count, &grown, err))
        return false;
    if (!grown)
        return true;
    if (!take_plan(stage, err))
        return false;
    if (stage->kind != VZ_STAGE_STAGED)
        return true;
    uint8_t *larger = malloc(stage->batch * stage->plan->file_size);
    if (!larger)
        return vz_fail_memory(err);
    free(stage->elements);
    stage->elements = larger;
    return true;
}

bool vz_stage_pack(vz_convert_buffer *stage, size_t count, vz_error *err)
{
    if (stage->view->same_bytes)
        return true;
    const vz_packing *packing = vz_element_plan_packing(stage->plan, stage->view, err);
    return packing && vz_packing_pack(packing, stage->work, count, stage->elements, &stage->arena, err);
}

void vz_stage_next(vz_convert_buffer *stage)
{
    vz_arena_clear(&stage->arena);
}

void vz_stage_close(vz_convert_buffer *stage)
{
    if (stage->elements != stage->work)
        free(stage->elements);
    free(stage->work);
    free(stage->behind);
    vz_arena_clear(&stage->arena);
    leave_list(stage);
    vz_element_plan_release(stage->plan);
    vz_dataset_view_release(stage->view);
}
