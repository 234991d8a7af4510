/* sync_internal.h - copies of stores as they are: keys and bytes. See README.md for the way of a
 * run. */
#ifndef VZ_SYNC_SYNC_INTERNAL_H
#define VZ_SYNC_SYNC_INTERNAL_H

#include "base/os/thread.h"
#include "command/command/command.h"
#include "command/target/target.h"
#include "hierarchy/resolve/path.h"
#include "store/store/kind.h"
#include "store/store/request.h"
#include <stdatomic.h>

#define VZ_SYNC_THREADS      8 /* for files, which wait for the disk */
#define VZ_SYNC_THREADS_MAX  64
#define VZ_SYNC_WINDOW_KEYS  512                  /* values that are under way at once, */
#define VZ_SYNC_WINDOW_BYTES ((uint64_t)64 << 20) /* and their bytes */
#define VZ_SYNC_WHOLE_MAX    ((uint64_t)16 << 20) /* bytes of a value that is held as a whole */
#define VZ_SYNC_PIECE        ((size_t)8 << 20)    /* bytes of a piece of a larger one */
#define VZ_SYNC_DEPTH_MAX    256                  /* levels of prefixes */
#define VZ_SYNC_ROUNDS       4                    /* times that a source which changes is copied */
#define VZ_SYNC_SUMS         65536                /* groups of keys whose versions are summed */
#define VZ_SYNC_ROOTS        5                    /* documents that a root may have */
#define VZ_SYNC_MARKER_MAX   8192                 /* bytes of a marker */
/* Of a source on a web server: */
#define VZ_SYNC_LOOKS     128                 /* keys that are looked at, at once */
#define VZ_SYNC_NAMES_MAX (1 << 20)           /* names below one prefix */
#define VZ_SYNC_ASKED_MAX (UINT64_C(1) << 24) /* chunks of an array */
#define VZ_SYNC_HELD_MAX  ((size_t)256 << 20) /* bytes of a value that is not sent in ranges */

/* -- What is asked for -- */
typedef struct vz_sync_request {
    const char *source, *target; /* as they were given */
    const char *container;       /* kind of a new target; NULL: by its name */
    bool is_copy;                /* cp: the target is new, or an unfinished copy of this source */
    bool resumes;                /* cp: also where nothing tells whether its program lives */
    bool deletes;                /* what the source lacks goes */
    bool compares;               /* bytes decide */
    bool dry_run, json, quiet;
    unsigned threads; /* 0: VZ_SYNC_THREADS */
} vz_sync_request;

/* -- Side: a store, the source or the target -- */
typedef struct vz_sync_side {
    const char *name; /* as it was given */
    vz_path_result found;
    vz_store *store;         /* with its layers; NULL: there is none yet */
    vz_store *raw;           /* the one without layers, which is owned by `store` */
    bool is_directory;       /* of the file system */
    bool is_bucket;          /* walked page by page */
    bool is_far;             /* values are asked for by requests: a bucket, or a web server */
    bool is_web;             /* a web server, which lists nothing */
    bool keeps_back;         /* shows nothing before a commit */
    struct vz_sync_web *web; /* its keys, for the next walk; NULL: they are looked for anew */
    uint64_t generation;     /* of a local file that is the store; else 0 */
    char *label;             /* names the place in a marker; no secret is in it */
} vz_sync_side;

/* Opens the source: a Zarr store with a document in its root, not an unfinished copy. */
bool vz_sync_open_source(vz_sync_side *side, vz_error *err);
/* Looks at the target's place. side->store stays NULL. */
bool vz_sync_find_target(vz_sync_side *side, vz_error *err);
/* Takes the store over. */
bool vz_sync_take_store(vz_sync_side *side, vz_store *raw, bool writable, vz_error *err);
/* A source in one local file that was changed since is opened anew; *changed says whether. */
bool vz_sync_reopen(vz_sync_side *side, bool *changed, vz_error *err);
void vz_sync_close_side(vz_sync_side *side);
/* apart.c. The source is not the target, nor is one within the other, by any name. */
bool vz_sync_check_apart(vz_sync_side *source, vz_sync_side *target, vz_error *err);

/* -- Walk: values of a store in the bytewise order of their keys -- */
typedef struct vz_sync_value {
    const char *key; /* borrowed until the next one */
    uint64_t size;
    uint64_t version;    /* a number of its version, which another run of the walk finds again */
    vz_version demanded; /* of a bucket, for conditions */
    bool has_time;
    struct timespec modified; /* what is given to a file that is its copy */
    bool has_md5;
    uint8_t md5[16];
} vz_sync_value;

