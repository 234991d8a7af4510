/* flat_internal.h - a bounded reader of flatbuffers. Nothing in them is trusted: each step checks
 * the offset that it follows. */
#ifndef VZ_ICECHUNK_FLAT_INTERNAL_H
#define VZ_ICECHUNK_FLAT_INTERNAL_H

#include "base/util/bytes.h"

#define VZ_FLAT_MAX ((size_t)1 << 30) /* bytes of one flatbuffer; positions have 32 bits */

/* A flatbuffer, and what was wrong with it. One thread uses it; others copy it. */
typedef struct vz_icechunk_flat {
    vz_bytes all;
    const char *wrong; /* the first field that was none; NULL: all were right */
} vz_icechunk_flat;

/* A row of the schema. */
typedef struct vz_icechunk_flat_field {
    const char *name;
    uint8_t number; /* among the fields of its table */
    uint8_t size;   /* bytes of a number or a struct, or of each item of a vector */
} vz_icechunk_flat_field;

/* A table. `at` is 0: there is none. */
typedef struct vz_icechunk_flat_table {
    uint32_t at, places; /* of the table, and of its list of fields */
    uint16_t size, places_size;
} vz_icechunk_flat_table;

/* A vector, all of whose items lie in the flatbuffer. `at` is 0: there is none. */
typedef struct vz_icechunk_flat_vector {
    uint32_t at, count; /* of the first item */
} vz_icechunk_flat_vector;

/* All of these answer nothing, and set `wrong`, for what does not lie in the flatbuffer. A field
 * that is not there is not wrong. */
vz_icechunk_flat_table vz_icechunk_flat_root(vz_icechunk_flat *flat);
uint64_t vz_icechunk_flat_number(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                 const vz_icechunk_flat_field *field, uint64_t otherwise);
const uint8_t *vz_icechunk_flat_struct(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                       const vz_icechunk_flat_field *field);
vz_icechunk_flat_table vz_icechunk_flat_child(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                              const vz_icechunk_flat_field *field);
vz_icechunk_flat_vector vz_icechunk_flat_items(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                               const vz_icechunk_flat_field *field);
/* Of a vector of bytes, or a text; data is NULL: there is none. */
vz_bytes vz_icechunk_flat_bytes(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                const vz_icechunk_flat_field *field);
/* The item of a vector of tables; it must be there. */
vz_icechunk_flat_table vz_icechunk_flat_item(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *vector,
                                             uint32_t index);

#endif
