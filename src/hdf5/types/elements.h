/* elements.h - elements of an HDF5 type as JSON values and as records of bytes. */
#ifndef VZ_TYPES_ELEMENTS_H
#define VZ_TYPES_ELEMENTS_H

#include "hdf5/types/types.h"

/* -- JSON value --
 * Elements of an HDF5 type as JSON values and back; for attributes and dialects. */
/* Are elements of this type lists in JSON, so that a list alone does not tell the shape? */
bool vz_elements_are_list_like(const vz_type_tree *layout);

/* Are elements of this type references, or lists of them? Their JSON value is {"zarr_dtype":
 * "object", "value": ...}. */
bool vz_elements_hold_references(const vz_type_tree *layout);
/* The "value" of such an object; any other value is returned unchanged. */
const vz_json *vz_elements_references(const vz_json *value);

/* Elements at `data` as nested lists of the given dimensions (rank 0: one element). If reading the
 * JSON again would not give equal bytes, *exact becomes false; else it keeps its value. */
vz_json *vz_elements_to_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const uint8_t *data,
                             bool *exact, vz_error *err);

/* Elements from a JSON value; text and sequences are allocated in `arena`. False without an
 * error if the value is not of this type or shape or is out of range, and if memory is short. */
bool vz_elements_from_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const vz_json *value,
                           uint8_t *data, vz_arena *arena);

/* -- Vlen record --
 * An element of any HDF5 type as a string of bytes: for types without a dtype, and for exact
 * copies of attribute values. Little-endian and without padding:
 * - members by offset, array elements one after the other
 * - fixed-size parts as their bytes in memory
 * - text as u32 length and bytes, sequences as u32 count and elements */
/* Appends the element at `in`. */
bool vz_record_write(const vz_type_tree *layout, const void *in, vz_buffer *out, vz_error *err);
/* Reads one element and moves *bytes past it. Text and sequences are allocated in `arena`;
 * padding in `out` stays unchanged. VZ_CORRUPT if the bytes end early. */
bool vz_record_read(const vz_type_tree *layout, vz_bytes *bytes, void *out, vz_arena *arena, vz_error *err);

#endif