typedef struct vz_sync_walk vz_sync_walk;
/* `never`: the other side, in whose root the walk must not come; NULL: none. */
vz_sync_walk *vz_sync_walk_open(vz_sync_side *side, const vz_sync_side *never, vz_error *err);
/* *value=NULL: the end. */
bool vz_sync_walk_next(vz_sync_walk *walk, const vz_sync_value **value, vz_error *err);
void vz_sync_walk_close(vz_sync_walk *walk);
/* -- Keys on a web server --
 * web_keys.c: those that the metadata names, as it is when they are opened. */
typedef struct vz_sync_web vz_sync_web;
/* VZ_UNSUPPORTED: nothing tells which keys there are. */
vz_sync_web *vz_sync_web_open(vz_sync_side *side, vz_error *err);
void vz_sync_web_close(vz_sync_web *web); /* NULL is fine */
/* Names it this very key? Then it has to be there. */
bool vz_sync_web_needs(const vz_sync_web *web, const char *key);
bool vz_sync_web_fail_missing(vz_error *err);
/* web_names.c: what may lie directly below a prefix; as vz_store_list. */
bool vz_sync_web_list(const vz_sync_web *web, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);

/* Removes the files that a killed writer of this directory had begun. Nobody else writes there. */
bool vz_sync_sweep(vz_sync_side *side, vz_error *err);

/* -- MD5 (md5.c) -- of a value, as servers with buckets tell it */
typedef struct vz_sync_md5 {
    uint32_t state[4];
    uint64_t size;
    uint8_t block[64];
} vz_sync_md5;
void vz_sync_md5_begin(vz_sync_md5 *sum);
void vz_sync_md5_more(vz_sync_md5 *sum, const void *data, size_t size);
void vz_sync_md5_end(vz_sync_md5 *sum, uint8_t result[16]);
/* From an ETag of 32 digits, or from base64. */
bool vz_sync_md5_parse(const char *etag, const char *base64, uint8_t result[16]);

/* -- Decision: is the target's value the source's? -- */
typedef enum vz_sync_way {
    VZ_SYNC_SAME,
    VZ_SYNC_NEW,  /* the target has none */
    VZ_SYNC_SIZE, /* another size */
    VZ_SYNC_SUM,  /* another checksum */
    VZ_SYNC_LOOK, /* the bytes of both decide */
    VZ_SYNC_HASH, /* the MD5 of the source's bytes decides, since the target's is known */
} vz_sync_way;
vz_sync_way vz_sync_decide(const vz_sync_value *source, const vz_sync_value *target, const vz_sync_side *in,
                           bool compares);

/* -- Item: a value that is to be copied, or to be decided about -- */
typedef struct vz_sync_item {
    char *key; /* the window's own */
    uint64_t size, version;
    vz_version demanded;
    struct timespec modified;
    bool has_time;
    uint8_t md5[16]; /* of the target's value, for VZ_SYNC_HASH */
    vz_sync_way way;
    bool differs; /* the answer */
} vz_sync_item;

/* -- Sums: did the source change while it was copied? -- memory does not grow with the keys */
typedef struct vz_sync_sums {
    _Atomic(uint64_t) first[VZ_SYNC_SUMS]; /* of the versions that were copied, */
    uint64_t second[VZ_SYNC_SUMS];         /* and of those that a later walk met */
    bool again[VZ_SYNC_SUMS];              /* a key of the group changed in the last round */
} vz_sync_sums;
void vz_sync_sums_add(vz_sync_sums *sums, const char *key, uint64_t version);
void vz_sync_sums_met(vz_sync_sums *sums, const char *key, uint64_t version);
/* The version that was copied may not be the one that the walk met. Any thread. */
void vz_sync_sums_spoil(vz_sync_sums *sums, const char *key);
bool vz_sync_sums_again(const vz_sync_sums *sums, const char *key);
/* Ends a round: false if something changed, and `again` tells where. */
bool vz_sync_sums_end(vz_sync_sums *sums);

/* -- List of keys in a file without a name -- */
typedef struct vz_sync_list {
    int file;          /* -1: none, all is in the buffer */
    vz_buffer buffer;  /* not yet written */
    uint64_t size, at; /* bytes in the file, or in the buffer; where reading is */
} vz_sync_list;
#define VZ_SYNC_LIST ((vz_sync_list){.file = -1})
bool vz_sync_list_add(vz_sync_list *list, const vz_sync_item *item, vz_error *err);
bool vz_sync_list_rewind(vz_sync_list *list, vz_error *err);
/* item->key=NULL: the end. It lives until the next call, of any list. */
bool vz_sync_list_next(vz_sync_list *list, vz_sync_item *item, vz_error *err);
void vz_sync_list_clear(vz_sync_list *list);
int vz_sync_temp_file(vz_error *err);

