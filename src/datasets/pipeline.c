/* pipeline.c - from the filters of a creation list to a codec chain, and what a chain shows. */
#include "datasets/pipeline.h"

#include <string.h>

static bool append(vz_json **array, vz_json *take, vz_error *err)
{
    if (!*array)
        *array = vz_json_array(err);
    if (*array)
        return vz_json_append(*array, take, err);
    vz_json_free(take);
    return false;
}

static bool host_has(H5Z_filter_t id)
{
    return H5Zfilter_avail(id) > 0;
}

static bool record_values(vz_json *entry, const vz_filter *filter, vz_error *err)
{
    vz_json *values = vz_json_array(err);
    bool ok = values != NULL;
    for (size_t i = 0; ok && i < filter->value_count; i++)
        ok = vz_json_append(values, vz_json_uint64(filter->values[i], err), err);
    if (ok)
        return vz_json_append(entry, values, err);
    vz_json_free(values);
    return false;
}

/* One filter as "p" records it: [id, flags, [values]], and a fourth item when nobody could run it. */
static bool record_filter(vz_json **record, const vz_filter *filter, vz_error *err)
{
    vz_json *entry = vz_json_array(err);
    const bool ok = entry && vz_json_append(entry, vz_json_int64(filter->id, err), err) &&
                    vz_json_append(entry, vz_json_int64(filter->flags, err), err) &&
                    record_values(entry, filter, err) &&
                    (host_has(filter->id) || vz_json_append(entry, vz_json_text("unknown", err), err));
    if (ok)
        return append(record, entry, err);
    vz_json_free(entry);
    return false;
}

static bool get_filter(hid_t dcpl, unsigned index, vz_filter *filter, vz_error *err)
{
    unsigned config;
    *filter = (vz_filter){.value_count = VZ_FILTER_MAX_VALUES};
    filter->id = H5Pget_filter2(dcpl, index, &filter->flags, &filter->value_count, filter->values, 0, NULL, &config);
    if (filter->id < 0)
        return vz_fail(err, VZ_HDF5, "cannot read a filter of the creation property list");
    if (filter->value_count > VZ_FILTER_MAX_VALUES)
        return vz_fail(err, VZ_LIMIT, "filter %d has %zu values", (int)filter->id, filter->value_count);
    return true;
}

static bool same_codec(const vz_json *a, const vz_json *b)
{
    return a && b && vz_json_equal(a, b);
}

static bool prepend(vz_json **array, vz_json *take, vz_error *err)
{
    vz_json *all = NULL;
    bool ok = append(&all, take, err);
    for (size_t i = 0; ok && i < vz_json_length(*array); i++)
        ok = append(&all, vz_json_copy(vz_json_at(*array, i), err), err);
    if (!ok) {
        vz_json_free(all);
        return false;
    }
    vz_json_free(*array);
    *array = all;
    return true;
}

/* Does what the codecs so far make of a chunk consist of whole elements? Checksums add four bytes each, and nobody
 * knows what a compressor makes. */
static bool makes_elements(const vz_json *filters, size_t element_size)
{
    enum { CHECKSUM_SIZE = 4 };
    size_t more = 0;
    for (size_t i = 0; i < vz_json_length(filters); i++) {
        const vz_json *id = vz_json_get(vz_json_at(filters, i), "id");
        if (vz_json_is(id, "fletcher32"))
            more += CHECKSUM_SIZE;
        else if (!vz_json_is(id, "shuffle"))
            return false;
    }
    return more % element_size == 0;
}

/* HDF5 shuffles anything and leaves the rest of an
 * element at the end; numcodecs' shuffle refuses that. There the elements are shuffled before all else: another form
 * with the same values, that every reader of Zarr undoes. */
static bool add_shuffle(vz_pipeline *pipeline, const vz_filter *filter, vz_error *err)
{
    const size_t size = filter->value_count > 0 ? filter->values[0] : 0;
    if (size == 0) /* HDF5 passes it over */
        return true;
    vz_json *codec = vz_filter_rule_by_id(H5Z_FILTER_SHUFFLE)->to_codec(filter, size, err);
    return makes_elements(pipeline->filters, size) ? append(&pipeline->filters, codec, err)
                                                   : prepend(&pipeline->filters, codec, err);
}

