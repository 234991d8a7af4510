/* dataset_ops.c - datasets: create, open, elements, facts. */
#include "hierarchy/writeback/writeback.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/committed.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/committed_type.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/reference.h"
#include "hdf5/virtual/virtual.h"
#include <stdlib.h>

vz_handle *vz_obj_dataset_handle(vz_file *file, vz_node *node, hid_t dapl, vz_error *err)
{
    if (node->kind != VZ_NODE_ARRAY) {
        vz_fail(err, VZ_INVALID, "not a dataset");
        return NULL;
    }
    if (!node->meta) {
        vz_node_fail_meta(node, err);
        return NULL;
    }
    const bool has_list = dapl != H5P_DEFAULT && dapl != H5P_DATASET_ACCESS_DEFAULT;
    vz_handle *handle = vz_handle_open(file, H5I_DATASET, node, err);
    if (!handle)
        return NULL;
    if (has_list)
        handle->dapl = H5Pcopy(dapl);
    if ((!has_list || handle->dapl >= 0 || vz_fail_hdf5(err)) && vz_prefix_agrees(handle, err) &&
        vz_dataset_access(node, dapl, err))
        return handle;
    vz_handle_drop(handle, err);
    return NULL;
}

/* Filters whose values do not depend on the type, or that this connector gives the values HDF5
 * gives them. */
static bool is_plain_filter(H5Z_filter_t id)
{
    return id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32;
}

static bool has_other_filters(hid_t dcpl)
{
    if (vz_dataset_list_is_usual(dcpl))
        return false;
    const int count = H5Pget_layout(dcpl) == H5D_CHUNKED ? H5Pget_nfilters(dcpl) : 0;
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        if (!is_plain_filter(H5Pget_filter2(dcpl, (unsigned)i, &flags, &values, NULL, 0, NULL, &config)))
            return true;
    }
    return false;
}

/* With filters of all kinds, as a native dataset would have them. */
static vz_node *create_filtered(vz_hierarchy *hierarchy, hid_t type, hid_t space, hid_t dcpl, vz_error *err)
{
    if (!has_other_filters(dcpl))
        return vz_dataset_create(hierarchy, type, space, dcpl, err);
    const hid_t completed = vz_scratch_filters(type, dcpl, err);
    if (completed < 0)
        return NULL;
    vz_node *node = vz_dataset_create(hierarchy, type, space, completed, err);
    const hid_t kept = vz_h5_errors_keep(err);
    H5Pclose(completed);
    vz_h5_errors_restore(kept);
    return node;
}

/* The array, which remembers a committed type. */
static vz_node *dataset_new(const vz_file *file, vz_hierarchy *hierarchy, hid_t type, hid_t space, hid_t dcpl,
                            vz_error *err)
{
    vz_datatype_given given;
    if (!vz_datatype_given_read(&given, type, file, hierarchy, err))
        return NULL;
    vz_node *node = create_filtered(hierarchy, given.plain, space, dcpl, err);
    if (node && !vz_datatype_given_store(&given, node, NULL, err)) {
        vz_node_unref(node);
        node = NULL;
    }
    const hid_t kept = vz_h5_errors_keep(err);
    vz_datatype_given_clear(&given);
    vz_h5_errors_restore(kept);
    return node;
}

vz_object *vz_obj_dataset_new(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                              vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj);
    vz_place place;
    vz_locate_external there;
    if (!vz_obj_place_of_new(&place, from, name, with, err))
        return vz_locate_external_to_create(&there, from, &place.out, with, err)
                   ? VZ_THERE(&there, dataset_create, there.root, &there.self, there.path, &there.with, err)
                   : NULL;
    vz_handle *handle = NULL;
    vz_node *node = dataset_new(from->file, vz_place_hierarchy(&place, from), with->type, with->space, with->cpl, err);
    if (node && (!place.group || vz_place_link(&place, node, err)))
        handle = vz_opened_give(vz_obj_dataset_handle(from->file, node, with->apl, err), &place.opened);
    if (node)
        vz_node_unref(node);
    vz_place_clear(&place);
    return handle ? &handle->object : NULL;
}

