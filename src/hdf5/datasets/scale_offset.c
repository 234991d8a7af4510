/* scale_offset.c - HDF5's scale-offset filter has no codec, but it changes values: they are
 * rounded as it would. */
#include "hdf5/datasets/view_internal.h"

/* The filter's values once HDF5 completed them. */
enum {
    SCALE_TYPE,
    SCALE_FACTOR,
    ELEMENT_COUNT,
    CLASS, /* 0: integer, 1: float */
    SIZE,
    SIGN,
    ORDER, /* 1: big-endian */
    FILL_DEFINED,
    FILL, /* four bytes in each value, the lowest first */
    VALUE_COUNT = 20,
};

static bool read_values(const vz_json *list, uint64_t *values)
{
    for (size_t i = 0; i < VALUE_COUNT; i++)
        if (!vz_json_get_uint64(vz_json_at(list, i), &values[i]) || values[i] > UINT32_MAX)
            return false;
    return true;
}

/* A filter that HDF5 would not write in this form is not repeated. Where the type of scaling is not
 * the elements' (an integer's for floats), HDF5 leaves the filter out and stores them as they
 * are. */
static bool read_rounding(const vz_json *filter, vz_rounding *rounding)
{
    uint64_t v[VALUE_COUNT];
    if (!read_values(vz_json_at(filter, 2), v) || v[CLASS] > 1)
        return false;
    const uint64_t size = v[SIZE];
    const bool is_float = v[CLASS] == 1;
    if (v[SCALE_TYPE] != (is_float ? H5Z_SO_FLOAT_DSCALE : H5Z_SO_INT))
        return false;
    if (size != 4 && size != 8 && (is_float || (size != 1 && size != 2)))
        return false;
    *rounding = (vz_rounding){.is_float = is_float,
                              .is_signed = v[SIGN] != 0,
                              .big_endian = v[ORDER] != 0,
                              .has_fill = v[FILL_DEFINED] != 0,
                              .size = size,
                              .scale = (int)(uint32_t)v[SCALE_FACTOR]};
    vz_bytes_store_le32(rounding->fill, (uint32_t)v[FILL]);
    vz_bytes_store_le32(rounding->fill + 4, (uint32_t)v[FILL + 1]);
    return true;
}

/* False: no filter rounds. */
static bool find_rounding(const vz_node *node, vz_rounding *rounding)
{
    const vz_json *record = vz_annotation_get(node, "p");
    bool found = false;
    for (size_t i = 0; i < vz_json_length(record); i++) {
        const vz_json *filter = vz_json_at(record, i);
        int64_t id;
        found = (vz_json_get_int64(vz_json_at(filter, 0), &id) && id == H5Z_FILTER_SCALEOFFSET &&
                 read_rounding(filter, rounding)) ||
                found;
    }
    return found;
}

/* The filters of a dataset never change: an open array gets them once. */
vz_array *vz_dataset_io(vz_node *node, vz_error *err)
{
    vz_array *io = vz_node_io(node, err);
    vz_rounding rounding;
    if (io && !vz_array_rounding_is_set(io))
        vz_array_set_rounding(io, find_rounding(node, &rounding) ? &rounding : NULL);
    return io;
}
