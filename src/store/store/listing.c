/* listing.c - what stores answer with: entries of a listing, stamps. */
#include "store/store/store.h"
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

/* Neighbours of which the second goes in front. */
static size_t count_falls(const vz_entry *entries, size_t number)
{
    size_t falls = 0;
    for (size_t i = 1; i < number; i++)
        falls += compare_entries(&entries[i - 1], &entries[i]) > 0;
    return falls;
}

static void reverse(vz_entry *entries, size_t number)
{
    for (size_t i = 0, j = number; i + 1 < j; i++) {
        const vz_entry last = entries[--j];
        entries[j] = entries[i];
        entries[i] = last;
    }
}

/* Moves each entry that is not in order to its place, unless that takes more than a few moves
 * for each of all. */
static bool insert_few(vz_entry *entries, size_t number)
{
    size_t moves_left = 4 * number;
    for (size_t i = 1; i < number; i++) {
        const vz_entry entry = entries[i];
        size_t at = i;
        while (at > 0 && moves_left > 0 && compare_entries(&entries[at - 1], &entry) > 0) {
            entries[at] = entries[at - 1];
            at--;
            moves_left--;
        }
        entries[at] = entry;
        if (moves_left == 0)
            return false;
    }
    return true;
}

/* Some file systems list names as they were made, or the last one first. Most names are made in
 * order, but for the documents of their group. Other file systems list them in no order. */
void vz_entries_sort(vz_entry *entries, size_t number)
{
    const size_t falls = count_falls(entries, number), rises = number - falls - (number > 0);
    const size_t few = number / 8 + 2;
    if (falls == 0)
        return;
    if (rises <= few && rises < falls)
        reverse(entries, number);
    const bool is_done = rises == 0;
    const bool is_nearly = falls <= few || rises <= few;
    if (!is_done && !(is_nearly && insert_few(entries, number)))
        qsort(entries, number, sizeof *entries, compare_entries);
}

void vz_entries_free(vz_entry *entries, size_t number)
{
    vz_entry_names_free(vz_entries_take_names(entries, number));
    for (size_t i = 0; i < number; i++)
        if (!entries[i].in_names)
            free(entries[i].name);
    free(entries);
}

vz_entry_names *vz_entries_take_names(vz_entry *entries, size_t number)
{
    vz_entry_names *all = NULL;
    for (size_t i = 0; i < number; i++) {
        if (!entries[i].names)
            continue;
        entries[i].names->next = all;
        all = entries[i].names;
        entries[i].names = NULL;
    }
    return all;
}

void vz_entry_names_free(vz_entry_names *names)
{
    while (names) {
        vz_entry_names *next = names->next;
        free(names);
        names = next;
    }
}
