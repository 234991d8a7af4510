/* object_internal.h - the operations of the "zarr" table, by kind of object. */
#ifndef VZ_OBJECT_OBJECT_INTERNAL_H
#define VZ_OBJECT_OBJECT_INTERNAL_H

#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/locate.h"
#include "hdf5/object/object.h"
#include "hierarchy/consolidated/array_prefetch.h"

/* H5Dread and H5Dwrite. Written elements are in the store when a call returns. */
herr_t vz_obj_ranks_move(const vz_h5_datasets_call *call, vz_error *err);

/* H5Fclose: all write, and if all could, the file is closed. */
herr_t vz_obj_ranks_close(vz_object *file, hid_t dxpl, vz_error *err);

/* -- File ops --
 * files. */
herr_t vz_obj_file_get(vz_object *obj, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_file_specific(vz_object *obj, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_file_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_file_close(vz_object *obj, hid_t dxpl, vz_error *err);

/* The file object that H5Iget_file_id finds or gets an id made for. */
bool vz_obj_file_answer(vz_file *file, void **answer, vz_error *err);

/* True while HDF5 calls get_object only to compare files after H5VL_OBJECT_GET_FILE. */
bool vz_obj_file_is_compared(const vz_object *object);

/* True if the object to be wrapped is the one that vz_obj_file_answer gave. Ends the comparison. */
bool vz_obj_file_was_answered(const void *object);

/* -- Datatype ops --
 * committed datatypes. */
vz_object *vz_obj_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                  vz_error *err);
vz_object *vz_obj_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl,
                                vz_error *err);
herr_t vz_obj_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* -- Attribute ops --
 * attributes. */
vz_object *vz_attr_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with, vz_error *err);
vz_object *vz_attr_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl, vz_error *err);
herr_t vz_attr_read(vz_object *attr, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err);
herr_t vz_attr_write(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err);
herr_t vz_attr_get(vz_object *obj, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_attr_specific(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_attr_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* The name at a position of an index among the visible attributes. Heap; NULL + VZ_NOT_FOUND
 * beyond the end. */
char *vz_attr_name_at(vz_node *node, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err);
/* The answer of H5Aget_info for an attribute that need not be open. */
bool vz_attr_info(vz_node *node, const char *name, H5A_info_t *info, vz_error *err);
/* The object whose attributes a location by index means. `name`: of the attribute that is wanted;
 * NULL: any of them. */
vz_node *vz_attr_owner(const vz_handle *from, const vz_loc *loc, const char *name, vz_locate_result *reached,
                       vz_error *err);

/* -- Group ops --
 * Groups, and what all named objects share. */
vz_object *vz_obj_group_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                               vz_error *err);
vz_object *vz_obj_group_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl,
                             vz_error *err);
