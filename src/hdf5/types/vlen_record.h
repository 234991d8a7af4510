/* vlen_record.h - one element of any HDF5 type as a string of bytes, for what no dtype can hold and for exact copies
 * of attribute values: members by offset and array elements one after the other without padding, fixed-size parts as
 * their bytes in memory, text as u32 length + bytes, sequences as u32 count + elements (little-endian). Private to this
 * room. */
#ifndef VZ_TYPES_VLEN_RECORD_H
#define VZ_TYPES_VLEN_RECORD_H

#include "hdf5/types/type_tree.h"

/* Appends the element at `in`. */
bool vz_record_write(const vz_type_tree *layout, const void *in, vz_buffer *out, vz_error *err);
/* Reads one element, moving *bytes past it; text and sequences are taken from `arena`. VZ_CORRUPT when the bytes end
 * early. Padding in `out` is left as it was. */
bool vz_record_read(const vz_type_tree *layout, vz_bytes *bytes, void *out, vz_arena *arena, vz_error *err);

#endif
