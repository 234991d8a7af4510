/* mock_server.h - answers requests for the bucket of mock_bucket.h as S3 does. What it is asked is kept in a log, and a
 * hook may answer in its place. */
#ifndef MOCK_SERVER_H
#define MOCK_SERVER_H

#include "remote/protocol/remote_internal.h"
#include "mock_bucket.h"
#include "remote/protocol/service.h"
#include "base/util/bytes.h"

static bool mock_condition(mock_request *r, const mock_value *value)
{
    char etag[64] = "";
    const char *match = mock_asked(r, "If-Match"), *none = mock_asked(r, "If-None-Match");
    if (value)
        snprintf(etag, sizeof etag, "\"etag-%llu\"", (unsigned long long)value->version);
    const bool changes = r->net->method != VZ_NET_GET && r->net->method != VZ_NET_HEAD;
    if (changes && mock.ignores_conditions)
        return true;
    if ((match && !value) || (!value && match))
        mock_status(r, changes ? 404 : 404, "NoSuchKey");
    else if ((match && strcmp(match, etag) != 0) || (none && value))
        mock_status(r, 412, "PreconditionFailed");
    else
        return true;
    return false;
}

static void mock_range(mock_request *r, const mock_value *value, const char *range)
{
    unsigned long long first = 0, last = 0;
    char line[96];
    if (sscanf(range, "bytes=-%llu", &last) == 1) {
        first = last < value->size ? value->size - last : 0;
        last = value->size;
    } else if (sscanf(range, "bytes=%llu-%llu", &first, &last) == 2) {
        last = last + 1 < value->size ? last + 1 : value->size;
    }
    if (first >= value->size) {
        mock_status(r, 416, "InvalidRange");
        return;
    }
    snprintf(line, sizeof line, "bytes %llu-%llu/%zu", first, last - 1, value->size);
    mock_line(r, "Content-Range", line);
    mock_body(r, 206, value->data + first, last - first);
}

static void mock_get(mock_request *r)
{
    char length[32];
    const mock_value *value = mock_find(r->key);
    if (!value) {
        mock_status(r, mock.denies_missing ? 403 : 404, mock.denies_missing ? "AccessDenied" : "NoSuchKey");
        return;
    }
    if (!mock_condition(r, value))
        return;
    mock_version(r, value);
    if (mock.content_type)
        mock_line(r, "Content-Type", mock.content_type);
    const char *range = mock_asked(r, "Range");
    if (r->net->method == VZ_NET_HEAD) {
        snprintf(length, sizeof length, "%zu", value->size);
        mock_line(r, "Content-Length", length);
        r->net->status = 200;
    } else if (range && !mock.ignores_ranges) {
        mock_range(r, value, range);
    } else {
        mock_body(r, 200, value->data, value->size);
    }
}

