/* dtype_v2.h - numpy's letters for element types (used by the files of v2 only). */
#ifndef VZ_METADATA_DTYPE_V2_H
#define VZ_METADATA_DTYPE_V2_H

#include "metadata/metadata/dtype.h"

typedef struct vz_dtype_letter {
    char letter;
    vz_dtype_kind kind;
    uint32_t sizes; /* the sum of those that this letter can have; 0: any */
    size_t unit;    /* bytes per counted unit */
} vz_dtype_letter;

/* Those that a size follows; of times and objects dtype_v2.c knows. */
#define VZ_DTYPE_LETTERS 8
extern const vz_dtype_letter vz_dtype_letters[VZ_DTYPE_LETTERS];

#endif
