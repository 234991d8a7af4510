/* group_ops.c - groups. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/resolve/token.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/references/committed.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/file.h"

static vz_node *group_new(vz_hierarchy *hierarchy, hid_t gcpl, vz_error *err)
{
    vz_node *group = vz_group_new(hierarchy, false, err);
    if (!group || vz_handle_take_orders(group, gcpl, err))
        return group;
    vz_node_unref(group);
    return NULL;
}

/* Links a new node, unless it is anonymous (no name), and opens it. Takes the caller's reference
 * to the node. */
static vz_object *open_new(vz_handle *from, vz_node *node, vz_place *place, vz_error *err)
{
    vz_handle *handle = NULL;
    if (node && (!place->group || vz_place_link(place, node, err)))
        handle = vz_opened_give(vz_handle_open(from->file, vz_handle_node_id_type(node), node, err), &place->opened);
    if (node)
        vz_node_unref(node);
    return handle ? &handle->object : NULL;
}

static bool place_of_new(vz_place *place, vz_handle *from, const char *name, const vz_creation *with,
                         unsigned attributes, vz_error *err)
{
    *place = (vz_place){0};
    if (!name)
        return vz_handle_check_write(from, err);
    if (!vz_place_for_group(place, from, name, with, attributes, err))
        return false;
    if (!vz_group_find(place->group, place->name, NULL))
        return true;
    vz_place_clear(place);
    vz_error_set(err, VZ_EXISTS, "\"%s\": name already exists", name);
    vz_error_where(err, from->file->name, NULL);
    return false;
}

/* Where a named object goes: relative to the location, which is an open object. Anonymous: no
 * place. */
bool vz_obj_place_of_new(vz_place *place, vz_handle *from, const char *name, const vz_creation *with, vz_error *err)
{
    return place_of_new(place, from, name, with, 0, err);
}

vz_object *vz_obj_group_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                               vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj);
    vz_place place;
    vz_locate_external there;
    vz_handle_orders wanted = {0};
    if (!vz_handle_check_list(with->apl, H5P_GROUP_ACCESS, err) || !vz_handle_orders_wanted(with->cpl, &wanted, err))
        return NULL;
    if (!place_of_new(&place, from, name, with, wanted.attributes, err))
        return vz_locate_external_to_create(&there, from, &place.out, with, err)
                   ? VZ_THERE(&there, group_create, there.root, &there.self, there.path, &there.with, err)
                   : NULL;
    vz_object *group = open_new(from, group_new(vz_place_hierarchy(&place, from), with->cpl, err), &place, err);
    vz_place_clear(&place);
    return group;
}

vz_object *vz_obj_group_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl, vz_error *err)
{
    (void)loc;
    vz_handle *from = vz_handle_of(obj);
    vz_locate_result reached = {.wants_path = true};
    vz_locate_external there;
    vz_node *node =
        vz_handle_check_list(gapl, H5P_GROUP_ACCESS, err) ? vz_locate_path_as(from, name, gapl, &reached, err) : NULL;
    if (!node)
        return vz_locate_external_by_name(&there, from, &reached.out, gapl, err)
                   ? VZ_THERE(&there, group_open, there.root, &there.self, there.path, there.list, dxpl, err)
                   : NULL;
    vz_handle *handle = NULL;
    if (vz_handle_node_id_type(node) == H5I_GROUP)
        handle = vz_handle_open(from->file, H5I_GROUP, node, err);
    else
        vz_fail(err, VZ_INVALID, "\"%s\" is not a group", name);
    vz_node_unref(node);
    return vz_opened_give(handle, &reached.opened) ? &handle->object : NULL;
}

static bool get_gcpl(vz_node *group, hid_t *gcpl, vz_error *err)
{
    const bool ordered = vz_netcdf_orders_links(group);
    const unsigned links = vz_handle_asked_order(group, "lo", ordered ? VZ_TRACKED_AND_INDEXED : 0);
    const unsigned attributes = vz_handle_asked_order(group, "ao", 0);
    *gcpl = H5Pcreate(H5P_GROUP_CREATE);
    if (*gcpl < 0)
        return vz_fail_hdf5(err);
    vz_hints_show_group(vz_annotation_get(group, "pl"), *gcpl);
    if ((!links || H5Pset_link_creation_order(*gcpl, links) >= 0) &&
        (!attributes || H5Pset_attr_creation_order(*gcpl, attributes) >= 0))
        return true;
    vz_h5_close_quietly(*gcpl);
    return vz_fail_hdf5(err);
}

