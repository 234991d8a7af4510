/* test_bucket_bucket.c - a bucket as a store: which requests are made, in which order, and what answers mean. */
#include "remote_support.h"
#include "store/layers/layer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static vz_bytes bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

/* ---- missing, or not to be had ---- */

static void assert_get(vz_store *store, const char *key, vz_error_class class)
{
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    bool found = true;
    assert_int_equal(vz_store_get(store, key, VZ_WHOLE, &out, &found, &err), class == VZ_OK);
    assert_int_equal(err.class, class);
    assert_false(found);
    vz_buffer_clear(&out);
}

static void test_denied(void **state)
{
    vz_store *store = *state;
    mock.denies_missing = mock.denies_listing = true;
    assert_get(store, "a/0.0", VZ_PERMISSION); /* nothing at all may be read */
    vz_store_close(store);
    *state = store = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    put_raw(".zgroup", "{}");
    assert_get(store, "zarr.json", VZ_OK); /* .zgroup may be */
    assert_value(store, ".zgroup", "{}");
    mock.requests = 0;
    assert_get(store, "a/0.0", VZ_OK);
    assert_int_equal(mock.requests, 2); /* and a document after it: test_bucket_absence.c */
    vz_store_close(store);
    mock.denies_listing = false; /* then it would say that a key is missing */
    *state = store = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    assert_value(store, ".zgroup", "{}");
    assert_get(store, "a/0.0", VZ_PERMISSION);
}

static void test_option_missing(void **state)
{
    vz_store_close(*state);
    mock.denies_missing = true;
    remote_options.missing = VZ_MISSING_403;
    *state = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    assert_get(*state, "a", VZ_OK);
    vz_store_close(*state);
    mock.denies_listing = true;
    remote_options.missing = VZ_MISSING_404;
    *state = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    put_raw(".zgroup", "{}");
    assert_value(*state, ".zgroup", "{}");
    assert_get(*state, "a", VZ_PERMISSION);
}

static bool no_bucket(mock_request *r)
{
    mock_status(r, 404, "NoSuchBucket");
    return true;
}

static bool out_of_order(mock_request *r)
{
    mock_status(r, 500, "InternalError");
    return true;
}

static bool never_again(mock_request *r)
{
    r->net->failed = VZ_IO;
    snprintf(r->net->why, sizeof r->net->why, "connection refused");
    return true;
}

static void test_failures(void **state)
{
    static const struct {
        bool (*hook)(mock_request *);
        vz_error_class class;
    } cases[] = {{no_bucket, VZ_NOT_FOUND}, {out_of_order, VZ_TRANSIENT}, {never_again, VZ_IO}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        mock.hook = cases[i].hook;
        assert_get(*state, "a", cases[i].class);
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_store_del_tree(*state, "a", &err));
        assert_int_not_equal(err.class, VZ_OK);
    }
}

/* ---- conditions ---- */

