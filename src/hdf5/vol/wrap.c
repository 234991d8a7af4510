/* wrap.c - how the library looks at our objects from the native side. HDF5 calls get_object for
 * every open id at any moment, also inside a close callback. It reads a pointer, and the first
 * time makes what that leads to. None of these callbacks says why it failed, and so what they
 * make leaves errno as it was. */
#include "hdf5/native/native.h"
#include "hdf5/vol/vol_internal.h"

static void *get_object(const void *obj)
{
    vz_object_seen(obj);
    if (vz_object_is_looked_for())
        return (void *)obj;
    void *native = vz_vol_ops(obj)->get_object(obj);
    return native ? native : (void *)obj; /* without gateway: as a connector that wraps nothing */
}

static herr_t get_wrap_ctx(const void *obj, void **context)
{
    *context = vz_vol_ops(obj)->wrap_context(obj);
    return *context ? 0 : -1;
}

/* Objects that we register ourselves are ours already. */
static void *wrap_object(void *object, H5I_type_t type, void *context)
{
    vz_wrap_context *kind = context;
    if (vz_object_registering())
        return object;
    const int errno_before = errno;
    void *wrapped = kind->wrap(kind, object, type);
    errno = errno_before;
    return wrapped;
}

/* Only files that the library knows through our wrapper of a native one come here. */
static void *unwrap_object(void *object)
{
    return vz_native_is_object(object) ? vz_native_unwrap(object) : object;
}

static herr_t free_wrap_ctx(void *context)
{
    vz_wrap_context *kind = context;
    kind->free(kind);
    return 0;
}

const H5VL_wrap_class_t vz_vol_wrap_class = {
    .get_object = get_object,
    .get_wrap_ctx = get_wrap_ctx,
    .wrap_object = wrap_object,
    .unwrap_object = unwrap_object,
    .free_wrap_ctx = free_wrap_ctx,
};
