/* Accounts: credentials fetched once and renewed in time, by one thread. */
#include "net/auth/auth_internal.h"
#include "net/auth/sign_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "net_account_chain.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    vz_provider_set_chain(ask);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
