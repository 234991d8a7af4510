/* doorway.h - doorways: small files that HDF5 programs take for HDF5 files, and that name a store. Behind the header
 * (header.h) stands one line of JSON: {"store": "name"}. */
#ifndef VZ_STORE_DOORWAY_H
#define VZ_STORE_DOORWAY_H

#include "store/header.h"

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

/* The name in an open doorway of `size` bytes; the caller's to free. */
char *vz_doorway_read(int file, uint64_t size, const vz_header *header, vz_error *err);
/* Where a name in a doorway of that directory (absolute, without links) leads: absolute, and without links as far as
 * there is something; the caller's to free. VZ_UNSUPPORTED: it is far away. VZ_PERMISSION: not below the directory, and
 * that is not allowed. */
char *vz_doorway_resolve(const char *directory, const char *name, vz_error *err);

#endif