static void test_no_conditions(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store_close(*state);
    mock.ignores_conditions = true;
    remote_options.endpoint = "http://careless";
    *state = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    assert_false(vz_store_put_new(*state, "a", bytes_of("x"), &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    assert_int_equal(mock.count, 0); /* nor what it asked with */
    mock.requests = 0;
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(*state, "b", bytes_of("x"), &err));
    assert_int_equal(mock.requests, 0);
    assert_true(vz_store_put(*state, "b", bytes_of("x"), NULL));
}

static void test_asked_once(void **state)
{
    remote_options.endpoint = "http://careful";
    vz_store_close(*state);
    *state = open_named("s3://bucket/pre fix/x.zarr", true, NULL);
    assert_true(vz_store_put_new(*state, "a", bytes_of("x"), NULL));
    assert_int_equal(mock.requests, 5);
    vz_store *other = open_named("s3://bucket/other", true, NULL);
    mock.requests = 0;
    assert_true(vz_store_put_new(other, "b", bytes_of("x"), NULL));
    assert_int_equal(mock.requests, 1);
    vz_store_close(other);
}

/* The server makes the change, and its answer is lost. */
static bool lose_put(mock_request *r)
{
    if (r->net->method != VZ_NET_PUT || mock.turn != 1)
        return false;
    mock_put_value(r);
    r->net->failed = VZ_TRANSIENT;
    r->net->sent = true;
    snprintf(r->net->why, sizeof r->net->why, "the answer was lost");
    return true;
}

static void test_lost_answer(void **state)
{
    vz_store *store = vz_layer_for_use(*state, false, NULL);
    *state = store;
    assert_true(vz_store_put_new(store, "first", bytes_of("x"), NULL)); /* whether conditions are heeded is known */
    mock.turn = 0;
    mock.hook = lose_put;
    assert_true(vz_store_put_new(store, "a", bytes_of("mine"), NULL));
    assert_value(store, "a", "mine");
    mock.turn = 0;
    put_raw("b", "theirs");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(store, "b", bytes_of("mine"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
}

/* ---- listings ---- */

static void test_pages(void **state)
{
    char key[64], expected[4096] = "";
    put_raw("", "a marker of the prefix");
    put_raw("g/", "a marker");
    put_raw("g/a", "x");
    put_raw("both", "a value");
    put_raw("both/below", "x");
    put_raw("a//b", "x");
    put_raw("with +%&blank", "x");
    put_raw("0123456789abcdef0123456789abcdef-7.partial", "hidden");
    mock_put("pre fix/x.zarr2/other", "x", 1);
    for (unsigned i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "v%02u", i);
        put_raw(key, "x");
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s ", key);
    }
    strcat(expected, "with +%&blank");
    for (mock.page = 1; mock.page < 70; mock.page = mock.page * 2 + 1) {
        char all[4200];
        snprintf(all, sizeof all, "a/ both/ g/ %s", expected);
        assert_list(*state, "", all);
    }
    mock.page = 1000;
    assert_list(*state, "g", "a");
    assert_list(*state, "none", "");
}

static bool list_another(mock_request *r)
{
    static const char text[] = "<ListBucketResult><Contents><Key>elsewhere/a</Key></Contents></ListBucketResult>";
    mock_body(r, 200, text, sizeof text - 1);
    return true;
}

static void test_foreign_listing(void **state)
{
    vz_entry *entries;
    size_t count;
    vz_error err = VZ_ERROR_NONE;
    mock.hook = list_another;
    assert_false(vz_store_list(*state, "", &entries, &count, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_del_tree(*state, "g", &err));
    assert_int_equal(err.class, VZ_CORRUPT);
}

/* ---- values in parts ---- */

static bool lose_part(mock_request *r)
{
    char number[16];
    if (atoi(mock_parameter(r, "partNumber", number, sizeof number)) != 3)
        return false;
    mock_status(r, 500, "InternalError");
    return true;
}

static void test_parts(void **state)
{
    const size_t size = ((size_t)70 << 20) + 3;
    uint8_t *data = malloc(size);
    vz_buffer out = {0};
    bool found;
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    vz_request request = {
        .op = VZ_REQUEST_PUT, .key = "big", .value = {data, size}, .when = VZ_WHEN_ABSENT, .tells = true};
    assert_true(vz_request_do(*state, &request, NULL, NULL));
    const vz_version put = request.version;
    assert_true(vz_store_get(*state, "big", VZ_WHOLE, &out, &found, NULL) && found);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, data, size);
    request = (vz_request){.key = "big", .ranges = &(vz_range){VZ_RANGE_AT, 5, 1}, .range_count = 1, .into = &out};
    assert_true(vz_request_do(*state, &request, NULL, NULL));
    assert_true(vz_version_equal(&request.version, &put));
    vz_error err = VZ_ERROR_NONE;
    request = (vz_request){.op = VZ_REQUEST_PUT, .key = "big", .value = {data, size}, .when = VZ_WHEN_ABSENT};
    assert_false(vz_request_do(*state, &request, NULL, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_int_equal(mock.aborted, 1);
    mock.hook = lose_part;
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "other", (vz_bytes){data, size}, &err));
    assert_int_equal(err.class, VZ_TRANSIENT);
    assert_int_equal(mock.aborted, 2);
    assert_false(has_raw("other"));
    vz_buffer_clear(&out);
    free(data);
}

/* ---- where a bucket is ---- */

static bool be_elsewhere(mock_request *r)
{
    if (strstr(r->net->url, "eu-west-7"))
        return false;
    mock_line(r, "x-amz-bucket-region", "eu-west-7");
    mock_status(r, 301, "PermanentRedirect");
    return true;
}

static void test_redirected(void **state)
{
    vz_store_close(*state);
    remote_options.endpoint = "";
    remote_options.region = "us-east-1";
    remote_options.addressing = VZ_ADDRESSING_PATH;
    mock_put("x/a", "1", 1);
    vz_remote_name name;
    assert_true(vz_remote_name_parse("s3://bucket/x", &name, NULL));
    vz_site *site = vz_site_open(&name, vz_service_of(name.scheme), &remote_options, NULL);
    vz_remote_name_clear(&name);
    *state = vz_bucket_open(site, true, NULL);
    mock.hook = be_elsewhere;
    assert_value(*state, "a", "1");
    assert_int_equal(mock.requests, 2);
    assert_value(*state, "b", NULL); /* it is known now */
    assert_int_equal(mock.requests, 3);
    assert_true(vz_store_put_new(*state, "new", bytes_of("x"), NULL));
    assert_int_equal(mock.requests, 4); /* Amazon need not be asked about conditions */
    begin_options();
}

/* ---- creating ---- */

static vz_store *create(const char *name, vz_store_make how, vz_error *err)
{
    vz_bucket_use(&remote_options);
    return vz_bucket_kind_s3.create(name, how, 0, err);
}

static bool be_late(mock_request *r)
{
    if (r->net->method != VZ_NET_HEAD || !strstr(r->key, ".partial"))
        return false;
    mock_line(r, "Date", "Mon, 23 Nov 2026 13:41:00 GMT");
    mock_line(r, "Last-Modified", mock.turn ? "Mon, 23 Nov 2026 13:39:00 GMT" : "");
    return false;
}

static void test_two_creators(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *one = create("s3://bucket/new.zarr", VZ_MAKE_NEW, NULL), *other;
    (void)state;
    assert_non_null(one);
    assert_null(create("s3://bucket/new.zarr", VZ_MAKE_NEW, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_list(one, "", "");
    assert_int_equal(mock.count, 1);
    put(one, "g/0", "x");
    assert_int_equal(mock.count, 2);
    assert_true(vz_store_put_new(one, ".zgroup", bytes_of("{}"), NULL));
    assert_int_equal(mock.count, 3); /* from now on the claim may go: it does with what is put next */
    assert_null(create("s3://bucket/new.zarr", VZ_MAKE_NEW, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    put(one, "g/0", "y");
    assert_int_equal(mock.count, 2);
    err = VZ_ERROR_NONE;
    assert_null(create("s3://bucket/new.zarr", VZ_MAKE_NEW, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(mock.count, 2);
    vz_store_close(one);
    /* One that died before it put anything is in nobody's way after a minute. */
    mock_put("dead.zarr/00000000000000000000000000000000-0.partial", "x", 1);
    err = VZ_ERROR_NONE;
    assert_null(create("s3://bucket/dead.zarr", VZ_MAKE_NEW, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    mock.hook = be_late;
    assert_non_null(other = create("s3://bucket/dead.zarr", VZ_MAKE_NEW, NULL));
    vz_store_close(other);
    assert_int_equal(mock.count, 2);
}

/* Another creator, of another format, came and went between the first look and the claim: who finds its store beside
 * the first document, or before anything else is put, takes back what it put. */
static void meet_another(const char *url, const char *theirs, const char *key, bool is_document)
{
    vz_error err = VZ_ERROR_NONE;
    const size_t before = mock.count;
    vz_store *one = create(url, VZ_MAKE_NEW, NULL);
    assert_non_null(one);
    mock_put(theirs, "{}", 2);
    assert_false(is_document ? vz_store_put_new(one, key, bytes_of("{}"), &err)
                             : vz_store_put(one, key, bytes_of("x"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(mock.count, before + 2); /* theirs, and the claim */
    vz_store_close(one);
    assert_int_equal(mock.count, before + 1);
}

static void test_a_creator_that_came_and_went(void **state)
{
    (void)state;
    meet_another("s3://bucket/race.zarr", "race.zarr/.zgroup", "zarr.json", true);
    meet_another("s3://bucket/else.zarr", "else.zarr/.zgroup", "m/c/0", false);
}

/* It was of the same format: its document is where ours would be. It is no value of ours, not even for what is put
 * next, which is refused, too, and takes nothing of theirs away. */
static void test_a_creator_of_the_same_format(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    vz_store *one = create("s3://bucket/same.zarr", VZ_MAKE_NEW, NULL);
    assert_non_null(one);
    mock_put("same.zarr/zarr.json", "{}", 2);
    assert_false(vz_store_put_new(one, "zarr.json", bytes_of("{}"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(one, "m/c/0", bytes_of("x"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_value(one, "zarr.json", "{}");
    vz_store_close(one);
    assert_int_equal(mock.count, 1); /* theirs; the claim is gone */
}

/* What of ours is there already counts for nothing, and the place is looked at no more. */
static void test_a_place_is_proved_once(void **state)
{
    (void)state;
    vz_store *one = create("s3://bucket/new.zarr", VZ_MAKE_NEW, NULL);
    assert_non_null(one);
    const uint64_t before = mock.requests;
    assert_true(vz_store_put_new(one, "zarr.json", bytes_of("{}"), NULL));
    assert_int_equal(mock.requests, before + 2);
    mock_put("new.zarr/x", "theirs", 6);
    put(one, "g/0", "x"); /* and the claim ends */
    assert_int_equal(mock.requests, before + 4);
    vz_store_close(one);
}

/* ---- names ---- */

static void test_recognised(void **state)
{
    static const struct {
        const char *path;
        bool is_it, has_store;
    } cases[] = {{"s3://bucket/x.zarr", true, true}, {"/cwd/s3:/bucket/x.zarr", true, true},
                 {"s3://bucket", true, false},       {"s3:/", true, false},
                 {"s3://bu cket/x", true, false},    {"s3://bucket/../x", true, false},
                 {"https://host/x", false, false},   {"/tmp", false, false},
                 {"zarr+gs://bucket/x", true, true}, {"/etc/passwd/s3:/b/x", false, false}};
    (void)state;
    remote_options.endpoint = "http://mock";
    vz_bucket_use(&remote_options);
    mock.requests = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_location_probe probe = {.path = cases[i].path, .file = -1};
        vz_location location = {.path = strdup(cases[i].path)};
        bool is_it = !cases[i].is_it;
        print_message("%s\n", cases[i].path);
        assert_true(vz_bucket_kind_s3.recognise(&probe, &location, &is_it, NULL));
        assert_int_equal(is_it, cases[i].is_it);
        assert_int_equal(location.store != NULL, cases[i].has_store);
        assert_int_equal(location.why.class != VZ_OK, is_it && !location.store);
        if (is_it && location.store)
            assert_true(vz_identity_is_known(&location.identity) && vz_store_is_at(location.store, cases[i].path));
        vz_location_clear(&location);
    }
    assert_int_equal(mock.requests, 0);
}

/* ---- web servers ---- */

static void test_web(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *web = open_named("https://user:secret@web/a b/x.zarr?sig=secret", false, &err);
    vz_entry *entries;
    size_t count;
    (void)state;
    assert_non_null(web);
    assert_string_equal(web->path, "https://web/a%20b/x.zarr");
    mock_put("a b/x.zarr/a/0 0", "chunk", 5);
    assert_value(web, "a/0 0", "chunk");
    assert_string_equal(mock.last, "GET a b/x.zarr/a/0 0 sig=secret");
    assert_value(web, "a/1", NULL);
    assert_false(vz_store_list(web, "", &entries, &count, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(web, "a", bytes_of("x"), &err));
    assert_int_equal(err.class, VZ_READ_ONLY);
    vz_store_close(web);
    err = VZ_ERROR_NONE;
    assert_null(open_named("https://web/x.zarr", true, &err));
    assert_int_equal(err.class, VZ_READ_ONLY);
    err = VZ_ERROR_NONE;
    assert_null(open_named("http://user:secret@web/x.zarr", false, &err));
    assert_int_equal(err.class, VZ_PERMISSION);
    assert_null(strstr(err.text, "secret"));
}

/* A server that has a page for everything. */
static void test_pages_of_html(void **state)
{
    vz_store *web = open_named("https://web/x.zarr", false, NULL);
    (void)state;
    mock.content_type = "text/html; charset=utf-8";
    mock_put("x.zarr/.zgroup", "<html>", 6);
    mock_put("x.zarr/zarr.json", "<html>", 6);
    mock_put("x.zarr/a/0.0", "<html>", 6);
    assert_value(web, ".zgroup", NULL);
    assert_value(web, "zarr.json", NULL);
    assert_get(web, "a/0.0", VZ_CORRUPT);
    vz_store_close(web);
}

/* ---- keys ---- */

static void test_long_keys(void **state)
{
    char key[1100];
    vz_error err = VZ_ERROR_NONE;
    const size_t longest = VZ_REMOTE_KEY_MAX - strlen(PREFIX);
    memset(key, 'k', sizeof key);
    key[longest] = '\0';
    put(*state, key, "x");
    key[longest] = 'k';
    key[longest + 1] = '\0';
    assert_false(vz_store_put(*state, key, bytes_of("x"), &err));
    assert_int_equal(mock.count, 1);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_s3, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_denied),
        CASE(test_option_missing),
        CASE(test_failures),
        CASE(test_no_conditions),
        CASE(test_asked_once),
        CASE(test_lost_answer),
        CASE(test_pages),
        CASE(test_foreign_listing),
        CASE(test_parts),
        CASE(test_redirected),
        CASE(test_two_creators),
        CASE(test_recognised),
        CASE(test_web),
        CASE(test_pages_of_html),
        CASE(test_long_keys),
        CASE(test_a_creator_that_came_and_went),
        CASE(test_a_creator_of_the_same_format),
        CASE(test_a_place_is_proved_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
