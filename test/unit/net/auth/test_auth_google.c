/* test_auth_google.c - files that GOOGLE_APPLICATION_CREDENTIALS names: what is asked with them, of a server that looks
 * at the signature by the cryptographic library's own means. */
#include "net/auth/auth_internal.h"
#include "base/util/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <cmocka.h>
#include "aws_support.h"

/* Of these tests alone; and what `openssl dgst -sha256 -sign` makes of MESSAGE with it. */
#define MESSAGE "vol-zarr signs this"
static const char private_key[] = "-----BEGIN PRIVATE KEY-----\n"
                                  "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDAZIzSpjw2TYys\n"
                                  "lPyO2pMo3IgAqGnPzui7050HaCbY9/VMUUfIlqCRiIClMrGKeObjqTx2b1OyFxKY\n"
                                  "Sg2pRbrVfuSVxvAV66VibdGDtal1eCaSMhUpmMwskSMwKRP+kqnGR0qJQNm2rth8\n"
                                  "RCOwjzy1AXxWjq3WMMBQBod4vW8Sp16Ll3OMXMXFaDAKCCgdb+peg9t2LESVXXZD\n"
                                  "p7aFPp1OtPav6mIlTCfKxgFDldyZ1o3MJplG5u99fhHC2esJVJynWx7igydbsYzP\n"
                                  "DsKYXgASswccYqco2te9erfmxamDKFVIcwsuRjEm7ao+4Sv1K3Ry72GRJj9xkMb7\n"
                                  "V67b9wZzAgMBAAECggEASWHQyMP5MWkw397P2hkKikpbYYzbFxU/dezH9zxFnPou\n"
                                  "yNYzwBGb2waqstf8Gen1fx5c3nul+8aLJCUSwt7C3Y3R2EMR7fp8kWd7w3X11cVn\n"
                                  "SNnrcntCXTlap5LzemUsdmFYz7M5l1FnZzaCOmTX7d5MM6OmMI1VvPBQmb//bqhX\n"
                                  "U/ZBX1GW3dNSqcM1Tp84aI6N33XJU+gio2TWi7btpk5cL74+14cCiU0conW/Bn3p\n"
                                  "WzXqhY2hpAQYprAu9uWaRFMgYH3Wgg/ugl3v9C8/0lCa+jOj4CdBKeUJNFQ66Loq\n"
                                  "bqQ25AAsHnv4nR84qenJYEc+v88NPljw3qAmlL6U+QKBgQD8iPhWyFcWRoexw042\n"
                                  "q5JUM55oLEt/2BAlgGpyAb9X/kcXe77MJQQ/FtzDorfDQe04ZMOBBOG/kaqnXKgs\n"
                                  "XnLMtOdibRtNo+VIns24eba2F4WLOgAH7VjRPhiyn4pDBn3BP9N6516H2gh4JuNB\n"
                                  "Pl5fbp/pLGyVylWizj3Kgr1vJQKBgQDDCFSFpoch/QGGxo8FfRWlkplvf8qT9BE+\n"
                                  "vi9+aXLn5spykvLK1oIpE3Hj3k+g17j/HsjDHiTHhpVwabqvDx4PTNERSmaKImeU\n"
                                  "OHvCa24M+ocxsEdhKZg8QJTl5TgRyt4Zqchrrs/RiqtiCC5cLN4cPHoqaotXUeYy\n"
                                  "xjzvc3tXtwKBgEZMyvU9qCCnWbb+q5NEh+OwyvQtAIeCWlxWN0uteNrCCoBbDm4+\n"
                                  "D8SQVLyRW56bh7IfOt17wmxV3K/id16CnGqoIZGg1ezzJyzkKFimaVqfiamMZ93N\n"
                                  "EOCO7Mks6IxoDjHx1qlsJ0CiTaFFEhZjiln+rb13hHLedKBx0XnCk4GRAoGAWN0h\n"
                                  "zefLqLPkDynHnuOYimGaodAjWHibpu/3Ke0YGwvwcHX+RGeq1NZ0TTRNKedA9pVr\n"
                                  "OmQws+zhiF/UXNFRi/0fQXaZ9BSrB0EZOsPCWA2Krhw42c+e+s0eSwW/H3RE8IKI\n"
                                  "vG/hZwN9BWTe4sbayRjRPSRgqv+5GKd0ulHvAE8CgYAjVsgRBoPRNYOgGz/LOzPQ\n"
                                  "ZZLLcIBZmTpgESEzIDAktsB6JdhCjBs4BGZO+DQGAGtv9iAytRcgAk/+mxw/nJ0v\n"
                                  "/JthDJU/cUpxLzG2q5rnFIX4BahlLWJYGdyF3OuIEsX4uclabXR3VYuMsAwr/RJ3\n"
                                  "H/fjhxaLIwe3GqWQUcxXoQ==\n"
                                  "-----END PRIVATE KEY-----\n";
