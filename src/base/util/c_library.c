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

#if defined(__APPLE__) /* where the context comes first */
typedef struct order {
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
} order;

static int compare_in_order(void *context, const void *a, const void *b)
{
    const order *by = context;
    return by->compare(a, b, by->context);
}

void vz_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
             void *context)
{
    order by = {compare, context};
    qsort_r(items, count, size, &by, compare_in_order);
}
#else
void vz_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
             void *context)
{
    qsort_r(items, count, size, compare, context);
}
#endif
