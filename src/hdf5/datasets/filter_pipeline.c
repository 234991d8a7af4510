/* filter_pipeline.c - from the filters of a creation list to a codec chain, and the pipeline
 * that a chain shows. */
#include "hdf5/datasets/pipeline_internal.h"
#include "codec/chain/chain.h"

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

static bool record_values(vz_json *entry, const vz_pipeline_filter *filter, vz_error *err)
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

/* One filter as "p" records it: [id, flags, [values]], and a fourth item when nobody could run
 * it. */
static bool record_filter(vz_json **record, const vz_pipeline_filter *filter, vz_error *err)
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

bool vz_pipeline_filter_get(hid_t dcpl, unsigned index, vz_pipeline_filter *filter, vz_error *err)
{
    unsigned config;
    *filter = (vz_pipeline_filter){.value_count = VZ_FILTER_MAX_VALUES};
    filter->id = H5Pget_filter2(dcpl, index, &filter->flags, &filter->value_count, filter->values, 0, NULL, &config);
    if (filter->id < 0)
        return vz_fail(err, VZ_HDF5, "cannot read a filter of the creation property list");
    if (filter->value_count > VZ_FILTER_MAX_VALUES)
        return vz_fail(err, VZ_LIMIT, "filter %d has %zu values", (int)filter->id, filter->value_count);
    return true;
}

/* Does what the codecs so far make of a chunk consist of whole elements? Checksums add four
 * bytes each, and nobody knows what a compressor makes. */
static bool makes_elements(const vz_codecs *codecs, size_t element_size)
{
    enum { CHECKSUM_SIZE = 4 };
    size_t more = 0;
    for (size_t i = 0; i < codecs->count; i++) {
        if (vz_codecs_spec_is(&codecs->specs[i], "fletcher32"))
            more += CHECKSUM_SIZE;
        else if (!vz_codecs_spec_is(&codecs->specs[i], "shuffle"))
            return false;
    }
    return more % element_size == 0;
}

/* HDF5 shuffles anything and leaves the rest of an element at the end; numcodecs' shuffle
 * refuses that. There the elements are shuffled before all else: another form with the same
 * values, that every reader of Zarr undoes. */
static bool add_shuffle(vz_pipeline *pipeline, const vz_pipeline_filter *filter, size_t size, vz_error *err)
{
    if (size == 0) /* HDF5 passes it over, and text has no elements to shuffle */
        return true;
    const vz_pipeline_filter_rule *rule = vz_pipeline_filter_rule_by_id(H5Z_FILTER_SHUFFLE);
    vz_json *configuration = rule->to_codec(filter, size, err);
    const size_t place = makes_elements(&pipeline->codecs, size) ? pipeline->codecs.count : 0;
    return configuration && vz_codecs_insert(&pipeline->codecs, place, rule->codec, configuration, err);
}

/* Adds the codec of one filter to the chain; *without: it has none here. `element`: what a
 * shuffle works on. */
static bool add_filter(vz_pipeline *pipeline, const vz_pipeline_filter *filter, size_t element, bool *without,
                       vz_error *err)
{
    const vz_pipeline_filter_rule *rule = vz_pipeline_filter_rule_by_id(filter->id);
    if (!rule && !(filter->flags & H5Z_FLAG_OPTIONAL) && !host_has(filter->id))
        return vz_fail(err, VZ_UNSUPPORTED, "filter %d is not there", (int)filter->id);
    if (!rule) {
        *without = true;
        return true;
    }
    if (rule->id == H5Z_FILTER_SHUFFLE)
        return add_shuffle(pipeline, filter, element, err);
    vz_json *configuration = rule->to_codec(filter, element, err);
    return configuration && vz_codecs_append(&pipeline->codecs, rule->codec, configuration, err);
}

static bool has_compressor(const vz_codecs *codecs)
{
    for (size_t i = 0; i < codecs->count; i++) {
        const vz_codec_class *class = vz_codec_find(codecs->specs[i].id, false);
        if (class && class->is_compressor)
            return true;
    }
    return false;
}

/* HDF5 puts the size of the type into the first shuffle of a list, whatever was asked. Another
 * one has the size that it was given; 0: none. Returns the bytes of what the codec shuffles. */
static size_t size_shuffle(vz_pipeline_filter *filter, bool first, vz_pipeline_element element)
{
    if (!first || element.shown == 0)
        return filter->value_count > 0 && element.stored > 0 ? filter->values[0] : 0;
    filter->value_count = 1;
    filter->values[0] = (unsigned)element.shown;
    return element.stored;
}

