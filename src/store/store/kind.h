/* kind.h - the table of kinds of stores. A kind is one row of it (store/zip/local_kinds.c,
 * remote/bucket/all_kinds.c), beside its class of operations (store.h): whoever adds one touches
 * no other file. */
#ifndef VZ_STORE_KIND_H
#define VZ_STORE_KIND_H

#include "base/os/file.h"
#include "base/util/name_policy.h"
#include "base/util/options.h"
#include "store/store/byte_source.h"
#include "store/store/signature.h"
#include "store/store/store.h"
#include "store/store/stored_name.h"

/* -- Location --
 * where a path leads: which kind of store stands there, under which root, and how far inside of it.
 * A location is found once and handed on to the functions that work there. Nobody above looks at
 * the path again, or asks which kind it is.
 *
 * Documents make a directory a store and say which of the groups above is its root. They are not
 * known here: the caller looks at them through the location's store. */
typedef struct vz_store_kind vz_store_kind; /* a row of the table of kinds (kind.h) */

typedef enum vz_location_type {
    VZ_PATH_TYPE_NONE,
    VZ_PATH_TYPE_STORE, /* what a kind of store takes for one of its own */
    VZ_PATH_TYPE_HDF5,  /* a file with HDF5's signature */
    VZ_PATH_TYPE_EMPTY_FILE,
    VZ_PATH_TYPE_FILE,
    VZ_PATH_TYPE_REDIRECT, /* one that leads to no store, nor to a place where one could be: `why`
                            * tells */
    VZ_PATH_TYPE_OTHER,    /* or it could not be looked at */
} vz_location_type;

typedef struct vz_location {
    vz_location_type type;
    int sys_errno;             /* why there is nothing, or why it could not be looked at; 0:
                                * neither */
    const vz_store_kind *kind; /* VZ_PATH_TYPE_STORE */
    /* Of the store that lies in that one, and is meant; NULL: it is that one itself. */
    const vz_store_kind *within;
    char *path;           /* as it was given, or where the redirect file at that path leads */
    char *redirect;       /* the path of that; NULL: there was none */
    char *behind;         /* how its name goes on inside of the store, "|zip:path"; NULL: not */
    char *label;          /* for messages: both of them; NULL: `path` */
    char *root;           /* without links; NULL until vz_location_root */
    char *inside;         /* where the path leads in the store: a key, or "" for its root */
    vz_identity identity; /* of the store */
    vz_options asked_as;  /* of a remote one: the options that it is asked with, as what named
                           * it may have it */
    vz_store *store;      /* opened to look into it, for nothing else; NULL: it cannot be
                           * opened, `why` tells */
    vz_byte_source *hdf5; /* an HDF5 file that is elsewhere (VZ_PATH_TYPE_HDF5); or NULL */
    vz_error why;
    bool is_sure;          /* by its content it is nobody else's: an open says what is wrong with
                            * it */
    bool is_lindi;         /* its documents keep LINDI's conventions */
    bool is_named;         /* a name in a store leads there */
    bool over_byte_source; /* the store is opened in earnest already, and the path is but a name */
} vz_location;

/* What is at the path? A redirect file (kind.h) is a step on the way: what is behind it is
 * found, but a path leads through one of them only. Fails for want of memory only;
 * vz_location_clear it in any case. */
bool vz_location_find(const char *path, vz_location *location, vz_error *err);

/* Finds what a name in a store leads to, as far as the policy lets it; NULL: the user says the
 * path. */
struct vz_named;
bool vz_location_find_named(const char *path, const struct vz_named *named, vz_location *location, vz_error *err);

/* Finds the location of a file whose bytes a byte source has. The source is taken over, also on
 * failure. */
bool vz_location_find_over(vz_byte_source *source, const char *name, bool writable, vz_location *location,
                           vz_error *err);
void vz_location_clear(vz_location *location);

/* The location goes on to a store that lies in the one that was found, if there is such a one. For
 * a store without documents of Zarr. False with err set: it could not be looked at. */
bool vz_location_look_within(vz_location *location, vz_error *err);
const char *vz_location_label(const vz_location *location); /* what messages call it */

/* The absolute path, without links, of the store or the file that is there; NULL with err set.
 * The location's. */
const char *vz_location_root(vz_location *location, vz_error *err);

/* The location goes on to the directory above, whose store this is (vz_store_above); it is taken
 * over, also on failure. */
bool vz_location_climb(vz_location *location, vz_store *above, vz_error *err);

