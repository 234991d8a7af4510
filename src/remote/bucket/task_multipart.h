/* task_multipart.h - values that are made in parts: put so, for task_put.c, or copied so, for server_copy.c. */
#ifndef VZ_BUCKET_TASK_MULTIPART_H
#define VZ_BUCKET_TASK_MULTIPART_H

#include "remote/bucket/task.h"

#define VZ_PARTS_FROM ((size_t)64 << 20) /* bytes of a value from which on it is put in parts, */
#define VZ_PART_SIZE  ((size_t)16 << 20) /* of so many, or of as many more as keep it at */
#define VZ_PARTS_MAX  10000              /* parts */

/* An upload in parts, whatever they are made of: the head of its task's state. It ends under the condition of the
 * task's request, if there is one. */
typedef struct vz_upload {
    vz_buffer key; /* whole, with a 0 behind it: what is made */
    uint64_t size; /* bytes of all parts together, more than 0 */
    uint64_t part_size;
    /* Asks for the part of `size` bytes from `first`, by the query that says which one it is. An answer that goes to
     * `into` has the ETag in its text, else it is a header. */
    bool (*ask_part)(vz_remote_task *task, const char *query, uint64_t first, uint64_t size, vz_error *err);
    /* the rest is task_multipart.c's, and zero before it begins */
    size_t count;
    char *id;        /* as URLs have it */
    bool is_over;    /* it is made, or was taken back */
    vz_buffer list;  /* the document that ends it */
    vz_error failed; /* why it is taken back */
} vz_upload;

/* Asks for the upload, of parts that have at least the size that is set; the exchange, to which lines may be added.
 * NULL with err set. */
vz_exchange *vz_upload_begin(vz_remote_task *task, vz_error *err);
/* One that is neither made nor taken back, because another task of its run failed, is taken back: asks once, and waits.
 * Nothing else of the task is under way. */
void vz_upload_end(vz_remote_task *task);
void vz_upload_clear(vz_upload *upload);

/* The header line of the condition, if there is a request and it has one. */
bool vz_task_condition(const vz_request *request, vz_exchange *x, vz_error *err);
/* The answer to a change: VZ_CHANGED also where a value that should be there is not. */
bool vz_task_check_change(vz_remote_task *task, const vz_exchange *x, vz_error *err);

#endif
