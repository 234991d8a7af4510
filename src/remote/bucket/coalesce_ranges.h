/* coalesce_ranges.h - requests of a batch that read ranges of one value near one another are asked for together. */
#ifndef VZ_BUCKET_COALESCE_RANGES_H
#define VZ_BUCKET_COALESCE_RANGES_H

#include "remote/bucket/task.h"

typedef struct vz_gather vz_gather;

/* The requests are the caller's, and stay where they are until the end. begin: as vz_run_open has it. NULL with err
 * set.
 */
vz_gather *vz_gather_open(vz_remote *remote, vz_request *const *requests, size_t count,
                          bool (*begin)(vz_remote_task *task, vz_error *err), vz_error *err);
/* The next answered request; `failed` tells why it failed, and is of class VZ_OK if it did not. Bytes for which a GET
 * has no place are in `bytes`, which was empty. *index: which of the requests it is. NULL: there are no more. Any
 * thread. */
vz_request *vz_gather_next(vz_gather *gather, size_t *index, vz_buffer *bytes, vz_error *failed);
void vz_gather_close(vz_gather *gather);
void vz_gather_drop(vz_gather *gather); /* in a forked child */

#endif
