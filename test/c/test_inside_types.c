/* test_inside_types.c - HDF5 types as Zarr dtypes and back. A type is given in the short form of annotations, whose own
 * round trip is held against HDF5's predefined types first. */
#include "inside_types_support.h"
#include "../unit/dtype_json.h"

/* The type that shows the dtype, by an annotation or by itself. */
static hid_t type_shown(const vz_dtype *dtype, const vz_json *annotation, vz_error *err)
{
    unsigned axes;
    vz_dtype *row;
    const hid_t told = annotation ? vz_short_form_parse(annotation, NULL) : H5I_INVALID_HID;
    return vz_type_show_axes(dtype, told, 0, NULL, &axes, &row, err);
}

/* ---- the short form ---- */

static void predefined_types_survive_the_short_form(void **state)
{
    (void)state;
    const hid_t types[] = {
        H5T_STD_I8LE,        H5T_STD_I8BE,   H5T_STD_U16LE,     H5T_STD_U16BE,  H5T_STD_I64LE,  H5T_STD_U64BE,
        H5T_IEEE_F32LE,      H5T_IEEE_F32BE, H5T_IEEE_F64LE,    H5T_IEEE_F64BE, H5T_NATIVE_INT, H5T_NATIVE_UCHAR,
        H5T_NATIVE_LDOUBLE,  H5T_VAX_F32,    H5T_VAX_F64,       H5T_STD_B8LE,   H5T_STD_B8BE,   H5T_STD_B32BE,
        H5T_STD_B64LE,       H5T_UNIX_D32LE, H5T_UNIX_D64BE,    H5T_C_S1,       H5T_FORTRAN_S1, H5T_STD_REF_OBJ,
        H5T_STD_REF_DSETREG, H5T_STD_REF,    H5T_NATIVE_OPAQUE, H5T_IEEE_F16LE, H5T_IEEE_F16BE,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_json *note = vz_short_form_print(types[i], &err);
        hid_t again = note ? vz_short_form_parse(note, &err) : H5I_INVALID_HID;
        if (again < 0 || H5Tequal(types[i], again) <= 0)
            fail_msg("type %zu: %s: %s", i, print_json(note), err.text);
        H5Tclose(again);
        vz_json_free(note);
    }
}

static void short_form_refuses(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "3",
        "null",
        "\"<i3\"",
        "\"<f1\"",
        "\"i4\"",
        "[]",
        "{}",
        "{\"str\":0,\"pad\":\"nul\",\"cs\":\"ascii\"}",
        "{\"str\":5,\"pad\":\"x\",\"cs\":\"ascii\"}",
        "{\"str\":5}",
        "{\"opaque\":-1}",
        "{\"opaque\":1e3}",
        "{\"arr\":\"<i4\",\"d\":[]}",
        "{\"arr\":\"<i4\",\"d\":[0]}",
        "{\"arr\":\"<i4\",\"d\":[1000000,1000000]}",
        "{\"cmpd\":4,\"m\":[]}",
        "{\"cmpd\":4,\"m\":[[\"a\",1,\"<i4\"]]}",
        "{\"cmpd\":4,\"m\":[[\"a\",18446744073709551615,\"<i4\"]]}",
        "{\"cmpd\":4,\"m\":[[\"\",0,\"<i4\"]]}",
        "{\"cmpd\":4,\"m\":{\"a\":1}}",
        "{\"vlen\":3}",
        "{\"enum\":\"<f4\",\"m\":{}}",
        "{\"int\":0,\"prec\":1,\"off\":0,\"order\":\"<\"}",
        "{\"int\":4,\"prec\":33,\"off\":0,\"order\":\"<\"}",
        "{\"int\":4,\"prec\":32,\"off\":1,\"order\":\"<\"}",
        "{\"time\":3,\"order\":\"<\"}",
        "{\"ref\":\"x\"}",
        "{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":"
        "{\"vlen\":"
        "{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":{\"vlen\":"
        "{\"vlen\":"
        "\"<i4\"}}}}}}}}}}}}}}}}}}}}}}}}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_json *note = parse_json(wrong[i]);
        if (vz_short_form_parse(note, &err) >= 0 || err.class == VZ_OK)
            fail_msg("%s was accepted", wrong[i]);
        vz_json_free(note);
    }
}

/* ---- the rules ---- */

