/* test_inside_types_foreign.c - dtypes that others wrote, shown as HDF5 types; dtypes that grow with the data; records
 * that are cut. */
#include "inside_types_shown.h"

/* ---- what others wrote ---- */

static const struct {
    const char *dtype, *filters, *type;
} foreign[] = {
    {"\"<U3\"", "[]", TEXT},
    {"\"|S0\"", "[]", "{\"str\":1,\"pad\":\"nul\",\"cs\":\"ascii\"}"},
    {"\"|V16\"", "[]", "{\"opaque\":16}"},
    {"\"|O\"", "[{\"id\":\"vlen-bytes\"}]", "{\"vlen\":\"|u1\"}"},
    {"\"|O\"", "[{\"id\":\"vlen-array\",\"dtype\":\"<i4\"}]", "{\"vlen\":\"<i4\"}"},
    {"\"|O\"", "[{\"id\":\"json2\"}]", TEXT},
    {"\"|O\"", "[{\"id\":\"pickle\"}]", TEXT},
    {"\"|O\"", "[{\"id\":\"msgpack\"}]", "{\"opaque\":1,\"tag\":\"numcodecs:msgpack\"}"},
    {"\"<M8\"", "[]", "{\"opaque\":8,\"tag\":\"NUMPY:<M8\"}"},
    {"[[\"a\",\"<i4\",[2,3]],[\"b\",\"<U2\",[2]]]", "[]",
     "{\"cmpd\":40,\"m\":[[\"a\",0,{\"arr\":\"<i4\",\"d\":[2,3]}],[\"b\",24,{\"arr\":" TEXT ",\"d\":[2]}]]}"},
};

static void foreign_dtypes_are_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_json *spelling = parse_json(foreign[i].dtype), *filters = parse_json(foreign[i].filters);
        vz_dtype *dtype = dtype_parse_json(spelling, filters, &err);
        hid_t shown = dtype ? type_shown(dtype, NULL, &err) : H5I_INVALID_HID, expected = type_of(foreign[i].type);
        if (shown < 0 || H5Tequal(shown, expected) <= 0)
            fail_msg("%s: %s", foreign[i].dtype, err.text);
        if (dtype->object != VZ_OBJECT_OTHER && strcmp(foreign[i].dtype, "\"|S0\"") != 0)
            round_trip(dtype, shown, 1);
        H5Tclose(shown);
        H5Tclose(expected);
        vz_dtype_free(dtype);
        vz_json_free(spelling);
        vz_json_free(filters);
    }
}

static void notes_that_do_not_fit_are_ignored(void **state)
{
    (void)state;
    static const char *const notes[] = {"\"<i8\"", "{\"opaque\":16}", TEXT, "{\"vlen\":\"<i4\"}",
                                        "{\"cmpd\":4,\"m\":[[\"a\",0,\"<i4\"]]}x"};
    vz_error err = VZ_ERROR_NONE;
    vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_INT, 4, false, &err);
    for (size_t i = 0; i + 1 < sizeof notes / sizeof *notes; i++) {
        vz_json *note = parse_json(notes[i]);
        hid_t shown = type_shown(dtype, note, &err);
        assert_true(H5Tequal(shown, H5T_STD_I32LE) > 0);
        H5Tclose(shown);
        vz_json_free(note);
    }
    vz_dtype_free(dtype);
}

