/* attribute_ops.c - one attribute: create, open, value, facts. */
#include "hdf5/object/object_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/handles/locate.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/references/committed.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/handles/committed_type.h"
#include "hdf5/handles/reference.h"
#include "hdf5/handles/handle.h"
#include <stdlib.h>

vz_node *vz_attr_owner(const vz_handle *from, const vz_loc *loc, const char *name, vz_locate_result *reached,
                       vz_error *err)
{
    vz_node *node = NULL;
    if (loc->type != H5VL_OBJECT_BY_IDX)
        node = vz_locate_as(from, loc, reached, err);
    else if (vz_handle_check_loc(loc, err))
        node = vz_locate_path_as(from, loc->loc_data.loc_by_idx.name, loc->loc_data.loc_by_idx.lapl_id, reached, err);
    if (!node || (vz_node_renew_attributes(node, err) && vz_netcdf_attributes_wanted(node, name, err)))
        return node;
    vz_node_unref(node);
    return NULL;
}

/* As in native: an attribute's access list is one of links, too, and counts where no other is
 * given. */
static vz_loc with_access_list(const vz_loc *loc, hid_t aapl)
{
    vz_loc own = *loc;
    hid_t *lapl = loc->type == H5VL_OBJECT_BY_NAME  ? &own.loc_data.loc_by_name.lapl_id
                  : loc->type == H5VL_OBJECT_BY_IDX ? &own.loc_data.loc_by_idx.lapl_id
                                                    : NULL;
    if (lapl && (*lapl == H5P_DEFAULT || *lapl == H5P_LINK_ACCESS_DEFAULT) && aapl != H5P_DEFAULT)
        *lapl = aapl;
    return own;
}

static char *name_in_order(const vz_node *node, size_t place, vz_error *err)
{
    vz_names_snapshot names;
    if (!vz_names_of_attributes(&names, node, H5_INDEX_NAME, H5_ITER_INC, err))
        return NULL;
    char *copy = place < names.count ? strdup(names.at[place]) : NULL;
    if (!copy)
        vz_fail_memory(err);
    vz_names_snapshot_clear(&names);
    return copy;
}

char *vz_attr_name_at(vz_node *node, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err)
{
    const size_t count = vz_attribute_count(node);
    if (n >= count) {
        vz_fail(err, VZ_NOT_FOUND, "attribute index %llu is beyond the %zu attributes", (unsigned long long)n, count);
        return NULL;
    }
    const size_t place = order == H5_ITER_DEC ? count - 1 - (size_t)n : (size_t)n;
    if (index != H5_INDEX_CRT_ORDER && vz_attribute_keys_are_escaped(node))
        return name_in_order(node, place, err);
    const char *name =
        index == H5_INDEX_CRT_ORDER ? vz_attribute_at(node, place) : vz_attribute_by_name(node, place, err);
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy)
        vz_fail_memory(err);
    return copy;
}

static vz_object *open_handle(const vz_handle *from, vz_node *node, const char *name, H5T_cset_t cset, vz_error *err)
{
    vz_handle *handle = vz_handle_open(from->file, H5I_ATTR, node, err);
    if (!handle || (node == from->node && !vz_opened_copy(&handle->opened, &from->opened, err))) {
        if (handle)
            vz_handle_drop(handle, err);
        return NULL;
    }
    handle->cset = cset;
    if (vz_attribute_init(&handle->attribute, node, name, err))
        return &handle->object;
    vz_handle_drop(handle, err);
    return NULL;
}

bool vz_attr_info(vz_node *node, const char *name, H5A_info_t *info, vz_error *err)
{
    vz_attribute attribute;
    const bool ok = vz_attribute_init(&attribute, node, name, err) && vz_attribute_info(&attribute, info, err);
    vz_attribute_clear(&attribute);
    return ok;
}

static bool access_list(hid_t aapl, vz_error *err)
{
    return aapl == H5P_ATTRIBUTE_ACCESS_DEFAULT || vz_handle_check_list(aapl, H5P_ATTRIBUTE_ACCESS, err);
}

/* Names are ASCII by default. */
static bool create_lists(hid_t acpl, hid_t aapl, H5T_cset_t *cset, vz_error *err)
{
    const bool usual = acpl == H5P_ATTRIBUTE_CREATE_DEFAULT;
    return (usual || vz_handle_check_list(acpl, H5P_ATTRIBUTE_CREATE, err)) && access_list(aapl, err) &&
           (usual || H5Pget_char_encoding(acpl, cset) >= 0 || vz_fail_hdf5(err));
}

