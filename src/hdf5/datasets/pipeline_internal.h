/* pipeline_internal.h - HDF5 filter pipelines and Zarr codec chains, both ways; one row a filter
 * in filter_table.c. */
#ifndef VZ_DATASETS_PIPELINE_INTERNAL_H
#define VZ_DATASETS_PIPELINE_INTERNAL_H

#include "hdf5/datasets/pipeline.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

#define VZ_FILTER_BZIP2      307
#define VZ_FILTER_LZF        32000
#define VZ_FILTER_BLOSC      32001
#define VZ_FILTER_LZ4        32004
#define VZ_FILTER_BITSHUFFLE 32008
#define VZ_FILTER_ZSTD       32015
#define VZ_FILTER_MAX_VALUES 256 /* H5Pget_filter2 takes no more room */

/* One filter of a pipeline as HDF5 describes it. */
typedef struct vz_pipeline_filter {
    H5Z_filter_t id;
    unsigned flags;
    size_t value_count;
    unsigned values[VZ_FILTER_MAX_VALUES];
} vz_pipeline_filter;

typedef struct vz_pipeline_filter_rule {
    H5Z_filter_t id;
    const char *codec; /* numcodecs id */
    /* The codec's configuration for the filter (NULL: the rule only reads), and back (false: no
     * such filter has this configuration). */
    vz_json *(*to_codec)(const vz_pipeline_filter *filter, size_t element_size, vz_error *err);
    bool (*to_filter)(const vz_json *configuration, const vz_meta *meta, vz_pipeline_filter *filter);
} vz_pipeline_filter_rule;

/* The rules. The first of several rules for a filter makes its codec. */
extern const vz_pipeline_filter_rule vz_pipeline_filter_rules[];
extern const size_t vz_pipeline_filter_rule_count;
/* The rule that makes the codec; NULL: none does. */
const vz_pipeline_filter_rule *vz_pipeline_filter_rule_by_id(H5Z_filter_t id);

bool vz_pipeline_filter_get(hid_t dcpl, unsigned index, vz_pipeline_filter *filter, vz_error *err);

/* The codecs of a creation list's filters. */
typedef struct vz_pipeline {
    bool asked;       /* a filter was asked for */
    vz_codecs codecs; /* no object codec among them */
    vz_json *record;  /* "p" of the annotation: the pipeline as asked */
} vz_pipeline;
/* The elements that filters process, in bytes. */
typedef struct vz_pipeline_element {
    size_t shown;  /* of the HDF5 datatype in a file; 0: a text or a sequence, whose filters are not
                    * given a size */
    size_t stored; /* as many dtypes as make one of them; 0: objects */
} vz_pipeline_element;
/* Makes the codecs. default_codec: the store's in numcodecs' form (NULL: none); it replaces
 * filters without a rule, unless a compressor was asked for, too. A mandatory filter that the
 * host lacks is VZ_UNSUPPORTED. */
bool vz_pipeline_make(vz_pipeline *pipeline, hid_t dcpl, vz_pipeline_element element, const vz_json *default_codec,
                      vz_error *err);
void vz_pipeline_clear(vz_pipeline *pipeline);

/* The pipeline that HDF5 sees: the record, or the image of the whole chain if every codec has one
 * that the host can run. Otherwise there is none. `exact`: stored chunks, in the form of filters
 * (codec.h), are that pipeline's. */
typedef struct vz_pipeline_shown {
    size_t count;
    vz_pipeline_filter filters[16];
    bool exact;
} vz_pipeline_shown;
void vz_pipeline_show(const vz_meta *meta, const vz_json *record, const vz_json *default_codec,
                      vz_pipeline_shown *shown);
/* Is the chain the store's own compressor alone, as for a dataset without filters? */
bool vz_pipeline_is_default(const vz_meta *meta, const vz_json *default_codec);
/* Decodes a chunk to which a program applied the shown filters, except those in the mask.
 * *undone=false: a filter has no codec, and nothing was done. */
bool vz_pipeline_undo(const vz_meta *meta, const vz_pipeline_shown *shown, uint32_t mask, vz_bytes chunk,
                      vz_buffer *elements, bool *undone, vz_error *err);
/* Does the chain alone show the pipeline of the record? */
bool vz_pipeline_equals_record(const vz_meta *meta, const vz_json *record, const vz_json *default_codec);

#endif
