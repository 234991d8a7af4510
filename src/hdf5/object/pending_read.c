/* pending_read.c - reads of datasets and attributes that are not open yet. */
#include "hdf5/async/async.h"
#include "hdf5/h5/h5.h"
#include "hdf5/object/object_internal.h"
#include <stdlib.h>

/* ---- datasets ---- */

/* The arguments of a call, whose ids and lists are the program's: they are copied. */
typedef struct reading {
    vz_h5_datasets_call call;
    vz_obj_ahead ahead; /* of a call with one dataset */
    hid_t ids[];        /* types, spaces of memory, spaces of the file */
} reading;

static void free_reading(reading *r)
{
    for (size_t i = 0; i < 3 * r->call.count; i++)
        if (H5Iget_type(r->ids[i]) > 0)
            vz_h5_close_quietly(r->ids[i]);
    if (r->call.dxpl != H5P_DATASET_XFER_DEFAULT && r->call.dxpl >= 0)
        vz_h5_close_quietly(r->call.dxpl);
    vz_obj_ahead_end(&r->ahead);
    free(r->call.dset);
    free(r->call.buf);
    free(r);
}

/* Others than dataspaces are words, as H5S_ALL. */
static hid_t copy_space(hid_t space)
{
    return H5Iget_type(space) == H5I_DATASPACE ? H5Scopy(space) : space;
}

static bool copy_ids(reading *r, const vz_h5_datasets_call *c)
{
    bool ok = true;
    for (size_t i = 0; i < c->count; i++) {
        r->call.mem_type[i] = H5Tcopy(c->mem_type[i]);
        r->call.mem_space[i] = copy_space(c->mem_space[i]);
        r->call.file_space[i] = copy_space(c->file_space[i]);
        ok = ok && r->call.mem_type[i] >= 0 && r->call.mem_space[i] >= 0 && r->call.file_space[i] >= 0;
    }
    r->call.dxpl = c->dxpl == H5P_DATASET_XFER_DEFAULT ? c->dxpl : H5Pcopy(c->dxpl);
    return ok && r->call.dxpl >= 0;
}

static reading *new_reading(const vz_h5_datasets_call *c)
{
    reading *r = calloc(1, sizeof *r + 3 * c->count * sizeof *r->ids);
    if (!r)
        return NULL;
    r->call = *c;
    r->call.mem_type = r->ids;
    r->call.mem_space = r->ids + c->count;
    r->call.file_space = r->ids + 2 * c->count;
    r->call.dset = malloc(c->count * sizeof(vz_object *));
    r->call.buf = malloc(c->count * sizeof(void *));
    const bool copied = copy_ids(r, c);
    if (!copied || !r->call.dset || !r->call.buf) {
        free_reading(r);
        return NULL;
    }
    memcpy(r->call.dset, c->dset, c->count * sizeof(vz_object *));
    memcpy(r->call.buf, c->buf, c->count * sizeof(void *));
    return r;
}

static bool are_open(const vz_h5_datasets_call *c, vz_error *err)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->dset[i]->ops == vz_obj_pending_ops()) {
            *err = ((const vz_obj_pending *)c->dset[i])->error;
            return false;
        }
    return true;
}

/* It goes on, as other reads do, or is made here. */
static bool read_now(void *context, vz_async_request *request, vz_error *err)
{
    reading *r = context;
    bool ok = are_open(&r->call, err) && vz_obj_datasets_start_fetched(&r->call, &r->ahead, &request, err) >= 0;
    if (ok && !vz_async_goes_on(request)) {
        vz_async_finish();
        ok = vz_obj_datasets_move(&r->call, err) >= 0;
    }
    free_reading(r);
    return ok;
}

/* The least box that has all of the selection. False: there is none. */
static bool box_of(hid_t space, vz_tree_box *box)
{
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    if (H5Iget_type(space) != H5I_DATASPACE)
        return box->is_whole = space == H5S_ALL;
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > VZ_MAX_RANK || H5Sget_select_npoints(space) <= 0 ||
        H5Sget_select_bounds(space, first, last) < 0)
        return false;
    box->rank = (unsigned)rank;
    for (int i = 0; i < rank; i++) {
        box->first[i] = first[i];
        box->last[i] = last[i];
    }
    return true;
}

/* The chunks that it will read. */
static void want_chunks(reading *r)
{
    const vz_obj_opening *opening = ((const vz_obj_pending *)r->call.dset[0])->opening;
    r->ahead.reads = r->call.count == 1 && opening->ahead.wanted.count > 0 &&
                     box_of(r->call.file_space[0], &r->ahead.box) &&
                     vz_tree_want_same(&r->ahead.wanted, &opening->ahead.wanted);
}

void vz_obj_datasets_read_later(const vz_h5_datasets_call *c, vz_async_request **request)
{
    for (size_t i = 0; i < c->count; i++)
        if (!vz_obj_is_pending(c->dset[i])) /* it may be closed before */
            return;
    reading *r = new_reading(c);
    if (!r)
        return;
    want_chunks(r);
    *request = vz_async_defer(&(vz_async_call){read_now, r});
    if (*request && r->ahead.reads)
        vz_obj_ahead_begin(&r->ahead, *request);
    if (!*request)
        free_reading(r);
}

/* ---- attributes ---- */

typedef struct attribute_reading {
    vz_object *attribute;
    hid_t type;
    void *memory;
} attribute_reading;

static bool read_attribute_now(void *context, vz_async_request *request, vz_error *err)
{
    attribute_reading *r = context;
    (void)request;
    const bool ok = r->attribute->ops->attr_read(r->attribute, r->type, r->memory, H5P_DATASET_XFER_DEFAULT, err) >= 0;
    const hid_t kept = ok ? H5I_INVALID_HID : vz_h5_errors_keep(err);
    vz_h5_close_quietly(r->type);
    if (!ok)
        vz_h5_errors_restore(kept);
    free(r);
    return ok;
}

void vz_obj_attribute_read_later(vz_object *attribute, hid_t type, void *memory, vz_async_request **request)
{
    attribute_reading *r = malloc(sizeof *r);
    if (!r)
        return;
    *r = (attribute_reading){attribute, H5Tcopy(type), memory};
    if (r->type >= 0)
        *request = vz_async_defer(&(vz_async_call){read_attribute_now, r});
    if (*request)
        return;
    if (r->type >= 0)
        vz_h5_close_quietly(r->type);
    free(r);
}