bool vz_pipeline_make(vz_pipeline *pipeline, hid_t dcpl, vz_pipeline_element element, const vz_json *default_codec,
                      vz_error *err)
{
    *pipeline = (vz_pipeline){0};
    int count = H5Pget_nfilters(dcpl);
    if (count < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the filters of the creation property list");
    if (count == 0)
        return !default_codec || vz_codecs_append_numcodecs(&pipeline->codecs, default_codec, err);
    pipeline->asked = true;
    bool without = false, shuffles = false, ok = true;
    for (int i = 0; ok && i < count; i++) {
        vz_pipeline_filter filter;
        size_t size = element.stored;
        ok = vz_pipeline_filter_get(dcpl, (unsigned)i, &filter, err);
        if (ok && filter.id == H5Z_FILTER_SHUFFLE) {
            size = size_shuffle(&filter, !shuffles, element);
            shuffles = true;
        }
        ok = ok && add_filter(pipeline, &filter, size, &without, err) && record_filter(&pipeline->record, &filter, err);
    }
    if (ok && default_codec && (without || pipeline->codecs.count == 0) && !has_compressor(&pipeline->codecs))
        ok = vz_codecs_append_numcodecs(&pipeline->codecs, default_codec, err);
    if (!ok)
        vz_pipeline_clear(pipeline);
    return ok;
}

void vz_pipeline_clear(vz_pipeline *pipeline)
{
    vz_codecs_clear(&pipeline->codecs);
    vz_json_free(pipeline->record);
    *pipeline = (vz_pipeline){0};
}

/* ---- showing ---- */

/* false: the entry is not what we write, or speaks of a filter that only its writer's host had. */
static bool parse_filter(const vz_json *entry, vz_pipeline_filter *filter)
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

static bool parse_record(const vz_json *record, vz_pipeline_shown *shown)
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

static bool show_codec(const vz_codecs_spec *spec, const vz_meta *meta, vz_pipeline_shown *shown)
{
    for (size_t i = 0; i < vz_pipeline_filter_rule_count; i++) {
        const vz_pipeline_filter_rule *rule = &vz_pipeline_filter_rules[i];
        if (!vz_codecs_spec_is(spec, rule->codec))
            continue;
        if (shown->count == sizeof shown->filters / sizeof *shown->filters)
            return false;
        vz_pipeline_filter *filter = &shown->filters[shown->count++];
        *filter =
            (vz_pipeline_filter){.id = rule->id, .flags = rule->id == H5Z_FILTER_FLETCHER32 ? 0 : H5Z_FLAG_OPTIONAL};
        return rule->to_filter(spec->configuration, meta, filter) && host_has(rule->id);
    }
    return false;
}

static bool show_chain(const vz_meta *meta, vz_pipeline_shown *shown)
{
    bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    size_t first = objects ? 1 : 0; /* the object codec is no filter */
    for (size_t i = first; i < meta->codecs.count; i++)
        if (!show_codec(&meta->codecs.specs[i], meta, shown))
            return false;
    return true;
}

/* Does one undo what the other does? Of the values only shuffle's says how. */
static bool same_filters(const vz_pipeline_shown *a, const vz_pipeline_shown *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const vz_pipeline_filter *x = &a->filters[i], *y = &b->filters[i];
        const bool sized = x->id == H5Z_FILTER_SHUFFLE && x->value_count > 0 && y->value_count > 0;
        if (x->id != y->id || (sized && x->values[0] != y->values[0]))
            return false;
    }
    return a->count == b->count;
}

bool vz_pipeline_is_default(const vz_meta *meta, const vz_json *default_codec)
{
    const size_t place = meta->dtype->kind == VZ_DTYPE_OBJECT ? 1 : 0;
    return default_codec && meta->codecs.count == place + 1 &&
           vz_codecs_spec_means(&meta->codecs.specs[place], default_codec);
}

void vz_pipeline_show(const vz_meta *meta, const vz_json *record, const vz_json *default_codec,
                      vz_pipeline_shown *shown)
{
    vz_pipeline_shown chain; /* large: what is not used is not touched */
    chain.count = shown->count = 0;
    chain.exact = shown->exact = false;
    /* An object codec is no filter, and HDF5's chunks are in C order. */
    const bool flat = meta->dtype->kind != VZ_DTYPE_OBJECT && vz_meta_is_order(meta, false);
    const bool maps = show_chain(meta, &chain);
    if (record && parse_record(record, shown)) {
        shown->exact = maps && flat && same_filters(&chain, shown);
        return;
    }
    shown->count = 0;
    if (!maps || vz_pipeline_is_default(meta, default_codec))
        return;
    memcpy(shown->filters, chain.filters, chain.count * sizeof *chain.filters);
    shown->count = chain.count;
    shown->exact = flat;
}

static bool same_values(const vz_pipeline_filter *a, const vz_pipeline_filter *b)
{
    return a->flags == b->flags && a->value_count == b->value_count &&
           memcmp(a->values, b->values, a->value_count * sizeof *a->values) == 0;
}

bool vz_pipeline_equals_record(const vz_meta *meta, const vz_json *record, const vz_json *default_codec)
{
    vz_pipeline_shown chain, asked;
    chain.count = asked.count = 0;
    if (vz_pipeline_is_default(meta, default_codec) || !show_chain(meta, &chain) || !parse_record(record, &asked) ||
        !same_filters(&chain, &asked))
        return false;
    for (size_t i = 0; i < asked.count; i++)
        if (!same_values(&chain.filters[i], &asked.filters[i]))
            return false;
    return true;
}
