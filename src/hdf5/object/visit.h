/* visit.h - walks over a whole subtree, parents before children. */
#ifndef VZ_OBJECT_VISIT_H
#define VZ_OBJECT_VISIT_H

#include "hdf5/handles/handle.h"

/* H5Lvisit below a group. */
herr_t vz_visit_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                      vz_error *err);

#endif
