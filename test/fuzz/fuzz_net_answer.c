/* fuzz_net_answer.c - the headers of an answer as any server may send them, a line of the input a line of the answer:
 * kept, looked up, and what is read out of Content-Range and Retry-After. The input as a URL, too. */
#include "fuzz.h"
#include "net/http/engine_internal.h"

static void keep_lines(vz_net_request *request, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) + 1 : size;
        if (!vz_net_keep_header(request, (const char *)data, length))
            FUZZ_REQUIRE(request->kept.size + length + 2 > VZ_NET_HEADERS_MAX);
        data += length;
        size -= length;
    }
}

/* Each that was kept is found by its name. */
static void look_up(const vz_net_request *request)
{
    const char *at = (const char *)request->kept.data, *end = at + request->kept.size;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        FUZZ_REQUIRE(value <= end && vz_net_header(request, at) >= value);
        at = value + strlen(value) + 1;
        FUZZ_REQUIRE(at <= end);
    }
}

static void check_url(const uint8_t *data, size_t size)
{
    char *url = malloc(size + 1);
    vz_error err = VZ_ERROR_NONE;
    FUZZ_REQUIRE(url);
    memcpy(url, data, size);
    url[size] = '\0';
    const vz_net_request request = {.url = url};
    const bool ok = vz_net_url_check(&request, &err);
    FUZZ_REQUIRE(ok == (err.class == VZ_OK));
    if (ok)
        FUZZ_REQUIRE(vz_net_url_origin(url) >= 8 && vz_net_url_origin(url) < VZ_NET_ORIGIN_SIZE);
    free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_net_request request = {0};
    vz_net_content_range range;
    keep_lines(&request, data, size);
    if (request.kept.size > 0)
        look_up(&request);
    if (vz_net_range_of(&request, &range)) {
        FUZZ_REQUIRE(range.size > 0 && range.first + range.size > range.first);
        FUZZ_REQUIRE(range.total == UINT64_MAX || range.first + range.size <= range.total);
    }
    const int64_t after = vz_net_retry_after(&request, 1800000000);
    FUZZ_REQUIRE(after >= 0 && after <= 3600000);
    vz_net_request_clear(&request);
    check_url(data, size);
    return 0;
}
