/* object.h - stores opened and created, links between files, and files that several ranks opened
 * together. */
#ifndef VZ_OBJECT_OBJECT_H
#define VZ_OBJECT_OBJECT_H

#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "hierarchy/resolve/path.h"

/* -- Files -- */
/* Creates or opens a Zarr store. The vol module has probed the name (`found`) and decided that
 * it is (to be) a store. `flags` as H5Fcreate and H5Fopen pass them; creating with those of
 * H5Fopen takes the place of an empty file only. */
vz_object *vz_obj_file_create(const char *name, vz_path_result *found, unsigned flags, hid_t fcpl, hid_t fapl,
                              const vz_options *options, vz_error *err);
vz_object *vz_obj_file_open(const char *name, vz_path_result *found, unsigned flags, hid_t fapl,
                            const vz_options *options, vz_error *err);

/* The operations on files of this kind and on all that is in them (ops_table.c). */
extern const vz_ops vz_obj_zarr_ops;

/* May an object be looked at, or closed, while requests are under way? Then its elements are its
 * own, and it is not the last object of its file that is closed. */
bool vz_obj_is_beside_requests(const vz_object *object, bool closes);

/* -- Pending objects --
 * An event set opens objects in a remote store, or asks about them. Such a call waits for what it
 * needs of the server. Each would be a round trip, and all together are one or two. HDF5 has the
 * object before. Further calls of this kind may use it; all others finish them first. */
bool vz_obj_is_pending(const vz_object *object);

typedef struct vz_obj_later_open {
    vz_object *from;
    H5I_type_t type;       /* H5I_DATASET, GROUP or ATTR */
    const char *path;      /* of the object, or of what has the attribute; NULL: `from` has it */
    const char *attribute; /* of an attribute */
} vz_obj_later_open;
/* NULL: it is opened at once. */
vz_object *vz_obj_open_later(const vz_obj_later_open *what, struct vz_async_request **request);

/* For all below, *request=NULL: it is to be made at once. */
/* Of a call that reads datasets, some of which are pending. */
void vz_obj_datasets_read_later(const vz_h5_datasets_call *call, struct vz_async_request **request);
void vz_obj_attribute_read_later(vz_object *attribute, hid_t type, void *memory, struct vz_async_request **request);
void vz_obj_close_later(vz_object *object, struct vz_async_request **request);

typedef struct vz_obj_later_query {
    enum { VZ_OBJ_ATTRIBUTE_EXISTS, VZ_OBJ_LINK_EXISTS, VZ_OBJ_INFO } op;
    const char *attribute; /* its name */
    bool *exists;          /* the answer, or: */
    H5O_info2_t *info;
    unsigned fields; /* of `info` */
} vz_obj_later_query;
void vz_obj_ask_later(vz_object *from, const vz_loc *loc, const vz_obj_later_query *what,
                      struct vz_async_request **request);

/* The operations of pending objects, and of those that could not be opened. */
const vz_ops *vz_obj_pending_ops(void);
/* Of a call with two objects, either of which may be NULL: false, with the reason, if one could not
 * be opened. */
bool vz_obj_are_open(const vz_object *a, const vz_object *b, vz_error *err);

/* H5Fget_info and its like for a file that is known by its vz_file. */
herr_t vz_obj_file_query(vz_file *file, H5VL_file_get_args_t *args, vz_error *err);

/* -- Link across files --
 * H5Lcopy and H5Lmove whose two ends may be in different files, of either kind. */
/* As link_copy and link_move of vz_ops, for objects of any kinds. Each end is looked for over
 * external links first. In one store, or between HDF5 files, it is done there. From file to file,
 * links with a value go, and hard ones are refused as native refuses them. */
herr_t vz_obj_link_copy_across(const vz_h5_link_ends *ends, vz_error *err);
herr_t vz_obj_link_move_across(const vz_h5_link_ends *ends, vz_error *err);

/* -- Rank files --
 * Files that several ranks opened together (H5Pset_fapl_mpio). Which calls all of them make is
 * HDF5's rule: those that change anything but elements. Such a call is one turn of each rank
 * (hierarchy/nodes/node.h, vz_ranks_begin). Any other call is made by a rank alone, and no other
 * rank waits for it. */
/* The operations on such files, and on all that is in them. */
const vz_ops *vz_obj_ranks_ops(void);

/* A list with the settings of this one, but of one rank. Copying a list with mpio is a call of all
 * ranks, and so is opening with it. H5I_INVALID_HID with err set. */
hid_t vz_obj_ranks_list_alone(hid_t fapl, vz_error *err);

/* After each rank has opened the store, with such a list: `fapl` is the one that the file shows. */
bool vz_obj_ranks_opened(vz_object *file, hid_t fapl, vz_error *err);

#endif
