/* meta_v3.c - an array's metadata in format 3, "zarr.json". */
#include "metadata/metadata/metadata_internal.h"
#include "metadata/metadata/v3_internal.h"
#include "metadata/metadata/format_internal.h"
#include <limits.h>
#include <stdlib.h>

#define MAX_EXTENT ((uint64_t)INT64_MAX) /* of a dimension, and of an array's bytes */

static bool missing(const char *key, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "zarr.json: \"%s\" is missing", key);
}

static bool wrong(const char *key, const char *expected, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "zarr.json: \"%s\" is not %s", key, expected);
}

static bool parse_format(const vz_json *document, vz_error *err)
{
    int64_t format;
    if (vz_json_kind_of(document) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: is %s, not an object", vz_json_kind_name(document));
    if (!vz_json_get_int64(vz_json_get(document, "zarr_format"), &format))
        return wrong("zarr_format", "3", err);
    if (format != 3)
        return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: zarr_format %lld", (long long)format);
    return vz_json_is(vz_json_get(document, "node_type"), "array") || wrong("node_type", "\"array\"", err);
}

static bool parse_shape(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *list = vz_json_get(document, "shape");
    if (!list)
        return missing("shape", err);
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return wrong("shape", "a list of sizes", err);
    if (vz_json_length(list) > VZ_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, "zarr.json: \"shape\" has %zu dimensions, more than %d", vz_json_length(list),
                       VZ_MAX_RANK);
    meta->rank = (unsigned)vz_json_length(list);
    return vz_v3_sizes(list, "shape", meta->rank, 0, meta->shape, err);
}

static bool parse_grid(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *grid = vz_json_get(document, "chunk_grid");
    return grid && vz_v3_name(grid) ? vz_v3_grid_parse(meta, grid, err) : missing("chunk_grid", err);
}

static bool parse_keys(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *keys = vz_json_get(document, "chunk_key_encoding");
    const char *name = keys ? vz_v3_name(keys) : NULL;
    if (!name)
        return missing("chunk_key_encoding", err);
    meta->key_c = strcmp(name, "default") == 0;
    if (!meta->key_c && strcmp(name, "v2") != 0)
        return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: chunk key encoding \"%.100s\"", name);
    const vz_json *separator = vz_json_get(vz_v3_configuration(keys), "separator");
    meta->separator = separator ? (vz_json_is(separator, "/") ? '/' : '.') : meta->key_c ? '/' : '.';
    return !separator || meta->separator == '/' || vz_json_is(separator, ".") ||
           wrong("separator", "\".\" or \"/\"", err);
}

static bool parse_dtype(vz_meta *meta, const vz_json *document, bool big_endian, vz_error *err)
{
    const vz_json *json = vz_json_get(document, "data_type");
    if (!json)
        return missing("data_type", err);
    meta->dtype = vz_dtype_parse_v3(json, big_endian, err);
    return meta->dtype != NULL;
}

/* Filters of numbers have nothing to work on in text and byte strings. */
static bool check_filters(const vz_meta *meta, vz_error *err)
{
    const char *id = meta->codecs.count ? meta->codecs.specs[0].id : NULL;
    if (meta->dtype->kind != VZ_DTYPE_OBJECT || !id || !vz_v3_find_filter(id))
        return true;
    return vz_fail(err, VZ_CORRUPT, "codecs: \"%.100s\" works on numbers, and \"data_type\" is none", id);
}

static bool parse_fill(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "fill_value");
    return value ? vz_meta_fill_parse_v3(meta, value, err) : missing("fill_value", err);
}

/* Storage transformers change the store's values before the codecs see them. None is known here. */
static bool check_transformers(const vz_json *document, vz_error *err)
{
    const vz_json *list = vz_json_get(document, "storage_transformers");
    for (size_t i = 0; i < vz_json_length(list); i++) {
        const vz_json *transformer = vz_json_at(list, i);
        const char *name = transformer ? vz_v3_name(transformer) : NULL;
        if (!transformer || !vz_v3_is_optional(transformer))
            return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: storage transformer \"%.100s\"", name ? name : "?");
    }
    return true;
}

static bool check_members(const vz_json *document, vz_error *err)
{
    static const char *const known[] = {
        "zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
        "chunk_key_encoding", "fill_value", "codecs", "attributes", "storage_transformers",
        "dimension_names"};
    return vz_v3_check_members(document, known, sizeof known / sizeof *known, err);
}

static bool check_extent(const vz_meta *meta, vz_error *err)
{
    return vz_meta_extent_fits(meta) ||
           vz_fail(err, VZ_LIMIT, "zarr.json: \"shape\" makes an array of more than 2^63 bytes");
}

