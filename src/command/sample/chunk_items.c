/* chunk_items.c - a list of chunks, sorted by number. */
#include "base/os/process.h"
#include "base/util/c_library.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>

#define LOOK_EACH 4096 /* chunks after which the clock is asked */

void vz_sample_chunk_list_clear(vz_sample_chunk_list *list)
{
    free(list->items);
    *list = (vz_sample_chunk_list){0};
}

bool vz_sample_chunk_add(vz_sample_chunk_list *list, uint64_t number, uint64_t size)
{
    if (list->count >= VZ_SAMPLE_CHUNKS_MAX)
        snprintf(list->why, sizeof list->why, "more than %llu chunks are stored",
                 (unsigned long long)VZ_SAMPLE_CHUNKS_MAX);
    else if (list->count % LOOK_EACH == LOOK_EACH - 1 && vz_os_now_ns() > list->until)
        snprintf(list->why, sizeof list->why, "listing the chunks takes more than %d seconds", VZ_SAMPLE_SECONDS_MAX);
    if (*list->why)
        return false;
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        vz_sample_stored *items = vz_realloc_items(list->items, capacity, sizeof *items);
        if (!items) {
            snprintf(list->why, sizeof list->why, "out of memory");
            return false;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = (vz_sample_stored){number, size};
    return true;
}

static int by_number(const void *a, const void *b)
{
    const vz_sample_stored *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

void vz_sample_chunk_sort(vz_sample_chunk_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_number);
}

const vz_sample_stored *vz_sample_chunk_find(const vz_sample_chunk_list *list, uint64_t number)
{
    const vz_sample_stored wanted = {.number = number};
    return list->count ? bsearch(&wanted, list->items, list->count, sizeof wanted, by_number) : NULL;
}
