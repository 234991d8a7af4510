/* json_value.h - elements of an HDF5 type as JSON values and back. For this room, and for attributes and dialects. */
#ifndef VZ_TYPES_JSON_VALUE_H
#define VZ_TYPES_JSON_VALUE_H

#include "hdf5/types/type_tree.h"

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

#endif
