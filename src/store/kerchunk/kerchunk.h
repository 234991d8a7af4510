/* kerchunk.h - reference files: JSON that names, for each key of a Zarr store, the bytes themselves
 * or a range of another file. kerchunk, VirtualiZarr and LINDI write them. */
#ifndef VZ_KERCHUNK_KERCHUNK_H
#define VZ_KERCHUNK_KERCHUNK_H

#include "store/store/kind.h"

#define VZ_KERCHUNK_LOOK            ((size_t)1 << 20)   /* bytes of a file that tell what it is */
#define VZ_KERCHUNK_MAX_SIZE        ((size_t)1 << 30)   /* bytes of a reference file, */
#define VZ_KERCHUNK_REMOTE_MAX_SIZE ((size_t)256 << 20) /* and of one that a server sends */

/* Row of the table (store/store/kind.h). */
extern const vz_store_kind vz_kerchunk_kind;

/* Of directories of Parquet files with references; they lie in any other store. */
extern const vz_store_kind vz_kerchunk_parquet_kind;
/* Of directories with LINDI's reference file. */
extern const vz_store_kind vz_kerchunk_lindi_kind;
/* Is it the text of the ".zmetadata" of one, and no copy of a store's documents? */
bool vz_kerchunk_is_directory(vz_bytes text);

/* The option `targets` for reference files that this thread opens from now on. */
void vz_kerchunk_use(vz_targets targets);
vz_targets vz_kerchunk_used_targets(void);

/* Can a file that begins so be one? Only a few bytes are known. */
bool vz_kerchunk_may_begin(const uint8_t *start, size_t size);

/* Is this the text of one, or its first VZ_KERCHUNK_LOOK bytes? Its members decide. */
bool vz_kerchunk_is(vz_bytes text);

/* -- Archive -- the tar file in which LINDI keeps a reference file and chunks. */
typedef struct vz_kerchunk_archive {
    struct vz_strmap *members; /* name -> place; NULL: it is no archive */
    char *name;                /* of the tar file, in its directory */
    vz_arena arena;
} vz_kerchunk_archive;

/* Bytes of a file, appended to `out`. */
typedef struct vz_kerchunk_reader {
    bool (*read)(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);
    void *context;
    uint64_t size; /* of the file */
} vz_kerchunk_reader;

/* Is it one? 16 bytes tell. */
bool vz_kerchunk_tar_is(vz_bytes start);
/* Reads the index, and the reference file's text, of `most` bytes at most. To be cleared in any
 * case. */
bool vz_kerchunk_archive_read(vz_kerchunk_archive *archive, const vz_kerchunk_reader *reader, const char *path,
                              size_t most, vz_buffer *text, vz_error *err);
void vz_kerchunk_archive_clear(vz_kerchunk_archive *archive);

/* Where a reference file was found. All of it is copied, but for texts of options. */
typedef struct vz_kerchunk_origin {
    const char *path; /* of the file, or the name that messages have of a remote one */
    bool is_remote;
    bool is_own;        /* the file is owned by the user */
    vz_options options; /* of a remote one: with which it was asked */
    vz_stamp stamp;     /* of the file */
    bool settled;       /* no later version can have that stamp */
    vz_identity identity;
    vz_kerchunk_archive *archive; /* in which it lies, and which the store takes over; NULL: none */
} vz_kerchunk_origin;

/* The store of a reference file's text, which it takes over, also on failure. Reads nothing else.
 * NULL with err set: VZ_CORRUPT, VZ_UNSUPPORTED, VZ_LIMIT. */
vz_store *vz_kerchunk_over(vz_buffer *text, const vz_kerchunk_origin *origin, vz_error *err);
bool vz_kerchunk_is_store(const vz_store *store);
/* As vz_kerchunk_over, of the list of one array: the text's keys begin below the array's prefix.
 * `origin` is of the store in which the array lies. */
vz_store *vz_kerchunk_over_array(vz_buffer *text, const char *prefix, const vz_kerchunk_origin *origin, vz_error *err);

/* -- Value -- the bytes of one key, or where they are. */
typedef struct vz_kerchunk_value {
    bool is_inline;
    vz_bytes bytes; /* inline */
    vz_buffer own;  /* memory that these may lie in */
    char *name;     /* else: of a file, as it stands there with its templates filled in */
    bool is_below;  /* the name is a key of the store below */
    bool is_whole;  /* all of the file, */
    uint64_t offset, size;
    char *etag; /* of the version of the file that is meant; NULL: any */
    /* It was not changed after that second; 0: it may have been. */
    uint64_t modified;
    /* When it is cleared; NULL: nothing is held. */
    void (*leave)(void *context, void *held);
    void *context, *held;
} vz_kerchunk_value;

struct vz_request;

/* -- Finder -- another kind of store whose values are such values (store/icechunk). */
typedef struct vz_kerchunk_finder {
    const char *kind;
    /* *found=false (and true returned): there is none. Any thread; the value is cleared by the
     * caller in any case. */
    bool (*find)(void *context, const char *key, vz_kerchunk_value *value, bool *found, vz_error *err);
    /* All of these are asked for next, by `find` one by one. NULL: it makes no difference. */
    void (*expect)(void *context, const struct vz_request *requests, size_t count);
    bool (*list)(void *context, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
    bool (*is_at)(const void *context, const char *path);
    void (*close)(void *context);
} vz_kerchunk_finder;

/* Its store over `below`, whose values it may name. Values never change. `asks`: some may lie at
 * servers. `label`: for messages. `context` and `below` are taken over, also on failure. */
vz_store *vz_kerchunk_over_finder(const vz_kerchunk_finder *finder, void *context, vz_store *below,
                                  const vz_kerchunk_origin *origin, const char *label, bool asks, vz_error *err);

/* Are the root's documents objects, and no text? So LINDI writes them, whose conventions then hold
 * (src/hdf5/dialects/lindi.c). */
bool vz_kerchunk_is_lindi(const vz_store *store);

/* Adds a copy of a name to a listing that grows: `room` entries are allocated. Names of unfinished
 * values are left out. False: no memory. */
bool vz_kerchunk_append_entry(vz_entry **entries, size_t *count, size_t *room, const char *name, size_t length,
                              bool is_prefix, vz_error *err);

#endif
