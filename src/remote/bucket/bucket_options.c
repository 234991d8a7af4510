/* bucket_options.c - the options with which this thread finds and opens remote stores. */
#include "base/os/process.h"
#include "remote/bucket/bucket_internal.h"

static __thread vz_options used;
static __thread bool is_used;

void vz_bucket_use(const vz_options *options)
{
    used = *options;
    is_used = true;
}

const vz_options *vz_bucket_options_now(void)
{
    if (!is_used) {
        vz_options_init(&used, vz_os_environment_all(), NULL);
        is_used = true;
    }
    return &used;
}