static bool info(vz_node *group, const H5VL_group_get_info_args_t *args, vz_error *err)
{
    uint64_t count = 0;
    const bool ok = vz_group_count(group, &count, err);
    *args->ginfo = (H5G_info_t){
        .storage_type = H5G_STORAGE_TYPE_UNKNOWN,
        .nlinks = count,
        .max_corder = vz_netcdf_shows_order(group) ? (int64_t)group->next_order : 0,
        .mounted = vz_mount_is_point(group),
    };
    return ok;
}

static herr_t get_info(const vz_handle *handle, const H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err)
{
    H5VL_group_get_args_t own = *args;
    vz_loc *loc = &own.args.get_info.loc_params;
    vz_locate_result reached = {0};
    vz_locate_external there;
    vz_node *group = vz_locate_group(handle, loc, &reached, err);
    if (group) {
        const bool ok = info(group, &args->args.get_info, err);
        vz_node_unref(group);
        return vz_handle_status(ok);
    }
    if (!vz_locate_external_by_loc(&there, handle, &reached.out, loc, err))
        return -1;
    *loc = there.loc;
    return VZ_THERE(&there, group_get, there.root, &own, dxpl, err);
}

herr_t vz_obj_group_get(vz_object *obj, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *handle = vz_handle_of(obj);
    switch (args->op_type) {
    case H5VL_GROUP_GET_GCPL:
        return vz_handle_status(get_gcpl(handle->node, &args->args.get_gcpl.gcpl_id, err));
    case H5VL_GROUP_GET_INFO:
        return get_info(handle, args, dxpl, err);
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "group information %d", (int)args->op_type));
}

static bool mount(const vz_handle *from, const H5VL_group_spec_mount_args_t *args, vz_error *err)
{
    vz_locate_result reached = {.wants_path = true};
    vz_node *node = vz_locate_path_as(from, args->name, H5P_DEFAULT, &reached, err);
    if (!node) {
        if (reached.out.group)
            vz_fail(err, VZ_UNSUPPORTED, "\"%s\" is in another file: mounting there is not supported", args->name);
        vz_locate_exit_clear(&reached.out);
        return false;
    }
    vz_file *file = vz_handle_of(args->child_file)->file;
    vz_handle *child = vz_handle_open(file, H5I_GROUP, file->start, err);
    const bool ok = child && vz_mount(from->file, node, reached.opened.full, child, err);
    if (child && !ok)
        vz_handle_drop(child, err);
    vz_node_unref(node);
    vz_opened_clear(&reached.opened);
    return ok;
}

static bool unmount(const vz_handle *from, const char *name, vz_error *err)
{
    vz_node *node = vz_locate_path(from, name, err);
    if (!node)
        return false;
    vz_node_unref(node); /* it may go with its file; the mount has a reference of its own */
    return vz_unmount(node, err);
}

herr_t vz_obj_group_specific(vz_object *obj, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(obj);
    switch (args->op_type) {
    case H5VL_GROUP_FLUSH:
        return vz_handle_status(vz_obj_handle_flush(handle, args->args.flush.grp_id, err));
    case H5VL_GROUP_REFRESH:
        return vz_handle_status(vz_merge_refresh(handle->node, err));
    case H5VL_GROUP_MOUNT:
        return vz_handle_status(mount(handle, &args->args.mount, err));
    case H5VL_GROUP_UNMOUNT:
        return vz_handle_status(unmount(handle, args->args.unmount.name, err));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "group operation %d", (int)args->op_type));
}

/* Information about a soft or user-defined link itself. *is_soft = false, and no information, if
 * it leads to an object. */
static bool soft_info(const vz_handle *handle, const H5VL_native_group_get_objinfo_t *args, bool *is_soft,
                      vz_locate_exit *out, vz_error *err)
{
    vz_place place;
    *is_soft = false;
    if (args->follow_link || args->loc_params.type != H5VL_OBJECT_BY_NAME ||
        vz_locate_is_trivial(args->loc_params.loc_data.loc_by_name.name))
        return true;
    if (!vz_place_of_link(&place, handle, &args->loc_params, err)) {
        *out = place.out;
        return false;
    }
    const vz_link *link = vz_group_find(place.group, place.name, err);
    *is_soft = link && (link->kind == VZ_LINK_SOFT || link->kind == VZ_LINK_USER);
    if (*is_soft && args->statbuf) {
        memset(args->statbuf, 0, sizeof *args->statbuf);
        args->statbuf->fileno[0] = (unsigned long)vz_hierarchy_fileno(place.group->hierarchy);
        args->statbuf->type = link->kind == VZ_LINK_SOFT ? H5G_LINK : H5G_UDLINK;
        args->statbuf->linklen = link->kind == VZ_LINK_SOFT ? strlen(link->target) + 1 : link->value_size;
    }
    vz_place_clear(&place);
    return link != NULL;
}

