/* dataset_requests.c - reads and writes that go on after their call: resolved here, done by
 * hdf5/async, and settled here. */
#include "hdf5/async/async.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/handle.h"
#include "hdf5/native/native.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/virtual/virtual.h"
#include "hierarchy/resolve/path.h"
#include "H5VLzarr.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

/* One dataset of a request. */
typedef struct part {
    vz_node *node; /* one reference */
    char *file;    /* name, for an error */
    vz_dataset_later *later;
} part;

typedef struct parts {
    bool reading;
    const vz_options *options; /* of the store */
    size_t count;
    vz_array_transfer *transfers;
    const uint8_t *low, *high; /* memory of a read */
    vz_obj_ahead ahead;        /* fetched for it */
    part list[];
} parts;

static void free_parts(parts *p, bool done)
{
    for (size_t i = 0; i < p->count; i++) {
        vz_dataset_later_free(p->list[i].later, done);
        vz_node_unref(p->list[i].node);
        free(p->list[i].file);
    }
    vz_obj_ahead_end(&p->ahead);
    free(p->transfers);
    free(p);
}

/* Names in a store may lead to others, as the options of the file allow. */
static void rewind_parts(void *context)
{
    const parts *p = context;
    vz_path_allow(p->options);
    for (size_t i = 0; i < p->count; i++)
        vz_dataset_later_rewind(p->list[i].later);
}

static void name_part(const part *one, vz_error *err)
{
    char *path = vz_node_path(one->node, NULL);
    vz_error_where(err, one->file, path);
    free(path);
}

/* Chunks in memory are noted, also of datasets that were written before another one failed. */
static bool note_written(const parts *p, vz_error *err)
{
    for (size_t i = 0; i < p->count; i++)
        if (!vz_flush_note_written(p->list[i].node, err)) {
            name_part(&p->list[i], err);
            return false;
        }
    return true;
}

static bool settle_parts(void *context, vz_async_status status, size_t failed, vz_error *err)
{
    parts *p = context;
    const bool done = status == VZ_ASYNC_SUCCEEDED;
    if (status == VZ_ASYNC_FAILED)
        name_part(&p->list[failed], err);
    const bool noted = p->reading || note_written(p, err);
    free_parts(p, done);
    return done && noted;
}

/* ---- starting ---- */

typedef struct search {
    const vz_object *object;
    hid_t id;
} search;

static bool is_it(void *context, hid_t id, vz_object *object)
{
    search *s = context;
    if (object == s->object)
        s->id = id;
    return object != s->object;
}

/* A connector above this one would have to hand requests on. HDF5's pass_through frees them twice
 * (docs/upstream.md), and others have its code. */
bool vz_obj_is_covered(const vz_handle *handle)
{
    vz_file *file = handle->file;
    char name[sizeof H5VL_ZARR_NAME + 1] = "";
    search s = {&handle->object, H5I_INVALID_HID};
    if (file->is_seen)
        return file->is_covered;
    vz_object_each_id(handle->object.type, is_it, &s);
    file->is_covered =
        s.id < 0 || H5VLget_connector_name(s.id, name, sizeof name) < 0 || strcmp(name, H5VL_ZARR_NAME) != 0;
    file->is_seen = true;
    return file->is_covered;
}

/* Elements of other files are read by calls of HDF5. So are those of a store behind a driver. A
 * child of a fork, and stores where each write is flushed, go the usual way. */
static bool may_start(const vz_handle *handle, bool reading)
{
    vz_hierarchy *hierarchy = handle->node->hierarchy;
    if (vz_sources_kind_of(handle->node) != VZ_SOURCES_NONE || (reading && vz_virtual_is_linked(handle)) ||
        vz_driver_is_in_use() || vz_hierarchy_inherited(hierarchy) || vz_obj_is_covered(handle))
        return false;
    return reading || !(vz_hierarchy_options(hierarchy)->write_through || vz_flush_is_due(hierarchy));
}

/* A dataset that is given twice, or memory that is read into twice, keeps the order of the call. */
static bool joins(const parts *p)
{
    const part *last = &p->list[p->count - 1];
    for (size_t i = 0; i + 1 < p->count; i++)
        if (p->list[i].node == last->node || (p->reading && vz_dataset_later_overlaps(p->list[i].later, last->later)))
            return false;
    return true;
}

