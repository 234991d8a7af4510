/* JSON against Python's: what is accepted, how it prints, what it is worth. */
#include "util/json.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util_double_cases.h"
#include "util_json_cases.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static vz_json *parse(const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *value = vz_json_parse(text, strlen(text), &err);
    if (!value)
        fail_msg("%s: %s", text, err.text);
    return value;
}

static void assert_prints(const vz_json *value, int indent, const char *text, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    assert_true(vz_json_print(value, indent, &out, &err));
    if (out.size != size || memcmp(out.data, text, size) != 0)
        fail_msg("printed %.*s instead of %.*s", (int)out.size, (const char *)out.data, (int)size, text);
    vz_buffer_clear(&out);
}

/* A heap copy of exactly that size, so that a sanitizer sees reading beyond the text. */
static vz_json *parse_exact(const char *text, size_t size, vz_error *err)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    vz_json *value = vz_json_parse(copy, size, err);
    free(copy);
    return value;
}

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(json_good); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_json *value = parse_exact(json_good[i].text, json_good[i].size, &err);
        if (!value)
            fail_msg("%s: %s", json_good[i].text, err.text);
        assert_prints(value, 0, json_good[i].compact, json_good[i].compact_size);
        assert_prints(value, 4, json_good[i].indented, json_good[i].indented_size);

        vz_json *copy = vz_json_copy(value, &err);
        assert_true(vz_json_equal(value, copy) || strstr(json_good[i].text, "nan"));
        assert_prints(copy, 0, json_good[i].compact, json_good[i].compact_size);
        vz_json_free(copy);

        vz_json *again = parse_exact(json_good[i].compact, json_good[i].compact_size, &err);
        assert_non_null(again);
        assert_true(vz_json_equal(value, again));
        vz_json_free(again);
        vz_json_free(value);
    }
}

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

static void test_doubles(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(json_doubles); i++) {
        double number, back;
        memcpy(&number, &json_doubles[i].bits, sizeof number);
        vz_json *value = vz_json_double(number, NULL);
        assert_int_equal(vz_json_kind_of(value), VZ_JSON_REAL);
        assert_string_equal(vz_json_number_text(value), json_doubles[i].text);
        assert_true(vz_json_get_double(value, &back));
        if (isnan(number))
            assert_true(isnan(back));
        else
            assert_memory_equal(&back, &number, sizeof back);
        vz_json *again = parse(json_doubles[i].text);
        assert_int_equal(vz_json_kind_of(again), VZ_JSON_REAL);
        assert_true(vz_json_equal(value, again));
        vz_json_free(again);
        vz_json_free(value);
    }
}

/* The program's locale writes "1,5" and groups digits: nothing of it may show. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < COUNT(names) && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set)
        skip();
    test_doubles(state);
    test_good(state);
    setlocale(LC_ALL, "C");
}

static void test_integer_readers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_signed, is_unsigned, is_double;
        int64_t i;
        uint64_t u;
        double d;
    } cases[] = {
        {"0", true, true, true, 0, 0, 0},
        {"-0", true, true, true, 0, 0, -0.0},
        {"-1", true, false, true, -1, 0, -1},
        {"9223372036854775807", true, true, true, INT64_MAX, INT64_MAX, 9223372036854775807.0},
        {"9223372036854775808", false, true, true, 0, UINT64_C(1) << 63, 9223372036854775808.0},
        {"-9223372036854775808", true, false, true, INT64_MIN, 0, -9223372036854775808.0},
        {"-9223372036854775809", false, false, true, 0, 0, -9223372036854775808.0},
        {"18446744073709551615", false, true, true, 0, UINT64_MAX, 18446744073709551616.0},
        {"18446744073709551616", false, false, true, 0, 0, 18446744073709551616.0},
        {"9007199254740993", true, true, true, 9007199254740993, 9007199254740993, 9007199254740992.0},
        {"1.0", false, false, true, 0, 0, 1},
        {"1e2", false, false, true, 0, 0, 100},
        {"1e999", false, false, false, 0, 0, 0},
        {"-1e999", false, false, false, 0, 0, 0},
        {"1e-999", false, false, true, 0, 0, 0},
        {"5e-324", false, false, true, 0, 0, 5e-324},
        {"1.7976931348623157e308", false, false, true, 0, 0, DBL_MAX},
        {"1e99999999999999999999999999", false, false, false, 0, 0, 0},
        {"0e99999999999999999999999999", false, false, true, 0, 0, 0},
        {"-Infinity", false, false, true, 0, 0, -INFINITY},
        {"\"1\"", false, false, false, 0, 0, 0},
        {"null", false, false, false, 0, 0, 0},
        {"true", false, false, false, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_json *value = parse(cases[i].text);
        int64_t whole = 0;
        uint64_t natural = 0;
        double number = 0;
        assert_int_equal(vz_json_get_int64(value, &whole), cases[i].is_signed);
        assert_int_equal(vz_json_get_uint64(value, &natural), cases[i].is_unsigned);
        assert_int_equal(vz_json_get_double(value, &number), cases[i].is_double);
        assert_true(whole == cases[i].i && natural == cases[i].u);
        assert_memory_equal(&number, &cases[i].d, sizeof number);
        vz_json_free(value);
    }
    vz_json *value = vz_json_int64(INT64_MIN, NULL);
    assert_string_equal(vz_json_number_text(value), "-9223372036854775808");
    vz_json_free(value);
    value = vz_json_uint64(UINT64_MAX, NULL);
    assert_string_equal(vz_json_number_text(value), "18446744073709551615");
    vz_json_free(value);
}

static void test_equal(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"1", "1", true},
        {"0", "-0", true},
        {"1", "1.0", false},
        {"1.0", "1.00", true},
        {"100.0", "1e2", true},
        {"1e999", "1e998", false},
        {"1e999", "1e999", true},
        {"NaN", "NaN", true},
        {"0.1", "0.1000000000000000055511151231257827", true},
        {"0.1", "0.2", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\"", "\"b\"", false},
        {"\"a\\u0000\"", "\"a\"", false},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1,2,3]", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{}", "[]", false},
        {"null", "false", false},
        {"true", "false", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_json *a = parse(cases[i].a), *b = parse(cases[i].b);
        assert_int_equal(vz_json_equal(a, b), cases[i].equal);
        assert_int_equal(vz_json_equal(b, a), cases[i].equal);
        assert_false(vz_json_equal(a, NULL));
        vz_json_free(a);
        vz_json_free(b);
    }
    assert_true(vz_json_equal(NULL, NULL));
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

/* An object against a plain list of what should be in it, through some thousand random changes. */
#define KEYS 60
static void check_object(const vz_json *object, char names[][16], const int64_t *values, size_t count)
{
    assert_int_equal(vz_json_length(object), count);
    for (size_t i = 0; i < count; i++) {
        const char *key;
        vz_json *value;
        int64_t number;
        assert_true(vz_json_member(object, i, &key, &value));
        assert_string_equal(key, names[i]);
        assert_ptr_equal(vz_json_get(object, key), value);
        assert_int_equal(vz_json_index(object, key), i);
        assert_true(vz_json_get_int64(value, &number));
        assert_int_equal(number, values[i]);
    }
    assert_false(vz_json_member(object, count, NULL, NULL));
}

