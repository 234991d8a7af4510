/* move_log_internal.h - entries of the move log as they are read and printed: one for each move or
 * deletion, from the list or from journals. */
#ifndef VZ_MOVES_MOVE_LOG_INTERNAL_H
#define VZ_MOVES_MOVE_LOG_INTERNAL_H

#include "hierarchy/moves/move_log.h"

typedef struct vz_move_entry {
    uint64_t number;
    char *from, *to; /* heap; to NULL: deleted */
    char *segment;   /* heap; the last part of `to` as the store has it, if that differs and is
                      * known; else NULL */
    size_t place;    /* among those read */
} vz_move_entry;

typedef struct vz_move_entries {
    vz_move_entry *all;
    size_t count, capacity;
} vz_move_entries;

void vz_move_entries_clear(vz_move_entries *entries);

/* Adds those of a list; what is none is passed over. */
bool vz_move_entries_read(vz_move_entries *entries, const vz_json *list, vz_error *err);

/* Adds what the store's journals tell, and `entries` does not yet. */
bool vz_move_entries_read_journals(vz_move_entries *entries, vz_store *store, vz_error *err);

/* In the order of their numbers. */
void vz_move_entries_sort(vz_move_entries *entries);

/* The line of a journal before a change: number, paths, and the keys that say whether it happened;
 * and the line after it. Heap. */
char *vz_move_entry_line(uint64_t number, const char *from, const char *to, const char *from_key, const char *to_key,
                         vz_error *err);
char *vz_move_entry_line_done(uint64_t number, vz_error *err);

/* An entry of the list. */
vz_json *vz_move_entry_json(uint64_t number, const char *from, const char *to, vz_error *err);

#endif
