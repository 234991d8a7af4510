/* pipeline_internal.h - HDF5 filter pipelines and Zarr codec chains, both ways; one row a filter in filter_table.c. */
#ifndef VZ_DATASETS_PIPELINE_INTERNAL_H
#define VZ_DATASETS_PIPELINE_INTERNAL_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

#define VZ_FILTER_BZIP2      307
#define VZ_FILTER_LZF        32000
#define VZ_FILTER_BLOSC      32001
#define VZ_FILTER_LZ4        32004
#define VZ_FILTER_ZSTD       32015
#define VZ_FILTER_MAX_VALUES 256 /* H5Pget_filter2 takes no more room */

/* One filter of a pipeline as HDF5 describes it. */
typedef struct vz_filter {
    H5Z_filter_t id;
    unsigned flags;
    size_t value_count;
    unsigned values[VZ_FILTER_MAX_VALUES];
} vz_filter;

typedef struct vz_filter_rule {
    H5Z_filter_t id;
    const char *codec; /* numcodecs id */
    /* The codec's configuration for the filter (NULL: it is read only), and back (false: this configuration has no such
     * filter). */
    vz_json *(*to_codec)(const vz_filter *filter, size_t element_size, vz_error *err);
    bool (*to_filter)(const vz_json *configuration, const vz_array_meta *meta, vz_filter *filter);
} vz_filter_rule;

/* Of several rules for a filter the first is the one that makes codecs. */
extern const vz_filter_rule vz_filter_rules[];
extern const size_t vz_filter_rule_count;
const vz_filter_rule *vz_filter_rule_by_id(H5Z_filter_t id);

/* What the filters of a creation list become. */
typedef struct vz_pipeline {
    bool asked;       /* a filter was asked for */
    vz_codecs codecs; /* no object codec among them */
    vz_json *record;  /* "p" of the annotation: the pipeline as asked */
} vz_pipeline;
/* The elements that filters work on, in bytes. */
typedef struct vz_pipeline_element {
    size_t shown;  /* of the HDF5 datatype in a file; 0: a text or a sequence, whose filters are not given a size */
    size_t stored; /* as many dtypes as make one of them; 0: objects */
} vz_pipeline_element;
/* default_codec: the store's in numcodecs' form (NULL: none); it takes the place of filters without a rule, unless a
 * compressor was asked for as well. A mandatory filter that the host lacks is VZ_UNSUPPORTED. */
bool vz_pipeline_make(vz_pipeline *pipeline, hid_t dcpl, vz_pipeline_element element, const vz_json *default_codec,
                      vz_error *err);
void vz_pipeline_clear(vz_pipeline *pipeline);

/* The pipeline that HDF5 sees for an array: the record, or the image of the whole chain when every codec has one that
 * the host can run; otherwise none. exact: stored chunks, in the form of filters (codec.h), are that pipeline's. */
typedef struct vz_shown_pipeline {
    size_t count;
    vz_filter filters[16];
    bool exact;
} vz_shown_pipeline;
void vz_pipeline_show(const vz_array_meta *meta, const vz_json *record, const vz_json *default_codec,
                      vz_shown_pipeline *shown);
/* The store's own compressor and nothing else, as where nobody asks for a filter? */
bool vz_pipeline_is_default(const vz_array_meta *meta, const vz_json *default_codec);
/* Elements of a chunk as a program made it: the filters shown applied, but those in the mask. *undone=false: one of
 * them has no codec, and nothing was done. */
bool vz_pipeline_undo(const vz_array_meta *meta, const vz_shown_pipeline *shown, uint32_t mask, vz_bytes chunk,
                      vz_buffer *elements, bool *undone, vz_error *err);
/* Does the chain alone show what the record says? */
bool vz_pipeline_equals_record(const vz_array_meta *meta, const vz_json *record, const vz_json *default_codec);

#endif
