/* array_internal.h - the part of array.h that only this module uses. */
#ifndef VZ_ARRAY_ARRAY_INTERNAL_H
#define VZ_ARRAY_ARRAY_INTERNAL_H

#include "array/array/array.h"

vz_array_counts vz_array_counted(const vz_array *array);

#endif