/* The store, for reading or writing; what was prefetched through location->store is kept. It is
 * the caller's. */
vz_store *vz_location_open(vz_location *location, bool writable, vz_error *err);
bool vz_location_has_header(const vz_location *location);   /* a file of ours, or one that
                                                             * is_sure */
bool vz_location_is_file(const vz_location *location);      /* a store that is one file, in which
                                                             * nothing else can be */
bool vz_location_is_elsewhere(const vz_location *location); /* of such a kind: not in the file
                                                             * system */
/* a store in which there is nothing at all */
bool vz_location_is_empty(const vz_location *location, int *sys_errno);

/* Properties of a new store. */
typedef struct vz_store_creation {
    const char *kind;    /* a row's name; NULL: what the path's name tells, but what is a directory
                          * stays one */
    uint64_t user_block; /* bytes before it that are a program's own; not 0: only some kinds have
                          * one */
} vz_store_creation;

/* The kind of which a store would be made at the path. NULL with err set: there is none of that
 * name, or it cannot have that user block. */
const vz_store_kind *vz_location_kind(const char *path, const vz_store_creation *wanted, vz_error *err);
typedef enum vz_store_make {
    VZ_MAKE_NEW,        /* where nothing is, else VZ_EXISTS */
    VZ_MAKE_OVER,       /* or in an empty directory, or in the place of a file */
    VZ_MAKE_OVER_EMPTY, /* or in the place of an empty file: VZ_EXISTS if somebody else has written
                         * into it */
} vz_store_make;

/* Makes a store of that kind. */
vz_store *vz_location_create(const char *path, const vz_store_kind *kind, uint64_t user_block, vz_store_make how,
                             vz_error *err);

/* Creating such a store takes the place of a file that is there; else that must go before. */
bool vz_location_replaces_file(const vz_store_kind *kind);
bool vz_location_kind_is_file(const vz_store_kind *kind);

/* Removes what is left at a store's root when all in it is gone: the directory, the file. */
bool vz_location_remove(const vz_store_kind *kind, const char *root, vz_error *err);
const char *vz_store_kind_name(const vz_store_kind *kind);
const char *vz_store_kind_title(const vz_store_kind *kind);

/* -- Redirect file --
 * one line of JSON behind a signature (signature.h): it leads to a store. */
/* Makes a redirect file at `path` to the store `target`; nothing may be there (VZ_EXISTS). `target`
 * is written as it is, so a relative name counts from the redirect file's directory. The target is
 * not looked at. */
bool vz_redirect_write(const char *path, const char *target, vz_error *err);

/* The name in a redirect file that will be made at `path` and leads to the store at another
 * path. It is relative, so that both can be moved together. *leaves: it leads out of the
 * redirect file's directory, which the opener must allow. The caller's to free; NULL with err
 * set. */
char *vz_redirect_name(const char *path, const char *store, bool *leaves, vz_error *err);

/* May what this thread opens be led out of a redirect file's directory? The option `doorways`;
 * false at first. */
void vz_redirect_allow_anywhere(bool anywhere);

/* The content of a redirect file. */
typedef struct vz_redirect_content {
    char *name;    /* of the store */
    char *options; /* for a remote store; NULL: none. Not checked: vz_options_parse_redirect */
    bool is_own;   /* the file is owned by who reads it */
} vz_redirect_content;

/* scheme://...: it is no path. */
bool vz_location_is_url(const char *name);

/* -- Named value -- one value at a server or in a bucket that a name in a file leads to. All values
 * of a place are asked for by one store. */
typedef struct vz_named_value {
    const vz_store_kind *kind;
    char *place;        /* "s3://bucket", "https://host": with `anonymous` of the options, which
                         * place it is */
    char *key;          /* of the value there */
    vz_options options; /* with which the place is asked, as the policy lets it */
} vz_named_value;

/* Asks no server. False with err set: the policy refuses the name, or no kind of store takes it.
 * vz_named_value_clear it in any case. */
bool vz_named_value_find(const vz_named *named, vz_named_value *value, vz_error *err);
/* the place, for reading */
vz_store *vz_named_value_open(const vz_named_value *value, vz_error *err);
void vz_named_value_clear(vz_named_value *value);

/* Keeps a failure in `refused`, since it does not prove that nothing is there. `named` may be
 * NULL. */
void vz_named_note(const vz_named *named, const vz_error *why);

#define VZ_PATH_PROBE_START 4

