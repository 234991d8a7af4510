/* test_util_json_values.c - JSON values: what a number is worth, what is equal, objects and what has no keys. */
#include "json_support.h"

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
        if (rand() % 3 == 0 && count > 0) /* the first and the last go by ways of their own */
            strcpy(name, names[rand() % 2 ? 0 : count - 1]);
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

/* Keys that many documents have are not copied: they and those beside them behave equal. */
static void test_common_keys(void **state)
{
    static const char *const keys[] = {"shape",
                                       "shapes",
                                       "sh",
                                       "id",
                                       "ie",
                                       "",
                                       "zarr_format",
                                       "consolidated_metadata",
                                       "consolidated_metadatb",
                                       "consolidated_metadata2",
                                       "_HDF5",
                                       "name",
                                       "codecs"};
    const size_t count = sizeof keys / sizeof *keys;
    (void)state;
    vz_json *object = vz_json_object(NULL);
    for (size_t turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < count; i++)
            assert_true(vz_json_set_text(object, keys[i], turn ? keys[i] : "first", NULL));
    vz_buffer text = {0};
    assert_true(vz_json_print(object, 0, &text, NULL));
    vz_json *parsed = vz_json_parse((const char *)text.data, text.size, NULL), *copy = vz_json_copy(parsed, NULL);
    vz_json_free(object);
    vz_json_free(parsed);
    assert_int_equal(vz_json_length(copy), count);
    for (size_t i = 0; i < count; i++) {
        const char *key;
        assert_true(vz_json_member(copy, i, &key, NULL));
        assert_string_equal(key, keys[i]);
        assert_string_equal(vz_json_get_text(copy, keys[i]), keys[i]);
    }
    assert_true(vz_json_rename(copy, "shape", "chunks", NULL) && vz_json_rename(copy, "shapes", "dtype", NULL) &&
                vz_json_rename(copy, "id", "other", NULL));
    assert_string_equal(vz_json_get_text(copy, "other"), "id");
    assert_true(vz_json_remove(copy, "chunks") && vz_json_remove(copy, "sh") && !vz_json_get(copy, "id"));
    assert_int_equal(vz_json_length(copy), count - 2);
    vz_json_free(copy);
    vz_buffer_clear(&text);
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

static char *print(const vz_json *value, size_t *length)
{
    vz_buffer out = {0};
    assert_true(vz_json_print(value, 4, &out, NULL));
    *length = out.size;
    assert_true(vz_buffer_append(&out, "", 1, NULL));
    return (char *)out.data;
}

/* {"m": {"k": inner}, "z": 1} */
static vz_json *around(vz_json *inner)
{
    vz_json *outer = parse("{\"m\":{},\"z\":1}");
    assert_true(vz_json_set(vz_json_get(outer, "m"), "k", inner, NULL));
    return outer;
}

/* A value that is known by its text looks among others as the value itself does. */
static void test_printed(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"a\":[1,{\"b\":\"x\\ny\\u0000\"},[]],\"c\":{},\"d\":[[2.50,NaN],null]}",
                                        "{}", "7", "\"t\"", "[{\"deep\":[[[true]]]}]"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t length, other;
        vz_json *value = parse(texts[i]);
        vz_json_size own = {0}, known = {0};
        char *text = print(value, &length);
        vz_json_measure(value, 4, 0, &own);
        vz_json *printed = vz_json_printed(text, length, own.values, NULL), *copy = vz_json_copy(printed, NULL);
        assert_true(vz_json_equal(printed, copy) && !vz_json_equal(printed, value));
        free(text);

        vz_json *whole = around(value), *short_way = around(printed);
        char *expected = print(whole, &length), *found = print(short_way, &other);
        assert_int_equal(length, other);
        assert_string_equal(expected, found);
        own = (vz_json_size){0};
        vz_json_measure(whole, 4, 0, &own);
        vz_json_measure(short_way, 4, 0, &known);
        assert_int_equal(own.values, known.values);
        assert_true(known.bytes >= length && own.bytes >= length && known.depth <= own.depth);
        free(found);
        free(expected);
        vz_json_free(copy);
        vz_json_free(short_way);
        vz_json_free(whole);
    }
}

static void test_shared(void **state)
{
    (void)state;
    vz_json *first = parse("{\"a\": [1, 2], \"b\": \"text\"}"), *second = vz_json_share(first),
            *third = vz_json_share(first);
    assert_ptr_equal(first, second);
    assert_true(vz_json_own(&second, NULL));
    assert_ptr_not_equal(first, second);
    assert_true(vz_json_set(second, "a", vz_json_int64(3, NULL), NULL));
    assert_int_equal(vz_json_length(vz_json_get(first, "a")), 2);
    vz_json_free(first);
    assert_int_equal(vz_json_length(vz_json_get(third, "a")), 2);
    vz_json *last = third;
    assert_true(vz_json_own(&third, NULL)); /* it has no other owner any more */
    assert_ptr_equal(third, last);
    vz_json_free(third);
    vz_json_free(second);
    vz_json *none = NULL;
    assert_true(vz_json_own(&none, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),     cmocka_unit_test(test_locale), cmocka_unit_test(test_integer_readers),
        cmocka_unit_test(test_equal),       cmocka_unit_test(test_object), cmocka_unit_test(test_common_keys),
        cmocka_unit_test(test_wrong_kinds), cmocka_unit_test(test_large),  cmocka_unit_test(test_printed),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