static void mock_list(mock_request *r)
{
    char prefix[1100], token[1100], delimiter[8], most[16];
    vz_buffer out = {0};
    if (mock.denies_listing) {
        mock_status(r, 403, "AccessDenied");
        return;
    }
    mock.lists++;
    mock_parameter(r, "prefix", prefix, sizeof prefix);
    mock_parameter(r, "continuation-token", token, sizeof token);
    mock_parameter(r, "delimiter", delimiter, sizeof delimiter);
    const int asked = atoi(mock_parameter(r, "max-keys", most, sizeof most));
    const unsigned room = asked && (unsigned)asked < mock.page ? (unsigned)asked : mock.page;
    vz_buffer_printf(&out, NULL,
                     "<?xml version=\"1.0\"?>\n<ListBucketResult "
                     "xmlns=\"http://s3.amazonaws.com/doc/\">\n<EncodingType>url</EncodingType>");
    unsigned listed = 0;
    char last[1100] = "";
    size_t i = 0;
    for (; i < mock.count && listed < room; i++) {
        const char *key = mock.values[i].key, *rest = key + strlen(prefix);
        if (strncmp(key, prefix, strlen(prefix)) != 0 || (*token && strcmp(key, token) <= 0))
            continue;
        char common[1100];
        const size_t length = *delimiter ? strcspn(rest, delimiter) : strlen(rest);
        snprintf(common, sizeof common, "%.*s", (int)(rest - key + (long)length + 1), key);
        const bool is_common = *delimiter && rest[length];
        if (is_common && (strcmp(common, last) == 0 || (*token && strncmp(token, common, strlen(common)) == 0)))
            continue;
        listed++;
        vz_buffer_printf(&out, NULL, is_common ? "<CommonPrefixes><Prefix>" : "<Contents><Key>");
        vz_percent_encode(&out, is_common ? common : key, "/", NULL);
        vz_buffer_printf(&out, NULL, is_common ? "</Prefix></CommonPrefixes>" : "</Key><Size>%zu</Size></Contents>",
                         mock.values[i].size);
        snprintf(last, sizeof last, "%s", is_common ? common : "");
    }
    bool more = false;
    for (size_t k = i; k < mock.count; k++)
        more = more || (strncmp(mock.values[k].key, prefix, strlen(prefix)) == 0 &&
                        !(*last && strncmp(mock.values[k].key, last, strlen(last)) == 0));
    vz_buffer_printf(&out, NULL, "<IsTruncated>%s</IsTruncated>", more ? "true" : "false");
    if (more) {
        vz_buffer_printf(&out, NULL, "<NextContinuationToken>");
        vz_xml_escape(mock.values[i - 1].key, &out, NULL);
        vz_buffer_printf(&out, NULL, "</NextContinuationToken>");
    }
    vz_buffer_printf(&out, NULL, "</ListBucketResult>");
    mock_body(r, 200, out.data, out.size);
    vz_buffer_clear(&out);
}

static const mock_value *mock_source(const char *source)
{
    char key[4096];
    snprintf(key, sizeof key, "%s", strchr(source + 1, '/') + 1);
    vz_remote_url_decode(key, false);
    return mock_find(key);
}

static void mock_put_part(mock_request *r, int part, const void *data, size_t size)
{
    mock.parts[part] = realloc(mock.parts[part], size + 1);
    memcpy(mock.parts[part], data, size);
    mock.part_sizes[part] = size;
    r->net->status = 200;
}

/* Of one range, under the condition that S3 has for it. */
static void mock_copy_part(mock_request *r, const char *source, int part)
{
    unsigned long long first, last;
    char etag[64];
    const mock_value *value = mock_source(source);
    const char *range = mock_asked(r, "x-amz-copy-source-range"), *match = mock_asked(r, "x-amz-copy-source-if-match");
    snprintf(etag, sizeof etag, "\"etag-%llu\"", value ? (unsigned long long)value->version : 0);
    if (!value) {
        mock_status(r, 404, "NoSuchKey");
    } else if (match && strcmp(match, etag) != 0) {
        mock_status(r, 412, "PreconditionFailed");
    } else if (!range || sscanf(range, "bytes=%llu-%llu", &first, &last) != 2 || last >= value->size || last < first) {
        mock_status(r, 400, "InvalidArgument");
    } else {
        static const char done[] = "<CopyPartResult><ETag>\"part\"</ETag></CopyPartResult>";
        mock_put_part(r, part, value->data + first, last - first + 1);
        mock.copied_parts++;
        mock_body(r, 200, done, sizeof done - 1);
    }
}

static void mock_copy(mock_request *r, const char *source)
{
    const mock_value *value = mock_source(source);
    if (!value) {
        mock_status(r, 404, "NoSuchKey");
        return;
    }
    if (mock.copy_max && value->size > mock.copy_max) {
        mock_status(r, 400, "InvalidRequest");
        return;
    }
    mock_put(r->key, value->data, value->size);
    static const char done[] = "<CopyObjectResult><ETag>\"x\"</ETag></CopyObjectResult>";
    mock_body(r, 200, done, sizeof done - 1);
}

static void mock_put_value(mock_request *r)
{
    char number[16];
    const char *source = mock_asked(r, "x-amz-copy-source");
    const int part = atoi(mock_parameter(r, "partNumber", number, sizeof number)) - 1;
    if (source && part >= 0) {
        mock_copy_part(r, source, part);
        return;
    }
    if (source) {
        mock_copy(r, source);
        return;
    }
    if (part >= 0) {
        mock_put_part(r, part, r->net->body.data, r->net->body.size);
        mock_line(r, "ETag", "\"part\"");
        return;
    }
    if (!mock_condition(r, mock_find(r->key)))
        return;
    mock_version(r, mock_put(r->key, r->net->body.data, r->net->body.size));
    r->net->status = 200;
}

