/* fill_value.c - fill values. */
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/creation_internal.h"
#include "hdf5/types/types.h"

#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"

#include <stdlib.h>

/* ---- creating ---- */

static uint64_t elements_of(const vz_dialect_plan *plan)
{
    uint64_t count = 1;
    for (unsigned a = 0; a < plan->axes; a++)
        count *= plan->axis[a]; /* all of them together are elements of one datatype, which fits
                                 * into memory */
    return count;
}

static void reclaim(hid_t type, void *value, vz_error *err)
{
    hid_t kept = vz_h5_errors_keep(err), one = H5Screate(H5S_SCALAR);
    H5Treclaim(type, one, H5P_DEFAULT, value);
    H5Sclose(one);
    vz_h5_errors_restore(kept);
}

/* Text members of the width that the value needs. */
static bool fit(vz_dialect_plan *plan, hid_t type, const void *value, vz_error *err)
{
    vz_dtype *grown = NULL;
    if (!vz_type_can_grow(plan->dtype) || plan->dtype->kind == VZ_DTYPE_OBJECT)
        return true;
    vz_type_tree *layout = vz_type_tree_new(type, err);
    const bool ok = layout && vz_type_widen(plan->dtype, layout, value, 1, true, &grown, err);
    vz_type_tree_free(layout);
    if (grown) {
        vz_dtype_free(plan->dtype);
        plan->dtype = grown;
    }
    return ok;
}

/* The value as elements of the plan's dtype: one, or as many as the array type has. */
static uint8_t *pack(const vz_dialect_plan *plan, hid_t type, const void *value, vz_arena *arena, vz_error *err)
{
    uint64_t size;
    if (!vz_mul(elements_of(plan), plan->dtype->size, &size) || size > SIZE_MAX - sizeof(vz_item)) {
        vz_fail(err, VZ_LIMIT, "the fill value is too large");
        return NULL;
    }
    uint8_t *packed = calloc(1, (size_t)size + sizeof(vz_item));
    if (!packed)
        vz_fail_memory(err);
    else if (vz_type_same_bytes_as(plan->dtype, type))
        memcpy(packed, value, size);
    else if (!vz_type_pack(plan->row ? plan->row : plan->dtype, type, value, 1, packed, arena, err)) {
        free(packed);
        return NULL;
    }
    return packed;
}

static bool equal_elements(const vz_dialect_plan *plan, const uint8_t *packed)
{
    const size_t size = plan->dtype->size;
    const uint64_t count = elements_of(plan);
    for (uint64_t i = 1; i < count; i++) {
        vz_item a, b;
        if (plan->dtype->kind != VZ_DTYPE_OBJECT) {
            if (memcmp(packed, packed + i * size, size) != 0)
                return false;
            continue;
        }
        memcpy(&a, packed, sizeof a);
        memcpy(&b, packed + i * size, sizeof b);
        if (a.size != b.size || (a.size && memcmp(a.data, b.data, (size_t)a.size) != 0))
            return false;
    }
    return true;
}

/* A plan for the whole type as one element, where an array has one fill value for all. Where parts
 * of an array type are of variable length the fill value would be a string of bytes. One of its
 * elements can be one, too, and nothing would distinguish the two. A compound with text is a
 * structure, also in the hdmf dialect. */
static bool plan_whole(vz_dialect_plan *plan, hid_t type, bool scalar, vz_error *err)
{
    vz_dialect_plan whole = {.null = plan->null,
                             .writer = vz_writer_for(VZ_DIALECT_PLAIN, vz_zarr_format_of(plan->writer->format))};
    if (!vz_dialect_plan_make(&whole, type, scalar, err))
        return false;
    if (whole.dtype->kind == VZ_DTYPE_OBJECT) {
        vz_dialect_plan_clear(&whole);
        return vz_fail(err, VZ_UNSUPPORTED, "a fill value of an array datatype with different sequences in it");
    }
    vz_dialect_plan_clear(plan);
    *plan = whole;
    return true;
}

