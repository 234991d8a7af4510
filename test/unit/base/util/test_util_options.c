/* Options: text to struct and back, the environment, and what is refused. */
#include "base/util/options_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static vz_options standard(void)
{
    vz_options options;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_options_init(&options, environ, &err));
    return options;
}

static void test_defaults(void **state)
{
    (void)state;
    const vz_options options = standard();
    assert_int_equal(options.format, 2);
    assert_int_equal(options.dialect, VZ_DIALECT_AUTO);
    assert_int_equal(options.consolidated, VZ_CONSOLIDATED_AUTO);
    assert_string_equal(options.compress, "auto");
    assert_int_equal(options.threads, 0);
    assert_true(options.gateway);
    assert_false(options.locking || options.sync || options.skip_fill);
    assert_int_equal(options.dirty_max, 64 << 20);
    assert_string_equal(options.create, "");
    assert_string_equal(options.endpoint, "");
    assert_false(options.anonymous || options.requester_pays);
    assert_int_equal(options.addressing, VZ_ADDRESSING_AUTO);
    assert_int_equal(options.missing, VZ_MISSING_AUTO);
    assert_int_equal(options.connections, 64);
    assert_int_equal(options.timeout, 20);
    assert_true(options.second_get);
    char *text = vz_options_print(&options, NULL);
    assert_string_equal(text, "");
    free(text);
}