static void mock_delete_many(mock_request *r)
{
    static const char done[] = "<DeleteResult></DeleteResult>";
    char *text = strndup((const char *)r->net->body.data, r->net->body.size), *at = text, *end;
    while ((at = strstr(at, "<Key>")) && (end = strstr(at, "</Key>"))) {
        *end = '\0';
        mock_remove(at + 5);
        at = end + 1;
    }
    free(text);
    mock_body(r, 200, done, sizeof done - 1);
}

static void mock_post(mock_request *r)
{
    static const char begun[] =
        "<InitiateMultipartUploadResult><UploadId>an/id</UploadId></InitiateMultipartUploadResult>";
    vz_buffer all = {0};
    if (strcmp(r->query, "delete=") == 0) {
        if (mock.has_no_multi_delete)
            mock_status(r, 501, "NotImplemented");
        else
            mock_delete_many(r);
    } else if (strcmp(r->query, "uploads=") == 0) {
        mock.begun++;
        for (size_t i = 0; i < 64; i++) {
            free(mock.parts[i]);
            mock.parts[i] = NULL;
        }
        mock_body(r, 200, begun, sizeof begun - 1);
    } else if (mock_condition(r, mock_find(r->key))) {
        mock.ended++;
        for (size_t i = 0; i < 64 && mock.parts[i]; i++)
            vz_buffer_append(&all, mock.parts[i], mock.part_sizes[i], NULL);
        mock_put(r->key, all.data, all.size);
        vz_buffer_clear(&all);
        vz_buffer_printf(&all, NULL,
                         "<CompleteMultipartUploadResult><ETag>\"etag-%llu\"</ETag></CompleteMultipartUploadResult>",
                         (unsigned long long)mock.versions);
        mock_body(r, 200, all.data, all.size);
        vz_buffer_clear(&all);
    }
}

static void mock_delete(mock_request *r)
{
    char upload[64];
    if (*mock_parameter(r, "uploadId", upload, sizeof upload))
        mock.aborted++;
    else if (!mock_condition(r, mock_find(r->key)))
        return;
    else
        mock_remove(r->key);
    r->net->status = 204;
}

static void mock_do(mock_request *r)
{
    static const char *const names[] = {"GET", "HEAD", "PUT", "POST", "DELETE"};
    snprintf(mock.last, sizeof mock.last, "%s %.1200s %.2000s", names[r->net->method], r->key, r->query);
    mock.requests++;
    mock.turn++;
    if (mock.hook && mock.hook(r))
        return;
    switch (r->net->method) {
    case VZ_NET_GET:
        mock.gets++;
        if (*r->key)
            mock_get(r);
        else
            mock_list(r);
        break;
    case VZ_NET_HEAD:
        mock.heads++;
        mock_get(r);
        break;
    case VZ_NET_PUT:
        mock.puts++;
        mock_put_value(r);
        break;
    case VZ_NET_POST:
        mock.posts++;
        mock_post(r);
        break;
    case VZ_NET_DELETE:
        mock.deletes++;
        mock_delete(r);
        break;
    }
}

/* http://mock/bucket/key?query, or http://web/key */
static void mock_answer(vz_net_request *net)
{
    mock_request *r = calloc(1, sizeof *r);
    r->net = net;
    const char *path = strchr(strstr(net->url, "://") + 3, '/') + 1, *query = strchr(path, '?');
    const bool has_bucket = strncmp(path, "bucket", 6) == 0;
    if (has_bucket)
        path += 6 + (path[6] == '/');
    snprintf(r->key, sizeof r->key, "%.*s", query ? (int)(query - path) : (int)strlen(path), path);
    vz_remote_url_decode(r->key, false);
    snprintf(r->query, sizeof r->query, "%s", query ? query + 1 : "");
    pthread_mutex_lock(&mock.lock);
    mock_do(r);
    pthread_mutex_unlock(&mock.lock);
    free(r);
}

#endif
