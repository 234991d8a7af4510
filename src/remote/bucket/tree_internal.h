/* tree_internal.h - operations on many keys, probes of a prefix, files as stores, server-side
 * copies. */
#ifndef VZ_BUCKET_TREE_INTERNAL_H
#define VZ_BUCKET_TREE_INTERNAL_H

#include "remote/bucket/bucket_internal.h"
#include "remote/bucket/task_internal.h"
#include "store/store/kind.h"
#include <stdatomic.h>

/* -- Bulk delete -- */
/* Deletes many keys. A missing key is no error. On failure some keys may be deleted. */
bool vz_bucket_delete_many(vz_bucket *remote, char *const *whole_keys, size_t count, vz_error *err);

/* -- List keys -- all keys below a prefix, in groups: documents, values, large values. */
#define VZ_KEYS_MAX ((size_t)1 << 22) /* keys held in memory */

typedef struct vz_keys {
    char **documents, **values; /* whole keys; documents of parents come first */
    char **large;               /* values too large for one copy request; not in `values` */
    size_t document_count, value_count, large_count, document_room, value_room, large_room;
    bool are_more; /* some values are left out */
    vz_arena arena;
} vz_keys;

/* Lists the keys below the whole prefix, which ends with a slash. Clear `keys` in any case. */
bool vz_keys_list(vz_bucket *remote, const char *whole_prefix, vz_keys *keys, vz_error *err);
/* A listing in the background. `begin` borrows prefix and keys until `end`, which waits. Call `end`
 * only after `begin` returned true. */
typedef struct vz_keys_listing {
    const char *prefix;
    vz_keys *keys;
    struct vz_listing_progress *progress;
    vz_task task;
    vz_task_queue *run;
} vz_keys_listing;
bool vz_keys_list_begin(vz_keys_listing *listing, vz_bucket *remote, const char *whole_prefix, vz_keys *keys,
                        vz_error *err);
bool vz_keys_list_end(vz_keys_listing *listing, vz_error *err);
/* Adds a key that is no large value. */
bool vz_keys_add(vz_keys *keys, const char *whole_key, vz_error *err);
void vz_keys_clear(vz_keys *keys);
size_t vz_bucket_key_depth(const char *key); /* slashes in it */

/* -- Prefix probe -- is anything below a prefix? Ignores hidden keys directly there (create locks)
 * and keys of `but`. */
typedef struct vz_bucket_prefix_probe {
    bool (*but)(void *context, const char *whole_key); /* is the key ignored? NULL: none is */
    void *context;
    bool is_empty;    /* the answer, once there is one */
    vz_buffer prefix; /* the caller clears it, except after vz_bucket_prefix_probe_now */
} vz_bucket_prefix_probe;

/* Sends the request and waits for the answer. */
bool vz_bucket_prefix_probe_now(vz_bucket_prefix_probe *look, vz_bucket *remote, const char *prefix, vz_error *err);
/* Adds the request to a task; vz_bucket_prefix_probe_take handles its page. */
bool vz_bucket_prefix_probe_ask(vz_bucket_prefix_probe *look, vz_task *task, const char *prefix, vz_error *err);
void vz_bucket_prefix_probe_take(vz_bucket_prefix_probe *look, const vz_list_page *page);

/* -- Remote file -- the bytes of one remote value as a byte source: read by ranges, all of one
 * version. */
#define VZ_FILE_BLOCKS 3

typedef struct vz_bucket_file_bytes {
    vz_byte_source base;
    vz_bucket *remote; /* its prefix is the value's key; borrowed */
    uint64_t size;
    vz_version version;
    struct {
        uint64_t first;
        vz_buffer bytes;
    } blocks[VZ_FILE_BLOCKS]; /* that were read: start, end, and the last other one */
} vz_bucket_file_bytes;

/* Reads the start and the end of the value in one round trip. *found=false (and true returned): no
 * such value. */
bool vz_bucket_file_bytes_open(vz_bucket *remote, vz_bucket_file_bytes **bytes, bool *found, vz_error *err);
void vz_bucket_file_bytes_close(vz_bucket_file_bytes *bytes);
/* Examines the start of the value; *is_zip: it begins with a zip entry. */
bool vz_bucket_file_bytes_look(vz_bucket_file_bytes *bytes, vz_signature *header, bool *is_zip, vz_error *err);
/* The bytes of its start that were read already. */
vz_bytes vz_bucket_file_bytes_start(const vz_bucket_file_bytes *bytes);
/* Some bytes of the start or the end that were read when it was opened, borrowed; NULL: they were
 * not. In any thread. */
