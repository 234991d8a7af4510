/* fuzz_net_credentials.c - what holds or gives credentials: AWS's files with profiles, answers in JSON and XML, command
 * lines, times; and URLs and headers that are signed. The first byte chooses. No message repeats what was read: the
 * word that the seeds have in the place of secrets stands in none. */
#include "fuzz.h"
#include "net/auth/sign_internal.h"
#include "net/auth/auth_internal.h"

#define SECRET "hunter2SECRET"

static void check(bool ok, const vz_error *err)
{
    FUZZ_REQUIRE(ok == (err->class == VZ_OK));
    FUZZ_REQUIRE(ok || err->text[0]);
    FUZZ_REQUIRE(!strstr(err->text, SECRET));
}

static void profiles(vz_bytes text)
{
    static const char *const names[] = {"region", "role_arn", "s3.endpoint_url", "aws_secret_access_key"};
    vz_error err = VZ_ERROR_NONE;
    const uint8_t *cut = text.size ? memchr(text.data, 1, text.size) : NULL; /* between the two files */
    const size_t first = cut ? (size_t)(cut - text.data) : text.size;
    vz_profiles *p =
        vz_profiles_parse((vz_bytes){text.data, first}, (vz_bytes){text.data + first, text.size - first}, &err);
    check(p, &err);
    for (size_t i = 0; p && i < sizeof names / sizeof *names; i++)
        for (int kind = VZ_SECTION_PROFILE; kind <= VZ_SECTION_SERVICES; kind++) {
            const char *value = vz_profiles_get(p, (vz_auth_section)kind, "default", names[i]);
            FUZZ_REQUIRE(!value || vz_profiles_has(p, (vz_auth_section)kind, "default"));
            FUZZ_REQUIRE(!value || strlen(value) <= text.size);
        }
    vz_profiles_free(p);
}

static void check_keys(bool ok, vz_auth_keys *keys, const vz_error *err)
{
    check(ok, err);
    FUZZ_REQUIRE(ok == (keys->secret_key != NULL));
    if (ok)
        FUZZ_REQUIRE(!strpbrk(keys->access_key, "\r\n") && (!keys->token || !strpbrk(keys->token, "\r\n")));
    vz_auth_keys_clear(keys);
}

static void answers(vz_bytes text)
{
    static const vz_auth_keys_names names[] = {
        {NULL, "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false},
        {"roleCredentials", "accessKeyId", "secretAccessKey", "sessionToken", "expiration", true}};
    for (size_t i = 0; i < 2; i++) {
        vz_auth_keys keys = {0};
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_auth_keys_from_json(text, &names[i], "it", &keys, &err);
        check_keys(ok, &keys, &err);
    }
    vz_auth_keys keys = {0};
    vz_error err = VZ_ERROR_NONE;
    const bool ok = vz_auth_keys_from_xml(text, "it", &keys, &err);
    check_keys(ok, &keys, &err);
}

/* Words are no longer than the line; a time is one of the years that it can name. */
static void lines(const char *text)
{
    int64_t time;
    vz_error err = VZ_ERROR_NONE;
    char **words = vz_auth_process_words(text, &err);
    check(words, &err);
    size_t length = 0;
    for (size_t i = 0; words && words[i]; i++)
        length += strlen(words[i]);
    FUZZ_REQUIRE(length <= strlen(text));
    free(words);
    if (vz_auth_time_parse(text, &time))
        FUZZ_REQUIRE(time > -100000 && time < INT64_C(253402400000));
}

/* The text is a URL, and the lines behind it headers. */
static void signature(char *text)
{
    const char *headers[16];
    size_t count = 0;
    vz_buffer canonical = {0}, names = {0}, out = {0};
    vz_error err = VZ_ERROR_NONE;
    char *rest = text;
    const char *url = strsep(&rest, "\n");
    while (rest && count < 16)
        headers[count++] = strsep(&rest, "\n");
    const vz_sigv4_request request = {"GET", url, headers, count, VZ_SIGV4_UNSIGNED};
    const vz_sigv4_scope scope = {"A", "B", "r", "s3", "20150830T123600Z"};
    const bool ok = vz_sigv4_canonical(&request, &canonical, &names, &err);
    FUZZ_REQUIRE(ok == (err.class == VZ_OK));
    if (ok) {
        FUZZ_REQUIRE(names.size > 0 && !memchr(names.data, '\n', names.size));
        FUZZ_REQUIRE(vz_sigv4_authorize(&request, &scope, &out, &err));
        FUZZ_REQUIRE(!memchr(out.data, '\n', out.size) && !memchr(out.data, '\r', out.size));
    }
    vz_buffer_clear(&canonical);
    vz_buffer_clear(&names);
    vz_buffer_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = malloc(size); /* without the first byte, and with a 0 */
    FUZZ_REQUIRE(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 4) {
    case 0:
        profiles((vz_bytes){data + 1, size - 1});
        break;
    case 1:
        answers((vz_bytes){data + 1, size - 1});
        break;
    case 2:
        lines(text);
        break;
    default:
        signature(text);
    }
    free(text);
    return 0;
}
