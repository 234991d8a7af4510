/* stage.c - choosing how elements are converted, and converting a batch on the caller's thread. */
#include "datasets/stage.h"
#include "datasets/dataset.h"
#include "datasets/transform.h"

#include <stdlib.h>

static bool is_default_list(hid_t dxpl)
{
    return dxpl == H5P_DEFAULT || dxpl == H5P_DATASET_XFER_DEFAULT;
}

/* What of the transfer list concerns conversion; *callback: exceptions are the user's to decide, so H5Tconvert must
 * ask. */
static bool read_transfer_list(vz_stage *stage, hid_t dxpl, bool *callback, vz_error *err)
{
    H5T_conv_except_func_t function = NULL;
    void *data;
    *callback = false;
    if (is_default_list(dxpl))
        return true;
    if (H5Pget_type_conv_cb(dxpl, &function, &data) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the transfer property list");
    *callback = function != NULL;
    stage->transform = vz_transform_is_wished(dxpl);
    return vz_allocator_of(dxpl, &stage->allocator, err);
}

static void *arena_allocate(size_t size, void *info)
{
    return vz_arena_take(info, size, NULL);
}

static void arena_free(void *memory, void *info)
{
    (void)memory, (void)info; /* the arena goes as a whole */
}

/* H5Tconvert allocates variable-length data by the transfer list it is given: ours puts it into the arena. */
static bool make_transfer_list(vz_stage *stage, vz_error *err)
{
    if (!stage->vlen)
        return true;
    stage->dxpl = is_default_list(stage->dxpl) ? H5Pcreate(H5P_DATASET_XFER) : H5Pcopy(stage->dxpl);
    if (stage->dxpl < 0)
        return vz_fail(err, VZ_HDF5, "cannot make a transfer property list");
    stage->own_dxpl = true;
    if (H5Pset_vlen_mem_manager(stage->dxpl, arena_allocate, &stage->arena, arena_free, &stage->arena) < 0)
        return vz_fail(err, VZ_HDF5, "cannot set the memory manager");
    return true;
}

static bool contains_class(hid_t type, H5T_class_t class)
{
    return H5Tdetect_class(type, class) > 0;
}

/* The type to convert from or to; its size. */
static bool choose_form(vz_stage *stage, vz_error *err)
{
    stage->shown = stage->view->shown;
    stage->references = contains_class(stage->shown, H5T_REFERENCE);
    if (stage->references)
        stage->shown = vz_reference_form(stage->view->shown, stage->mem_type, err);
    if (stage->shown < 0) {
        stage->references = false;
        return false;
    }
    stage->shown_size = H5Tget_size(stage->shown);
    return true;
}

/* HDF5 transforms nothing where it has nothing: the fill value of a dataset that has no storage yet is read as it is.
 */
static bool spare_fill(vz_stage *stage, vz_node *node, vz_error *err)
{
    H5D_space_status_t status;
    int64_t when;
    if (!stage->transform ||
        (vz_json_get_int64(vz_json_get(vz_note_get(node, "pl"), "alloc"), &when) && when == H5D_ALLOC_TIME_EARLY))
        return true;
    if (!vz_dataset_space_status(node, &status, err))
        return false;
    stage->transform = status != H5D_SPACE_STATUS_NOT_ALLOCATED;
    return true;
}

bool vz_dataset_is_never_filled(const vz_node *node)
{
    int64_t when;
    return vz_json_get_int64(vz_json_get(vz_note_get(node, "f"), "time"), &when) && when == H5D_FILL_TIME_NEVER;
}

bool vz_stage_open(vz_stage *stage, vz_node *node, hid_t mem_type, hid_t dxpl, const vz_reference_maker *maker,
                   bool reading, vz_error *err)
{
    *stage = (vz_stage){.kind = VZ_STAGE_STAGED,
                        .mem_type = mem_type,
                        .dxpl = dxpl,
                        .hierarchy = node->hierarchy,
                        .maker = maker,
                        .shown = H5I_INVALID_HID};
    stage->view = vz_dataset_view_of(node, err);
    if (!stage->view)
        return false;
    stage->dtype = node->meta->dtype;
    stage->file_size = stage->dtype->size * stage->view->per;
    if (!choose_form(stage, err))
        return false;
    stage->mem_size = H5Tget_size(mem_type);
    if (stage->mem_size == 0)
        return vz_fail(err, VZ_HDF5, "the memory type is no datatype");
    bool callback;
    vz_number memory;
    if (!read_transfer_list(stage, dxpl, &callback, err))
        return false;
    stage->same_type = H5Tequal(stage->shown, mem_type) > 0;
    stage->leave_missing = reading && stage->dtype->kind != VZ_DTYPE_OBJECT && vz_dataset_is_never_filled(node);
    if (reading && !spare_fill(stage, node, err))
        return false;
    if (stage->transform)
        stage->kind = VZ_STAGE_STAGED;
    else if (stage->view->same_bytes && stage->same_type)
        stage->kind = VZ_STAGE_DIRECT;
    else if (!callback && stage->view->is_number && vz_type_number(mem_type, &memory) &&
             vz_conversion_find(reading ? stage->view->number : memory, reading ? memory : stage->view->number,
                                &stage->conversion))
        stage->kind = VZ_STAGE_CONVERT;
    if (stage->kind != VZ_STAGE_STAGED)
        return true;
    stage->vlen = vz_type_has_vlen(mem_type) || vz_type_has_vlen(stage->shown);
    stage->background = !stage->same_type && contains_class(mem_type, H5T_COMPOUND);
    return make_transfer_list(stage, err);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

bool vz_stage_reserve(vz_stage *stage, uint64_t count, vz_error *err)
{
    size_t unit = larger(stage->shown_size, stage->mem_size);
    size_t batch = VZ_STAGE_BYTES / larger(unit, stage->file_size);
    batch = batch ? batch : 1;
    stage->batch = count < batch ? (size_t)count : batch;
    stage->work = malloc(stage->batch * unit);
    stage->elements = stage->view->same_bytes ? stage->work : malloc(stage->batch * stage->file_size);
    if (stage->background)
        stage->behind = calloc(stage->batch, unit);
    if (!stage->work || !stage->elements || (stage->background && !stage->behind))
        return vz_fail_memory(err);
    return true;
}

static bool convert(vz_stage *stage, hid_t from, hid_t to, size_t count, vz_error *err)
{
    if (stage->same_type)
        return true;
    if (H5Tconvert(from, to, count, stage->work, stage->behind, stage->dxpl) < 0)
        return vz_fail(err, VZ_HDF5, "cannot convert between the dataset's and the memory datatype");
    return true;
}

/* The user's elements, in stage->work: read ones after they were converted, those to write before. */
static bool transform(vz_stage *stage, size_t count, vz_error *err)
{
    return !stage->transform || vz_transform_apply(stage->dxpl, stage->mem_type, stage->work, count, err);
}

bool vz_stage_to_memory(vz_stage *stage, size_t count, vz_error *err)
{
    hid_t shown = stage->shown;
    if (!stage->view->same_bytes &&
        !vz_type_unpack(vz_dataset_stored(stage->view), shown, stage->elements, count, stage->work, &stage->arena, err))
        return false;
    if (stage->references && !vz_references_resolve(shown, stage->work, count, stage->hierarchy, stage->maker, err))
        return false;
    return convert(stage, shown, stage->mem_type, count, err) && transform(stage, count, err) &&
           (!stage->vlen || vz_own(stage->mem_type, stage->work, count, &stage->allocator, err));
}

/* The array's present elements, in the shown type, go behind the conversion: members that the user's type lacks stay.
 */
static bool keep_background(vz_stage *stage, size_t count, vz_error *err)
{
    return vz_type_unpack(vz_dataset_stored(stage->view), stage->shown, stage->elements, count, stage->behind,
                          &stage->arena, err);
}

bool vz_stage_to_shown(vz_stage *stage, size_t count, vz_error *err)
{
    if (stage->background && !stage->view->same_bytes && !keep_background(stage, count, err))
        return false;
    return transform(stage, count, err) && convert(stage, stage->mem_type, stage->shown, count, err) &&
           (!stage->references || vz_references_print(stage->shown, stage->work, count, true, stage->hierarchy,
                                                      stage->maker, &stage->arena, err));
}

bool vz_stage_pack(vz_stage *stage, size_t count, vz_error *err)
{
    return stage->view->same_bytes || vz_type_pack(vz_dataset_stored(stage->view), stage->shown, stage->work, count,
                                                   stage->elements, &stage->arena, err);
}

bool vz_stage_grown(vz_stage *stage, vz_node *node, vz_error *err)
{
    stage->view = vz_dataset_view_of(node, err);
    if (!stage->view)
        return false;
    if (!stage->references) /* else it is our own */
        stage->shown = stage->view->shown;
    stage->dtype = node->meta->dtype;
    stage->file_size = stage->dtype->size * stage->view->per;
    uint8_t *elements = malloc(stage->batch * stage->file_size);
    if (!elements)
        return vz_fail_memory(err);
    free(stage->elements);
    stage->elements = elements;
    return true;
}

void vz_stage_next(vz_stage *stage)
{
    vz_arena_clear(&stage->arena);
}

void vz_stage_close(vz_stage *stage)
{
    if (stage->elements != stage->work)
        free(stage->elements);
    free(stage->work);
    free(stage->behind);
    vz_arena_clear(&stage->arena);
    if (stage->own_dxpl)
        H5Pclose(stage->dxpl);
    if (stage->references)
        H5Tclose(stage->shown);
}
