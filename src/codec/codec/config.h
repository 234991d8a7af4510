/* config.h - reading members of a codec's configuration. All of them leave the default where the member is absent or
 * null, and answer VZ_CORRUPT naming codec and member where it is not what it must be. */
#ifndef VZ_CODEC_CONFIG_H
#define VZ_CODEC_CONFIG_H

#include "codec/codec/codec.h"

/* *value holds the default; min and max are inclusive. */
bool vz_config_int(const vz_codec *codec, const vz_json *config, const char *key, int64_t min, int64_t max,
                   int64_t *value, vz_error *err);
bool vz_config_bool(const vz_codec *codec, const vz_json *config, const char *key, bool *value, vz_error *err);
/* Borrowed from config. */
bool vz_config_text(const vz_codec *codec, const vz_json *config, const char *key, const char **value, vz_error *err);

/* What codecs whose configuration is one level share: a default and a range. State is an int64_t. */
bool vz_config_level(vz_codec *codec, const vz_json *config, int64_t min, int64_t max, int64_t value, vz_error *err);
static inline int vz_codec_level(const vz_codec *codec)
{
    return (int)*(const int64_t *)codec->state;
}

#endif
