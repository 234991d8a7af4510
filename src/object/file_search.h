/* file_search.h - the file that an external link or a virtual dataset names: where it is looked for. */
#ifndef VZ_OBJECT_FILE_SEARCH_H
#define VZ_OBJECT_FILE_SEARCH_H

#include "h5/h5.h"

typedef struct vz_file_search {
    const char *environment; /* name of a variable: directories with ':' between them */
    const char *prefix;      /* a directory, "" for none */
    const char *beside;      /* path of the file that names it */
    unsigned flags;
    hid_t fapl;
} vz_file_search;

/* An id, or negative when no place has it; failures leave no record. */
hid_t vz_file_search_open(const vz_file_search *search, const char *name);
/* Length of the directory part of a path, its last slash included; trailing slashes are no part. */
size_t vz_directory_length(const char *path);

#endif
