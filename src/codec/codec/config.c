/* config.c - typed members of a codec's configuration. */
#include "codec/codec/codec_internal.h"

#include <inttypes.h>

/* The member, or NULL where the default holds. */
static const vz_json *member(const vz_json *config, const char *key)
{
    const vz_json *value = vz_json_get(config, key);
    return value && vz_json_kind_of(value) != VZ_JSON_NULL ? value : NULL;
}

static bool wrong_kind(const vz_codec *codec, const char *key, const char *expected, const vz_json *value,
                       vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "codec %s: \"%s\" must be %s, not %s", codec->class->id, key, expected,
                   vz_json_kind_name(value));
}

bool vz_config_int(const vz_codec *codec, const vz_json *config, const char *key, int64_t min, int64_t max,
                   int64_t *value, vz_error *err)
{
    const vz_json *json = member(config, key);
    if (!json)
        return true;
    int64_t number;
    if (!vz_json_get_int64(json, &number))
        return wrong_kind(codec, key, "an integer", json, err);
    if (number < min || number > max)
        return vz_fail(err, VZ_CORRUPT, "codec %s: \"%s\" is %" PRId64 ", outside %" PRId64 " to %" PRId64,
                       codec->class->id, key, number, min, max);
    *value = number;
    return true;
}

bool vz_config_bool(const vz_codec *codec, const vz_json *config, const char *key, bool *value, vz_error *err)
{
    const vz_json *json = member(config, key);
    if (!json || vz_json_get_bool(json, value))
        return true;
    return wrong_kind(codec, key, "true or false", json, err);
}

bool vz_config_text(const vz_codec *codec, const vz_json *config, const char *key, const char **value, vz_error *err)
{
    const vz_json *json = member(config, key);
    if (!json)
        return true;
    const char *text = vz_json_get_string(json, NULL);
    if (!text)
        return wrong_kind(codec, key, "a string", json, err);
    *value = text;
    return true;
}

bool vz_config_level(vz_codec *codec, const vz_json *config, int64_t min, int64_t max, int64_t value, vz_error *err)
{
    int64_t *level = codec->state;
    *level = value;
    return vz_config_int(codec, config, "level", min, max, level, err);
}
