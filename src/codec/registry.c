/* registry.c - every codec there is, one row each. */
#include "codec/registry.h"

static const vz_codec_class *const classes[] = {
    /* compressors */
    &vz_codec_blosc,
    &vz_codec_zstd,
    &vz_codec_zlib,
    &vz_codec_gzip,
    &vz_codec_lz4,
    &vz_codec_bz2,
    &vz_codec_lzma,
    /* filters */
    &vz_codec_shuffle,
    &vz_codec_delta,
    &vz_codec_fletcher32,
    &vz_codec_crc32c,
    &vz_codec_crc32,
    &vz_codec_adler32,
    /* codecs of objects */
    &vz_codec_vlen_utf8,
    &vz_codec_vlen_bytes,
    &vz_codec_vlen_array,
};

const vz_codec_class *vz_codec_find(const char *id)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i]->id, id) == 0)
            return classes[i];
    return NULL;
}
