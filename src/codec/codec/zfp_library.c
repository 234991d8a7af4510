/* zfp_library.c - see zfp_internal.h. Version 1 of the library alone: sizes have another type in
 * those before. */
#include "codec/codec/zfp_internal.h"

#include "base/os/library.h"
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__APPLE__)
#define ZFP_SONAME "libzfp.1.dylib"
#else
#define ZFP_SONAME "libzfp.so.1"
#endif

static _Atomic(vz_zfp *) loaded;

static bool load(vz_zfp *library)
{
    void *handle = vz_os_library_open(ZFP_SONAME, VZ_OS_LIBRARY_STAYS);
    bool ok = handle != NULL;
#define VZ_ZFP_FUNCTION(result, name, arguments)                                                                       \
    ok = ok && (*(void **)&library->name = vz_os_library_symbol(handle, #name));
#include "codec/codec/zfp_functions.h"
#undef VZ_ZFP_FUNCTION
    return ok;
}

/* As with Blosc: threads that come at once load it each, and the first one's table is kept. */
const vz_zfp *vz_zfp_library(vz_error *err)
{
    vz_zfp *none = NULL, *library = atomic_load_explicit(&loaded, memory_order_acquire);
    if (library)
        return library;
    if (!(library = calloc(1, sizeof *library))) {
        vz_fail_memory(err);
        return NULL;
    }
    if (!load(library)) {
        const char *why = vz_os_library_error();
        vz_fail(err, VZ_UNSUPPORTED,
                "codec zfpy: the library " ZFP_SONAME " (Debian: libzfp1) cannot be loaded: %.200s", why ? why : "?");
        free(library);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&loaded, &none, library))
        return library;
    free(library);
    return none;
}
