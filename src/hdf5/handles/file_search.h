/* file_search.h - the file that an external link or a virtual dataset names: where it is looked for. */
#ifndef VZ_HANDLES_FILE_SEARCH_H
#define VZ_HANDLES_FILE_SEARCH_H

#include "hdf5/h5/h5.h"
#include "store/store/stored_name.h"

typedef struct vz_file_search {
    const char *environment; /* name of a variable: directories with ':' between them */
    const char *prefix;      /* a directory, "" for none */
    const char *beside;      /* path of the file that names it */
    const vz_named *named;   /* what says the name, but for `prefix` and `refused` */
    unsigned flags;
    hid_t fapl; /* a copy of ours */
} vz_file_search;

/* An id, or negative when no place has it; failures leave no record. Where the policy refused a place (named.h), or one
 * could not be asked, and no other has it, err is set: it is no proof that there is nothing. */
hid_t vz_file_search_open(const vz_file_search *search, const char *name, vz_error *err);

#endif