/* What is given, and the text it comes back as. */
static void test_parse_and_print(void **state)
{
    (void)state;
    static const struct {
        const char *given, *printed;
    } cases[] = {
        {"", ""},
        {" ; ;", ""},
        {"format=3", "format=3"},
        {"format=2", ""},
        {"threads=4;format=3", "format=3;threads=4"},
        {"  format = 3 ;\tthreads=4 ; ", "format=3;threads=4"},
        {"format=3;format=2", ""},
        {"dialect=hdmf;consolidated=ignore", "dialect=hdmf;consolidated=ignore"},
        {"compress=none", "compress=none"},
        {"gateway=off;locking=Yes;sync=TRUE;skip_fill=on", "gateway=0;locking=1;sync=1;skip_fill=1"},
        {"gateway=true", ""},
        {"second_get=off", "second_get=0"},
        {"dirty_max=64M", ""},
        {"dirty_max=65536k", ""},
        {"dirty_max=1G", "dirty_max=1073741824"},
        {"dirty_max=0", "dirty_max=0"},
        {"create=*.zarr", "create=*.zarr"},
        {"create=", ""},
        {"create=a?b , *.zarr : zip", "create=a?b , *.zarr : zip"},
        {"threads=256", "threads=256"},
        {"endpoint=http://127.0.0.1:9000;region=eu-west-1", "endpoint=http://127.0.0.1:9000;region=eu-west-1"},
        {"endpoint=;region=;profile=;ca_bundle=", ""},
        {"anonymous=1;requester_pays=yes;profile=my lab", "profile=my lab;anonymous=1;requester_pays=1"},
        {"addressing=path;missing=403;timeout=5;connections=8;ca_bundle=/a b.pem",
         "addressing=path;missing=403;ca_bundle=/a b.pem;connections=8;timeout=5"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_options options = standard(), again = standard();
        if (!vz_options_parse(&options, cases[i].given, &err))
            fail_msg("%s: %s", cases[i].given, err.text);
        char *text = vz_options_print(&options, &err);
        assert_string_equal(text, cases[i].printed);
        assert_true(vz_options_parse(&again, text, &err));
        char *second = vz_options_print(&again, &err);
        assert_string_equal(second, text);
        free(second);
        free(text);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "frmat=3",         "format",        "format=",         "=3",
        "format=4",        "format=1",      "format=-2",       "format=+2",
        "format=2x",       "format=2 2",    "format=2M",       "format=99999999999999999999",
        "dialect=Plain",   "dialect=",      "consolidated=on", "compress=lz5",
        "compress=",       "threads=257",   "threads=0x4",     "gateway=2",
        "gateway=",        "sync=maybe",    "dirty_max=-1",    "dirty_max=1MB",
        "dirty_max=M",     "dirty_max=1.5", "dirty_max=9999T", "format=3,",
        "format=3:sync=1", "FORMAT=3",      "endpoint=minio",  "endpoint=http://u@h",
        "region=a/b",      "region=a b",    "connections=0",   "timeout=0",
        "missing=yes",     "addressing=x",  "anonymous=",      "secret_access_key=x",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_options options = standard();
        char text[64] = "threads=3;";
        strcat(text, cases[i]);
        if (vz_options_parse(&options, text, &err))
            fail_msg("accepted: %s", cases[i]);
        assert_int_equal(err.class, VZ_INVALID);
        assert_non_null(strstr(err.text, "known options: format, dialect"));
        assert_int_equal(options.threads, 0); /* all or nothing */
    }
    vz_error err = VZ_ERROR_NONE;
    vz_options options = standard();
    options.create = "a;b";
    assert_null(vz_options_print(&options, &err));
    assert_int_equal(err.class, VZ_INVALID);
}

/* A blank or a comma where ';' should stand: refused, with the line that was meant. */
static void test_separators(void **state)
{
    (void)state;
    static const struct {
        const char *given, *meant;
    } cases[] = {
        {"create=*.zarr format=3", "create=*.zarr;format=3;"},
        {"create=*.zarr,format=3", "create=*.zarr;format=3;"},
        {"create=*.zarr, *.h5ad:file \t format = 3 compress=zstd",
         "create=*.zarr, *.h5ad:file;format=3;compress=zstd;"},
        {"format=3 shards=64M", "format=3;shards=64M;"},
        {"compress=zstd,threads=4", "compress=zstd;threads=4;"},
        {"locking=1&sync=1", "locking=1;sync=1;"},
        {"profile=my lab region=eu-west-1", "profile=my lab;region=eu-west-1;"},
        {"ca_bundle=/a b.pem timeout=3", "ca_bundle=/a b.pem;timeout=3;"},
        {"endpoint=http://me:hunter2@h region=x", "separated by ';'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_options options = standard();
        if (vz_options_parse(&options, cases[i].given, &err))
            fail_msg("accepted: %s", cases[i].given);
        if (!strstr(err.text, cases[i].meant))
            fail_msg("%s: %s", cases[i].given, err.text);
        assert_null(strstr(err.text, "hunter2"));
        assert_non_null(strstr(err.text, "known options: format, dialect"));
    }
    static const char *const patterns[] = {"create=a b", "create=a=b", "create=*.zarr *.h5ad", "create=[ ]",
                                           "create=*.zarr:zip format=3"};
    for (size_t i = 0; i < COUNT(patterns); i++) {
        vz_options options = standard();
        if (vz_options_parse(&options, patterns[i], NULL))
            fail_msg("accepted: %s", patterns[i]);
    }
}

/* A password in an address is refused, and not repeated. */
static void test_no_secret_in_message(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_options options = standard();
    assert_false(vz_options_parse(&options, "endpoint=https://me:hunter2@minio.example", &err));
    assert_null(strstr(err.text, "hunter2"));
    assert_non_null(strstr(err.text, "endpoint"));
}

static void test_doorway(void **state)
{
    (void)state;
    vz_options options = standard();
    assert_true(vz_options_parse_redirect(
        &options, "endpoint=https://a.example;region=r-1;anonymous=1;requester_pays=1;addressing=path", NULL));
    assert_string_equal(options.endpoint, "https://a.example");
    assert_true(options.anonymous && options.requester_pays);
    static const char *const others[] = {"profile=admin", "ca_bundle=/tmp/ca", "doorways=anywhere", "timeout=3600",
                                         "create=*",      "missing=403",       "connections=1024",  "sync=0"};
    for (size_t i = 0; i < COUNT(others); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_options_parse_redirect(&options, others[i], &err));
        assert_int_equal(err.class, VZ_PERMISSION);
    }
}

/* However long it is; what another parse gives is another text. */
static void test_long_text(void **state)
{
    (void)state;
    static char text[1 << 16] = "create=";
    memset(text + 7, 'x', sizeof text - 8);
    vz_options options = standard(), other;
    assert_true(vz_options_parse(&options, text, NULL));
    assert_string_equal(options.create, text + 7);
    other = options;
    assert_true(vz_options_parse(&options, "create=*.zarr,*.h5ad:file;container=zip", NULL));
    assert_string_equal(other.create, text + 7);
    assert_int_equal(options.container, VZ_CONTAINER_ZIP);
    char *printed = vz_options_print(&options, NULL);
    assert_string_equal(printed, "container=zip;create=*.zarr,*.h5ad:file");
    free(printed);
}

static void test_environment(void **state)
{
    (void)state;
    setenv("VOL_ZARR_FORMAT", "3", 1);
    setenv("VOL_ZARR_DIRTY_MAX", "1M", 1);
    vz_options options = standard();
    assert_int_equal(options.format, 3);
    assert_int_equal(options.dirty_max, 1 << 20);
    assert_true(vz_options_parse(&options, "format=2", NULL)); /* the string goes before the environment */
    assert_int_equal(options.format, 2);

    setenv("VOL_ZARR_THREADS", "many", 1);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_options_init(&options, environ, &err));
    assert_non_null(strstr(err.text, "threads"));
    assert_int_equal(options.threads, 0);
    assert_int_equal(options.format, 3);
    unsetenv("VOL_ZARR_FORMAT");
    unsetenv("VOL_ZARR_DIRTY_MAX");
    unsetenv("VOL_ZARR_THREADS");

    setenv("VOL_ZARR_CREATE", "*.zarr;dirty_max=1M", 1);
    err = VZ_ERROR_NONE;
    assert_false(vz_options_init(&options, environ, &err));
    assert_non_null(strstr(err.text, "VOL_ZARR_CREATE=*.zarr VOL_ZARR_DIRTY_MAX=1M;"));
    setenv("VOL_ZARR_CREATE", "*.zarr;*.h5ad", 1);
    assert_false(vz_options_init(&options, environ, NULL));
    unsetenv("VOL_ZARR_CREATE");
}

static void test_describe(void **state)
{
    (void)state;
    vz_buffer out = {0};
    assert_true(vz_options_describe(&out, NULL));
    assert_true(vz_buffer_append(&out, "", 1, NULL));
    assert_non_null(strstr((char *)out.data, "| `dialect` | auto, plain, hdmf | auto |"));
    assert_non_null(strstr((char *)out.data, "| `threads` | 0 to 256 | 0 |"));
    vz_buffer_clear(&out);
}

/* Settings of the user's own must not decide what is tested. */
static void forget_settings(void)
{
    static const char prefix[] = "VOL_ZARR_";
    for (char **entry = environ; *entry;) {
        if (strncmp(*entry, prefix, sizeof prefix - 1) != 0) {
            entry++;
            continue;
        }
        char *name = strndup(*entry, strcspn(*entry, "="));
        unsetenv(name);
        free(name);
        entry = environ; /* the list has moved up */
    }
}

int main(void)
{
    forget_settings();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),  cmocka_unit_test(test_parse_and_print),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_separators),
        cmocka_unit_test(test_long_text), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_describe),  cmocka_unit_test(test_no_secret_in_message),
        cmocka_unit_test(test_doorway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
