/* iterate.h - H5Literate, H5Lvisit, H5Ovisit and their old forms. All return the operator's value; negative = failure.
 */
#ifndef VZ_OBJECT_ITERATE_H
#define VZ_OBJECT_ITERATE_H

#include "hdf5/handles/handle.h"

/* `opened`: how the group was reached; taken. */
herr_t vz_iterate_links(vz_file *file, vz_node *group, vz_opened *opened, const H5VL_link_iterate_args_t *args,
                        vz_error *err);
herr_t vz_iterate_links_old(vz_file *file, vz_node *group, vz_opened *opened,
                            const H5VL_native_group_iterate_old_t *args, vz_error *err);
herr_t vz_visit_objects(vz_file *file, vz_node *start, vz_opened *opened, const H5VL_object_visit_args_t *args,
                        vz_error *err);

#endif
