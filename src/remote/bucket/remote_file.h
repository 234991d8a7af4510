/* remote_file.h - the bytes of one value far away as a medium: read by ranges, all of one version. */
#ifndef VZ_BUCKET_REMOTE_FILE_H
#define VZ_BUCKET_REMOTE_FILE_H

#include "remote/bucket/task.h"
#include "store/store/signature.h"

#define VZ_FILE_BLOCKS 3

typedef struct vz_file_bytes {
    vz_medium base;
    vz_remote *remote; /* whose prefix is the value's key; not the medium's to close */
    uint64_t size;
    vz_version version;
    struct {
        uint64_t first;
        vz_buffer bytes;
    } blocks[VZ_FILE_BLOCKS]; /* read: its start, its end, and what was asked for last */
} vz_file_bytes;

/* Asks for the start and the end of the value, at once. *found=false (and true returned): there is none. */
bool vz_file_bytes_open(vz_remote *remote, vz_file_bytes **bytes, bool *found, vz_error *err);
void vz_file_bytes_close(vz_file_bytes *bytes);
/* What the value begins with; *is_zip: entries of a zip do. */
bool vz_file_bytes_look(vz_file_bytes *bytes, vz_header *header, bool *is_zip, vz_error *err);

#endif