static vz_object *open_existing(const vz_handle *from, vz_node *node, const char *name, vz_error *err)
{
    hsize_t size; /* one that cannot be shown has none */
    vz_object *attr = open_handle(from, node, name, vz_attribute_charset(node, name), err);
    if (attr && vz_attribute_storage_size(&vz_handle_of(attr)->attribute, &size, err))
        return attr;
    if (attr)
        vz_handle_drop(vz_handle_of(attr), err);
    return NULL;
}

/* The attribute, which remembers a committed type. */
static bool attribute_new(const vz_file *file, vz_node *node, const char *name, hid_t type, hid_t space,
                          struct vz_attribute_value **value, vz_error *err)
{
    vz_datatype_given given;
    if (!vz_datatype_given_read(&given, type, file, node->hierarchy, err))
        return false;
    const bool ok = vz_attribute_create(node, name, given.plain, space, value, err) &&
                    vz_datatype_given_store(&given, node, name, err);
    const hid_t kept = vz_h5_errors_keep(err);
    vz_datatype_given_clear(&given);
    vz_h5_errors_restore(kept);
    return ok;
}

static bool get_type(vz_handle *handle, hid_t *type, vz_error *err)
{
    if (!vz_attribute_type(&handle->attribute, type, err))
        return false;
    *type = vz_datatype_named(handle, handle->attribute.name, *type, err);
    return *type >= 0;
}

vz_object *vz_attr_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with, vz_error *err)
{
    const vz_handle *from = vz_handle_of(obj);
    H5T_cset_t cset = H5T_CSET_ASCII;
    vz_locate_result reached = {0};
    vz_locate_external there;
    if (!vz_handle_check_write(from, err) || !create_lists(with->cpl, with->apl, &cset, err))
        return NULL;
    const vz_loc at = with_access_list(loc, with->apl);
    vz_node *node = vz_locate_as(from, &at, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, from, &reached.out, &at, err)
                   ? VZ_THERE(&there, attr_create, there.root, &there.loc, name, with, err)
                   : NULL;
    vz_object *attr = NULL;
    struct vz_attribute_value *value = NULL;
    if (attribute_new(from->file, node, name, with->type, with->space, &value, err) &&
        vz_attribute_set_charset(node, name, cset, err))
        attr = open_handle(from, node, name, cset, err);
    if (attr)
        vz_attribute_give_back(&vz_handle_of(attr)->attribute, value);
    else
        vz_attribute_value_free(value);
    vz_node_unref(node);
    return attr;
}

/* In the words of native files, with the store and the object. */
static void no_attribute(const vz_handle *from, const vz_node *node, const char *name, vz_error *err)
{
    char *path = vz_node_path(node, NULL);
    vz_fail(err, VZ_NOT_FOUND, "can't locate attribute: '%s'", name);
    vz_error_where(err, from->file->name, path);
    free(path);
}

vz_object *vz_attr_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl, vz_error *err)
{
    const vz_handle *from = vz_handle_of(obj);
    vz_locate_result reached = {0};
    vz_locate_external there;
    if (!access_list(aapl, err))
        return NULL;
    const vz_loc at = with_access_list(loc, aapl);
    vz_node *node = vz_attr_owner(from, &at, loc->type == H5VL_OBJECT_BY_IDX ? NULL : name, &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, from, &reached.out, &at, err)
                   ? VZ_THERE(&there, attr_open, there.root, &there.loc, name, aapl, dxpl, err)
                   : NULL;
    vz_object *attr = NULL;
    char *found = NULL;
    if (loc->type == H5VL_OBJECT_BY_IDX) {
        const H5VL_loc_by_idx_t *by = &loc->loc_data.loc_by_idx;
        name = found = vz_attr_name_at(node, by->idx_type, by->order, by->n, err);
    } else if (!vz_attribute_exists(node, name)) {
        no_attribute(from, node, name, err);
        name = NULL;
    }
    if (name)
        attr = open_existing(from, node, name, err);
    free(found);
    vz_node_unref(node);
    return attr;
}

herr_t vz_attr_read(vz_object *attr, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err)
{
    vz_handle *handle = vz_handle_of(attr);
    const vz_reference_maker maker = vz_handle_reference_maker(handle->file);
    return vz_handle_status(vz_attribute_read(&handle->attribute, mem_type, buf, dxpl, &maker, err));
}

herr_t vz_attr_write(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err)
{
    vz_handle *handle = vz_handle_of(attr);
    const vz_reference_maker maker = vz_handle_reference_maker(handle->file);
    (void)dxpl; /* what conversion allocates is ours */
    return vz_handle_status(vz_handle_check_write(handle, err) &&
                            vz_attribute_write(&handle->attribute, mem_type, buf, &maker, err));
}

