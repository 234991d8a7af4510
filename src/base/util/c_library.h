/* c_library.h - functions that glibc has and other C libraries have not, or have otherwise. */
#ifndef VZ_UTIL_C_LIBRARY_H
#define VZ_UTIL_C_LIBRARY_H

#include <stddef.h>

/* The last byte of that value among `size` bytes; NULL: there is none. */
const char *vz_find_last(const char *data, char byte, size_t size);
/* Zeros over what is secret, also where the compiler sees nobody read them. */
void vz_wipe(void *data, size_t size);
/* Memory for `count` items of `size` bytes, with what the old memory held. NULL: there is none, or
 * the product overflows; the old memory stays then. */
void *vz_realloc_items(void *old, size_t count, size_t size);
/* qsort, whose comparison gets the context. */
void vz_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
             void *context);

#endif
