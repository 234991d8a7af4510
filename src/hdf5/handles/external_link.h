/* external_link.h - paths that leave the store by an external link. A walk that ends at one tells where it leads (vz_way_out in
 * hdf5/handles/locate.h); the other file, be that a store or an HDF5 file, is opened as any program opens it, and the
 * operation goes to its own table. What was opened keeps that file alive. */
#ifndef VZ_HANDLES_EXTERNAL_LINK_H
#define VZ_HANDLES_EXTERNAL_LINK_H

#include "hdf5/handles/locate.h"

typedef struct vz_there {
    hid_t file;        /* open until vz_there_leave */
    vz_object *root;   /* its object */
    char *path;        /* in it; heap */
    hid_t list;        /* a copy of the access list, with the number of links that may still be followed */
    vz_creation with;  /* after vz_there_to_create: with that list */
    vz_loc self;       /* of root */
    vz_object *before; /* the file that this one was reached from */
    vz_loc loc;        /* the location that was asked for, in terms of root and path */
} vz_there;

/* Opens the file that a walk from `from` left for (and takes `out`). False if it did not leave, and then its error
 * stands; or if there is no going on (err tells). The first is for operations whose last argument is a name, the second
 * for those with a location, the third for new objects. */
bool vz_there_by_name(vz_there *there, const vz_handle *from, vz_way_out *out, hid_t lapl, vz_error *err);
bool vz_there_by_loc(vz_there *there, const vz_handle *from, vz_way_out *out, const vz_loc *loc, vz_error *err);
bool vz_there_to_create(vz_there *there, const vz_handle *from, vz_way_out *out, const vz_creation *with,
                        vz_error *err);
void vz_there_leave(vz_there *there);
/* Our object for a native one that the HDF5 file crossed into gives to an operator; NULL outside of such a crossing. */
void *vz_there_wrap(void *native, H5I_type_t type);

/* external_link_file.c: opens the file of an external link as H5Lcreate_external describes it. */
hid_t vz_elink_file_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err);

/* The value of an operation in the other file, which is left behind it. */
#define VZ_THERE(there, operation, ...)                                                                                \
    __extension__({                                                                                                    \
        __auto_type value_ = (there)->root->ops->operation(__VA_ARGS__);                                               \
        vz_there_leave(there);                                                                                         \
        value_;                                                                                                        \
    })

#endif
