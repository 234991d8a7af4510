/* attempt.c - one attempt of one request: options and callbacks of libcurl. For the transfer thread
 * alone. */
#include "net/http/http.h"
#include "net/http/engine_internal.h"
#include "base/os/network.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define RECEIVE_SIZE (128L << 10) /* bytes read at once */
/* what is believed of a length before the bytes are there */
#define ROOM_AT_ONCE   ((uint64_t)16 << 20)
#define REDIRECTS_MOST 5L
#define USER_AGENT     "vol-zarr"

struct vz_net_headers {
    struct curl_slist *list;
    char *query; /* of the signer; NULL: none */
};

static bool append_line(struct curl_slist **list, const char *line, vz_error *err)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (!longer)
        return vz_fail_memory(err);
    *list = longer;
    return true;
}

/* libcurl leaves a header out that has no value, unless it ends with a semicolon. */
bool vz_net_headers_add(vz_net_headers *headers, const char *name, const char *value, vz_error *err)
{
    if (name[strcspn(name, ":;\r\n")] || value[strcspn(value, "\r\n")])
        return vz_fail(err, VZ_INVALID, "no header of one line: %s", name);
    vz_buffer line = {0};
    const bool ok = vz_buffer_printf(&line, err, *value ? "%s: %s" : "%s;", name, value) &&
                    vz_buffer_append(&line, "", 1, err) && append_line(&headers->list, (const char *)line.data, err);
    vz_buffer_clear(&line);
    return ok;
}

bool vz_net_headers_set_query(vz_net_headers *headers, const char *query, vz_error *err)
{
    headers->query = strdup(query);
    return headers->query || vz_fail_memory(err);
}

static void clear_headers(vz_net_headers *headers)
{
    curl_slist_free_all(headers->list);
    vz_secret_free(headers->query);
}

/* Did the signer add a line of that name? Its lines are the first ones. */
static bool is_replaced(const struct curl_slist *list, size_t count, const char *line)
{
    const size_t size = strcspn(line, ":") + 1;
    for (; count > 0; count--, list = list->next)
        if (strncasecmp(list->data, line, size) == 0)
            return true;
    return false;
}

