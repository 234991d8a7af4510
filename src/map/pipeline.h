/* pipeline.h - HDF5 filter pipelines and Zarr codec chains, both ways; one row a filter in pipeline_rules.c. */
#ifndef VZ_MAP_PIPELINE_H
#define VZ_MAP_PIPELINE_H

#include "h5/h5.h"
#include "zarr/node.h"

#define VZ_FILTER_BZIP2      307
#define VZ_FILTER_LZF        32000
#define VZ_FILTER_BLOSC      32001
#define VZ_FILTER_LZ4        32004
#define VZ_FILTER_ZSTD       32015
#define VZ_FILTER_MAX_VALUES 32

/* One filter of a pipeline as HDF5 describes it. */
typedef struct vz_filter {
    H5Z_filter_t id;
    unsigned flags;
    size_t value_count;
    unsigned values[VZ_FILTER_MAX_VALUES];
} vz_filter;

typedef struct vz_filter_rule {
    H5Z_filter_t id;
    const char *codec;  /* numcodecs id; NULL: the store's default compressor is put in its place */
    bool is_compressor; /* may stand as v2 "compressor" */
    bool is_reframed;   /* the stored bytes are not the filter's, though they say the same */
    /* The codec's configuration for the filter, and back (false: this configuration has no such filter). */
    vz_json *(*to_codec)(const vz_filter *filter, size_t element_size, vz_error *err);
    bool (*to_filter)(const vz_json *codec, const vz_array_meta *meta, vz_filter *filter);
} vz_filter_rule;

/* Of several rules for a filter the first is the one that makes codecs. */
extern const vz_filter_rule vz_filter_rules[];
extern const size_t vz_filter_rule_count;
const vz_filter_rule *vz_filter_rule_by_id(H5Z_filter_t id);

/* What the filters of a creation list become. */
typedef struct vz_pipeline {
    bool asked;          /* a filter was asked for */
    vz_json *filters;    /* NULL or a JSON array (no object codec in it) */
    vz_json *compressor; /* NULL or a configuration */
    vz_json *record;     /* "p" of the annotation: the pipeline as asked, when the chain does not tell it; or NULL */
} vz_pipeline;
/* element_size: 0 for arrays of objects. default_codec: the store's (NULL: none). A mandatory filter without a rule is
 * VZ_UNSUPPORTED, an optional one is left out. */
bool vz_pipeline_make(vz_pipeline *pipeline, hid_t dcpl, size_t element_size, const vz_json *default_codec,
                      vz_error *err);
void vz_pipeline_clear(vz_pipeline *pipeline);

/* The pipeline that HDF5 sees for an array: the record, or the image of the whole chain when every codec has one that
 * the host can run; otherwise none. *exact: stored chunk bytes are that pipeline's bytes. */
typedef struct vz_shown {
    size_t count;
    vz_filter filters[16];
    bool exact;
    bool reframed; /* a codec frames the filter's bytes otherwise */
} vz_shown;
bool vz_pipeline_show(const vz_array_meta *meta, const vz_json *record, const vz_json *default_codec, vz_shown *shown,
                      vz_error *err);

#endif
