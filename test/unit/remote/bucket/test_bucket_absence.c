/* test_bucket_absence.c - when a refusal means that there is no value, and what has to prove it (docs/absence.md). */
#include "remote_support.h"
#include "store/store/prefetch.h"
#include "store/layers/layer.h"

#define CHUNKS 6

/* From that request on all is refused; 0: nothing is. */
static unsigned refused_from;
static int refused_status;
static const char *refused_text;

static void refuse(mock_request *r)
{
    r->net->status = refused_status ? refused_status : 403;
    if (r->net->method != VZ_NET_HEAD && refused_text) {
        vz_buffer_printf(&r->net->text, NULL, "%s", refused_text);
        vz_buffer_append(&r->net->text, "", 1, NULL);
        r->net->text.size--;
    }
}

static bool refuses_from(mock_request *r)
{
    if (!refused_from || mock.turn < refused_from)
        return false;
    refuse(r);
    return true;
}

static bool refuses_chunks(mock_request *r)
{
    if (!strstr(r->key, "/a/"))
        return false;
    refuse(r);
    return true;
}

#define ERROR(code, message) "<Error><Code>" code "</Code><Message>" message "</Message><Key>token/x</Key></Error>"

static int begin(void **state)
{
    refused_from = 0;
    refused_status = 0;
    refused_text = ERROR("AccessDenied", "Access Denied");
    return open_s3(state);
}

static void open_anew(void **state, const char *name)
{
    vz_store_close(*state);
    *state = open_named(name, false, NULL);
    assert_non_null(*state);
}

static void open_unlisted(void **state)
{
    mock.denies_missing = mock.denies_listing = true;
    put_raw(".zgroup", "{}");
    put_raw("a/0", "chunk");
    open_anew(state, "s3://bucket/" ROOT_KEY);
    assert_value(*state, ".zgroup", "{}");
}

/* What a GET says; `words`: of its error; NULL: there is no value. */
static void assert_missing(vz_store *store, const char *key, const char *words)
{
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    bool found = true;
    const bool ok = vz_store_get(store, key, VZ_WHOLE, &out, &found, &err);
    vz_buffer_clear(&out);
    assert_false(found);
    assert_int_equal(ok, !words);
    if (words && !strstr(err.text, words))
        fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

/* ---- buckets where listing is refused ---- */

static void test_each_call_has_a_proof(void **state)
{
    open_unlisted(state);
    assert_missing(*state, "a/1", NULL);
    mock.requests = 0;
    assert_missing(*state, "a/1", NULL);
    assert_int_equal(mock.requests, 2); /* it is not remembered, and the document is asked for after it */
    assert_non_null(strstr(mock.last, ".zgroup"));
}

static void test_the_document_is_refused(void **state)
{
    open_unlisted(state);
    assert_missing(*state, "a/1", NULL);
    mock.hook = refuses_from;
    refused_from = 1;
    assert_missing(*state, "a/1", "AccessDenied");
    assert_missing(*state, "a/0", "AccessDenied"); /* which is there */
}

static void test_the_document_is_deleted(void **state)
{
    open_unlisted(state);
    put_raw(".zmetadata", "{}");
    mock_remove(PREFIX ".zgroup");
    assert_missing(*state, "a/1", NULL); /* another one of the root will do */
    mock_remove(PREFIX ".zmetadata");
    assert_missing(*state, "a/1", "AccessDenied");
}

static void test_listing_is_allowed(void **state)
{
    open_unlisted(state);
    mock.denies_listing = false;
    assert_missing(*state, "a/1", "AccessDenied");
}

/* The server refuses all from one request on, whichever it is. */
static void test_refused_from_any_request_on(void **state)
{
    for (unsigned from = 1; from < 40; from++) {
        mock.hook = NULL;
        open_unlisted(state);
        vz_buffer out[CHUNKS] = {0};
        vz_request requests[CHUNKS];
        char keys[CHUNKS][16];
        for (size_t i = 0; i < CHUNKS; i++) {
            snprintf(keys[i], sizeof keys[i], "a/%zu", i);
            requests[i] = (vz_request){.key = keys[i], .into = &out[i]};
        }
        put_raw("a/4", "chunk");
        mock.turn = 0;
        refused_from = from;
        mock.hook = refuses_from;
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_requests_do(*state, requests, CHUNKS, &err);
        for (size_t i = 0; i < CHUNKS; i++) {
            const bool is_there = i == 0 || i == 4;
            if (requests[i].failed == VZ_OK)
                assert_int_equal(requests[i].found, is_there);
            if (ok && !is_there)
                assert_true(requests[i].is_refused);
            vz_buffer_clear(&out[i]);
        }
        assert_int_equal(ok, from > mock.turn); /* nothing was asked after the proof */
    }
}

static void test_refusals_for_other_reasons(void **state)
{
    static const char *const texts[] = {
        ERROR("ExpiredToken", "so it is"),
        ERROR("AccessDenied", "Request has expired"),
        ERROR("AccessDenied", "User: x is not authorized to perform: kms:Decrypt on resource: y"),
        ERROR("AccessDenied", "KMS:Decrypt"),
        ERROR("SignatureDoesNotMatch", "so it is"),
        ERROR("InvalidObjectState", "The operation is not valid for the object's storage class"),
        ERROR("AllAccessDisabled", "so it is"),
        "<html>Your session token is not valid</html>",
        "<html>Blocked by the firewall</html>",
        "",
    };
    open_unlisted(state);
    mock.hook = refuses_chunks;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        refused_text = texts[i];
        assert_missing(*state, "a/0", "403");
    }
    refused_text = ERROR("AccessDenied", "Access Denied");
    assert_missing(*state, "a/0", NULL); /* one object that alone is refused: docs/limits.md */
}

