/* answer.c - one request, and the answer to it piece by piece. */
#include "command/serve/serve_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <stdio.h>

#define CHANGED_MAX   3    /* times that a value is opened anew, as another one took its place */
#define HEAD_ROOM     2048 /* bytes of the head of an answer, about */
#define YOUNG_SECONDS 1    /* a time in seconds may still get another version */

/* ---- refusals ---- */

void vz_serve_refuse(const vz_serve_site *site, vz_serve_answer *answer, int status, const char *why)
{
    const vz_serve_head head = {.status = status, .closes = answer->closes, .why = why, .request = &answer->request};
    answer->is_begun = true;
    answer->at = answer->end = 0;
    answer->bytes.size = 0;
    answer->is_cut = !vz_serve_print_head(site, &head, &answer->bytes);
}

static const char *why_refused(int status)
{
    switch (status) {
    case 404:
        return "there is no such value in the store";
    case 414:
        return "the URL is too long";
    case 431:
        return "the headers are too long, or too many";
    case 501:
        return "requests with a body are not served";
    case 505:
        return "this is neither HTTP/1.0 nor HTTP/1.1";
    default:
        return "this is no request that is served";
    }
}

/* Of a failure, which never means that nothing is there. */
static void fail(const vz_serve_site *site, vz_serve_answer *answer, const vz_error *err)
{
    const bool is_short = err->class == VZ_NO_MEMORY || err->sys_errno == EMFILE || err->sys_errno == ENFILE;
    answer->failed = *err;
    answer->is_cut = answer->is_begun;
    answer->closes = true;
    if (!answer->is_begun)
        vz_serve_refuse(site, answer,
                        is_short        ? 503
                        : site->is_near ? 500
                                        : 502,
                        "the store cannot be read: h5zarr serve has printed why");
}

/* ---- the request ---- */

static int check(const vz_serve_site *site, vz_serve_answer *answer)
{
    const vz_serve_request *request = &answer->request;
    if (!vz_serve_host_is_here(request->host))
        return 403;
    if (request->method == VZ_SERVE_OPTIONS && site->cors)
        return 204;
    if (request->method != VZ_SERVE_GET && request->method != VZ_SERVE_HEAD)
        return 405;
    return vz_serve_key(site, request->target, &answer->key);
}

bool vz_serve_begin(const vz_serve_site *site, vz_serve_answer *answer, char *head, size_t size)
{
    *answer = (vz_serve_answer){.closes = true, .value = {.file = -1}, .failed = VZ_ERROR_NONE};
    int status = vz_serve_parse_request(head, size, &answer->request);
    if (status) {
        vz_serve_refuse(site, answer, status, why_refused(status));
        return false;
    }
    answer->closes = answer->request.closes;
    status = check(site, answer);
    if (status == 403)
        vz_serve_refuse(site, answer, status, "the name of the host is neither 127.0.0.1 nor localhost");
    else if (status == 204)
        vz_serve_refuse(site, answer, status, NULL);
    else if (status)
        vz_serve_refuse(site, answer, status,
                        status == 405 ? "the store can only be read: GET and HEAD" : why_refused(status));
    return status == 0;
}

/* ---- the value ---- */

static bool tells_versions(const vz_serve_site *site, const vz_store_value *value)
{
    return site->is_near && value->settled &&
           (value->stamp.inode || value->stamp.device || value->stamp.modified.tv_sec);
}

static vz_serve_version version_of(const vz_serve_site *site, const vz_store_value *value)
{
    vz_serve_version version = {0};
    if (!tells_versions(site, value))
        return version;
    const vz_version bytes = vz_version_of(&value->stamp, true);
    const int64_t modified = (int64_t)value->stamp.modified.tv_sec;
    snprintf(version.etag, sizeof version.etag, "\"%016llx%016llx\"",
             (unsigned long long)vz_hash(bytes.bytes, bytes.size, site->salt),
             (unsigned long long)vz_hash(bytes.bytes, bytes.size, ~site->salt));
    if (modified > 0 && vz_os_date_s() - modified > YOUNG_SECONDS)
        version.modified = modified;
    return version;
}

