/* create.c - from the arguments of H5Dcreate to an array's metadata. */
#include "hdf5/datasets/creation_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/types/types.h"

#include "hdf5/datasets/view_internal.h"
#include "hdf5/dialects/default_compressor.h"
#include "H5VLzarr.h"

#include <stdlib.h>
#include <string.h>

#define CONTIGUOUS_CHUNK_BYTES ((uint64_t)4 << 20) /* uncompressed; chosen for Zarr readers */

static bool read_space(vz_dataset_creation *c, vz_error *err)
{
    H5S_class_t class = H5Sget_simple_extent_type(c->space);
    if (class == H5S_NO_CLASS)
        return vz_fail(err, VZ_HDF5, "no dataspace");
    c->null = class == H5S_NULL;
    int rank = class == H5S_SIMPLE ? H5Sget_simple_extent_dims(c->space, c->dims, c->max) : 0;
    if (rank < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the dataspace");
    if (class == H5S_SIMPLE && rank == 0)
        return vz_fail(err, VZ_INVALID, "the dataspace has no extent");
    c->rank = (unsigned)rank;
    return true;
}

/* Only chunked data may grow, as in native files. */
static bool check_growth(const vz_dataset_creation *c, vz_error *err)
{
    for (unsigned d = 0; d < c->rank; d++)
        if (c->max[d] != c->dims[d] && c->layout != H5D_CHUNKED)
            return vz_fail(err, VZ_INVALID, "a dataset that can grow must be chunked");
    return true;
}

/* Whole trailing dimensions first, until a chunk is as large as it should be. */
static void choose_chunks(const vz_dataset_creation *c, uint64_t *chunks)
{
    uint64_t room = CONTIGUOUS_CHUNK_BYTES / c->plan.dtype->size;
    for (unsigned a = 0; a < c->plan.axes; a++)
        room /= c->plan.axis[a];
    for (unsigned d = c->rank; d-- > 0;) {
        uint64_t length = c->dims[d] ? c->dims[d] : 1;
        if (room == 0)
            room = 1;
        chunks[d] = length < room ? length : room;
        room /= chunks[d];
    }
}

/* Elements that lie in other files must be of a size that is known there. */
static bool check_sources(const vz_dataset_creation *c, vz_error *err)
{
    const bool refers = H5Tdetect_class(c->type, H5T_REFERENCE) > 0;
    if (c->sources == VZ_SOURCES_EXTERNAL && (refers || vz_type_has_vlen(c->type)))
        return vz_fail(err, VZ_UNSUPPORTED, "external storage of variable-length data or references");
    return vz_sources_check(c->type, c->space, c->dcpl, err);
}

/* HDF5 ignores filters that need not be there where no filter can be: on scalars and
 * variable-length data. */
static bool ignores_filters(const vz_dataset_creation *c)
{
    const H5T_class_t class = H5Tget_class(c->type);
    if (c->rank > 0 && class != H5T_VLEN && !(class == H5T_STRING && H5Tis_variable_str(c->type) > 0))
        return false;
    for (int i = 0, count = H5Pget_nfilters(c->dcpl); i < count; i++) {
        unsigned flags = 0;
        size_t values = 0;
        if (H5Pget_filter2(c->dcpl, (unsigned)i, &flags, &values, NULL, 0, NULL, NULL) < 0 ||
            !(flags & H5Z_FLAG_OPTIONAL))
            return false;
    }
    return true;
}

static bool usual_layout(vz_dataset_creation *c, vz_error *err)
{
    c->layout = H5D_CONTIGUOUS;
    c->sources = VZ_SOURCES_NONE;
    choose_chunks(c, c->meta->chunks);
    return check_growth(c, err);
}

static bool read_layout(vz_dataset_creation *c, vz_error *err)
{
    hsize_t chunk[VZ_MAX_RANK] = {0};
    if (vz_dataset_list_is_usual(c->dcpl))
        return usual_layout(c, err);
    c->layout = H5Pget_layout(c->dcpl);
    if (c->layout < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the layout");
    c->sources = vz_sources_requested(c->layout, c->dcpl);
    if (c->layout != H5D_CONTIGUOUS && H5Pget_external_count(c->dcpl) > 0 && c->sources == VZ_SOURCES_NONE)
        return vz_fail(err, VZ_INVALID, "external storage needs a contiguous layout");
    if (c->sources != VZ_SOURCES_NONE) {
        choose_chunks(c, c->meta->chunks);
        return check_sources(c, err);
    }
    if (c->layout != H5D_CHUNKED || c->rank == 0) {
        if (c->layout == H5D_CHUNKED)
            return vz_fail(err, VZ_INVALID, "a scalar or null dataset cannot be chunked");
        if (H5Pget_nfilters(c->dcpl) > 0 && !ignores_filters(c))
            return vz_fail(err, VZ_INVALID, "filters need a chunked layout");
        choose_chunks(c, c->meta->chunks);
        return check_growth(c, err);
    }
    int rank = H5Pget_chunk(c->dcpl, VZ_MAX_RANK, chunk);
    if (rank != (int)c->rank)
        return vz_fail(err, VZ_INVALID, "chunks have rank %d, the dataset %u", rank, c->rank);
    for (unsigned d = 0; d < c->rank; d++) {
        if (c->dims[d] && c->max[d] != H5S_UNLIMITED && chunk[d] > c->max[d])
            return vz_fail(err, VZ_INVALID, "a chunk must not be larger than the maximum dimension (%llu > %llu)",
                           (unsigned long long)chunk[d], (unsigned long long)c->max[d]);
        c->meta->chunks[d] = chunk[d];
    }
    return true;
}

static bool set_fill(vz_dataset_creation *c, vz_error *err)
{
    vz_json *fill;
    return vz_dataset_fill_set(&c->fill, c->meta, c->sources != VZ_SOURCES_NONE, &fill, err) &&
           (!fill || vz_dataset_creation_annotate(c, "f", fill, err));
}

/* An array type is stored as axes: its element is all that lies along them. HDF5 tells filters
 * nothing of texts and sequences. */
static bool element_of(const vz_dataset_creation *c, vz_pipeline_element *element, vz_error *err)
{
    uint64_t shown = 0, stored = c->plan.dtype->kind == VZ_DTYPE_OBJECT ? 0 : c->plan.dtype->size;
    const bool is_object = H5Tget_class(c->type) == H5T_VLEN || H5Tis_variable_str(c->type) > 0;
    for (unsigned a = 0; a < c->plan.axes; a++)
        if (!vz_mul(stored, c->plan.axis[a], &stored))
            return vz_fail(err, VZ_LIMIT, "an element of the array type is too large");
    if (!is_object && !vz_type_file_size(c->type, &shown, err))
        return false;
    *element = (vz_pipeline_element){.shown = (size_t)shown, .stored = (size_t)stored};
    return true;
}

/* That of the store, unless the creation list names another. Scalars have none. */
static bool choose_codec(vz_dataset_creation *c, vz_error *err)
{
    char word[H5VL_ZARR_WORD_SIZE];
    size_t size = 0;
    if (c->rank == 0)
        return true;
    c->codec = vz_dialect_default_codec(c->hierarchy);
    if (vz_dataset_list_is_usual(c->dcpl) || H5Pexist(c->dcpl, H5VL_ZARR_COMPRESS) <= 0)
        return true;
    if (H5Pget_size(c->dcpl, H5VL_ZARR_COMPRESS, &size) < 0 || size != sizeof word ||
        H5Pget(c->dcpl, H5VL_ZARR_COMPRESS, word) < 0 || !memchr(word, '\0', sizeof word))
        return vz_fail(err, VZ_INVALID, "the property \"" H5VL_ZARR_COMPRESS "\" is not a word of %zu bytes",
                       sizeof word);
    vz_json *named = vz_dialect_codec_called(word, vz_hierarchy_zarr_format(c->hierarchy), err);
    const vz_json *codec = named && vz_json_kind_of(named) == VZ_JSON_OBJECT ? named : NULL;
    if (!named || codec == c->codec || (codec && c->codec && vz_json_equal(codec, c->codec))) {
        vz_json_free(named); /* the store's own needs no word in the annotation */
        return named != NULL;
    }
    c->own_codec = named;
    c->codec = codec;
    return true;
}

/* No filter was asked for, so HDF5 is shown none. */
static bool hide_own_codec(vz_dataset_creation *c, vz_error *err)
{
    if (c->own_codec && !c->pipeline.asked)
        c->pipeline.record = vz_json_array(err);
    return !c->own_codec || c->pipeline.asked || c->pipeline.record;
}

/* The object codec, then the pipeline's. */
static bool set_chain(vz_dataset_creation *c, vz_error *err)
{
    vz_pipeline_element element;
    if (!choose_codec(c, err) || !element_of(c, &element, err) ||
        !vz_pipeline_make(&c->pipeline, c->dcpl, element, c->codec, err) || !hide_own_codec(c, err))
        return false;
    if (c->plan.codec && !vz_codecs_append_numcodecs(&c->meta->codecs, c->plan.codec, err))
        return false;
    if (c->meta->codecs.count == 0) { /* then they are the chain, and need no copy */
        const vz_codecs none = c->meta->codecs;
        c->meta->codecs = c->pipeline.codecs;
        c->pipeline.codecs = none;
    } else if (!vz_codecs_append_all(&c->meta->codecs, &c->pipeline.codecs, err)) {
        return false;
    }
    if (c->pipeline.record) {
        vz_json *record = c->pipeline.record;
        c->pipeline.record = NULL;
        return vz_dataset_creation_annotate(c, "p", record, err);
    }
    return true;
}

/* Only what the chain does not tell is written down. */
static void drop_needless_record(vz_dataset_creation *c)
{
    const vz_json *codec = c->rank == 0 ? NULL : vz_dialect_default_codec(c->hierarchy);
    const vz_json *record = vz_json_get(c->annotation, "p");
    if (record && vz_pipeline_equals_record(c->meta, record, codec))
        vz_json_remove(c->annotation, "p");
}

static bool make_meta(vz_dataset_creation *c, vz_error *err)
{
    c->meta = calloc(1, sizeof *c->meta);
    if (!c->meta)
        return vz_fail_memory(err);
    c->meta->separator = '.';
    if (c->rank + c->plan.axes > VZ_MAX_RANK)
        return vz_fail(err, VZ_LIMIT,
                       "the dataspace and the array datatype have %u dimensions together, at most %d can be",
                       c->rank + c->plan.axes, VZ_MAX_RANK);
    if (vz_writer_of(c->hierarchy)->scalar_has_axis && c->rank == 0) {
        c->meta->shape[c->lead] = c->null ? 0 : 1;
        c->meta->chunks[c->lead++] = 1;
    }
    c->meta->rank = c->lead + c->rank + c->plan.axes;
    vz_meta_set_order(c->meta, false);
    for (unsigned d = 0; d < c->rank; d++)
        c->meta->shape[d] = c->dims[d];
    for (unsigned a = 0; a < c->plan.axes; a++)
        c->meta->shape[c->lead + c->rank + a] = c->meta->chunks[c->lead + c->rank + a] = c->plan.axis[a];
    c->meta->dtype = vz_dtype_copy(c->plan.dtype, err);
    return c->meta->dtype != NULL;
}

static bool plan_type(vz_dataset_creation *c, vz_error *err)
{
    c->plan.null = c->null;
    c->plan.writer = vz_writer_of(c->hierarchy);
    c->plan.pickle_refs = vz_hierarchy_options(c->hierarchy)->references == VZ_REFERENCES_PICKLE;
    const bool scalar = c->rank == 0 && c->plan.writer->dtype_tells_scalar;
    return vz_dialect_plan_make(&c->plan, c->type, scalar, err) &&
           vz_dataset_fill_read(&c->fill, c->dcpl, c->type, scalar, c->hierarchy, &c->plan, err);
}

static bool fill_creation(vz_dataset_creation *c, vz_error *err)
{
    bool foreign = !vz_hierarchy_is_ours(c->hierarchy);
    c->annotation = vz_json_object(err);
    return c->annotation && read_space(c, err) && plan_type(c, err) && make_meta(c, err) && read_layout(c, err) &&
           vz_dataset_creation_annotate_type(c, err) && vz_dataset_creation_annotate_space(c, foreign, err) &&
           set_chain(c, err) && vz_dataset_creation_annotate_layout(c, foreign || c->own_codec, err) &&
           set_fill(c, err) && vz_dataset_creation_annotate_properties(c, err) &&
           vz_dataset_creation_annotate_times(c, err) && vz_meta_measure_chunk(c->meta, err);
}

vz_node *vz_dataset_create(vz_hierarchy *hierarchy, hid_t type, hid_t space, hid_t dcpl, vz_error *err)
{
    vz_dataset_creation c = {
        .hierarchy = hierarchy, .type = type, .space = space, .dcpl = dcpl, .plan.with_axes = true};
    vz_node *node = NULL;
    if (fill_creation(&c, err)) {
        drop_needless_record(&c);
        node = vz_node_new_array(hierarchy, c.meta, err);
        c.meta = NULL;
    }
    vz_json *zarr_dtype = c.plan.zarr_dtype;
    c.plan.zarr_dtype = NULL;
    if (node && zarr_dtype) {
        node->chunks_elsewhere = !vz_dataset_list_is_usual(dcpl) && H5Pexist(dcpl, H5VL_ZARR_CHUNKS_ELSEWHERE) > 0;
        bool ok = vz_writer_of(hierarchy)->set_dtype(node, zarr_dtype, err);
        zarr_dtype = NULL;
        if (ok && vz_json_length(c.annotation) > 0) {
            vz_json_free(node->annotation);
            node->annotation = c.annotation;
            c.annotation = NULL;
            ok = vz_node_annotated(node, err);
        }
        ok = ok && (c.sources != VZ_SOURCES_VIRTUAL || vz_dataset_mark_new_virtual(node, err));
        if (!ok) {
            vz_node_unref(node);
            node = NULL;
        }
    }
    vz_json_free(zarr_dtype);
    vz_json_free(c.annotation);
    vz_json_free(c.own_codec);
    vz_pipeline_clear(&c.pipeline);
    vz_dataset_fill_clear(&c.fill);
    vz_dialect_plan_clear(&c.plan);
    vz_meta_free(c.meta);
    return node;
}
