/* pending_object.c - objects of remote stores that an event set opens, uses and closes: HDF5 has
 * them before they are open. Their documents are fetched together, meanwhile. */
#include "hdf5/async/async.h"
#include "hdf5/handles/file.h"
#include "hdf5/native/native.h"
#include "hdf5/object/object_internal.h"
#include <stdlib.h>

bool vz_obj_is_pending(const vz_object *object)
{
    return object->ops == vz_obj_pending_ops() && !((const vz_obj_pending *)object)->failed;
}

/* ---- what may wait ---- */

/* Only where nothing but this store can be meant. */
static bool may_wait(const vz_handle *from)
{
    return (from->object.ops == &vz_obj_zarr_ops || vz_obj_is_pending(&from->object)) && !vz_driver_is_in_use() &&
           !vz_hierarchy_inherited(from->file->hierarchy) && vz_mount_count_open(from->file).files <= 1;
}

/* Where it costs a round trip. */
static bool want(vz_tree_wanted *wanted, const vz_handle *from, const char *path, vz_tree_kind kind)
{
    if (vz_obj_is_pending(&from->object) && *path != '/') {
        const vz_obj_opening *above = ((const vz_obj_pending *)from)->opening;
        return above->ahead.wanted.count > 0 && from->object.type == H5I_GROUP &&
               vz_tree_want_below(wanted, &above->ahead.wanted, path, kind);
    }
    const vz_tree_name at = vz_tree_name_of(*path == '/' ? from->file->start : from->node, path);
    return at.group && vz_tree_name_is_far(&at) && vz_tree_want(wanted, &at, kind);
}

bool vz_obj_may_wait(vz_object *from, const char *path, vz_tree_kind kind, vz_tree_wanted *wanted)
{
    vz_handle *handle = vz_handle_of(from);
    if (!may_wait(handle) || (path ? !want(wanted, handle, path, kind) : !vz_obj_is_pending(from)) ||
        vz_obj_is_covered(handle)) {
        vz_tree_wanted_clear(wanted);
        return false;
    }
    return true;
}

/* ---- opening ---- */

enum { OPENINGS_MAX = 256 };
static size_t opening_count;

static void free_opening(vz_obj_opening *o)
{
    opening_count--;
    vz_obj_ahead_end(&o->ahead);
    free(o->path);
    free(o->attribute);
    free(o);
}

static vz_object *open_attribute(const vz_obj_opening *o, vz_error *err)
{
    vz_loc loc = {.obj_type = o->from->type, .type = o->path ? H5VL_OBJECT_BY_NAME : H5VL_OBJECT_BY_SELF};
    if (o->path) {
        loc.loc_data.loc_by_name.name = o->path;
        loc.loc_data.loc_by_name.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    }
    return o->from->ops->attr_open(o->from, &loc, o->attribute, H5P_ATTRIBUTE_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT,
                                   err);
}

static vz_object *open_it(const vz_obj_opening *o, vz_error *err)
{
    const vz_ops *ops = o->from->ops;
    switch (o->object->handle.object.type) {
    case H5I_ATTR:
        return open_attribute(o, err);
    case H5I_GROUP:
        return ops->group_open(o->from, NULL, o->path, H5P_GROUP_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, err);
    default:
        return ops->dataset_open(o->from, NULL, o->path, H5P_DEFAULT, H5P_DEFAULT, err);
    }
}

static herr_t close_any(vz_object *object, vz_error *err)
{
    const vz_ops *ops = object->ops;
    switch (object->type) {
    case H5I_ATTR:
        return ops->attr_close(object, H5P_DEFAULT, err);
    case H5I_GROUP:
        return ops->group_close(object, H5P_DEFAULT, err);
    default:
        return ops->dataset_close(object, H5P_DEFAULT, err);
    }
}

/* True: HDF5's object is the one that was made. */
static bool take_made(vz_obj_opening *o, vz_object *made, vz_error *err)
{
    vz_obj_pending *object = o->object;
    if (made && made->ops == &vz_obj_zarr_ops && made->type == object->handle.object.type) {
        vz_handle_take_place(&object->handle, vz_handle_of(made));
        return true;
    }
    if (made) {
        close_any(made, NULL);
        vz_fail(err, VZ_UNSUPPORTED, "a link that leads out of the store, followed by an event set");
    }
    vz_error_where(err, object->handle.file->name, o->path);
    object->failed = true;
    object->error = *err;
    return false;
}

static bool open_now(void *context, vz_async_request *request, vz_error *err)
{
    vz_obj_opening *o = context;
    (void)request;
    const bool opened = take_made(o, open_it(o, err), err);
    o->object->opening = NULL;
    free_opening(o);
    return opened;
}

static char *copy(const char *text, bool *ok)
{
    char *own = text ? strdup(text) : NULL;
    *ok = *ok && (own || !text);
    return own;
}

/* Takes what is wanted. */
static vz_obj_opening *new_opening(const vz_obj_later_open *what, vz_tree_wanted *wanted)
{
    bool ok = true;
    vz_obj_opening *o = calloc(1, sizeof *o);
    vz_obj_pending *object = calloc(1, sizeof *object);
    char *path = copy(what->path, &ok), *attribute = copy(what->attribute, &ok);
    if (!o || !object || !ok) {
        free(o);
        free(object);
        free(path);
        free(attribute);
        vz_tree_wanted_clear(wanted);
        return NULL;
    }
    object->handle = (vz_handle){.object = {vz_obj_pending_ops(), what->type}, .file = vz_handle_of(what->from)->file};
    object->opening = o;
    *o = (vz_obj_opening){
        .ahead.wanted = *wanted, .object = object, .from = what->from, .path = path, .attribute = attribute};
    opening_count++;
    return o;
}

static vz_tree_kind kind_of(const vz_obj_later_open *what)
{
    return what->type == H5I_DATASET ? VZ_TREE_ARRAY : what->type == H5I_GROUP ? VZ_TREE_GROUP : VZ_TREE_ANY;
}

vz_object *vz_obj_open_later(const vz_obj_later_open *what, vz_async_request **request)
{
    vz_tree_wanted wanted = {0};
    if (opening_count >= OPENINGS_MAX)
        vz_async_make_deferred();
    vz_obj_opening *o =
        vz_obj_may_wait(what->from, what->path, kind_of(what), &wanted) ? new_opening(what, &wanted) : NULL;
    if (!o)
        return NULL;
    vz_obj_pending *object = o->object;
    *request = vz_async_defer(&(vz_async_call){open_now, o});
    if (*request) {
        vz_obj_ahead_begin(&o->ahead, *request);
        return &object->handle.object;
    }
    free_opening(o);
    free(object);
    return NULL;
}

/* ---- closing ---- */

static bool close_now(void *context, vz_async_request *request, vz_error *err)
{
    vz_object *object = context;
    (void)request;
    if (object->ops != vz_obj_pending_ops() && !vz_obj_is_beside_requests(object, true))
        vz_async_finish();
    return close_any(object, err) >= 0;
}

void vz_obj_close_later(vz_object *object, vz_async_request **request)
{
    *request = vz_async_defer(&(vz_async_call){close_now, object});
}