/* Is it the fill value that writers of object arrays store when they mean none? */
static bool is_zero_value(vz_item item)
{
    static const char *const zeros[] = {"0", "0.0", "null", "false", "\"\""};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (item.size == strlen(zeros[i]) && memcmp(item.data, zeros[i], (size_t)item.size) == 0)
            return true;
    return false;
}

/* The zeros of a row's members are one value, 0. */
static void unite_zeros(const vz_dialect_plan *plan, uint8_t *packed)
{
    static const vz_item zero = {(const uint8_t *)"0", 1};
    const uint64_t count = plan->row ? elements_of(plan) : 0;
    for (uint64_t i = 0; i < count; i++) {
        vz_item item;
        memcpy(&item, packed + i * sizeof item, sizeof item);
        if (is_zero_value(item))
            memcpy(packed + i * sizeof item, &zero, sizeof zero);
    }
}

static bool pack_user_value(vz_dataset_fill *fill, hid_t type, const void *value, bool scalar, vz_dialect_plan *plan,
                            vz_error *err)
{
    if (!fit(plan, type, value, err) || !(fill->packed = pack(plan, type, value, &fill->arena, err)))
        return false;
    unite_zeros(plan, fill->packed);
    if (equal_elements(plan, fill->packed))
        return true;
    free(fill->packed);
    fill->packed = NULL;
    return plan_whole(plan, type, scalar, err) && fit(plan, type, value, err) &&
           (fill->packed = pack(plan, type, value, &fill->arena, err)) != NULL;
}

/* References become text, in place. */
static bool print_references(vz_dataset_fill *fill, hid_t type, void *value, vz_hierarchy *hierarchy, vz_error *err)
{
    vz_type_tree *layout = vz_type_tree_new(type, err);
    const vz_reference_context references = {hierarchy, NULL, vz_writer_of(hierarchy)->bare_paths, &fill->arena};
    const bool ok = layout && vz_references_print(&references, layout, value, 1, err);
    vz_type_tree_free(layout);
    return ok;
}

/* The value as HDF5 has it; in the copy, references are text. */
static bool read_user_value(vz_dataset_fill *fill, hid_t dcpl, hid_t type, bool scalar, vz_hierarchy *hierarchy,
                            vz_dialect_plan *plan, vz_error *err)
{
    const size_t size = H5Tget_size(type);
    void *value = calloc(1, size ? size : 1);
    void *copy = vz_arena_alloc(&fill->arena, size, err);
    bool ok = value && copy ? true : vz_fail_memory(err);
    const bool got = ok && H5Pget_fill_value(dcpl, type, value) >= 0;
    if (ok && !got)
        ok = vz_fail(err, VZ_HDF5, "cannot read the fill value");
    if (ok)
        memcpy(copy, value, size);
    if (ok && H5Tdetect_class(type, H5T_REFERENCE) > 0)
        ok = print_references(fill, type, copy, hierarchy, err);
    ok = ok && pack_user_value(fill, type, copy, scalar, plan, err);
    if (ok && plan->dtype->kind == VZ_DTYPE_OBJECT) { /* it may point into the value, which goes
                                                       * now */
        vz_item item;
        memcpy(&item, fill->packed, sizeof item);
        uint8_t *kept = vz_arena_alloc(&fill->arena, item.size + 1, err);
        ok = kept != NULL;
        if (ok && item.size)
            memcpy(kept, item.data, (size_t)item.size);
        item.data = kept;
        memcpy(fill->packed, &item, sizeof item);
    }
    if (got)
        reclaim(type, value, err);
    free(value);
    return ok;
}

