/* discovery.c - the registration of a file that the plugin search of HDF5 2.x found. */
#include "hdf5/h5/h5.h"
#include "base/os/library.h"
#include "hdf5/h5/h5_internal.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MAJOR        2 /* 1.14 passes the connector it found */
#define CONNECTOR_PROPERTY "vol_connector_info"

/* The property's value and the two functions, as HDF5 2.x has them inside. */
typedef struct connector_property {
    void *connector;
    const void *info;
} connector_property;
typedef hid_t (*register_function)(H5I_type_t type, void *object, void *connector, bool app_ref);
typedef int64_t (*release_function)(void *connector);

static __thread char answered[PATH_MAX];
static __thread bool was_search;

/* The registration that is awaited. HDF5 makes one call at a time. */
static struct {
    void *object;
    void *connector;
    hid_t list; /* the access list that the search made */
    void **slot;
    register_function original;
    release_function release;
} awaited;

bool vz_discovery_searches(void)
{
    return H5Eget_num(H5E_DEFAULT) > 0;
}

void vz_discovery_answered(const char *name, bool searched)
{
    const size_t length = strlen(name);
    was_search = searched;
    answered[0] = '\0';
    if (length < sizeof answered)
        memcpy(answered, name, length + 1);
}

bool vz_discovery_follows(const char *name)
{
    const bool follows = answered[0] && name && strcmp(answered, name) == 0;
    answered[0] = '\0';
    return follows;
}

/* A search that got a yes never gives back its list nor its reference to the connector. HDF5 then
 * says at exit that it cannot close. Nobody uses them once the file is open. */
static void release_search(void)
{
    if (awaited.release)
        awaited.release(awaited.connector);
    H5Idec_ref(awaited.list);
}

static hid_t register_found(H5I_type_t type, void *object, void *connector, bool app_ref)
{
    const bool is_it = object == awaited.object && type == H5I_FILE;
    const register_function original = awaited.original;
    vz_import_set(awaited.slot, (void *)(uintptr_t)original);
    const hid_t id = original(type, object, is_it ? awaited.connector : connector, app_ref);
    if (is_it && connector != awaited.connector && id >= 0) /* else the program opened with a list
                                                             * of its own */
        release_search();
    return id;
}

/* Our connector as the library has it inside: the access list holds it. */
static void *connector_of(hid_t fapl)
{
    connector_property property = {0};
    size_t size = 0;
    if (H5Pget_size(fapl, CONNECTOR_PROPERTY, &size) < 0 || size != sizeof property ||
        H5Pget(fapl, CONNECTOR_PROPERTY, &property) < 0)
        return NULL;
    if (awaited.release)
        awaited.release(property.connector); /* H5Pget counted us */
    return property.connector;
}

static bool await_registration(void *object, hid_t fapl)
{
    const char *file = vz_os_library_of((void *)(uintptr_t)H5Fopen);
    void *host = file ? vz_os_library_open(file, VZ_OS_LIBRARY_LOADED) : NULL;
    if (!host)
        return false;
    awaited.object = object;
    awaited.list = fapl;
    awaited.release = (release_function)(uintptr_t)vz_os_library_symbol(host, "H5VL_conn_dec_rc");
    awaited.original = (register_function)(uintptr_t)vz_os_library_symbol(host, "H5VL_register");
    awaited.slot = vz_import_slot(host, "H5VL_register");
    awaited.connector = awaited.slot && awaited.original ? connector_of(fapl) : NULL;
    vz_os_library_close(host);
    return awaited.connector && vz_import_set(awaited.slot, (void *)(uintptr_t)register_found);
}

bool vz_discovery_opened(void *object, hid_t fapl, vz_error *err)
{
    if (vz_h5.major < FIRST_MAJOR) {
        vz_discovery_failed(fapl); /* only the list is left of the search */
        return true;
    }
    if (await_registration(object, fapl))
        return true;
    vz_discovery_failed(fapl);
    return vz_fail(err, VZ_UNSUPPORTED,
                   "this HDF5 (%u.%u.%u) cannot open stores by its plugin search: set HDF5_VOL_CONNECTOR=zarr",
                   vz_h5.major, vz_h5.minor, vz_h5.release);
}

void vz_discovery_failed(hid_t fapl)
{
    if (was_search)
        vz_h5_close_quietly(fapl);
    was_search = false;
}
