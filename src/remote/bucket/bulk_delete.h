/* bulk_delete.h - many keys deleted at once. */
#ifndef VZ_BUCKET_BULK_DELETE_H
#define VZ_BUCKET_BULK_DELETE_H

#include "remote/bucket/task.h"

/* Keys that are not there are no error. On failure some may be gone. */
bool vz_delete_many(vz_remote *remote, char *const *whole_keys, size_t count, vz_error *err);

#endif
