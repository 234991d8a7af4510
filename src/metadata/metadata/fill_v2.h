/* fill_v2.h - the v2 spelling of fill values (used by meta_v2.c, and by fill_v3.c for what both spell alike). */
#ifndef VZ_METADATA_FILL_V2_H
#define VZ_METADATA_FILL_V2_H

#include "metadata/metadata/meta.h"

/* Sets meta's fill from the JSON value; meta->dtype is known. null = undefined. 0 means zero bytes for every type, as
 * numpy-made documents have it. */
bool vz_fill_parse_v2(vz_array_meta *meta, const vz_json *value, vz_error *err);
vz_json *vz_fill_print_v2(const vz_array_meta *meta, vz_error *err);

/* One element that is no object and no structure, into dtype->size zeroed bytes. */
bool vz_fill_parse_element(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err);
/* Sets the fill of an array of objects. */
bool vz_fill_parse_item(vz_array_meta *meta, const vz_json *value, vz_error *err);

/* One part of a complex number, `size` bytes, as the format spells reals. */
typedef bool (*vz_fill_parse_part)(size_t size, bool big_endian, const vz_json *value, uint8_t *bytes, vz_error *err);
typedef vz_json *(*vz_fill_print_part)(size_t size, bool big_endian, const uint8_t *bytes, vz_error *err);
/* [re, im], or a real alone. */
bool vz_fill_parse_complex(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_fill_parse_part parse,
                           vz_error *err);
vz_json *vz_fill_print_complex(const vz_dtype *dtype, const uint8_t *bytes, vz_fill_print_part print, vz_error *err);

#endif
