/* kind.h - the table of kinds of stores. A kind is one row of it (store/zip/local_kinds.c, remote/bucket/all_kinds.c), beside its class of
 * operations (store_read.h): whoever adds one touches no other file. */
#ifndef VZ_STORE_KIND_H
#define VZ_STORE_KIND_H

#include "store/store/redirect.h"
#include "store/store/location.h"
#include "store/store/stored_name.h"
#include <sys/stat.h>

#define VZ_SIGHT_START 4

/* What stands at a path. Nothing is asked of the system before a kind wants to know it; then it is asked once for all
 * of them. */
typedef struct vz_sight {
    const char *path;
    vz_medium
        *medium;   /* has the bytes of the file that is meant, whatever the path; NULL: none, or a row took it over */
    bool writable; /* of a medium: the store is opened in earnest at once, and so */
    bool looked;   /* what follows is known */
    int file;      /* a directory or a regular file, open for reading; -1: neither, or a row took it over */
    struct stat status;            /* of `file`: all zeros where there is none */
    size_t length;                 /* of the path up to that file, where it goes on behind it */
    const char *inside;            /* what it then goes on with; NULL: it does not go through a file */
    vz_header header;              /* what HDF5's signature begins in a file, if it has one */
    bool is_hdf5;                  /* it has one: an HDF5 file, a one-file store, a doorway */
    uint8_t start[VZ_SIGHT_START]; /* of a file; zeros behind its end */
    bool is_other;                 /* what is there is neither, or cannot be looked at */
    int sys_errno;
    const vz_doorway_word *word; /* the path is what a doorway says, not the user; NULL: it is his own */
    const vz_named *named;       /* a link or something like it in a file says the path; NULL: none does */
} vz_sight;
/* False with err set: no memory. */
bool vz_sight_look(vz_sight *sight, vz_error *err);

struct vz_store_kind {
    const char *name;  /* as the option `container` says it */
    const char *title; /* in messages */
    /* Of paths at which new stores are of this kind, if no kind is asked for. NULL: none; of such kinds the table's
     * last one takes the names that no suffix claims. */
    const char *suffix;
    bool replaces_file;  /* creating one takes the place of a file that is there */
    bool has_user_block; /* or can have one, since it begins with a header that is found behind it */
    bool is_file;        /* nothing but the store can be in it: it is removed as a whole */
    bool is_elsewhere;   /* its names are no paths: nothing of the file system is asked about them, and there are no
                            directories. What recognise takes for one of its own is a place where a store can be; it
                            sets the location's root, too */
    /* Is it one of this kind? Then *is_it, and the location's inside, identity, and store or `why`. A kind whose names
     * are no paths decides by the name, and has nothing looked at. False with err set: no memory. */
    bool (*recognise)(vz_sight *sight, vz_location *location, bool *is_it, vz_error *err);
    /* The store at `root` in earnest. `looked`: the one that recognise opened, taken over; NULL: it could not. */
    vz_store *(*open)(vz_store *looked, const char *root, bool writable, vz_error *err);
    /* Its path is absolute and without links. user_block: 0 unless has_user_block. */
    vz_store *(*create)(const char *path, vz_make how, uint64_t user_block, vz_error *err);
    /* Removes what is left of a store that was emptied, or of one that is_file. */
    bool (*remove)(const char *root, vz_error *err);
};

/* Sets the table of kinds that paths of this process may lead to. They are asked in this order, and NULL ends the
 * table.
 * - The table is borrowed and must stay as it is until the process ends.
 * - Call it once, before any path is looked at and while one thread runs. Nothing fails.
 * - Until then the table is empty: no path leads to a store, and none can be created.
 * The program chooses: the plugin and h5zarr take vz_bucket_all_kinds (remote/bucket/bucket_kind.h). A program without remote
 * stores takes vz_zip_local_kinds (store/zip/zip_store.h). */
void vz_store_set_kinds(const vz_store_kind *const *kinds);
/* The table that was set; NULL ends. */
const vz_store_kind *const *vz_store_get_kinds(void);

extern const vz_store_kind vz_kind_directory;

#endif