static size_t count_lines(const struct curl_slist *list)
{
    size_t count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

static bool add_line(vz_net_headers *headers, const char *line, vz_error *err)
{
    const char *colon = strchr(line, ':'), *value = colon + 1;
    char name[128];
    if ((size_t)(colon - line) >= sizeof name)
        return vz_fail(err, VZ_INVALID, "the name of a header has %td bytes", colon - line);
    memcpy(name, line, (size_t)(colon - line));
    name[colon - line] = '\0';
    return vz_net_headers_add(headers, name, value + strspn(value, " \t"), err);
}

static bool has_header(const vz_net_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (strncasecmp(request->headers[i], name, strlen(name)) == 0 && request->headers[i][strlen(name)] == ':')
            return true;
    return false;
}

static bool is_upload(const vz_net_request *request)
{
    return request->method == VZ_NET_PUT || request->method == VZ_NET_POST;
}

/* Headers that libcurl would add by itself are left out: a wait for "100 Continue", and that a body
 * is a form. */
static vz_net_signed make_headers(const vz_net_request *request, vz_net_headers *headers, vz_error *err)
{
    const vz_net_signed is_signed =
        request->signer ? request->signer->class->sign(request->signer, request, headers, err) : VZ_NET_SIGNED;
    if (is_signed != VZ_NET_SIGNED)
        return is_signed;
    const size_t added = count_lines(headers->list);
    for (size_t i = 0; i < request->header_count; i++)
        if (!is_replaced(headers->list, added, request->headers[i]) && !add_line(headers, request->headers[i], err))
            return VZ_NET_UNSIGNABLE;
    if (is_upload(request) &&
        (!append_line(&headers->list, "Expect:", err) ||
         (!has_header(request, "Content-Type") && !append_line(&headers->list, "Content-Type:", err))))
        return VZ_NET_UNSIGNABLE;
    return VZ_NET_SIGNED;
}

/* ---- called back by libcurl ---- */

static curl_socket_t open_socket(void *argument, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    if (!vz_net_may_connect(argument, &address->addr))
        return CURL_SOCKET_BAD;
    const int fd = vz_os_socket(address->family, address->socktype, address->protocol);
    if (fd < 0 || vz_net_socket_opened(fd))
        return fd;
    vz_os_socket_close(fd);
    return CURL_SOCKET_BAD;
}

static int close_socket(void *unused, curl_socket_t fd)
{
    (void)unused;
    vz_net_socket_closed(fd);
    return vz_os_socket_close(fd);
}

/* The connection is there and the request goes out, for the second time where an idle connection
 * turned out to be dead. Nobody knows then whether the server has done the first one. */
static int about_to_send(void *argument, char *to, char *from, int to_port, int from_port)
{
    (void)from;
    vz_net_job *job = argument;
    if (!vz_net_may_send(job, to))
        return CURL_PREREQFUNC_ABORT;
    job->attempt.port = to_port;
    job->attempt.local_port = from_port;
    const vz_net_request *request = job->request;
    const bool may = request->repeatable || request->method == VZ_NET_GET || request->method == VZ_NET_HEAD;
    job->attempt.asked_ms = vz_net_now();
    if (job->attempt.asked++ > 0 && !may)
        return CURL_PREREQFUNC_ABORT;
    return CURL_PREREQFUNC_OK;
}

static size_t refuse(vz_net_job *job, vz_error_class class, const char *why)
{
    job->attempt.refused = class;
    snprintf(job->attempt.why, sizeof job->attempt.why, "%.*s", CURL_ERROR_SIZE - 1, why);
    return 0;
}

static size_t refuse_size(vz_net_job *job, uint64_t most)
{
    char why[80];
    snprintf(why, sizeof why, "the answer is larger than it may be (%llu bytes)", (unsigned long long)most);
    return refuse(job, VZ_LIMIT, why);
}

static bool has_prefix(const char *line, size_t size, const char *prefix)
{
    return size >= strlen(prefix) && strncasecmp(line, prefix, strlen(prefix)) == 0;
}

/* "HTTP/1.1 200 OK". */
static int status_of(const char *line, size_t size)
{
    const char *space = memchr(line, ' ', size);
    int status = 0;
    for (const char *at = space ? space + 1 : line + size; at < line + size && *at >= '0' && *at <= '9'; at++)
        status = status < 1000 ? status * 10 + (*at - '0') : status;
    return status;
}

static size_t receive_header(char *line, size_t one, size_t size, void *argument)
{
    (void)one;
    vz_net_job *job = argument;
    struct vz_net_attempt *attempt = &job->attempt;
    if (job->lost)
        return 0;
    if (has_prefix(line, size, "HTTP/") && attempt->asked && !vz_net_hedge_answers(job, status_of(line, size)))
        return 0;
    if (vz_net_hedge_is_open(job))
        return size; /* what comes before the answer */
    if (has_prefix(line, size, "HTTP/")) {
        attempt->version = has_prefix(line, size, "HTTP/1.0") ? 10 : has_prefix(line, size, "HTTP/1") ? 11 : 20;
        attempt->has_length = attempt->version >= 20;
        attempt->length = UINT64_MAX;
    }
    if (!vz_net_keep_header(job->request, line, size))
        return refuse(job, VZ_LIMIT, "the answer has too many headers");
    if (has_prefix(line, size, "Content-Length:")) {
        const char *length = vz_net_header(job->request, "Content-Length");
        attempt->has_length = true;
        if (!length || !vz_net_number(length, &attempt->length))
            attempt->length = UINT64_MAX;
    }
    if (has_prefix(line, size, "Transfer-Encoding:"))
        attempt->has_length = true;
    return size;
}

static bool receive_text(vz_buffer *text, const char *data, size_t size)
{
    const size_t room = text->size < VZ_NET_TEXT_MAX ? VZ_NET_TEXT_MAX - text->size : 0;
    if (!vz_buffer_append(text, data, size < room ? size : room, NULL) || !vz_buffer_append(text, "", 1, NULL))
        return false;
    text->size--;
    return true;
}

static size_t receive_value(vz_net_job *job, const char *data, size_t size)
{
    struct vz_net_attempt *attempt = &job->attempt;
    const vz_net_request *request = job->request;
    vz_buffer *into = request->into;
    const bool first = attempt->received == 0;
    attempt->received += size;
    const uint64_t expected = first && attempt->length != UINT64_MAX ? attempt->length : attempt->received;
    if (request->most && (attempt->received > request->most || expected > request->most))
        return refuse_size(job, request->most);
    if (first && !into->borrowed) {
        const uint64_t room = expected < ROOM_AT_ONCE ? expected : ROOM_AT_ONCE;
        vz_buffer_reserve(into, job->start + room, NULL);
    }
    vz_error err = VZ_ERROR_NONE;
    if (!vz_buffer_append(into, data, size, &err))
        return refuse(job, err.class, err.class == VZ_LIMIT ? "the answer is larger than there is room for" : err.text);
    return size;
}

static size_t receive_body(char *data, size_t one, size_t size, void *argument)
{
    (void)one;
    vz_net_job *job = argument;
    vz_net_request *request = job->request;
    long status = 0;
    if (job->lost)
        return 0;
    curl_easy_getinfo(job->attempt.easy, CURLINFO_RESPONSE_CODE, &status);
    if (request->into && status / 100 == 2)
        return receive_value(job, data, size);
    job->attempt.received += size;
    return receive_text(&request->text, data, size) ? size : refuse(job, VZ_NO_MEMORY, "out of memory");
}

/* ---- an attempt ---- */

static void set_method(CURL *easy, const vz_net_request *request)
{
    if (request->method == VZ_NET_HEAD)
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (request->method == VZ_NET_DELETE)
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    if (!is_upload(request))
        return;
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body.size ? (const char *)request->body.data : "");
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, vz_net_method_name(request->method));
}

