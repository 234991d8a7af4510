/* Where credentials come from: each source, in its order, against servers that stand for AWS's and Google's; and what
 * is said when one fails. */
#include "net/auth/auth_internal.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>
#include "net_sources_cases.h"
#include "net_sources_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- cases ---- */

/* SHA-1 of "corp", "late" and of the old start URL */
#define SHA1_CORP    "ee0bfd2552fbd840c02cc48b6e823320543c450f"
#define SHA1_LATE    "5d6200f8cf98af475edcac2c97f966ad156ed51f"
#define SHA1_RENEWED "b6e9e91e3757f963ffcaa159b4f6966a3b7f5c80"
#define SHA1_OLD     "33d5ca4bf3b1a62edb96b47f7c203034a43ac435"

static void write_files(const struct source_case *c)
{
    char text[1000], *config = c->config ? expand(c->config) : NULL;
    aws_write(".aws/credentials", c->credentials);
    aws_write(".aws/config", config);
    aws_write("other", "[default]\n" KEYS("OTHER"));
    aws_write("token", " eyJ." SECRET "\n");
    snprintf(text, sizeof text, "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"%s\"}", aws_time(600));
    aws_write(".aws/sso/cache/" SHA1_CORP ".json", text);
    aws_write(".aws/sso/cache/" SHA1_OLD ".json", text);
    aws_write(".aws/sso/cache/" SHA1_LATE ".json",
              "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"2020-06-17T10:02:08UTC\"}");
    snprintf(text, sizeof text,
             "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"2020-06-17T10:02:08Z\",\"clientId\":\"client\","
             "\"clientSecret\":\"" SECRET "-client\",\"refreshToken\":\"" SECRET "-old\",\"kept\":[1],"
             "\"registrationExpiresAt\":\"%s\"}",
             aws_time(86400));
    aws_write(".aws/sso/cache/" SHA1_RENEWED ".json", text);
    free(config);
}

static void check(const struct source_case *c, vz_auth_source_result result, const vz_auth_keys *keys,
                  const vz_error *err)
{
    const vz_auth_source_result expected = !c->key ? VZ_SOURCE_FAILED : *c->key ? VZ_SOURCE_FOUND : VZ_SOURCE_NONE;
    if (result != expected || err->class != c->class)
        fail_msg("%s: result %d, class %d, %s", c->name, result, err->class, err->text);
    if (strstr(err->text, SECRET) || strstr(keys->source, SECRET))
        fail_msg("%s: a secret in %s", c->name, err->text);
    if (c->said && !strstr(c->key ? keys->source : err->text, c->said))
        fail_msg("%s: %s is not in %s", c->name, c->said, c->key ? keys->source : err->text);
    if (result == VZ_SOURCE_FOUND && (strcmp(keys->access_key, c->key) != 0 || strcmp(keys->secret_key, SECRET) != 0))
        fail_msg("%s: %s", c->name, keys->access_key);
    if (c->first_seen && strncmp(what_was(asked.seen), c->first_seen, strlen(c->first_seen)) != 0)
        fail_msg("%s: asked %s", c->name, what_was(asked.seen));
}

static void run(const struct source_case *c)
{
    vz_auth_keys keys = {0};
    vz_error err = VZ_ERROR_NONE;
    set_environment(c->environment);
    /* A busy machine may answer late: a second is all that is waited where nothing is said. */
    if (strcmp(c->mode, "slow") == 0)
        unsetenv("AWS_METADATA_SERVICE_TIMEOUT");
    else
        setenv("AWS_METADATA_SERVICE_TIMEOUT", "60", 1);
    write_files(c);
    note_nothing(c->mode);
    const vz_net_account_options options = {.profile = c->profile};
    vz_auth_settings *settings = vz_auth_settings_read(&options, &err);
    const vz_auth_source_result result = settings ? vz_auth_source_chain(settings, &keys, &err) : VZ_SOURCE_FAILED;
    check(c, result, &keys, &err);
    vz_auth_keys_clear(&keys);
    vz_auth_settings_free(settings);
}

static void test_cases(void **state)
{
    (void)state;
    unlink("/tmp/vz-injected");
    for (size_t i = 0; i < COUNT(cases); i++)
        run(&cases[i]);
    assert_int_not_equal(access("/tmp/vz-injected", F_OK), 0);
}

/* AssumeRole is signed with the keys of the source profile, for the region of the profile, with its token. */
static void test_role_signed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "role") != 0)
            continue;
        run(&cases[i]);
        assert_non_null(strstr(what_was(asked.authorization), "AWS4-HMAC-SHA256 Credential=BASE/"));
        assert_non_null(strstr(what_was(asked.authorization), "/eu-west-1/sts/aws4_request, "));
        assert_non_null(
            strstr(what_was(asked.authorization), "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,"));
    }
}

