/* link_across_files.c - see object.h. */
#include "hdf5/object/object.h"
#include "hdf5/h5/h5.h"
#include "hdf5/handles/locate.h"
#include "hdf5/object/object_internal.h"
#include <stdlib.h>

typedef struct transfer {
    bool is_move;
    vz_h5_link_ends ends; /* where the links are, once both ends were looked for */
} transfer;

/* ---- from file to file ---- */

static herr_t get_info(const transfer *t, H5L_info2_t *info, vz_error *err)
{
    H5VL_link_get_args_t args = {.op_type = H5VL_LINK_GET_INFO, .args.get_info.linfo = info};
    return t->ends.src->ops->link_get(t->ends.src, t->ends.src_loc, &args, t->ends.dxpl, err);
}

static herr_t get_value(const transfer *t, void *value, size_t size, vz_error *err)
{
    H5VL_link_get_args_t args = {.op_type = H5VL_LINK_GET_VAL, .args.get_val = {.buf = value, .buf_size = size}};
    return size ? t->ends.src->ops->link_get(t->ends.src, t->ends.src_loc, &args, t->ends.dxpl, err) : 0;
}

static herr_t make(const transfer *t, const H5L_info2_t *info, const char *value, vz_error *err)
{
    H5VL_link_create_args_t args = {.op_type = H5VL_LINK_CREATE_UD};
    if (info->type == H5L_TYPE_SOFT) {
        args.op_type = H5VL_LINK_CREATE_SOFT;
        args.args.soft.target = value;
    } else {
        args.args.ud.type = info->type;
        args.args.ud.buf = value;
        args.args.ud.buf_size = info->u.val_size;
    }
    return t->ends.dst->ops->link_create(&args, t->ends.dst, t->ends.dst_loc, t->ends.lcpl, t->ends.lapl, t->ends.dxpl,
                                         err);
}

static herr_t delete (const transfer *t, vz_object *at, const vz_loc *loc, vz_error *err)
{
    H5VL_link_specific_args_t args = {.op_type = H5VL_LINK_DELETE};
    return at->ops->link_specific(at, loc, &args, t->ends.dxpl, err);
}

/* A link that cannot be taken from where it was is not left in both places. */
static herr_t delete_source(const transfer *t, vz_error *err)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (delete (t, t->ends.src, t->ends.src_loc, err) >= 0)
        return 0;
    const hid_t records = vz_h5_errors_keep(err);
    delete (t, t->ends.dst, t->ends.dst_loc, &ignored);
    vz_h5_errors_restore(records);
    return -1;
}

static herr_t from_file_to_file(const transfer *t, vz_error *err)
{
    H5L_info2_t info;
    if (get_info(t, &info, err) < 0)
        return -1;
    if (info.type == H5L_TYPE_HARD)
        return vz_handle_status(
            vz_fail(err, VZ_INVALID, "%s a hard link across files is not allowed", t->is_move ? "moving" : "copying"));
    char *value = calloc(1, info.u.val_size + 1);
    if (!value)
        return vz_handle_status(vz_fail_memory(err));
    herr_t status = get_value(t, value, info.u.val_size, err);
    if (status >= 0)
        status = make(t, &info, value, err);
    free(value);
    return status >= 0 && t->is_move ? delete_source(t, err) : status;
}

/* ---- where the ends are ---- */

static bool is_one_store(const transfer *t)
{
    return vz_handle_is_zarr(t->ends.src) && vz_handle_is_zarr(t->ends.dst) &&
           vz_handle_of(t->ends.src)->file->hierarchy == vz_handle_of(t->ends.dst)->file->hierarchy;
}

static herr_t run(const transfer *t, vz_error *err)
{
    if (is_one_store(t))
        return (t->is_move ? vz_obj_link_move : vz_obj_link_copy)(&t->ends, err);
    if (t->ends.src->ops != t->ends.dst->ops || vz_handle_is_zarr(t->ends.src))
        return from_file_to_file(t, err);
    return (t->is_move ? t->ends.src->ops->link_move : t->ends.src->ops->link_copy)(&t->ends, err);
}

/* Does the path to the link, which need not exist, lead out of the store? HDF5 files cross by
 * themselves. */
static bool leads_out(vz_object *object, const vz_loc *loc, vz_locate_exit *out)
{
    vz_place place;
    vz_error failed = VZ_ERROR_NONE;
    *out = (vz_locate_exit){0};
    if (!vz_handle_is_zarr(object))
        return false;
    if (vz_place_of_link(&place, vz_handle_of(object), loc, &failed))
        vz_place_clear(&place);
    else
        *out = place.out;
    return out->group != NULL;
}

/* Finds the place for the link, then does it. */
static herr_t to(transfer *t, vz_object *object, const vz_loc *loc, vz_error *err)
{
    vz_locate_external there;
    vz_locate_exit out;
    if (!leads_out(object, loc, &out)) {
        t->ends.dst = object;
        t->ends.dst_loc = loc;
        return run(t, err);
    }
    if (!vz_locate_external_by_loc(&there, vz_handle_of(object), &out, loc, err))
        return -1;
    const herr_t status = to(t, there.root, &there.loc, err);
    vz_locate_external_close(&there);
    return status;
}

/* Finds the link, then the place that `dst` and `dst_loc` mean. */
static herr_t from(transfer *t, vz_object *object, const vz_loc *loc, vz_object *dst, const vz_loc *dst_loc,
                   vz_error *err)
{
    vz_locate_external there;
    vz_locate_exit out;
    if (!leads_out(object, loc, &out)) {
        t->ends.src = object;
        t->ends.src_loc = loc;
        return to(t, dst, dst_loc, err);
    }
    if (!vz_locate_external_by_loc(&there, vz_handle_of(object), &out, loc, err))
        return -1;
    const herr_t status = from(t, there.root, &there.loc, dst, dst_loc, err);
    vz_locate_external_close(&there);
    return status;
}

/* H5L_SAME_LOC: where one of the two objects is missing, the other one counts. */
static herr_t across(const vz_h5_link_ends *ends, bool is_move, vz_error *err)
{
    transfer t = {.is_move = is_move, .ends = *ends};
    vz_object *src = ends->src ? ends->src : ends->dst, *dst = ends->dst ? ends->dst : ends->src;
    return from(&t, src, ends->src_loc, dst, ends->dst_loc, err);
}

herr_t vz_obj_link_copy_across(const vz_h5_link_ends *ends, vz_error *err)
{
    return across(ends, false, err);
}

herr_t vz_obj_link_move_across(const vz_h5_link_ends *ends, vz_error *err)
{
    return across(ends, true, err);
}
