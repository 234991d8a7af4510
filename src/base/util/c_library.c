/* c_library.c - see c_library.h. */
#include "base/util/c_library.h"
#include <stdlib.h>

const char *vz_find_last(const char *data, char byte, size_t size)
{
    while (size > 0)
        if (data[--size] == byte)
            return data + size;
    return NULL;
}

void vz_wipe(void *data, size_t size)
{
    volatile unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        bytes[i] = 0;
}

void *vz_realloc_items(void *old, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(old, bytes);
}

#if defined(__GLIBC__)
void vz_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
             void *context)
{
    qsort_r(items, count, size, compare, context);
}
#else /* musl has no qsort_r before 1.2.3; that of macOS has its arguments in another order */
typedef struct order {
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
} order;

static _Thread_local const order *current; /* of the sort that this thread is in */

static int compare_in_order(const void *a, const void *b)
{
    return current->compare(a, b, current->context);
}

/* A comparison may sort, too. */
void vz_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
             void *context)
{
    const order by = {compare, context}, *outer = current;
    current = &by;
    qsort(items, count, size, compare_in_order);
    current = outer;
}
#endif
