/* test_bucket_listing.c - listings of servers that have no end, and answers that are too large. */
#include "remote_support.h"
#include "remote/bucket/task_internal.h"
#include "base/util/memory_budget.h"

static unsigned circle; /* tokens after which the first one comes again; 0: each is new */
static unsigned keys;   /* of a page */
static unsigned pages;  /* so far */

/* Every page says that another one follows. */
static bool endless(mock_request *r)
{
    vz_buffer out = {0};
    char prefix[1100];
    if (*r->key || r->net->method != VZ_NET_GET)
        return false;
    mock_parameter(r, "prefix", prefix, sizeof prefix);
    const unsigned number = circle ? pages % circle : pages;
    pages++;
    vz_buffer_printf(&out, NULL, "<ListBucketResult><IsTruncated>true</IsTruncated>");
    vz_buffer_printf(&out, NULL, "<NextContinuationToken>t%u</NextContinuationToken>", number);
    for (unsigned i = 0; i < keys; i++)
        vz_buffer_printf(&out, NULL, "<Contents><Key>%sk%u</Key></Contents>", prefix, number * keys + i);
    vz_buffer_printf(&out, NULL, "</ListBucketResult>");
    mock_body(r, 200, out.data, out.size);
    vz_buffer_clear(&out);
    return true;
}

static void assert_ends(vz_store *store, unsigned length, unsigned page, vz_error_class class, unsigned most)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    circle = length;
    keys = page;
    mock.hook = endless;
    for (int flat = 0; flat < 2; flat++) {
        vz_error err = VZ_ERROR_NONE;
        pages = 0;
        assert_false(flat ? vz_store_del_tree(store, "a", &err) : vz_store_list(store, "a", &entries, &count, &err));
        assert_int_equal(err.class, class);
        assert_in_range(pages, 2, most);
    }
}

static void test_one_token(void **state)
{
    assert_ends(*state, 1, 1, VZ_CORRUPT, 3);
}

static void test_a_circle_of_tokens(void **state)
{
    assert_ends(*state, 2, 1, VZ_CORRUPT, 6);
    assert_ends(*state, 7, 2, VZ_CORRUPT, 30);
    assert_ends(*state, 100, 1, VZ_CORRUPT, 400);
}

static void test_empty_pages(void **state)
{
    assert_ends(*state, 0, 0, VZ_LIMIT, 1002);
    assert_ends(*state, 0, 9, VZ_LIMIT, 1002);
}

/* ---- time ---- */

static bool goes_on(vz_listing_progress *progress, const char *key, int64_t later, vz_error_class *class)
{
    static unsigned number;
    char token[16], name[16];
    vz_error err = VZ_ERROR_NONE;
    snprintf(token, sizeof token, "t%u", number++);
    snprintf(name, sizeof name, "%s", key ? key : "");
    vz_list_item item = {.key = name};
    const vz_list_page page = {.items = &item, .count = key != NULL, .token = token};
    progress->since_s -= later;
    const bool ok = vz_listing_goes_on(progress, &page, &err);
    *class = err.class;
    return ok;
}

/* However slow a server is, keys that arrive are waited for; pages without any are not. */
static void test_time_counts_where_nothing_arrives(void **state)
{
    vz_listing_progress progress = {0};
    vz_error_class class;
    char key[16];
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        progress.keys += VZ_LIST_KEYS_MIN; /* of which the page shows one */
        snprintf(key, sizeof key, "k%u", i);
        assert_true(goes_on(&progress, key, 100, &class));
    }
    assert_true(goes_on(&progress, NULL, VZ_LIST_STILL_S - 2, &class));
    assert_false(goes_on(&progress, NULL, 3, &class));
    assert_int_equal(class, VZ_LIMIT);
    assert_true(goes_on(&progress, "more", 0, &class));
    assert_true(goes_on(&progress, "more", VZ_LIST_STILL_S - 2, &class));
    assert_false(goes_on(&progress, "more", 3, &class));
    assert_int_equal(class, VZ_LIMIT);
    vz_listing_progress_clear(&progress);
}

/* ---- documents ---- */

static uint64_t most;

static bool notes_most(mock_request *r)
{
    most = r->net->most;
    return false;
}

static void test_documents_have_a_limit(void **state)
{
    vz_buffer out = {0};
    bool found;
    put_raw(".zattrs", "{}");
    put_raw("a/0", "x");
    mock.hook = notes_most;
    assert_true(vz_store_get(*state, ".zattrs", VZ_WHOLE, &out, &found, NULL));
    assert_int_equal(most, VZ_DOCUMENT_REMOTE_MAX_SIZE);
    assert_true(vz_store_get(*state, "a/0", VZ_WHOLE, &out, &found, NULL));
    assert_int_equal(most, 0);
    vz_buffer_clear(&out);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_s3, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_one_token),
        CASE(test_a_circle_of_tokens),
        CASE(test_empty_pages),
        CASE(test_time_counts_where_nothing_arrives),
        CASE(test_documents_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
