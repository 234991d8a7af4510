/* elements.h - json value, vlen record. */
#ifndef VZ_TYPES_ELEMENTS_H
#define VZ_TYPES_ELEMENTS_H

#include "hdf5/types/types.h"

/* -- Json value --
 * elements of an HDF5 type as JSON values and back. For this room, and for attributes and dialects. */
/* Are elements of this type lists in JSON, so that a list alone does not tell the shape? */
bool vz_json_is_list_like(const vz_type_tree *layout);

/* Are elements of this type references, or lists of them? Their JSON value is {"zarr_dtype": "object", "value": ...}.
 */
bool vz_json_holds_references(const vz_type_tree *layout);
/* What stands in "value" of such an object; any other value is itself. */
const vz_json *vz_json_references(const vz_json *value);

/* Elements at `data` as nested lists of the given dimensions (rank 0: one element). *exact becomes false (else it is
 * left alone) when reading the JSON again would not give the same bytes. */
vz_json *vz_elements_to_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const uint8_t *data,
                             bool *exact, vz_error *err);

/* The way back; text and sequences are taken from `arena`. False without an error when the value is not of this type or
 * shape, or out of its range (or memory is short). */
bool vz_elements_from_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const vz_json *value,
                           uint8_t *data, vz_arena *arena);

/* -- Vlen record --
 * one element of any HDF5 type as a string of bytes, for what no dtype can hold and for exact copies
 * of attribute values: members by offset and array elements one after the other without padding, fixed-size parts as
 * their bytes in memory, text as u32 length + bytes, sequences as u32 count + elements (little-endian). Private to this
 * room. */
/* Appends the element at `in`. */
bool vz_record_write(const vz_type_tree *layout, const void *in, vz_buffer *out, vz_error *err);
/* Reads one element, moving *bytes past it; text and sequences are taken from `arena`. VZ_CORRUPT when the bytes end
 * early. Padding in `out` is left as it was. */
bool vz_record_read(const vz_type_tree *layout, vz_bytes *bytes, void *out, vz_arena *arena, vz_error *err);

#endif
