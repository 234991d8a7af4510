/* Accounts: what signers add and for which hosts; credentials fetched once, renewed in time by one thread, and after a
 * refusal once more. */
#include "net/provider.h"
#include "net/sigv4.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "aws_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

static vz_source_result ask(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err)
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
        vz_net_keys_set(keys, name, SECRET, "TOKEN", "the test", err);
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
        request.body = vz_bytes_of(body);
    const int result = vz_net_do(NULL, &request, &err) ? request.status : -(int)err.class;
    assert_null(strstr(err.text, SECRET));
    vz_net_request_clear(&request);
    return result;
}

/* ---- what is added ---- */

static void test_signature(void **state)
{
    (void)state;
    begin(0, 0);
    refuse(0, 0, "");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b/k=1?list-type=2&prefix=a"), "body"), 200);
    assert_non_null(strstr(seen.authorization[0], "AWS4-HMAC-SHA256 Credential=KEY1/"));
    assert_non_null(strstr(seen.authorization[0], "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;"
                                                  "x-amz-date;x-amz-security-token, Signature="));
    char hash[65];
    assert_true(vz_net_sha256(vz_bytes_of("body"), hash, NULL));
    assert_string_equal(seen.hash[0], hash);
    assert_string_equal(seen.token[0], "TOKEN");
    /* the server would come to the same signature */
    char lines[3][200];
    snprintf(lines[0], 200, "x-amz-content-sha256: %s", hash);
    snprintf(lines[1], 200, "x-amz-date: %s", seen.date[0]);
    snprintf(lines[2], 200, "x-amz-security-token: TOKEN");
    const char *const headers[] = {lines[0], lines[1], lines[2]};
    const vz_sigv4_request request = {"PUT", http_url(&server, "/b/k=1?list-type=2&prefix=a"), headers, 3, hash};
    vz_sigv4_scope scope = {"KEY1", SECRET, "eu-west-1", "s3", ""};
    memcpy(scope.time, seen.date[0], 17);
    vz_buffer expected = {0};
    assert_true(vz_sigv4_authorize(&request, &scope, &expected, NULL) && vz_buffer_append(&expected, "", 1, NULL));
    assert_string_equal(seen.authorization[0], (const char *)expected.data);
    vz_buffer_clear(&expected);
    vz_net_account_close(account);
}

static void test_anonymous(void **state)
{
    (void)state;
    begin(0, 0);
    chain.finds_nothing = true;
    refuse(1, 403, "ExpiredToken"); /* says nothing to who has none */
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 403);
    assert_string_equal(seen.authorization[0], "");
    char text[100];
    assert_true(vz_net_account_source(account, text, sizeof text, NULL));
    assert_string_equal(text, "nowhere: anonymous");
    assert_int_equal(chain.calls, 1);
    vz_net_account_close(account);
}

/* To other hosts nothing is sent at all. */
static void test_hosts(void **state)
{
    (void)state;
    static const struct {
        vz_net_service service;
        const char *endpoint, *url;
    } others[] = {
        {VZ_NET_S3, NULL, "http://127.0.0.1:1/b"},
        {VZ_NET_S3, NULL, "https://amazonaws.com.evil.example/b"},
        {VZ_NET_S3, NULL, "https://evilamazonaws.com/b"},
        {VZ_NET_S3, NULL, "https://storage.googleapis.com/b"},
        {VZ_NET_GS, NULL, "https://s3.amazonaws.com/b"},
        {VZ_NET_GS, NULL, "https://evil-storage.googleapis.com/b"},
        {VZ_NET_S3, "https://minio.example", "http://minio.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://minio.example:444/b"},
        {VZ_NET_S3, "https://minio.example", "https://minio.example.evil.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://xminio.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://s3.amazonaws.com/b"},
        {VZ_NET_S3, "http://127.0.0.1:9", "http://127.0.0.1:10/b"},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        begin(0, 0);
        vz_net_account *account = vz_net_account_open(
            &(vz_net_account_options){.service = others[i].service, .endpoint = others[i].endpoint}, NULL);
        assert_non_null(account);
        if (do_request(account, others[i].url, NULL) != -(int)VZ_PERMISSION)
            fail_msg("%s is asked with credentials for %s", others[i].url, others[i].endpoint);
        vz_net_account_close(account);
    }
    /* buckets are below the endpoint's host */
    begin(0, 0);
    vz_net_account *account = account_at("http://localhost:1/path");
    assert_int_equal(do_request(account, "http://bucket.localhost:1/k", NULL), -(int)VZ_IO);
    vz_net_account_close(account);
}

static void test_bearer(void **state)
{
    (void)state;
    begin(0, 0);
    chain.bearer = true;
    refuse(0, 0, "");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), -(int)VZ_PERMISSION);
    assert_int_equal(seen.count, 0);
    vz_net_account_close(account);
}