static const char signature[] =
    "KUPwYncJlW3KHwPFm7MmnjLap98JW5ufKxLQKmynu0tbjE9wkTw6sKMFT13sDTkOGFQ1p6fT11yKbQ7AM4SpIoedphxkbTatQRQp"
    "2NyWt69hNHDJoh02FDxlOPMpsFkTE4AzASemFqEaJo+2W9+4xW8KDNPvSIj1j3gDCD7czAsqpTkRSdvH8C7jsC/xv5sx9eXVPsi5"
    "NXG9nTQKuZGvAagmb0/V3Den2PAnycssDSwbdkt0EZhnMIIhMGnOngVcE7svY6M3RAlL4lF6xpd+gIw5Sn0DrblB+6Ca5Tp9sTNP"
    "gFYEJmQlmqr8Qh3WnajidgpVUVSkyGM9PQfC+x9oHQ==";

static http_server server;
static char body[8192];
static _Atomic(int) status;

static http_after answer(http_call *call)
{
    static const char token[] = "{\"access_token\":\"ya29." SECRET "\",\"expires_in\":3599,\"token_type\":\"Bearer\"}";
    snprintf(body, sizeof body, "%.*s", (int)call->body_size, (const char *)call->body);
    return status == 200 ? http_respond(call, 200, "", token, strlen(token))
                         : http_respond(call, status, "", SECRET, strlen(SECRET));
}

/* ---- what was asked ---- */

/* Up to the next dot or the end; *at moves behind it. */
static vz_buffer take_part(const char **at)
{
    const size_t length = strcspn(*at, ".");
    char *text = calloc(1, length + 4);
    memcpy(text, *at, length);
    for (char *p = text; *p; p++)
        *p = *p == '-' ? '+' : *p == '_' ? '/' : *p;
    while (strlen(text) % 4)
        strcat(text, "=");
    vz_buffer out = {0};
    assert_true(vz_base64_decode(text, strlen(text), &out, NULL));
    free(text);
    *at += length + ((*at)[length] == '.');
    return out;
}

static void assert_text(const vz_buffer *document, const char *name, const char *expected)
{
    size_t size;
    vz_json *parsed = vz_json_parse((const char *)document->data, document->size, NULL);
    const char *text = vz_json_get_string(vz_json_get(parsed, name), &size);
    assert_string_equal(text ? text : "", expected);
    vz_json_free(parsed);
}

static void check_signature(const char *signed_text, size_t size, const vz_buffer *signed_with)
{
    BIO *text = BIO_new_mem_buf(private_key, sizeof private_key - 1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(text, NULL, NULL, NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key), 1);
    assert_int_equal(
        EVP_DigestVerify(context, signed_with->data, signed_with->size, (const uint8_t *)signed_text, size), 1);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(text);
}

/* ---- cases ---- */

static void write_file(const char *text)
{
    char path[300];
    aws_forget_environment();
    aws_write("google.json", text);
    snprintf(path, sizeof path, "%s/google.json", aws_home);
    setenv("GOOGLE_APPLICATION_CREDENTIALS", path, 1);
}

static vz_auth_source_result ask(vz_auth_keys *keys, vz_error *err)
{
    body[0] = '\0';
    vz_auth_settings *settings = vz_auth_settings_read(&(vz_net_account_options){.service = VZ_NET_GS}, err);
    assert_non_null(settings);
    const vz_auth_source_result result = vz_auth_source_chain(settings, keys, err);
    vz_auth_settings_free(settings);
    assert_null(strstr(err->text, SECRET));
    return result;
}

static void assert_bearer(vz_auth_keys *keys)
{
    assert_string_equal(keys->bearer, "ya29." SECRET);
    assert_true(keys->expires > (int64_t)time(NULL) + 3000);
    assert_string_equal(keys->source, "the file of GOOGLE_APPLICATION_CREDENTIALS");
    vz_auth_keys_clear(keys);
}

