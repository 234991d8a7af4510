/* names.h - link names a store cannot hold are escaped reversibly, all others are themselves (design 5). */
#ifndef VZ_ZARR_NAMES_H
#define VZ_ZARR_NAMES_H

#include "util/error.h"

/* Escapes ".", "..", backslash, the metadata names (.zarray .zgroup .zattrs .zmetadata zarr.json), names over 240 bytes,
 * invalid UTF-8, our partial names. Caller frees. Equal to `name` when nothing needs it ('%' alone does not). */
char *vz_name_to_segment(const char *name, vz_error *err);
bool vz_name_needs_escape(const char *name);

#endif
