/* redirect.h - doorways: small files that HDF5 programs take for HDF5 files, and that name a store. Behind the header
 * (signature.h) stands one line of JSON: {"store": "name"}, of a store that is far away with "options", too. */
#ifndef VZ_STORE_REDIRECT_H
#define VZ_STORE_REDIRECT_H

#include "store/store/signature.h"

#define VZ_DOORWAY_MAX 4096 /* bytes of the whole file */

/* Makes a doorway at `path`, where nothing may be (VZ_EXISTS), to the store `target`: as it will stand there, so a
 * relative name counts from the doorway's directory. What is at the target is not looked at. */
bool vz_doorway_write(const char *path, const char *target, vz_error *err);

/* What a doorway that will be made at `path` is to say, to lead to the store that is at another path now: relative, so
 * that both can be moved together. *leaves: it leads out of the doorway's directory, which has to be allowed to who
 * opens it. The caller's to free; NULL with err set. */
char *vz_doorway_name(const char *path, const char *store, bool *leaves, vz_error *err);

/* May what this thread opens be led out of a doorway's directory? The option `doorways`; false at first. */
void vz_doorway_allow_anywhere(bool anywhere);

/* What stands in a doorway. */
typedef struct vz_doorway_word {
    char *name;    /* of the store */
    char *options; /* for a store that is far away; NULL: none. Not checked: vz_options_parse_doorway */
    bool is_own;   /* the file belongs to who reads it */
} vz_doorway_word;

/* What stands in an open doorway of `size` bytes; vz_doorway_word_clear it in any case. */
bool vz_doorway_read(int file, uint64_t size, const vz_header *header, vz_doorway_word *word, vz_error *err);
void vz_doorway_word_clear(vz_doorway_word *word);
/* scheme://...: it is no path. */
bool vz_doorway_is_far(const char *name);
/* Where a name in a doorway of that directory (absolute, without links) leads: absolute, and without links as far as
 * there is something; the caller's to free. Not of one that is far away. VZ_PERMISSION: not below the directory, and
 * that is not allowed. */
char *vz_doorway_resolve(const char *directory, const char *name, vz_error *err);

#endif
