/* stored_dimension.c - datasets that stand for a dimension without a variable, and variables whose
 * name is another dimension's. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hierarchy/edit/edit.h"
#include <string.h>

static bool is_placeholder(const vz_node *array)
{
    return array->kind == VZ_NODE_ARRAY && vz_node_understood(array) && array->meta->rank == 1 &&
           vz_dimensions_has_placeholder(array);
}

static bool stop(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)chunk, (void)size;
    *(bool *)context = true;
    return false;
}

static bool has_data(vz_node *array, bool *has, vz_error *err)
{
    vz_array *io = vz_node_io(array, err);
    *has = io && vz_array_dirty_bytes(io) > 0;
    return io && (*has || vz_array_each_chunk(io, false, stop, has, err) || *has);
}

bool vz_netcdf_finish_dimension(vz_node *array, bool *is_one, vz_error *err)
{
    bool has = false;
    *is_one = array->is_new && array->parent && is_placeholder(array) && vz_netcdf_is_array(array);
    if (*is_one && !has_data(array, &has, err))
        return false;
    *is_one = *is_one && !has;
    if (*is_one)
        return vz_netcdf_mark(array, err) && vz_edit_note_dimension(array, err);
    const bool was = array->is_dimension;
    array->is_dimension = false;
    return !was || !array->parent || vz_edit_note_dimensions(array->parent, err);
}

bool vz_netcdf_leave_store(vz_node *array, bool *leaves, vz_error *err)
{
    bool has = false;
    *leaves = array->parent && is_placeholder(array) && !vz_json_get(array->annotation, "nm");
    if (*leaves && !has_data(array, &has, err))
        return false;
    *leaves = *leaves && !has;
    return !*leaves || vz_edit_note_dimension(array, err);
}

bool vz_netcdf_gives_way(const vz_node *node)
{
    return is_placeholder(node);
}