/* What was renewed is kept for AWS's own programs, for nobody else to read, and is not renewed again. */
static void test_renewed_is_kept(void **state)
{
    (void)state;
    char path[300], text[2000] = "";
    struct stat status;
    snprintf(path, sizeof path, "%s/.aws/sso/cache/" SHA1_RENEWED ".json", aws_home);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "SSO, token renewed") != 0)
            continue;
        run(&cases[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
        assert_non_null(strstr(text, SECRET "-new"));
        assert_non_null(strstr(text, SECRET "-next"));
        assert_non_null(strstr(text, SECRET "-client"));
        assert_non_null(strstr(text, "\"kept\""));
        assert_null(strstr(text, SECRET "-old"));
        vz_auth_keys keys = {0};
        const vz_net_account_options options = {.profile = "s"};
        vz_auth_settings *settings = vz_auth_settings_read(&options, NULL);
        note_nothing("");
        assert_int_equal(vz_auth_source_chain(settings, &keys, NULL), VZ_SOURCE_FOUND);
        assert_int_equal(strncmp(what_was(asked.seen), "GET /federation/", 16), 0);
        vz_auth_keys_clear(&keys);
        vz_auth_settings_free(settings);
    }
}

/* Runs the chain where no file can be written; what was said on stderr. */
static void run_without_room(const char *profile, char *said, size_t size)
{
    int ends[2];
    struct rlimit before;
    vz_auth_keys keys = {0};
    const vz_net_account_options options = {.profile = profile};
    vz_auth_settings *settings = vz_auth_settings_read(&options, NULL);
    fflush(stderr);
    const int own = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const vz_auth_source_result result = vz_auth_source_chain(settings, &keys, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    fflush(stderr);
    dup2(own, STDERR_FILENO);
    close(own);
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1); /* less than a pipe holds, and an end behind it */
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(result, VZ_SOURCE_FOUND);
    assert_string_equal(keys.access_key, "SSO");
    vz_auth_keys_clear(&keys);
    vz_auth_settings_free(settings);
}

/* The keys are there all the same. It is said once, what could not be written and why, and no secret. */
static void test_not_kept_is_told(void **state)
{
    (void)state;
    char path[300], said[1000];
    snprintf(path, sizeof path, "%s/.aws/sso/cache/" SHA1_RENEWED ".json", aws_home);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "SSO, token renewed") != 0)
            continue;
        set_environment(cases[i].environment);
        for (unsigned time = 0; time < 2; time++) {
            write_files(&cases[i]);
            note_nothing(cases[i].mode);
            run_without_room("s", said, sizeof said);
            assert_int_equal(strncmp(what_was(asked.seen), "POST /token", 11), 0);
            assert_null(strstr(said, SECRET));
            assert_int_equal(strstr(said, path) != NULL, time == 0);
            assert_int_equal(strstr(said, strerror(EFBIG)) != NULL, time == 0);
        }
    }
}

/* The token of the file goes along, not that of the variable. */
static void test_container_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (strcmp(cases[i].name, "container with a token of a file") == 0) {
            run(&cases[i]);
            assert_string_equal(what_was(asked.authorization), "eyJ." SECRET);
        }
}

static void test_container_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *url; /* NULL: refused */
    } hosts[] = {
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/x?y", "http://169.254.170.2/v2/x?y"},
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x\nAWS_CONTAINER_CREDENTIALS_FULL_URI=http://h/",
         "http://169.254.170.2/x"},
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=https://any.example/x", "https://any.example/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:80/x", "http://localhost:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.1.2.3:80/x", "http://127.1.2.3:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://[::1]:80/x", "http://[::1]:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1/credentials",
         "http://169.254.170.23/v1/credentials"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://[fd00:ec2::23]/v1", "http://[fd00:ec2::23]/v1"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.169.254/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.2.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=ftp://localhost/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=localhost", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http:", NULL},
    };
    for (size_t i = 0; i < COUNT(hosts); i++) {
        vz_error err = VZ_ERROR_NONE;
        set_environment(hosts[i].environment);
        vz_auth_settings *settings = vz_auth_settings_read(&(vz_net_account_options){0}, &err);
        char *url = vz_auth_container_url(settings, &err);
        if (!url != !hosts[i].url || (url && strcmp(url, hosts[i].url) != 0))
            fail_msg("%s: %s", hosts[i].environment, url ? url : err.text);
        free(url);
        vz_auth_settings_free(settings);
    }
}

/* Nobody there costs a second: had it waited for the answer, there would be keys. */
static void test_instance_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "instance that is slow") != 0)
            continue;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        run(&cases[i]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double s = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
        assert_true(s > 0.9);
    }
}