bool vz_dataset_fill_read(vz_dataset_fill *fill, hid_t dcpl, hid_t type, bool scalar, vz_hierarchy *hierarchy,
                          vz_dialect_plan *plan, vz_error *err)
{
    fill->status = H5D_FILL_VALUE_DEFAULT;
    fill->when = H5D_FILL_TIME_IFSET;
    if (vz_dataset_list_is_usual(dcpl))
        return true;
    if (H5Pfill_value_defined(dcpl, &fill->status) < 0 || H5Pget_fill_time(dcpl, &fill->when) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the fill properties");
    if (fill->status == H5D_FILL_VALUE_UNDEFINED && fill->when == H5D_FILL_TIME_ALLOC)
        return vz_fail(err, VZ_INVALID, "no fill value is defined, but it is to be written on allocation");
    if (fill->when == H5D_FILL_TIME_NEVER && vz_type_has_vlen(type))
        return vz_fail(err, VZ_INVALID, "a datatype of variable length needs its fill value written");
    if (vz_type_has_vlen(type)) /* HDF5 makes the one the other (show_time) */
        fill->when = H5D_FILL_TIME_IFSET;
    return fill->status != H5D_FILL_VALUE_USER_DEFINED ||
           read_user_value(fill, dcpl, type, scalar, hierarchy, plan, err);
}

static bool all_zero(const vz_dtype *dtype, const uint8_t *element)
{
    if (dtype->kind == VZ_DTYPE_OBJECT) {
        vz_item item;
        memcpy(&item, element, sizeof item);
        return item.size == 0 || (dtype->object == VZ_OBJECT_JSON && is_zero_value(item));
    }
    size_t i = 0;
    while (i < dtype->size && element[i] == 0)
        i++;
    return i == dtype->size;
}

static bool set_zero(vz_meta *meta, vz_error *err)
{
    static const vz_item empty = {(const uint8_t *)"", 0};
    if (meta->dtype->kind == VZ_DTYPE_OBJECT)
        return vz_meta_set_fill(meta, &empty, err);
    return vz_meta_set_zero_fill(meta, err);
}

bool vz_dataset_fill_set(const vz_dataset_fill *fill, vz_meta *meta, bool external, vz_json **annotation, vz_error *err)
{
    const char *status = NULL;
    bool ok;
    *annotation = NULL;
    if (fill->status == H5D_FILL_VALUE_UNDEFINED) {
        status = "undef";
        ok = external ? set_zero(meta, err) : vz_meta_set_fill(meta, NULL, err);
    } else if (fill->packed) {
        const bool zero = all_zero(meta->dtype, fill->packed);
        status = zero ? "user" : NULL;
        ok = zero || meta->dtype->kind != VZ_DTYPE_UNICODE || meta->dtype->size <= VZ_FILL_FREE_SIZE ||
             vz_fail(err, VZ_LIMIT, "a fill value of text of more than %zu bytes", VZ_FILL_FREE_SIZE);
        ok = ok && vz_meta_set_fill(meta, fill->packed, err);
    } else
        ok = set_zero(meta, err);
    if (!ok || (!status && fill->when == H5D_FILL_TIME_IFSET))
        return ok;
    *annotation = vz_json_object(err);
    ok = *annotation && (!status || vz_json_set_text(*annotation, "st", status, err)) &&
         (fill->when == H5D_FILL_TIME_IFSET || vz_json_set(*annotation, "time", vz_json_int64(fill->when, err), err));
    if (!ok) {
        vz_json_free(*annotation);
        *annotation = NULL;
    }
    return ok;
}

void vz_dataset_fill_clear(vz_dataset_fill *fill)
{
    free(fill->packed);
    vz_arena_clear(&fill->arena);
    *fill = (vz_dataset_fill){0};
}

/* ---- showing ---- */

/* Is the fill value what HDF5 calls the default (zero, and nobody set it)? */
static bool is_default(const vz_node *node)
{
    const vz_meta *meta = node->meta;
    const vz_json *status = vz_json_get(vz_annotation_get(node, "f"), "st");
    if (vz_json_is(status, "user"))
        return false;
    if (!meta->fill_defined && !vz_json_is(status, "undef"))
        return true; /* null written by somebody else: zeros, as HDF5 would show */
    if (meta->dtype->kind == VZ_DTYPE_NARROW && vz_narrow_value(meta->dtype->narrow, 0) != 0)
        return false; /* no code of it is a zero */
    return meta->fill_defined && (meta->fill_zero || all_zero(meta->dtype, meta->fill));
}

/* Nobody has zeros of that size on purpose, and HDF5 would copy them several times. */
static bool is_too_large(const vz_meta *meta, const vz_dataset_view *view)
{
    uint64_t all;
    return !vz_mul(view->per, meta->dtype->size, &all) || all > VZ_FILL_SHOWN_MAX;
}

/* As many equal elements as one of the shown type has. */
static uint8_t *repeated(const vz_meta *meta, uint64_t count, vz_arena *arena, vz_error *err)
{
    const size_t size = meta->dtype->size;
    uint64_t all;
    if (!vz_mul(count, size, &all)) {
        vz_fail(err, VZ_LIMIT, "the fill value is too large");
        return NULL;
    }
    uint8_t *elements = vz_arena_alloc(arena, all, err);
    for (uint64_t i = 0; elements && i < count; i++)
        memcpy(elements + i * size, meta->fill, size);
    return elements;
}

static bool show_value(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err)
{
    vz_arena arena = {0};
    void *value = repeated(node->meta, view->per, &arena, err);
    bool ok = value != NULL;
    if (ok && !view->same_bytes) {
        const void *elements = value;
        value = vz_arena_alloc(&arena, H5Tget_size(view->shown), err);
        const vz_reference_context references = {.hierarchy = node->hierarchy};
        vz_packing *packing = value ? vz_packing_new(vz_dataset_stored(view), view->shown, err) : NULL;
        ok = packing && vz_packing_unpack(packing, elements, 1, value, &arena, err) &&
             vz_references_resolve(&references, vz_packing_layout(packing), value, 1, err);
        vz_packing_free(packing);
    }
    if (ok && H5Pset_fill_value(dcpl, view->shown, value) < 0)
        ok = vz_fail(err, VZ_HDF5, "cannot set the fill value");
    vz_arena_clear(&arena);
    return ok;
}

/* Variable-length elements are filled as they are allocated, whatever was asked. */
static bool show_time(const vz_json *stored, const vz_dataset_view *view, bool undefined, hid_t dcpl, vz_error *err)
{
    int64_t when;
    if (!vz_json_get_int64(vz_json_get(stored, "time"), &when) || when < H5D_FILL_TIME_ALLOC ||
        when > H5D_FILL_TIME_IFSET)
        when = H5D_FILL_TIME_IFSET;
    if (when == H5D_FILL_TIME_IFSET && !undefined && vz_type_has_vlen(view->shown))
        when = H5D_FILL_TIME_ALLOC;
    return when == H5D_FILL_TIME_IFSET || H5Pset_fill_time(dcpl, (H5D_fill_time_t)when) >= 0 ||
           vz_fail(err, VZ_HDF5, "cannot set the fill time");
}

bool vz_dataset_fill_show(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err)
{
    const vz_json *stored = vz_annotation_get(node, "f");
    const bool undefined = vz_json_is(vz_json_get(stored, "st"), "undef");
    if (!show_time(stored, view, undefined, dcpl, err))
        return false;
    if (undefined)
        return H5Pset_fill_value(dcpl, H5I_INVALID_HID, NULL) >= 0 ||
               vz_fail(err, VZ_HDF5, "cannot undefine the fill value");
    if (is_default(node) || (node->meta->fill_zero && is_too_large(node->meta, view)))
        return true;
    if (is_too_large(node->meta, view))
        return vz_fail(err, VZ_LIMIT, "a fill value of more than %zu bytes", VZ_FILL_SHOWN_MAX);
    return show_value(node, view, dcpl, err);
}