static size_t place_of(char names[][16], size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void test_object(void **state)
{
    (void)state;
    static char names[KEYS][16];
    static int64_t values[KEYS];
    size_t count = 0;
    srand(3);
    vz_error err = VZ_ERROR_NONE;
    vz_json *object = vz_json_object(&err);
    for (int step = 0; step < 6000; step++) {
        char name[16], other[16];
        snprintf(name, sizeof name, "k%d", rand() % KEYS);
        snprintf(other, sizeof other, "k%d", rand() % KEYS);
        const size_t at = place_of(names, count, name);
        switch (rand() % 4) {
        case 0:
        case 1:
            assert_true(vz_json_set(object, name, vz_json_int64(step, &err), &err));
            strcpy(names[at], name);
            values[at] = step;
            count += at == count;
            break;
        case 2:
            assert_int_equal(vz_json_remove(object, name), at < count);
            if (at < count) {
                memmove(names[at], names[at + 1], (count - at - 1) * sizeof *names);
                memmove(&values[at], &values[at + 1], (count - at - 1) * sizeof *values);
                count--;
            }
            break;
        default: {
            const bool can = at < count && (place_of(names, count, other) == count || strcmp(name, other) == 0);
            vz_error cause = VZ_ERROR_NONE;
            assert_int_equal(vz_json_rename(object, name, other, &cause), can);
            assert_int_equal(cause.class, can ? VZ_OK : at == count ? VZ_NOT_FOUND : VZ_EXISTS);
            if (can)
                strcpy(names[at], other);
        }
        }
        if (step % 50 == 0 || count < 12)
            check_object(object, names, values, count);
    }
    vz_json_free(object);
}

static void test_wrong_kinds(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_json *array = vz_json_array(&err), *object = vz_json_object(&err);
    assert_false(vz_json_set(array, "a", vz_json_null(&err), &err));
    assert_int_equal(err.class, VZ_INVALID);
    err = VZ_ERROR_NONE;
    assert_false(vz_json_append(object, vz_json_null(&err), &err));
    assert_int_equal(err.class, VZ_INVALID);
    err = VZ_ERROR_NONE;
    assert_false(vz_json_set(object, "\xFF", vz_json_null(&err), &err));
    assert_int_equal(err.class, VZ_INVALID);
    assert_false(vz_json_append(array, NULL, NULL));
    assert_false(vz_json_set(object, "a", NULL, NULL));
    assert_null(vz_json_get(array, "a"));
    assert_null(vz_json_get(NULL, "a"));
    assert_null(vz_json_at(object, 0));
    assert_null(vz_json_at(array, 0));
    assert_null(vz_json_detach(object, "a"));
    assert_false(vz_json_remove(array, "a"));
    assert_int_equal(vz_json_index(object, "a"), -1);
    bool truth;
    assert_false(vz_json_get_bool(array, &truth));
    vz_json_free(array);

    assert_true(vz_json_set(object, "a\xC0\x80", vz_json_bool(true, NULL), NULL));
    assert_prints(object, 0, "{\"a\\u0000\":true}", 16);
    vz_json *taken = vz_json_detach(object, "a\xC0\x80");
    assert_true(vz_json_get_bool(taken, &truth) && truth);
    vz_json_free(taken);
    vz_json_free(object);
}

static void test_large(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_json *object = vz_json_object(&err);
    char key[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof key, "group/%d/.zarray", i);
        assert_true(vz_json_set(object, key, vz_json_int64(i, &err), &err));
    }
    vz_buffer out = {0};
    assert_true(vz_json_print(object, 4, &out, &err));
    vz_json *again = vz_json_parse((const char *)out.data, out.size, &err);
    assert_true(vz_json_equal(object, again));
    out.limit = out.size - 1;
    vz_buffer_clear(&out);
    assert_false(vz_json_print(object, 4, &out, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer_clear(&out);
    vz_json_free(again);
    vz_json_free(object);
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
        {"{\"a\":{]}", "a={];", VZ_OK}, /* told by who parses it */
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
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_integer_readers),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_halves_that_meet),
        cmocka_unit_test(test_object),
        cmocka_unit_test(test_wrong_kinds),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_find_object),
        cmocka_unit_test(test_each_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
