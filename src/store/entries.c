/* entries.c - what stores answer with: entries of a listing, stamps. */
#include "store/store.h"
#include <stdlib.h>

bool vz_stamp_equal(const vz_stamp *a, const vz_stamp *b)
{
    if (!a->exists || !b->exists)
        return a->exists == b->exists;
    return a->size == b->size && a->device == b->device && a->inode == b->inode &&
           a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const vz_entry *)a)->name, ((const vz_entry *)b)->name);
}

static bool is_in_order(const vz_entry *entries, size_t number, int sign)
{
    for (size_t i = 1; i < number; i++)
        if (sign * compare_entries(&entries[i - 1], &entries[i]) > 0)
            return false;
    return true;
}

/* Some file systems list names as they were made, or the last one first, and most are made in order. */
void vz_entries_sort(vz_entry *entries, size_t number)
{
    if (is_in_order(entries, number, 1))
        return;
    if (!is_in_order(entries, number, -1)) {
        qsort(entries, number, sizeof *entries, compare_entries);
        return;
    }
    for (size_t i = 0, j = number; i + 1 < j; i++) {
        const vz_entry last = entries[--j];
        entries[j] = entries[i];
        entries[i] = last;
    }
}

void vz_entries_free(vz_entry *entries, size_t number)
{
    for (size_t i = 0; i < number; i++)
        free(entries[i].name);
    free(entries);
}
