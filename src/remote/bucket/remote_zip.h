/* remote_zip.h - a zip file or a one-file store that is one value far away: read by ranges of it. */
#ifndef VZ_BUCKET_REMOTE_ZIP_H
#define VZ_BUCKET_REMOTE_ZIP_H

#include "remote/bucket/bucket_store.h"

/* Looks whether the value at the remote's prefix is such a file; then *store is one, for reading, and has taken the
 * remote over. NULL with err set: there is a file, and it is none, or damaged. NULL without: there is no file. */
vz_store *vz_remote_file_store(vz_remote *remote, vz_error *err);
bool vz_remote_is_file_store(const vz_store *store);

#endif
