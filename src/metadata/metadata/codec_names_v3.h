/* codec_names_v3.h - what v3 calls a codec of the chain, and how it says its configuration (used by the files of v3
 * only). */
#ifndef VZ_METADATA_CODEC_NAMES_V3_H
#define VZ_METADATA_CODEC_NAMES_V3_H

#include "codec/chain/codec_list.h"
#include "metadata/metadata/dtype.h"

#define VZ_V3_BYTES     "bytes" /* also the id of our codec for byte order behind filters */
#define VZ_V3_NUMCODECS "numcodecs."

/* Is it one of numcodecs' codecs that work on numbers, before bytes are made of them? */
bool vz_v3_is_filter(const char *id);
/* Does a codec of that name make bytes of an array? */
bool vz_v3_makes_bytes(const char *name);
/* Appends a codec with that name (numcodecs' prefix is taken off) and configuration (may be NULL). One that is not
 * known keeps its name, so that it is missed when data is touched, not before. */
bool vz_v3_codec_parse(vz_codecs *codecs, const char *name, const vz_json *configuration, vz_error *err);
/* The same for a codec that stands where the array is still one. */
bool vz_v3_filter_parse(vz_codecs *codecs, const char *id, const vz_json *configuration, vz_error *err);
/* dtype: of the array. */
vz_json *vz_v3_codec_print(const vz_codec_spec *spec, const vz_dtype *dtype, vz_error *err);

#endif
