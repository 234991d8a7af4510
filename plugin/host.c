/* host.c - which HDF5 called, and its functions by name. */
#include "host.h"
#include "base/mpi/comm.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>

/* A function every HDF5 that can load us has. */
#define LANDMARK "H5VLwrap_register"

/* The module that an address lies in: what is asked for, and what is found. */
typedef struct module_search {
    uintptr_t address, base;
    const char *file; /* "": the program */
} module_search;

static int try_address(struct dl_phdr_info *module, size_t size, void *context)
{
    module_search *search = context;
    (void)size;
    for (ElfW(Half) i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        const uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address >= start && search->address - start < segment->p_memsz) {
            search->base = module->dlpi_addr;
            search->file = module->dlpi_name;
            return 1;
        }
    }
    return 0;
}

/* Without dladdr, which looks through all names of the module for one that we do not ask for. */
static bool find_module(const void *address, module_search *search)
{
    *search = (module_search){.address = (uintptr_t)address};
    return dl_iterate_phdr(try_address, search) == 1;
}

static bool host_of_handle(void *handle, vz_host *host)
{
    const void *landmark = handle ? dlsym(handle, LANDMARK) : NULL;
    module_search found;
    if (!landmark || !find_module(landmark, &found))
        return false;
    *host = (vz_host){
        .handle = handle, .base = (const void *)found.base, .file = *found.file ? found.file : program_invocation_name};
    return true;
}

static void *handle_of_address(const void *address)
{
    module_search found;
    if (!find_module(address, &found) || !*found.file)
        return NULL;
    return dlopen(found.file, RTLD_LAZY | RTLD_NOLOAD);
}

static int try_module(struct dl_phdr_info *module, size_t size, void *context)
{
    (void)size;
    void *handle = dlopen(*module->dlpi_name ? module->dlpi_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (host_of_handle(handle, context))
        return 1;
    if (handle)
        dlclose(handle);
    return 0;
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
    return dl_iterate_phdr(try_module, host) == 1;
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
