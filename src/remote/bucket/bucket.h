/* bucket.h - the rows of what is far away. */
#ifndef VZ_BUCKET_BUCKET_H
#define VZ_BUCKET_BUCKET_H

#include "base/util/options.h"
#include "store/store/kind.h"

/* All kinds of stores, remote and in the file system, for vz_store_set_kinds. NULL ends. */
extern const vz_store_kind *const vz_bucket_all_kinds[];

/* The options with which this thread finds, opens and creates such stores from now on. Until then: the defaults. What
 * the texts in them point at must stay. */
void vz_remote_use(const vz_options *options);

#endif
