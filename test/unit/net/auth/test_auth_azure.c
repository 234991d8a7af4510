/* Azure's storage: signatures of the scheme Shared Key (texts of Azure's documentation, "Authorize with Shared Key",
 * and others; the signatures by Python's hmac of those texts), which account the environment says, and where a SAS
 * goes. */
#include "net/auth/sign_internal.h"
#include "net/auth/auth_internal.h"
#include "base/util/http_date.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "aws_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define KEY          "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
#define SAS          "sv=2021-12-02&sp=rl&sig=" SECRET "%3D"
#define DATE         "x-ms-date: Fri, 26 Jun 2015 23:39:12 GMT"
#define DATED        "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
#define HOST         "https://myaccount.blob.core.windows.net"

static const struct {
    const char *method, *url, *account, *headers[6];
    size_t body;
    const char *text, *signature;
} vectors[] = {
    {"GET",
     HOST "/mycontainer?restype=container&comp=metadata&timeout=20",
     "myaccount",
     {DATE, "x-ms-version: 2015-02-21"},
     0,
     "GET\n\n\n\n\n\n\n\n\n\n\n\n" DATED "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20",
     "1u9lui2jDxj0+fpbHjQ5m5NnastJRSYM+PSmfi8TXx4="},
    {"GET",
     HOST "/mycontainer?restype=container&comp=list&include=snapshots&include=metadata&include=uncommittedblobs",
     "myaccount",
     {"X-MS-Version:2015-02-21", DATE},
     0,
     "GET\n\n\n\n\n\n\n\n\n\n\n\n" DATED "/myaccount/mycontainer\ncomp:list\n"
     "include:metadata,snapshots,uncommittedblobs\nrestype:container",
     "qthaFu+XRMRab2FfKeut5XZl1/nvdAhqiaOupMDoYWg="},
    {"PUT",
     HOST "/c/a%20b/%C3%A4%2B",
     "myaccount",
     {"x-ms-version: 2015-02-21", "If-None-Match: *", "Content-Type: application/octet-stream",
      "x-ms-blob-type: BlockBlob", DATE},
     11,
     "PUT\n\n\n11\n\napplication/octet-stream\n\n\n\n*\n\n\nx-ms-blob-type:BlockBlob\n" DATED
     "/myaccount/c/a%20b/%C3%A4%2B",
     "9fcXgV/emhGng45VQKVF/kfIzJYJ+f0qeZoYqwq348c="},
    {"GET",
     "http://127.0.0.1:10000/devstoreaccount1/c/x",
     "devstoreaccount1",
     {DATE, "Range: bytes=0-9", "If-Match: \"0x8D\"", "x-ms-version: 2015-02-21"},
     0,
     "GET\n\n\n\n\n\n\n\n\"0x8D\"\n\n\nbytes=0-9\n" DATED "/devstoreaccount1/devstoreaccount1/c/x",
     "bEOSmY6PTT7464BB+wxS0j0Zr5u1yVVtVgEjnVmTNVk="},
    {"PUT",
     HOST "/c/b",
     "myaccount",
     {DATE, "x-ms-version: 2015-02-21", "x-ms-copy-source: https://h/c/a"},
     0,
     "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-copy-source:https://h/c/a\n" DATED "/myaccount/c/b",
     "stoDnnoVTQlx1WEQhvhQ+8Y6wBvzOcnGLW3YWUvpNRs="},
    {"GET",
     HOST "/c?prefix=x%20y%2F%C3%A4&delimiter=%2F&marker=2%2176%21a%2Bb%3D&comp=list",
     "myaccount",
     {DATE, "x-ms-version: 2015-02-21"},
     0,
     "GET\n\n\n\n\n\n\n\n\n\n\n\n" DATED "/myaccount/c\ncomp:list\ndelimiter:/\nmarker:2!76!a+b=\nprefix:x y/\xc3\xa4",
     "e7SOqU+bYiuQJxQvxQhxGMai+NSmbl2wrpfK+v+nIBs="},
};

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        char expected[128];
        vz_buffer text = {0}, authorization = {0};
        vz_error err = VZ_ERROR_NONE;
        vz_auth_shared_key_request request = {vectors[i].method, vectors[i].url, vectors[i].headers, 0,
                                              vectors[i].body};
        while (vectors[i].headers[request.header_count])
            request.header_count++;
        assert_true(vz_auth_shared_key_text(&request, vectors[i].account, &text, &err));
        assert_true(vz_buffer_append(&text, "", 1, NULL));
        assert_string_equal((const char *)text.data, vectors[i].text);
        assert_true(vz_auth_shared_key_authorize(&request, vectors[i].account, KEY, &authorization, &err));
        assert_true(vz_buffer_append(&authorization, "", 1, NULL));
        snprintf(expected, sizeof expected, "SharedKey %s:%s", vectors[i].account, vectors[i].signature);
        assert_string_equal((const char *)authorization.data, expected);
        vz_buffer_clear(&text);
        vz_buffer_clear(&authorization);
    }
}

