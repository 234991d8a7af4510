/* chain.h - the codecs of an array as its metadata names them: a neutral list, from which chains
 * are opened. Each Zarr format is read into it and written from it. */
#ifndef VZ_CHAIN_CHAIN_H
#define VZ_CHAIN_CHAIN_H

#include "codec/codec/codec.h"

/* Inserts a codec at a place up to `count`. Takes `configuration`, also on failure; NULL is an
 * empty one. */
bool vz_codecs_insert(vz_codecs *codecs, size_t place, const char *id, vz_json *configuration, vz_error *err);
static inline bool vz_codecs_append(vz_codecs *codecs, const char *id, vz_json *configuration, vz_error *err)
{
    return vz_codecs_insert(codecs, codecs->count, id, configuration, err);
}
/* Appends copies of all codecs of another list. */
bool vz_codecs_append_all(vz_codecs *codecs, const vz_codecs *more, vz_error *err);
void vz_codecs_clear(vz_codecs *codecs);
/* The same ids with equal configurations, in the same order? */
bool vz_codecs_equal(const vz_codecs *a, const vz_codecs *b);

bool vz_codecs_spec_is(const vz_codec_spec *spec, const char *id); /* false for NULL */
bool vz_codecs_spec_rename(vz_codec_spec *spec, const char *id, vz_error *err);

/* numcodecs' own form, {"id": ..., members}, which metadata of format 2 and annotations have.
 * VZ_CORRUPT: it is no object with a text "id". */
bool vz_codecs_append_numcodecs(vz_codecs *codecs, const vz_json *codec, vz_error *err);
vz_json *vz_codecs_spec_print(const vz_codec_spec *spec, vz_error *err);
/* Does that form mean this codec? */
bool vz_codecs_spec_means(const vz_codec_spec *spec, const vz_json *codec);

#endif
