/* JSON against Python's: what is accepted, how it prints; and what of a text is reported without parsing it. */
#include "json_support.h"

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(json_bad); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_json *value = parse_exact(json_bad[i].text, json_bad[i].size, &err);
        if (value)
            fail_msg("accepted: %s", json_bad[i].text);
        assert_int_equal(err.class, VZ_CORRUPT);
        assert_memory_equal(err.text, "JSON", 4);
        assert_null(strchr(err.text, 0x7F)); /* nothing of how it is done inside */
    }
}

/* Every beginning of a document is refused, or is one by itself. */
static void test_truncated(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\":[1,-2.5e3,NaN,\"x\\u0000\\ud800\\n\",{\"b\":[]},true,null],\"\\u007f\":-Infinity}";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        vz_error err = VZ_ERROR_NONE;
        assert_null(parse_exact(text, size, &err));
        assert_int_equal(err.class, VZ_CORRUPT);
    }
}

static void test_line_of_error(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place;
    } cases[] = {{"{\n\n\"a\" 1}", "line 3"},
                 {"[1,\n-]", "line 2"},
                 {"[\n1.5,\nNaN,\n\"\\u0000\",]", "line 4"},
                 {"{1:2}", "the number 1"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_null(vz_json_parse(cases[i].text, strlen(cases[i].text), &err));
        if (!strstr(err.text, cases[i].place))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

static void test_depth_bombs(void **state)
{
    (void)state;
    const size_t size = 1 << 20;
    char *text = malloc(size);
    for (size_t i = 0; i < 2; i++) {
        vz_error err = VZ_ERROR_NONE;
        memset(text, '[', size);
        for (size_t at = 0; i == 1 && at + 5 <= size; at += 5)
            memcpy(text + at, "{\"a\":", 5);
        assert_null(vz_json_parse(text, size, &err));
        assert_int_equal(err.class, VZ_LIMIT);
    }
    memset(text, ']', size);
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_json_parse(text, size, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    free(text);

    /* What could not be read again is not printed. */
    err = VZ_ERROR_NONE;
    vz_json *value = vz_json_array(&err);
    for (int i = 0; i < VZ_JSON_MAX_DEPTH; i++) {
        vz_json *outer = vz_json_array(&err);
        assert_true(vz_json_append(outer, value, &err));
        value = outer;
    }
    vz_buffer out = {0};
    assert_true(vz_json_print(vz_json_at(value, 0), 0, &out, &err));
    out.size = 0;
    vz_json *beyond = vz_json_array(&err);
    assert_true(vz_json_append(beyond, vz_json_null(&err), &err));
    vz_json *inner = value;
    while (vz_json_length(vz_json_at(inner, 0)))
        inner = vz_json_at(inner, 0);
    assert_true(vz_json_append(vz_json_at(inner, 0), beyond, &err));
    assert_false(vz_json_print(value, 0, &out, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer_clear(&out);
    vz_json_free(value);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    vz_json *value = parse("\xEF\xBB\xBF{\"a\":1}");
    assert_prints(value, 0, "{\"a\":1}", 7);
    vz_json_free(value);
}

/* Halves of a surrogate pair that meet are one character, however each is written; it would be one when it is read
 * again. */
static void test_halves_that_meet(void **state)
{
    static const char *const texts[] = {"\"\\ud800\\udc00\"", "\"\xED\xA0\x80\xED\xB0\x80\"", "\"\\ud800\xED\xB0\x80\"",
                                        "\"\xED\xA0\x80\\udc00\"", "\"\xF0\x90\x80\x80\""};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        vz_json *value = parse(texts[i]);
        assert_prints(value, 0, texts[4], 6);
        vz_json_free(value);
    }
    vz_json *value = parse("\"\xED\xB0\x80\xED\xA0\x80x\""); /* in this order they are none */
    assert_prints(value, 0, "\"\\udc00\\ud800x\"", 15);
    vz_json_free(value);
    value = parse("{\"\xED\xA0\x80\xED\xB0\x80\":1}");
    assert_non_null(vz_json_get(value, "\xF0\x90\x80\x80"));
    vz_json_free(value);
}

static void test_strings(void **state)
{
    (void)state;
    size_t length;
    vz_json *value = parse("\"a\\u0000b\\ud800\"");
    const char *text = vz_json_get_string(value, &length);
    assert_int_equal(length, 6);
    assert_memory_equal(text, "a\0b\xED\xA0\x80", 7);
    assert_false(vz_json_is(value, "a"));
    vz_json_free(value);

    static const char *const wrong[] = {
        "\xFF", "a\xC3", "\xC0\x80", "\xE2\x82", "\xF5\x80\x80\x80", "\x80", "\xED\xA0\x80\xED\xB0\x80"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_null(vz_json_text(wrong[i], &err));
        assert_int_equal(err.class, VZ_INVALID);
    }
    value = vz_json_string("x\0y", 3, NULL);
    assert_prints(value, 0, "\"x\\u0000y\"", 10);
    vz_json_free(value);
    value = vz_json_text("blosc", NULL);
    assert_true(vz_json_is(value, "blosc"));
    assert_false(vz_json_is(value, "blos"));
    assert_false(vz_json_is(NULL, "blosc"));
    assert_null(vz_json_number_text(value));
    assert_string_equal(vz_json_kind_name(value), "a string");
    assert_string_equal(vz_json_kind_name(NULL), "nothing");
    vz_json_free(value);
}

/* Never less than what is printed, but for escapes, and not much more. */
static void test_measure(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\": [1, 2.5, \"text\", null, []], \"b\": {\"c\": true, \"d\": [[-1e300]]}, \"e\": NaN}";
    vz_error err = VZ_ERROR_NONE;
    vz_json *value = vz_json_parse(text, strlen(text), &err);
    vz_json_size size = {0};
    vz_buffer out = {0};
    vz_json_measure(value, 4, 0, &size);
    assert_true(vz_json_print(value, 4, &out, &err));
    assert_int_equal(size.values, 13);
    assert_true(size.bytes >= out.size && size.bytes < 2 * out.size);
    vz_buffer_clear(&out);
    vz_json_free(value);
}

static void test_find_object(void **state)
{
    (void)state;
    static const struct {
        const char *text, *found; /* NULL: nothing */
    } cases[] = {
        {"{\"k\": {}}", "{}"},
        {"{\"a\": {\"k\": {\"b\": 1}}, \"k\" :\n{\"c\": [\"}\", {\"k\": {}}]}, \"d\": 1}",
         "{\"c\": [\"}\", {\"k\": {}}]}"},
        {"{\"a\": \"k\", \"b\\\"\": [\"\\\\\"], \"k\": {\"\": {}}}", "{\"\": {}}"},
        {"{\"k\": null}", NULL},
        {"{\"k\": [{}]}", NULL},
        {"{\"a\": {\"k\": {}}}", NULL},
        {"{\"ak\": {}, \"k\\\"\": {}}", NULL},
        {"[\"k\", {}]", NULL},
        {"[{\"k\": {}}]", NULL},
        {"{\"k\": {\"a\": [1, 2}", "{\"a\": [1, 2}"}, /* the parser finds out */
        {"{\"k\"", NULL},
        {"{\"k", NULL},
        {"{\"k\":", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t start = 0, length = 0;
        const bool found = vz_json_find_object(cases[i].text, strlen(cases[i].text), "k", &start, &length);
        assert_int_equal(found, cases[i].found != NULL);
        if (found) {
            assert_int_equal(length, strlen(cases[i].found));
            assert_memory_equal(cases[i].text + start, cases[i].found, length);
        }
    }
}

typedef struct seen_members {
    char text[80];
    size_t count, stop;
} seen_members;

static bool see_member(void *context, const char *key, vz_bytes value, vz_error *err)
{
    seen_members *seen = context;
    const size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%s=%.*s;", key, (int)value.size,
             (const char *)value.data);
    return ++seen->count != seen->stop || vz_fail(err, VZ_LIMIT, "enough");
}

/* Quotes, brackets and backslashes at any distance from where the text begins: it is looked at in blocks. */
static void test_find_object_anywhere(void **state)
{
    (void)state;
    static const char value[] = "{\"]}\\\\\":[{\"}\\\"{\\\\\\\"\":\"\\\\\"},[[\"\"]]],  \"b\":\"\\\\\\\\\\\"}\"}";
    for (size_t before = 0; before < 200; before++) {
        char text[400];
        const int size =
            snprintf(text, sizeof text, "{\"a\":[\"%*s\\\\\"], \"k\":%s, \"z\":{\"k\":1}}", (int)before, "", value);
        size_t start, length;
        assert_true(size > 0 && (size_t)size < sizeof text);
        assert_true(vz_json_find_object(text, (size_t)size, "k", &start, &length));
        assert_ptr_equal(text + start, strstr(text, value));
        assert_int_equal(length, sizeof value - 1);
        for (size_t cut = start; cut < start + length; cut++) { /* one that does not end */
            assert_true(vz_json_find_object(text, cut + 1, "k", &start, &length));
            assert_int_equal(length, cut + 1 - start);
        }
    }
}

/* A value in two and three parts, cut at any two places, is as long as it is in one. */
static void test_skip_in_parts(void **state)
{
    (void)state;
    static const char value[] = "{\"]}\\\\\":[{\"}\\\"{\\\\\\\"\":\"\\\\\"},[[\"\"]]],  \"b\":\"\\\\\\\\\\\"}\",      "
                                "\"a text that is longer than what is looked at together, with ] and } in it\":[[{}]]}";
    static const char behind[] = ",\"z\":{\"}\":1}}";
    char text[400];
    const size_t length = sizeof value - 1, size = (size_t)snprintf(text, sizeof text, "%s%s", value, behind);
    for (size_t first = 0; first <= size; first++)
        for (size_t second = first; second <= size; second++) {
            const size_t ends[] = {first, second, size};
            vz_json_skip skip = {0};
            size_t at = 0;
            for (size_t i = 0; i < COUNT(ends) && !skip.ends; i++) {
                const size_t part = ends[i] - at, skipped = vz_json_skip_on(&skip, text + at, part);
                assert_true(skip.ends || skipped == part);
                at += skipped;
            }
            assert_true(skip.ends);
            assert_int_equal(at, length);
        }
    for (size_t cut = 0; cut < length; cut++) {
        vz_json_skip skip = {0};
        assert_int_equal(vz_json_skip_on(&skip, value, cut), cut);
        assert_false(skip.ends);
    }
}

static void test_each_member(void **state)
{
    (void)state;
    static const struct {
        const char *text, *seen;
        vz_error_class class;
    } cases[] = {
        {" {} ", "", VZ_OK},
        {"{\"a\":1}", "a=1;", VZ_OK},
        {"{ \"a\" : {\"b\": \"}\\\"\"} ,\n\"\\u0062\\\"\":[ [],{} ], \"\":null }",
         "a={\"b\": \"}\\\"\"};b\"=[ [],{} ];=null;", VZ_OK},
        {"{\"a\\u0000b\": 1, \"c\": -1.5e3}", "c=-1.5e3;", VZ_OK},
        {"{\"a\":{]}", "a={];", VZ_OK}, /* reported by who parses it */
        {"", "", VZ_CORRUPT},
        {"[1]", "", VZ_CORRUPT},
        {"{", "", VZ_CORRUPT},
        {"{\"a", "", VZ_CORRUPT},
        {"{\"a\"", "", VZ_CORRUPT},
        {"{\"a\":", "", VZ_CORRUPT},
        {"{\"a\":}", "", VZ_CORRUPT},
        {"{\"a\":1", "", VZ_CORRUPT},
        {"{\"a\":{\"b\":1}", "", VZ_CORRUPT},
        {"{\"a\":1,}", "a=1;", VZ_CORRUPT},
        {"{\"a\":1 \"b\":2}", "", VZ_CORRUPT},
        {"{a:1}", "", VZ_CORRUPT},
        {"{\"a\":1} x", "a=1;", VZ_CORRUPT},
        {"{\"\\q\":1}", "", VZ_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen_members seen = {{0}, 0, 0};
        vz_error err = VZ_ERROR_NONE;
        const vz_bytes text = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        assert_int_equal(vz_json_each_member(text, see_member, &seen, &err), cases[i].class == VZ_OK);
        assert_int_equal(err.class, cases[i].class);
        assert_string_equal(seen.text, cases[i].seen);
    }
    seen_members seen = {{0}, 0, 1};
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_json_each_member((vz_bytes){(const uint8_t *)"{\"a\":1,\"b\":2}", 13}, see_member, &seen, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_string_equal(seen.text, "a=1;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_line_of_error),
        cmocka_unit_test(test_depth_bombs),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_halves_that_meet),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_find_object),
        cmocka_unit_test(test_find_object_anywhere),
        cmocka_unit_test(test_skip_in_parts),
        cmocka_unit_test(test_each_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
