/* walk.h - everything that a program can ask of a file that it was given, and some changes to it. Whatever a call
 * answers is right here: what counts is that the process lives on, and what it takes. */
#ifndef VZ_WALK_H
#define VZ_WALK_H

#include <hdf5.h>
#include <stdbool.h>

#define WALK_OBJECTS_MAX  400                 /* of one file that are opened */
#define WALK_LINKS_MAX    400                 /* of one group that are looked at */
#define WALK_READ_MAX     ((size_t)4 << 20)   /* bytes of elements that are read at once */
#define WALK_CHUNK_MAX    ((hsize_t)64 << 20) /* datasets with larger chunks are looked at, and not read */
#define WALK_ELEMENTS_MAX 64                  /* of one buffer that are followed */
#define WALK_DEPTH_MAX    12                  /* of types and of what references lead to */

/* Names, kinds, types, spaces, property lists of everything in the file; no elements. */
void walk_listing(const char *path);
/* All that, and links, attributes, elements, chunks, and where references lead. */
void walk_reading(const char *path);
/* Attributes, elements, extents, names: opened for writing, changed, flushed, closed, and looked at again. */
void walk_changes(const char *path);

void walk_type(hid_t type, unsigned depth);
/* The creation list, the layout and the stored size of a dataset. */
void walk_dataset_shape(hid_t dataset);
void walk_dataset_elements(hid_t dataset, unsigned depth);
void walk_attributes(hid_t object, bool elements, unsigned depth);
/* Elements of `type` as they were read: pointers are followed, references opened; then what was allocated is given
 * back. */
void walk_elements(hid_t file, hid_t type, hid_t space, size_t count, void *elements, unsigned depth);
/* Any object, as far as a stranger may look at it. */
void walk_object(hid_t object, bool elements, unsigned depth);

#endif
