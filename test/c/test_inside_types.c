/* test_inside_types.c - HDF5 types as Zarr dtypes and back. A type is given in the short form of annotations, whose own
 * round trip is held against HDF5's predefined types first. */
#include "inside_types_shown.h"
#include "hdf5/types/types.h"

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
    vz_dialect_plan plan = {0};
    hid_t type = type_of(c->type);
    if (!vz_dialect_plan_make(&plan, type, false, &err))
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
    vz_dialect_plan_clear(&plan);
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
    vz_dialect_plan plan = {0};
    assert_true(vz_dialect_plan_make(&plan, H5T_NATIVE_INT, true, &err));
    expect_json(plan.zarr_dtype, "\"scalar\"");
    vz_dialect_plan_clear(&plan);
}

static hid_t show_axes(const vz_dialect_plan *plan, unsigned rank, const uint64_t *shape, unsigned *axes, vz_error *err)
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
        vz_dialect_plan plan = {0};
        hid_t type = type_of(types[i]);
        assert_true(vz_dialect_plan_make(&plan, type, false, &err));
        assert_int_equal(plan.axes, 0);
        const uint64_t shape[] = {2, 50};
        unsigned axes = 9;
        hid_t shown = show_axes(&plan, 2, shape, &axes, &err);
        assert_true(H5Tequal(shown, type) > 0);
        round_trip(plan.dtype, shown, 7);
        H5Tclose(shown);
        H5Tclose(type);
        vz_dialect_plan_clear(&plan);
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
        vz_dialect_plan plan = {.with_axes = true};
        hid_t type = type_of(types[i]);
        assert_true(vz_dialect_plan_make(&plan, type, false, &err));
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
        vz_dialect_plan_clear(&plan);
    }
}

/* ---- numbers ---- */

/* A copy has another id, of which HDF5 is asked: that must tell the same. */
static void standard_numbers_are_what_hdf5_says(void **state)
{
    (void)state;
    const hid_t types[] = {
        H5T_STD_I8LE,     H5T_STD_I16LE,     H5T_STD_I32LE,    H5T_STD_I64LE,    H5T_STD_I16BE,     H5T_STD_I32BE,
        H5T_STD_I64BE,    H5T_STD_U8LE,      H5T_STD_U16LE,    H5T_STD_U32LE,    H5T_STD_U64LE,     H5T_STD_U16BE,
        H5T_STD_U32BE,    H5T_STD_U64BE,     H5T_IEEE_F32LE,   H5T_IEEE_F32BE,   H5T_IEEE_F64LE,    H5T_IEEE_F64BE,
        H5T_NATIVE_INT,   H5T_NATIVE_INT16,  H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT64, H5T_NATIVE_UCHAR,
        H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        vz_number_format known, asked;
        const hid_t copy = H5Tcopy(types[i]);
        assert_true(vz_standard_number(types[i], &known));
        assert_false(vz_standard_number(copy, &asked));
        assert_true(vz_type_number(copy, &asked));
        assert_true(vz_number_equal(known, asked));
        assert_true(H5Tequal(vz_standard_type(known), copy) > 0);
        H5Tclose(copy);
    }
    vz_number_format number;
    const hid_t others[] = {H5T_STD_I8BE, H5T_STD_U8BE, H5T_NATIVE_LDOUBLE, H5T_C_S1,
                            H5T_STD_B8LE, H5T_VAX_F32,  H5T_STD_REF};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(vz_standard_number(others[i], &number));
    assert_int_equal(vz_standard_type((vz_number_format){VZ_NUMBER_FLOAT, 2, false}), H5I_INVALID_HID);
}

static void numbers_are_known(void **state)
{
    (void)state;
    vz_number_format number;
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
    hid_t brain = H5Tcopy(H5T_IEEE_F32BE);
    assert_true(H5Tset_fields(brain, 15, 7, 8, 0, 7) >= 0 && H5Tset_size(brain, 2) >= 0);
    assert_true(vz_type_number(brain, &number));
    assert_true(number.kind == VZ_NUMBER_FLOAT && number.size == 2 && number.big_endian &&
                number.narrow == VZ_NARROW_BFLOAT16);
    H5Tset_ebias(brain, 126);
    assert_false(vz_type_number(brain, &number));
    H5Tclose(brain);
    hid_t odd = H5Tcopy(H5T_STD_I32LE);
    H5Tset_precision(odd, 17);
    assert_false(vz_type_number(odd, &number));
    H5Tclose(odd);
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
        cmocka_unit_test(standard_numbers_are_what_hdf5_says),
        cmocka_unit_test(numbers_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