static void test_settings(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *config;
        vz_net_account_options options;
        const char *endpoint, *region;
        const char *said; /* it fails */
    } settings[] = {
        {"", NULL, {0}, NULL, NULL},
        {"AWS_REGION=a-1\nAWS_DEFAULT_REGION=b-1", NULL, {0}, NULL, "a-1"},
        {"AWS_DEFAULT_REGION=b-1", "[default]\nregion=c-1\n", {0}, NULL, "b-1"},
        {"", "[default]\nregion=c-1\n", {0}, NULL, "c-1"},
        {"AWS_REGION=a-1", NULL, {.region = "o-1", .endpoint = ""}, NULL, "o-1"},
        {"AWS_REGION=a-1\nAWS_ENDPOINT_URL=@", NULL, {.service = VZ_NET_GS}, NULL, NULL},
        {"AWS_ENDPOINT_URL=http://g\nAWS_ENDPOINT_URL_S3=http://s", NULL, {0}, "http://s", NULL},
        {"AWS_ENDPOINT_URL=http://g", NULL, {0}, "http://g", NULL},
        {"AWS_ENDPOINT_URL=http://g", NULL, {.endpoint = "http://o"}, "http://o", NULL},
        {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true\nAWS_ENDPOINT_URL=http://g",
         "[default]\nendpoint_url=http://p\n",
         {0},
         NULL,
         NULL},
        {"", "[default]\nendpoint_url=http://p\n", {0}, "http://p", NULL},
        {"",
         "[default]\nendpoint_url=http://p\nservices=l\n[services l]\ns3 =\n  endpoint_url=http://q\n",
         {0},
         "http://q",
         NULL},
        {"", "[profile x]\nendpoint_url=http://p\nregion=x-1\n", {.profile = "x"}, "http://p", "x-1"},
        {"AWS_ENDPOINT_URL=http://u:" SECRET "/h", NULL, {0}, NULL, NULL, "AWS_ENDPOINT_URL"},
        {"AWS_REGION=evil.example/" SECRET, NULL, {0}, NULL, NULL, "AWS_REGION"},
        {"", "[default]\nendpoint_url=ftp://" SECRET "\n", {0}, NULL, NULL, "endpoint_url of the profile"},
    };
    for (size_t i = 0; i < COUNT(settings); i++) {
        vz_error err = VZ_ERROR_NONE;
        set_environment(settings[i].environment);
        write_files(&(struct source_case){.config = settings[i].config});
        vz_net_account *account = vz_net_account_open(&settings[i].options, &err);
        if (!account != !!settings[i].said)
            fail_msg("%zu: %s", i, err.text);
        if (!account) {
            assert_non_null(strstr(err.text, settings[i].said));
            assert_null(strstr(err.text, SECRET));
            continue;
        }
        const char *endpoint = vz_net_account_endpoint(account), *region = vz_net_account_region(account);
        if (strcmp(endpoint ? endpoint : "", settings[i].endpoint ? settings[i].endpoint : "") != 0 ||
            strcmp(region ? region : "", settings[i].region ? settings[i].region : "") != 0)
            fail_msg("%zu: %s, %s", i, endpoint, region);
        vz_net_account_close(account);
    }
}

static void test_google(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *access_key, *bearer;
        vz_auth_source_result result;
    } google[] = {
        {"", NULL, NULL, VZ_SOURCE_NONE},
        {"AWS_ACCESS_KEY_ID=A\nAWS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL, VZ_SOURCE_NONE},
        {"GS_ACCESS_KEY_ID=GOOG\nGS_SECRET_ACCESS_KEY=" SECRET, "GOOG", NULL, VZ_SOURCE_FOUND},
        {"GS_ACCESS_KEY_ID=GOOG", NULL, NULL, VZ_SOURCE_FAILED},
        {"GS_NO_SIGN_REQUEST=1\nGS_ACCESS_KEY_ID=GOOG\nGS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL, VZ_SOURCE_NONE},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=#", NULL, "ya29." SECRET, VZ_SOURCE_FOUND},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=127.0.0.1:1", NULL, NULL, VZ_SOURCE_NONE},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=evil/x", NULL, NULL, VZ_SOURCE_FAILED},
        {"GOOGLE_APPLICATION_CREDENTIALS=/x.json", NULL, NULL, VZ_SOURCE_FAILED},
    };
    for (size_t i = 0; i < COUNT(google); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_auth_keys keys = {0};
        char host[40];
        set_environment(google[i].environment);
        snprintf(host, sizeof host, "127.0.0.1:%d", server.port);
        if (getenv("GCE_METADATA_HOST") && *getenv("GCE_METADATA_HOST") == '#')
            setenv("GCE_METADATA_HOST", host, 1);
        note_nothing("");
        vz_auth_settings *settings = vz_auth_settings_read(&(vz_net_account_options){.service = VZ_NET_GS}, &err);
        assert_non_null(settings);
        const vz_auth_source_result result = vz_auth_source_chain(settings, &keys, &err);
        if (result != google[i].result || (result == VZ_SOURCE_FAILED) != (err.class != VZ_OK))
            fail_msg("%zu: %d %s", i, result, err.text);
        assert_null(strstr(err.text, SECRET));
        if (google[i].access_key)
            assert_string_equal(keys.access_key, google[i].access_key);
        if (google[i].bearer)
            assert_string_equal(keys.bearer, google[i].bearer);
        vz_auth_keys_clear(&keys);
        vz_auth_settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),           cmocka_unit_test(test_role_signed),
        cmocka_unit_test(test_renewed_is_kept), cmocka_unit_test(test_not_kept_is_told),
        cmocka_unit_test(test_container_token), cmocka_unit_test(test_container_hosts),
        cmocka_unit_test(test_instance_time),   cmocka_unit_test(test_settings),
        cmocka_unit_test(test_google),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
