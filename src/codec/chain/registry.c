/* registry.c - every codec there is, one row each. */
#include "codec/codec/codec.h"
#include "codec/codec/hdf5_filters.h"

static const vz_codec_class *const classes[] = {
    /* compressors */
    &vz_codec_blosc,
    &vz_codec_zstd,
    &vz_codec_zlib,
    &vz_codec_gzip,
    &vz_codec_lz4,
    &vz_codec_bz2,
    &vz_codec_lzma,
    &vz_codec_zfpy,
    &vz_codec_hdf5_lz4,
    &vz_codec_hdf5_bitshuffle,
    /* filters */
    &vz_codec_shuffle,
    &vz_codec_delta,
    &vz_codec_fletcher32,
    &vz_codec_crc32c,
    &vz_codec_crc32,
    &vz_codec_adler32,
    &vz_codec_astype,
    &vz_codec_fixedscaleoffset,
    &vz_codec_quantize,
    &vz_codec_scale_offset,
    &vz_codec_cast_value,
    &vz_codec_bitround,
    &vz_codec_packbits,
    &vz_codec_packed_bits,
    &vz_codec_categorize,
    &vz_codec_base64,
    &vz_codec_jenkins,
    &vz_codec_byte_order,
    /* codecs of objects */
    &vz_codec_vlen_utf8,
    &vz_codec_vlen_bytes,
    &vz_codec_vlen_array,
    &vz_codec_json2,
    &vz_codec_msgpack2,
    &vz_codec_pickle,
    &vz_codec_categorize_objects,
};

const vz_codec_class *vz_codec_find(const char *id, bool items)
{
    const vz_codec_class *found = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const bool is_wanted = (classes[i]->kind == VZ_CODEC_ITEMS_TO_BYTES) == items;
        if (strcmp(classes[i]->id, id) == 0 && (!found || is_wanted))
            found = classes[i];
    }
    return found;
}
