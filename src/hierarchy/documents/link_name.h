/* link_name.h - link names a store cannot hold are escaped reversibly, all others are themselves. */
#ifndef VZ_DOCUMENTS_LINK_NAME_H
#define VZ_DOCUMENTS_LINK_NAME_H

#include "base/util/error.h"

#define VZ_NAME_MAX_SEGMENT 240 /* bytes of a segment; file systems take 255, partial files need a few more */

/* Escapes ".", "..", backslash, the metadata names (.zarray .zgroup .zattrs .zmetadata zarr.json), names over 240
 * bytes, invalid UTF-8, our partial names. Caller frees. Equal to `name` when nothing needs it ('%' alone does not). */
char *vz_name_to_segment(const char *name, vz_error *err);
/* For a name whose segment is taken by another link: the segment, cut where needed, with "%~" and a hash of the name.
 * Only the parent's "L" entry leads back from it. Caller frees. */
char *vz_name_to_hashed_segment(const char *name, vz_error *err);

/* "prefix/name", or name alone; caller frees. */
char *vz_key_join(const char *prefix, const char *name, vz_error *err);
bool vz_text_is_ascii(const char *text);

#endif
