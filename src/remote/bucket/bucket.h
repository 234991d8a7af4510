/* bucket.h - the kinds of remote stores, and the options with which a thread opens them. */
#ifndef VZ_BUCKET_BUCKET_H
#define VZ_BUCKET_BUCKET_H

#include "base/util/options.h"
#include "store/store/kind.h"

/* All kinds of stores, remote and local, for vz_store_set_kinds. NULL ends. */
extern const vz_store_kind *const vz_bucket_all_kinds[];

/* Sets the options with which this thread finds, opens and creates remote stores from now on.
 * Before: the defaults. Texts in them are borrowed and must stay. */
void vz_bucket_use(const vz_options *options);

/* Keeps an HDF5 file (vz_location.hdf5) for some seconds: who looks at its name then gets it. Takes
 * it over. */
void vz_bucket_remember_hdf5(vz_byte_source *source);

/* Without documents below it, a remote name may be that of a file, even without a suffix: looks,
 * and the location is that of the file then. False: it is none, and nothing changed. */
bool vz_bucket_look_for_file(vz_location *location);

#endif