/* Adds the codec of one filter to the chain; *without: it has none here. */
static bool add_filter(vz_pipeline *pipeline, const vz_filter *filter, size_t element_size, bool *without,
                       vz_error *err)
{
    const vz_filter_rule *rule = vz_filter_rule_by_id(filter->id);
    if (!rule && !(filter->flags & H5Z_FLAG_OPTIONAL) && !host_has(filter->id))
        return vz_fail(err, VZ_UNSUPPORTED, "filter %d is not there", (int)filter->id);
    if (!rule) {
        *without = true;
        return true;
    }
    if (rule->id == H5Z_FILTER_SHUFFLE && element_size == 0) /* text has no elements to shuffle */
        return true;
    if (rule->id == H5Z_FILTER_SHUFFLE)
        return add_shuffle(pipeline, filter, err);
    return append(&pipeline->filters, rule->to_codec(filter, element_size, err), err);
}

static bool is_compressor(const vz_json *codec)
{
    for (size_t i = 0; i < vz_filter_rule_count; i++)
        if (vz_filter_rules[i].codec && vz_filter_rules[i].is_compressor &&
            vz_json_is(vz_json_get(codec, "id"), vz_filter_rules[i].codec))
            return true;
    return false;
}

static bool has_compressor(const vz_json *filters)
{
    for (size_t i = 0; i < vz_json_length(filters); i++)
        if (is_compressor(vz_json_at(filters, i)))
            return true;
    return false;
}

/* The last codec stands as v2's compressor when it is one, as every Zarr writer has it. */
static bool split_compressor(vz_pipeline *pipeline, vz_error *err)
{
    size_t count = vz_json_length(pipeline->filters);
    if (count == 0 || !is_compressor(vz_json_at(pipeline->filters, count - 1)))
        return true;
    vz_json *rest = NULL;
    for (size_t i = 0; i + 1 < count; i++)
        if (!append(&rest, vz_json_copy(vz_json_at(pipeline->filters, i), err), err)) {
            vz_json_free(rest);
            return false;
        }
    pipeline->compressor = vz_json_copy(vz_json_at(pipeline->filters, count - 1), err);
    vz_json_free(pipeline->filters);
    pipeline->filters = rest;
    return pipeline->compressor != NULL;
}

static bool default_compressor(vz_pipeline *pipeline, const vz_json *default_codec, vz_error *err)
{
    if (!default_codec)
        return true;
    pipeline->compressor = vz_json_copy(default_codec, err);
    return pipeline->compressor != NULL;
}

/* HDF5 puts the size of the type into the first shuffle of a list, whatever was asked. */
static void size_shuffle(vz_filter *filter, size_t element_size)
{
    filter->value_count = 1;
    filter->values[0] = (unsigned)element_size;
}

bool vz_pipeline_make(vz_pipeline *pipeline, hid_t dcpl, size_t element_size, const vz_json *default_codec,
                      vz_error *err)
{
    *pipeline = (vz_pipeline){0};
    int count = H5Pget_nfilters(dcpl);
    if (count < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the filters of the creation property list");
    if (count == 0)
        return default_compressor(pipeline, default_codec, err);
    pipeline->asked = true;
    bool without = false, shuffles = false, ok = true;
    for (int i = 0; ok && i < count; i++) {
        vz_filter filter;
        ok = get_filter(dcpl, (unsigned)i, &filter, err);
        if (ok && filter.id == H5Z_FILTER_SHUFFLE && element_size > 0 && !shuffles) {
            shuffles = true;
            size_shuffle(&filter, element_size);
        }
        ok = ok && add_filter(pipeline, &filter, element_size, &without, err) &&
             record_filter(&pipeline->record, &filter, err);
    }
    if (ok && (without || !pipeline->filters) && !has_compressor(pipeline->filters))
        ok = default_compressor(pipeline, default_codec, err);
    else
        ok = ok && split_compressor(pipeline, err);
    if (!ok)
        vz_pipeline_clear(pipeline);
    return ok;
}

void vz_pipeline_clear(vz_pipeline *pipeline)
{
    vz_json_free(pipeline->filters);
    vz_json_free(pipeline->compressor);
    vz_json_free(pipeline->record);
    *pipeline = (vz_pipeline){0};
}

/* ---- showing ---- */

/* false: the entry is not what we write, or speaks of a filter that only its writer's host had. */
static bool parse_filter(const vz_json *entry, vz_filter *filter)
{
    const vz_json *values = vz_json_at(entry, 2);
    int64_t id, flags;
    filter->value_count = vz_json_length(values);
    if (!vz_json_get_int64(vz_json_at(entry, 0), &id) || !vz_json_get_int64(vz_json_at(entry, 1), &flags) || id < 0 ||
        id > H5Z_FILTER_MAX || filter->value_count > VZ_FILTER_MAX_VALUES)
        return false;
    filter->id = (H5Z_filter_t)id;
    filter->flags = (unsigned)flags;
    for (size_t v = 0; v < filter->value_count; v++) {
        uint64_t value;
        if (!vz_json_get_uint64(vz_json_at(values, v), &value) || value > UINT32_MAX)
            return false;
        filter->values[v] = (unsigned)value;
    }
    const bool nobody_had_it = vz_json_length(entry) > 3 && (flags & H5Z_FLAG_OPTIONAL);
    return nobody_had_it || host_has(filter->id);
}

static bool parse_record(const vz_json *record, vz_shown *shown)
{
    size_t count = vz_json_length(record);
    if (count > sizeof shown->filters / sizeof *shown->filters)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!parse_filter(vz_json_at(record, i), &shown->filters[i]))
            return false;
    shown->count = count;
    return true;
}