vz_object *vz_obj_dataset_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                               vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj);
    vz_locate_result reached = {.wants_path = true};
    vz_locate_external there;
    vz_node *node = vz_locate_path_as(from, name, dapl, &reached, err);
    if (!node)
        return vz_locate_external_by_name(&there, from, &reached.out, dapl, err)
                   ? VZ_THERE(&there, dataset_open, there.root, &there.self, there.path, there.list, dxpl, err)
                   : NULL;
    vz_handle *handle = vz_opened_give(vz_obj_dataset_handle(from->file, node, dapl, err), &reached.opened);
    if (!handle)
        vz_error_where(err, from->file->name, name);
    vz_node_unref(node);
    return handle ? &handle->object : NULL;
}

/* Adds the store and the dataset to a failure that does not name them yet. */
static herr_t name_dataset(const vz_handle *handle, bool ok, vz_error *err)
{
    if (!ok) {
        char *path = vz_node_path(handle->node, NULL);
        vz_error_where(err, handle->file->name, path);
        free(path);
    }
    return vz_handle_status(ok);
}

static vz_handle *handle_at(const vz_h5_datasets_call *c, size_t i)
{
    return vz_handle_of(c->dset[i]);
}

/* One whose elements are those of others, or lie in external files. */
static bool move_elsewhere(const vz_h5_datasets_call *c, size_t i, vz_error *err)
{
    vz_handle *handle = handle_at(c, i);
    const hid_t type = c->mem_type[i], memory = c->mem_space[i], file = c->file_space[i];
    if (vz_virtual_is_linked(handle) && c->reading)
        return vz_virtual_read_linked(handle, type, memory, file, c->dxpl, c->buf[i], err);
    if (vz_sources_kind_of(handle->node) == VZ_SOURCES_VIRTUAL)
        return c->reading ? vz_virtual_read(handle, type, memory, file, c->dxpl, c->buf[i], err)
                          : vz_virtual_write(handle, type, memory, file, c->dxpl, c->buf[i], err);
    const vz_dataset_transfer what = {handle->node, type, memory, file, NULL, c->buf[i]};
    const hid_t dapl = vz_virtual_source_dapl(handle);
    if (!vz_prefix_check_external(handle, !c->reading, err))
        return false;
    return c->reading ? vz_external_read(&what, handle->file->name, dapl, c->dxpl, err)
                      : vz_external_write(&what, handle->file->name, dapl, c->dxpl, err);
}

static bool is_here(const vz_h5_datasets_call *c, size_t i)
{
    return vz_sources_kind_of(handle_at(c, i)->node) == VZ_SOURCES_NONE &&
           !(c->reading && vz_virtual_is_linked(handle_at(c, i)));
}

/* Those from `first` on that have their elements in their arrays are moved together. */
static bool move_here(const vz_h5_datasets_call *c, size_t first, size_t count, vz_dataset_transfer *list,
                      vz_reference_maker *makers, size_t *failed, vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = first + i;
        makers[i] = vz_handle_reference_maker(handle_at(c, at)->file);
        list[i] = (vz_dataset_transfer){handle_at(c, at)->node, c->mem_type[at], c->mem_space[at],
                                        c->file_space[at],      &makers[i],      c->buf[at]};
    }
    const bool ok = c->reading ? vz_datasets_read_list(list, count, c->dxpl, failed, err)
                               : vz_datasets_write_list(list, count, c->dxpl, failed, err);
    *failed += first;
    return ok;
}

static bool move_all(const vz_h5_datasets_call *c, vz_dataset_transfer *list, vz_reference_maker *makers,
                     size_t *failed, vz_error *err)
{
    for (*failed = 0; !c->reading && *failed < c->count; ++*failed)
        if (!vz_handle_check_write(handle_at(c, *failed), err))
            return false;
    for (size_t i = 0, count; i < c->count; i += count) {
        for (count = 0; i + count < c->count && is_here(c, i + count);)
            count++;
        *failed = i;
        if (count > 0 ? !move_here(c, i, count, list, makers, failed, err) : !move_elsewhere(c, i, err))
            return false;
        count += count == 0;
    }
    return true;
}

