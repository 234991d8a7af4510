/* object_info.c - link and object information. */
#include "hierarchy/resolve/token.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/handles/handle.h"
#include "hdf5/references/committed.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

bool vz_handle_token_of(vz_node *node, H5O_token_t *token, vz_error *err)
{
    const uint64_t number = vz_token_of_node(node, err);
    memset(token, 0, sizeof *token);
    vz_bytes_store_le64(token, number);
    return number != 0;
}

H5O_type_t vz_handle_object_type(const vz_node *node)
{
    return node->kind == VZ_NODE_ARRAY  ? H5O_TYPE_DATASET
           : vz_committed_is_type(node) ? H5O_TYPE_NAMED_DATATYPE
                                        : H5O_TYPE_GROUP;
}

static H5L_type_t link_type(const vz_link *link)
{
    return link->kind == VZ_LINK_SOFT   ? H5L_TYPE_SOFT
           : link->kind == VZ_LINK_USER ? (H5L_type_t)link->class
                                        : H5L_TYPE_HARD;
}

bool vz_handle_link_info(vz_node *group, vz_link *link, H5L_info2_t *info, vz_error *err)
{
    if (!info) /* the program asks only whether there is such a link */
        return true;
    *info = (H5L_info2_t){
        .type = link_type(link),
        .corder_valid = vz_netcdf_shows_order(group),
        .corder = vz_netcdf_shows_order(group) ? (int64_t)link->order : 0,
        .cset = link->utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII,
    };
    if (link->kind == VZ_LINK_SOFT || link->kind == VZ_LINK_USER) {
        info->u.val_size = link->kind == VZ_LINK_SOFT ? strlen(link->target) + 1 : link->value_size;
        return true;
    }
    uint64_t number;
    if (!vz_token_of_link(group, link, &number, err))
        return false;
    memset(&info->u.token, number ? 0 : 0xff, sizeof info->u.token);
    if (number)
        vz_bytes_store_le64(&info->u.token, number);
    return true;
}

static uint64_t added_count(const vz_node *node)
{
    uint64_t added = 0;
    const vz_json *note = vz_annotation_get(node, "rc");
    return note && vz_json_get_uint64(note, &added) && added <= UINT16_MAX ? added : 0;
}

bool vz_handle_object_count(vz_node *node, unsigned *count, vz_error *err)
{
    unsigned users = 0;
    if (!vz_node_name_count(node, count, err) ||
        (vz_committed_is_type(node) && !vz_committed_count_users(node, &users, err)))
        return false;
    *count += (unsigned)added_count(node) + users;
    return true;
}

/* A count that is added keeps no object alive whose last name goes: nothing could reach it after
 * the store is closed. One that was not added cannot be taken away either, as that would delete
 * an object under its names. */
bool vz_handle_change_count(vz_node *node, int delta, vz_error *err)
{
    const int64_t added = (int64_t)added_count(node) + delta;
    if (added < 0)
        return vz_fail(err, VZ_UNSUPPORTED, "lowering the reference count of an object below the number of its names");
    if (added > UINT16_MAX)
        return vz_fail(err, VZ_LIMIT, "the reference count of an object is too large");
    if (added == 0)
        return vz_annotation_set(node, "rc", NULL, err);
    vz_json *note = vz_json_int64(added, err);
    return note && vz_annotation_set(node, "rc", note, err);
}

bool vz_handle_object_info(vz_node *node, unsigned fields, H5O_info2_t *info, vz_error *err)
{
    memset(info, 0, sizeof *info);
    if (fields & H5O_INFO_BASIC) {
        info->fileno = (unsigned long)vz_hierarchy_fileno(node->hierarchy);
        info->type = vz_handle_object_type(node);
        if (!vz_handle_object_count(node, &info->rc, err) || !vz_handle_token_of(node, &info->token, err))
            return false;
    }
    if (fields & H5O_INFO_TIME)
        vz_times_kept(node, &info->ctime);
    if (!(fields & H5O_INFO_NUM_ATTRS))
        return true;
    if (!vz_netcdf_attributes_wanted(node, NULL, err))
        return false;
    info->num_attrs = vz_attribute_count(node);
    return true;
}

static char *path_in_file(const vz_file *file, vz_node *node, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    char *path = file->start->parent ? vz_node_path(node, &failure) : vz_path_first(node, &failure);
    if (!path && failure.class != VZ_OK) {
        vz_fail(err, failure.class, "%s", failure.text);
        return NULL;
    }
    char *base = path && file->start->parent ? vz_node_path(file->start, NULL) : NULL;
    const char *rest = base ? vz_key_below(path, base) : NULL;
    if (rest) {
        char *below = strdup(*rest ? rest : "/");
        free(path);
        path = below;
    } else if (!path)
        path = strdup("");
    free(base);
    if (!path)
        vz_fail_memory(err);
    return path;
}

/* Another file is mounted on a group above: no path leads there. */
static bool is_hidden(const vz_node *node)
{
    for (; node; node = node->parent)
        if (vz_mount_is_point(node))
            return true;
    return false;
}

/* Objects of a mounted file are shown below the mount point. No other file may be mounted
 * from `visible` up: the node, or what is above a mount point. */
static char *path_of(const vz_file *file, vz_node *node, const vz_node *visible, vz_error *err)
{
    vz_file *parent;
    vz_node *point;
    if (is_hidden(visible)) {
        char *none = strdup("");
        if (!none)
            vz_fail_memory(err);
        return none;
    }
    char *path = path_in_file(file, node, err), *joined = NULL;
    if (!path || !*path || !vz_mount_point_of(file, &parent, &point))
        return path;
    char *above = path_of(parent, point, point->parent, err);
    if (above && *above &&
        asprintf(&joined, "%s%s", strcmp(above, "/") == 0 ? "" : above, strcmp(path, "/") == 0 ? "" : path) < 0) {
        joined = NULL;
        vz_fail_memory(err);
    }
    if (above && !*above)
        joined = above;
    else
        free(above);
    free(path);
    return joined;
}

char *vz_handle_path(const vz_file *file, vz_node *node, vz_error *err)
{
    return path_of(file, node, node, err);
}
