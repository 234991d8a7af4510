/* list_keys.h - all keys below a prefix, told apart into documents and the rest. */
#ifndef VZ_BUCKET_LIST_KEYS_H
#define VZ_BUCKET_LIST_KEYS_H

#include "remote/bucket/task.h"

#define VZ_KEYS_MAX ((size_t)1 << 22) /* that are held in memory */

typedef struct vz_keys {
    char **documents, **values; /* whole keys; documents of what is above come first */
    char **large;               /* values that are too large to be copied in one; not among the others */
    size_t document_count, value_count, large_count, document_room, value_room, large_room;
    bool are_more; /* not all values fitted */
    vz_arena arena;
} vz_keys;

/* What is listed below the whole prefix, which ends with a slash. Clear it in any case. */
bool vz_keys_list(vz_remote *remote, const char *whole_prefix, vz_keys *keys, vz_error *err);
/* The same while the caller does something else: prefix and keys are borrowed from the beginning to the end, which
 * waits. Without a beginning that went well there is nothing to end. */
typedef struct vz_keys_listing {
    const char *prefix;
    vz_keys *keys;
    struct vz_list_progress *progress;
    vz_remote_task task;
    vz_task_queue *run;
} vz_keys_listing;
bool vz_keys_list_begin(vz_keys_listing *listing, vz_remote *remote, const char *whole_prefix, vz_keys *keys,
                        vz_error *err);
bool vz_keys_list_end(vz_keys_listing *listing, vz_error *err);
/* One that is no large value. */
bool vz_keys_add(vz_keys *keys, const char *whole_key, vz_error *err);
void vz_keys_clear(vz_keys *keys);
size_t vz_key_depth(const char *key); /* slashes in it */

#endif
