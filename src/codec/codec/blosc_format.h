/* blosc_format.h - constants of Blosc 1 buffers that are made or decoded here. */
#ifndef VZ_CODEC_BLOSC_FORMAT_H
#define VZ_CODEC_BLOSC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    VZ_BLOSC_HEAD = 16,          /* bytes before the table of blocks */
    VZ_BLOSC_FUTURE = 0x08,      /* a flag: of a later format, which no library of ours decodes */
    VZ_BLOSC_UNSPLIT = 0x10,     /* a flag: no block is split */
    VZ_BLOSC_CODEC_SHIFT = 5,    /* where the inner codec stands among the flags */
    VZ_BLOSC_SPLIT_ELEMENT = 16, /* bytes of the largest element of which streams are made */
    VZ_BLOSC_MOST_ELEMENT = 255, /* bytes; of larger elements HDF5's filter makes bytes */
};

#endif
