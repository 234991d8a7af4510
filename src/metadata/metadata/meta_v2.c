/* meta_v2.c - an array's metadata in format 2, ".zarray". */
#include "metadata/metadata/metadata_internal.h"
#include "metadata/metadata/v2_internal.h"
#include "metadata/metadata/format_internal.h"
#include <stdlib.h>

#define MAX_EXTENT ((uint64_t)INT64_MAX) /* of a dimension, and of an array's bytes */

static bool missing(const char *key, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, ".zarray: \"%s\" is missing", key);
}

static bool wrong(const char *key, const vz_json *value, const char *expected, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, ".zarray: \"%s\" is %s, expected %s", key, vz_json_kind_name(value), expected);
}

static bool parse_format(const vz_json *document, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "zarr_format");
    int64_t format;
    if (!value)
        return missing("zarr_format", err);
    if (!vz_json_get_int64(value, &format))
        return wrong("zarr_format", value, "2", err);
    if (format != 2)
        return vz_fail(err, VZ_UNSUPPORTED, ".zarray: zarr_format %lld", (long long)format);
    return true;
}

/* A list of sizes; *count receives its length. */
static bool parse_sizes(const vz_json *document, const char *key, uint64_t *sizes, unsigned *count, vz_error *err)
{
    const vz_json *list = vz_json_get(document, key);
    if (!list)
        return missing(key, err);
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return wrong(key, list, "a list of sizes", err);
    const size_t length = vz_json_length(list);
    if (length > VZ_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, ".zarray: \"%s\" has %zu dimensions, more than %d", key, length, VZ_MAX_RANK);
    for (size_t d = 0; d < length; d++)
        if (!vz_json_get_uint64(vz_json_at(list, d), &sizes[d]) || sizes[d] > MAX_EXTENT)
            return vz_fail(err, VZ_CORRUPT, ".zarray: \"%s\"[%zu] is no size", key, d);
    *count = (unsigned)length;
    return true;
}

/* zarr.array(chunks=False) writes chunk length 0 for an extent of 0: there is no chunk, so 1 says
 * the same. */
static bool check_chunks(vz_meta *meta, unsigned rank, vz_error *err)
{
    if (rank != meta->rank)
        return vz_fail(err, VZ_CORRUPT, ".zarray: \"chunks\" has %u dimensions, \"shape\" has %u", rank, meta->rank);
    for (unsigned d = 0; d < rank; d++) {
        if (meta->chunks[d] == 0 && meta->shape[d] == 0)
            meta->chunks[d] = 1;
        if (meta->chunks[d] == 0)
            return vz_fail(err, VZ_CORRUPT, ".zarray: \"chunks\"[%u] is 0", d);
    }
    return true;
}

static bool check_extent(const vz_meta *meta, vz_error *err)
{
    return vz_meta_extent_fits(meta) ||
           vz_fail(err, VZ_LIMIT, ".zarray: \"shape\" makes an array of more than 2^63 bytes");
}

static bool parse_order(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "order");
    if (!value)
        return missing("order", err);
    const bool first_fastest = vz_json_is(value, "F");
    vz_meta_set_order(meta, first_fastest);
    return first_fastest || vz_json_is(value, "C") || wrong("order", value, "\"C\" or \"F\"", err);
}

static bool parse_separator(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "dimension_separator");
    meta->separator = vz_json_is(value, "/") ? '/' : '.';
    return !value || meta->separator == '/' || vz_json_is(value, ".") ||
           wrong("dimension_separator", value, "\".\" or \"/\"", err);
}

static bool parse_dtype(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *json = vz_json_get(document, "dtype");
    if (!json)
        return missing("dtype", err);
    meta->dtype = vz_dtype_parse_v2(json, meta->codecs.count ? &meta->codecs.specs[0] : NULL, err);
    return meta->dtype != NULL;
}

static bool parse_fill(vz_meta *meta, const vz_json *document, vz_error *err)
{
    const vz_json *value = vz_json_get(document, "fill_value");
    return value ? vz_meta_fill_parse_v2(meta, value, err) : missing("fill_value", err);
}

static bool parse_document(vz_meta *meta, const vz_json *document, vz_error *err)
{
    unsigned chunk_rank;
    if (vz_json_kind_of(document) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, ".zarray: is %s, not an object", vz_json_kind_name(document));
    return parse_format(document, err) && parse_sizes(document, "shape", meta->shape, &meta->rank, err) &&
           parse_sizes(document, "chunks", meta->chunks, &chunk_rank, err) && check_chunks(meta, chunk_rank, err) &&
           vz_meta_filters_parse_v2(&meta->codecs, document, err) && parse_dtype(meta, document, err) &&
           vz_meta_compressor_parse_v2(&meta->codecs, document, &meta->is_referenced, err) &&
           parse_fill(meta, document, err) && parse_order(meta, document, err) &&
           parse_separator(meta, document, err) && check_extent(meta, err) && vz_meta_measure_chunk(meta, err);
}

