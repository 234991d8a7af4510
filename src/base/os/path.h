/* path.h - paths of the file system. Strings are the caller's to free; NULL with err set. */
#ifndef VZ_OS_PATH_H
#define VZ_OS_PATH_H

#include "base/util/error.h"

bool vz_path_is_there(const char *path); /* behind links, too */
bool vz_path_is_taken(const char *path); /* a link is there, wherever it leads, or does not: as open(2) with O_EXCL */
bool vz_path_is_directory(const char *path);
/* Absolute, and without links. */
char *vz_path_resolve(const char *path, vz_error *err);
/* Absolute and without links as far as there is something; behind that nothing may lead up again. */
char *vz_path_resolve_what_is_there(const char *path, vz_error *err);
/* Is a resolved path below that resolved directory? */
bool vz_path_is_below(const char *path, const char *directory);
bool vz_path_has_parent_step(const char *path); /* ".." among its parts */
size_t
vz_directory_length(const char *path); /* of its directory part, the last slash included, slashes at its end not */
/* As vz_path_resolve, of what is open already: one look, however deep it lies. `path`: by which it was opened. */
char *vz_path_of_descriptor(int descriptor, const char *path, vz_error *err);
/* A descriptor of what is at the path, if that is what the system calls it, but for the current directory before it:
 * no links, and spelled out. -1: it is not, or cannot be opened, or this cannot be told. */
int vz_path_open_real(const char *path, int flags);
/* From the root of the file system, without slashes at its end; links in it stay what they are. */
char *vz_path_absolute(const char *path, vz_error *err);
char *vz_path_absolute_if_known(const char *path);        /* else the path itself; NULL: no memory */
char *vz_path_directory(const char *path, vz_error *err); /* that it is in; "." where it has none */
/* Where a path that leads nowhere leads to: links, the last of which dangles, are followed as open(2) does. */
char *vz_path_end_of_links(const char *path, vz_error *err);
/* Removes what is there unless it is a directory; whether it could is not told. */
void vz_path_unlink(const char *path);
/* HDF5 opens a file to truncate it, and locks it (`locks`): a file that may not be written, or that somebody has
 * locked, must stay. */
bool vz_path_check_replaceable(const char *path, bool locks, vz_error *err);
bool vz_path_remove_file(const char *path, vz_error *err);
/* Do both lead to one file? */
bool vz_path_same_file(const char *a, const char *b);

#endif
