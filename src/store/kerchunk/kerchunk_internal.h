/* kerchunk_internal.h - the table of a reference file, its values, and the files that they name. */
#ifndef VZ_KERCHUNK_KERCHUNK_INTERNAL_H
#define VZ_KERCHUNK_KERCHUNK_INTERNAL_H

#include "base/os/thread.h"
#include "base/util/hash.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/request.h"

#define VZ_KERCHUNK_KEYS_MAX  ((size_t)1 << 24) /* of one reference file */
#define VZ_KERCHUNK_NAME_MAX  4096              /* bytes of a name, its templates filled in */
#define VZ_KERCHUNK_FILES_MAX 32                /* local files that a store keeps open */
#define VZ_KERCHUNK_IN_FLIGHT 64                /* requests under way at a server */

/* -- Table -- */
typedef struct vz_kerchunk_entry {
    const char *key;
    vz_bytes value; /* JSON text, of which only the brackets are checked; in the file's text */
} vz_kerchunk_entry;

typedef struct vz_kerchunk_table {
    vz_buffer text;             /* of the file */
    vz_kerchunk_entry *entries; /* sorted by key, each key once */
    size_t count;
    vz_strmap *templates; /* name -> text; NULL: there are none */
    vz_arena arena;
    vz_strmap *sources;          /* name of a file -> vz_kerchunk_source; NULL: none */
    bool names_servers;          /* some name is a URL */
    vz_kerchunk_archive archive; /* of which names may be members */
    bool is_lindi;
    /* Prefixes of arrays whose elements another dataset has; NULL: there are none. */
    vz_strmap *elsewhere;
} vz_kerchunk_table;

/* Takes the text over; the table is zeros but for its archive. vz_kerchunk_table_clear in any
 * case. */
bool vz_kerchunk_table_read(vz_kerchunk_table *table, vz_buffer *text, vz_error *err);
/* Takes the text over; its references are the members of an object in it. */
bool vz_kerchunk_table_take(vz_kerchunk_table *table, vz_buffer *text, vz_bytes members, vz_error *err);
void vz_kerchunk_table_clear(vz_kerchunk_table *table);
const vz_kerchunk_entry *vz_kerchunk_find(const vz_kerchunk_table *table, const char *key);
/* Does a key that is not there mean that there is no such value? VZ_UNSUPPORTED: it is a chunk
 * of an array whose elements another file has. */
bool vz_kerchunk_check_absent(const vz_kerchunk_table *table, const char *key, vz_error *err);
bool vz_kerchunk_list(const vz_kerchunk_table *table, const char *prefix, vz_entry **entries, size_t *count,
                      vz_error *err);

/* -- Source --
 * The version of a file that the reference file was made of, as h5zarr virtual notes it. */
typedef struct vz_kerchunk_source {
    uint64_t size;
    bool has_time;
    int64_t modified_ns;
    const char *etag; /* on a server; NULL: not known */
} vz_kerchunk_source;

/* Takes the member "generationMetadata", in which other programs have what they like. */
bool vz_kerchunk_take_sources(vz_kerchunk_table *table, vz_bytes value, vz_error *err);
/* A value at a server has to be of that version. */
bool vz_kerchunk_take_etag(const vz_kerchunk_table *table, vz_kerchunk_value *value, vz_error *err);
/* Is the file that is called so still that version? VZ_CORRUPT. */
bool vz_kerchunk_check_source(const vz_kerchunk_table *table, const char *name, uint64_t size, struct timespec modified,
                              vz_error *err);

/* -- Member -- of an archive: a range of it. */
typedef struct vz_kerchunk_member {
    uint64_t offset, size;
} vz_kerchunk_member;

/* A value whose name is a member becomes a range of the archive. VZ_CORRUPT: it is none. */
bool vz_kerchunk_archive_place(const vz_kerchunk_archive *archive, vz_kerchunk_value *value, vz_error *err);

/* -- Value -- of one key. */
/* Clear it in any case. VZ_CORRUPT: it is no reference. */
bool vz_kerchunk_value_read(const vz_kerchunk_table *table, const vz_kerchunk_entry *entry, vz_kerchunk_value *value,
                            vz_error *err);
void vz_kerchunk_value_clear(vz_kerchunk_value *value);

/* -- Store -- */
/* Values at one server or bucket, asked in one way. */
typedef struct vz_kerchunk_place {
    vz_store *store;
    size_t number;
    vz_version (*version_of_etag)(const char *etag);
} vz_kerchunk_place;

/* Where a name leads. */
typedef struct vz_kerchunk_target {
    char *path;               /* of the file system; NULL: it lies elsewhere, */
    vz_kerchunk_place *place; /* there */
    char *key;                /* under that key */
} vz_kerchunk_target;

typedef struct vz_kerchunk_file {
    char *path; /* NULL: the slot is free */
    int file;
    unsigned users;
    uint64_t used;
    vz_stamp stamp;
} vz_kerchunk_file;

