/* blosc_format_internal.h - the part of blosc_format.h that only this module uses. */
#ifndef VZ_CODEC_BLOSC_FORMAT_INTERNAL_H
#define VZ_CODEC_BLOSC_FORMAT_INTERNAL_H

#include "codec/codec/blosc_format.h"

/* Is a block of so many bytes one stream for each byte of an element? A last one that is shorter never is. */
static inline bool vz_blosc_is_split(size_t element, size_t block)
{
    enum { LEAST = 128 /* elements */ };
    return element <= VZ_BLOSC_SPLIT_ELEMENT && block / element >= LEAST;
}

#endif
