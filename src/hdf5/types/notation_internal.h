/* notation_internal.h - the part of notation.h that only this module uses. */
#ifndef VZ_TYPES_NOTATION_INTERNAL_H
#define VZ_TYPES_NOTATION_INTERNAL_H

#include "hdf5/types/notation.h"

#define VZ_SHORT_FORM_MAX_DEPTH 24 /* types within types: an annotation is JSON of limited depth */

/* A word for each value of an HDF5 enumeration; the index is the value. NULL ends the list. */
extern const char *const vz_short_form_pads[];  /* H5T_str_t */
extern const char *const vz_short_form_csets[]; /* H5T_cset_t */
extern const char *const vz_short_form_norms[]; /* H5T_norm_t */

/* "<", ">", "vax": byte orders. */
bool vz_short_form_order_of(const vz_json *text, H5T_order_t *order);

#endif
