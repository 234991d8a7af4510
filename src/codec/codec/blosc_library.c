/* blosc_library.c - see blosc_internal.h. */
#include "codec/codec/blosc_internal.h"

#ifdef VZ_BLOSC_SONAME

#include "base/os/library.h"
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(vz_blosc *) loaded;

/* All of them, or false. The library stays loaded, and so does the table: threads may use it until
 * the very end. */
static bool load(vz_blosc *library)
{
    void *handle = vz_os_library_open(VZ_BLOSC_SONAME, VZ_OS_LIBRARY_STAYS);
    bool ok = handle != NULL;
#define VZ_BLOSC_FUNCTION(name) ok = ok && (*(void **)&library->name = vz_os_library_symbol(handle, "blosc_" #name));
#include "codec/codec/blosc_functions.h"
#undef VZ_BLOSC_FUNCTION
    return ok;
}

/* Threads that come at once load it each, which is done once: the first one's table is kept.
 * Without a lock, so that a child that is forked meanwhile can load it, too. */
const vz_blosc *vz_blosc_library(void)
{
    static const vz_blosc nothing;
    vz_blosc *none = NULL, *library = atomic_load_explicit(&loaded, memory_order_acquire);
    if (library)
        return library;
    library = calloc(1, sizeof *library);
    if (!library || !load(library)) {
        free(library);
        return &nothing;
    }
    if (atomic_compare_exchange_strong(&loaded, &none, library))
        return library;
    free(library);
    return none;
}

bool vz_blosc_is_there(vz_error *err)
{
    if (vz_blosc_library()->compress_ctx)
        return true;
    const char *why = vz_os_library_error(); /* NULL: it was there, and there was no memory for its
                                              * table */
    return why ? vz_fail(err, VZ_UNSUPPORTED, "blosc: the library cannot be loaded: %.200s", why) : vz_fail_memory(err);
}

#else

bool vz_blosc_is_there(vz_error *err)
{
    (void)err;
    return true;
}

#endif