static bool get_acpl(const vz_handle *handle, hid_t *acpl, vz_error *err)
{
    *acpl = H5Pcreate(H5P_ATTRIBUTE_CREATE);
    if (*acpl < 0)
        return vz_fail_hdf5(err);
    if (H5Pset_char_encoding(*acpl, handle->cset) >= 0)
        return true;
    vz_h5_close_quietly(*acpl);
    return vz_fail_hdf5(err);
}

static bool info_of_other(const vz_handle *handle, const H5VL_attr_get_info_args_t *args, vz_locate_result *reached,
                          vz_error *err)
{
    const vz_loc *loc = &args->loc_params;
    const char *name = loc->type == H5VL_OBJECT_BY_IDX ? NULL : args->attr_name;
    vz_node *node = vz_attr_owner(handle, loc, name, reached, err);
    if (!node)
        return false;
    char *found = NULL;
    if (loc->type == H5VL_OBJECT_BY_IDX) {
        const H5VL_loc_by_idx_t *by = &loc->loc_data.loc_by_idx;
        name = found = vz_attr_name_at(node, by->idx_type, by->order, by->n, err);
    }
    const bool ok = name && vz_attr_info(node, name, args->ainfo, err);
    free(found);
    vz_node_unref(node);
    return ok;
}

static bool get_info(vz_handle *handle, const H5VL_attr_get_info_args_t *args, vz_locate_result *reached, vz_error *err)
{
    if (args->loc_params.type == H5VL_OBJECT_BY_SELF)
        return vz_attribute_info(&handle->attribute, args->ainfo, err);
    return info_of_other(handle, args, reached, err);
}

static bool get_name(const vz_handle *handle, const H5VL_attr_get_name_args_t *args, vz_locate_result *reached,
                     vz_error *err)
{
    if (args->loc_params.type == H5VL_OBJECT_BY_SELF) {
        vz_handle_copy_text(handle->attribute.name, args->buf, args->buf_size, args->attr_name_len);
        return true;
    }
    const H5VL_loc_by_idx_t *by = &args->loc_params.loc_data.loc_by_idx;
    vz_node *node = vz_attr_owner(handle, &args->loc_params, NULL, reached, err);
    char *name = node ? vz_attr_name_at(node, by->idx_type, by->order, by->n, err) : NULL;
    if (name)
        vz_handle_copy_text(name, args->buf, args->buf_size, args->attr_name_len);
    if (node)
        vz_node_unref(node);
    free(name);
    return name != NULL;
}

/* Where the location of the attribute leaves the store. */
static herr_t get_there(const vz_handle *handle, vz_locate_result *reached, const H5VL_attr_get_args_t *args,
                        hid_t dxpl, vz_error *err)
{
    H5VL_attr_get_args_t own = *args;
    vz_loc *loc = args->op_type == H5VL_ATTR_GET_INFO ? &own.args.get_info.loc_params : &own.args.get_name.loc_params;
    vz_locate_external there;
    if (!vz_locate_external_by_loc(&there, handle, &reached->out, loc, err))
        return -1;
    *loc = there.loc;
    return VZ_THERE(&there, attr_get, there.root, &own, dxpl, err);
}

herr_t vz_attr_get(vz_object *obj, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_handle *handle = vz_handle_of(obj);
    vz_locate_result reached = {0};
    switch (args->op_type) {
    case H5VL_ATTR_GET_ACPL:
        return vz_handle_status(get_acpl(handle, &args->args.get_acpl.acpl_id, err));
    case H5VL_ATTR_GET_INFO:
        return get_info(handle, &args->args.get_info, &reached, err) ? 0 : get_there(handle, &reached, args, dxpl, err);
    case H5VL_ATTR_GET_NAME:
        return get_name(handle, &args->args.get_name, &reached, err) ? 0 : get_there(handle, &reached, args, dxpl, err);
    case H5VL_ATTR_GET_SPACE:
        return vz_handle_status(vz_attribute_space(&handle->attribute, &args->args.get_space.space_id, err));
    case H5VL_ATTR_GET_STORAGE_SIZE:
        return vz_handle_status(
            vz_attribute_storage_size(&handle->attribute, args->args.get_storage_size.data_size, err));
    case H5VL_ATTR_GET_TYPE:
        return vz_handle_status(get_type(handle, &args->args.get_type.type_id, err));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "attribute information %d", (int)args->op_type));
}
