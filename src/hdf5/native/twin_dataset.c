/* twin_dataset.c - native datasets whose addresses are tokens (rule 5): H5Rget_region reads the
 * extent there. Only extents matter, nothing is ever stored in them. They live as long as the
 * gateway, as region references do. */
#include "hdf5/h5/h5.h"
#include "hdf5/native/native_internal.h"
#include "base/util/bytes.h"
#include "base/util/hash.h"
#include <stdlib.h>

typedef struct twin {
    uint64_t token, extent;
    void *dataset;
} twin;

static vz_nummap twins; /* by token */

bool vz_twin_dataset_exists(uint64_t token)
{
    void **place = vz_nummap_find(&twins, token);
    return place && *place;
}

/* ---- twins ---- */

typedef struct extent {
    int rank;
    H5S_class_t class;
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK];
} extent;

static bool read_extent(extent *e, hid_t space, vz_error *err)
{
    *e = (extent){0};
    e->class = H5Sget_simple_extent_type(space);
    e->rank = H5Sget_simple_extent_dims(space, e->dims, e->max);
    return e->rank >= 0 || vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

static bool can_grow(const extent *e)
{
    for (int d = 0; d < e->rank; d++)
        if (e->dims[d] != e->max[d])
            return true;
    return false;
}

/* HDF5 wants chunks of what can grow. */
static hid_t creation_list(const extent *e)
{
    hsize_t chunk[H5S_MAX_RANK];
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (int d = 0; d < e->rank; d++)
        chunk[d] = 1;
    if (dcpl < 0 || !can_grow(e) || H5Pset_chunk(dcpl, e->rank, chunk) >= 0)
        return dcpl;
    vz_h5_close_quietly(dcpl);
    return H5I_INVALID_HID;
}

static void close_twin(twin *t)
{
    if (t->dataset)
        H5VLdataset_close(t->dataset, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
    t->dataset = NULL;
}

static bool create_twin(twin *t, hid_t space, const extent *e, vz_error *err)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_GROUP};
    const hid_t dcpl = creation_list(e);
    if (dcpl < 0)
        return vz_fail(err, VZ_HDF5, "gateway: no creation list for the twin of a dataset");
    vz_driver_memory_place(t->token);
    t->dataset =
        H5VLdataset_create(vz_native.group, &self, vz_native.connector, NULL, H5P_LINK_CREATE_DEFAULT, H5T_NATIVE_UCHAR,
                           space, dcpl, H5P_DATASET_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    const bool placed = vz_driver_memory_placed();
    vz_driver_memory_place(0);
    if (t->dataset && !placed)
        close_twin(t);
    vz_h5_close_quietly(dcpl);
    return t->dataset || vz_fail(err, VZ_HDF5, "gateway: no twin of a dataset");
}

/* Made where it is not there. */
static twin *twin_of(uint64_t token, vz_error *err)
{
    void **place = vz_nummap_put(&twins, token, err);
    if (place && !*place && (*place = calloc(1, sizeof(twin))))
        ((twin *)*place)->token = token;
    if (place && !*place)
        vz_fail_memory(err);
    return place ? *place : NULL;
}

bool vz_twin_dataset_renew(uint64_t token, hid_t space, vz_error *err)
{
    extent e;
    if (!vz_native.gateway)
        return true;
    if (!vz_gateway_ensure(err))
        return false;
    twin *t = read_extent(&e, space, err) ? twin_of(token, err) : NULL;
    if (!t)
        return false;
    const uint64_t hash = vz_hash(&e, sizeof e, 0);
    if (t->dataset && t->extent == hash)
        return true;
    close_twin(t);
    t->extent = hash;
    return create_twin(t, space, &e, err);
}

void vz_twin_datasets_forget(void)
{
    size_t cursor = 0;
    void *each;
    while (vz_nummap_next(&twins, &cursor, &each)) {
        if (each)
            close_twin(each);
        free(each);
    }
    vz_nummap_clear(&twins);
}