typedef struct type_case {
    const char *type; /* short form */
    const char *dtype, *note, *zarr_dtype;
} type_case;

#define SAME NULL /* the note is the short form */
#define TEXT "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}"

static const type_case cases[] = {
    {"\"|i1\"", "\"|i1\"", "-", "\"int8\""},
    {"\">i1\"", "\"|i1\"", SAME, "\"int8\""},
    {"\"<i4\"", "\"<i4\"", "-", "\"int32\""},
    {"\">u8\"", "\">u8\"", "-", "\"uint64\""},
    {"\"<f2\"", "\"<f2\"", "-", "\"float16\""},
    {"\">f8\"", "\">f8\"", "-", "\"float64\""},
    {"{\"int\":4,\"sign\":true,\"order\":\"<\",\"prec\":17,\"off\":3}", "\"<i4\"", SAME, "\"int32\""},
    {"{\"int\":3,\"order\":\">\",\"prec\":24,\"off\":0}", "\"|V3\"", SAME, "\"void\""},
    {"{\"float\":16,\"order\":\"<\",\"prec\":80,\"off\":0,\"fields\":[79,64,15,0,64],\"bias\":16383,\"norm\":\"none\"}",
     "\"|V16\"", SAME, "\"void\""},
    {"{\"float\":2,\"order\":\"<\",\"prec\":16,\"off\":0,\"fields\":[15,7,8,0,7],\"bias\":127,\"norm\":\"implied\"}",
     "\"<u2\"", SAME, "\"uint16\""},
    {"{\"enum\":\"|i1\",\"m\":{\"FALSE\":0,\"TRUE\":1}}", "\"|b1\"", "-", "\"bool\""},
    {"{\"enum\":\"|u1\",\"m\":{\"FALSE\":0,\"TRUE\":1}}", "\"|u1\"", SAME, "\"uint8\""},
    {"{\"enum\":\"|i1\",\"m\":{\"FALSE\":1,\"TRUE\":0}}", "\"|i1\"", SAME, "\"int8\""},
    {"{\"enum\":\">i4\",\"m\":{\"red\":-7,\"blue\":70000}}", "\">i4\"", SAME, "\"int32\""},
    {"{\"enum\":\"<u8\",\"m\":{\"all\":18446744073709551615}}", "\"<u8\"", SAME, "\"uint64\""},
    {"{\"bits\":\"<u2\"}", "\"<u2\"", SAME, "\"uint16\""},
    {"{\"bits\":\">u1\"}", "\"|u1\"", SAME, "\"uint8\""},
    {"{\"bits\":{\"int\":4,\"order\":\"<\",\"prec\":5,\"off\":2}}", "\"<u4\"", SAME, "\"uint32\""},
    {"{\"time\":8,\"order\":\"<\"}", "\"<u8\"", SAME, "\"uint64\""},
    {"{\"str\":5,\"pad\":\"nul\",\"cs\":\"ascii\"}", "\"|S5\"", "-", "\"bytes_\""},
    {"{\"str\":5,\"pad\":\"null\",\"cs\":\"ascii\"}", "\"|S5\"", SAME, "\"bytes_\""},
    {"{\"str\":5,\"pad\":\"space\",\"cs\":\"utf8\"}", "\"|S5\"", SAME, "\"bytes_\""},
    {TEXT, "\"|O\"", "-", "\"str\""},
    {"{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"ascii\"}", "\"|O\"", SAME, "\"str\""},
    {"{\"opaque\":7}", "\"|V7\"", "-", "\"void\""},
    {"{\"opaque\":7,\"tag\":\"seven\"}", "\"|V7\"", SAME, "\"void\""},
    {"{\"opaque\":8,\"tag\":\"NUMPY:<M8[ns]\"}", "\"<M8[ns]\"", "-", "\"<M8[ns]\""},
    {"{\"opaque\":8,\"tag\":\"NUMPY:>m8[25s]\"}", "\">m8[25s]\"", "-", "\">m8[25s]\""},
    {"{\"opaque\":4,\"tag\":\"NUMPY:<M8[ns]\"}", "\"|V4\"", SAME, "\"void\""},
    {"{\"opaque\":8,\"tag\":\"NUMPY:<f8\"}", "\"|V8\"", SAME, "\"void\""},
    {"{\"cmpd\":8,\"m\":[[\"r\",0,\"<f4\"],[\"i\",4,\"<f4\"]]}", "\"<c8\"", "-", "\"complex64\""},
    {"{\"cmpd\":16,\"m\":[[\"r\",0,\">f8\"],[\"i\",8,\">f8\"]]}", "\">c16\"", "-", "\"complex128\""},
    {"{\"cmpd\":12,\"m\":[[\"r\",0,\"<f4\"],[\"i\",8,\"<f4\"]]}", "[[\"r\",\"<f4\"],[\"i\",\"<f4\"]]", SAME,
     "[{\"name\":\"r\",\"dtype\":\"float32\"},{\"name\":\"i\",\"dtype\":\"float32\"}]"},
    {"{\"cmpd\":12,\"m\":[[\"id\",0,\"<i4\"],[\"x\",4,\"<f8\"]]}", "[[\"id\",\"<i4\"],[\"x\",\"<f8\"]]", "-",
     "[{\"name\":\"id\",\"dtype\":\"int32\"},{\"name\":\"x\",\"dtype\":\"float64\"}]"},
    {"{\"cmpd\":12,\"m\":[[\"id\",0,\">i4\"],[\"x\",4,\">f8\"]]}", "[[\"id\",\">i4\"],[\"x\",\">f8\"]]", "-",
     "[{\"name\":\"id\",\"dtype\":\"int32\"},{\"name\":\"x\",\"dtype\":\"float64\"}]"},
    {"{\"cmpd\":12,\"m\":[[\"id\",0,\">i4\"],[\"x\",4,\"<f8\"]]}", "[[\"id\",\"<i4\"],[\"x\",\"<f8\"]]", SAME,
     "[{\"name\":\"id\",\"dtype\":\"int32\"},{\"name\":\"x\",\"dtype\":\"float64\"}]"},
    {"{\"cmpd\":12,\"m\":[[\"x\",4,\"<f8\"],[\"id\",0,\"<i4\"]]}", "[[\"id\",\"<i4\"],[\"x\",\"<f8\"]]", SAME,
     "[{\"name\":\"id\",\"dtype\":\"int32\"},{\"name\":\"x\",\"dtype\":\"float64\"}]"},
    {"{\"cmpd\":24,\"m\":[[\"id\",2,\"<i4\"],[\"x\",8,\"<f8\"]]}", "[[\"id\",\"<i4\"],[\"x\",\"<f8\"]]", SAME,
     "[{\"name\":\"id\",\"dtype\":\"int32\"},{\"name\":\"x\",\"dtype\":\"float64\"}]"},
    {"{\"cmpd\":9,\"m\":[[\"s\",0," TEXT "],[\"b\",8,{\"enum\":\"|i1\",\"m\":{\"FALSE\":0,\"TRUE\":1}}]]}",
     "[[\"s\",\"<U1\"],[\"b\",\"|b1\"]]", "-",
     "[{\"name\":\"s\",\"dtype\":\"str_\"},{\"name\":\"b\",\"dtype\":\"bool\"}]"},
    {"{\"cmpd\":28,\"m\":[[\"v\",0,{\"arr\":\"<i4\",\"d\":[2,3]}],[\"n\",24,{\"cmpd\":4,\"m\":[[\"c\",0,\"<u2\"],["
     "\"d\",2,\"<i2\"]]}]]}",
     "[[\"v\",[[\"0\",\"<i4\"],[\"1\",\"<i4\"],[\"2\",\"<i4\"],[\"3\",\"<i4\"],[\"4\",\"<i4\"],[\"5\",\"<i4\"]]],["
     "\"n\",[[\"c\",\"<u2\"],["
     "\"d\",\"<i2\"]]]]",
     SAME,
     "[{\"name\":\"v\",\"dtype\":\"void\"},{\"name\":\"n\",\"dtype\":[{\"name\":\"c\",\"dtype\":\"uint16\"},{\"name\":"
     "\"d\","
     "\"dtype\":\"int16\"}]}]"},
    {"{\"cmpd\":140,\"m\":[[\"v\",4,{\"arr\":\"<i4\",\"d\":[33]}]]}", "[[\"v\",\"|V132\"]]", SAME,
     "[{\"name\":\"v\",\"dtype\":\"void\"}]"},
    {"{\"cmpd\":16,\"m\":[[\"v\",0,{\"arr\":" TEXT ",\"d\":[2]}]]}", "[[\"v\",[[\"0\",\"<U1\"],[\"1\",\"<U1\"]]]]",
     SAME, "[{\"name\":\"v\",\"dtype\":\"void\"}]"},
    {"{\"vlen\":\"<i4\"}", "\"|O\"", SAME, "\"void\""},
    {"{\"vlen\":\">f8\"}", "\"|O\"", SAME, "\"void\""},
    {"{\"vlen\":{\"cmpd\":12,\"m\":[[\"a\",0,\"<i2\"],[\"b\",4,\"<f8\"]]}}", "\"|O\"", SAME, "\"void\""},
    {"{\"vlen\":{\"vlen\":\"<i2\"}}", "\"|O\"", SAME, "\"void\""},
    {"{\"vlen\":" TEXT "}", "\"|O\"", SAME, "\"void\""},
    {"{\"cmpd\":40,\"m\":[[\"s\",0," TEXT "],[\"v\",8,{\"vlen\":\"<i4\"}],[\"a\",24,{\"arr\":" TEXT ",\"d\":[2]}]]}",
     "\"|O\"", SAME, "\"void\""},
    {"{\"cmpd\":320,\"m\":[[\"a\",0,{\"arr\":" TEXT ",\"d\":[40]}]]}", "\"|O\"", SAME, "\"void\""},
};

