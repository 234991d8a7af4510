/* test_bucket_trees.c - trees of a bucket: what is deleted and moved, in which order, and values that are copied in
 * parts. */
#include "remote_support.h"
#include "store/layers/layer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char order[8192];

/* Notes what is changed; the bodies of deletions, too. */
static bool note(mock_request *r)
{
    static const char *const names[] = {"", "", "put ", "delete ", "delete "};
    const size_t length = strlen(order);
    if (r->net->method == VZ_NET_POST)
        snprintf(order + length, sizeof order - length, "%.*s\n", (int)r->net->body.size, r->net->body.data);
    else if (r->net->method >= VZ_NET_PUT)
        snprintf(order + length, sizeof order - length, "%s%.500s\n", names[r->net->method], r->key);
    return false;
}

static void put_tree(void)
{
    static const char *const keys[] = {"g/.zgroup",   "g/a/.zarray",     "g/a/0.0",   "g/a/0.1",  "g/a/1.0",
                                       "g/h/.zgroup", "g/h/b/zarr.json", "g/h/b/c/0", "g/h/b/c/1"};
    for (size_t i = 0; i < COUNT(keys); i++)
        put_raw(keys[i], keys[i]);
    order[0] = '\0';
    mock.hook = note;
}

/* Is `first` noted before `then`? Both are. */
static void assert_before(const char *first, const char *then)
{
    const char *a = strstr(order, first), *b = strstr(order, then);
    if (!a || !b || a > b)
        fail_msg("%s before %s in\n%s", first, then, order);
}

static void test_del_tree(void **state)
{
    put_tree();
    put_raw("gg/0", "stays");
    put_raw("g", "a value of that name");
    assert_true(vz_store_del_tree(*state, "g", NULL));
    assert_int_equal(mock.count, 1);
    assert_before("g/.zgroup", "g/a/.zarray");
    assert_before("g/h/b/zarr.json", "g/a/0.0");
    assert_int_equal(mock.posts, 3); /* the documents of g, asked for with the listing; those below; values */
    mock.has_no_multi_delete = true;
    put_tree();
    assert_true(vz_store_del_tree(*state, "g", NULL));
    assert_int_equal(mock.count, 1);
    put_tree();
    assert_true(vz_store_del_tree(*state, "", NULL));
    assert_int_equal(mock.count, 0);
}

static void test_many_deleted(void **state)
{
    char key[32];
    for (unsigned i = 0; i < 2500; i++) {
        snprintf(key, sizeof key, "a/%u", i);
        put_raw(key, "");
    }
    mock.requests = 0;
    assert_true(vz_store_del_tree(*state, "a", NULL));
    assert_int_equal(mock.count, 0);
    assert_int_equal(mock.requests, 3 + 1 + 3); /* pages, documents that it might have, lots */
}

