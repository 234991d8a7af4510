/* zip_internal.h - locks on zip files: bytes far behind the end of any file, locked through an open
 * file. So other threads and copies of this module are other owners. Nothing else locks there:
 * HDF5, which tries to open the file first, has a lock on the whole file, of another kind. */
#ifndef VZ_ZIP_ZIP_INTERNAL_H
#define VZ_ZIP_ZIP_INTERNAL_H

#include "base/util/error.h"
#include "base/os/file_system.h"
#include "store/zip/zip.h"

/* Creates a zip file behind a user block of so many bytes. Its header makes HDF5 programs take it
 * for an HDF5 file (store/store/kind.h). An existing file (not `exclusive`) is emptied and stays
 * the same file: mode, owner, links and open descriptors. vz_zip_open_path opens it. */
vz_store *vz_zip_create_one_file(const char *path, bool exclusive, uint64_t user_block, vz_error *err);

/* The kinds of stores in the file system, for vz_store_set_kinds. NULL ends. */
extern const vz_store_kind *const vz_zip_local_kinds[];

typedef enum vz_zip_lock_byte {
    VZ_ZIP_LOCK_ALIVE,   /* of a partial file: who writes it lives */
    VZ_ZIP_LOCK_WRITING, /* the store in it is written */
    VZ_ZIP_LOCK_USER,    /* by option `locking` */
} vz_zip_lock_byte;

typedef enum vz_zip_lock_answer { VZ_ZIP_TAKEN, VZ_ZIP_REFUSED, VZ_ZIP_LOCKLESS } vz_zip_lock_answer;

/* VZ_ZIP_LOCKLESS: the file system has no locks. */
vz_zip_lock_answer vz_zip_lock(int file, vz_zip_lock_byte byte, vz_os_lock_kind kind);

/* For who is about to write, until `unlock`: waits a moment for somebody else, then VZ_BUSY. */
bool vz_zip_lock_writing(int file, bool *has_locks, vz_error *err);
void vz_zip_unlock_writing(int file);

/* The user's lock: set_lock of a store's class. */
int vz_zip_set_lock(int file, vz_os_lock_kind kind);

#endif
