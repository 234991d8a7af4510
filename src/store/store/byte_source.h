/* byte_source.h - the bytes of a file that may have no descriptor: somebody above reads and writes them (a driver of HDF5's,
 * for one). Stores that are one file take theirs from here, or from a descriptor of their own. */
#ifndef VZ_STORE_BYTE_SOURCE_H
#define VZ_STORE_BYTE_SOURCE_H

#include "store/store/store_read.h"

typedef struct vz_medium vz_medium;

/* May be called in any thread, one call at a time for each medium; who can work in one thread only sees to that
 * (vz_pool_on_caller). */
typedef struct vz_medium_class {
    /* Exactly `size` bytes. A file that ends before is VZ_CORRUPT. */
    bool (*read)(vz_medium *medium, uint64_t offset, void *data, size_t size, vz_error *err);
    bool (*size)(vz_medium *medium, uint64_t *size, vz_error *err);
    /* NULL, like the next two, where nothing can be written. */
    bool (*write)(vz_medium *medium, uint64_t offset, const void *data, size_t size, vz_error *err);
    bool (*truncate)(vz_medium *medium, uint64_t size, vz_error *err); /* what follows is gone */
    bool (*flush)(vz_medium *medium, vz_error *err);                   /* what was written is where others see it */
    /* Tells in err what was lost of what was written. */
    bool (*close)(vz_medium *medium, vz_error *err);
} vz_medium_class;

struct vz_medium {
    const vz_medium_class *class;
    vz_identity identity; /* of the file: of two media of one file the same */
    bool in_memory;       /* so is what goes with it */
    void *handle;         /* what the driver tells who asks for its own (H5Fget_vfd_handle); NULL: nothing */
    int file;             /* of vz_medium_over_file */
};

/* For who only reads: the file of a descriptor, which stays the caller's, as does the medium. */
vz_medium vz_medium_over_file(int file);
int vz_medium_file(const vz_medium *medium); /* that descriptor; -1: it has none */

bool vz_medium_read(vz_medium *medium, uint64_t offset, void *data, size_t size, vz_error *err);
bool vz_medium_size(vz_medium *medium, uint64_t *size, vz_error *err);
/* VZ_READ_ONLY where nothing can be written. */
bool vz_medium_write(vz_medium *medium, uint64_t offset, const void *data, size_t size, vz_error *err);
bool vz_medium_truncate(vz_medium *medium, uint64_t size, vz_error *err);
bool vz_medium_flush(vz_medium *medium, vz_error *err);
bool vz_medium_is_writable(const vz_medium *medium);
/* An empty file without a name for what goes with it, open for reading and writing; -1 on failure. */
int vz_medium_open_scratch(const vz_medium *medium, vz_error *err);
/* zip_medium.c: its bytes become a zip file, or a one-file store behind a user block of zeros, without entries. */
bool vz_store_make_over(vz_medium *medium, bool one_file, uint64_t user_block, vz_error *err);
bool vz_medium_close(vz_medium *medium, vz_error *err); /* NULL is fine */

#endif
