/* server_copy.h - a value copied by the server, for delete_tree.c. */
#ifndef VZ_BUCKET_SERVER_COPY_H
#define VZ_BUCKET_SERVER_COPY_H

#include "remote/bucket/task.h"

/* The state of a task that begins as one of those below. */
typedef struct vz_server_copy {
    const char *from, *to; /* whole keys */
} vz_server_copy;

typedef bool (*vz_begin_copy)(vz_remote_task *task, vz_error *err);

/* In one request. VZ_CHANGED: there is no such value any more. */
bool vz_copy_begin(vz_remote_task *task, vz_error *err);
/* In parts, all of one version (S3's UploadPartCopy): for a value of more than `copy_max` bytes. Its type and encoding
 * go along; the owner's metadata (x-amz-meta-...) do not. VZ_CHANGED: it was replaced or deleted meanwhile. What fails
 * is taken back. For vz_run_all only. */
bool vz_copy_begin_large(vz_remote_task *task, vz_error *err);

#endif