static bool show_codec(const vz_json *codec, const vz_array_meta *meta, vz_shown *shown)
{
    for (size_t i = 0; i < vz_filter_rule_count; i++) {
        const vz_filter_rule *rule = &vz_filter_rules[i];
        if (!rule->codec || !vz_json_is(vz_json_get(codec, "id"), rule->codec))
            continue;
        if (shown->count == sizeof shown->filters / sizeof *shown->filters)
            return false;
        vz_filter *filter = &shown->filters[shown->count++];
        *filter = (vz_filter){.id = rule->id, .flags = rule->id == H5Z_FILTER_FLETCHER32 ? 0 : H5Z_FLAG_OPTIONAL};
        return rule->to_filter(codec, meta, filter) && host_has(rule->id);
    }
    return false;
}

static bool show_chain(const vz_array_meta *meta, vz_shown *shown)
{
    bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    size_t first = objects ? 1 : 0; /* the object codec is no filter */
    for (size_t i = first; i < vz_json_length(meta->filters); i++)
        if (!show_codec(vz_json_at(meta->filters, i), meta, shown))
            return false;
    return !meta->compressor || show_codec(meta->compressor, meta, shown);
}

/* Does one undo what the other does? Of the values only shuffle's says how. */
static bool same_filters(const vz_shown *a, const vz_shown *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const vz_filter *x = &a->filters[i], *y = &b->filters[i];
        const bool sized = x->id == H5Z_FILTER_SHUFFLE && x->value_count > 0 && y->value_count > 0;
        if (x->id != y->id || (sized && x->values[0] != y->values[0]))
            return false;
    }
    return a->count == b->count;
}

/* The store's own compressor: nobody asked for a filter. */
static bool is_silent(const vz_array_meta *meta, const vz_json *default_codec)
{
    const bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    return vz_json_length(meta->filters) == (objects ? 1u : 0u) && same_codec(meta->compressor, default_codec);
}

bool vz_pipeline_show(const vz_array_meta *meta, const vz_json *record, const vz_json *default_codec, vz_shown *shown,
                      vz_error *err)
{
    (void)err;
    shown->count = 0;
    shown->exact = false;
    vz_shown chain = {0};
    /* An object codec is no filter, and HDF5's chunks are in C order. */
    const bool flat = meta->dtype->kind != VZ_DTYPE_OBJECT && !(meta->order_f && meta->rank > 1);
    const bool maps = show_chain(meta, &chain);
    if (record && parse_record(record, shown)) {
        shown->exact = maps && flat && same_filters(&chain, shown);
        return true;
    }
    shown->count = 0;
    if (!maps || is_silent(meta, default_codec))
        return true;
    *shown = chain;
    shown->exact = flat;
    return true;
}

static bool same_values(const vz_filter *a, const vz_filter *b)
{
    return a->flags == b->flags && a->value_count == b->value_count &&
           memcmp(a->values, b->values, a->value_count * sizeof *a->values) == 0;
}

bool vz_pipeline_is_told(const vz_array_meta *meta, const vz_json *record, const vz_json *default_codec)
{
    vz_shown chain = {0}, asked = {0};
    if (is_silent(meta, default_codec) || !show_chain(meta, &chain) || !parse_record(record, &asked) ||
        !same_filters(&chain, &asked))
        return false;
    for (size_t i = 0; i < asked.count; i++)
        if (!same_values(&chain.filters[i], &asked.filters[i]))
            return false;
    return true;
}