typedef struct vz_kerchunk {
    vz_store base;
    vz_store_class class; /* base.class: batches only where servers are asked */
    vz_kerchunk_table table;
    const vz_kerchunk_finder *finder; /* stands for the table; NULL: none does */
    void *context;                    /* its own */
    vz_kerchunk_place *below;         /* the store that it is over */
    char *label;                      /* for messages; NULL: the path */
    char *prefix;                     /* which keys have before those of the table; NULL: none */
    bool is_remote, is_own;
    vz_options options;
    vz_targets targets;
    vz_stamp stamp;
    bool settled;
    vz_os_mutex lock;  /* of what follows */
    vz_strmap *known;  /* name -> target */
    vz_strmap *places; /* what identifies it -> place */
    size_t place_count;
    vz_kerchunk_file files[VZ_KERCHUNK_FILES_MAX];
    uint64_t clock;
} vz_kerchunk;

static inline vz_kerchunk *vz_kerchunk_of(vz_store *store)
{
    return (vz_kerchunk *)store;
}

/* Where the name leads, as far as the policy lets it. Asks no server. The store's; NULL with err
 * set. */
const vz_kerchunk_target *vz_kerchunk_target_of(vz_kerchunk *store, const char *name, vz_error *err);
void vz_kerchunk_targets_free(vz_kerchunk *store);

/* The value of a key, and where it lies. */
typedef struct vz_kerchunk_found {
    vz_kerchunk_value value;
    const vz_kerchunk_target *target; /* NULL: inline */
    vz_kerchunk_target room;          /* which that may be */
} vz_kerchunk_found;

/* The table's entry of a key; NULL: there is none. */
const vz_kerchunk_entry *vz_kerchunk_entry_of(const vz_kerchunk *store, const char *key);
/* The key as the table has it, or a prefix of keys; NULL: the table has none such. */
const char *vz_kerchunk_table_key(const vz_kerchunk *store, const char *key);

/* vz_kerchunk_found_clear in any case. */
bool vz_kerchunk_look_up(vz_kerchunk *store, const char *key, vz_kerchunk_found *at, bool *found, vz_error *err);
void vz_kerchunk_found_clear(vz_kerchunk_found *at);
bool vz_kerchunk_has(vz_kerchunk *store, const char *key, bool *found, vz_error *err);
const char *vz_kerchunk_label(const vz_kerchunk *store);

/* The request demands the version that the value tells of. */
void vz_kerchunk_demand(const vz_kerchunk_found *at, vz_request *request);
/* Says that it could not be read; always false. */
bool vz_kerchunk_fail_value(const vz_kerchunk_value *value, const vz_error *why, vz_error *err);
/* It is another version than the value tells of. */
bool vz_kerchunk_is_changed(const vz_kerchunk_value *value, vz_error_class failed);

/* Ranges of the value, which is_inline or lies in a local file; each is appended to its buffer. */
bool vz_kerchunk_read_local(vz_kerchunk *store, const vz_kerchunk_value *value, const char *path,
                            const vz_range *ranges, size_t count, vz_buffer *out, vz_error *err);
bool vz_kerchunk_stat_local(vz_kerchunk *store, const vz_kerchunk_value *value, const char *path, vz_stamp *stamp,
                            vz_error *err);
void vz_kerchunk_files_close(vz_kerchunk *store);

/* The policy's view of a name. */
vz_named vz_kerchunk_named(const vz_kerchunk *store, const char *name);

/* A part of the file that a value is, as ranges of the file; `part` may be `ranges`. */
bool vz_kerchunk_place_range(const vz_kerchunk_value *value, vz_range range, vz_range *part, vz_error *err);

/* Says that the bytes lie there; always false. */
bool vz_kerchunk_fail(const char *name, const vz_error *why, vz_error *err);

/* Documents at a server would be asked for when the store is opened: VZ_UNSUPPORTED. */
bool vz_kerchunk_check_document(const char *key, const vz_kerchunk_target *target, vz_error *err);

extern const vz_batch_class vz_kerchunk_batches;

/* -- Stores in another store -- reference_kind.c: directories of LINDI's and of Parquet files. */
/* Where references come from that a document of the store below leads to. `remote`: the options
 * with which the store is asked; NULL: it lies here. */
vz_kerchunk_origin vz_kerchunk_origin_below(const vz_store *below, const char *document, const vz_options *remote);
/* *is_it: there is such a document of at most so many bytes, and its text is one. */
bool vz_kerchunk_document_below(vz_store *below, const char *document, size_t most, bool (*is)(vz_bytes text),
                                bool *is_it, vz_error *err);
/* The stamp of a document that was just read and has so many bytes. No server is asked. */
bool vz_kerchunk_stamp_below(vz_store *below, const char *document, size_t size, vz_stamp *stamp, vz_error *err);

#endif
