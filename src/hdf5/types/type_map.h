/* type_map.h - HDF5 datatypes and Zarr dtypes, both ways; rows in type_rule_table.c. */
#ifndef VZ_TYPES_TYPE_MAP_H
#define VZ_TYPES_TYPE_MAP_H

#include "hdf5/h5/h5.h"
#include "hdf5/types/type_tree.h"
#include "hierarchy/nodes/node.h"

/* Takes the dimensions of an array type, of its base if that is an array too, and so on. Returns the element type
 * (new), or H5I_INVALID_HID. */
hid_t vz_type_peel(hid_t type, unsigned *axes, uint64_t axis[VZ_MAX_RANK], vz_error *err);

/* The type that an array with the given shape shows: `told` (taken), which the annotation or a convention tells, if
 * its elements can be shown so, else what the dtype alone says. *axes tells how many of the last dimensions belong to
 * the type. Of an array type they are; vz_type_unpack and _pack then count in its elements. Of a compound whose members
 * lie along the last axis *row is the dtype of all of them together, which is to be unpacked and packed instead of the
 * array's (the caller frees it); else it is NULL. */
hid_t vz_type_show_axes(const vz_dtype *dtype, hid_t told, unsigned rank, const uint64_t *shape, unsigned *axes,
                        vz_dtype **row, vz_error *err);
/* The dtype of a row whose members are elements of the array, side by side. */
vz_dtype *vz_type_row(const vz_dtype *dtype, const vz_type_tree *compound, vz_error *err);
/* The dtype of one row stored as a record for each of its `count` fields: field i is shown of the i-th, all are
 * written. */
vz_dtype *vz_type_repeated_row(const vz_dtype *record, uint64_t count, vz_error *err);

/* Do elements of the dtype in a decoded chunk have exactly the bytes of the shown HDF5 type? (Mostly no: text, objects,
 * <U, and structs whose annotation asks for padding.) */
bool vz_type_same_bytes_as(const vz_dtype *dtype, hid_t shown);
/* The number behind a shown or memory type: integer, float of a size and order that src/array/numeric/convert_numbers.h knows and
 * standard layout. */
bool vz_type_number(hid_t type, vz_number_format *number);

/* Zarr elements <-> elements of the shown type in memory form (char pointers, hvl_t), for any dtype.
 * unpack: text and sequences lie in `arena` or in the items' own memory; the result needs no reclaim and is not the
 * user's: H5Tconvert from `shown` to the memory type copies every string and sequence, also when the two are equal.
 * pack: items may point into `in`'s own strings, so `in` must live as long as `elements` is used; the rest of what they
 * point to is taken from `arena`. */
bool vz_type_unpack(const vz_dtype *dtype, hid_t shown, const void *elements, size_t count, void *out, vz_arena *arena,
                    vz_error *err);
bool vz_type_pack(const vz_dtype *dtype, hid_t shown, const void *in, size_t count, void *elements, vz_arena *arena,
                  vz_error *err);

/* The same for many calls: what to do is worked out once. The dtype is borrowed and must outlive the packing. NULL with
 * err set: elements of the dtype cannot be shown so, or HDF5 refused. */
typedef struct vz_packing vz_packing;
vz_packing *vz_packing_new(const vz_dtype *dtype, hid_t shown, vz_error *err);
void vz_packing_free(vz_packing *packing);                     /* NULL is fine */
const vz_type_tree *vz_packing_layout(const vz_packing *packing); /* of the shown type; borrowed */
bool vz_packing_unpack(const vz_packing *packing, const void *elements, size_t count, void *out, vz_arena *arena,
                       vz_error *err);
bool vz_packing_pack(const vz_packing *packing, const void *in, size_t count, void *elements, vz_arena *arena,
                     vz_error *err);

/* Some dtypes grow with the data. Text members of a compound are stored as <Um, m starting at 1; a text array becomes
 * one of byte strings at the first text that is not UTF-8. So a write goes
 *
 *     if (vz_type_can_grow(dtype)) {
 *         vz_type_fit(dtype, layout of shown, in, count, empty, &grown, err);     // looks at the data
 *         if (grown) give the array the dtype `grown`;                  // see below
 *     }
 *     vz_type_pack(array's dtype, ...);
 *
 * Giving an array another dtype: where it has no chunks yet, meta->dtype, the fill value (vz_type_regrow it) and the
 * chain are replaced and the metadata marked changed; otherwise its chunks are read, passed through vz_type_regrow and
 * written beside (vz_node_replace). Text to byte strings needs no rewrite, since the chunks have the same bytes:
 * the object codec becomes "vlen-bytes". In both cases vz_annotation_set(node, "t", ...) follows with
 * vz_type_annotation of the shown type. */
bool vz_type_can_grow(const vz_dtype *dtype);
/* *grown: NULL when `dtype` holds all of `in`, else a new dtype that does (caller frees). empty: nothing is stored yet,
 * so widths are exact; otherwise they grow by half at least, so that appending does not rewrite the array each time. */
bool vz_type_fit(const vz_dtype *dtype, const vz_type_tree *shown, const void *in, size_t count, bool empty,
                 vz_dtype **grown, vz_error *err);
/* Elements of `from` as elements of `to`, which vz_type_fit made of it. `to` elements do not overlap `from`'s. */
void vz_type_regrow(const vz_dtype *from, const vz_dtype *to, const void *elements, size_t count, void *out);
/* The annotation "t" that makes `dtype` show as `shown`: *annotation is NULL when none is needed. */
bool vz_type_annotation(const vz_dtype *dtype, hid_t shown, vz_json **annotation, vz_error *err);

#endif
