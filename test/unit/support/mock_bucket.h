/* mock_bucket.h - a bucket in memory: its values, what it is told to be like, and the forms of its answers. */
#ifndef MOCK_BUCKET_H
#define MOCK_BUCKET_H

#include "net/http/http.h"
#include "remote/protocol/remote_name.h"
#include "remote/protocol/remote_internal.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define MOCK_VALUES 4096

typedef struct mock_value {
    char *key;
    uint8_t *data;
    size_t size;
    uint64_t version;
} mock_value;

typedef struct mock_request {
    vz_net_request *net;
    char key[4096];   /* whole, decoded; "" of the bucket */
    char query[4096]; /* as it was sent */
} mock_request;

static struct mock {
    pthread_mutex_t lock;
    mock_value values[MOCK_VALUES]; /* sorted by key */
    size_t count;
    uint64_t versions;
    bool ignores_conditions, ignores_ranges, denies_listing, denies_missing, has_no_multi_delete;
    const char *content_type;
    unsigned page; /* keys of a listing's page */
    uint64_t requests, gets, heads, puts, posts, deletes, lists, rounds;
    char last[4096]; /* the last request: method, key, query */
    /* Answers in the server's place (true), or looks on. */
    bool (*hook)(mock_request *request);
    unsigned turn; /* for hooks: requests so far */
    /* an upload in parts */
    uint8_t *parts[64];
    size_t part_sizes[64];
    unsigned begun, ended, aborted, copied_parts;
    uint64_t copy_max; /* bytes of the largest value that is copied in one; 0: any */
} mock = {.lock = PTHREAD_MUTEX_INITIALIZER, .page = 1000};

/* ---- values ---- */

static size_t mock_place(const char *key, bool *found)
{
    size_t at = 0;
    while (at < mock.count && strcmp(mock.values[at].key, key) < 0)
        at++;
    *found = at < mock.count && strcmp(mock.values[at].key, key) == 0;
    return at;
}

static mock_value *mock_find(const char *key)
{
    bool found;
    const size_t at = mock_place(key, &found);
    return found ? &mock.values[at] : NULL;
}

static mock_value *mock_put(const char *key, const void *data, size_t size)
{
    bool found;
    const size_t at = mock_place(key, &found);
    mock_value *value = &mock.values[at];
    if (!found) {
        if (mock.count == MOCK_VALUES)
            abort();
        memmove(value + 1, value, (mock.count++ - at) * sizeof *value);
        *value = (mock_value){.key = strdup(key)};
    }
    free(value->data);
    value->data = malloc(size + 1);
    if (size)
        memcpy(value->data, data, size);
    value->size = size;
    value->version = ++mock.versions;
    return value;
}

static void mock_remove(const char *key)
{
    bool found;
    const size_t at = mock_place(key, &found);
    if (!found)
        return;
    free(mock.values[at].key);
    free(mock.values[at].data);
    memmove(&mock.values[at], &mock.values[at + 1], (--mock.count - at) * sizeof *mock.values);
}

static void mock_clear(void)
{
    while (mock.count)
        mock_remove(mock.values[0].key);
    for (size_t i = 0; i < 64; i++)
        free(mock.parts[i]);
    const unsigned page = 1000;
    pthread_mutex_t lock = mock.lock;
    memset(&mock, 0, sizeof mock);
    mock.lock = lock;
    mock.page = page;
}

/* ---- answers ---- */

static void mock_line(mock_request *r, const char *name, const char *value)
{
    vz_buffer_printf(&r->net->kept, NULL, "%s: %s\n", name, value);
}

static void mock_status(mock_request *r, int status, const char *code)
{
    r->net->status = status;
    if (code && r->net->method != VZ_NET_HEAD) {
        vz_buffer_printf(&r->net->text, NULL,
                         "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>so it is</Message></Error>", code);
        vz_buffer_append(&r->net->text, "", 1, NULL);
        r->net->text.size--;
    }
}

static void mock_body(mock_request *r, int status, const void *data, size_t size)
{
    vz_net_request *net = r->net;
    net->status = status;
    vz_error err = VZ_ERROR_NONE;
    if (net->most && size > net->most) {
        net->failed = VZ_LIMIT;
        snprintf(net->why, sizeof net->why, "more than is wanted");
    } else if (net->into && !vz_buffer_append(net->into, data, size, &err)) {
        net->failed = err.class;
        snprintf(net->why, sizeof net->why, "%.200s", err.text);
    }
}

static void mock_version(mock_request *r, const mock_value *value)
{
    char etag[64];
    snprintf(etag, sizeof etag, "\"etag-%llu\"", (unsigned long long)value->version);
    mock_line(r, "ETag", etag);
}

/* A header line of the request. */
static const char *mock_asked(const mock_request *r, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < r->net->header_count; i++)
        if (strncasecmp(r->net->headers[i], name, length) == 0 && r->net->headers[i][length] == ':')
            return r->net->headers[i] + length + 2;
    return NULL;
}

/* A parameter of the query, decoded; "" if it has none. */
static const char *mock_parameter(const mock_request *r, const char *name, char *out, size_t size)
{
    const size_t length = strlen(name);
    out[0] = '\0';
    for (const char *at = r->query; *at; at += strcspn(at, "&"), at += *at == '&')
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            snprintf(out, size, "%.*s", (int)strcspn(at + length + 1, "&"), at + length + 1);
    vz_remote_url_decode(out, true);
    return out;
}

#endif
