/* pending_dataset.c - datasets of remote stores that are opened, read and closed by an event set.
 * Their documents are asked for when somebody waits, all together. */
#include "hdf5/async/async.h"
#include "hdf5/handles/file.h"
#include "hdf5/h5/h5.h"
#include "hdf5/native/native.h"
#include "hdf5/object/object.h"
#include "hdf5/object/object_internal.h"
#include "hierarchy/consolidated/array_prefetch.h"
#include <stdlib.h>

bool vz_obj_is_pending(const vz_object *object)
{
    return object->ops == vz_obj_pending_ops() && !((const vz_obj_pending *)object)->failed;
}

/* ---- opening ---- */

typedef struct opening {
    vz_obj_pending *dataset;
    vz_object *from; /* whose closing finishes all requests */
    char *path;
    vz_tree_name at; /* a reference to the group; the name is in `path` */
    bool is_asked;
    struct opening *next;
} opening;

enum { OPENINGS_MAX = 256 };

static opening *openings; /* in their order */
static size_t opening_count;

/* The documents of all that wait for that store, in one batch. Opening tells what
 * cannot be read. */
static void prefetch(const vz_hierarchy *hierarchy)
{
    vz_tree_name names[OPENINGS_MAX];
    size_t count = 0;
    for (opening *o = openings; o; o = o->next)
        if (!o->is_asked && o->at.group->hierarchy == hierarchy) {
            names[count++] = o->at;
            o->is_asked = true;
        }
    if (count > 0)
        vz_tree_prefetch_arrays(names, count, NULL);
}

static void free_opening(opening *o)
{
    opening_count--;
    for (opening **at = &openings; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    vz_node_unref(o->at.group);
    free(o->path);
    free(o);
}

static bool open_now(void *context, vz_async_request *request, vz_error *err)
{
    opening *o = context;
    vz_obj_pending *dataset = o->dataset;
    (void)request;
    if (!o->is_asked)
        prefetch(o->at.group->hierarchy);
    vz_object *made = vz_obj_dataset_open(o->from, NULL, o->path, H5P_DEFAULT, H5P_DEFAULT, err);
    if (made && made->ops == o->from->ops && made->type == H5I_DATASET) {
        vz_handle_take_place(&dataset->handle, vz_handle_of(made));
        free_opening(o);
        return true;
    }
    if (made) {
        made->ops->dataset_close(made, H5P_DEFAULT, NULL);
        vz_fail(err, VZ_UNSUPPORTED, "a link that leads out of the store, followed by an event set");
    }
    vz_error_where(err, dataset->handle.file->name, o->path);
    dataset->failed = true;
    dataset->error = *err;
    free_opening(o);
    return false;
}

/* Only where it costs a round trip, and where nothing but this store can be meant. */
static bool may_wait(vz_handle *from, const char *name, vz_tree_name *at)
{
    vz_hierarchy *hierarchy = from->file->hierarchy;
    if (from->object.ops != &vz_obj_zarr_ops || vz_driver_is_in_use() || vz_hierarchy_inherited(hierarchy) ||
        vz_mount_count_open(from->file).files > 1)
        return false;
    *at = vz_tree_name_of(*name == '/' ? from->file->start : from->node, name);
    return at->group && vz_tree_name_is_far(at) && !vz_obj_is_covered(from);
}

static opening *new_opening(vz_handle *from, const char *name)
{
    vz_tree_name at;
    if (!may_wait(from, name, &at))
        return NULL;
    opening *o = calloc(1, sizeof *o);
    vz_obj_pending *dataset = calloc(1, sizeof *dataset);
    char *path = strdup(name);
    if (!o || !dataset || !path) {
        free(o);
        free(dataset);
        free(path);
        return NULL;
    }
    dataset->handle = (vz_handle){.object = {vz_obj_pending_ops(), H5I_DATASET}, .file = from->file};
    *o = (opening){.dataset = dataset, .from = &from->object, .path = path, .at = {at.group, path + (at.name - name)}};
    vz_node_ref(at.group);
    opening_count++;
    opening **last = &openings;
    while (*last)
        last = &(*last)->next;
    return *last = o;
}

vz_object *vz_obj_dataset_open_later(vz_object *obj, const char *name, vz_async_request **request)
{
    if (opening_count == OPENINGS_MAX)
        vz_async_make_deferred();
    opening *o = new_opening(vz_handle_of(obj), name);
    if (!o)
        return NULL;
    vz_obj_pending *dataset = o->dataset;
    *request = vz_async_defer(&(vz_async_call){open_now, o});
    if (*request)
        return &dataset->handle.object;
    free_opening(o);
    free(dataset);
    return NULL;
}

/* ---- closing ---- */

static bool close_now(void *context, vz_async_request *request, vz_error *err)
{
    vz_object *dataset = context;
    (void)request;
    if (dataset->ops != vz_obj_pending_ops() && !vz_obj_is_beside_requests(dataset, true))
        vz_async_finish();
    return dataset->ops->dataset_close(dataset, H5P_DEFAULT, err) >= 0;
}

void vz_obj_dataset_close_later(vz_object *dset, vz_async_request **request)
{
    *request = vz_async_defer(&(vz_async_call){close_now, dset});
}

/* ---- reading ---- */

/* The arguments of a call, whose ids and lists are the program's: they are copied. */
typedef struct reading {
    vz_h5_datasets_call call;
    hid_t ids[]; /* types, spaces of memory, spaces of the file */
} reading;

static void free_reading(reading *r)
{
    for (size_t i = 0; i < 3 * r->call.count; i++)
        if (H5Iget_type(r->ids[i]) > 0)
            vz_h5_close_quietly(r->ids[i]);
    if (r->call.dxpl != H5P_DATASET_XFER_DEFAULT && r->call.dxpl >= 0)
        vz_h5_close_quietly(r->call.dxpl);
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
    bool ok = are_open(&r->call, err) && vz_obj_datasets_start(&r->call, &request, err) >= 0;
    if (ok && !vz_async_goes_on(request)) {
        vz_async_finish();
        ok = vz_obj_datasets_move(&r->call, err) >= 0;
    }
    free_reading(r);
    return ok;
}

void vz_obj_datasets_read_later(const vz_h5_datasets_call *c, vz_async_request **request)
{
    for (size_t i = 0; i < c->count; i++)
        if (!vz_obj_is_pending(c->dset[i])) /* it may be closed before */
            return;
    reading *r = new_reading(c);
    if (r && !(*request = vz_async_defer(&(vz_async_call){read_now, r})))
        free_reading(r);
}
