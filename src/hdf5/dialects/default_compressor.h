/* default_compressor.h - the root's marks of the whole store: "dc" (default compressor) and "v"
 * (made by this connector). */
#ifndef VZ_DIALECTS_DEFAULT_COMPRESSOR_H
#define VZ_DIALECTS_DEFAULT_COMPRESSOR_H

#include "hierarchy/nodes/node.h"

/* Marks a store that we have just created, in memory and on disk: version, and the default codec
 * of its options. */
bool vz_dialect_mark_store(vz_hierarchy *hierarchy, vz_error *err);
/* The compressor of datasets without a filter; NULL: none (no error). Borrowed. */
const vz_json *vz_dialect_default_codec(vz_hierarchy *hierarchy);
/* The configuration of the codec with that name, as the option `compress` has it: "none" is JSON's
 * null. The caller frees it. VZ_INVALID: there is no such name. */
vz_json *vz_dialect_codec_called(const char *name, const vz_zarr_format *zarr_format, vz_error *err);

#endif
