/* wrap.c - the wrapper itself, its wrap context, and how a native call ends. */
#include "hdf5/native/remote_internal.h"
#include <stdlib.h>

typedef struct native_object {
    vz_object object;
    void *under;
    bool is_remote;
    vz_native_elements elements; /* of a remote dataset */
} native_object;

static vz_object *wrap(const vz_ops *ops, bool is_remote, void *native, H5I_type_t type, vz_error *err)
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
    *wrapper = (native_object){.object = {.ops = ops, .type = type}, .under = native, .is_remote = is_remote};
    return &wrapper->object;
}

vz_object *vz_native_wrap(const vz_object *from, void *native, H5I_type_t type, vz_error *err)
{
    return wrap(from->ops, vz_native_is_remote(from), native, type, err);
}

vz_object *vz_native_wrap_file(const vz_ops *ops, void *native, bool is_remote, vz_error *err)
{
    return wrap(ops, is_remote, native, H5I_FILE, err);
}

bool vz_native_is_remote(const vz_object *object)
{
    return object && ((const native_object *)object)->is_remote;
}

vz_native_elements *vz_native_elements_of(vz_object *object)
{
    return &((native_object *)object)->elements;
}

/* ---- how a native call ends ---- */

static vz_error noted;
bool vz_native_is_noted;

/* The first reason counts. */
void vz_native_note(const vz_error *why)
{
    if (vz_native_is_noted || why->class == VZ_OK)
        return;
    noted = *why;
    vz_native_is_noted = true;
}

/* The reason takes the place of HDF5's records. */
static void take_reason(vz_error *err)
{
    vz_native_is_noted = false;
    H5Eclear2(H5E_DEFAULT);
    if (err && err->class == VZ_OK)
        *err = noted;
}

herr_t vz_native_result(herr_t status, vz_error *err)
{
    if (status < 0 && vz_native_is_noted)
        take_reason(err);
    else if (status < 0)
        vz_fail(err, VZ_HDF5, "the native connector failed");
    return status;
}

herr_t vz_native_whole_result(herr_t status, vz_error *err)
{
    return vz_native_result(vz_native_is_noted ? -1 : status, err);
}

/* ---- wrappers ---- */

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
    vz_native_elements *elements = vz_native_elements_of(object);
    if (status >= 0 && elements->release)
        elements->release(elements);
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
 * for all, and whether it is remote. One context for each of both serves all. */
static const vz_ops *context_ops;

static void *wrap_here(vz_wrap_context *context, void *native, H5I_type_t type)
{
    (void)context;
    return wrap(context_ops, false, native, type, NULL);
}

static void *wrap_remote(vz_wrap_context *context, void *native, H5I_type_t type)
{
    (void)context;
    return wrap(context_ops, true, native, type, NULL);
}

static void free_nothing(vz_wrap_context *context)
{
    (void)context;
}

vz_wrap_context *vz_wrapped_wrap_context(const vz_object *object)
{
    static vz_wrap_context here = {.wrap = wrap_here, .free = free_nothing};
    static vz_wrap_context remote = {.wrap = wrap_remote, .free = free_nothing};
    context_ops = object->ops;
    return vz_native_is_remote(object) ? &remote : &here;
}
