/* codecs_v2.c - codecs of format 2: a list of filters, then a compressor, each in numcodecs' form.
 */
#include "metadata/metadata/v2_internal.h"
#include "codec/chain/chain.h"

/* ---- reading ---- */

static bool is_codec(const vz_json *value)
{
    return vz_json_kind_of(value) == VZ_JSON_OBJECT && vz_json_get_string(vz_json_get(value, "id"), NULL);
}

static bool wrong(const char *key, const vz_json *value, const char *expected, vz_error *err)
{
    if (!value)
        return vz_fail(err, VZ_CORRUPT, ".zarray: \"%s\" is missing", key);
    return vz_fail(err, VZ_CORRUPT, ".zarray: \"%s\" is %s, expected %s", key, vz_json_kind_name(value), expected);
}

bool vz_meta_filters_parse_v2(vz_codecs *codecs, const vz_json *document, vz_error *err)
{
    const vz_json *list = vz_json_get(document, "filters");
    if (list && vz_json_kind_of(list) == VZ_JSON_NULL)
        return true;
    if (!list || vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return wrong("filters", list, "null or a list of codecs", err);
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!is_codec(vz_json_at(list, i)))
            return vz_fail(err, VZ_CORRUPT, ".zarray: \"filters\"[%zu] is no codec with an \"id\"", i);
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!vz_codecs_append_numcodecs(codecs, vz_json_at(list, i), err))
            return false;
    return true;
}

bool vz_meta_compressor_parse_v2(vz_codecs *codecs, const vz_json *document, bool *is_referenced, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "compressor");
    if (value && vz_json_kind_of(value) == VZ_JSON_NULL)
        return true;
    if (!value || !is_codec(value))
        return wrong("compressor", value, "null or a codec with an \"id\"", err);
    *is_referenced = vz_json_is(vz_json_get(value, "id"), VZ_META_REFERENCES_CODEC);
    return *is_referenced || vz_codecs_append_numcodecs(codecs, value, err);
}

/* ---- printing ---- */

static vz_json *find_there(const vz_json *document, size_t index)
{
    vz_json *filters = vz_json_get(document, "filters");
    const size_t count = vz_json_length(filters);
    return index < count ? vz_json_at(filters, index) : index == count ? vz_json_get(document, "compressor") : NULL;
}

/* Takes out of an object what is no member of the codec. */
static void remove_others(vz_json *object, const vz_codecs_spec *spec)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(object, i, &key, &value);)
        if (strcmp(key, "id") == 0 || vz_json_get(spec->configuration, key) || !vz_json_remove(object, key))
            i++;
}

/* A codec as somebody wrote it, in its order of members, with what it says now. */
static vz_json *edited(const vz_json *there, const vz_codecs_spec *spec, vz_error *err)
{
    const char *key;
    vz_json *value, *made = vz_json_copy(there, err);
    bool ok = made && (vz_json_is(vz_json_get(made, "id"), spec->id) || vz_json_set_text(made, "id", spec->id, err));
    if (ok)
        remove_others(made, spec);
    for (size_t i = 0; ok && vz_json_member(spec->configuration, i, &key, &value); i++) {
        const vz_json *old = vz_json_get(made, key);
        ok = (old && vz_json_equal(old, value)) || vz_json_set(made, key, vz_json_copy(value, err), err);
    }
    if (ok)
        return made;
    vz_json_free(made);
    return NULL;
}

static vz_json *print_codec(const vz_codecs *codecs, size_t index, const vz_json *document, vz_error *err)
{
    const vz_json *there = find_there(document, index);
    return is_codec(there) ? edited(there, &codecs->specs[index], err)
                           : vz_codecs_spec_print(&codecs->specs[index], err);
}

static bool ends_in_compressor(const vz_codecs *codecs)
{
    const vz_codec_class *class = codecs->count ? vz_codec_find(codecs->specs[codecs->count - 1].id, false) : NULL;
    return class && class->is_compressor;
}

size_t vz_meta_filter_count_v2(const vz_codecs *codecs, const vz_codecs *old, const vz_json *document)
{
    return old && old->count == codecs->count ? vz_json_length(vz_json_get(document, "filters"))
                                              : codecs->count - ends_in_compressor(codecs);
}

vz_json *vz_meta_filters_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err)
{
    vz_json *list = filters ? vz_json_array(err) : vz_json_null(err);
    for (size_t i = 0; list && i < filters; i++)
        if (!vz_json_append(list, print_codec(codecs, i, document, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

vz_json *vz_meta_compressor_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err)
{
    return filters < codecs->count ? print_codec(codecs, filters, document, err) : vz_json_null(err);
}
