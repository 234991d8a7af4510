/* types.h - HDF5 datatypes and Zarr dtypes, both ways; rows in types_table.c. The exact rules: reference anndata.md 2.1,
 * conventions.md 5.2 (design.md decides). */
#ifndef VZ_MAP_TYPES_H
#define VZ_MAP_TYPES_H

#include "h5/h5.h"
#include "zarr/node.h"

/* The HDF5 type that shows `dtype`; `note` is the annotation's type description "t" (NULL or one whose guard holds). The returned
 * id is a new, transient type. Text and byte strings come out as memory variable-length types. */
hid_t vz_type_show(const vz_dtype *dtype, const vz_json *note, vz_error *err);

/* What a dataset of an HDF5 type becomes. */
typedef struct vz_type_plan {
    vz_dtype *dtype;     /* owned */
    vz_json *codec;      /* object codec configuration that goes first into filters, or NULL; owned */
    vz_json *note;       /* "t" for the annotation, or NULL when vz_type_show(dtype, NULL) is equal to the type; owned */
    vz_json *zarr_dtype; /* value of the zarr_dtype attribute; owned */
} vz_type_plan;
/* VZ_UNSUPPORTED names what this type class cannot do yet (references, committed ...). */
bool vz_type_plan_make(vz_type_plan *plan, hid_t type, bool scalar, const vz_options *options, vz_error *err);
void vz_type_plan_clear(vz_type_plan *plan);

/* Do elements of the dtype in a decoded chunk have exactly the bytes of the shown HDF5 type? (no: text, objects, <U) */
bool vz_type_same_bytes(const vz_dtype *dtype);
/* The number behind a shown or memory type: integer, float of a size and order that src/zarr/convert.h knows and standard layout. */
bool vz_type_number(hid_t type, vz_number *number);

/* Zarr elements <-> elements of the shown type in memory form (char pointers, hvl_t), for types without same bytes.
 * unpack: text and sequences are taken from `arena`; the result needs no reclaim. pack: `arena` receives bytes. */
bool vz_type_unpack(const vz_dtype *dtype, hid_t shown, const void *elements, size_t count, void *out, vz_arena *arena,
                    vz_error *err);
bool vz_type_pack(const vz_dtype *dtype, hid_t shown, const void *in, size_t count, void *elements, vz_arena *arena,
                  vz_error *err);

#endif
