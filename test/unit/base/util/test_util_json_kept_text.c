/* test_util_json_kept_text.c - JSON printed into a string, whose text is kept until something in it changes. */
#include "json_support.h"

/* As the string of the compact text. */
static void check_in_string(const vz_json *value)
{
    vz_buffer text = {0}, expected = {0}, found = {0};
    assert_true(vz_json_print(value, 0, &text, NULL));
    vz_json *string = vz_json_string((const char *)text.data, text.size, NULL);
    assert_true(vz_json_print(string, 0, &expected, NULL));
    assert_true(vz_json_print_in_string(value, &found, NULL));
    assert_int_equal(found.size, expected.size);
    assert_memory_equal(found.data, expected.data, found.size);
    vz_json_free(string);
    vz_buffer_clear(&text);
    vz_buffer_clear(&expected);
    vz_buffer_clear(&found);
}

/* A copy keeps no text. */
static void check_sizes(const vz_json *value)
{
    vz_json *copy = vz_json_copy(value, NULL);
    for (unsigned indent = 0; indent < 5; indent += 2)
        for (unsigned depth = 0; depth < 4; depth++) {
            vz_json_size kept = {0}, whole = {0};
            vz_json_measure(value, indent, depth, &kept);
            vz_json_measure(copy, indent, depth, &whole);
            assert_memory_equal(&kept, &whole, sizeof kept);
        }
    vz_json_free(copy);
}

static vz_json *list_with(const vz_json *list, const char *more)
{
    vz_json *longer = vz_json_array(NULL);
    for (size_t i = 0; i < vz_json_length(list); i++)
        assert_true(vz_json_append(longer, vz_json_share(vz_json_at(list, i)), NULL));
    assert_true(vz_json_append(longer, parse(more), NULL));
    return longer;
}

static void test_in_string(void **state)
{
    (void)state;
    vz_json *list =
        parse("[{\"a\\\"\\\\\\n\\u0000\": \"\\u00e9 \\ud800\\u0001\\\\\"}, [], {}, NaN, -1e5, null, true, \"\"]");
    check_in_string(list);
    vz_json_keep_text(list, NULL);
    check_in_string(list);
    check_sizes(list);
    vz_json *longer = list_with(list, "{\"b\": {\"c\": [\"x\", [2]]}}");
    vz_json_keep_text(longer, list);
    vz_json *around = parse("{\"first\": 1}");
    assert_true(vz_json_set(around, "list", vz_json_share(longer), NULL));
    check_in_string(around);
    check_sizes(around);
    vz_json *other = parse("[2, 3]");
    vz_json_keep_text(other, longer); /* begins with nothing of it */
    check_in_string(other);
    vz_json_free(other);
    vz_json_free(around);
    vz_json_free(longer);
    vz_json_free(list);
}

/* Whatever changes in a text that was kept, at whatever depth, is printed. */
static void test_kept_text_changes(void **state)
{
    (void)state;
    vz_json *list = parse("[{\"b\": {\"c\": [\"x\", [2]]}}, {\"d\": 1}]");
    vz_json *b = vz_json_get(vz_json_at(list, 0), "b"), *c = vz_json_get(b, "c");
    const vz_json *kept = NULL;
    for (int change = 0; change < 6; change++) {
        vz_json *longer = list_with(list, "7");
        vz_json_keep_text(list, kept);
        vz_json_keep_text(longer, list);
        vz_json_keep_text(vz_json_at(list, 1), NULL);
        check_in_string(longer);
        assert_true(change == 0   ? vz_json_append(vz_json_at(c, 1), parse("3"), NULL)
                    : change == 1 ? vz_json_set_text(b, "c2", "new", NULL)
                    : change == 2 ? vz_json_set_text(b, "c2", "newer", NULL)
                    : change == 3 ? vz_json_rename(b, "c2", "c3", NULL)
                    : change == 4 ? vz_json_remove(b, "c3")
                                  : vz_json_set(vz_json_at(list, 1), "d", parse("[5]"), NULL));
        check_in_string(list);
        check_in_string(longer);
        check_sizes(longer);
        assert_true(vz_json_append(list, parse("8"), NULL));
        check_in_string(list);
        vz_json_free(longer);
    }
    vz_json_free(list);
}

/* An object that becomes large has an index in the place of its text. */
static void test_kept_text_of_object(void **state)
{
    (void)state;
    vz_json *object = parse("{\"a\": 1, \"b\": [2]}");
    for (char key[] = "c"; *key <= 'z'; ++*key) {
        vz_json_keep_text(object, NULL);
        check_in_string(object);
        assert_true(vz_json_get(object, "a") && vz_json_get(object, "b"));
        assert_true(vz_json_set_text(object, key, key, NULL));
        check_in_string(object);
        assert_true(vz_json_is(vz_json_get(object, key), key));
    }
    vz_json_free(object);
}

/* A level of containers more would not be read again, whether the text is kept or not. */
static void test_kept_text_depth(void **state)
{
    (void)state;
    vz_json *deep = vz_json_int64(1, NULL);
    for (int i = 0; i < VZ_JSON_MAX_DEPTH; i++) {
        vz_json *list = vz_json_array(NULL);
        assert_true(vz_json_append(list, deep, NULL));
        deep = list;
        if (i == 3)
            vz_json_keep_text(deep, NULL);
    }
    check_in_string(deep);
    vz_json *deeper = vz_json_array(NULL);
    vz_buffer out = {0};
    assert_true(vz_json_append(deeper, deep, NULL));
    assert_false(vz_json_print_in_string(deeper, &out, NULL));
    vz_buffer_clear(&out);
    vz_json_free(deeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_string),
        cmocka_unit_test(test_kept_text_changes),
        cmocka_unit_test(test_kept_text_of_object),
        cmocka_unit_test(test_kept_text_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
