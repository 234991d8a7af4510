/* visit.c - recursive walks. Nodes with more than one name are remembered, so that none is
 * visited twice and cycles end. Where creation order is asked for, groups that do not track it
 * are walked by name, as native does. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/handles/handle.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/locate.h"
#include <stdio.h>

typedef struct visit {
    hid_t id;
    H5_index_t index;
    H5_iter_order_t order;
    const vz_node *start;                  /* is not walked through again when it is met below
                                            * itself */
    vz_strmap *met;                        /* numbers of nodes with more than one name; NULL: none
                                            * yet */
    vz_buffer path;                        /* of the link at hand, from the start, NUL-terminated */
    const H5VL_link_iterate_args_t *links; /* or: */
    const H5VL_object_visit_args_t *objects;
} visit;

static herr_t visit_group(visit *v, vz_node *group, unsigned depth, vz_error *err);

/* Appends a name to the path of `parent_size` bytes. */
static bool push_name(visit *v, size_t parent_size, const char *name, vz_error *err)
{
    v->path.size = parent_size;
    return (parent_size == 0 || vz_buffer_append(&v->path, "/", 1, err)) &&
           vz_buffer_append(&v->path, name, strlen(name) + 1, err);
}

static herr_t call_object(const visit *v, vz_node *node, const char *path, vz_error *err)
{
    H5O_info2_t info;
    if (!vz_handle_object_info(node, v->objects->fields, &info, err))
        return -1;
    const herr_t status = v->objects->op(v->id, path, &info, v->objects->op_data);
    if (status < 0)
        vz_fail(err, VZ_HDF5, "the operator failed");
    return status;
}

static herr_t call_link(const visit *v, vz_node *group, vz_link *link, vz_error *err)
{
    H5L_info2_t info;
    if (!vz_handle_link_info(group, link, &info, err))
        return -1;
    const herr_t status = v->links->op(v->id, (const char *)v->path.data, &info, v->links->op_data);
    if (status < 0)
        vz_fail(err, VZ_HDF5, "the operator failed");
    return status;
}

/* Was the node met before? Remembers it if it can be met again. */
static bool is_met(visit *v, vz_node *node, bool *met, vz_error *err)
{
    unsigned names = 0;
    char number[24];
    *met = false;
    if (!vz_node_name_count(node, &names, err))
        return false;
    if (names < 2)
        return true;
    const uint64_t token = vz_token_of_node(node, err);
    snprintf(number, sizeof number, "%llx", (unsigned long long)token);
    if (!token || (!v->met && !(v->met = vz_strmap_new())))
        return token == 0 ? false : vz_fail_memory(err);
    *met = vz_strmap_get(v->met, number) != NULL;
    return *met || vz_strmap_put(v->met, number, v, err);
}

static herr_t visit_node(visit *v, vz_node *group, vz_link *link, vz_node *node, unsigned depth, vz_error *err)
{
    bool met;
    if (!is_met(v, node, &met, err))
        return -1;
    if (met && v->objects)
        return 0;
    herr_t status = v->links ? call_link(v, group, link, err) : call_object(v, node, (const char *)v->path.data, err);
    v->path.size = strlen((const char *)v->path.data);
    if (status == 0 && !met && node != v->start && vz_handle_node_id_type(node) == H5I_GROUP)
        status = visit_group(v, node, depth + 1, err);
    return status;
}

/* One link and what lies below it. The node is held, since the operator may delete it. */
static herr_t visit_link(visit *v, vz_node *group, const char *name, size_t parent_size, unsigned depth, vz_error *err)
{
    vz_link *link = vz_group_find(group, name, NULL);
    if (!link)
        return 0;
    if (!push_name(v, parent_size, name, err))
        return -1;
    vz_node *node = vz_link_node(group, link, NULL); /* of hard links: others are not followed */
    if (!node)
        return v->links ? call_link(v, group, link, err) : 0;
    vz_node_ref(node);
    const herr_t status = visit_node(v, group, link, node, depth, err);
    vz_node_unref(node);
    return status;
}

/* Reads the documents of the whole tree first, so that the walk waits for no single node. */
static herr_t visit_tree(visit *v, vz_node *group, vz_error *err)
{
    return vz_tree_read(group, err) ? visit_group(v, group, 0, err) : -1;
}

static herr_t visit_group(visit *v, vz_node *group, unsigned depth, vz_error *err)
{
    vz_names_snapshot names;
    const size_t parent_size = v->path.size;
    const H5_index_t index = vz_netcdf_shows_order(group) ? v->index : H5_INDEX_NAME;
    if (depth > VZ_MAX_DEPTH) {
        vz_fail(err, VZ_LIMIT, "groups nested more than %d deep", VZ_MAX_DEPTH);
        return -1;
    }
    if (!vz_names_to_find(&names, group, index, v->order, err))
        return -1;
    herr_t status = 0;
    for (size_t i = 0; status == 0 && i < names.count; i++)
        status = visit_link(v, group, names.at[i], parent_size, depth, err);
    vz_names_snapshot_clear(&names);
    v->path.size = parent_size;
    return status;
}

herr_t vz_visit_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                      vz_error *err)
{
    visit v = {.index = args->idx_type, .order = args->order, .start = group, .links = args};
    v.id = vz_handle_id_open_as(file, group, opened, err);
    if (v.id < 0)
        return -1;
    bool met;
    const herr_t status = is_met(&v, group, &met, err) ? visit_tree(&v, group, err) : -1;
    vz_h5_close_quietly(v.id);
    vz_strmap_free(v.met, NULL);
    vz_buffer_clear(&v.path);
    return status;
}

herr_t vz_visit_objects(vz_file *file, vz_node *start, vz_opened *opened, const H5VL_object_visit_args_t *args,
                        vz_error *err)
{
    visit v = {.index = args->idx_type, .order = args->order, .start = start, .objects = args};
    herr_t status = -1;
    v.id = vz_handle_id_open_as(file, start, opened, err);
    bool met;
    if (v.id >= 0 && is_met(&v, start, &met, err)) {
        status = call_object(&v, start, ".", err);
        if (status == 0 && vz_handle_node_id_type(start) == H5I_GROUP)
            status = visit_tree(&v, start, err);
    }
    if (v.id >= 0)
        vz_h5_close_quietly(v.id);
    vz_strmap_free(v.met, NULL);
    vz_buffer_clear(&v.path);
    return status;
}
