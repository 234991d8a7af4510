/* pending_query.c - questions of an event set about objects that are not open: each would be a
 * round trip. The answer goes where the program wants it when somebody waits. */
#include "hdf5/async/async.h"
#include "hdf5/object/object_internal.h"
#include <stdlib.h>

typedef struct query {
    vz_obj_ahead ahead;
    vz_object *from;
    vz_loc loc;
    char *path, *attribute; /* NULL: of the object itself, no attribute */
    vz_obj_later_query what;
} query;

static void free_query(query *q)
{
    vz_obj_ahead_end(&q->ahead);
    free(q->path);
    free(q->attribute);
    free(q);
}

static herr_t ask(const query *q, vz_error *err)
{
    const vz_ops *ops = q->from->ops;
    H5VL_attr_specific_args_t attribute = {.op_type = H5VL_ATTR_EXISTS};
    H5VL_link_specific_args_t link = {.op_type = H5VL_LINK_EXISTS};
    H5VL_object_get_args_t object = {.op_type = H5VL_OBJECT_GET_INFO};
    switch (q->what.op) {
    case VZ_OBJ_ATTRIBUTE_EXISTS:
        attribute.args.exists.name = q->attribute;
        attribute.args.exists.exists = q->what.exists;
        return ops->attr_specific(q->from, &q->loc, &attribute, H5P_DATASET_XFER_DEFAULT, err);
    case VZ_OBJ_LINK_EXISTS:
        link.args.exists.exists = q->what.exists;
        return ops->link_specific(q->from, &q->loc, &link, H5P_DATASET_XFER_DEFAULT, err);
    default:
        object.args.get_info.oinfo = q->what.info;
        object.args.get_info.fields = q->what.fields;
        return ops->object_get(q->from, &q->loc, &object, H5P_DATASET_XFER_DEFAULT, err);
    }
}

static bool ask_now(void *context, vz_async_request *request, vz_error *err)
{
    query *q = context;
    (void)request;
    const bool ok = ask(q, err) >= 0;
    if (!ok)
        vz_error_where(err, vz_handle_of(q->from)->file->name, q->path);
    free_query(q);
    return ok;
}

static const char *path_of(const vz_loc *loc)
{
    return loc->type == H5VL_OBJECT_BY_NAME ? loc->loc_data.loc_by_name.name : NULL;
}

static bool is_usual(const vz_loc *loc)
{
    const hid_t lapl = loc->loc_data.loc_by_name.lapl_id;
    return loc->type == H5VL_OBJECT_BY_SELF ||
           (loc->type == H5VL_OBJECT_BY_NAME && (lapl == H5P_DEFAULT || lapl == H5P_LINK_ACCESS_DEFAULT));
}

static query *new_query(vz_object *from, const vz_loc *loc, const vz_obj_later_query *what)
{
    query *q = calloc(1, sizeof *q);
    const char *path = path_of(loc);
    if (!q)
        return NULL;
    *q = (query){.from = from,
                 .loc = *loc,
                 .path = path ? strdup(path) : NULL,
                 .attribute = what->attribute ? strdup(what->attribute) : NULL,
                 .what = *what};
    if (path)
        q->loc.loc_data.loc_by_name.name = q->path;
    if ((q->path || !path) && (q->attribute || !what->attribute) &&
        vz_obj_may_wait(from, path, VZ_TREE_ANY, &q->ahead.wanted))
        return q;
    free_query(q);
    return NULL;
}

void vz_obj_ask_later(vz_object *from, const vz_loc *loc, const vz_obj_later_query *what, vz_async_request **request)
{
    query *q = is_usual(loc) ? new_query(from, loc, what) : NULL;
    if (!q)
        return;
    *request = vz_async_defer(&(vz_async_call){ask_now, q});
    if (*request)
        vz_obj_ahead_begin(&q->ahead, *request);
    else
        free_query(q);
}
