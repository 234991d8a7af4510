/* remote_support.h - stores in the bucket of mock_server.h, asked through mock_engine.h; those of open_s3 in a real
 * one, where the environment has VZ_LIVE_STORES (test/cloud/test_cloud_kinds.py): "s3://bucket/prefix", of a server
 * that the environment names, too. */
#ifndef REMOTE_SUPPORT_H
#define REMOTE_SUPPORT_H

#include "mock_engine.h"
#include "base/os/process.h"
#include "remote/bucket/bucket_internal.h"
#include "remote/bucket/bucket.h"
#include "store_support.h"
#include <unistd.h>

static vz_options remote_options;

static inline void begin_options(void)
{
    vz_remote_set_net(&mock_functions);
    vz_options_init(&remote_options, vz_os_environment_all(), NULL);
    remote_options.endpoint = "http://mock";
    remote_options.anonymous = true;
}

static inline vz_store *open_as_options_say(const char *text, bool writable, vz_error *err)
{
    vz_remote_name name;
    vz_bucket_use(&remote_options);
    vz_site *site = vz_remote_name_parse(text, &name, err)
                        ? vz_site_open(&name, vz_service_of(name.scheme), &remote_options, err)
                        : NULL;
    vz_remote_name_clear(&name);
    return site ? vz_bucket_open(site, writable, err) : NULL;
}

/* Under remote_options. */
static inline vz_store *open_named(const char *text, bool writable, vz_error *err)
{
    if (!remote_options.endpoint || !*remote_options.endpoint)
        begin_options();
    return open_as_options_say(text, writable, err);
}

/* A place of its own for each case. */
static inline int open_live(void **state, const char *place)
{
    static unsigned cases;
    char text[300];
    vz_error err = VZ_ERROR_NONE;
    snprintf(text, sizeof text, "%s/pre fix/%d-%u/x.zarr", place, (int)getpid(), cases++);
    *state =
        vz_options_init(&remote_options, vz_os_environment_all(), &err) ? open_as_options_say(text, true, &err) : NULL;
    if (!*state)
        print_error("%s: %s\n", text, err.text);
    return *state ? 0 : -1;
}

#define ROOT_KEY "pre fix/x.zarr"
#define PREFIX   ROOT_KEY "/"

static inline int open_s3(void **state)
{
    const char *place = getenv("VZ_LIVE_STORES");
    if (place)
        return open_live(state, place);
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
