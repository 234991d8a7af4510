/* cross.h - paths that leave the store by an external link. An operation that ends in VZ_ELSEWHERE is done again in the
 * other file, be that a store or an HDF5 file: it is opened as any program opens it, and the operation goes to its own
 * table. What was opened keeps that file alive. */
#ifndef VZ_OBJECT_CROSS_H
#define VZ_OBJECT_CROSS_H

#include "object/handle.h"

/* ---- where a path leaves (follow.c) ---- */

typedef struct vz_way_out {
    vz_node *group; /* that the external link is in; one reference */
    uint8_t *value; /* of the link; `size` bytes, heap */
    size_t size;
    char *rest; /* of the path, behind the link; heap */
} vz_way_out;

/* False, perhaps without an error, if the path does not leave the store. */
bool vz_follow_out(vz_way_out *out, const vz_handle *from, const char *path, hid_t lapl, vz_error *err);
void vz_way_out_clear(vz_way_out *out);

/* ---- the other file (cross.c) ---- */

typedef struct vz_there {
    hid_t file;        /* open until vz_there_leave */
    vz_object *root;   /* its object */
    char *path;        /* in it; heap */
    vz_loc self;       /* of root */
    vz_object *before; /* the file that this one was reached from */
    vz_loc loc;        /* the location that was asked for, in terms of root and path */
} vz_there;

/* False if `err` is not VZ_ELSEWHERE, or if the other file cannot be opened (err tells); else err is cleared. */
bool vz_there_by_name(vz_there *there, vz_object *obj, const char *name, hid_t lapl, vz_error *err);
bool vz_there_by_loc(vz_there *there, vz_object *obj, const vz_loc *loc, vz_error *err);
void vz_there_leave(vz_there *there);
/* Our object for a native one that the HDF5 file crossed into gives to an operator; NULL outside of such a crossing. */
void *vz_there_wrap(void *native, H5I_type_t type);

/* elink_file.c: opens the file of an external link as H5Lcreate_external describes it. */
hid_t vz_elink_file_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err);

/* ---- the operations (cross_ops.c), for the table ---- */

/* clang-format off */
#define VZ_CROSSING_OPERATIONS(OP) \
    OP(attr_create)                \
    OP(attr_open)                  \
    OP(attr_get)                   \
    OP(attr_specific)              \
    OP(dataset_create)             \
    OP(dataset_open)               \
    OP(datatype_commit)            \
    OP(datatype_open)              \
    OP(group_create)               \
    OP(group_open)                 \
    OP(group_get)                  \
    OP(group_optional)             \
    OP(link_create)                \
    OP(link_get)                   \
    OP(link_specific)              \
    OP(object_open)                \
    OP(object_get)                 \
    OP(object_specific)            \
    OP(object_optional)
/* clang-format on */
#define VZ_DECLARE_CROSSING(operation) extern __typeof__(*((vz_ops *)0)->operation) vz_cross_##operation;
VZ_CROSSING_OPERATIONS(VZ_DECLARE_CROSSING)
#undef VZ_DECLARE_CROSSING

#endif
