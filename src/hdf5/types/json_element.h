/* json_element.h - elements as the JSON values of object arrays (json2, msgpack2, pickle) and back. Private to this room.
 *
 * Text is a string, a reference an object, the null reference null, a compound the list of its members, everything else
 * what an attribute would have. What JSON cannot hold is {"__bytes__": base64}: text that is not UTF-8, and elements
 * (in the form of vlen_record.h) whose bytes their value would not give back. 0, which arrays of hdmf-zarr have as
 * fill value, and null are the zero of any type but text, which shows a number as its digits, and other values as their
 * JSON.
 */
#ifndef VZ_TYPES_JSON_ELEMENT_H
#define VZ_TYPES_JSON_ELEMENT_H

#include "hdf5/types/type_tree.h"

/* Can values of JSON be elements of such a type? `record`: the structure that each value is a row of, or NULL. */
bool vz_json_item_fits(const vz_type_tree *layout, const vz_dtype *record);
/* An element, whose bytes are zero so far, from the JSON text of its value; what it points to is taken from `arena`. A
 * missing item is a zero. member: the element is a compound's. VZ_CORRUPT says what does not fit. */
bool vz_json_item_read(const vz_type_tree *layout, bool member, vz_item item, uint8_t *out, vz_arena *arena,
                       vz_error *err);
bool vz_json_item_write(const vz_type_tree *layout, const uint8_t *in, vz_item *item, vz_arena *arena, vz_error *err);

#endif