/* A probe of a path. The system is asked when the first kind wants to know, once for all kinds. */
typedef struct vz_location_probe {
    const char *path;
    /* Has the bytes of the file that is meant, whatever the path; NULL: none, or a row took it
     * over. */
    vz_byte_source *source;
    bool writable; /* of a byte source: the store is opened in earnest at once, and so */
    bool looked;   /* what follows is known */
    /* A directory or a regular file, open for reading; -1: neither, or a row took it over. */
    int file;
    struct stat status;                 /* of `file`: all zeros where there is none */
    size_t length;                      /* of the path up to that file, where it goes on behind
                                         * it */
    const char *inside;                 /* what it then goes on with; NULL: it does not go through a
                                         * file */
    vz_signature signature;             /* what HDF5's signature begins in a file, if it has one */
    bool is_hdf5;                       /* it has one: an HDF5 file, a one-file store, a redirect
                                         * file */
    uint8_t start[VZ_PATH_PROBE_START]; /* of a file; zeros behind its end */
    bool is_other;                      /* what is there is neither, or cannot be looked at */
    int sys_errno;
    const vz_redirect_content *word; /* the path is what a redirect file says, not the user; NULL:
                                      * it is his own */
    const vz_named *named;           /* a link or something like it in a file says the path; NULL:
                                      * none does */
} vz_location_probe;

/* False with err set: no memory. */
bool vz_location_probe_look(vz_location_probe *probe, vz_error *err);

struct vz_store_kind {
    const char *name;  /* as the option `container` says it */
    const char *title; /* in messages */
    /* Of paths at which new stores are of this kind, if no kind is asked for. NULL: none; of
     * such kinds the table's last one takes the names that no suffix claims. */
    const char *suffix;
    bool replaces_file;  /* creating one takes the place of a file that is there */
    bool has_user_block; /* or can have one, since it begins with a header that is found behind
                          * it */
    bool is_file;        /* nothing but the store can be in it: it is removed as a whole */
    /* Its names are no paths: nothing of the file system is asked about them, and there are no
     * directories. A name that `recognise` accepts is a place where a store can be; it sets the
     * location's root, too. */
    bool is_elsewhere;
    /* Is it one of this kind? Then *is_it, and the location's inside, identity, and store, hdf5 or
     * `why`. A kind whose names are no paths decides by the name, and has nothing looked at.
     * False with err set: no memory. */
    bool (*recognise)(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err);
    /* The store at `root` in earnest. `looked`: the one that recognise opened, taken over; NULL:
     * it could not. */
    vz_store *(*open)(vz_store *looked, const char *root, bool writable, vz_error *err);
    /* Its path is absolute and without links. user_block: 0 unless has_user_block. */
    vz_store *(*create)(const char *path, vz_store_make how, uint64_t user_block, vz_error *err);
    /* Removes what is left of a store that was emptied, or of one that is_file. */
    bool (*remove)(const char *root, vz_error *err);
    /* The place, key and options of a named value; *is_it: the name is one of this kind. NULL, with
     * the next: no name of this kind leads to one value. */
    bool (*find_value)(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err);
    vz_store *(*open_values)(const vz_named_value *value, vz_error *err);
    vz_version (*version_of_etag)(const char *etag); /* as a condition of requests to that store */
    /* Of stores that lie in a store of any other kind, and are recognised by its contents. They can
     * only be read, and have none of the functions above. NULL, with the next two: this kind's do
     * not. */
    bool (*is_within)(vz_store *below, bool *is_it, vz_error *err);
    /* The store, opened to look into it; NULL with err set. `below` is taken over. `word`: what a
     * name says behind the adapter's word. `remote`: the options with which `below` is asked; NULL:
     * it lies here. *inside, from malloc or NULL: the path that the word ends with. */
    vz_store *(*look_within)(vz_store *below, const char *word, const vz_options *remote, char **inside, vz_error *err);
    const char *adapter; /* its word in a name of ZEP 8, with a colon */
};

/* Sets the table of kinds that paths of this process may lead to. They are asked in this order, and
 * NULL ends the table.
 * - The table is borrowed and must stay as it is until the process ends.
 * - Call it once, before any path is looked at and while one thread runs. Nothing fails.
 * - Until then the table is empty: no path leads to a store, and none can be created.
 * The program chooses: the plugin and h5zarr take vz_bucket_all_kinds (remote/bucket/bucket.h). A
 * program without remote stores takes vz_zip_local_kinds (store/zip/zip.h). */
void vz_store_set_kinds(const vz_store_kind *const *kinds);

extern const vz_store_kind vz_kind_directory;

#endif