static void test_signers(void **state)
{
    (void)state;
    begin(0, 0);
    vz_net_account *account = account_at(NULL);
    vz_net_signer *a = vz_net_account_signer(account, "a-1", NULL), *b = vz_net_account_signer(account, "b-1", NULL);
    assert_ptr_equal(a, vz_net_account_signer(account, "a-1", NULL));
    assert_ptr_not_equal(a, b);
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_net_account_signer(account, "a/b", &err));
    assert_int_equal(err.class, VZ_INVALID);
    vz_net_account_close(account);
}

/* ---- refusals ---- */

static void test_expired_in_the_middle(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *code;
    } answers[] = {{400, "ExpiredToken"}, {403, "ExpiredToken"}, {403, "ExpiredTokenException"}};
    for (size_t i = 0; i < COUNT(answers); i++) {
        begin(0, 3600);
        refuse(1, answers[i].status, answers[i].code);
        vz_net_account *account = account_at(http_url(&server, ""));
        assert_int_equal(do_request(account, http_url(&server, "/b"), "x"), 200); /* a PUT that is not repeatable */
        assert_int_equal(chain.calls, 2);
        assert_non_null(strstr(seen.authorization[0], "KEY1/"));
        assert_non_null(strstr(seen.authorization[1], "KEY2/"));
        /* once, not for ever */
        refuse(2, answers[i].status, answers[i].code);
        assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), answers[i].status);
        assert_int_equal(seen.count, 2);
        assert_int_equal(chain.calls, 3);
        vz_net_account_close(account);
    }
}

static void test_other_refusals(void **state)
{
    (void)state;
    static const char *const codes[] = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", ""};
    for (size_t i = 0; i < COUNT(codes); i++) {
        begin(0, 3600);
        refuse(1, 403, codes[i]);
        vz_net_account *account = account_at(http_url(&server, ""));
        assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 403);
        assert_int_equal(chain.calls, 1);
        assert_int_equal(seen.count, 1);
        vz_net_account_close(account);
    }
}

/* Renewing fails: that is what is said. */
static void test_refused_and_not_renewed(void **state)
{
    (void)state;
    begin(0, 3600);
    refuse(1, 403, "ExpiredToken");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_true(vz_net_account_source(account, (char[8]){0}, 8, NULL));
    chain.fails = true;
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), -(int)VZ_PERMISSION);
    assert_int_equal(chain.calls, 2);
    vz_net_account_close(account);
}

static void test_wrong_clock(void **state)
{
    (void)state;
    begin(0, 0);
    refuse(1, 403, "RequestTimeTooSkewed");
    seen.skew = 7200;
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 200);
    assert_int_equal(chain.calls, 1);
    char expected[17];
    vz_sigv4_time(time(NULL) + 7200, expected);
    assert_memory_equal(seen.date[1], expected, 11); /* to the hour; the minute may have changed */
    assert_string_not_equal(seen.date[0], seen.date[1]);
    vz_net_account_close(account);
}

/* ---- renewing ---- */

#define THREADS 16
#define LIVES_S 16 /* credentials that are renewed when half of that is over */
#define HALF_MS 8200

static void *prepare(void *argument)
{
    vz_net_signer *signer = argument;
    vz_error err = VZ_ERROR_NONE;
    chain.entered++;
    const bool ok = signer->class->prepare(signer, &err);
    chain.through++;
    return ok ? signer : NULL;
}

/* How many of the threads failed. */
static int prepare_at_once(vz_net_account *account)
{
    pthread_t threads[THREADS];
    int failed = 0;
    vz_net_signer *signer = vz_net_account_signer(account, "a-1", NULL);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, prepare, signer), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += !result;
    }
    return failed;
}

static void test_one_fetches(void **state)
{
    (void)state;
    begin(200, 3600);
    vz_net_account *account = account_at(NULL);
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 1);
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 1);
    vz_net_account_close(account);
}

/* Early (five minutes, or half of what they live), by one thread, while the others go on with the old ones. */
static void test_renewed_early(void **state)
{
    (void)state;
    begin(0, LIVES_S);
    vz_net_account *account = account_at(NULL);
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 1);
    http_sleep_ms(HALF_MS);
    chain.lives_s = 3600;
    chain.through = 0;
    chain.until_through = THREADS - 1; /* the new ones come when all others are through */
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 2);
    assert_true(chain.others >= THREADS - 1);
    vz_net_account_close(account);
}

/* Renewing fails while the old ones hold: they go on, and it is not tried with every request. */
static void test_not_renewed_early(void **state)
{
    (void)state;
    begin(0, LIVES_S);
    vz_net_account *account = account_at(NULL);
    assert_int_equal(prepare_at_once(account), 0);
    http_sleep_ms(HALF_MS);
    chain.fails = true;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 2);
    vz_net_account_close(account);
}

