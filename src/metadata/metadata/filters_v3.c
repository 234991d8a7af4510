/* filters_v3.c - codecs of format 3 that stand before the array becomes bytes, and work on its
 * numbers: numcodecs' filters, "scale_offset" and "cast_value". */
#include "metadata/metadata/v3_internal.h"
#include "metadata/metadata/metadata_internal.h"
#include <stdio.h>
#include <string.h>

/* members that the chain needs beside those of the document: the type before */
#define DTYPE  "dtype"
#define ASTYPE "astype" /* the type behind it */

#define SCALE_OFFSET "scale_offset"
#define CAST_VALUE   "cast_value"

static const vz_v3_filter filters[] = {
    {.id = "delta", .numcodecs = true},
    {.id = "fixedscaleoffset", .numcodecs = true, .elementwise = true},
    {.id = "astype", .numcodecs = true, .elementwise = true},
    {.id = "quantize", .numcodecs = true, .elementwise = true},
    {.id = "bitround", .numcodecs = true, .elementwise = true},
    {.id = "packbits", .numcodecs = true},
    {.id = SCALE_OFFSET, .elementwise = true},
    {.id = CAST_VALUE, .elementwise = true},
};

const vz_v3_filter *vz_v3_find_filter(const char *id)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (strcmp(filters[i].id, id) == 0)
            return &filters[i];
    return NULL;
}

/* ---- the type of the numbers ---- */

static bool name_type(const vz_dtype *dtype, char type[VZ_V3_TYPE_SIZE])
{
    const char kind = dtype->kind == VZ_DTYPE_INT     ? 'i'
                      : dtype->kind == VZ_DTYPE_UINT  ? 'u'
                      : dtype->kind == VZ_DTYPE_FLOAT ? 'f'
                                                      : 0;
    if (!kind || dtype->size > sizeof(uint64_t))
        return false;
    snprintf(type, VZ_V3_TYPE_SIZE, "<%c%zu", kind, dtype->size);
    return true;
}

static bool parse_type(const char *id, const vz_json *data_type, char type[VZ_V3_TYPE_SIZE], vz_error *err)
{
    const char *name = data_type ? vz_v3_name(data_type) : NULL;
    vz_error ignored = VZ_ERROR_NONE;
    vz_dtype *dtype = data_type ? vz_dtype_parse_v3(data_type, false, &ignored) : NULL;
    const bool ok = dtype && name_type(dtype, type);
    vz_dtype_free(dtype);
    return ok || vz_fail(err, VZ_UNSUPPORTED, "codecs: \"%s\" with the data type \"%.60s\"", id, name ? name : "?");
}

bool vz_v3_filter_begin(const vz_json *data_type, char type[VZ_V3_TYPE_SIZE])
{
    vz_error ignored = VZ_ERROR_NONE;
    *type = '\0';
    return parse_type("", data_type, type, &ignored);
}

/* ---- reading ---- */

bool vz_v3_check_configuration(const char *id, const vz_json *configuration, const char *const *known, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(configuration, i, &key, &value); i++) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], key) != 0)
            k++;
        if (!known[k])
            return vz_fail(err, VZ_CORRUPT, "codecs: \"%s\": \"%.60s\" is not known", id, key);
    }
    return true;
}

/* The order of bytes is that of "bytes" behind it, whatever numpy's text says of the array in
 * between. */
static bool read_numcodecs(vz_json *own, char type[VZ_V3_TYPE_SIZE], vz_error *err)
{
    static const char *const keys[] = {DTYPE, "decode_dtype", ASTYPE, "encode_dtype"};
    vz_json_remove(own, "id"); /* numcodecs' configurations do not have it beside the codec's own */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = vz_json_get_string(vz_json_get(own, keys[i]), NULL);
        if (!text)
            continue;
        snprintf(type, VZ_V3_TYPE_SIZE, "%s%.16s", *text == '>' ? "<" : "", *text == '>' ? text + 1 : text);
        if (*text == '>' && !vz_json_set_text(own, keys[i], type, err))
            return false;
    }
    return true;
}

static bool read_scale_offset(vz_json *own, const char *type, vz_error *err)
{
    static const char *const known[] = {"offset", "scale", NULL};
    return vz_v3_check_configuration(SCALE_OFFSET, own, known, err) && vz_json_set_text(own, DTYPE, type, err);
}