static void unreadable_objects_name_their_codec(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_json *spelling = parse_json("\"|O\""), *filters = parse_json("[{\"id\":\"msgpack\"}]");
    vz_dtype *dtype = dtype_parse_json(spelling, filters, &err);
    hid_t shown = type_shown(dtype, NULL, &err);
    vz_item item = {0};
    char out[16];
    assert_false(vz_type_unpack(dtype, shown, &item, 1, out, &arena, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    assert_string_equal(err.text, "objects encoded with \"msgpack\" cannot be read yet");
    H5Tclose(shown);
    vz_dtype_free(dtype);
    vz_json_free(spelling);
    vz_json_free(filters);
}

/* ---- growth ---- */

static void text_members_grow(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_dialect_plan plan = {0};
    hid_t type = type_of("{\"cmpd\":12,\"m\":[[\"n\",0,\"<i4\"],[\"s\",4," TEXT "]]}");
    vz_type_tree *layout = vz_type_tree_new(type, &err);
    struct __attribute__((packed)) {
        int32_t n;
        const char *s;
    } first[] = {{1, "ab"},
                 {2, NULL},
                 {3, "Gr\xc3\xbc\xc3\x9f"
                     "e"}},
      second[] = {{4, "sixsix"}}, out[3], bad = {5, "\xff"};
    assert_true(vz_dialect_plan_make(&plan, type, false, &err));
    vz_dtype *wide, *wider;
    assert_true(vz_type_widen(plan.dtype, layout, first, 3, true, &wide, &err));
    vz_json *text = vz_dtype_print_v2(wide, &err);
    expect_json(text, "[[\"n\",\"<i4\"],[\"s\",\"<U5\"]]"); /* exact while nothing is stored */
    vz_json_free(text);
    uint8_t stored[3 * 24], regrown[3 * 64];
    assert_true(vz_type_pack(wide, type, first, 3, stored, &arena, &err));
    assert_true(vz_type_widen(wide, layout, first, 3, false, &wider, &err));
    assert_null(wider);
    assert_true(vz_type_widen(wide, layout, second, 1, false, &wider, &err));
    text = vz_dtype_print_v2(wider, &err);
    expect_json(text, "[[\"n\",\"<i4\"],[\"s\",\"<U7\"]]"); /* half as much again */
    vz_json_free(text);
    vz_type_widen_elements(wide, wider, stored, 3, regrown);
    assert_true(vz_type_unpack(wider, type, regrown, 3, out, &arena, &err));
    assert_string_equal(out[2].s, first[2].s);
    assert_int_equal(out[2].n, 3);
    assert_string_equal(out[1].s, "");
    assert_false(vz_type_pack(wide, type, second, 1, stored, &arena, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    err = VZ_ERROR_NONE;
    vz_dtype *none;
    assert_false(vz_type_widen(wide, layout, &bad, 1, false, &none, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    vz_json *note;
    err = VZ_ERROR_NONE;
    assert_true(vz_type_annotation(wider, type, &note, &err));
    assert_null(note);
    vz_dtype_free(wide);
    vz_dtype_free(wider);
    vz_arena_clear(&arena);
    vz_type_tree_free(layout);
    vz_dialect_plan_clear(&plan);
    H5Tclose(type);
}

static void text_becomes_bytes(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_dialect_plan plan = {0};
    hid_t type = type_of(TEXT);
    vz_type_tree *layout = vz_type_tree_new(type, &err);
    const char *good[] = {"a", NULL, "\xc3\xbc"}, *bad[] = {"a", "\xfc"};
    assert_true(vz_dialect_plan_make(&plan, type, false, &err));
    assert_true(vz_type_can_grow(plan.dtype));
    vz_dtype *grown;
    assert_true(vz_type_widen(plan.dtype, layout, good, 3, true, &grown, &err));
    assert_null(grown);
    assert_true(vz_type_widen(plan.dtype, layout, bad, 2, false, &grown, &err));
    assert_int_equal(grown->object, VZ_OBJECT_BYTES);
    vz_json *note;
    assert_true(vz_type_annotation(grown, type, &note, &err));
    expect_json(note, TEXT);
    vz_json_free(note);
    vz_dtype_free(grown);
    vz_type_tree_free(layout);
    vz_dialect_plan_clear(&plan);
    H5Tclose(type);
}

/* ---- records cut short ---- */

static void cut_records_are_refused(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    hid_t type = type_of("{\"vlen\":{\"cmpd\":24,\"m\":[[\"s\",0," TEXT "],[\"v\",8,{\"vlen\":\"<i4\"}]]}}");
    vz_type_tree *layout = vz_type_tree_new(type, &err);
    hvl_t in = {.len = 3, .p = calloc(3, layout->base->size)}, out;
    turn = 0;
    for (size_t i = 0; i < in.len; i++)
        make_element(layout->base, (uint8_t *)in.p + i * layout->base->size);
    vz_buffer record = {0};
    assert_true(vz_record_write(layout, &in, &record, &err));
    for (size_t size = 0; size < record.size; size++) {
        vz_bytes bytes = {record.data, size};
        uint8_t *exact = malloc(size ? size : 1); /* so that reading beyond is seen */
        memcpy(exact, record.data, size);
        bytes.data = exact;
        assert_false(vz_record_read(layout, &bytes, &out, &arena, NULL));
        free(exact);
    }
    memset(record.data, 0xff, 4);
    vz_bytes bytes = {record.data, record.size};
    assert_false(vz_record_read(layout, &bytes, &out, &arena, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    reclaim(type, &in, 1);
    vz_buffer_clear(&record);
    vz_arena_clear(&arena);
    vz_type_tree_free(layout);
    H5Tclose(type);
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_dtypes_are_shown),
        cmocka_unit_test(notes_that_do_not_fit_are_ignored),
        cmocka_unit_test(unreadable_objects_name_their_codec),
        cmocka_unit_test(text_members_grow),
        cmocka_unit_test(text_becomes_bytes),
        cmocka_unit_test(cut_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
