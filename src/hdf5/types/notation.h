/* notation.h - the short form of HDF5 types in annotations, which README.md describes. */
#ifndef VZ_TYPES_NOTATION_H
#define VZ_TYPES_NOTATION_H

#include "base/util/json.h"
#include "hdf5/h5/h5.h"

/* Type short form (docs/format.md) <-> HDF5 type. */
vz_json *vz_short_form_print(hid_t type, vz_error *err);
hid_t vz_short_form_parse(const vz_json *form, vz_error *err);

/* ---- private to notation_print.c and notation_parse.c ---- */

#define VZ_SHORT_FORM_MAX_DEPTH 24 /* types within types: an annotation is JSON of limited depth */

/* A word for each value of an HDF5 enumeration; the index is the value. NULL ends the list. */
extern const char *const vz_short_form_pads[];  /* H5T_str_t */
extern const char *const vz_short_form_csets[]; /* H5T_cset_t */
extern const char *const vz_short_form_norms[]; /* H5T_norm_t */

/* "<", ">", "vax": byte orders. */
bool vz_short_form_order_of(const vz_json *text, H5T_order_t *order);

#endif
