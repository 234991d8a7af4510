/* byte_source.h - the bytes of a file that may have no descriptor: somebody above reads and writes
 * them (a driver of HDF5's, for one). Stores that are one file take theirs from here, or from a
 * descriptor of their own. */
#ifndef VZ_STORE_BYTE_SOURCE_H
#define VZ_STORE_BYTE_SOURCE_H

#include "store/store/store.h"

typedef struct vz_byte_source vz_byte_source;

/* Bytes of a file that are wanted. */
typedef struct vz_byte_read {
    uint64_t offset;
    size_t size;
    void *data;       /* NULL: nothing is read yet, and the reads of the call come later, in this
                       * order */
    bool is_metadata; /* what lies near is probably wanted next */
} vz_byte_read;

/* May be called in any thread, one call at a time for each byte source. A caller that can work in
 * one thread only sees to that (vz_pool_on_caller). */
typedef struct vz_byte_source_class {
    /* Exactly `size` bytes. A file that ends before is VZ_CORRUPT. */
    bool (*read)(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err);
    bool (*size)(vz_byte_source *source, uint64_t *size, vz_error *err);
    /* Many reads at once, each as by `read`. NULL: one after the other. */
    bool (*read_many)(vz_byte_source *source, const vz_byte_read *reads, size_t count, vz_error *err);
    /* NULL, like the next two, where nothing can be written. */
    bool (*write)(vz_byte_source *source, uint64_t offset, const void *data, size_t size, vz_error *err);
    /* what follows is gone */
    bool (*truncate)(vz_byte_source *source, uint64_t size, vz_error *err);
    bool (*flush)(vz_byte_source *source, vz_error *err); /* what was written is where others see
                                                           * it */
    /* Tells in err what was lost of what was written. */
    bool (*close)(vz_byte_source *source, vz_error *err);
} vz_byte_source_class;

struct vz_byte_source {
    const vz_byte_source_class *class;
    vz_identity identity;  /* of the file: of two byte sources of one file the same */
    bool in_memory;        /* so is what goes with it */
    bool is_read_anywhere; /* a read waits for no thread that may wait for who reads */
    bool is_searched;      /* what lies behind a part that is read is not wanted next */
    const char *etag;      /* of the version of a file on a server; NULL: not known. The source's */
    void *handle;          /* what the driver tells who asks for its own (H5Fget_vfd_handle); NULL:
                            * nothing */
    int file;              /* of vz_byte_source_over_file */
};

/* For who only reads: the file of a descriptor, which stays the caller's, as does the byte
 * source. */
vz_byte_source vz_byte_source_over_file(int file);
int vz_byte_source_file(const vz_byte_source *source); /* that descriptor; -1: it has none */

bool vz_byte_source_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err);
bool vz_byte_source_read_many(vz_byte_source *source, const vz_byte_read *reads, size_t count, vz_error *err);
bool vz_byte_source_size(vz_byte_source *source, uint64_t *size, vz_error *err);

/* VZ_READ_ONLY where nothing can be written. */
bool vz_byte_source_write(vz_byte_source *source, uint64_t offset, const void *data, size_t size, vz_error *err);
bool vz_byte_source_truncate(vz_byte_source *source, uint64_t size, vz_error *err);
bool vz_byte_source_flush(vz_byte_source *source, vz_error *err);
bool vz_byte_source_is_writable(const vz_byte_source *source);

/* An empty file without a name for what goes with it, open for reading and writing; -1 on
 * failure. */
int vz_byte_source_open_scratch(const vz_byte_source *source, vz_error *err);

/* byte_source_zip.c: its bytes become a zip file, or a one-file store behind a user block of
 * zeros, without entries. */
bool vz_store_make_over(vz_byte_source *source, bool one_file, uint64_t user_block, vz_error *err);
bool vz_byte_source_close(vz_byte_source *source, vz_error *err); /* NULL is fine */

#endif