static bool objinfo(const vz_handle *handle, const H5VL_native_group_get_objinfo_t *args, vz_locate_exit *out,
                    vz_error *err)
{
    bool is_soft;
    vz_locate_result reached = {0};
    if (!soft_info(handle, args, &is_soft, out, err) || is_soft)
        return is_soft;
    vz_node *node = vz_locate_as(handle, &args->loc_params, &reached, err);
    *out = reached.out;
    if (!node)
        return false;
    unsigned names = 0;
    const uint64_t token = vz_handle_object_count(node, &names, err) ? vz_token_of_node(node, err) : 0;
    if (token && args->statbuf) {
        memset(args->statbuf, 0, sizeof *args->statbuf);
        args->statbuf->fileno[0] = (unsigned long)vz_hierarchy_fileno(node->hierarchy);
        args->statbuf->objno[0] = (unsigned long)token;
        args->statbuf->nlink = names;
        vz_times_kept(node, &args->statbuf->mtime);
        args->statbuf->type = node->kind == VZ_NODE_ARRAY  ? H5G_DATASET
                              : vz_committed_is_type(node) ? H5G_TYPE
                                                           : H5G_GROUP;
    }
    vz_node_unref(node);
    return token != 0;
}

static herr_t iterate_old(const vz_handle *handle, const H5VL_native_group_iterate_old_t *args, vz_locate_exit *out,
                          vz_error *err)
{
    vz_locate_result reached = {.wants_path = true};
    vz_node *group = vz_locate_group(handle, &args->loc_params, &reached, err);
    *out = reached.out;
    if (!group)
        return -1;
    const herr_t status = vz_iterate_links_old(handle->file, group, &reached.opened, args, err);
    vz_opened_clear(&reached.opened);
    vz_node_unref(group);
    return status;
}

/* Where the location leaves the store. */
static herr_t optional_there(const vz_handle *handle, vz_locate_exit *out, const H5VL_optional_args_t *args, hid_t dxpl,
                             vz_error *err)
{
    H5VL_native_group_optional_args_t own = *(H5VL_native_group_optional_args_t *)args->args;
    H5VL_optional_args_t optional = {.op_type = args->op_type, .args = &own};
    vz_loc *loc =
        args->op_type == H5VL_NATIVE_GROUP_ITERATE_OLD ? &own.iterate_old.loc_params : &own.get_objinfo.loc_params;
    vz_locate_external there;
    if (!vz_locate_external_by_loc(&there, handle, out, loc, err))
        return -1;
    *loc = there.loc;
    return VZ_THERE(&there, group_optional, there.root, &optional, dxpl, err);
}

herr_t vz_obj_group_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *handle = vz_handle_of(obj);
    const H5VL_native_group_optional_args_t *native = args->args;
    vz_locate_exit out = {0};
    herr_t status;
    switch (args->op_type) {
    case H5VL_NATIVE_GROUP_ITERATE_OLD:
        status = iterate_old(handle, &native->iterate_old, &out, err);
        return out.group ? optional_there(handle, &out, args, dxpl, err) : status;
    case H5VL_NATIVE_GROUP_GET_OBJINFO:
        status = vz_handle_status(objinfo(handle, &native->get_objinfo, &out, err));
        return out.group ? optional_there(handle, &out, args, dxpl, err) : status;
    default:
        return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "native group operation %d", args->op_type));
    }
}

/* Asked of the list at each flush: the first handle on a store brought it, and the others took
 * it over. */
static bool tell_flushed(const vz_handle *handle, hid_t id, vz_error *err)
{
    H5F_flush_cb_t call = NULL;
    void *context = NULL;
    if (H5Pget_object_flush_cb(handle->file->fapl, &call, &context) < 0)
        return vz_fail_hdf5(err);
    return !call || call(id, context) >= 0 || vz_fail_hdf5(err);
}

bool vz_obj_handle_flush(const vz_handle *handle, hid_t id, vz_error *err)
{
    return (!(handle->file->intent & H5F_ACC_RDWR) || vz_flush_node(handle->node, err)) &&
           tell_flushed(handle, id, err);
}

herr_t vz_obj_close(vz_object *obj, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    return vz_handle_status(vz_handle_close(vz_handle_of(obj), err));
}
