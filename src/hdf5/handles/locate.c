/* locate.c - from a VOL location to a node. */
#include "hierarchy/resolve/token.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/handles/file.h"

bool vz_locate_is_trivial(const char *path)
{
    while (*path) {
        path += strspn(path, "/");
        const size_t length = strcspn(path, "/");
        if (length > 1 || (length == 1 && *path != '.'))
            return false;
        path += length;
    }
    return true;
}

bool vz_handle_check_list(hid_t list, hid_t class, vz_error *err)
{
    if (list == H5P_DEFAULT || list == H5P_LINK_ACCESS_DEFAULT || H5Pisa_class(list, class) > 0)
        return true;
    return vz_fail(err, VZ_INVALID, "not a property list of the class that is wanted here");
}

/* Not all of HDF5's calls look at the names that they are given (H5Gmove). */
static bool check_by_name(const char *name, hid_t lapl, vz_error *err)
{
    return name ? vz_handle_check_list(lapl, H5P_LINK_ACCESS, err) : vz_fail(err, VZ_INVALID, "no name");
}

bool vz_handle_check_loc(const vz_loc *loc, vz_error *err)
{
    switch (loc->type) {
    case H5VL_OBJECT_BY_NAME:
        return check_by_name(loc->loc_data.loc_by_name.name, loc->loc_data.loc_by_name.lapl_id, err);
    case H5VL_OBJECT_BY_IDX:
        return check_by_name(loc->loc_data.loc_by_idx.name, loc->loc_data.loc_by_idx.lapl_id, err);
    default:
        return true;
    }
}

vz_node *vz_locate_path(const vz_handle *from, const char *path, vz_error *err)
{
    return vz_locate_path_as(from, path, H5P_DEFAULT, NULL, err);
}

/* The group at which relative paths of a file begin is that of the topmost file it is mounted
 * in. */
static vz_node *base_of(const vz_handle *from)
{
    return from->object.type == H5I_FILE ? vz_mount_top(from->file)->start : from->node;
}

static bool begin(vz_locate_result *reached, const vz_handle *from, vz_error *err)
{
    return !reached || !reached->wants_path || vz_opened_copy(&reached->opened, &from->opened, err);
}

vz_node *vz_locate_path_as(const vz_handle *from, const char *path, hid_t lapl, vz_locate_result *reached,
                           vz_error *err)
{
    if (!begin(reached, from, err))
        return NULL;
    vz_node *base = base_of(from);
    vz_node_ref(base);
    vz_node *node = vz_locate_follow(from->file, base, path, lapl, reached, err);
    if (!node)
        vz_error_where(err, from->file->name, path);
    return node;
}

vz_link *vz_handle_link_by_index(vz_node *group, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err)
{
    uint64_t count = 0;
    if (index == H5_INDEX_CRT_ORDER && !vz_netcdf_shows_order(group)) {
        vz_fail(err, VZ_INVALID, "creation order is not tracked for the links of this group");
        return NULL;
    }
    if (!vz_group_count(group, &count, err))
        return NULL;
    if (n >= count) {
        vz_fail(err, VZ_NOT_FOUND, "index %llu is beyond the %llu links of the group", (unsigned long long)n,
                (unsigned long long)count);
        return NULL;
    }
    return vz_group_link_at(group, index == H5_INDEX_CRT_ORDER ? VZ_BY_CREATION : VZ_BY_NAME,
                            order == H5_ITER_DEC ? count - 1 - n : n, err);
}

static vz_node *require_group(vz_node *node, vz_error *err)
{
    if (!node || vz_handle_node_id_type(node) == H5I_GROUP)
        return node;
    vz_fail(err, VZ_INVALID, "not a group");
    vz_node_unref(node);
    return NULL;
}

static vz_node *locate_index(const vz_handle *from, const H5VL_loc_by_idx_t *by, vz_locate_result *reached,
                             vz_error *err)
{
    vz_node *group = require_group(vz_locate_path_as(from, by->name, by->lapl_id, reached, err), err);
    if (!group)
        return NULL;
    vz_link *link = vz_handle_link_by_index(group, by->idx_type, by->order, by->n, err);
    if (!link) {
        vz_node_unref(group);
        return NULL;
    }
    vz_node *node = vz_locate_follow(from->file, group, link->name, by->lapl_id, reached, err);
    if (!node && reached)
        reached->out.from_index = true;
    return node;
}

static uint64_t located_token;

uint64_t vz_locate_last_token(void)
{
    return located_token;
}

void vz_locate_forget_token(void)
{
    located_token = 0;
}

static vz_node *locate_token(const vz_handle *from, const H5O_token_t *token, vz_error *err)
{
    located_token = vz_bytes_load_le64(token);
    vz_node *node = vz_token_node(from->file->hierarchy, located_token, err);
    if (node)
        vz_node_ref(node);
    return node;
}

vz_node *vz_locate(const vz_handle *from, const vz_loc *loc, vz_error *err)
{
    return vz_locate_as(from, loc, NULL, err);
}

static vz_node *locate(const vz_handle *from, const vz_loc *loc, vz_locate_result *reached, vz_error *err)
{
    if (!vz_handle_check_loc(loc, err))
        return NULL;
    switch (loc->type) {
    case H5VL_OBJECT_BY_SELF:
        if (!begin(reached, from, err))
            return NULL;
        vz_node_ref(base_of(from));
        return base_of(from);
    case H5VL_OBJECT_BY_NAME:
        return vz_locate_path_as(from, loc->loc_data.loc_by_name.name, loc->loc_data.loc_by_name.lapl_id, reached, err);
    case H5VL_OBJECT_BY_IDX:
        return locate_index(from, &loc->loc_data.loc_by_idx, reached, err);
    case H5VL_OBJECT_BY_TOKEN:
        return locate_token(from, loc->loc_data.loc_by_token.token, err);
    }
    vz_fail(err, VZ_UNSUPPORTED, "a location of kind %d", (int)loc->type);
    return NULL;
}

vz_node *vz_locate_as(const vz_handle *from, const vz_loc *loc, vz_locate_result *reached, vz_error *err)
{
    vz_node *node = locate(from, loc, reached, err);
    if (!node && reached)
        vz_opened_clear(&reached->opened);
    return node;
}

vz_node *vz_locate_group(const vz_handle *from, const vz_loc *loc, vz_locate_result *reached, vz_error *err)
{
    vz_node *node = require_group(vz_locate_as(from, loc, reached, err), err);
    if (!node && reached)
        vz_opened_clear(&reached->opened);
    return node;
}
