/* lzma_options.h - the filter chain of an lzma codec, read from Python's form of it: a list of dictionaries. */
#ifndef VZ_CODEC_LZMA_OPTIONS_H
#define VZ_CODEC_LZMA_OPTIONS_H

#include "codec/codec/codec.h"
#include <lzma.h>

/* Must not be moved once read: the chain points into the options. */
typedef struct vz_lzma_filters {
    lzma_filter chain[LZMA_FILTERS_MAX + 1]; /* ends with LZMA_VLI_UNKNOWN */
    union {
        lzma_options_lzma lzma;
        lzma_options_delta delta;
        lzma_options_bcj bcj;
    } options[LZMA_FILTERS_MAX];
} vz_lzma_filters;

bool vz_lzma_filters_read(const vz_codec *codec, const vz_json *list, vz_lzma_filters *filters, vz_error *err);
/* The one filter that a preset stands for: LZMA1 in the .lzma format (alone), else LZMA2. */
bool vz_lzma_filters_preset(const vz_codec *codec, uint32_t preset, bool alone, vz_lzma_filters *filters,
                            vz_error *err);

#endif
