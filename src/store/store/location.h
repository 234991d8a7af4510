/* location.h - where a path leads: which kind of store stands there, under which root, and how far inside of it. A
 * location is found once and handed on to what is done there: nobody above looks at the path again, or asks which kind
 * it is.
 *
 * What makes a directory a store, and which of the groups above is its root, are documents, and so not known here: who
 * found a location looks at them through its store. */
#ifndef VZ_STORE_LOCATION_H
#define VZ_STORE_LOCATION_H

#include "store/store/byte_source.h"
#include "base/util/options.h"

typedef struct vz_store_kind vz_store_kind; /* a row of the table of kinds (kind.h) */

typedef enum vz_path_type {
    VZ_THING_NONE,
    VZ_THING_STORE, /* what a kind of store takes for one of its own */
    VZ_THING_HDF5,  /* a file with HDF5's signature */
    VZ_THING_EMPTY_FILE,
    VZ_THING_FILE,
    VZ_THING_DOORWAY, /* one that leads to no store, nor to a place where one could be: `why` tells */
    VZ_THING_OTHER,   /* or it could not be looked at */
} vz_path_type;

typedef struct vz_location {
    vz_path_type thing;
    int sys_errno;             /* why there is nothing, or why it could not be looked at; 0: neither */
    const vz_store_kind *kind; /* VZ_THING_STORE */
    char *path;                /* as it was given, or where the doorway at that path leads */
    char *doorway;             /* the path of that; NULL: there was none */
    char *label;               /* for messages: both of them; NULL: `path` */
    char *root;                /* without links; NULL until vz_location_root */
    char *inside;              /* where the path leads in the store: a key, or "" for its root */
    vz_identity identity;      /* of the store */
    vz_options asked_as;       /* of a remote one: the options that it is asked with, as what named it may have it */
    vz_store *store;           /* opened to look into it, for nothing else; NULL: it cannot be opened, `why` tells */
    vz_error why;
    bool is_named;    /* a name in a store leads there */
    bool over_medium; /* the store is opened in earnest already, and the path is but a name */
} vz_location;

/* What is at the path? A doorway (redirect.h) is a step on the way: what is behind it is found, but a path leads through
 * one of them only. Fails for want of memory only; vz_location_clear it in any case. */
bool vz_location_find(const char *path, vz_location *location, vz_error *err);
/* Finds what a name in a store leads to, as far as the policy lets it; NULL: the user says the path. */
struct vz_named;
bool vz_location_find_named(const char *path, const struct vz_named *named, vz_location *location, vz_error *err);
/* The same for a file whose bytes a medium has, which is taken over, also on failure. */
bool vz_location_find_over(vz_medium *medium, const char *name, bool writable, vz_location *location, vz_error *err);
void vz_location_clear(vz_location *location);
const char *vz_location_label(const vz_location *location); /* what messages call it */
/* The absolute path, without links, of the store or the file that is there; NULL with err set. The location's. */
const char *vz_location_root(vz_location *location, vz_error *err);
/* The location goes on to the directory above, whose store this is (vz_store_above); it is taken over, also on failure.
 */
bool vz_location_climb(vz_location *location, vz_store *above, vz_error *err);
/* The store, for reading or writing; what was read ahead through location->store is kept. It is the caller's. */
vz_store *vz_location_open(vz_location *location, bool writable, vz_error *err);
bool vz_location_has_header(const vz_location *location);   /* a file of ours whatever else is in it (signature.h) */
bool vz_location_is_file(const vz_location *location);      /* a store that is one file, in which nothing else can be */
bool vz_location_is_elsewhere(const vz_location *location); /* of such a kind: not in the file system */
bool vz_location_is_empty(const vz_location *location, int *sys_errno); /* a store in which there is nothing at all */

/* What a new store is to be. */
typedef struct vz_wish {
    const char *kind;    /* a row's name; NULL: what the path's name tells, but what is a directory stays one */
    uint64_t user_block; /* bytes before it that are a program's own; not 0: only some kinds have one */
} vz_wish;

/* The kind of which a store would be made at the path; NULL with err set: there is none of that name, or the user block
 * is none that it can have. */
const vz_store_kind *vz_location_kind(const char *path, const vz_wish *wish, vz_error *err);
typedef enum vz_make {
    VZ_MAKE_NEW,        /* where nothing is, else VZ_EXISTS */
    VZ_MAKE_OVER,       /* or in an empty directory, or in the place of a file */
    VZ_MAKE_OVER_EMPTY, /* or in the place of an empty file: VZ_EXISTS if somebody else has written into it */
} vz_make;
/* Makes a store of that kind. */
vz_store *vz_location_create(const char *path, const vz_store_kind *kind, uint64_t user_block, vz_make how,
                             vz_error *err);
/* Creating such a store takes the place of a file that is there; else that must go before. */
bool vz_location_replaces_file(const vz_store_kind *kind);
bool vz_location_kind_is_file(const vz_store_kind *kind);
/* Removes what is left at a store's root when all in it is gone: the directory, the file. */
bool vz_location_remove(const vz_store_kind *kind, const char *root, vz_error *err);
const char *vz_store_kind_name(const vz_store_kind *kind);
const char *vz_store_kind_title(const vz_store_kind *kind);

#endif
