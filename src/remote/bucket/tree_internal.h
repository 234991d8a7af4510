/* tree_internal.h - bulk delete, list keys, prefix exists, remote file, remote zip, server copy. */
#ifndef VZ_BUCKET_TREE_INTERNAL_H
#define VZ_BUCKET_TREE_INTERNAL_H

#include "remote/bucket/bucket_internal.h"
#include "remote/bucket/task_internal.h"
#include "store/store/kind.h"

/* -- Bulk delete --
 * many keys deleted at once. */
/* Keys that are not there are no error. On failure some may be gone. */
bool vz_delete_many(vz_remote *remote, char *const *whole_keys, size_t count, vz_error *err);

/* -- List keys --
 * all keys below a prefix, told apart into documents and the rest. */
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

/* -- Prefix exists --
 * whether anything is below a prefix, but what is hidden directly there (claims), and what is left out. */
typedef struct vz_first_look {
    bool (*but)(void *context, const char *whole_key); /* keys that count for nothing; NULL: none */
    void *context;
    bool is_empty;    /* the answer, once there is one */
    vz_buffer prefix; /* its own; the caller's to clear, but after vz_first_look_now */
} vz_first_look;

/* Asks, and waits for the answer. */
bool vz_first_look_now(vz_first_look *look, vz_remote *remote, const char *prefix, vz_error *err);
/* The same as one of the exchanges of a task, whose page is taken when it is there. */
bool vz_first_look_ask(vz_first_look *look, vz_remote_task *task, const char *prefix, vz_error *err);
void vz_first_look_take(vz_first_look *look, const vz_list_page *page);

/* -- Remote file --
 * the bytes of one value far away as a medium: read by ranges, all of one version. */
#define VZ_FILE_BLOCKS 3

typedef struct vz_file_bytes {
    vz_byte_source base;
    vz_remote *remote; /* whose prefix is the value's key; not the medium's to close */
    uint64_t size;
    vz_version version;
    struct {
        uint64_t first;
        vz_buffer bytes;
    } blocks[VZ_FILE_BLOCKS]; /* read: its start, its end, and what was asked for last */
} vz_file_bytes;

/* Asks for the start and the end of the value, at once. *found=false (and true returned): there is none. */
bool vz_file_bytes_open(vz_remote *remote, vz_file_bytes **bytes, bool *found, vz_error *err);
void vz_file_bytes_close(vz_file_bytes *bytes);
/* What the value begins with; *is_zip: entries of a zip do. */
bool vz_file_bytes_look(vz_file_bytes *bytes, vz_signature *header, bool *is_zip, vz_error *err);

/* -- Remote zip --
 * a zip file or a one-file store that is one value far away: read by ranges of it. */
/* Looks whether the value at the remote's prefix is such a file; then *store is one, for reading, and has taken the
 * remote over. NULL with err set: there is a file, and it is none, or damaged. NULL without: there is no file. */
vz_store *vz_remote_file_store(vz_remote *remote, vz_error *err);
bool vz_remote_is_file_store(const vz_store *store);

/* -- Server copy --
 * a value copied by the server, for delete_tree.c. */
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