/* ---- which account ---- */

static const struct setting {
    const char *variables[4]; /* name, value ... */
    const char *option_endpoint, *option_account, *named;
    bool anonymous;
    const char *account, *endpoint, *source; /* source NULL: none; account NULL: it fails, and */
    vz_error_class class;
} settings[] = {
    {{"AZURE_STORAGE_ACCOUNT", "a1"}, .account = "a1", .endpoint = "https://a1.blob.core.windows.net"},
    {{"AZURE_STORAGE_ACCOUNT_NAME", "a1", "AZURE_STORAGE_ACCOUNT_KEY", KEY},
     .account = "a1",
     .endpoint = "https://a1.blob.core.windows.net",
     .source = "AZURE_STORAGE_ACCOUNT_KEY"},
    {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", "?" SAS},
     .account = "a1",
     .endpoint = "https://a1.blob.core.windows.net",
     .source = "AZURE_STORAGE_SAS_TOKEN"},
    {{"AZURE_STORAGE_CONNECTION_STRING",
      "DefaultEndpointsProtocol=https;AccountName=a1;AccountKey=" KEY ";EndpointSuffix=core.chinacloudapi.cn;"},
     .account = "a1",
     .endpoint = "https://a1.blob.core.chinacloudapi.cn",
     .source = "AZURE_STORAGE_CONNECTION_STRING"},
    {{"AZURE_STORAGE_CONNECTION_STRING", "blobendpoint=https://a1.blob.core.windows.net/;SharedAccessSignature=" SAS,
      "AZURE_STORAGE_KEY", KEY},
     .account = "a1",
     .endpoint = "https://a1.blob.core.windows.net",
     .source = "AZURE_STORAGE_CONNECTION_STRING"},
    {{"AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true"},
     .account = "devstoreaccount1",
     .endpoint = "http://127.0.0.1:10000/devstoreaccount1",
     .source = "AZURE_STORAGE_CONNECTION_STRING"},
    {.option_endpoint = "http://127.0.0.1:1/x1/", .account = "x1", .endpoint = "http://127.0.0.1:1/x1"},
    {.option_endpoint = "https://x2.privatelink.example.org",
     .account = "x2",
     .endpoint = "https://x2.privatelink.example.org"},
    {{"AZURE_STORAGE_KEY", KEY},
     .option_account = "o1",
     .account = "o1",
     .endpoint = "https://o1.blob.core.windows.net",
     .source = "AZURE_STORAGE_KEY"},
    {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_KEY", KEY},
     .named = "a1",
     .account = "a1",
     .endpoint = "https://a1.blob.core.windows.net",
     .source = "AZURE_STORAGE_KEY"},
    {.named = "n1.dfs.core.windows.net", .account = "n1", .endpoint = "https://n1.blob.core.windows.net"},
    {.named = "n1.z7.blob.storage.azure.net", .account = "n1", .endpoint = "https://n1.z7.blob.storage.azure.net"},
    /* what is one account's goes to no other */
    {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_KEY", KEY},
     .named = "n1.blob.core.windows.net",
     .class = VZ_PERMISSION},
    {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", SAS}, .option_account = "o1", .class = VZ_PERMISSION},
    {{"AZURE_STORAGE_SAS_TOKEN", SAS}, .named = "n1", .class = VZ_PERMISSION},
    {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_KEY", KEY},
     .named = "n1.blob.core.windows.net",
     .anonymous = true,
     .account = "n1",
     .endpoint = "https://n1.blob.core.windows.net"},
    {{"AZURE_STORAGE_CONNECTION_STRING", "AccountName=a1;AccountKey=" KEY ";BlobEndpoint=https://private.example.org"},
     .named = "n1",
     .anonymous = true,
     .account = "n1",
     .endpoint = "https://n1.blob.core.windows.net"},
    {.named = "n1.blob.core.windows.net.example.org", .class = VZ_INVALID},
    {.named = "n1.example.org", .class = VZ_INVALID},
    {{"AZURE_STORAGE_CONNECTION_STRING", "AccountKey"}, .class = VZ_INVALID},
    {{"AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint=" SECRET}, .class = VZ_INVALID},
    {{"AZURE_STORAGE_CONNECTION_STRING", "AccountName=a1;EndpointSuffix=a?b"}, .class = VZ_INVALID},
    {{"AZURE_STORAGE_ACCOUNT", "a.b"}, .class = VZ_INVALID},
    {{NULL}, .class = VZ_INVALID},
};

static void set_environment(const struct setting *s)
{
    aws_forget_environment();
    for (size_t i = 0; i < COUNT(s->variables) && s->variables[i]; i += 2)
        setenv(s->variables[i], s->variables[i + 1], 1);
}

static void test_accounts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const struct setting *s = &settings[i];
        vz_error err = VZ_ERROR_NONE;
        vz_auth_keys keys = {0};
        print_message("%zu\n", i);
        set_environment(s);
        const vz_net_account_options asked = {VZ_NET_AZ, .endpoint = s->option_endpoint, .named = s->named,
                                              .account = s->option_account, .anonymous = s->anonymous};
        vz_auth_settings *read = vz_auth_settings_read(&asked, &err);
        assert_int_equal(err.class, s->class);
        assert_null(strstr(err.text, SECRET));
        assert_null(strstr(err.text, KEY));
        assert_int_equal(read != NULL, s->account != NULL);
        if (read) {
            assert_string_equal(read->account, s->account);
            assert_string_equal(read->endpoint, s->endpoint);
            assert_int_equal(vz_auth_source_chain(read, &keys, &err), s->source ? VZ_SOURCE_FOUND : VZ_SOURCE_NONE);
            assert_string_equal(keys.source, s->source ? s->source : "");
        }
        vz_auth_keys_clear(&keys);
        vz_auth_settings_free(read);
    }
}