vz_meta *vz_meta_parse_v2(const vz_json *document, vz_error *err)
{
    return vz_meta_new(parse_document, document, err);
}

/* The bytes of an element, as numpy's text for its type ends with them: "<f16" has 16. */
static size_t size_of_type(const vz_json *json)
{
    const char *text = vz_json_get_string(json, NULL);
    const size_t letters = text ? strcspn(text, "0123456789") : 0;
    const unsigned long size = letters ? strtoul(text + letters, NULL, 10) : 0;
    return size > 0 && size <= VZ_DTYPE_MAX_SIZE ? size : 1;
}

static bool parse_outline(vz_meta *meta, const vz_json *document, vz_error *err)
{
    unsigned chunk_rank = 0;
    vz_error ignored = VZ_ERROR_NONE;
    if (vz_json_kind_of(document) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, ".zarray: is %s, not an object", vz_json_kind_name(document));
    if (!parse_format(document, err) || !parse_sizes(document, "shape", meta->shape, &meta->rank, err))
        return false;
    const bool chunked = parse_sizes(document, "chunks", meta->chunks, &chunk_rank, &ignored) &&
                         check_chunks(meta, chunk_rank, &ignored);
    if (!vz_meta_filters_parse_v2(&meta->codecs, document, &ignored))
        vz_codecs_clear(&meta->codecs); /* then it is not known what objects hold, but numbers are
                                         * numbers */
    parse_dtype(meta, document, &ignored);
    vz_codecs_clear(&meta->codecs);
    return vz_meta_complete_outline(meta, chunked, size_of_type(vz_json_get(document, "dtype")), err);
}

vz_meta *vz_meta_outline_v2(const vz_json *document, vz_error *err)
{
    return vz_meta_new(parse_outline, document, err);
}

/* ---- printing ---- */

/* Sets a key unless it says just that already: what others wrote stays as they wrote it. NULL take
 * = out of memory. */
static bool put(vz_json *document, const char *key, vz_json *take, vz_error *err)
{
    const vz_json *old = vz_json_get(document, key);
    if (!take || !old || !vz_json_equal(old, take))
        return take && vz_json_set(document, key, take, err);
    vz_json_free(take);
    return true;
}

/* Is there a key whose value means (though it may be written otherwise) what `same` says? Then it
 * is left alone. */
static bool keep(const vz_json *document, const char *key, bool same)
{
    return same && vz_json_get(document, key);
}

static vz_json *print_order(const vz_meta *meta, vz_error *err)
{
    if (vz_meta_is_order(meta, false))
        return vz_json_text("C", err);
    if (vz_meta_is_order(meta, true))
        return vz_json_text("F", err);
    vz_fail(err, VZ_UNSUPPORTED, "an order of dimensions that is neither C nor F, which Zarr v2 does not have");
    return NULL;
}

bool vz_meta_print_v2(const vz_meta *meta, vz_json *document, vz_error *err)
{
    vz_error ignored = VZ_ERROR_NONE;
    const bool is_new = vz_json_length(document) == 0;
    vz_meta *old = is_new ? NULL : vz_meta_parse_v2(document, &ignored);
    const bool same_dtype = old && vz_dtype_equal(old->dtype, meta->dtype);
    const bool same_value = old && vz_meta_same_fill(old, meta);
    const bool same_order = old && vz_meta_same_order(old, meta);
    const bool same_codecs = old && vz_codecs_equal(&old->codecs, &meta->codecs);
    const bool same_separator = old && old->separator == meta->separator;
    const size_t filters = vz_meta_filter_count_v2(&meta->codecs, old ? &old->codecs : NULL, document);
    vz_meta_free(old);
    const char separator[] = {meta->separator, '\0'};
    if (meta->edges)
        return vz_fail(err, VZ_UNSUPPORTED, "chunks of different shapes, which Zarr v2 does not have");
    return put(document, "shape", vz_meta_print_sizes(meta->shape, meta->rank, err), err) &&
           put(document, "chunks", vz_meta_print_sizes(meta->chunks, meta->rank, err), err) &&
           (keep(document, "dtype", same_dtype) || put(document, "dtype", vz_dtype_print_v2(meta->dtype, err), err)) &&
           (keep(document, "fill_value", same_value) ||
            put(document, "fill_value", vz_meta_fill_print_v2(meta, err), err)) &&
           (keep(document, "order", same_order) || put(document, "order", print_order(meta, err), err)) &&
           (keep(document, "filters", same_codecs) ||
            put(document, "filters", vz_meta_filters_print_v2(&meta->codecs, filters, document, err), err)) &&
           (same_separator || put(document, "dimension_separator", vz_json_text(separator, err), err)) &&
           (keep(document, "compressor", same_codecs) ||
            put(document, "compressor", vz_meta_compressor_print_v2(&meta->codecs, filters, document, err), err)) &&
           put(document, "zarr_format", vz_json_int64(2, err), err);
}
