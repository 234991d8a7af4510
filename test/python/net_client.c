/* net_client.c - loaded by test_net_module.py: loads the module of the connector for requests over HTTP, as the plugin
 * does, and makes some. */
#include "net/http/http.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const vz_net_functions *net;

/* NULL, or what is wrong. */
const char *client_load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const vz_net_entry entry = module ? (vz_net_entry)dlsym(module, VZ_NET_ENTRY) : NULL;
    if (!entry)
        return dlerror();
    if (entry(VZ_NET_VERSION + 1))
        return "takes another version of the header for its own";
    net = entry(VZ_NET_VERSION);
    return !net                                          ? "another version of the header"
           : net->request_size != sizeof(vz_net_request) ? "another request"
                                                         : NULL;
}

const char *client_describe(void)
{
    return net->describe();
}

/* The status, or less than 0; `text` receives the beginning of the body, or why not. */
int client_get(const char *url, const char *ca_bundle, int http2, char *text, size_t size)
{
    vz_net_options options = {
        .ca_bundle = ca_bundle, .http2 = http2 != 0, .attempts = 2, .connect_ms = 20000, .first_byte_ms = 20000};
    vz_net_request request = {.url = url, .follow = true};
    vz_error err = VZ_ERROR_NONE;
    const bool ok = net->do_one(&options, &request, &err);
    snprintf(text, size, "%s", ok ? (const char *)request.text.data : err.text);
    const int status = ok ? request.status : -(int)err.class;
    net->request_clear(&request);
    return status;
}

/* How many of `count` requests at once brought status 200 and a body of `size` bytes. */
int client_get_many(const char *url, const char *ca_bundle, int http2, int count, size_t size)
{
    int good = 0;
    vz_error err = VZ_ERROR_NONE;
    const vz_net_options options = {
        .ca_bundle = ca_bundle, .http2 = http2 != 0, .connect_ms = 20000, .first_byte_ms = 20000};
    vz_net_request *requests = calloc((size_t)count, sizeof *requests), *request;
    vz_buffer *into = calloc((size_t)count, sizeof *into);
    vz_net_set *set = net->set_open(&options, &err);
    for (int i = 0; i < count; i++) {
        into[i] = (vz_buffer){.data = malloc(size), .capacity = size, .borrowed = true};
        requests[i] = (vz_net_request){.url = url, .into = &into[i]};
        if (!net->set_add(set, &requests[i], &err))
            fprintf(stderr, "%s\n", err.text);
    }
    while ((request = net->set_next(set))) {
        if (request->failed != VZ_OK)
            fprintf(stderr, "%s\n", request->why);
        good += request->failed == VZ_OK && request->status == 200 && request->into->size == size;
        net->request_clear(request);
    }
    net->set_close(set);
    for (int i = 0; i < count; i++)
        free(into[i].data);
    free(into);
    free(requests);
    return good;
}

/* Leaves a request under way. */
void client_begin(const char *url)
{
    static vz_net_request request;
    vz_error err = VZ_ERROR_NONE;
    request.url = url;
    vz_net_set *set = net->set_open(NULL, &err);
    net->set_add(set, &request, &err);
}