static void test_no_credentials(void **state)
{
    static const struct setting cases[] = {
        {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_KEY", SECRET "!"}},
        {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", "sv=" SECRET}},
        {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", "sv=1 2&sig=" SECRET}},
        {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=" SECRET "#x"}},
        {{"AZURE_STORAGE_ACCOUNT", "a1", "AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=" SECRET "\n"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_auth_keys keys = {0};
        set_environment(&cases[i]);
        vz_auth_settings *read = vz_auth_settings_read(&(vz_net_account_options){.service = VZ_NET_AZ}, &err);
        assert_non_null(read);
        assert_int_equal(vz_auth_source_chain(read, &keys, &err), VZ_SOURCE_FAILED);
        assert_int_equal(err.class, VZ_INVALID);
        assert_non_null(strstr(err.text, cases[i].variables[2]));
        assert_null(strstr(err.text, SECRET));
        vz_auth_keys_clear(&keys);
        vz_auth_settings_free(read);
    }
}

/* ---- what is sent ---- */

static struct {
    char path[300], authorization[200], source[300], date[60], *answer_date;
    unsigned count, refuse;
} seen;

static http_after answer(http_call *call)
{
    char line[120] = "";
    seen.count++;
    snprintf(seen.path, sizeof seen.path, "%.299s", call->path);
    seen.authorization[0] = seen.source[0] = '\0';
    http_header(call, "Authorization", seen.authorization, sizeof seen.authorization);
    http_header(call, "x-ms-copy-source", seen.source, sizeof seen.source);
    http_header(call, "x-ms-date", seen.date, sizeof seen.date);
    if (seen.refuse == 0)
        return http_respond(call, 200, "", "ok", 2);
    seen.refuse--;
    snprintf(line, sizeof line, "x-ms-error-code: AuthenticationFailed\r\nDate: %s\r\n", seen.answer_date);
    return http_respond(call, 403, line, "", 0);
}

static http_server server;

/* The class of the failure; VZ_OK: it was answered. */
static vz_error_class ask(vz_net_account *account, const char *url, const char *header)
{
    vz_error err = VZ_ERROR_NONE;
    vz_net_request request = {.method = header ? VZ_NET_PUT : VZ_NET_GET,
                              .url = url,
                              .headers = &header,
                              .header_count = header != NULL,
                              .signer = vz_net_account_signer(account, "auto", &err)};
    assert_non_null(request.signer);
    vz_net_do(&(vz_net_options){.attempts = 1}, &request, &err);
    assert_null(strstr(err.text, SECRET));
    assert_null(strstr(request.why, SECRET));
    vz_net_request_clear(&request);
    return err.class;
}

static vz_net_account *account_with(const char *name, const char *value, const char *endpoint)
{
    vz_error err = VZ_ERROR_NONE;
    set_environment(&(struct setting){{"AZURE_STORAGE_ACCOUNT", "a1", name, value}});
    vz_net_account *account =
        vz_net_account_open(&(vz_net_account_options){.service = VZ_NET_AZ, .endpoint = endpoint}, &err);
    if (!account)
        fail_msg("%s", err.text);
    return account;
}

static void test_sas(void **state)
{
    (void)state;
    vz_net_account *account = account_with("AZURE_STORAGE_SAS_TOKEN", SAS, http_url(&server, "/a1"));
    assert_int_equal(ask(account, http_url(&server, "/a1/c/x"), NULL), VZ_OK);
    assert_string_equal(seen.path, "/a1/c/x?" SAS);
    assert_int_equal(ask(account, http_url(&server, "/a1/c?comp=list"), NULL), VZ_OK);
    assert_string_equal(seen.path, "/a1/c?comp=list&" SAS);
    assert_string_equal(seen.authorization, "");
    assert_int_equal(ask(account, http_url(&server, "/a1/c/y"), "x-ms-copy-source: http://h/c/x"), VZ_OK);
    assert_string_equal(seen.source, "http://h/c/x?" SAS);
    /* nobody else gets it, and nobody sees it on its way */
    const unsigned count = seen.count;
    assert_int_equal(ask(account, "http://127.0.0.1:1/a1/c/x", NULL), VZ_PERMISSION);
    assert_int_equal(ask(account, "http://localhost.example.org/a1/c/x", NULL), VZ_PERMISSION);
    vz_net_account_close(account);
    static const char *const open_hosts[] = {"http://azure.invalid", "http://127.0.0.1.azure.invalid",
                                             "http://localhost.azure.invalid"};
    for (size_t i = 0; i < COUNT(open_hosts); i++) {
        account = account_with("AZURE_STORAGE_SAS_TOKEN", SAS, open_hosts[i]);
        assert_int_equal(ask(account, open_hosts[i], NULL), VZ_PERMISSION);
        vz_net_account_close(account);
    }
    assert_int_equal(seen.count, count);
    account = account_with("AZURE_STORAGE_SAS_TOKEN", SAS, "https://127.0.0.1:1"); /* a failure names the place alone */
    assert_int_equal(ask(account, "https://127.0.0.1:1/c/x", NULL), VZ_IO);
    vz_net_account_close(account);
}

static void test_shared_key(void **state)
{
    (void)state;
    vz_net_account *account = account_with("AZURE_STORAGE_KEY", KEY, http_url(&server, "/a1"));
    assert_int_equal(ask(account, http_url(&server, "/a1/c/x?comp=block"), NULL), VZ_OK);
    assert_string_equal(seen.path, "/a1/c/x?comp=block");
    char line[80];
    snprintf(line, sizeof line, "x-ms-date: %s", seen.date);
    const char *headers[] = {line};
    const vz_auth_shared_key_request request = {"GET", http_url(&server, "/a1/c/x?comp=block"), headers, 1, 0};
    vz_buffer expected = {0};
    assert_true(vz_auth_shared_key_authorize(&request, "a1", KEY, &expected, NULL) &&
                vz_buffer_append(&expected, "", 1, NULL));
    assert_string_equal(seen.authorization, (const char *)expected.data);
    vz_buffer_clear(&expected);
    vz_net_account_close(account);
}

/* A clock that is wrong is corrected once; a key that is wrong is refused once. */
static void test_wrong_clock(void **state)
{
    (void)state;
    vz_net_account *account = account_with("AZURE_STORAGE_KEY", KEY, http_url(&server, "/a1"));
    char date[60];
    const time_t now = time(NULL), theirs = now + 3600;
    struct tm parts;
    seen.answer_date = date;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
    seen.count = 0;
    seen.refuse = 2;
    assert_int_equal(ask(account, http_url(&server, "/a1/c/x"), NULL), VZ_OK);
    assert_int_equal(seen.count, 1);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&theirs, &parts));
    seen.count = 0;
    seen.refuse = 1;
    assert_int_equal(ask(account, http_url(&server, "/a1/c/x"), NULL), VZ_OK);
    assert_int_equal(seen.count, 2);
    int64_t dated = 0;
    assert_true(vz_http_date_parse(seen.date, &dated));
    assert_true(dated > now + 1800); /* by the server's clock */
    vz_net_account_close(account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_accounts),   cmocka_unit_test(test_no_credentials),
        cmocka_unit_test(test_sas),     cmocka_unit_test(test_shared_key), cmocka_unit_test(test_wrong_clock),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
