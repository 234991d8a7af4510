/* shutdown.c - what happens when HDF5 closes, at exit too: everything left open is closed, which
 * writes what is dirty, while the library still works. Afterwards all is as it was before the
 * first open. */
#include "hdf5/async/async.h"
#include "hdf5/native/native_internal.h"
#include <stdlib.h>

static void (*shutdown_hook)(void), (*closed_hook)(void);
static bool is_closing;

void vz_native_at_shutdown(void (*hook)(void))
{
    shutdown_hook = hook;
}

void vz_native_when_closed(void (*hook)(void))
{
    closed_hook = hook;
}

bool vz_native_is_closing(void)
{
    return is_closing;
}

typedef struct id_list {
    hid_t *ids;
    size_t count, capacity;
} id_list;

/* Out of memory: those already listed are closed, the library closes the others itself. */
static bool collect(void *context, hid_t id, vz_object *object)
{
    (void)object;
    id_list *list = context;
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        hid_t *ids = realloc(list->ids, capacity * sizeof *ids);
        if (!ids)
            return false;
        list->ids = ids;
        list->capacity = capacity;
    }
    list->ids[list->count++] = id;
    return true;
}

/* Closing one may have closed others, so each is looked at again. */
static void drop(hid_t id)
{
    while (H5Iis_valid(id) > 0 && H5Idec_ref(id) > 0)
        continue;
}

static void close_ids(H5I_type_t type)
{
    id_list list = {0};
    vz_object_each_id(type, collect, &list);
    for (size_t i = 0; i < list.count; i++)
        drop(list.ids[i]);
    free(list.ids);
}

void vz_native_shutdown(void *unused)
{
    (void)unused;
    static const H5I_type_t order[] = {H5I_ATTR, H5I_DATASET, H5I_DATATYPE, H5I_GROUP, H5I_FILE};
    vz_async_stop();
    is_closing = true;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        close_ids(order[i]);
    if (closed_hook)
        closed_hook();
    vz_twin_datasets_forget();
    vz_gateway_close();
    vz_native.gateway = false;
    vz_twin_files_forget();
    if (shutdown_hook)
        shutdown_hook();
    if (vz_native.driver > 0)
        H5FDunregister(vz_native.driver);
    if (vz_native.remote_driver > 0)
        H5FDunregister(vz_native.remote_driver);
    if (vz_native.own_connector > 0)
        H5VLclose(vz_native.own_connector);
    H5VLclose(vz_native.connector);
    vz_native = (vz_native_state){.starts = vz_native.starts, .generation = vz_native.generation};
    is_closing = false;
}
