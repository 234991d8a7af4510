/* locate_internal.h - the part of locate.h that only this module uses. */
#ifndef VZ_HANDLES_LOCATE_INTERNAL_H
#define VZ_HANDLES_LOCATE_INTERNAL_H

#include "hdf5/handles/locate.h"

/* Follows a path from a group of the file; takes the reference to `node`. reached->opened is how that was reached, and
 * becomes how the result was; on failure it is cleared. */
vz_node *vz_follow(vz_file *file, vz_node *node, const char *path, hid_t lapl, vz_reached *reached, vz_error *err);

/* The link at a position of an index. NULL + VZ_NOT_FOUND beyond the end, VZ_INVALID where creation order is not
 * tracked. */
vz_link *vz_link_by_index(vz_node *group, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err);

/* external_link_file.c: opens the file of an external link as H5Lcreate_external describes it. */
hid_t vz_elink_file_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err);

#endif