/* libcurl has a copy of the URL then. */
static bool set_url(CURL *easy, const char *url, const char *query)
{
    vz_buffer whole = {0};
    if (!query)
        return curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK;
    const size_t size = strlen(url) + strlen(query) + 2;
    const bool ok = vz_buffer_reserve(&whole, size, NULL) && vz_buffer_append(&whole, url, strlen(url), NULL) &&
                    vz_buffer_append(&whole, strchr(url, '?') ? "&" : "?", 1, NULL) &&
                    vz_buffer_append(&whole, query, strlen(query) + 1, NULL) &&
                    curl_easy_setopt(easy, CURLOPT_URL, (const char *)whole.data) == CURLE_OK;
    vz_secret_clear(&whole);
    return ok;
}

static void set_server(CURL *easy, const vz_net_job *job)
{
    const vz_net_set *set = job->set;
    const bool https = strncasecmp(job->host->origin, "https", 5) == 0;
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, https ? set->proxy_https : set->proxy_http);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, set->no_proxy);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     (long)(set->options.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    if (set->ca_bundle)
        curl_easy_setopt(easy, CURLOPT_CAINFO, set->ca_bundle);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)set->options.connect_ms);
    if (job->request->follow && !job->request->signer) {
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(easy, CURLOPT_MAXREDIRS, REDIRECTS_MOST);
        curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, https ? "https" : "http,https");
    }
}

static void set_callbacks(CURL *easy, vz_net_job *job)
{
    curl_easy_setopt(easy, CURLOPT_PRIVATE, job);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, job->attempt.said);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, job);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, job);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, about_to_send);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, job);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, job);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
}

static void set_manners(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_SHARE, vz_net.share);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, USER_AGENT);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_SIZE);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

