/* replace_internal.h - a file that takes the place of a zip file when it is finished. */
#ifndef VZ_ZIP_REPLACE_INTERNAL_H
#define VZ_ZIP_REPLACE_INTERNAL_H

#include "store/store/store.h"
#include "base/os/file.h"
#include <limits.h>

typedef struct vz_zip_new {
    int file; /* open for reading and writing, mode 0600; -1: none */
    bool has_name;
    bool needs_name;     /* it has none and cannot get one: another, with a name from the beginning,
                          * may work */
    char name[PATH_MAX]; /* if it has one */
} vz_zip_new;

/* An empty file beside `path`, with a name only where the system has no files without, or if
 * `with_name`. Ended by vz_zip_new_drop, or once it has its place by closing `file`. */
bool vz_zip_new_open(vz_zip_new *new, const char *path, bool with_name, vz_error *err);
/* It takes the place of the file at `path`, which must still be `there` as it was; NULL: there
 * must be none. VZ_BUSY: somebody else put another file there, or changed it, which stays. On
 * file systems that cannot exchange two names the last one to come wins. */
bool vz_zip_new_place(vz_zip_new *new, const char *path, const struct stat *there, vz_error *err);
void vz_zip_new_drop(vz_zip_new *new);

/* A file without a name beside `path`: what is put until the zip file is written. -1 on failure. */
int vz_zip_open_spool(const char *path, vz_error *err);

/* Removes what killed writers of the zip file left beside it; what cannot be removed stays. */
void vz_zip_remove_residue(const char *path);
/* As each_leftover of a zip store. */
bool vz_zip_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);

#endif
