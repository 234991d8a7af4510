/* later.c - calls of event sets that wait for what they need of a server (hdf5/object). */
#include "hdf5/object/object.h"
#include "hdf5/vol/vol_internal.h"

bool vz_vol_may_go_on(void)
{
    return vz_vol_request_may_be_new() && !vz_vol_is_inside();
}

/* Documents are read beside elements, but where elements are written nobody else is at work. */
bool vz_vol_may_ask(void **req)
{
    return req && (!vz_async_unsettled || vz_async_only_reads());
}

bool vz_vol_later_begin(vz_vol_later *l)
{
    *l = (vz_vol_later){.request = vz_vol_may_go_on() ? vz_vol_request_new() : NULL};
    if (l->request)
        l->call = vz_vol_begin_beside(true);
    return l->request != NULL;
}

bool vz_vol_later_end(vz_vol_later *l, void **req, const char *caller)
{
    *req = vz_vol_request_of(l->request, l->work);
    vz_vol_status(0, &l->call, caller);
    return *req != NULL;
}

void *vz_vol_open_later(const vz_obj_later_open *what, void **req, const char *caller)
{
    vz_vol_later l;
    if (!vz_vol_may_ask(req) || !vz_vol_later_begin(&l))
        return NULL;
    vz_object *object = vz_obj_open_later(what, &l.work);
    vz_vol_later_end(&l, req, caller);
    return object;
}

bool vz_vol_ask_later(void *obj, const H5VL_loc_params_t *loc, const vz_obj_later_query *what, void **req,
                      const char *caller)
{
    vz_vol_later l;
    if (!vz_vol_may_ask(req) || !vz_vol_later_begin(&l))
        return false;
    vz_obj_ask_later(obj, loc, what, &l.work);
    return vz_vol_later_end(&l, req, caller);
}

/* A call that waits may need the object, also one that is open. */
static bool is_needed(const void *obj)
{
    return vz_obj_is_pending(obj) || (vz_async_has_deferred() && vz_vol_ops(obj)->datasets_start);
}

bool vz_vol_close_later(void *obj, void **req, const char *caller)
{
    vz_vol_later l;
    if (!req || !vz_async_unsettled || !is_needed(obj) || !vz_vol_later_begin(&l))
        return false;
    vz_obj_close_later(obj, &l.work);
    return vz_vol_later_end(&l, req, caller);
}

bool vz_vol_may_be_beside(const void *obj, bool closes)
{
    if (!vz_async_unsettled || vz_obj_is_pending(obj))
        return false;
    vz_async_enter();
    const bool may_be = vz_obj_is_beside_requests(obj, closes);
    vz_async_leave();
    return may_be;
}
