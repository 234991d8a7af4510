/* test_bucket_payer.c - buckets whose owner does not pay: each request says who does, if the option says so. */
#include "remote_support.h"

static unsigned with_line, without_line;

static bool look(mock_request *r)
{
    bool pays = false;
    for (size_t i = 0; i < r->net->header_count; i++)
        pays = pays || strcasecmp(r->net->headers[i], "x-amz-request-payer: requester") == 0;
    *(pays ? &with_line : &without_line) += 1;
    return false;
}

/* Reads, lists, puts and deletes. */
static void use(vz_store *store)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    with_line = without_line = 0;
    mock.hook = look;
    put(store, "a/0", "x");
    assert_value(store, "a/0", "x");
    assert_true(vz_store_list(store, "a", &entries, &count, NULL));
    assert_int_equal(count, 1);
    vz_entries_free(entries, count);
    assert_true(vz_store_del_tree(store, "a", NULL));
    mock.hook = NULL;
}

static void test_requester_pays(void **state)
{
    use(*state);
    assert_int_equal(with_line, 0);
    const unsigned requests = without_line;
    assert_true(requests >= 4);
    vz_store_close(*state);
    remote_options.requester_pays = true;
    *state = open_named("s3://bucket/" ROOT_KEY, true, NULL);
    use(*state);
    assert_int_equal(with_line, requests);
    assert_int_equal(without_line, 0);
}

/* Another service has no such line. */
static void test_not_elsewhere(void **state)
{
    vz_store_close(*state);
    remote_options.requester_pays = true;
    *state = open_named("gs://bucket/" ROOT_KEY, true, NULL);
    use(*state);
    assert_int_equal(with_line, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_requester_pays, open_s3, close_s3),
        cmocka_unit_test_setup_teardown(test_not_elsewhere, open_s3, close_s3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
