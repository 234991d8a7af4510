/* remote_support.h - stores in the bucket of mock_server.h. */
#ifndef REMOTE_SUPPORT_H
#define REMOTE_SUPPORT_H

#include "mock_server.h"
#include "remote/remote.h"
#include "remote/remote_kind.h"
#include "store_support.h"

static vz_options remote_options;

static inline void begin_options(void)
{
    vz_remote_set_net(&mock_functions);
    vz_options_init(&remote_options, NULL);
    remote_options.endpoint = "http://mock";
    remote_options.anonymous = true;
}

/* Under remote_options. */
static inline vz_store *open_named(const char *text, bool writable, vz_error *err)
{
    vz_remote_name name;
    if (!remote_options.endpoint || !*remote_options.endpoint)
        begin_options();
    vz_remote_use(&remote_options);
    vz_site *site = vz_remote_name_parse(text, &name, err) ? vz_site_open(&name, &remote_options, err) : NULL;
    vz_remote_name_clear(&name);
    return site ? vz_remote_open(site, writable, err) : NULL;
}

static inline int open_s3(void **state)
{
    mock_clear();
    begin_options();
    *state = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    return *state ? 0 : -1;
}

static inline int close_s3(void **state)
{
    vz_store_close(*state);
    mock_clear();
    return 0;
}

#endif
