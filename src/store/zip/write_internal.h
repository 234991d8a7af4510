/* write_internal.h - which bytes of a zip file that is changed in place may be written. These are
 * the bytes behind all that is there, and later bytes that no directory or delta record ever
 * named. */
#ifndef VZ_ZIP_WRITE_INTERNAL_H
#define VZ_ZIP_WRITE_INTERNAL_H

#include "store/zip/central_internal.h"

/* Free pieces that are remembered; of more the smallest are lost until the file is packed. */
#define VZ_ZIP_FREE_MAX 256

typedef struct vz_zip_extent {
    uint64_t first, size;
} vz_zip_extent;

/* All zeros: nothing is taken. */
typedef struct vz_zip_room {
    uint64_t frontier; /* nothing at it or behind it is taken */
    vz_zip_extent free[VZ_ZIP_FREE_MAX];
    size_t count;
} vz_zip_room;

/* Where an entry can stand. */
typedef struct vz_zip_entry_place {
    uint64_t first; /* of its local header */
    uint64_t after; /* of its data */
    size_t padding; /* in its local header, so that large data is aligned */
} vz_zip_entry_place;

/* For a local header of `header` bytes without padding, with at least so much of that, and
 * `size` bytes of data. */
vz_zip_entry_place vz_zip_room_find(const vz_zip_room *room, size_t header, uint64_t size, size_t padding);
void vz_zip_room_take(vz_zip_room *room, const vz_zip_entry_place *place);
void vz_zip_room_give(vz_zip_room *room, uint64_t first, uint64_t size);
/* The blocks of all that is free go back to the file system where it can take them. */
void vz_zip_room_punch(const vz_zip_room *room, int file);
/* Bytes of padding behind a header that begins at `first`. */
size_t vz_zip_padding(uint64_t first, size_t header, uint64_t size, size_t least);

#endif
