/* rank_ops_table.c - the table of operations of files that several ranks opened together: those
 * that all ranks make are turns, the others are the usual ones. */
#include "hierarchy/edit/ranks.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/object/object.h"

static vz_hierarchy *hierarchy_of(vz_object *object)
{
    return vz_handle_of(object)->file->hierarchy;
}

/* A call whose result is a number. */
#define TURN(object, can_repeat, call)                                                                                 \
    vz_hierarchy *const hierarchy = hierarchy_of(object);                                                              \
    if (!vz_ranks_begin(hierarchy, can_repeat, err))                                                                   \
        return -1;                                                                                                     \
    const herr_t status = (call);                                                                                      \
    return vz_ranks_end(hierarchy, status >= 0, can_repeat, err) ? status : -1

/* A call whose result is an object, which goes again where another rank has none. */
#define TURN_NEW(object, call)                                                                                         \
    vz_hierarchy *const hierarchy = hierarchy_of(object);                                                              \
    if (!vz_ranks_begin(hierarchy, false, err))                                                                        \
        return NULL;                                                                                                   \
    vz_object *const made = (call);                                                                                    \
    if (vz_ranks_end(hierarchy, made != NULL, false, err))                                                             \
        return made;                                                                                                   \
    if (made)                                                                                                          \
        vz_handle_drop(vz_handle_of(made), err);                                                                       \
    return NULL

/* ---- attributes: in memory until a flush, and so no rank waits ---- */

static vz_object *attr_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                              vz_error *err)
{
    vz_hierarchy *hierarchy = hierarchy_of(obj);
    if (!vz_ranks_begin_memory(hierarchy, err))
        return NULL;
    vz_object *made = vz_attr_create(obj, loc, name, with, err);
    vz_ranks_end_memory(hierarchy, made != NULL);
    return made;
}

static herr_t attr_write(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err)
{
    vz_hierarchy *hierarchy = hierarchy_of(attr);
    if (!vz_ranks_begin_memory(hierarchy, err))
        return -1;
    const herr_t status = vz_attr_write(attr, mem_type, buf, dxpl, err);
    vz_ranks_end_memory(hierarchy, status >= 0);
    return status;
}

static herr_t attr_change(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_hierarchy *hierarchy = hierarchy_of(obj);
    if (!vz_ranks_begin_memory(hierarchy, err))
        return -1;
    const herr_t status = vz_attr_specific(obj, loc, args, dxpl, err);
    vz_ranks_end_memory(hierarchy, status >= 0);
    return status;
}

static herr_t attr_specific(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                            vz_error *err)
{
    const bool looks = args->op_type == H5VL_ATTR_EXISTS || args->op_type == H5VL_ATTR_ITER;
    return looks ? vz_attr_specific(obj, loc, args, dxpl, err) : attr_change(obj, loc, args, dxpl, err);
}

/* ---- datasets ---- */

static vz_object *dataset_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                 vz_error *err)
{
    TURN_NEW(obj, vz_obj_dataset_new(obj, loc, name, with, err));
}

static herr_t set_extent(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_ranks_drop_cached(vz_handle_of(dset)->node);
    TURN(dset, false, vz_obj_dataset_specific(dset, args, dxpl, err));
}

static herr_t flush_dataset(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(dset, true, vz_obj_dataset_specific(dset, args, dxpl, err));
}

static herr_t dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_DATASET_SET_EXTENT:
        return set_extent(dset, args, dxpl, err);
    case H5VL_DATASET_FLUSH:
        return flush_dataset(dset, args, dxpl, err);
    default:
        return vz_obj_dataset_specific(dset, args, dxpl, err);
    }
}

/* Whole chunks as they are stored: by each rank alone. */
static herr_t dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_node *node = vz_handle_of(dset)->node;
    vz_ranks_drop_cached(node);
    const herr_t status = vz_obj_dataset_optional(dset, args, dxpl, err);
    return vz_ranks_write_through(node, status >= 0 ? err : NULL) ? status : -1;
}

/* ---- datatypes, groups ---- */

static vz_object *datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                  vz_error *err)
{
    TURN_NEW(obj, vz_obj_datatype_commit(obj, loc, name, with, err));
}

static herr_t flush_datatype(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(type, true, vz_obj_datatype_specific(type, args, dxpl, err));
}

static herr_t datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return args->op_type == H5VL_DATATYPE_FLUSH ? flush_datatype(type, args, dxpl, err)
                                                : vz_obj_datatype_specific(type, args, dxpl, err);
}

static vz_object *group_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                               vz_error *err)
{
    TURN_NEW(obj, vz_obj_group_create(obj, loc, name, with, err));
}

static herr_t flush_group(vz_object *group, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(group, true, vz_obj_group_specific(group, args, dxpl, err));
}

