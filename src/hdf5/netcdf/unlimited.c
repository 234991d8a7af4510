/* unlimited.c - arrays become as long as their unlimited dimensions, because readers of Zarr take
 * the length of a dimension from each array. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "base/util/hash.h"
#include "hdf5/dialects/dialects.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/resolve/token.h"
#include <string.h>

/* The array that a reference leads to; NULL: to none. */
static vz_node *array_at(const vz_node *from, const vz_json *reference)
{
    vz_node *node = vz_dimensions_target(from, reference);
    return node && node->kind == VZ_NODE_ARRAY && vz_node_understood(node) ? node : NULL;
}

static bool grow(vz_node *array, unsigned axis, uint64_t length, vz_error *err)
{
    uint64_t shape[VZ_MAX_RANK];
    if (!vz_dimensions_is_unlimited(array, axis) || array->meta->shape[axis] >= length)
        return true;
    memcpy(shape, array->meta->shape, sizeof shape);
    shape[axis] = length;
    return vz_edit_resize(array, shape, err);
}

typedef struct vz_scale_use {
    vz_node *array;
    uint64_t axis;
} vz_scale_use;

static bool use_at(const vz_node *scale, size_t index, vz_scale_use *use)
{
    const vz_json *entry = vz_json_at(vz_dimensions_references(scale, "REFERENCE_LIST"), index);
    use->array = array_at(scale, vz_json_get(entry, "dataset"));
    return use->array && vz_json_get_uint64(vz_json_get(entry, "dimension"), &use->axis) &&
           use->axis < use->array->meta->rank;
}

/* All users of a scale, and the scale, get the greatest length. A scale that is no array of the
 * store stays as it is. */
static bool match_lengths(vz_node *scale, vz_error *err)
{
    const size_t count = vz_json_length(vz_dimensions_references(scale, "REFERENCE_LIST"));
    uint64_t length = scale->meta->shape[0];
    vz_scale_use use;
    for (size_t i = 0; i < count; i++)
        if (use_at(scale, i, &use) && use.array->meta->shape[use.axis] > length)
            length = use.array->meta->shape[use.axis];
    bool ok = vz_dimensions_has_placeholder(scale) || grow(scale, 0, length, err);
    for (size_t i = 0; ok && i < count; i++)
        if (use_at(scale, i, &use)) {
            use.array->was_matched = true;
            ok = grow(use.array, (unsigned)use.axis, length, err);
        }
    scale->matched_length = length;
    scale->matched_at = ok ? vz_node_documents_read() : 0;
    return ok;
}

/* ---- what was matched at a flush before ---- */

static bool is_matched(const vz_node *scale)
{
    return scale->matched_at == vz_node_documents_read();
}

static vz_node *scale_of(vz_node *array, unsigned axis)
{
    vz_node *scale =
        vz_dimensions_is_unlimited(array, axis) ? array_at(array, vz_dimensions_first_scale(array, axis)) : NULL;
    return scale && scale->meta->rank > 0 && vz_dimensions_is_unlimited(scale, 0) ? scale : NULL;
}

static bool is_growing_scale(vz_node *array)
{
    return vz_dimensions_is_scale(array) && array->meta->rank > 0 && vz_dimensions_is_unlimited(array, 0);
}

static bool is_due(vz_node *array)
{
    return array->kind == VZ_NODE_ARRAY && vz_node_is_dirty(array) && vz_netcdf_is_array(array);
}

static void forget_own(vz_node *array)
{
    if (is_growing_scale(array) && !vz_dimensions_has_placeholder(array) &&
        array->meta->shape[0] != array->matched_length)
        array->matched_at = 0;
}

static void forget_scales(vz_node *array)
{
    for (unsigned axis = 0; axis < array->meta->rank; axis++) {
        vz_node *scale = scale_of(array, axis);
        if (scale && scale->matched_length != array->meta->shape[axis])
            scale->matched_at = 0;
    }
}

void vz_netcdf_forget_lengths(vz_node *array)
{
    forget_own(array);
    forget_scales(array);
}

/* A program changed the length of a user or of the scale: all are to be matched again. */
static bool forget_changed(vz_node *array, void *context, vz_error *err)
{
    (void)context, (void)err;
    if (!is_due(array))
        return true;
    forget_own(array);
    if (array->was_matched)
        forget_scales(array);
    return true;
}

/* ---- changed arrays ---- */

/* `done`: tokens of scales that were looked at. */
static bool finish_scale(vz_node *scale, vz_nummap *done, vz_error *err)
{
    if (is_matched(scale))
        return true;
    const uint64_t token = vz_token_of_node(scale, err);
    if (token == 0 || vz_nummap_find(done, token))
        return token != 0;
    return vz_nummap_put(done, token, err) && match_lengths(scale, err);
}

/* One that is shorter than its dimension grows; of one that is longer all users of the scale do. */
static bool finish_axis(vz_node *array, unsigned axis, vz_nummap *done, vz_error *err)
{
    vz_node *scale = scale_of(array, axis);
    if (!scale)
        return true;
    if (array->meta->shape[axis] > scale->matched_length)
        scale->matched_at = 0;
    return finish_scale(scale, done, err) && grow(array, axis, scale->matched_length, err);
}

static bool finish_array(vz_node *array, void *context, vz_error *err)
{
    if (!is_due(array))
        return true;
    /* before its scalars are finished */
    bool ok = vz_netcdf_mark(array->parent, err) && (!is_growing_scale(array) || finish_scale(array, context, err));
    for (unsigned axis = 0; ok && axis < array->meta->rank; axis++)
        ok = finish_axis(array, axis, context, err);
    array->was_matched = true;
    return ok;
}

bool vz_netcdf_finish_lengths(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_nummap done = {0};
    const bool ok = vz_hierarchy_each_to_finish(hierarchy, forget_changed, NULL, err) &&
                    vz_hierarchy_each_to_finish(hierarchy, finish_array, &done, err);
    vz_nummap_clear(&done);
    return ok;
}