vz_net_signed vz_net_transfer_begin(vz_net_job *job, vz_error *err)
{
    vz_net_headers headers = {0};
    const vz_net_signed is_signed = make_headers(job->request, &headers, err);
    CURL *easy = is_signed != VZ_NET_SIGNED ? NULL
                 : vz_net.idle_count        ? vz_net.idle[--vz_net.idle_count]
                                            : curl_easy_init();
    if (!easy) {
        clear_headers(&headers);
        if (is_signed == VZ_NET_SIGNED)
            vz_error_set(err, VZ_NO_MEMORY, "out of memory");
        return is_signed == VZ_NET_SIGNED ? VZ_NET_UNSIGNABLE : is_signed;
    }
    const int64_t now = vz_net_now();
    job->attempt = (struct vz_net_attempt){.easy = easy, .headers = headers.list, .begun_ms = now, .moved_ms = now};
    job->request->attempts++;
    job->request->kept.size = job->request->text.size = 0;
    set_manners(easy);
    set_server(easy, job);
    set_callbacks(easy, job);
    set_method(easy, job->request);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.list);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, job->first ? 1L : 0L);
    const bool is_set = set_url(easy, job->request->url, headers.query);
    headers.list = NULL; /* the attempt's */
    clear_headers(&headers);
    if (is_set && curl_multi_add_handle(vz_net.multi, easy) == CURLM_OK)
        return VZ_NET_SIGNED;
    vz_net_transfer_end(job, false);
    vz_error_set(err, VZ_NO_MEMORY, "libcurl takes no request");
    return VZ_NET_UNSIGNABLE;
}

void vz_net_transfer_end(vz_net_job *job, bool keep)
{
    CURL *easy = job->attempt.easy;
    curl_multi_remove_handle(vz_net.multi, easy);
    curl_slist_free_all(job->attempt.headers);
    curl_easy_reset(easy);
    job->attempt.easy = NULL;
    job->attempt.headers = NULL;
    if (vz_net.idle_count < VZ_NET_ACTIVE_MAX)
        vz_net.idle[vz_net.idle_count++] = easy;
    else
        curl_easy_cleanup(easy);
    if (keep)
        return;
    if (job->request->into)
        job->request->into->size = job->start;
    job->request->kept.size = job->request->text.size = 0;
}

/* ---- does it move? ---- */

/* Bytes of a body that the system took and that the other side does not have yet. libcurl tells a
 * transfer's socket only when it is over: it is found by its ports. */
static uint64_t unsent(const struct vz_net_attempt *attempt)
{
    for (size_t i = 0; i < vz_net.socket_count; i++)
        if (vz_os_socket_has_ports(vz_net.sockets[i].descriptor, attempt->local_port, attempt->port))
            return vz_os_socket_unsent(vz_net.sockets[i].descriptor);
    return 0;
}

bool vz_net_transfer_overdue(vz_net_job *job, int64_t now)
{
    struct vz_net_attempt *attempt = &job->attempt;
    const vz_net_options *options = &job->set->options;
    curl_off_t up = 0, down = 0;
    long headers = 0;
    curl_easy_getinfo(attempt->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    curl_easy_getinfo(attempt->easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
    curl_easy_getinfo(attempt->easy, CURLINFO_HEADER_SIZE, &headers);
    const size_t size = job->request->body.size;
    const uint64_t left = attempt->asked && size > 0 && (uint64_t)up >= size ? unsent(attempt) : 0;
    const uint64_t received = (uint64_t)down + (uint64_t)headers;
    const uint64_t moved = (uint64_t)up + received - left + attempt->asked;
    if (moved != attempt->moved) {
        attempt->moved = moved;
        attempt->moved_ms = now;
    }
    const bool waits = attempt->asked && received == 0 && left == 0 && (uint64_t)up >= size;
    const unsigned first_byte = job->request->first_byte_ms ? job->request->first_byte_ms : options->first_byte_ms;
    const unsigned limit = !attempt->asked ? options->connect_ms + options->stall_ms
                           : waits         ? first_byte
                                           : options->stall_ms;
    attempt->overdue = now - attempt->moved_ms > limit;
    if (attempt->overdue)
        snprintf(attempt->why, sizeof attempt->why, waits ? "no answer began within %u ms" : "no byte moved for %u ms",
                 limit);
    return attempt->overdue;
}
