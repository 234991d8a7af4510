/* host.c - which HDF5 called, and its functions by name. */
#include "host.h"
#include "base/mpi/comm.h"
#include "image.h"
#include <dlfcn.h>

/* A function every HDF5 that can load us has. */
#define LANDMARK "H5VLwrap_register"

static bool host_of_handle(void *handle, vz_host *host)
{
    const void *landmark = handle ? dlsym(handle, LANDMARK) : NULL;
    vz_image found;
    if (!landmark || !vz_image_of(landmark, &found))
        return false;
    *host = (vz_host){.handle = handle, .base = found.base, .file = *found.file ? found.file : vz_image_program()};
    return true;
}

static void *handle_of_address(const void *address)
{
    vz_image found;
    if (!vz_image_of(address, &found) || !*found.file)
        return NULL;
    return dlopen(found.file, RTLD_LAZY | RTLD_NOLOAD);
}

static bool try_module(const char *file, void *context)
{
    void *handle = dlopen(*file ? file : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (host_of_handle(handle, context))
        return true;
    if (handle)
        dlclose(handle);
    return false;
}

bool vz_host_find(const void *address, vz_host *host)
{
    void *handle = handle_of_address(address);
    if (host_of_handle(handle, host))
        return true;
    if (handle)
        dlclose(handle);
    handle = dlopen(NULL, RTLD_LAZY); /* the program and what it sees; also a program that contains
                                       * HDF5 itself */
    if (host_of_handle(handle, host))
        return true;
    if (handle)
        dlclose(handle);
    return vz_image_each(try_module, host);
}

typedef struct symbol_scope {
    void *functions;
    void *data;
    void *data_fallback;
} symbol_scope;

static void *find_symbol(void *context, const char *name, bool is_data)
{
    const symbol_scope *scope = context;
    if (!is_data)
        return dlsym(scope->functions, name);
    void *address = dlsym(scope->data, name);
    return address ? address : dlsym(scope->data_fallback, name);
}

/* A program that names a data symbol of a shared library may hold the live copy itself (copy
 * relocation), the library's own is dead then. Only the program's own search order finds it, and
 * only if that order leads to this host. */
const char *vz_host_bind(const vz_host *host)
{
    const bool is_default = dlsym(RTLD_DEFAULT, LANDMARK) == dlsym(host->handle, LANDMARK);
    symbol_scope scope = {
        .functions = host->handle,
        .data = is_default ? RTLD_DEFAULT : host->handle,
        .data_fallback = host->handle,
    };
    vz_mpi_bind(find_symbol, &scope);
    return vz_h5_bind(find_symbol, &scope);
}
