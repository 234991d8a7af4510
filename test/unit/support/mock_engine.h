/* mock_engine.h - the engine's functions without a network, for tests of src/remote: mock_server.h answers. */
#ifndef MOCK_ENGINE_H
#define MOCK_ENGINE_H

#include "mock_server.h"
#include "remote/protocol/remote_internal.h"

struct vz_net_set {
    pthread_mutex_t lock;
    vz_net_request *waiting[8192];
    size_t count;
};

static const char *mock_header(const vz_net_request *request, const char *name)
{
    static __thread char value[1024];
    const size_t length = strlen(name);
    const char *at = (const char *)request->kept.data, *end = at ? at + request->kept.size : at;
    for (; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
        if ((size_t)(end - at) > length + 2 && strncasecmp(at, name, length) == 0 && at[length] == ':') {
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + length + 2, "\n"), at + length + 2);
            return value;
        }
    return NULL;
}

static bool mock_range_of(const vz_net_request *request, vz_net_content_range *range)
{
    unsigned long long first, last, total;
    const char *text = mock_header(request, "Content-Range");
    if (!text || sscanf(text, "bytes %llu-%llu/%llu", &first, &last, &total) != 3)
        return false;
    *range = (vz_net_content_range){first, last - first + 1, total};
    return true;
}

static void mock_request_clear(vz_net_request *request)
{
    vz_buffer_clear(&request->text);
    vz_buffer_clear(&request->kept);
    request->failed = VZ_OK;
    request->status = 0;
}

static vz_net_set *mock_set_open(const vz_net_options *options, vz_error *err)
{
    (void)options, (void)err;
    vz_net_set *set = calloc(1, sizeof *set);
    pthread_mutex_init(&set->lock, NULL);
    pthread_mutex_lock(&mock.lock);
    mock.rounds++;
    pthread_mutex_unlock(&mock.lock);
    return set;
}

static bool mock_set_add(vz_net_set *set, vz_net_request *request, vz_error *err)
{
    (void)err;
    pthread_mutex_lock(&set->lock);
    set->waiting[set->count++] = request;
    pthread_mutex_unlock(&set->lock);
    return true;
}

/* In any order. */
static vz_net_request *mock_set_next(vz_net_set *set)
{
    static __thread unsigned random;
    pthread_mutex_lock(&set->lock);
    vz_net_request *request = NULL;
    if (set->count > 0) {
        random = random * 1664525u + 1013904223u;
        const size_t at = (random >> 16) % set->count;
        request = set->waiting[at];
        set->waiting[at] = set->waiting[--set->count];
    }
    pthread_mutex_unlock(&set->lock);
    if (request)
        mock_answer(request);
    return request;
}

static void mock_set_stop(vz_net_set *set)
{
    set->count = 0;
}

static void mock_set_close(vz_net_set *set)
{
    free(set);
}

static bool mock_do_one(const vz_net_options *options, vz_net_request *request, vz_error *err)
{
    (void)options;
    mock_answer(request);
    return request->failed == VZ_OK || vz_fail(err, request->failed, "%s", request->why);
}

struct vz_net_account {
    char endpoint[256], region[64];
};

static vz_net_account *mock_account_open(const vz_net_account_options *options, vz_error *err)
{
    vz_net_account *account = calloc(1, sizeof *account);
    (void)err;
    snprintf(account->endpoint, sizeof account->endpoint, "%s", options->endpoint);
    snprintf(account->region, sizeof account->region, "%s", options->region);
    return account;
}

static void mock_account_close(vz_net_account *account)
{
    free(account);
}

static const char *mock_account_endpoint(const vz_net_account *account)
{
    return *account->endpoint ? account->endpoint : NULL;
}

static const char *mock_account_region(const vz_net_account *account)
{
    return *account->region ? account->region : NULL;
}

static vz_net_signer *mock_account_signer(vz_net_account *account, const char *region, vz_error *err)
{
    static vz_net_signer signer;
    (void)account, (void)region, (void)err;
    return &signer;
}

static bool mock_md5(vz_bytes data, char base64[25], vz_error *err)
{
    (void)data, (void)err;
    strcpy(base64, "ICy5YqxZB1uWSwcVLSNLcA==");
    return true;
}

static bool mock_found_none(vz_net_account *account, char *text, size_t size)
{
    (void)account, (void)text, (void)size;
    return false;
}

static const vz_net_functions mock_functions = {
    .version = VZ_NET_VERSION,
    .request_size = sizeof(vz_net_request),
    .header = mock_header,
    .range_of = mock_range_of,
    .request_clear = mock_request_clear,
    .set_open = mock_set_open,
    .set_add = mock_set_add,
    .set_next = mock_set_next,
    .set_stop = mock_set_stop,
    .set_close = mock_set_close,
    .set_drop = mock_set_close,
    .do_one = mock_do_one,
    .account_open = mock_account_open,
    .account_close = mock_account_close,
    .account_endpoint = mock_account_endpoint,
    .account_region = mock_account_region,
    .account_signer = mock_account_signer,
    .account_found_none = mock_found_none,
    .md5 = mock_md5,
};

#endif
