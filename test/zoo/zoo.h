/* zoo.h - the parts of the zoo: files that hold every type and feature of HDF5, small and the same each time. */
#ifndef VZ_ZOO_H
#define VZ_ZOO_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program when a call failed; HDF5 has printed its error stack then. */
static inline hid_t must(hid_t result)
{
    if (result < 0)
        exit(1);
    return result;
}

#define ZOO_TARGET "/target" /* what references of the zoo point to; it has the attribute "note" */

/* Element of `type` for the `seed`, in memory form. H5Treclaim frees what it points to. */
void zoo_fill(hid_t file, hid_t type, void *element, unsigned seed);
void zoo_write(hid_t file, hid_t dataset, hid_t type, hid_t space);
/* A dataset `where`/`name` of `count` filled elements (0: scalar); dcpl as for H5Dcreate2. */
void zoo_dataset(hid_t where, const char *name, hid_t type, hsize_t count, hid_t dcpl);
void zoo_attribute(hid_t where, const char *name, hid_t type, hsize_t count);
hid_t zoo_group(hid_t where, const char *name);

typedef struct zoo_type {
    const char *name;
    hid_t (*make)(void);
} zoo_type;

extern const zoo_type zoo_types[];
extern const size_t zoo_type_count;

/* Each type in every place a type can stand. */
void zoo_show(hid_t file, const zoo_type *kinds, size_t count);

/* The parts; each is given a new file with ZOO_TARGET in it. */
void zoo_part_types(hid_t file);
void zoo_part_nested(hid_t file);
void zoo_part_storage(hid_t file);
void zoo_part_links(hid_t file);
void zoo_part_direct(hid_t file);

#endif
