/* test_inside_attributes_foreign.c - attributes that others wrote, or changed: the type that HDF5 sees. */
#include "inside_attributes_support.h"

static const struct {
    const char *json, *type, *dims;
} foreign[] = {
    {"\"x\"", TEXT, "[]"},
    {"[\"x\"]", TEXT, "[1]"},
    {"true", BOOL, "[]"},
    {"[[true],[false]]", BOOL, "[2,1]"},
    {"3", "\"<i8\"", "[]"},
    {"-9223372036854775808", "\"<i8\"", "[]"},
    {"9223372036854775808", "\"<u8\"", "[]"},
    {"18446744073709551616", TEXT, "[]"},
    {"-9223372036854775809", TEXT, "[]"},
    {"[1,18446744073709551616]", TEXT, "[]"},
    {"[0.5,18446744073709551616]", "\"<f8\"", "[2]"},
    {"\"a\\u0000b\"", TEXT, "[]"},
    {"[1,2.5]", "\"<f8\"", "[2]"},
    {"[-1,9223372036854775808]", TEXT, "[]"},
    {"1e3", "\"<f8\"", "[]"},
    {"NaN", "\"<f8\"", "[]"},
    {"[]", "\"<f8\"", "[0]"},
    {"[[],[]]", "\"<f8\"", "[2,0]"},
    {"null", "\"<f4\"", "null"},
    {"{\"a\":[1,{}]}", TEXT, "[]"},
    {"[1,\"x\"]", TEXT, "[]"},
    {"[1,null]", TEXT, "[]"},
    {"[[1,2],[3]]", TEXT, "[]"},
    {"[[1],2]", TEXT, "[]"},
    {"[true,1]", TEXT, "[]"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", TEXT, "[]"},
};

static void json_of_others_is_typed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        ok(vz_node_set_attribute(root, "f", parse_json(foreign[i].json), &err));
        expect_seen("f", foreign[i].type, foreign[i].dims);
    }
}

static void objects_are_their_text(void **state)
{
    (void)state;
    char *text;
    const char *other = "plain now";
    hid_t type = type_of(TEXT), space = H5Screate(H5S_SCALAR);
    ok(vz_node_set_attribute(root, "o", parse_json("{\"a\": [1, 2.50], \"b\": null}"), &err));
    read_value("o", type, &text);
    assert_string_equal(text, "{\"a\":[1,2.50],\"b\":null}");
    write_value("o", type, &text);
    expect_json(vz_node_attribute(root, "o"), "{\"a\":[1,2.50],\"b\":null}"); /* untouched */
    write_value("o", type, &other);
    expect_json(vz_node_attribute(root, "o"), "\"plain now\"");
    reclaim(type, space, &text);
    H5Sclose(space);
    H5Tclose(type);
}

static void edits_by_others_win(void **state)
{
    (void)state;
    const float tenth = 0.1f;
    float real;
    hid_t space = H5Screate(H5S_SCALAR);
    ok(vz_attribute_create(root, "e", H5T_IEEE_F32LE, space, NULL, &err));
    write_value("e", H5T_NATIVE_FLOAT, &tenth);
    ok(vz_node_set_attribute(root, "e", parse_json("7"), &err));
    expect_seen("e", "\"<f4\"", "[]"); /* it fits the type that was */
    read_value("e", H5T_NATIVE_FLOAT, &real);
    assert_true(real == 7.0f);
    ok(vz_node_set_attribute(root, "e", parse_json("1e300"), &err));
    expect_seen("e", "\"<f8\"", "[]"); /* it does not */
    ok(vz_node_set_attribute(root, "e", parse_json("\"text\""), &err));
    expect_seen("e", TEXT, "[]");

    hid_t fixed = type_of("{\"str\":6,\"pad\":\"nul\",\"cs\":\"ascii\"}");
    ok(vz_attribute_create(root, "b", fixed, space, NULL, &err));
    write_value("b", fixed, "ab\0cd");
    ok(vz_node_set_attribute(root, "b", parse_json("\"xy\""), &err));
    char read[6];
    read_value("b", fixed, read);
    assert_memory_equal(read, "xy\0\0\0", 6); /* the bytes kept were those of another text */
    H5Tclose(fixed);
    H5Sclose(space);
}

static void hostile_entries_are_ignored(void **state)
{
    (void)state;
    static const char *const entries[] = {
        "3",
        "{\"t\":{\"str\":1000000000,\"pad\":\"x\",\"cs\":\"ascii\"}}",
        "{\"s\":{\"d\":[18446744073709551615,2]}}",
        "{\"s\":{\"d\":[4294967296,4294967296,4294967296]}}",
        "{\"s\":{\"d\":\"x\"}}",
        "{\"s\":\"null\"}",
        "{\"t\":{\"vlen\":\"<i4\"},\"b\":\"/////w==\"}",
        "{\"t\":\"<i4\",\"b\":\"!!\"}x",
    };
    ok(vz_node_set_attribute(root, "h", parse_json("\"text\""), &err));
    for (size_t i = 0; i + 1 < sizeof entries / sizeof *entries; i++) {
        vz_json *all = vz_json_object(&err);
        assert_true(vz_json_set(all, "h", parse_json(entries[i]), &err));
        ok(vz_annotation_set(root, "a", all, &err));
        expect_seen("h", TEXT, "[]");
    }
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        TEST(json_of_others_is_typed),
        TEST(objects_are_their_text),
        TEST(edits_by_others_win),
        TEST(hostile_entries_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
