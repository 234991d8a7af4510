/* storage_hints.c - creation properties that only tell native files how to store. */
#include "hdf5/annotation/annotation.h"

typedef herr_t (*getter)(hid_t list, unsigned *first, unsigned *second);
typedef herr_t (*setter)(hid_t list, unsigned first, unsigned second);

static bool store_pair(vz_json *properties, const char *key, hid_t list, getter get, unsigned default_first,
                       unsigned default_second, vz_error *err)
{
    unsigned first = 0, second = 0;
    if (get(list, &first, &second) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the creation property list");
    if (first == default_first && second == default_second)
        return true;
    vz_json *pair = vz_json_array(err);
    if (pair && vz_json_append(pair, vz_json_int64(first, err), err) &&
        vz_json_append(pair, vz_json_int64(second, err), err))
        return vz_json_set(properties, key, pair, err);
    vz_json_free(pair);
    return false;
}

/* A value that HDF5 does not take was written by another program and is ignored. */
static void show_pair(const vz_json *properties, const char *key, hid_t list, setter set)
{
    uint64_t first, second;
    const vz_json *pair = vz_json_get(properties, key);
    if (vz_json_get_uint64(vz_json_at(pair, 0), &first) && vz_json_get_uint64(vz_json_at(pair, 1), &second) &&
        first <= UINT16_MAX && second <= UINT16_MAX)
        set(list, (unsigned)first, (unsigned)second);
}

bool vz_hints_store_object(vz_json *properties, hid_t ocpl, vz_error *err)
{
    return store_pair(properties, "ap", ocpl, H5Pget_attr_phase_change, 8, 6, err);
}

void vz_hints_show_object(const vz_json *properties, hid_t ocpl)
{
    show_pair(properties, "ap", ocpl, H5Pset_attr_phase_change);
}

bool vz_hints_store_group(vz_json *properties, hid_t gcpl, vz_error *err)
{
    size_t heap = 0;
    if (H5Pget_local_heap_size_hint(gcpl, &heap) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the creation property list");
    return vz_hints_store_object(properties, gcpl, err) &&
           store_pair(properties, "lp", gcpl, H5Pget_link_phase_change, 8, 6, err) &&
           store_pair(properties, "le", gcpl, H5Pget_est_link_info, 4, 8, err) &&
           (heap == 0 || vz_json_set(properties, "lh", vz_json_uint64(heap, err), err));
}

void vz_hints_show_group(const vz_json *properties, hid_t gcpl)
{
    uint64_t heap;
    show_pair(properties, "lp", gcpl, H5Pset_link_phase_change);
    show_pair(properties, "le", gcpl, H5Pset_est_link_info);
    if (vz_json_get_uint64(vz_json_get(properties, "lh"), &heap) && heap <= UINT32_MAX)
        H5Pset_local_heap_size_hint(gcpl, (size_t)heap);
    vz_hints_show_object(properties, gcpl);
}