static void test_rename_tree(void **state)
{
    put_tree();
    assert_true(vz_store_rename_tree(*state, "g", "new", NULL));
    assert_before("put " PREFIX "new/a/1.0", "put " PREFIX "new/a/.zarray");
    assert_before("put " PREFIX "new/h/b/c/1", "put " PREFIX "new/h/b/zarr.json");
    assert_before("put " PREFIX "new/h/b/zarr.json", "put " PREFIX "new/h/.zgroup");
    assert_before("put " PREFIX "new/h/.zgroup", "put " PREFIX "new/.zgroup");
    assert_before("put " PREFIX "new/.zgroup", "<Key>" PREFIX "g/.zgroup");
    assert_before("<Key>" PREFIX "g/a/.zarray", "<Key>" PREFIX "g/a/0.0");
    assert_int_equal(mock.count, 9);
    assert_value(*state, "new/a/0.1", "g/a/0.1");
    vz_error err = VZ_ERROR_NONE;
    put_raw("there/x", "x");
    assert_false(vz_store_rename_tree(*state, "new", "there", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_rename_tree(*state, "none", "other", &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
}

/* What was put behind is moved, too, and the bytes stay on the server. */
static void test_rename_for_use(void **state)
{
    vz_store *store = vz_layer_for_use(*state, true, NULL);
    *state = store;
    put(store, "g/a/0", "x");
    put(store, "g/.zgroup", "{}");
    assert_true(vz_store_rename_tree(store, "g", "new", NULL));
    assert_true(has_raw("new/a/0") && has_raw("new/.zgroup") && !has_raw("g/.zgroup"));
    assert_value(store, "g/a/0", NULL);
    assert_int_equal(mock.gets, 3); /* listings, and the look at what is gone */
}

static bool refuse_one_copy(mock_request *r)
{
    if (!mock_asked(r, "x-amz-copy-source") || !strstr(r->key, "1.0"))
        return false;
    mock_status(r, 403, "AccessDenied");
    return true;
}

static void test_rename_fails(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    put_tree();
    mock.hook = refuse_one_copy;
    assert_false(vz_store_rename_tree(*state, "g", "new", &err));
    assert_int_equal(err.class, VZ_PERMISSION);
    assert_int_equal(mock.count, 9); /* the old place has all, the new one nothing */
    assert_true(has_raw("g/a/1.0"));
}

/* ---- large values are copied in parts ---- */

enum { COPY_MAX = 1000, COPY_PART = 400, COPIED = 1500 };

static void put_numbers(const char *key, size_t size)
{
    char text[COPIED + 1], whole[64];
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i * 2654435761u % 23);
    snprintf(whole, sizeof whole, PREFIX "%s", key);
    mock_put(whole, text, size);
}

static void assert_numbers(const char *key, size_t size)
{
    char whole[64];
    snprintf(whole, sizeof whole, PREFIX "%s", key);
    const mock_value *value = mock_find(whole);
    assert_non_null(value);
    assert_int_equal(value->size, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(value->data[i], 'a' + i * 2654435761u % 23);
}

static void copy_little(vz_store *store)
{
    vz_bucket *remote = (vz_bucket *)store;
    assert_int_equal(remote->copy_max, (uint64_t)5 << 30);
    remote->copy_max = mock.copy_max = COPY_MAX;
    remote->copy_part = COPY_PART;
}

/* An upload says what the old value was. */
static bool look_at_type(mock_request *r)
{
    if (strcmp(r->query, "uploads=") == 0)
        assert_string_equal(mock_asked(r, "Content-Type"), "image/x-a");
    return false;
}

static void test_copy_in_parts(void **state)
{
    copy_little(*state);
    put_numbers("g/a/0 +", COPIED);
    put_numbers("g/a/1", COPY_MAX);
    put_raw("g/.zgroup", "{}");
    mock.content_type = "image/x-a";
    mock.hook = look_at_type;
    assert_true(vz_store_rename_tree(*state, "g", "new", NULL));
    assert_numbers("new/a/0 +", COPIED);
    assert_numbers("new/a/1", COPY_MAX);
    assert_int_equal(mock.copied_parts, 4);
    assert_true(has_raw("new/.zgroup") && mock.count == 3);
    assert_true(vz_store_rename_tree(*state, "new/a/0 +", "one", NULL)); /* a value by itself */
    assert_numbers("one", COPIED);
    assert_int_equal(mock.copied_parts, 8);
    assert_true(mock.begun == 2 && mock.ended == 2 && mock.aborted == 0);
    assert_true(vz_store_rename_tree(*state, "one", "h/a/0", NULL));
    assert_true(vz_store_del_tree(*state, "h", NULL));
    assert_false(has_raw("h/a/0"));
}

static bool replace_copied(mock_request *r)
{
    if (strstr(r->query, "partNumber") && mock.copied_parts == 2)
        put_numbers("g/a/0", COPIED);
    return false;
}

static bool refuse_part(mock_request *r)
{
    if (!strstr(r->query, "partNumber=2"))
        return false;
    mock_status(r, 403, "AccessDenied");
    return true;
}

/* Two versions are never mixed, and of several uploads none is left when one fails. */
static void test_copy_in_parts_fails(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    copy_little(*state);
    put_numbers("g/a/0", COPIED);
    mock.hook = replace_copied;
    assert_false(vz_store_rename_tree(*state, "g", "new", &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_true(mock.begun == 1 && mock.ended == 0 && mock.aborted == 1 && mock.count == 1);
    char key[16];
    for (unsigned i = 1; i < 9; i++) {
        snprintf(key, sizeof key, "g/a/%u", i);
        put_numbers(key, COPIED);
    }
    mock.hook = refuse_part;
    err = VZ_ERROR_NONE;
    assert_false(vz_store_rename_tree(*state, "g", "new", &err));
    assert_int_equal(err.class, VZ_PERMISSION);
    assert_true(mock.begun > 4 && mock.ended == 0 && mock.aborted == mock.begun);
    assert_int_equal(mock.count, 9);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_s3, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_del_tree),       CASE(test_many_deleted),  CASE(test_rename_tree),         CASE(test_rename_fails),
        CASE(test_rename_for_use), CASE(test_copy_in_parts), CASE(test_copy_in_parts_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
