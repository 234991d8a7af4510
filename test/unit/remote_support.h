/* remote_support.h - stores in the bucket of mock_server.h. */
#ifndef REMOTE_SUPPORT_H
#define REMOTE_SUPPORT_H

#include "mock_server.h"
#include "remote/remote.h"
#include "remote/remote_kind.h"
#include "store_support.h"

static inline vz_store *open_named(const char *text, bool writable, vz_error *err)
{
    vz_options options;
    vz_remote_name name;
    vz_remote_set_net(&mock_functions);
    vz_options_init(&options, NULL);
    options.endpoint = "http://mock";
    options.anonymous = true;
    vz_remote_use(&options);
    vz_site *site = vz_remote_name_parse(text, &name, err) ? vz_site_open(&name, &options, err) : NULL;
    vz_remote_name_clear(&name);
    return site ? vz_remote_open(site, writable, err) : NULL;
}

static inline int open_s3(void **state)
{
    mock_clear();
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
