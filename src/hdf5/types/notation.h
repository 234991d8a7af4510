/* notation.h - the short form of HDF5 types in annotations, which dtypes.md describes. */
#ifndef VZ_TYPES_NOTATION_H
#define VZ_TYPES_NOTATION_H

#include "base/util/json.h"
#include "hdf5/h5/h5.h"

/* Type short form (docs/format.md) <-> HDF5 type. */
vz_json *vz_short_form_print(hid_t type, vz_error *err);
hid_t vz_short_form_parse(const vz_json *form, vz_error *err);

/* ---- private to notation_print.c and notation_parse.c ---- */

#endif
