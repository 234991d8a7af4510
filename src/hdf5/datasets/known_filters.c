/* known_filters.c - filters of a dataset in an HDF5 file whose chunks our codecs decode as they lie
 * there. */
#include "hdf5/datasets/pipeline_internal.h"

/* Shuffled elements are whole only where nothing came before. */
static const vz_pipeline_filter_rule *rule_of(const vz_pipeline_filter *filter, int index, size_t element_size)
{
    if (filter->id == VZ_FILTER_LZ4)
        return NULL; /* frames of its own */
    if (filter->id == H5Z_FILTER_SHUFFLE &&
        (index > 0 || filter->value_count == 0 || filter->values[0] != element_size))
        return NULL;
    return vz_pipeline_filter_rule_by_id(filter->id);
}

bool vz_pipeline_known(hid_t dcpl, size_t element_size, vz_codecs *codecs)
{
    vz_error err = VZ_ERROR_NONE;
    bool notices = false;
    const int count = H5Pget_nfilters(dcpl);
    for (int i = 0; i < count; i++) {
        vz_pipeline_filter filter;
        if (!vz_pipeline_filter_get(dcpl, (unsigned)i, &filter, &err))
            return false;
        const vz_pipeline_filter_rule *rule = rule_of(&filter, i, element_size);
        vz_json *configuration = rule ? rule->to_codec(&filter, element_size, &err) : NULL;
        if (!configuration || !vz_codecs_append(codecs, rule->codec, configuration, &err))
            return false;
        notices |= filter.id != H5Z_FILTER_SHUFFLE;
    }
    return notices;
}
