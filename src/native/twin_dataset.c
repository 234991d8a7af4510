/* twin_dataset.c - native datasets whose addresses are tokens (rule 5): H5Rget_region reads the extent there. Only
 * extents matter, nothing is ever stored in them. They live as long as the gateway, as region references do. */
#include "h5/errors.h"
#include "native/memory_driver.h"
#include "native/state.h"
#include "util/bytes.h"
#include <stdlib.h>

#define FIRST_CAPACITY 64

typedef struct row {
    uint64_t token; /* 0: free */
    uint64_t extent;
    void *dataset;
} row;

static struct {
    row *rows; /* by hash of the token */
    size_t capacity, count;
} twins;

/* ---- the table ---- */

static row *row_of(row *rows, size_t capacity, uint64_t token)
{
    size_t i = vz_hash(&token, sizeof token, 0) & (capacity - 1);
    while (rows[i].token && rows[i].token != token)
        i = (i + 1) & (capacity - 1);
    return &rows[i];
}

static bool make_room(vz_error *err)
{
    if (2 * (twins.count + 1) <= twins.capacity)
        return true;
    const size_t capacity = twins.capacity ? 2 * twins.capacity : FIRST_CAPACITY;
    row *rows = calloc(capacity, sizeof *rows);
    if (!rows)
        return vz_fail_memory(err);
    for (size_t i = 0; i < twins.capacity; i++)
        if (twins.rows[i].token)
            *row_of(rows, capacity, twins.rows[i].token) = twins.rows[i];
    free(twins.rows);
    twins.rows = rows;
    twins.capacity = capacity;
    return true;
}

bool vz_dataset_twin_exists(uint64_t token)
{
    return twins.capacity && row_of(twins.rows, twins.capacity, token)->token;
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

static void close_twin(row *r)
{
    if (r->dataset)
        H5VLdataset_close(r->dataset, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
    r->dataset = NULL;
}

static bool create_twin(row *r, hid_t space, const extent *e, vz_error *err)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_GROUP};
    const hid_t dcpl = creation_list(e);
    if (dcpl < 0)
        return vz_fail(err, VZ_HDF5, "gateway: no creation list for the twin of a dataset");
    vz_memory_driver_place(r->token);
    r->dataset =
        H5VLdataset_create(vz_native.group, &self, vz_native.connector, NULL, H5P_LINK_CREATE_DEFAULT, H5T_NATIVE_UCHAR,
                           space, dcpl, H5P_DATASET_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    const bool placed = vz_memory_driver_placed();
    vz_memory_driver_place(0);
    if (r->dataset && !placed)
        close_twin(r);
    vz_h5_close_quietly(dcpl);
    return r->dataset || vz_fail(err, VZ_HDF5, "gateway: no twin of a dataset");
}

bool vz_dataset_twin_renew(uint64_t token, hid_t space, vz_error *err)
{
    extent e;
    if (!vz_native.gateway)
        return true;
    if (!read_extent(&e, space, err) || !make_room(err))
        return false;
    const uint64_t hash = vz_hash(&e, sizeof e, 0);
    row *r = row_of(twins.rows, twins.capacity, token);
    if (r->dataset && r->extent == hash)
        return true;
    close_twin(r);
    twins.count += r->token == 0;
    *r = (row){.token = token, .extent = hash};
    return create_twin(r, space, &e, err);
}

void vz_dataset_twins_forget(void)
{
    for (size_t i = 0; i < twins.capacity; i++)
        close_twin(&twins.rows[i]);
    free(twins.rows);
    twins.rows = NULL;
    twins.capacity = twins.count = 0;
}
