/* response_headers.c - what is read of the headers of an answer. They come from a server that may
 * be anybody's. */
#include "net/http/engine_internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RETRY_AFTER_MAX_MS 3600000

bool vz_net_number(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (!vz_mul(value, 10, &value) || !vz_add(value, (uint64_t)(*text - '0'), &value))
            return false;
    *number = value;
    return *text == '\0';
}

/* In `kept` a header is its name, a 0, its value, a 0. */
bool vz_net_keep_header(vz_net_request *request, const char *line, size_t size)
{
    vz_buffer *kept = &request->kept;
    while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r' || line[size - 1] == ' '))
        size--;
    if (size >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        kept->size = 0;
        return true;
    }
    const char *colon = memchr(line, ':', size);
    if (!colon || memchr(line, '\0', size))
        return true; /* the empty line, or none that has a name */
    const char *value = colon + 1, *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    if (kept->size + size + 2 > VZ_NET_HEADERS_MAX)
        return false;
    return vz_buffer_append(kept, line, (size_t)(colon - line), NULL) && vz_buffer_append(kept, "", 1, NULL) &&
           vz_buffer_append(kept, value, (size_t)(end - value), NULL) && vz_buffer_append(kept, "", 1, NULL);
}

const char *vz_net_header(const vz_net_request *request, const char *name)
{
    const char *at = (const char *)request->kept.data, *end = at ? at + request->kept.size : NULL, *found = NULL;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (strcasecmp(at, name) == 0)
            found = value;
        at = value + strlen(value) + 1;
    }
    return found;
}

/* A number up to one of `ends`, behind which *text then stands. */
static bool number_up_to(const char **text, char end, uint64_t *number)
{
    char digits[24];
    const size_t length = strspn(*text, "0123456789");
    if (length >= sizeof digits || (*text)[length] != end)
        return false;
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *text += length + (end != '\0');
    return vz_net_number(digits, number);
}

bool vz_net_range_of(const vz_net_request *request, vz_net_content_range *range)
{
    const char *text = vz_net_header(request, "Content-Range");
    if (!text || strncasecmp(text, "bytes ", 6) != 0)
        return false;
    text += 6;
    uint64_t first, last, total = UINT64_MAX;
    if (!number_up_to(&text, '-', &first) || !number_up_to(&text, '/', &last) || last < first || last == UINT64_MAX)
        return false;
    if (strcmp(text, "*") != 0 && (!number_up_to(&text, '\0', &total) || last >= total))
        return false;
    *range = (vz_net_content_range){.first = first, .size = last - first + 1, .total = total};
    return true;
}

int64_t vz_net_retry_after(const vz_net_request *request, int64_t now)
{
    const char *text = vz_net_header(request, "Retry-After");
    uint64_t seconds = 0;
    if (!text)
        return 0;
    if (!vz_net_number(text, &seconds)) {
        const time_t then = curl_getdate(text, NULL);
        if (then == (time_t)-1 || then <= now)
            return 0;
        seconds = (uint64_t)(then - now);
    }
    return seconds < RETRY_AFTER_MAX_MS / 1000 ? (int64_t)seconds * 1000 : RETRY_AFTER_MAX_MS;
}

void vz_net_request_clear(vz_net_request *request)
{
    vz_buffer_clear(&request->text);
    vz_buffer_clear(&request->kept);
    request->failed = VZ_OK;
    request->why[0] = '\0';
    request->status = 0;
    request->is_elsewhere = false;
    request->sent = false;
    request->attempts = 0;
    request->job = NULL;
}