static bool open_value(const vz_serve_site *site, vz_serve_answer *answer, bool *found, vz_error *err)
{
    const char *key = (const char *)answer->key.data;
    *found = false;
    if (!vz_store_open_value(site->store, key, VZ_VALUE_READ, &answer->value, found, err))
        return err->sys_errno == ENAMETOOLONG; /* no store has such a key */
    answer->is_open = *found;
    return true;
}

static void close_value(const vz_serve_site *site, vz_serve_answer *answer)
{
    if (answer->is_open)
        vz_store_close_value(site->store, &answer->value);
    answer->is_open = false;
}

static bool read_piece(const vz_serve_site *site, vz_serve_answer *answer, vz_error *err)
{
    const uint64_t most = site->is_near ? VZ_SERVE_PIECE_NEAR : VZ_SERVE_PIECE_FAR;
    const uint64_t left = answer->end - answer->at, size = left < most ? left : most;
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = answer->at, .size = size};
    const size_t before = answer->bytes.size;
    if (size == 0)
        return true;
    if (!vz_buffer_reserve(&answer->bytes, before + (size_t)size, err) ||
        !vz_store_read_value(site->store, (const char *)answer->key.data, &answer->value, &range, 1, &answer->bytes,
                             err))
        return false;
    if (answer->bytes.size - before != size)
        return vz_fail(err, VZ_IO, "%zu bytes were read instead of %llu", answer->bytes.size - before,
                       (unsigned long long)size);
    answer->at += size;
    return true;
}

/* The head, and the first piece. */
static bool read_first(const vz_serve_site *site, vz_serve_answer *answer, vz_error *err)
{
    const uint64_t whole = answer->value.stamp.size;
    const vz_serve_version version = version_of(site, &answer->value);
    const vz_serve_part part = vz_serve_choose(&answer->request, &version, whole);
    const vz_serve_head head = {.status = part.status,
                                .closes = answer->closes,
                                .key = (const char *)answer->key.data,
                                .version = &version,
                                .whole = whole,
                                .first = part.first,
                                .size = part.size,
                                .request = &answer->request};
    answer->bytes.size = 0;
    answer->at = part.first;
    answer->end = answer->request.method == VZ_SERVE_GET ? part.first + part.size : part.first;
    const bool ok = vz_buffer_reserve(&answer->bytes, HEAD_ROOM, err) &&
                    (vz_serve_print_head(site, &head, &answer->bytes) || vz_fail_memory(err)) &&
                    read_piece(site, answer, err);
    answer->is_begun = ok;
    return ok;
}

static void read_begin(const vz_serve_site *site, vz_serve_answer *answer)
{
    for (unsigned times = 1;; times++) {
        vz_error err = VZ_ERROR_NONE;
        bool found;
        const bool ok = open_value(site, answer, &found, &err);
        if (ok && !found) {
            vz_serve_refuse(site, answer, 404, why_refused(404));
            return;
        }
        if (ok && read_first(site, answer, &err))
            return;
        close_value(site, answer);
        if (err.class != VZ_CHANGED || times == CHANGED_MAX) {
            fail(site, answer, &err);
            return;
        }
    }
}

void vz_serve_read(const vz_serve_site *site, vz_serve_answer *answer)
{
    vz_error err = VZ_ERROR_NONE;
    if (!answer->is_begun)
        read_begin(site, answer);
    else if (!read_piece(site, answer, &err))
        fail(site, answer, &err);
    if (!vz_serve_has_more(answer))
        close_value(site, answer);
}

bool vz_serve_has_more(const vz_serve_answer *answer)
{
    return answer->at < answer->end;
}

void vz_serve_end(const vz_serve_site *site, vz_serve_answer *answer)
{
    close_value(site, answer);
    vz_buffer_clear(&answer->key);
    vz_buffer_clear(&answer->bytes);
}