herr_t vz_obj_group_get(vz_object *obj, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_group_specific(vz_object *obj, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_group_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* Groups, datasets, attributes. */
herr_t vz_obj_close(vz_object *obj, hid_t dxpl, vz_error *err);
/* H5Dflush and its like: the node is written, then the program's H5Pset_object_flush_cb is
 * called with `id`. */
bool vz_obj_handle_flush(const vz_handle *handle, hid_t id, vz_error *err);

/* The place for a new object: none (zero) when name is NULL, which is an anonymous object.
 * VZ_EXISTS if taken. */
bool vz_obj_place_of_new(vz_place *place, vz_handle *from, const char *name, const vz_creation *with, vz_error *err);

/* -- Pending --
 * calls of an event set that wait. */
/* pending_ahead.c: what a call that waits will ask a server for. It is fetched before the call is
 * made. */
typedef struct vz_obj_ahead {
    vz_tree_wanted wanted; /* its documents; of a read: where its dataset is */
    bool reads;            /* elements, of this box: */
    vz_tree_box box;
    vz_tree_keys chunks; /* that were fetched for it */
    uint64_t number;     /* in the order of the calls */
    bool is_asked, is_fetched;
    struct vz_obj_ahead *next;
} vz_obj_ahead;
/* The request is the call's, and was deferred just now. */
void vz_obj_ahead_begin(vz_obj_ahead *one, struct vz_async_request *request);
/* Answers that were not used are forgotten. */
void vz_obj_ahead_end(vz_obj_ahead *one);
void vz_obj_ahead_move(vz_obj_ahead *to, vz_obj_ahead *from);

/* pending_object.c: an object that HDF5 has already, and that is opened later. */
typedef struct vz_obj_pending {
    vz_handle handle; /* first; of it `object` and `file` alone, until it is open */
    bool failed;      /* it could not be opened: */
    vz_error error;
    struct vz_obj_opening *opening; /* NULL: it was tried */
} vz_obj_pending;
typedef struct vz_obj_opening {
    vz_obj_ahead ahead;
    vz_obj_pending *object;
    vz_object *from;        /* whose closing finishes all requests, or is one that comes later */
    char *path, *attribute; /* NULL: of `from` itself, no attribute */
} vz_obj_opening;
/* May a call with that object, or with one at the path (NULL: itself), wait? Then it gets what is
 * wanted. */
bool vz_obj_may_wait(vz_object *from, const char *path, vz_tree_kind kind, vz_tree_wanted *wanted);

/* -- Dataset ops --
 * datasets. */
vz_object *vz_obj_dataset_new(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                              vz_error *err);
vz_object *vz_obj_dataset_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                               vz_error *err);
herr_t vz_obj_datasets_move(const vz_h5_datasets_call *call, vz_error *err);
/* dataset_requests.c. *request, if it is one already, goes on. */
herr_t vz_obj_datasets_start(const vz_h5_datasets_call *call, struct vz_async_request **request, vz_error *err);
/* The read keeps what was fetched for it. */
herr_t vz_obj_datasets_start_fetched(const vz_h5_datasets_call *call, vz_obj_ahead *ahead,
                                     struct vz_async_request **request, vz_error *err);
/* Does another connector lie above this one? */
bool vz_obj_is_covered(const vz_handle *handle);

herr_t vz_obj_dataset_get(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_dataset_close(vz_object *dset, hid_t dxpl, vz_error *err);

/* A handle on a node that is an array which could be understood. Takes no reference. dapl may be
 * H5P_DEFAULT. */
vz_handle *vz_obj_dataset_handle(vz_file *file, vz_node *node, hid_t dapl, vz_error *err);

/* -- Iterate --
 * H5Literate, H5Lvisit, H5Ovisit and their old forms. All return the operator's value; negative
 * = failure. */
/* `opened`: how the group was reached; taken. */
herr_t vz_iterate_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                        vz_error *err);
herr_t vz_iterate_links_old(vz_file *file, vz_node *group, vz_opened *opened,
                            const H5VL_native_group_iterate_old_t *args, vz_error *err);
herr_t vz_visit_objects(vz_file *file, vz_node *start, vz_opened *opened, const H5VL_object_visit_args_t *args,
                        vz_error *err);

/* -- Link ops --
 * links. */
herr_t vz_obj_link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                          hid_t dxpl, vz_error *err);
herr_t vz_obj_link_copy(const vz_h5_link_ends *ends, vz_error *err);
herr_t vz_obj_link_move(const vz_h5_link_ends *ends, vz_error *err);
herr_t vz_obj_link_get(vz_object *obj, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_link_specific(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                            vz_error *err);
herr_t vz_obj_link_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* -- Object ops --
 * Objects of any type, tokens, and what stores do not have yet. */
vz_object *vz_obj_open(vz_object *obj, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl, vz_error *err);
herr_t vz_obj_copy(const vz_object_ends *ends, vz_error *err);
herr_t vz_obj_get(vz_object *obj, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_specific(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_obj_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* -- Object token --
 * Object tokens as text and in order. */
herr_t vz_obj_token_cmp(vz_object *obj, const H5O_token_t *a, const H5O_token_t *b, int *result, vz_error *err);
herr_t vz_obj_token_to_str(vz_object *obj, H5I_type_t type, const H5O_token_t *token, char **text, vz_error *err);
herr_t vz_obj_token_from_str(vz_object *obj, H5I_type_t type, const char *text, H5O_token_t *token, vz_error *err);

/* -- Optional --
 * The native connector's optional operations that objects of stores answer: what opt_query says. */
bool vz_obj_file_optional_known(int op);
bool vz_obj_dataset_optional_known(int op);
herr_t vz_opt_query(vz_object *obj, H5VL_subclass_t subclass, int op, uint64_t *flags, vz_error *err);

/* -- Unsupported --
 * Operations that a store answers with "unsupported". */
herr_t vz_blob_put(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err);
herr_t vz_blob_get(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err);
herr_t vz_blob_specific(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err);

/* -- Visit --
 * Walks over a whole subtree, parents before children. */
/* H5Lvisit below a group. */
herr_t vz_visit_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                      vz_error *err);

#endif
