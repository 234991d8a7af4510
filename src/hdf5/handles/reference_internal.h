/* reference_internal.h - the part of reference.h that only this module uses. */
#ifndef VZ_HANDLES_REFERENCE_INTERNAL_H
#define VZ_HANDLES_REFERENCE_INTERNAL_H

#include "hdf5/handles/reference.h"

/* external_reference.c: to an object of another file, named by "source" and "path". The file is opened when the
 * reference is followed, if it can be. */
bool vz_reference_make_external(vz_file *file, const vz_json *text, H5R_ref_t *out, vz_error *err);

/* Adds these to *text. `token` is the reference's. */
bool vz_reference_describe_external(const vz_file *file, const H5R_ref_t *reference, uint64_t token, vz_json **text,
                                    vz_error *err);

/* region_reference.c: see vz_reference_maker. */
bool vz_reference_make_region(void *file, uint64_t token, const vz_json *text, hdset_reg_ref_t *out, vz_error *err);
uint64_t vz_reference_describe_region(void *file, const hdset_reg_ref_t *reference, vz_json **text, vz_error *err);

#endif
