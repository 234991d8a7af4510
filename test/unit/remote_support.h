/* remote_support.h - stores in the bucket of mock_server.h, asked through mock_engine.h. */
#ifndef REMOTE_SUPPORT_H
#define REMOTE_SUPPORT_H

#include "mock_engine.h"
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

#define ROOT_KEY "pre fix/x.zarr"
#define PREFIX   ROOT_KEY "/"

static inline int open_s3(void **state)
{
    mock_clear();
    begin_options();
    *state = open_named("s3://bucket/" ROOT_KEY, true, NULL);
    return *state ? 0 : -1;
}

static inline int close_s3(void **state)
{
    vz_store_close(*state);
    mock_clear();
    return 0;
}

/* ---- values of that store, past it ---- */

static inline void put_raw(const char *key, const char *text)
{
    char whole[1200];
    snprintf(whole, sizeof whole, PREFIX "%s", key);
    mock_put(whole, text, strlen(text));
}

static inline bool has_raw(const char *key)
{
    char whole[1200];
    snprintf(whole, sizeof whole, PREFIX "%s", key);
    return mock_find(whole) != NULL;
}

#endif