static void test_another_404(void **state)
{
    open_unlisted(state);
    refused_status = 404;
    mock.hook = refuses_chunks;
    refused_text = ERROR("NoSuchKey", "so it is");
    assert_missing(*state, "a/1", NULL);
    refused_text = ERROR("NoSuchAccessPoint", "so it is");
    assert_missing(*state, "a/1", NULL); /* the document may still be read */
    mock.hook = refuses_from;
    refused_from = 1;
    assert_missing(*state, "a/1", "NoSuchAccessPoint");
}

static void test_a_look(void **state)
{
    vz_stamp stamp;
    vz_error err = VZ_ERROR_NONE;
    open_unlisted(state);
    assert_true(vz_store_stat(*state, "a/1", &stamp, &err));
    assert_false(stamp.exists);
    mock.hook = refuses_chunks;
    refused_text = ERROR("AccessDenied", "kms:Decrypt"); /* a HEAD has no text: the GET after it says so */
    assert_false(vz_store_stat(*state, "a/0", &stamp, &err));
    assert_int_equal(err.class, VZ_PERMISSION);
}

static void test_read_ahead(void **state)
{
    const char *const keys[] = {"a/1", "a/2"};
    vz_error err = VZ_ERROR_NONE;
    bool found = true;
    vz_bytes bytes;
    open_unlisted(state);
    assert_true(vz_store_prefetch(*state, keys, 2, &err));
    assert_true(vz_store_has_prefetched(*state, "a/1", &found, &bytes));
    assert_false(found);
    vz_store_forget_refused(*state);
    assert_false(vz_store_has_prefetched(*state, "a/1", &found, &bytes));
    assert_false(vz_store_has_prefetched(*state, "a/2", &found, &bytes));
}

/* ---- many threads ---- */

enum { MANY = 64, THREADS = 4 };

static void *pull_all(void *argument)
{
    vz_buffer unused = {0};
    size_t count = 0;
    while (vz_batch_next(argument, &unused)) {
        count++;
        usleep(200); /* the others find that there are no more meanwhile */
    }
    vz_buffer_clear(&unused);
    return (void *)count;
}

static void test_every_answer_is_handed_out(void **state)
{
    open_unlisted(state);
    *state = vz_layer_for_use(*state, false, NULL);
    assert_non_null(*state);
    char keys[MANY][16];
    vz_buffer out[MANY] = {0};
    vz_request requests[MANY];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], "a/%zu", i + 1);
        requests[i] = (vz_request){.key = keys[i], .into = &out[i]};
    }
    pthread_t threads[THREADS];
    size_t count = 0;
    vz_batch *batch = vz_batch_open(*state, requests, MANY, NULL);
    assert_non_null(batch);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pull_all, batch), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *pulled;
        pthread_join(threads[i], &pulled);
        count += (size_t)pulled;
    }
    assert_true(vz_batch_close(batch, NULL));
    assert_int_equal(count, MANY);
}

/* ---- web servers ---- */

static void open_web(void **state)
{
    mock_put("x.zarr/.zgroup", "{}", 2);
    open_anew(state, "https://web/x.zarr");
    assert_value(*state, ".zgroup", "{}");
    mock.hook = refuses_chunks;
}

static void test_web(void **state)
{
    open_web(state);
    assert_missing(*state, "a/1", "missing=403");
    refused_status = 410;
    assert_missing(*state, "a/1", "missing=403");
    refused_status = 404;
    assert_missing(*state, "a/1", NULL);
}

static bool leads_elsewhere(mock_request *r)
{
    r->net->is_elsewhere = true;
    mock_status(r, 404, NULL);
    return true;
}

static void test_nothing_elsewhere(void **state)
{
    open_web(state);
    mock.hook = leads_elsewhere;
    assert_missing(*state, "a/1", "another place");
}

static void test_web_with_option(void **state)
{
    remote_options.missing = VZ_MISSING_403;
    open_web(state);
    assert_missing(*state, "a/1", NULL);
    refused_status = 410;
    assert_missing(*state, "a/1", NULL);
    refused_status = 403;
    refused_text = ERROR("AccessDenied", "Request has expired");
    assert_missing(*state, "a/1", "Request has expired");
    refused_text = ERROR("AccessDenied", "Access Denied");
    mock.hook = refuses_from;
    refused_from = 1;
    assert_missing(*state, "a/1", "AccessDenied");
}

/* A login stands in the place of everything from some moment on. */
static void test_pages(void **state)
{
    open_web(state);
    mock.hook = NULL;
    mock_put("x.zarr/.zattrs", "<html>", 6);
    mock_put("x.zarr/.zgroup", "<html>", 6);
    mock.content_type = "text/html";
    assert_missing(*state, ".zattrs", "page of HTML");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_each_call_has_a_proof),
        CASE(test_the_document_is_refused),
        CASE(test_the_document_is_deleted),
        CASE(test_listing_is_allowed),
        CASE(test_refused_from_any_request_on),
        CASE(test_refusals_for_other_reasons),
        CASE(test_another_404),
        CASE(test_a_look),
        CASE(test_read_ahead),
        CASE(test_every_answer_is_handed_out),
        CASE(test_web),
        CASE(test_nothing_elsewhere),
        CASE(test_web_with_option),
        CASE(test_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