static void test_vector(void **state)
{
    (void)state;
    vz_buffer out = {0};
    assert_true(vz_rs256(vz_net_bytes_of(private_key), vz_net_bytes_of(MESSAGE), &out, NULL));
    char *text = vz_base64_encode(out.data, out.size, NULL);
    assert_string_equal(text, signature);
    free(text);
    vz_buffer_clear(&out);
}

static void print_service(char *text, size_t size, const char *key, const char *uri)
{
    char *escaped = calloc(2, strlen(key) + 1), *to = escaped;
    for (; *key; key++)
        to += *key == '\n' ? sprintf(to, "\\n") : sprintf(to, "%c", *key);
    snprintf(text, size,
             "{\"type\":\"service_account\",\"client_email\":\"a@b.example\",\"private_key_id\":\"k1\","
             "\"private_key\":\"%s\",\"token_uri\":\"%s\"}",
             escaped, uri);
    free(escaped);
}

static void test_service_account(void **state)
{
    (void)state;
    char text[4000];
    vz_auth_keys keys = {0};
    vz_error err = VZ_ERROR_NONE;
    const char *uri = http_url(&server, "/token");
    print_service(text, sizeof text, private_key, uri);
    write_file(text);
    status = 200;
    if (ask(&keys, &err) != VZ_SOURCE_FOUND)
        fail_msg("%s", err.text);
    assert_bearer(&keys);
    static const char grant[] = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    assert_int_equal(strncmp(body, grant, strlen(grant)), 0);
    const char *token = body + strlen(grant), *at = token;
    vz_buffer header = take_part(&at), claims = take_part(&at);
    const size_t size = (size_t)(at - 1 - token);
    vz_buffer signed_with = take_part(&at);
    assert_int_equal(*at, '\0');
    check_signature(token, size, &signed_with);
    assert_text(&header, "alg", "RS256");
    assert_text(&header, "kid", "k1");
    assert_text(&claims, "iss", "a@b.example");
    assert_text(&claims, "aud", uri);
    assert_text(&claims, "scope", "https://www.googleapis.com/auth/devstorage.read_write");
    vz_buffer_clear(&header);
    vz_buffer_clear(&claims);
    vz_buffer_clear(&signed_with);
}

static void test_user(void **state)
{
    (void)state;
    char text[1000];
    vz_auth_keys keys = {0};
    vz_error err = VZ_ERROR_NONE;
    snprintf(text, sizeof text,
             "{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"" SECRET
             "\",\"refresh_token\":\"1//" SECRET "\",\"token_uri\":\"%s\"}",
             http_url(&server, "/token"));
    write_file(text);
    status = 200;
    assert_int_equal(ask(&keys, &err), VZ_SOURCE_FOUND);
    assert_bearer(&keys);
    assert_string_equal(body,
                        "grant_type=refresh_token&client_id=id&client_secret=" SECRET "&refresh_token=1%2F%2F" SECRET);
}

static void test_failures(void **state)
{
    (void)state;
    char service[4000], wrong_key[1000], elsewhere[4000];
    print_service(service, sizeof service, private_key, http_url(&server, "/token"));
    print_service(wrong_key, sizeof wrong_key, SECRET, http_url(&server, "/token"));
    print_service(elsewhere, sizeof elsewhere, private_key, "http://elsewhere.example/token");
    const struct {
        const char *text;
        vz_error_class class;
        const char *said;
    } cases[] = {
        {service, VZ_PERMISSION, "refused (401)"},
        {wrong_key, VZ_INVALID, "no RSA key"},
        {elsewhere, VZ_INVALID, "token_uri"},
        {"{\"type\":\"external_account\"}", VZ_UNSUPPORTED, "external_account"},
        {"{\"type\":\"authorized_user\",\"client_id\":\"a\"}", VZ_INVALID, "client_secret"},
        {"{\"type\":\"service_account\"}", VZ_INVALID, "client_email"},
        {"{}", VZ_INVALID, "no file with credentials"},
        {"<" SECRET ">", VZ_INVALID, "no file with credentials"},
        {NULL, VZ_NOT_FOUND, "google.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vz_auth_keys keys = {0};
        vz_error err = VZ_ERROR_NONE;
        write_file(cases[i].text);
        status = 401;
        assert_int_equal(ask(&keys, &err), VZ_SOURCE_FAILED);
        if (err.class != cases[i].class || !strstr(err.text, cases[i].said))
            fail_msg("%zu: %d %s", i, err.class, err.text);
        vz_auth_keys_clear(&keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_service_account),
        cmocka_unit_test(test_user),
        cmocka_unit_test(test_failures),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
