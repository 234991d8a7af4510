/* creation_annotation.c - the annotation of a new dataset. */
#include "hdf5/annotation/annotation.h"
#include "hdf5/datasets/creation_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/dialects/dialects.h"

bool vz_dataset_creation_annotate(vz_dataset_creation *c, const char *key, vz_json *take, vz_error *err)
{
    return take && vz_json_set(c->annotation, key, take, err);
}

/* A scalar of which zarr_dtype does not tell that it is one: a reference, a compound. */
static bool annotate_scalar(vz_dataset_creation *c, vz_error *err)
{
    vz_json *space = vz_json_object(err);
    if (space && vz_json_set(space, "d", vz_json_array(err), err))
        return vz_dataset_creation_annotate(c, "s", space, err);
    vz_json_free(space);
    return false;
}

/* [max ...], null = unlimited, when some maximum is not the current size (or the store says
 * nothing by default). */
bool vz_dataset_creation_annotate_space(vz_dataset_creation *c, bool always, vz_error *err)
{
    bool differs = always && c->rank > 0;
    for (unsigned d = 0; d < c->rank; d++)
        differs = differs || c->max[d] != c->dims[d];
    if (c->null)
        return vz_dataset_creation_annotate(c, "s", vz_json_text("null", err), err);
    if (vz_writer_of(c->hierarchy)->scalar_has_axis && c->rank == 0 && !vz_dialect_dtype_is_scalar(c->plan.zarr_dtype))
        return annotate_scalar(c, err);
    if (!differs)
        return true;
    vz_json *space = vz_dataset_describe_max(c->rank, c->max, err);
    return space && vz_dataset_creation_annotate(c, "s", space, err);
}

/* Says the layout where it does not follow from filters, maximum dimensions and the default
 * compressor. */
bool vz_dataset_creation_annotate_layout(vz_dataset_creation *c, bool always, vz_error *err)
{
    bool growing = vz_json_get(c->annotation, "s") != NULL;
    if (c->sources == VZ_SOURCES_VIRTUAL)
        return vz_dataset_creation_annotate(c, "vds", vz_sources_describe_virtual(c->dcpl, err), err);
    if (c->sources == VZ_SOURCES_EXTERNAL)
        return vz_dataset_creation_annotate(c, "ext", vz_sources_describe_external(c->dcpl, err), err);
    if (c->layout == H5D_COMPACT)
        return vz_dataset_creation_annotate(c, "l", vz_json_text("compact", err), err);
    if (c->layout == H5D_CHUNKED && (always || (!c->pipeline.asked && !growing)))
        return vz_dataset_creation_annotate(c, "l", vz_json_text("chunked", err), err);
    if (c->layout == H5D_CONTIGUOUS && always && c->rank > 0)
        return vz_dataset_creation_annotate(c, "l", vz_json_text("contiguous", err), err);
    return true;
}

static H5D_alloc_time_t usual_alloc_time(H5D_layout_t layout)
{
    return layout == H5D_COMPACT                            ? H5D_ALLOC_TIME_EARLY
           : layout == H5D_CHUNKED || layout == H5D_VIRTUAL ? H5D_ALLOC_TIME_INCR
                                                            : H5D_ALLOC_TIME_LATE;
}

/* Other creation properties that differ from what is usual. */
bool vz_dataset_creation_annotate_properties(vz_dataset_creation *c, vz_error *err)
{
    H5D_alloc_time_t alloc;
    unsigned order;
    if (vz_dataset_list_is_usual(c->dcpl))
        return true;
    if (H5Pget_alloc_time(c->dcpl, &alloc) < 0 || H5Pget_attr_creation_order(c->dcpl, &order) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the creation property list");
    if (c->layout == H5D_COMPACT && alloc != H5D_ALLOC_TIME_EARLY && alloc != H5D_ALLOC_TIME_DEFAULT)
        return vz_fail(err, VZ_INVALID, "a compact dataset is allocated early");
    vz_json *properties = vz_json_object(err);
    bool ok = properties && vz_hints_store_object(properties, c->dcpl, err);
    if (ok && alloc != usual_alloc_time(c->layout) && alloc != H5D_ALLOC_TIME_DEFAULT)
        ok = vz_json_set(properties, "alloc", vz_json_int64(alloc, err), err);
    if (ok && order != 0)
        ok = vz_json_set(properties, "ao", vz_json_int64(order, err), err);
    if (ok && vz_json_length(properties) > 0)
        return vz_dataset_creation_annotate(c, "pl", properties, err);
    vz_json_free(properties);
    return ok;
}

bool vz_dataset_creation_annotate_times(vz_dataset_creation *c, vz_error *err)
{
    bool wanted;
    return vz_times_wanted(c->dcpl, &wanted, err) &&
           (!wanted || vz_dataset_creation_annotate(c, "tm", vz_times_now(err), err));
}

/* The guard "z": the plain dtype's text; another one means that somebody else changed the array. */
bool vz_dataset_creation_annotate_type(vz_dataset_creation *c, vz_error *err)
{
    if (!c->plan.annotation)
        return true;
    vz_json *type = c->plan.annotation;
    c->plan.annotation = NULL;
    return vz_dataset_creation_annotate(c, "t", type, err) &&
           vz_dataset_creation_annotate(c, "z", vz_dtype_print_v2(c->meta->dtype, err), err);
}
