/* serve.c - h5zarr serve: the command line, the store, the URL. */
#include "command/serve/serve_internal.h"
#include "command/command/command.h"
#include "base/os/process.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/path.h"
#include "store/store/kind.h"
#include <errno.h>
#include <stdlib.h>

#define URL_SIZE 80

/* ---- the store ---- */

/* The keys alone: nothing of what they hold has to make sense. *inside is the caller's to free. */
static vz_store *open_store(const char *path, char **inside, vz_error *err)
{
    vz_options options;
    vz_location location = {0};
    vz_store *store = NULL;
    vz_path_result *found = vz_command_options(&options, err) ? vz_path_find(path, err) : NULL;
    const bool is_store =
        found && (vz_path_result_kind(found) == VZ_PATH_ZARR || vz_subject_fail_why(found, &options, err));
    if (is_store && vz_path_find_location(path, &location, err)) {
        store = vz_location_open(&location, false, err);
        *inside = strdup(location.inside ? location.inside : "");
        if (!*inside)
            vz_fail_memory(err);
    }
    if (store && !*inside) {
        vz_store_close(store);
        store = NULL;
    }
    if (store)
        store->stays_inside = true;
    else
        vz_error_where(err, path, NULL);
    vz_location_clear(&location);
    vz_path_result_free(found);
    return store;
}

/* ---- the command line ---- */

static bool parse_port(const char *text, uint16_t *port)
{
    const size_t digits = text ? strspn(text, "0123456789") : 0;
    const unsigned long number = text ? strtoul(text, NULL, 10) : 0;
    *port = (uint16_t)number;
    return !text || (digits > 0 && digits <= 5 && !text[digits] && number <= UINT16_MAX);
}

/* "https://host:1": a scheme, a host and perhaps a port, in small letters, as browsers send it. */
static bool is_origin(const char *text)
{
    const char *host = strstr(text, "://");
    if (strcmp(text, "*") == 0)
        return true;
    const size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+-.");
    const size_t rest = host ? strspn(host + 3, "abcdefghijklmnopqrstuvwxyz0123456789-._:[]") : 0;
    return host && scheme > 0 && text + scheme == host && rest > 0 && rest < 256 && !host[3 + rest];
}

static bool parse(const vz_command_call *call, vz_serve_site *site, uint16_t *port)
{
    const char *number = vz_command_value(call, "port");
    site->cors = vz_command_value(call, "cors");
    if (!parse_port(number, port)) {
        vz_say_error("serve: --port=%.100s is no number from 0 to 65535", number);
        return false;
    }
    if (site->cors && !is_origin(site->cors)) {
        vz_say_error("serve: --cors=%.100s is no origin, as in https://example.org, nor *", site->cors);
        return false;
    }
    return true;
}

/* ---- the URL ---- */

static bool draw(vz_serve_site *site, bool has_token, vz_error *err)
{
    uint64_t numbers[3];
    if (!vz_os_random(numbers, sizeof numbers))
        return vz_fail(err, VZ_IO, "the system has no random numbers yet");
    site->salt = numbers[0];
    if (has_token)
        snprintf(site->token, sizeof site->token, "%016llx%016llx", (unsigned long long)numbers[1],
                 (unsigned long long)numbers[2]);
    return true;
}

static bool print_json(const char *store, const char *url, uint16_t port, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    const bool ok = object && vz_describe_set_text(object, "store", store, err) &&
                    vz_json_set_text(object, "url", url, err) &&
                    vz_json_set(object, "port", vz_json_uint64(port, err), err);
    return vz_say_json(object, ok, err);
}

static bool announce(const vz_command_call *call, const vz_serve_site *site, uint16_t port, vz_error *err)
{
    char url[URL_SIZE];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/%s%s", port, site->token, *site->token ? "/" : "");
    if (vz_command_has(call, "json")) {
        if (!print_json(call->operands[0], url, port, err))
            return false;
    } else {
        vz_say_text(stdout, call->operands[0]);
        printf(" is served at %s\nCtrl-C ends it.\n", url);
    }
    return fflush(stdout) == 0 || vz_fail_errno(err, errno, "standard output");
}

/* ---- serving ---- */

static bool serve(const vz_command_call *call, vz_serve_site *site, uint16_t port, vz_error *err)
{
    vz_os_bell stop;
    if (vz_os_bell_open(&stop) != 0)
        return vz_fail_errno(err, errno, "no pipe can be made");
    vz_os_stop_by_bell(&stop);
    const uint16_t wanted = port;
    const int listener = vz_os_listen_here(&port);
    if (listener < 0)
        vz_fail_errno(err, errno, "cannot listen at port %u of 127.0.0.1", wanted);
    const bool ok = listener >= 0 && draw(site, vz_command_has(call, "token"), err) &&
                    announce(call, site, port, err) && vz_serve_run(site, listener, &stop, err);
    return ok; /* a signal may still ring the bell */
}

static vz_exit run(const vz_command_call *call)
{
    vz_serve_site site = {0};
    vz_error err = VZ_ERROR_NONE;
    char *inside = NULL;
    uint16_t port;
    if (!parse(call, &site, &port))
        return VZ_EXIT_USAGE;
    site.store = open_store(call->operands[0], &inside, &err);
    site.inside = inside;
    site.is_near = site.store && site.store->capabilities & VZ_STORE_CHEAP;
    const bool ok = site.store && serve(call, &site, port, &err);
    vz_store_close(site.store);
    free(inside);
    return ok ? VZ_EXIT_FINE : vz_say_failure(&err, call->operands[0]);
}

static const vz_command_option options[] = {
    {'p', "port", "NUMBER", "the port at 127.0.0.1 (default: one that is free)"},
    {0, "cors", "ORIGIN", "pages of that origin may read the store, as in https://example.org; * is all pages"},
    {0, "token", NULL, "the URL has a secret part, without which nothing is served: for machines with other users"},
    {0, "json", NULL, "print a JSON object on one line: the store, the URL and the port"},
    {0},
};

const vz_command vz_command_serve = {
    .name = "serve",
    .summary = "serves a store over HTTP to programs of this machine",
    .usage = "STORE[/PATH]",
    .description =
        "A key of the store is a path of the URL that is printed: a viewer in a browser, xarray, zarr-python and this "
        "connector read it there. The store can be of any kind, also a zip file, a one-file store, a reference file or "
        "a bucket. GET and HEAD are served, with ranges and conditions. It serves until it is interrupted, and then "
        "ends with status 0.\n\n"
        "It listens at 127.0.0.1 alone, and answers nothing to requests for other hosts. Every user of this machine "
        "can read what is served, unless --token is given. Pages of other origins can read it with --cors only. A "
        "symbolic link that leads out of a directory store is not followed.\n\n"
        "A key that is not there is answered with 404. A store that cannot be read is 500, or 502 if it lies at a "
        "server, and the reason is printed.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