const uint8_t *vz_bucket_file_bytes_opened(const vz_bucket_file_bytes *bytes, uint64_t offset, size_t size);

/* After a failed attempt: waits, and says whether another one may help. */
bool vz_bucket_again(unsigned attempt, const vz_error *failed);

/* -- File pieces -- parts of a remote file, and where each goes. */
/* Bytes first .. first+size-1 of the file. */
typedef struct vz_bucket_piece {
    uint64_t first;
    size_t size;
    uint8_t *place; /* the caller's memory of that size */
} vz_bucket_piece;

/* Zeroed at first; the caller frees `items`. */
typedef struct vz_bucket_pieces {
    vz_bucket_piece *items;
    size_t count, capacity;
} vz_bucket_pieces;

/* A large part becomes several, of one request each. */
bool vz_bucket_pieces_add(vz_bucket_pieces *list, uint64_t first, size_t size, uint8_t *place, vz_error *err);

/* Gets all of them in one round trip, and again after a failure that may pass. `version`: that
 * which was met first, or an empty one. VZ_CHANGED: the file is another one by now, or gone. The
 * error names the file. */
bool vz_bucket_pieces_get(vz_bucket *remote, const vz_version *version, const vz_bucket_pieces *list, vz_error *err);

/* remote_hdf5.c: the HDF5 file whose start and end were read; takes the remote over, and what was
 * read. NULL with err set: no memory, and nothing is taken over. */
vz_byte_source *vz_bucket_hdf5(vz_bucket *remote, vz_bucket_file_bytes *bytes, vz_error *err);
/* One that was remembered a moment ago (vz_bucket_remember_hdf5); NULL: none. */
vz_byte_source *vz_bucket_hdf5_recent(const vz_site *site);

/* remote_references.c: is the value a reference file? Then its store, for reading, which owns the
 * remote. NULL with err set: it is damaged. NULL without: it is none. */
vz_store *vz_bucket_references(vz_bucket *remote, vz_bucket_file_bytes *bytes, const vz_options *options,
                               vz_error *err);

/* -- Remote zip -- a zip file or one-file store that is one remote value. */
typedef struct vz_bucket_zip {
    vz_store base;
    vz_store *zip;               /* its tree, over bytes of the value ... */
    vz_bucket_file_bytes *bytes; /* ... which it owns */
    atomic_bool was_read;        /* some batch was read: what came with the opening is old */
    vz_bucket *remote;
    uint64_t size;
    vz_version version; /* of the value */
} vz_bucket_zip;

extern const vz_batch_class vz_bucket_zip_batches; /* remote_zip_batch.c: reads of many entries */

/* Opens the value at the remote's prefix as a store for reading, which then owns the remote. The
 * value is a zip file, a one-file store or, asked with such options, a reference file. NULL with
 * err set: the value is no such file, or is damaged. NULL without: there is no value, or *hdf5 is
 * the HDF5 file there, which then owns the remote. */
vz_store *vz_bucket_file_store(vz_bucket *remote, const vz_options *options, vz_byte_source **hdf5, vz_error *err);
bool vz_bucket_is_file_store(const vz_store *store);

/* -- Server-side copy -- for delete_tree.c. */
/* State of a task that begins with vz_bucket_copy_begin or vz_bucket_copy_begin_large. */
typedef struct vz_bucket_server_copy {
    const char *from, *to; /* whole keys */
} vz_bucket_server_copy;

typedef bool (*vz_bucket_begin_copy)(vz_task *task, vz_error *err);

/* Copies in one request. VZ_CHANGED: the value no longer exists. */
bool vz_bucket_copy_begin(vz_task *task, vz_error *err);
/* Copies a value of more than `copy_max` bytes in parts of one version (S3's UploadPartCopy). For
 * vz_task_queue_all only.
 * - Content type and encoding are copied, the owner's metadata (x-amz-meta-...) are not.
 * - VZ_CHANGED: the value was replaced or deleted meanwhile. A failure aborts the upload. */
bool vz_bucket_copy_begin_large(vz_task *task, vz_error *err);

#endif
