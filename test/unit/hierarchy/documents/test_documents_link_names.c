/* test_documents_link_names.c - link names as segments of keys. */
#include "node_support.h"
#include "hierarchy/documents/documents.h"

static const struct {
    const char *name, *segment; /* NULL: itself */
} rows[] = {
    {"a", NULL},
    {"CD4%20ratio", NULL},
    {"%2E", NULL},
    {"...", NULL},
    {".hidden", NULL},
    {" x ", NULL},
    {"__categories", NULL},
    {"c", NULL},
    {"0.0", NULL},
    {"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80", NULL},
    {"x.partial", NULL},
    {".", "%2E"},
    {"..", "%2E."},
    {"a\\b", "a%5Cb"},
    {".zarray", "%2Ezarray"},
    {".ZGroup", "%2EZGroup"},
    {".zattrs", "%2Ezattrs"},
    {".zmetadata", "%2Ezmetadata"},
    {"zarr.json", "zarr%2Ejson"},
    {"bad\xff"
     "byte",
     "bad%FFbyte"},
    {"\xed\xa0\x80", "%ED%A0%80"},
};

static void escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *segment = NULL;
        must((segment = vz_segment_of_name(rows[i].name, &err)));
        assert_string_equal(segment, rows[i].segment ? rows[i].segment : rows[i].name);
        free(segment);
    }
}

static void partial_names(void **state)
{
    (void)state;
    char name[320], *segment = NULL;
    must(vz_partial_name(name, sizeof name, &err));
    must((segment = vz_segment_of_name(name, &err)));
    assert_false(vz_partial_is_name(segment));
    assert_non_null(strstr(segment, "%2Epartial"));
    free(segment);
}

static void long_names(void **state)
{
    (void)state;
    char name[1001], *a = NULL, *b = NULL;
    memset(name, 'x', sizeof name);
    name[240] = '\0';
    must((a = vz_segment_of_name(name, &err)));
    assert_string_equal(a, name);
    free(a);
    name[240] = 'x';
    name[1000] = '\0';
    must((a = vz_segment_of_name(name, &err)));
    assert_int_equal(strlen(a), 200 + 2 + 16);
    name[999] = 'y';
    must((b = vz_segment_of_name(name, &err)));
    assert_string_not_equal(a, b);
    free(a);
    free(b);
    for (size_t i = 0; i + 3 <= 999; i += 3) /* cut between characters, not inside one */
        memcpy(name + i, "\xe4\xb8\xad", 3);
    name[999] = '\0';
    must((a = vz_segment_of_name(name, &err)));
    assert_true(vz_utf8_valid(a, strlen(a)));
    assert_int_equal(strlen(a), 198 + 2 + 16);
    free(a);
    must((a = vz_segment_of_name_hashed("a", &err)));
    assert_int_equal(strlen(a), 1 + 2 + 16);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(partial_names),
        cmocka_unit_test(long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