static void test_over(void **state)
{
    (void)state;
    begin(0, 1);
    vz_net_account *account = account_at(NULL);
    assert_int_equal(prepare_at_once(account), 0);
    http_sleep_ms(2100);
    const int calls = chain.calls; /* one, and more where the threads took longer than they live */
    chain.sleep_ms = 200;
    chain.lives_s = 3600;
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, calls + 1);
    assert_int_equal(chain.most_busy, 1);
    vz_net_account_close(account);
}

/* A failure is the answer to all who waited; later it is tried again. */
static void test_failure(void **state)
{
    (void)state;
    begin(100, 0);
    chain.fails = true;
    chain.until_entered = THREADS;
    vz_net_account *account = account_at(NULL);
    assert_int_equal(prepare_at_once(account), THREADS);
    assert_int_equal(chain.calls, 1);
    chain.fails = false;
    http_sleep_ms(VZ_FAILURE_KEPT_MS + 100);
    assert_int_equal(prepare_at_once(account), 0);
    assert_int_equal(chain.calls, 2);
    vz_net_account_close(account);
}

/* Equal settings share; other ones do not. */
static void test_shared(void **state)
{
    (void)state;
    begin(0, 0);
    vz_net_account *a = account_at("http://a"), *b = account_at("http://b");
    char text[40];
    assert_true(vz_net_account_source(a, text, sizeof text, NULL));
    assert_true(vz_net_account_source(b, text, sizeof text, NULL));
    assert_string_equal(text, "the test");
    assert_int_equal(chain.calls, 1);
    setenv("AWS_ACCESS_KEY_ID", "another", 1);
    vz_net_account *c = account_at("http://a");
    assert_true(vz_net_account_source(c, text, sizeof text, NULL));
    assert_int_equal(chain.calls, 2);
    aws_write(".aws/config", "[default]\nrole_arn=x\n");
    vz_net_account *d = account_at("http://a");
    assert_true(vz_net_account_source(d, text, sizeof text, NULL));
    assert_int_equal(chain.calls, 3);
    aws_write(".aws/config", NULL);
    vz_net_account_close(a);
    vz_net_account_close(b);
    vz_net_account_close(c);
    vz_net_account_close(d);
    for (int i = 0; i < 40; i++) { /* those without users do not pile up */
        begin(0, 0);
        vz_net_account_close(account_at(NULL));
    }
}

/* Who forks while another thread fetches fetches himself. */
static void test_fork(void **state)
{
    (void)state;
    begin(400, 0);
    vz_net_account *account = account_at(NULL);
    pthread_t thread;
    vz_net_signer *signer = vz_net_account_signer(account, "a-1", NULL);
    pthread_create(&thread, NULL, prepare, signer);
    while (chain.busy == 0)
        http_sleep_ms(1);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        _exit(signer->class->prepare(signer, NULL) && chain.calls == 2 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pthread_join(thread, NULL);
    assert_int_equal(chain.calls, 1);
    vz_net_account_close(account);
}

/* Many requests of many threads, whose token expires again and again. What expires twice meanwhile is told. */
static atomic_int went_well, expired_twice;

static char load_url[100];

static void *many_requests(void *argument)
{
    for (int i = 0; i < 20; i++) {
        const int status = do_request(argument, load_url, i % 2 ? "x" : NULL);
        went_well += status == 200;
        expired_twice += status == 403;
    }
    return NULL;
}

static void test_expiring_under_load(void **state)
{
    (void)state;
    begin(1, 3600);
    refuse(0, 403, "ExpiredToken");
    seen.every = 10;
    snprintf(load_url, sizeof load_url, "%s", http_url(&server, "/b"));
    vz_net_account *account = account_at(http_url(&server, ""));
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_create(&threads[i], NULL, many_requests, account);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(went_well + expired_twice, 80);
    assert_true(went_well >= 60);
    assert_true(chain.calls >= 2);
    assert_int_equal(chain.most_busy, 1);
    vz_net_account_close(account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signature),
        cmocka_unit_test(test_anonymous),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_bearer),
        cmocka_unit_test(test_signers),
        cmocka_unit_test(test_expired_in_the_middle),
        cmocka_unit_test(test_other_refusals),
        cmocka_unit_test(test_refused_and_not_renewed),
        cmocka_unit_test(test_wrong_clock),
        cmocka_unit_test(test_one_fetches),
        cmocka_unit_test(test_renewed_early),
        cmocka_unit_test(test_not_renewed_early),
        cmocka_unit_test(test_over),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_expiring_under_load),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    vz_provider_ask_instead(ask);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