static bool parse_document(vz_meta *meta, const vz_json *document, vz_error *err)
{
    vz_v3_codecs_facts facts;
    return parse_format(document, err) && parse_shape(meta, document, err) && parse_grid(meta, document, err) &&
           parse_keys(meta, document, err) && vz_meta_codecs_parse_v3(meta, document, &facts, err) &&
           parse_dtype(meta, document, facts.big_endian, err) && check_filters(meta, err) &&
           parse_fill(meta, document, err) && vz_v3_filters_check_fill(meta, facts.filters_shards, err) &&
           check_transformers(document, err) && check_members(document, err) && check_extent(meta, err) &&
           vz_meta_measure_chunk(meta, err);
}

vz_meta *vz_meta_parse_v3(const vz_json *document, vz_error *err)
{
    return vz_meta_new(parse_document, document, err);
}

/* The bytes of one element, from the bits that the name of its type tells: "bfloat16" has 2, "int4"
 * and "float8_e4m3" have 1. */
static size_t size_of_name(const char *type)
{
    const size_t letters = type ? strcspn(type, "0123456789") : 0;
    const unsigned long bits = letters ? strtoul(type + letters, NULL, 10) : 0;
    if (bits == 0 || bits > VZ_DTYPE_MAX_SIZE)
        return 1;
    const size_t parts = strncmp(type, "complex_", strlen("complex_")) == 0 ? 2 : 1;
    return parts * ((bits + CHAR_BIT - 1) / CHAR_BIT);
}

static bool parse_outline(vz_meta *meta, const vz_json *document, vz_error *err)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (!parse_format(document, err) || !parse_shape(meta, document, err))
        return false;
    const bool chunked = parse_grid(meta, document, &ignored) && !meta->edges;
    parse_dtype(meta, document, false, &ignored);
    const vz_json *type = vz_json_get(document, "data_type");
    return vz_meta_complete_outline(meta, chunked, size_of_name(type ? vz_v3_name(type) : NULL), err);
}

vz_meta *vz_meta_outline_v3(const vz_json *document, vz_error *err)
{
    return vz_meta_new(parse_outline, document, err);
}

/* ---- printing ---- */

static bool put(vz_json *document, const char *key, vz_json *take, bool keep, vz_error *err)
{
    const vz_json *old = vz_json_get(document, key);
    if (!take || !old || (!keep && !vz_json_equal(old, take)))
        return take && vz_json_set(document, key, take, err);
    vz_json_free(take);
    return true;
}

static bool same_codecs(const vz_meta *a, const vz_meta *b)
{
    return vz_codecs_equal(&a->codecs, &b->codecs) && vz_meta_same_order(a, b) && vz_meta_same_shards(a, b) &&
           memcmp(a->chunks, b->chunks, sizeof a->chunks) == 0 && vz_meta_same_edges(a, b) &&
           vz_dtype_equal(a->dtype, b->dtype);
}

static vz_json *print_keys(const vz_meta *meta, vz_error *err)
{
    const char separator[] = {meta->separator, '\0'};
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set_text(configuration, "separator", separator, err))
        return vz_v3_extension(meta->key_c ? "default" : "v2", configuration, true, err);
    vz_json_free(configuration);
    return NULL;
}

bool vz_meta_print_v3(const vz_meta *meta, vz_json *document, vz_error *err)
{
    vz_error ignored = VZ_ERROR_NONE;
    const bool is_new = !vz_json_get(document, "shape");
    vz_meta *old = is_new ? NULL : vz_meta_parse_v3(document, &ignored);
    const bool keep_type = old && vz_dtype_equal(old->dtype, meta->dtype);
    const bool keep_fill = old && vz_meta_same_fill(old, meta);
    const bool keep_codecs = old && same_codecs(old, meta);
    /* as GDAL wants it */
    const bool lacks_codecs = keep_codecs && !vz_json_get(document, "codecs");
    const bool keep_keys = old && old->key_c == meta->key_c && old->separator == meta->separator;
    vz_meta_free(old);
    return put(document, "zarr_format", vz_json_int64(3, err), false, err) &&
           put(document, "node_type", vz_json_text("array", err), false, err) &&
           put(document, "shape", vz_meta_print_sizes(meta->shape, meta->rank, err), false, err) &&
           put(document, "data_type", vz_dtype_print_v3(meta->dtype, err), keep_type, err) &&
           put(document, "chunk_grid", vz_v3_grid_print(meta, err), keep_codecs, err) &&
           put(document, "chunk_key_encoding", print_keys(meta, err), keep_keys, err) &&
           put(document, "fill_value", vz_meta_fill_print_v3(meta, err), keep_fill, err) &&
           (lacks_codecs || put(document, "codecs", vz_meta_codecs_print_v3(meta, err), keep_codecs, err)) &&
           put(document, "storage_transformers", vz_json_array(err), true, err);
}