static void check_case(const type_case *c)
{
    vz_error err = VZ_ERROR_NONE;
    vz_type_plan plan = {0};
    hid_t type = type_of(c->type);
    if (!vz_type_plan_make(&plan, type, false, &err))
        fail_msg("%s: %s", c->type, err.text);
    vz_json *dtype = vz_dtype_print_v2(plan.dtype, &err);
    expect_json(dtype, c->dtype);
    expect_json(plan.annotation, c->note ? c->note : c->type);
    expect_json(plan.zarr_dtype, c->zarr_dtype);
    assert_int_equal(plan.codec != NULL, plan.dtype->kind == VZ_DTYPE_OBJECT);

    /* What a reader makes of it, from the dtype's own text. */
    vz_json *filters = vz_json_array(&err);
    if (plan.codec)
        assert_true(vz_json_append(filters, vz_json_copy(plan.codec, &err), &err));
    vz_dtype *read = dtype_parse_json(dtype, filters, &err);
    assert_true(read && vz_dtype_equal(read, plan.dtype));
    hid_t shown = type_shown(read, plan.annotation, &err);
    if (shown < 0 || H5Tequal(shown, type) <= 0)
        fail_msg("%s is not shown as it was: %s", c->type, err.text);
    vz_json *again = vz_short_form_print(shown, &err);
    expect_json(again, c->type);
    vz_json_free(again);
    round_trip(plan.dtype, shown, 1);

    H5Tclose(shown);
    H5Tclose(type);
    vz_dtype_free(read);
    vz_json_free(filters);
    vz_json_free(dtype);
    vz_type_plan_clear(&plan);
}