static bool read_cast_value(vz_json *own, char type[VZ_V3_TYPE_SIZE], vz_error *err)
{
    static const char *const known[] = {"data_type", "rounding", "out_of_range", "scalar_map", NULL};
    char from[VZ_V3_TYPE_SIZE];
    snprintf(from, sizeof from, "%s", type);
    return vz_v3_check_configuration(CAST_VALUE, own, known, err) &&
           parse_type(CAST_VALUE, vz_json_get(own, "data_type"), type, err) &&
           vz_json_set_text(own, DTYPE, from, err) && vz_json_set_text(own, ASTYPE, type, err);
}

static bool read_filter(const vz_v3_filter *filter, vz_json *own, char type[VZ_V3_TYPE_SIZE], vz_error *err)
{
    if (filter->numcodecs)
        return read_numcodecs(own, type, err);
    if (!*type)
        return vz_fail(err, VZ_UNSUPPORTED, "codecs: \"%s\" works on numbers, and \"data_type\" is none of those known",
                       filter->id);
    return strcmp(filter->id, CAST_VALUE) == 0 ? read_cast_value(own, type, err) : read_scale_offset(own, type, err);
}

bool vz_v3_filter_parse(vz_codecs *codecs, const vz_v3_filter *filter, const vz_json *configuration,
                        char type[VZ_V3_TYPE_SIZE], vz_error *err)
{
    vz_json *own = configuration ? vz_json_copy(configuration, err) : vz_json_object(err);
    if (!own)
        return false;
    if (read_filter(filter, own, type, err))
        return vz_codecs_append(codecs, filter->id, own, err);
    vz_json_free(own);
    return false;
}

/* Behind filters its numbers have another type than the array's. */
bool vz_v3_zfpy_parse(vz_codecs *codecs, const vz_json *configuration, const char *type, vz_error *err)
{
    vz_json *own = configuration ? vz_json_copy(configuration, err) : vz_json_object(err);
    if (!own)
        return false;
    vz_json_remove(own, "id");
    if (!*type || vz_json_set_text(own, DTYPE, type, err))
        return vz_codecs_append(codecs, VZ_V3_ZFPY, own, err);
    vz_json_free(own);
    return false;
}

/* ---- printing ---- */

vz_json *vz_v3_filter_print(const vz_codecs_spec *spec, const char *name, vz_error *err)
{
    vz_json *configuration = vz_json_copy(spec->configuration, err);
    if (!configuration)
        return NULL;
    vz_json_remove(configuration, DTYPE);
    vz_json_remove(configuration, ASTYPE);
    return vz_v3_extension(name, configuration, false, err);
}

/* ---- the fill value ---- */

/* The filters that stand first, as a list of their own, which owns nothing. */
static vz_codecs leading_filters(const vz_codecs *codecs, bool *has_own)
{
    vz_codecs leading = {.specs = codecs->specs};
    const vz_v3_filter *filter;
    for (*has_own = false; leading.count < codecs->count; leading.count++) {
        if (!(filter = vz_v3_find_filter(codecs->specs[leading.count].id)))
            break;
        *has_own = *has_own || !filter->numcodecs;
    }
    return leading;
}

bool vz_v3_filters_check_fill(const vz_meta *meta, bool exact, vz_error *err)
{
    bool has_own;
    const vz_codecs leading = leading_filters(&meta->codecs, &has_own);
    if (leading.count == 0 || (!has_own && !exact))
        return true;
    const size_t size = meta->dtype->size;
    vz_chain chain;
    vz_buffer back = {0};
    if (!vz_chain_open(&chain, &leading, &(vz_chain_chunk){.element_size = size, .element_count = 1}, err))
        return false;
    vz_error why = VZ_ERROR_NONE;
    bool ok = vz_chain_there_and_back(&chain, (vz_bytes){meta->fill, size}, &back, &why) ||
              vz_fail(err, VZ_CORRUPT, "fill_value: %.400s", why.text);
    if (ok && exact && (back.size != size || memcmp(back.data, meta->fill, size) != 0))
        ok = vz_fail(err, VZ_UNSUPPORTED, "codecs: filters that change the fill value, before \"sharding_indexed\"");
    vz_buffer_clear(&back);
    vz_chain_clear(&chain);
    return ok;
}
