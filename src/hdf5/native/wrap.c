/* wrap.c - the wrapper itself and its wrap context. */
#include "hdf5/native/wrap_internal.h"
#include <stdlib.h>

typedef struct native_object {
    vz_object object;
    void *under;
} native_object;

vz_object *vz_native_wrap(const vz_ops *ops, void *native, H5I_type_t type, vz_error *err)
{
    if (!native) {
        vz_native_result(-1, err);
        return NULL;
    }
    native_object *wrapper = malloc(sizeof *wrapper);
    if (!wrapper) {
        vz_fail_memory(err);
        return NULL;
    }
    *wrapper = (native_object){.object = {.ops = ops, .type = type}, .under = native};
    return &wrapper->object;
}

void *vz_native_under(const vz_object *object)
{
    return object ? ((const native_object *)object)->under : NULL;
}

void *vz_native_unwrap(vz_object *object)
{
    void *under = vz_native_under(object);
    free(object);
    return under;
}

herr_t vz_native_closed(herr_t status, vz_object *object, vz_error *err)
{
    if (status >= 0)
        free(object);
    return vz_native_result(status, err);
}

void *vz_wrapped_get_object(const vz_object *object)
{
    return vz_native_under(object);
}

const H5VL_class_t *vz_wrapped_terminal_class(vz_object *object)
{
    vz_native_learn_class(vz_native_under(object));
    return vz_native_class();
}

herr_t vz_wrapped_opt_query(vz_object *object, H5VL_subclass_t subclass, int op, uint64_t *flags, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLintrospect_opt_query(vz_native_under(object), vz_native_connector(), subclass, op, flags)),
        err);
}

/* Native objects need nothing of the one they were reached from but its table, which is the same
 * for all, so one context serves all. */
static struct {
    vz_wrap_context context; /* first: HDF5's pointer is a vz_wrap_context */
    const vz_ops *ops;
} wrap_context;

static void *wrap_native(vz_wrap_context *context, void *native, H5I_type_t type)
{
    (void)context;
    return vz_native_wrap(wrap_context.ops, native, type, NULL);
}

static void free_nothing(vz_wrap_context *context)
{
    (void)context;
}

vz_wrap_context *vz_wrapped_wrap_context(const vz_object *object)
{
    wrap_context.context = (vz_wrap_context){.wrap = wrap_native, .free = free_nothing};
    wrap_context.ops = object->ops;
    return &wrap_context.context;
}
