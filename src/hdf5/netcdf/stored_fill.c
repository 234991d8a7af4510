/* stored_fill.c - the fill value in documents of netCDF arrays. In format 2 xarray takes it for the
 * missing value: it is `_FillValue`, or null where there is none. Then all chunks must be there. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/annotation/annotation.h"
#include <string.h>

const vz_json *vz_netcdf_missing_value(const vz_node *array)
{
    const vz_json *value = vz_netcdf_fill_attribute(array);
    return value && vz_dtype_is_number(array->meta->dtype) && vz_json_number_text(value) ? value : NULL;
}

/* The metadata's own member, or, with `value`, what it is written as for that value. NULL: none, or
 * failed. */
static vz_json *print_fill(const vz_node *array, const vz_json *value, vz_error *err)
{
    const vz_zarr_format *zarr_format = array->zarr_format;
    vz_json *document = vz_json_object(err), *fill = NULL;
    bool ok = document && zarr_format->write(array->meta, document, err);
    if (ok && value) {
        vz_error ignored = VZ_ERROR_NONE;
        ok = vz_json_set(document, zarr_format->fill_value, vz_json_copy(value, err), err);
        vz_meta *meta = ok ? zarr_format->load(document, &ignored) : NULL;
        ok = meta && zarr_format->write(meta, document, err);
        vz_meta_free(meta);
    }
    if (ok)
        fill = vz_json_detach(document, zarr_format->fill_value);
    vz_json_free(document);
    return fill;
}

static bool set_entry(vz_node *array, vz_json *take, vz_error *err)
{
    const vz_json *now = vz_json_get(array->annotation, VZ_ANNOTATION_FILL);
    if (take ? now && vz_json_equal(now, take) : !now) {
        vz_json_free(take);
        return true;
    }
    return vz_annotation_set(array, VZ_ANNOTATION_FILL, take, err) && vz_node_meta_changed(array, err);
}

/* Borrows both. */
static bool set_other(vz_node *array, const vz_json *written, const vz_json *value, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (entry && vz_json_set(entry, "w", vz_json_copy(written, err), err) &&
        vz_json_set(entry, "v", vz_json_copy(value, err), err))
        return set_entry(array, entry, err);
    vz_json_free(entry);
    return false;
}

/* HDF5's fill value stays in the document, and is no missing value. */
static bool keep_own(vz_node *array, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (!array->meta->fill_defined && !vz_meta_set_zero_fill(array->meta, err)) {
        vz_json_free(entry);
        return false;
    }
    if (entry && vz_json_set(entry, "k", vz_json_int64(1, err), err))
        return set_entry(array, entry, err);
    vz_json_free(entry);
    return false;
}

/* Zero, which nobody set: null says it all. */
static bool is_usual(const vz_node *array)
{
    return array->meta->fill_zero && !vz_annotation_get(array, "f");
}

static bool has_own_chunks(const vz_node *array)
{
    return !vz_annotation_get(array, "vds") && !vz_annotation_get(array, "ext") &&
           !vz_json_is(vz_annotation_get(array, "s"), "null");
}

static bool fill_missing(vz_node *array, bool *complete, vz_error *err)
{
    const uint64_t size = array->meta->chunk_size ? array->meta->chunk_size : 1;
    const uint64_t most = VZ_NETCDF_FILL_BYTES_MAX / size;
    *complete = true;
    if (array->chunks_elsewhere)
        return true;
    vz_array *io = vz_node_io(array, err);
    return io && vz_array_fill_missing(io, most < VZ_NETCDF_FILL_CHUNKS_MAX ? most : VZ_NETCDF_FILL_CHUNKS_MAX,
                                       complete, err);
}

static bool finish(vz_node *array, const vz_json *written, const vz_json *value, vz_error *err)
{
    bool complete;
    if (array->meta->fill_defined && vz_json_equal(written, value))
        return set_entry(array, NULL, err);
    if (!fill_missing(array, &complete, err))
        return false;
    if (!complete)
        return keep_own(array, err);
    if (vz_json_kind_of(written) != VZ_JSON_NULL || !is_usual(array))
        return set_other(array, written, value, err);
    return vz_meta_set_fill(array->meta, NULL, err) && set_entry(array, NULL, err) && vz_node_meta_changed(array, err);
}

bool vz_netcdf_finish_fill(vz_node *array, vz_error *err)
{
    if (!array->zarr_format->fill_value || !has_own_chunks(array))
        return true;
    const vz_json *missing = vz_netcdf_missing_value(array);
    vz_json *value = print_fill(array, NULL, err);
    vz_json *written = value && missing ? print_fill(array, missing, err) : value ? vz_json_null(err) : NULL;
    const bool ok = written ? finish(array, written, value, err) : missing && value;
    vz_json_free(value);
    vz_json_free(written);
    return ok;
}
