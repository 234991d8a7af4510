/* moved_notes.h - notes of moves and deletions as they are read: from the root's annotation, from journals. For moved.c
 * and moved_notes.c. */
#ifndef VZ_HIERARCHY_MOVED_NOTES_H
#define VZ_HIERARCHY_MOVED_NOTES_H

#include "hierarchy/hierarchy.h"

typedef struct vz_note {
    uint64_t number;
    char *from, *to; /* heap; to NULL: deleted */
    char *segment;   /* heap; how the store spells the last part of `to`, if not so; NULL: so, or not told */
    size_t place;    /* among those read */
} vz_note;

typedef struct vz_notes {
    vz_note *all;
    size_t count, capacity;
} vz_notes;

void vz_notes_clear(vz_notes *notes);
/* Adds those of a list [[number, old path, path now or null] ...]; what is none is passed over. */
bool vz_notes_read(vz_notes *notes, const vz_json *list, vz_error *err);
/* Adds what the store's journals tell, and `notes` does not yet. */
bool vz_notes_read_journals(vz_notes *notes, vz_hierarchy *hierarchy, vz_error *err);
/* In the order of their numbers. */
void vz_notes_sort(vz_notes *notes);
/* A line of a journal: number, paths, and the keys that say whether it came to the change. Heap. */
char *vz_note_line(uint64_t number, const char *from, const char *to, const char *from_key, const char *to_key,
                   vz_error *err);
/* The line after it, where it did. Heap. */
char *vz_note_line_done(uint64_t number, vz_error *err);
vz_json *vz_note_json(uint64_t number, const char *from, const char *to, vz_error *err);

#endif