/* -- Documents of a root -- */
/* A marker has the name of the first one. */
extern const char *const vz_sync_root_names[VZ_SYNC_ROOTS];
typedef struct vz_sync_roots {
    bool found[VZ_SYNC_ROOTS];
    vz_buffer text[VZ_SYNC_ROOTS];
    vz_version version[VZ_SYNC_ROOTS];
} vz_sync_roots;
int vz_sync_root_index(const char *key); /* -1: it is none */
bool vz_sync_is_document(const char *key);
bool vz_sync_roots_read(vz_sync_roots *roots, vz_sync_side *side, vz_error *err);
bool vz_sync_roots_equal(const vz_sync_roots *a, const vz_sync_roots *b);
void vz_sync_roots_clear(vz_sync_roots *roots);

/* -- Run -- */
typedef struct vz_sync_counts {
    uint64_t values, bytes;        /* of the source */
    _Atomic(uint64_t) copied;      /* values, */
    _Atomic(uint64_t) copied_size; /* and their bytes */
    uint64_t deleted, only_in_target;
    unsigned rounds;
    bool resumed;
} vz_sync_counts;

typedef struct vz_sync {
    const vz_sync_request *request;
    vz_sync_side source, target;
    vz_sync_roots roots, old; /* of the source; of the target before anything was changed */
    vz_sync_counts counts;
    vz_sync_sums *sums;
    vz_sync_list documents, extra_documents, extra_values;
    vz_sync_item window[VZ_SYNC_WINDOW_KEYS];
    size_t window_count;
    uint64_t window_bytes;
    atomic_size_t next; /* of the window */
    vz_progress *progress;
    bool is_new;        /* the target was made by this run, or by an unfinished one */
    bool is_unfinished; /* it had a marker when this run began */
    bool compares;      /* bytes decide in all of the run */
    bool has_made;      /* `made` is begun */
    vz_made made;       /* place of a new file */
    vz_store_lock lock;
    atomic_bool has_begun; /* the target is being changed */
    vz_error begin_error;
    vz_buffer marker; /* text of this run's */
    vz_version marker_version;
    bool has_printed; /* a change, in JSON */
} vz_sync;

/* run.c */
bool vz_sync_run(vz_sync *run, vz_error *err);

/* check_names.c. All is copied: the file system took no two names of the source for one. */
bool vz_sync_check_names(vz_sync *run, vz_error *err);

/* waiting.c. All values are there: documents follow, then deletions. */
bool vz_sync_work_off(vz_sync *run, vz_error *err);
void vz_sync_clear_lists(vz_sync *run);

/* window.c. Adds a value; the window is worked off when it is full. */
bool vz_sync_add(vz_sync *run, const vz_sync_item *item, vz_error *err);
bool vz_sync_flush(vz_sync *run, vz_error *err);

/* copy_value.c. The source's bytes are there: decides, if that is open, and puts them. Any
 * thread. */
bool vz_sync_put(vz_sync *run, vz_sync_item *item, vz_bytes bytes, vz_error *err);
/* A value of a source that is not in a bucket. Any thread. */
bool vz_sync_copy_held(vz_sync *run, vz_sync_item *item, vz_buffer *bytes, vz_error *err);
/* A value that was put gets its time, where the target keeps it. */
bool vz_sync_set_time(vz_sync *run, const vz_sync_item *item, vz_error *err);
void vz_sync_tell_done(vz_sync *run, const vz_sync_item *item);
/* copy_large.c. A value that is larger than VZ_SYNC_WHOLE_MAX. */
bool vz_sync_copy_large(vz_sync *run, vz_sync_item *item, vz_error *err);

/* marker.c. Before the first change: the target does not open from here on. Any thread. */
bool vz_sync_begin(vz_sync *run, vz_error *err);
bool vz_sync_is_marker(const vz_buffer *document);
/* Tells which source the unfinished copy is of, and whether it made the target. False: it is no
 * marker. */
bool vz_sync_read_marker(const vz_buffer *document, vz_buffer *source, bool *is_new, vz_error *err);
/* marker_text.c: into run->marker. */
bool vz_sync_print_marker(vz_sync *run, vz_error *err);
/* Is the value this run's own marker? Then the target is within the source. */
bool vz_sync_is_own_marker(const vz_sync *run, const char *key, vz_bytes bytes);
/* alias.c. Is the marker that was just put met where the source is, or above it? *why: that they
 * are one place, in words; NULL: it is not. */
bool vz_sync_meets_marker(vz_sync *run, const char **why, vz_error *err);
/* The target is whole: its root's documents take the marker's place. */
bool vz_sync_finish(vz_sync *run, vz_error *err);

/* target.c. Opens the target or makes it, and judges what is there. */
bool vz_sync_open_target(vz_sync *run, vz_error *err);

/* report.c */
void vz_sync_print_change(vz_sync *run, const char *action, const char *key, const char *why);
const char *vz_sync_way_word(vz_sync_way way);
vz_exit vz_sync_print_end(vz_sync *run, bool ok, const vz_error *failed);

/* command_line.c. Runs what was asked for, and reports. */
vz_exit vz_sync_command(const vz_command_call *call, vz_sync_request *request);

#endif