herr_t vz_obj_datasets_move(const vz_h5_datasets_call *c, vz_error *err)
{
    size_t failed = 0;
    vz_dataset_transfer one, *list = c->count > 1 ? malloc(c->count * sizeof *list) : &one;
    vz_reference_maker maker, *makers = c->count > 1 ? malloc(c->count * sizeof *makers) : &maker;
    const bool ok = list && makers ? move_all(c, list, makers, &failed, err) : vz_fail_memory(err);
    if (c->count > 1) {
        free(list);
        free(makers);
    }
    return ok ? 0 : name_dataset(handle_at(c, failed), false, err);
}

static bool give(hid_t made, hid_t *id)
{
    *id = made;
    return made >= 0;
}

static bool get_space(vz_handle *handle, hid_t *space, vz_error *err)
{
    if (vz_sources_kind_of(handle->node) == VZ_SOURCES_VIRTUAL && !vz_virtual_refresh(handle, err))
        return false;
    return give(vz_dataset_space(handle->node, err), space);
}

herr_t vz_obj_dataset_get(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_handle *handle = vz_handle_of(dset);
    vz_node *node = handle->node;
    switch (args->op_type) {
    case H5VL_DATASET_GET_DAPL:
        return vz_handle_status(give(vz_handle_dapl(handle, err), &args->args.get_dapl.dapl_id));
    case H5VL_DATASET_GET_DCPL:
        return vz_handle_status(give(vz_dataset_dcpl(node, err), &args->args.get_dcpl.dcpl_id));
    case H5VL_DATASET_GET_SPACE:
        return vz_handle_status(get_space(handle, &args->args.get_space.space_id, err));
    case H5VL_DATASET_GET_SPACE_STATUS:
        return vz_handle_status(args->args.get_space_status.status
                                    ? vz_dataset_space_status(node, args->args.get_space_status.status, err)
                                    : vz_fail(err, VZ_INVALID, "nothing to put the status of the space into"));
    case H5VL_DATASET_GET_STORAGE_SIZE:
        return vz_handle_status(vz_dataset_storage_size(node, args->args.get_storage_size.storage_size, err));
    case H5VL_DATASET_GET_TYPE:
        return vz_handle_status(
            give(vz_datatype_named(handle, NULL, vz_dataset_type(node, err), err), &args->args.get_type.type_id));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "dataset information %d", (int)args->op_type));
}

static bool set_extent(vz_handle *handle, const hsize_t *dims, vz_error *err)
{
    if (!vz_handle_check_write(handle, err))
        return false;
    if (vz_sources_kind_of(handle->node) == VZ_SOURCES_VIRTUAL && !vz_virtual_check_extent(handle, dims, err))
        return false;
    if (!vz_dataset_set_extent(handle->node, dims, err))
        return false;
    vz_handle_resized(handle->node);
    return true;
}

herr_t vz_obj_dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_handle *handle = vz_handle_of(dset);
    switch (args->op_type) {
    case H5VL_DATASET_SET_EXTENT:
        return name_dataset(handle, set_extent(handle, args->args.set_extent.size, err), err);
    case H5VL_DATASET_FLUSH:
        return vz_handle_status(vz_obj_handle_flush(handle, args->args.flush.dset_id, err));
    case H5VL_DATASET_REFRESH:
        return vz_handle_status(vz_handle_refreshed(handle->node, vz_merge_refresh(handle->node, err)));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "dataset operation %d", (int)args->op_type));
}

/* HDF5 frees its side of a dataset even if closing fails, and only H5Dclose drops the id then.
 * After another call (H5Idec_ref, H5Oclose) the id would lead nowhere. So only H5Dclose gets the
 * failure. */
herr_t vz_obj_dataset_close(vz_object *obj, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    vz_handle *handle = vz_handle_of(obj);
    if (vz_handle_close(handle, err))
        return 0;
    vz_handle_abandon(handle);
    if (vz_h5_dclose_calls())
        return -1;
    vz_file_report_left(err);
    return 0;
}