static vz_dataset_later *resolve_one(const vz_h5_datasets_call *c, size_t i, vz_error *err)
{
    vz_handle *handle = vz_handle_of(c->dset[i]);
    const vz_dataset_transfer what = {handle->node, c->mem_type[i], c->mem_space[i], c->file_space[i], NULL, c->buf[i]};
    if (!c->reading && (!vz_handle_check_write(handle, err) || !vz_dataset_begin_write(handle->node, err)))
        return NULL;
    return vz_dataset_later_new(&what, c->dxpl, c->reading, err);
}

static void extend_memory(parts *p, const vz_dataset_later *later)
{
    const uint8_t *low, *high;
    vz_dataset_later_memory(later, &low, &high);
    p->low = p->count == 1 || low < p->low ? low : p->low;
    p->high = high > p->high ? high : p->high;
}

static bool add_part(parts *p, const vz_h5_datasets_call *c, vz_error *err)
{
    const vz_handle *handle = vz_handle_of(c->dset[p->count]);
    part *one = &p->list[p->count];
    *one = (part){.node = handle->node, .later = resolve_one(c, p->count, err)};
    if (!one->later) {
        one->file = handle->file->name;
        if (err->class != VZ_OK)
            name_part(one, err);
        return false;
    }
    vz_node_ref(one->node);
    one->file = strdup(handle->file->name);
    p->transfers[p->count++] = vz_dataset_later_ask(one->later);
    if (p->reading)
        extend_memory(p, one->later);
    return one->file || vz_fail_memory(err);
}

/* All of them; NULL without an error: not all can go on. */
static parts *resolve(const vz_h5_datasets_call *c, vz_error *err)
{
    parts *p = calloc(1, sizeof *p + c->count * sizeof *p->list);
    if (p)
        p->transfers = malloc(c->count * sizeof *p->transfers);
    if (!p || !p->transfers) {
        free(p);
        vz_fail_memory(err);
        return NULL;
    }
    p->reading = c->reading;
    p->options = vz_hierarchy_options(vz_handle_of(c->dset[0])->node->hierarchy);
    bool ok = true;
    while (ok && p->count < c->count)
        ok = add_part(p, c, err) && joins(p);
    if (ok)
        return p;
    free_parts(p, false);
    return NULL;
}

static bool is_far(const vz_h5_datasets_call *c)
{
    vz_hierarchy *hierarchy = vz_handle_of(c->dset[0])->node->hierarchy;
    return !(vz_hierarchy_store(hierarchy)->capabilities & VZ_STORE_CHEAP);
}

herr_t vz_obj_datasets_start(const vz_h5_datasets_call *c, vz_async_request **request, vz_error *err)
{
    vz_obj_ahead nothing = {0};
    return vz_obj_datasets_start_fetched(c, &nothing, request, err);
}

herr_t vz_obj_datasets_start_fetched(const vz_h5_datasets_call *c, vz_obj_ahead *ahead, vz_async_request **request,
                                     vz_error *err)
{
    for (size_t i = 0; i < c->count; i++)
        if (!may_start(vz_handle_of(c->dset[i]), c->reading) ||
            vz_handle_of(c->dset[i])->node->hierarchy != vz_handle_of(c->dset[0])->node->hierarchy)
            return 0;
    parts *p = c->count > 0 ? resolve(c, err) : NULL;
    if (!p)
        return vz_handle_status(err->class == VZ_OK);
    const vz_async_work work = {.transfers = p->transfers,
                                .count = p->count,
                                .reading = c->reading,
                                .is_far = is_far(c),
                                .file = vz_handle_of(c->dset[0])->node->hierarchy,
                                .low = p->low,
                                .high = p->high,
                                .rewind = rewind_parts,
                                .settle = settle_parts,
                                .context = p};
    vz_obj_ahead_move(&p->ahead, ahead);
    if (*request ? !vz_async_go_on(*request, &work) : !(*request = vz_async_start(&work)))
        free_parts(p, false);
    return 0;
}

/* ---- what goes on beside requests ---- */

/* Closing the last object of a file, or of a tree of mounted files, writes what they hold. */
static bool is_last(const vz_handle *handle)
{
    const vz_mount_count open = vz_mount_count_open(handle->file);
    return handle->file->refs == 1 || open.files + open.objects <= 1;
}

bool vz_obj_is_beside_requests(const vz_object *object, bool closes)
{
    const vz_handle *handle = (const vz_handle *)object;
    return object->ops->datasets_start && !handle->node->partial &&
           (object->type != H5I_DATASET || vz_sources_kind_of(handle->node) == VZ_SOURCES_NONE) &&
           !(closes && is_last(handle));
}
