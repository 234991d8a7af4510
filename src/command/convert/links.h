/* links.h - links that are no objects: soft, external, and those of classes that users define. */
#ifndef VZ_CONVERT_LINKS_H
#define VZ_CONVERT_LINKS_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* Makes the same link, under the same name, in another group. A link of a class that nobody registered is copied by its
 * bytes. */
bool vz_link_copy(hid_t from, const char *name, const H5L_info2_t *info, hid_t to, hid_t lcpl, vz_error *err);
/* Do two links of one type that is not "hard" say the same? */
bool vz_link_same(hid_t a, const H5L_info2_t *info_a, hid_t b, const H5L_info2_t *info_b, const char *name, bool *same,
                  vz_error *err);

#endif
