/* element_plan.c - the conversion between elements of a dataset and a memory type. */
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/types/types.h"
#include "hdf5/references/references.h"
#include <stdlib.h>

static bool contains_class(hid_t type, H5T_class_t class)
{
    return H5Tdetect_class(type, class) > 0;
}

/* The type to convert from or to; its size. */
static bool choose_form(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err)
{
    plan->references = contains_class(view->shown, H5T_REFERENCE);
    plan->shown = plan->references ? vz_reference_form(view->shown, plan->mem_type, err) : view->shown;
    if (plan->shown < 0)
        return false;
    plan->shown_size = H5Tget_size(plan->shown);
    return true;
}

static void find_conversions(vz_element_plan *plan, const vz_dataset_view *view)
{
    vz_number_format memory;
    plan->is_number = view->is_number && vz_type_number(plan->mem_type, &memory) &&
                      vz_conversion_find(view->number, memory, &plan->to_memory) &&
                      vz_conversion_find(memory, view->number, &plan->to_file);
}

static bool are_texts(const vz_element_plan *plan, const vz_dtype *dtype)
{
    return plan->same_type && dtype->kind == VZ_DTYPE_OBJECT &&
           (dtype->object == VZ_OBJECT_TEXT || dtype->object == VZ_OBJECT_BYTES) &&
           H5Tget_class(plan->mem_type) == H5T_STRING && H5Tis_variable_str(plan->mem_type) > 0;
}

static bool work_out(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err)
{
    plan->mem_size = H5Tget_size(plan->mem_type);
    if (plan->mem_size == 0)
        return vz_fail(err, VZ_HDF5, "the memory type is no datatype");
    if (!choose_form(plan, view, err))
        return false;
    plan->file_size = view->of->size * view->per;
    plan->same_type = H5Tequal(plan->shown, plan->mem_type) > 0;
    plan->texts = are_texts(plan, view->of);
    find_conversions(plan, view);
    plan->vlen = vz_type_has_vlen(plan->mem_type) || vz_type_has_vlen(plan->shown);
    plan->background = !plan->same_type && contains_class(plan->mem_type, H5T_COMPOUND);
    return true;
}

/* Both are numbers of HDF5's own, or the memory type is the very one that is shown: all is known
 * without a copy. False: it is not so. */
static bool work_out_numbers(vz_element_plan *plan, const vz_dataset_view *view, hid_t mem_type)
{
    vz_number_format memory;
    const bool standard = vz_standard_number(mem_type, &memory);
    if (!view->standard || (!standard && H5Tequal(view->shown, mem_type) <= 0))
        return false;
    if (!standard)
        memory = view->number;
    plan->lent = true;
    plan->mem_type = standard ? mem_type : view->shown;
    plan->shown = view->shown;
    plan->file_size = plan->shown_size = view->number.size;
    plan->mem_size = memory.size;
    plan->same_type = vz_number_equal(memory, view->number);
    plan->is_number = !plan->same_type && vz_conversion_find(view->number, memory, &plan->to_memory) &&
                      vz_conversion_find(memory, view->number, &plan->to_file);
    return true;
}

static vz_element_plan *plan_new(const vz_dataset_view *view, hid_t mem_type, vz_error *err)
{
    vz_element_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_type_counted.plans++;
    plan->users = 1;
    plan->shown = plan->list = H5I_INVALID_HID;
    if (work_out_numbers(plan, view, mem_type))
        return plan;
    plan->mem_type = H5Tcopy(mem_type);
    if ((plan->mem_type >= 0 || vz_fail(err, VZ_HDF5, "the memory type is no datatype")) && work_out(plan, view, err))
        return plan;
    vz_element_plan_release(plan);
    return NULL;
}

/* The last one asked for comes first. */
static void put_first(vz_dataset_view *view, size_t index, vz_element_plan *plan)
{
    memmove(view->plans + 1, view->plans, index * sizeof *view->plans);
    view->plans[0] = plan;
}

vz_element_plan *vz_element_plan_take(vz_dataset_view *view, hid_t mem_type, vz_error *err)
{
    size_t last = 0;
    for (; last < VZ_ELEMENT_PLANS && view->plans[last]; last++) {
        vz_element_plan *plan = view->plans[last];
        if (!(plan->lent && plan->mem_type == mem_type) && H5Tequal(plan->mem_type, mem_type) <= 0)
            continue;
        put_first(view, last, plan);
        plan->users++;
        return plan;
    }
    vz_element_plan *plan = plan_new(view, mem_type, err);
    if (!plan)
        return NULL;
    if (last == VZ_ELEMENT_PLANS)
        vz_element_plan_release(view->plans[--last]);
    put_first(view, last, plan);
    plan->users++;
    return plan;
}

void vz_element_plan_release(vz_element_plan *plan)
{
    if (!plan || --plan->users > 0)
        return;
    vz_packing_free(plan->packing);
    vz_type_tree_free(plan->layout);
    if (plan->references && plan->shown >= 0)
        H5Tclose(plan->shown);
    if (plan->mem_type >= 0 && !plan->lent)
        H5Tclose(plan->mem_type);
    if (plan->list >= 0)
        H5Pclose(plan->list);
    free(plan);
}

const vz_packing *vz_element_plan_packing(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err)
{
    if (!plan->packing)
        plan->packing = vz_packing_new(vz_dataset_stored(view), plan->shown, err);
    return plan->packing;
}

const vz_type_tree *vz_element_plan_layout(vz_element_plan *plan, vz_error *err)
{
    if (!plan->layout)
        plan->layout = vz_type_tree_new(plan->mem_type, err);
    return plan->layout;
}

/* ---- transfer lists ---- */

static void *arena_allocate(size_t size, void *info)
{
    vz_arena *const *arena = info;
    return vz_arena_alloc(*arena, size, NULL);
}

static void arena_free(void *memory, void *info)
{
    (void)memory, (void)info; /* the arena goes as a whole */
}

hid_t vz_dataset_arena_list(hid_t dxpl, vz_arena **arena, vz_error *err)
{
    const hid_t list = vz_type_is_default_list(dxpl) ? H5Pcreate(H5P_DATASET_XFER) : H5Pcopy(dxpl);
    if (list < 0)
        vz_fail(err, VZ_HDF5, "cannot make a transfer property list");
    else if (H5Pset_vlen_mem_manager(list, arena_allocate, arena, arena_free, arena) >= 0)
        return list;
    else
        vz_fail(err, VZ_HDF5, "cannot set the memory manager");
    if (list >= 0)
        vz_h5_close_quietly(list);
    return H5I_INVALID_HID;
}

hid_t vz_element_plan_lend_list(vz_element_plan *plan, vz_arena *arena, vz_error *err)
{
    if (plan->arena)
        return H5I_INVALID_HID;
    if (plan->list < 0)
        plan->list = vz_dataset_arena_list(H5P_DEFAULT, &plan->arena, err);
    if (plan->list >= 0) {
        plan->arena = arena;
        plan->users++;
    }
    return plan->list;
}

void vz_element_plan_give_back(vz_element_plan *plan)
{
    plan->arena = NULL;
    vz_element_plan_release(plan);
}