static void types_survive(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void scalars_are_called_so(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_type_plan plan = {0};
    assert_true(vz_type_plan_make(&plan, H5T_NATIVE_INT, true, &err));
    expect_json(plan.zarr_dtype, "\"scalar\"");
    vz_type_plan_clear(&plan);
}

static hid_t show_axes(const vz_type_plan *plan, unsigned rank, const uint64_t *shape, unsigned *axes, vz_error *err)
{
    vz_dtype *row = NULL;
    hid_t shown =
        vz_type_show_axes(plan->dtype, vz_short_form_parse(plan->annotation, NULL), rank, shape, axes, &row, err);
    assert_null(row);
    return shown;
}

/* Where an array type is one element, as its fill value may ask: nothing says axes then. */
static void array_types_as_a_whole(void **state)
{
    (void)state;
    static const char *const types[] = {
        "{\"arr\":\">i4\",\"d\":[2,3]}",
        "{\"arr\":\"<i2\",\"d\":[50]}",
        "{\"arr\":" TEXT ",\"d\":[4]}",
        "{\"arr\":{\"cmpd\":12,\"m\":[[\"0\",0,\"<i2\"],[\"1\",4,\"<f8\"]]},\"d\":[2]}",
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_type_plan plan = {0};
        hid_t type = type_of(types[i]);
        assert_true(vz_type_plan_make(&plan, type, false, &err));
        assert_int_equal(plan.axes, 0);
        const uint64_t shape[] = {2, 50};
        unsigned axes = 9;
        hid_t shown = show_axes(&plan, 2, shape, &axes, &err);
        assert_true(H5Tequal(shown, type) > 0);
        round_trip(plan.dtype, shown, 7);
        H5Tclose(shown);
        H5Tclose(type);
        vz_type_plan_clear(&plan);
    }
}

static void array_types_become_axes(void **state)
{
    (void)state;
    static const char *const types[] = {
        "{\"arr\":{\"arr\":\"<i2\",\"d\":[3]},\"d\":[2,4]}",
        "{\"arr\":" TEXT ",\"d\":[2,4,3]}",
        "{\"arr\":{\"cmpd\":12,\"m\":[[\"a\",0,\"<i2\"],[\"b\",4,\"<f8\"]]},\"d\":[2,4,3]}",
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_type_plan plan = {.with_axes = true};
        hid_t type = type_of(types[i]);
        assert_true(vz_type_plan_make(&plan, type, false, &err));
        assert_int_equal(plan.axes, 3);
        const uint64_t shape[] = {100, 2, 4, 3}, other[] = {100, 2, 4, 4};
        assert_memory_equal(plan.axis, shape + 1, sizeof(uint64_t[3]));
        expect_json(plan.annotation, types[i]);
        unsigned axes = 9;
        hid_t shown = show_axes(&plan, 4, shape, &axes, &err);
        assert_true(H5Tequal(shown, type) > 0);
        assert_int_equal(axes, 3);
        round_trip(plan.dtype, shown, 24);
        H5Tclose(shown);
        shown = show_axes(&plan, 4, other, &axes, &err); /* another program resized it */
        assert_int_equal(axes, 0);
        assert_int_not_equal(H5Tget_class(shown), H5T_ARRAY);
        H5Tclose(shown);
        shown = type_shown(plan.dtype, plan.annotation, &err);
        assert_int_not_equal(H5Tget_class(shown), H5T_ARRAY);
        H5Tclose(shown);
        H5Tclose(type);
        vz_type_plan_clear(&plan);
    }
}

/* ---- what others wrote ---- */

static const struct {
    const char *dtype, *filters, *type;
} foreign[] = {
    {"\"<U3\"", "[]", TEXT},
    {"\"|S0\"", "[]", "{\"str\":1,\"pad\":\"nul\",\"cs\":\"ascii\"}"},
    {"\"|V16\"", "[]", "{\"opaque\":16}"},
    {"\"|O\"", "[{\"id\":\"vlen-bytes\"}]", "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"ascii\"}"},
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
    vz_type_plan plan = {0};
    hid_t type = type_of("{\"cmpd\":12,\"m\":[[\"n\",0,\"<i4\"],[\"s\",4," TEXT "]]}");
    vz_layout *layout = vz_layout_new(type, &err);
    struct __attribute__((packed)) {
        int32_t n;
        const char *s;
    } first[] = {{1, "ab"},
                 {2, NULL},
                 {3, "Gr\xc3\xbc\xc3\x9f"
                     "e"}},
      second[] = {{4, "sixsix"}}, out[3], bad = {5, "\xff"};
    assert_true(vz_type_plan_make(&plan, type, false, &err));
    vz_dtype *wide, *wider;
    assert_true(vz_type_fit(plan.dtype, layout, first, 3, true, &wide, &err));
    vz_json *text = vz_dtype_print_v2(wide, &err);
    expect_json(text, "[[\"n\",\"<i4\"],[\"s\",\"<U5\"]]"); /* exact while nothing is stored */
    vz_json_free(text);
    uint8_t stored[3 * 24], regrown[3 * 64];
    assert_true(vz_type_pack(wide, type, first, 3, stored, &arena, &err));
    assert_true(vz_type_fit(wide, layout, first, 3, false, &wider, &err));
    assert_null(wider);
    assert_true(vz_type_fit(wide, layout, second, 1, false, &wider, &err));
    text = vz_dtype_print_v2(wider, &err);
    expect_json(text, "[[\"n\",\"<i4\"],[\"s\",\"<U7\"]]"); /* half as much again */
    vz_json_free(text);
    vz_type_regrow(wide, wider, stored, 3, regrown);
    assert_true(vz_type_unpack(wider, type, regrown, 3, out, &arena, &err));
    assert_string_equal(out[2].s, first[2].s);
    assert_int_equal(out[2].n, 3);
    assert_string_equal(out[1].s, "");
    assert_false(vz_type_pack(wide, type, second, 1, stored, &arena, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    err = VZ_ERROR_NONE;
    vz_dtype *none;
    assert_false(vz_type_fit(wide, layout, &bad, 1, false, &none, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    vz_json *note;
    err = VZ_ERROR_NONE;
    assert_true(vz_type_annotation(wider, type, &note, &err));
    assert_null(note);
    vz_dtype_free(wide);
    vz_dtype_free(wider);
    vz_arena_clear(&arena);
    vz_layout_free(layout);
    vz_type_plan_clear(&plan);
    H5Tclose(type);
}

static void text_becomes_bytes(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_type_plan plan = {0};
    hid_t type = type_of(TEXT);
    vz_layout *layout = vz_layout_new(type, &err);
    const char *good[] = {"a", NULL, "\xc3\xbc"}, *bad[] = {"a", "\xfc"};
    assert_true(vz_type_plan_make(&plan, type, false, &err));
    assert_true(vz_type_can_grow(plan.dtype));
    vz_dtype *grown;
    assert_true(vz_type_fit(plan.dtype, layout, good, 3, true, &grown, &err));
    assert_null(grown);
    assert_true(vz_type_fit(plan.dtype, layout, bad, 2, false, &grown, &err));
    assert_int_equal(grown->object, VZ_OBJECT_BYTES);
    vz_json *note;
    assert_true(vz_type_annotation(grown, type, &note, &err));
    expect_json(note, TEXT);
    vz_json_free(note);
    vz_dtype_free(grown);
    vz_layout_free(layout);
    vz_type_plan_clear(&plan);
    H5Tclose(type);
}

/* ---- numbers ---- */

static void numbers_are_known(void **state)
{
    (void)state;
    vz_number number;
    assert_true(vz_type_number(H5T_STD_I16BE, &number));
    assert_true(number.kind == VZ_NUMBER_INT && number.size == 2 && number.big_endian);
    assert_true(vz_type_number(H5T_NATIVE_DOUBLE, &number));
    assert_true(number.kind == VZ_NUMBER_FLOAT && number.size == 8 && !number.big_endian);
    assert_true(vz_type_number(H5T_IEEE_F16BE, &number));
    assert_true(number.kind == VZ_NUMBER_FLOAT && number.size == 2 && number.big_endian);
    assert_false(vz_type_number(H5T_NATIVE_LDOUBLE, &number));
    assert_false(vz_type_number(H5T_VAX_F32, &number));
    assert_false(vz_type_number(H5T_C_S1, &number));
    assert_false(vz_type_number(H5T_STD_B32LE, &number));
    hid_t odd = H5Tcopy(H5T_STD_I32LE);
    H5Tset_precision(odd, 17);
    assert_false(vz_type_number(odd, &number));
    H5Tclose(odd);
}

/* ---- records cut short ---- */

static void cut_records_are_refused(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    hid_t type = type_of("{\"vlen\":{\"cmpd\":24,\"m\":[[\"s\",0," TEXT "],[\"v\",8,{\"vlen\":\"<i4\"}]]}}");
    vz_layout *layout = vz_layout_new(type, &err);
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
    vz_layout_free(layout);
    H5Tclose(type);
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predefined_types_survive_the_short_form),
        cmocka_unit_test(short_form_refuses),
        cmocka_unit_test(types_survive),
        cmocka_unit_test(scalars_are_called_so),
        cmocka_unit_test(array_types_as_a_whole),
        cmocka_unit_test(array_types_become_axes),
        cmocka_unit_test(foreign_dtypes_are_shown),
        cmocka_unit_test(notes_that_do_not_fit_are_ignored),
        cmocka_unit_test(unreadable_objects_name_their_codec),
        cmocka_unit_test(text_members_grow),
        cmocka_unit_test(text_becomes_bytes),
        cmocka_unit_test(numbers_are_known),
        cmocka_unit_test(cut_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
