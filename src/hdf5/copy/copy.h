/* copy.h - H5Ocopy between any two objects that come to us, of stores and of native files.
 *
 * The walk goes by public calls over ids of both sides, so that links, types and elements mean
 * what they mean to any program. Only where both sides are nodes of stores a node is copied as
 * such: documents and stored chunks as they are. Copies are anonymous until they are whole; the
 * last step gives the topmost one its name. */
#ifndef VZ_COPY_COPY_H
#define VZ_COPY_COPY_H

#include "base/util/hash.h"
#include "hdf5/h5/object.h"
#include "hdf5/handles/handle.h"

herr_t vz_copy_object(vz_object *src, const char *src_name, vz_object *dst, const char *dst_name, hid_t ocpypl,
                      hid_t lcpl, vz_error *err);

/* ---- shared by the files of the copy ---- */

#endif
