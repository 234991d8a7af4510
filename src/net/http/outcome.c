/* outcome.c - what an attempt that ended means: an answer, a failure for good, or one after which
 * it is tried again. */
#include "net/http/engine_internal.h"
#include <stdio.h>
#include <time.h>

/* A proxy on the way may have cut one answer; a server that always says so does not come to its
 * senses. */
#define WRONG_RANGE_ATTEMPTS 3
static const char wrong_range[] = "the range in the answer is not the one that Content-Range says";

bool vz_net_is_momentary(int status)
{
    static const int statuses[] = {408, 429, 500, 502, 503, 504};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (status == statuses[i])
            return true;
    return false;
}

/* No repetition changes these. */
static bool is_final(CURLcode result)
{
    static const CURLcode results[] = {
        CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT,      CURLE_NOT_BUILT_IN,
        CURLE_SSL_CERTPROBLEM,      CURLE_SSL_CIPHER,         CURLE_PEER_FAILED_VERIFICATION,
        CURLE_SSL_CACERT_BADFILE,   CURLE_SSL_CRL_BADFILE,    CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_ENGINE_NOTFOUND,  CURLE_TOO_MANY_REDIRECTS, CURLE_BAD_FUNCTION_ARGUMENT,
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (result == results[i])
            return true;
    return false;
}

static void answer_with(vz_net_job *job, vz_net_judgement *out, vz_error_class class, const char *text)
{
    out->verdict = VERDICT_ANSWER;
    vz_net_fail(job, class, text);
}

/* A body of which nobody can tell whether it is whole is no answer. */
static bool is_whole(const vz_net_job *job)
{
    const vz_net_request *request = job->request;
    const bool has_body = request->method != VZ_NET_HEAD && request->status != 204 && request->status / 100 == 2;
    return !has_body || job->attempt.has_length;
}

/* Does the body of a range have the length that its header says? */
static bool is_range_right(const vz_net_job *job)
{
    vz_net_content_range range;
    const vz_net_request *request = job->request;
    if (request->status != 206 || request->method == VZ_NET_HEAD || !vz_net_header(request, "Content-Range"))
        return true;
    return vz_net_range_of(request, &range) && range.size == job->attempt.received;
}

static void judge_answer(vz_net_job *job, vz_net_judgement *out)
{
    vz_net_request *request = job->request;
    if (!is_whole(job)) {
        answer_with(job, out, VZ_IO,
                    "the server does not say how long its answer is, so that a part of it could be missing");
        return;
    }
    const bool range_right = is_range_right(job);
    if (!range_right && request->attempts >= WRONG_RANGE_ATTEMPTS) {
        answer_with(job, out, VZ_CORRUPT, wrong_range);
        return;
    }
    const bool momentary =
        vz_net_is_momentary(request->status) || (request->wants_again && request->wants_again(request));
    if (range_right && !momentary)
        return;
    out->verdict = VERDICT_AGAIN;
    out->slow_down = request->status == 503 || request->status == 429;
    out->after_ms = vz_net_retry_after(request, (int64_t)time(NULL));
    request->sent |= request->status != 429;
    if (range_right)
        snprintf(out->why, sizeof out->why, "the server answered %d", request->status);
    else
        snprintf(out->why, sizeof out->why, "%s", wrong_range);
}

static void judge_failure(vz_net_job *job, CURLcode result, vz_net_judgement *out)
{
    const struct vz_net_attempt *attempt = &job->attempt;
    const char *text = attempt->why[0] ? attempt->why : attempt->said[0] ? attempt->said : curl_easy_strerror(result);
    if (attempt->refused) {
        answer_with(job, out, attempt->refused, text);
        return;
    }
    if (result == CURLE_OUT_OF_MEMORY || is_final(result)) {
        answer_with(job, out, result == CURLE_OUT_OF_MEMORY ? VZ_NO_MEMORY : VZ_IO, text);
        return;
    }
    out->verdict = VERDICT_AGAIN;
    out->no_host = attempt->asked == 0;
    job->request->sent |= attempt->asked > 0;
    snprintf(out->why, sizeof out->why, "%.*s", VZ_NET_WHY_SIZE - 1, text);
}

/* The last part of a URL's path, and its length. */
static const char *last_part(const char *url, size_t *length)
{
    const char *end = url + strcspn(url, "?#"), *at = end;
    while (at > url && at[-1] != '/')
        at--;
    *length = (size_t)(end - at);
    return at;
}

/* A server that sends all requests to another host keeps the name; one that wants a login does
 * not. */
static bool is_elsewhere(const vz_net_job *job)
{
    long count = 0;
    char *met = NULL;
    size_t asked_length, met_length;
    curl_easy_getinfo(job->attempt.easy, CURLINFO_REDIRECT_COUNT, &count);
    curl_easy_getinfo(job->attempt.easy, CURLINFO_EFFECTIVE_URL, &met);
    if (count == 0 || !met)
        return count > 0;
    const char *asked_part = last_part(job->request->url, &asked_length), *met_part = last_part(met, &met_length);
    return asked_length != met_length || memcmp(asked_part, met_part, met_length) != 0;
}

void vz_net_judge(vz_net_job *job, CURLcode result, vz_net_judgement *out)
{
    long status = 0;
    *out = (vz_net_judgement){.verdict = VERDICT_ANSWER};
    curl_easy_getinfo(job->attempt.easy, CURLINFO_RESPONSE_CODE, &status);
    job->request->status = (int)status;
    job->request->is_elsewhere = is_elsewhere(job);
    job->request->failed = VZ_OK;
    if (result == CURLE_OK && !job->attempt.overdue)
        judge_answer(job, out);
    else
        judge_failure(job, job->attempt.overdue ? CURLE_OPERATION_TIMEDOUT : result, out);
}
