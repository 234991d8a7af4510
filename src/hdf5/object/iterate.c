/* iterate.c - one group, link by link. The names are taken first; a link that the operator
 * removed meanwhile is passed over, one that it made is not met. */
#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "hdf5/object/object_internal.h"

/* The differences between the new and the old form. */
typedef struct walk {
    hid_t id;
    vz_node *group;
    const H5VL_link_iterate_args_t *args; /* or: */
    const H5VL_native_group_iterate_old_t *old;
} walk;

static herr_t call(const walk *w, const vz_names_snapshot *names, size_t at, vz_error *err)
{
    H5L_info2_t info;
    const char *name = names->at[at];
    vz_link *link = vz_names_link(names, at, w->group);
    if (!link)
        return 0;
    herr_t status = 0;
    if (w->old)
        status = w->old->op(w->id, name, w->old->op_data);
    else if (vz_handle_link_info(w->group, link, &info, err))
        status = w->args->op(w->id, name, &info, w->args->op_data);
    else
        return -1;
    if (status < 0)
        vz_fail(err, VZ_HDF5, "the operator failed");
    return status;
}

/* *position: where to begin; afterwards one past the last link that was looked at. */
static herr_t run(const walk *w, const vz_names_snapshot *names, hsize_t *position, vz_error *err)
{
    if (*position > 0 && *position >= names->count) {
        vz_fail(err, VZ_INVALID, "index %llu is out of bound: the group has %zu links", (unsigned long long)*position,
                names->count);
        return -1;
    }
    herr_t status = 0;
    while (status == 0 && *position < names->count)
        status = call(w, names, (size_t)(*position)++, err);
    return status;
}

static herr_t run_with_id(walk *w, vz_file *file, vz_opened *opened, const vz_names_snapshot *names, hsize_t *position,
                          vz_error *err)
{
    w->id = vz_handle_id_open_as(file, w->group, opened, err);
    if (w->id < 0)
        return -1;
    const herr_t status = run(w, names, position, err);
    vz_h5_close_quietly(w->id);
    return status;
}

herr_t vz_iterate_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                        vz_error *err)
{
    vz_names_snapshot names;
    hsize_t position = args->idx_p ? *args->idx_p : 0;
    walk w = {.group = group, .args = args};
    if (args->recursive)
        return vz_visit_links(file, group, opened, args, err);
    if (!vz_names_of_links(&names, group, args->idx_type, args->order, err))
        return -1;
    const herr_t status = run_with_id(&w, file, opened, &names, &position, err);
    if (args->idx_p)
        *args->idx_p = position;
    vz_names_snapshot_clear(&names);
    return status;
}

herr_t vz_iterate_links_old(vz_file *file, vz_node *group, vz_opened *opened,
                            const H5VL_native_group_iterate_old_t *args, vz_error *err)
{
    vz_names_snapshot names;
    hsize_t position = args->idx;
    walk w = {.group = group, .old = args};
    if (!vz_names_of_links(&names, group, H5_INDEX_NAME, H5_ITER_INC, err))
        return -1;
    const herr_t status = run_with_id(&w, file, opened, &names, &position, err);
    if (args->last_obj)
        *args->last_obj = position;
    vz_names_snapshot_clear(&names);
    return status;
}
