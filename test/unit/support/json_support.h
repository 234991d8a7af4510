/* json_support.h - texts for tests of JSON. */
#ifndef JSON_SUPPORT_H
#define JSON_SUPPORT_H

#include "base/util/json.h"
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

static inline void test_good(void **state)
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

#endif
