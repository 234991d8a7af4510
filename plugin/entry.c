/* entry.c - the two functions that HDF5 calls in a plugin, and the table of the libraries that
 * called. */
#include "host.h"
#include "image.h"
#include "remote/bucket/bucket.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define HOSTS_MAX 16

typedef struct known_host {
    const void *base;
    const H5VL_class_t *class;
} known_host;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* each library has a lock of its own, so
                                                          * they do not exclude each other */
static known_host known[HOSTS_MAX];
static size_t known_count;
static bool bound; /* vz_h5 is bound to a host */

static const H5VL_class_t *bind_here(const vz_host *host)
{
    const char *missing = vz_host_bind(host);
    if (missing) {
        char why[128];
        snprintf(why, sizeof why, "it lacks the function %s; HDF5 1.14 or newer is needed", missing);
        return vz_refuse(host, why);
    }
    bound = true;
    vz_image_stay((const void *)vz_class_for);
    vz_store_set_kinds(vz_bucket_all_kinds);
    return vz_vol_class();
}

static const H5VL_class_t *class_for_new(const vz_host *host, const void *return_address)
{
    if (!bound)
        return bind_here(host);
    char why[256];
    const H5VL_class_t *class = vz_copy_class_for(return_address, why, sizeof why);
    return class ? class : vz_refuse(host, why);
}

static const H5VL_class_t *class_for_host(const vz_host *host, const void *return_address)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].base == host->base)
            return known[i].class;
    if (known_count == HOSTS_MAX)
        return vz_refuse(host, "too many HDF5 libraries in one process");
    const H5VL_class_t *class = class_for_new(host, return_address);
    known[known_count++] = (known_host){host->base, class};
    return class;
}

/* For an HDF5 without connectors (1.10 and older). It reads what a plugin returns as a filter, and
 * compares the second number with that of the filter it looks for. NULL would end its search, and
 * the filters behind us would not be seen. */
static const H5VL_class_t no_filter = {.value = (H5VL_class_value_t)H5Z_FILTER_ERROR, .name = "zarr, for HDF5 1.14"};

const H5VL_class_t *vz_class_for(const void *return_address)
{
    vz_host host;
    if (!vz_host_find(return_address, &host))
        return &no_filter;
    pthread_mutex_lock(&lock);
    const H5VL_class_t *class = class_for_host(&host, return_address);
    pthread_mutex_unlock(&lock);
    return class;
}

#define EXPORT __attribute__((visibility("default"), noinline))

EXPORT H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_VOL;
}

/* HDF5 calls this again whenever an open fails by default: nothing is reset here. */
EXPORT const void *H5PLget_plugin_info(void)
{
    const int errno_before = errno;
    const H5VL_class_t *class = vz_class_for(__builtin_return_address(0));
    errno = errno_before; /* H5open succeeds, and Perl's PDL looks at it then */
    return class;
}
