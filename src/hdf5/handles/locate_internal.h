/* locate_internal.h - paths followed to nodes, links and files; references made from text. */
#ifndef VZ_HANDLES_LOCATE_INTERNAL_H
#define VZ_HANDLES_LOCATE_INTERNAL_H

#include "hdf5/handles/locate.h"
#include "hdf5/handles/reference.h"

/* -- Locate -- */
/* The token number of the last lookup since vz_locate_forget_token, found or not; 0: none. */
uint64_t vz_locate_last_token(void);
void vz_locate_forget_token(void);

/* Follows a path from a group of the file; takes the reference to `node`. Before, reached->opened
 * is the way that group was reached; after, it is the way of the result. On failure it is
 * cleared. */
vz_node *vz_locate_follow(vz_file *file, vz_node *node, const char *path, hid_t lapl, vz_locate_result *reached,
                          vz_error *err);

/* The link at a position of an index. NULL + VZ_NOT_FOUND beyond the end, VZ_INVALID where
 * creation order is not tracked. */
vz_link *vz_handle_link_by_index(vz_node *group, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err);

/* external_link_file.c: opens the file of an external link as H5Lcreate_external describes it. */
hid_t vz_file_elink_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err);

/* -- Reference -- */
/* external_reference.c: to an object of another file, named by "source" and "path". The file is
 * opened when the reference is followed, if it can be. */
bool vz_handle_reference_make_external(vz_file *file, const vz_json *text, H5R_ref_t *out, vz_error *err);

/* Adds these to *text. `token` is the reference's. */
bool vz_handle_reference_describe_external(const vz_file *file, const H5R_ref_t *reference, uint64_t token,
                                           vz_json **text, vz_error *err);

/* region_reference.c: see vz_reference_maker. */
bool vz_handle_reference_make_region(void *file, uint64_t token, const vz_json *text, hdset_reg_ref_t *out,
                                     vz_error *err);
uint64_t vz_handle_reference_describe_region(void *file, const hdset_reg_ref_t *reference, vz_json **text,
                                             vz_error *err);

#endif
