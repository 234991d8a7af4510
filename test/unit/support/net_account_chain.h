/* net_account_chain.h - accounts whose credentials come from a chain of the test's, and a server that refuses when it
 * is told to. */
#ifndef VZ_TEST_NET_ACCOUNT_CHAIN_H
#define VZ_TEST_NET_ACCOUNT_CHAIN_H

#include "net/auth/auth_internal.h"
#include "aws_support.h"

/* ---- a chain of the test's ---- */

static struct {
    atomic_int calls, busy, most_busy;
    atomic_int sleep_ms;
    atomic_int lives_s; /* 0: for ever */
    atomic_bool fails, finds_nothing, bearer;
    atomic_int entered, through;             /* threads in prepare() */
    atomic_int until_entered, until_through; /* it answers when so many are */
    atomic_int others;                       /* were through when it last answered */
} chain;

/* Threads that a busy machine holds up are waited for: what they find does not depend on how fast they are. */
static void wait_for(atomic_int *count, int least)
{
    for (int i = 0; i < 60000 && *count < least; i++)
        http_sleep_ms(1);
}

static vz_auth_source_result ask(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err)
{
    (void)settings;
    const int call = ++chain.calls, busy = ++chain.busy;
    if (busy > chain.most_busy)
        chain.most_busy = busy;
    wait_for(&chain.entered, chain.until_entered);
    wait_for(&chain.through, chain.until_through);
    chain.others = chain.through;
    http_sleep_ms(chain.sleep_ms);
    chain.busy--;
    if (chain.fails) {
        vz_fail(err, VZ_PERMISSION, "the test's chain fails");
        return VZ_SOURCE_FAILED;
    }
    if (chain.finds_nothing)
        return VZ_SOURCE_NONE;
    char name[20];
    snprintf(name, sizeof name, "KEY%d", call);
    keys->expires = chain.lives_s ? (int64_t)time(NULL) + chain.lives_s : 0;
    snprintf(keys->source, sizeof keys->source, "the test");
    if (chain.bearer)
        keys->bearer = strdup(SECRET);
    else
        vz_auth_keys_set(keys, name, SECRET, "TOKEN", "the test", err);
    return VZ_SOURCE_FOUND;
}

/* Providers are shared by settings, so each test has its own. */
static void begin(int sleep_ms, int lives_s)
{
    static int tests;
    char text[20];
    memset(&chain, 0, sizeof chain);
    chain.sleep_ms = sleep_ms;
    chain.lives_s = lives_s;
    aws_forget_environment();
    snprintf(text, sizeof text, "of test %d", ++tests);
    setenv("AWS_ROLE_SESSION_NAME", text, 1);
}

static vz_net_account *account_at(const char *endpoint)
{
    vz_error err = VZ_ERROR_NONE;
    vz_net_account *account = vz_net_account_open(&(vz_net_account_options){.endpoint = endpoint}, &err);
    if (!account)
        fail_msg("%s", err.text);
    return account;
}

/* ---- the server ---- */

static struct {
    char authorization[8][400], date[8][20], hash[8][80], token[8][40];
    atomic_uint count;
    atomic_uint refuse; /* so many answers */
    atomic_uint every;  /* 0, or of so many one, too */
    const char *code;
    int status, skew;
} seen;

/* What the first few requests had. */
static void note(const http_call *call)
{
    const unsigned i = seen.count++;
    if (seen.every && i % seen.every == 0)
        seen.refuse++;
    if (i >= 8)
        return;
    if (!http_header(call, "Authorization", seen.authorization[i], 400))
        seen.authorization[i][0] = '\0';
    http_header(call, "x-amz-date", seen.date[i], 20);
    http_header(call, "x-amz-content-sha256", seen.hash[i], 80);
    http_header(call, "x-amz-security-token", seen.token[i], 40);
}

static http_after answer(http_call *call)
{
    char text[200], date[60], line[100];
    note(call);
    unsigned left = seen.refuse;
    while (left && !atomic_compare_exchange_weak(&seen.refuse, &left, left - 1))
        ;
    if (!left)
        return http_respond(call, 200, "", "ok", 2);
    const time_t now = time(NULL) + seen.skew;
    struct tm parts;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
    snprintf(line, sizeof line, "Date: %s\r\n", date);
    snprintf(text, sizeof text, "<Error><Code>%s</Code><Message>x</Message></Error>", seen.code);
    return http_respond(call, seen.status, line, text, strlen(text));
}

static http_server server;

static void refuse(unsigned times, int status, const char *code)
{
    memset(&seen, 0, sizeof seen);
    seen.refuse = times;
    seen.status = status;
    seen.code = code;
}

/* The status of the answer, or minus the class of the failure. */
static int do_request(vz_net_account *account, const char *url, const char *body)
{
    vz_error err = VZ_ERROR_NONE;
    vz_net_signer *signer = vz_net_account_signer(account, "eu-west-1", &err);
    assert_non_null(signer);
    vz_net_request request = {.method = body ? VZ_NET_PUT : VZ_NET_GET, .url = url, .signer = signer};
    if (body)
        request.body = vz_net_bytes_of(body);
    const int result = vz_net_do(NULL, &request, &err) ? request.status : -(int)err.class;
    assert_null(strstr(err.text, SECRET));
    vz_net_request_clear(&request);
    return result;
}

#endif