static herr_t group_specific(vz_object *group, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return args->op_type == H5VL_GROUP_FLUSH ? flush_group(group, args, dxpl, err)
                                             : vz_obj_group_specific(group, args, dxpl, err);
}

/* ---- files ---- */

static herr_t flush_file(vz_object *file, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(file, true, vz_obj_file_specific(file, args, dxpl, err));
}

static herr_t file_specific(vz_object *file, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return args->op_type == H5VL_FILE_FLUSH ? flush_file(file, args, dxpl, err)
                                            : vz_obj_file_specific(file, args, dxpl, err);
}

/* Headers of a serial HDF5 do not name these. */
enum { GET_MPI_ATOMICITY = 26, SET_MPI_ATOMICITY = 27 };

typedef union atomicity_args {
    struct {
        hbool_t *flag;
    } get;
    struct {
        hbool_t flag;
    } set;
} atomicity_args;

static herr_t file_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_file *file = vz_handle_of(obj)->file;
    const atomicity_args *atomicity = args->args;
    switch (args->op_type) {
    case GET_MPI_ATOMICITY:
        *atomicity->get.flag = file->is_atomic;
        return 0;
    case SET_MPI_ATOMICITY:
        file->is_atomic = atomicity->set.flag;
        return 0;
    default:
        return vz_obj_file_optional(obj, args, dxpl, err);
    }
}

/* ---- links ---- */

static herr_t link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                          hid_t dxpl, vz_error *err)
{
    TURN(obj, false, vz_obj_link_create(args, obj, loc, lcpl, lapl, dxpl, err));
}

/* One of the two may be NULL: then both are in one file. */
static vz_object *changed_end(const vz_h5_link_ends *ends)
{
    return ends->dst ? ends->dst : ends->src;
}

static herr_t link_copy(const vz_h5_link_ends *ends, vz_error *err)
{
    TURN(changed_end(ends), false, vz_obj_link_copy_across(ends, err));
}

static herr_t link_move(const vz_h5_link_ends *ends, vz_error *err)
{
    TURN(changed_end(ends), false, vz_obj_link_move_across(ends, err));
}

static herr_t link_delete(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(obj, false, vz_obj_link_specific(obj, loc, args, dxpl, err));
}

static herr_t link_specific(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                            vz_error *err)
{
    return args->op_type == H5VL_LINK_DELETE ? link_delete(obj, loc, args, dxpl, err)
                                             : vz_obj_link_specific(obj, loc, args, dxpl, err);
}

/* ---- objects ---- */

static herr_t object_copy(const vz_object_ends *ends, vz_error *err)
{
    TURN(ends->dst, false, vz_obj_copy(ends, err));
}

static herr_t object_change(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, bool flushes,
                            hid_t dxpl, vz_error *err)
{
    TURN(obj, flushes, vz_obj_specific(obj, loc, args, dxpl, err));
}

static herr_t object_specific(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                              vz_error *err)
{
    const bool flushes = args->op_type == H5VL_OBJECT_FLUSH;
    return flushes || args->op_type == H5VL_OBJECT_CHANGE_REF_COUNT ? object_change(obj, loc, args, flushes, dxpl, err)
                                                                    : vz_obj_specific(obj, loc, args, dxpl, err);
}

static herr_t set_comment(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    TURN(obj, false, vz_obj_optional(obj, loc, args, dxpl, err));
}

static herr_t object_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return args->op_type == H5VL_NATIVE_OBJECT_SET_COMMENT ? set_comment(obj, loc, args, dxpl, err)
                                                           : vz_obj_optional(obj, loc, args, dxpl, err);
}

const vz_ops *vz_obj_ranks_ops(void)
{
    static vz_ops ops;
    ops = vz_obj_zarr_ops;
    ops.attr_create = attr_create;
    ops.attr_write = attr_write;
    ops.attr_specific = attr_specific;
    ops.dataset_create = dataset_create;
    ops.datasets_move = vz_obj_ranks_move;
    ops.datasets_start = NULL; /* all ranks make the transfer together */
    ops.dataset_specific = dataset_specific;
    ops.dataset_optional = dataset_optional;
    ops.datatype_commit = datatype_commit;
    ops.datatype_specific = datatype_specific;
    ops.group_create = group_create;
    ops.group_specific = group_specific;
    ops.file_specific = file_specific;
    ops.file_optional = file_optional;
    ops.file_close = vz_obj_ranks_close;
    ops.link_create = link_create;
    ops.link_copy = link_copy;
    ops.link_move = link_move;
    ops.link_specific = link_specific;
    ops.object_copy = object_copy;
    ops.object_specific = object_specific;
    ops.object_optional = object_optional;
    return &ops;
}
