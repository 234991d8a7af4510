/* iterate.h - H5Literate, H5Lvisit, H5Ovisit and their old forms. All return the operator's value; negative = failure.
 */
#ifndef VZ_OBJECT_ITERATE_H
#define VZ_OBJECT_ITERATE_H

#include "object/handle.h"

herr_t vz_iterate_links(const vz_handle *from, const vz_loc *loc, const H5VL_link_iterate_args_t *args, vz_error *err);
herr_t vz_iterate_links_old(const vz_handle *from, const H5VL_native_group_iterate_old_t *args, vz_error *err);
herr_t vz_visit_objects(const vz_handle *from, const vz_loc *loc, const H5VL_object_visit_args_t *args, vz_error *err);

#endif
