/* zip.h - zip files and one-file stores, for other modules. */
#ifndef VZ_ZIP_ZIP_H
#define VZ_ZIP_ZIP_H

#include "store/store/kind.h"

/* A zip file: read through its central directory; what is put is packed into a new file, which
 * replaces the old one, at vz_store_commit. Creating leaves an empty zip file in the place until
 * then; one that replaces a file (not `exclusive`) has its mode and owner. */
#define VZ_ZIP_SUFFIX ".zip" /* stores with such names are created as zip files */
vz_store *vz_zip_open_path(const char *path, bool writable, vz_error *err);
vz_store *vz_zip_create(const char *path, bool exclusive, vz_error *err);

/* The store of a zip file that a byte source has, which it takes over, also on failure. `name`:
 * what it is called by; `header`: what the file begins with; NULL: it is looked for. */
vz_store *vz_zip_over_byte_source(vz_byte_source *source, const char *name, const vz_signature *header, bool writable,
                                  vz_error *err);

/* Rows of the table (store/store/kind.h). */
extern const vz_store_kind vz_zip_kind_file, vz_zip_kind;

#endif
