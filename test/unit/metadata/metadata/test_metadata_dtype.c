/* test_metadata_dtype.c - v2 spellings of element types: what numpy writes is read and printed again. */
#include "node_support.h"
#include "dtype_json.h"

static const struct {
    const char *spelling, *printed; /* NULL: as spelled */
    vz_dtype_kind kind;
    size_t size;
    bool big_endian;
} known[] = {
    {"'|b1'", NULL, VZ_DTYPE_BOOL, 1, false},
    {"'<b1'", "'|b1'", VZ_DTYPE_BOOL, 1, false},
    {"'|i1'", NULL, VZ_DTYPE_INT, 1, false},
    {"'>i1'", "'|i1'", VZ_DTYPE_INT, 1, false},
    {"'<i2'", NULL, VZ_DTYPE_INT, 2, false},
    {"'>i8'", NULL, VZ_DTYPE_INT, 8, true},
    {"'=i4'", "'<i4'", VZ_DTYPE_INT, 4, false},
    {"'|i4'", "'<i4'", VZ_DTYPE_INT, 4, false},
    {"'i4'", "'<i4'", VZ_DTYPE_INT, 4, false},
    {"'|u1'", NULL, VZ_DTYPE_UINT, 1, false},
    {"'<u8'", NULL, VZ_DTYPE_UINT, 8, false},
    {"'<f2'", NULL, VZ_DTYPE_FLOAT, 2, false},
    {"'>f4'", NULL, VZ_DTYPE_FLOAT, 4, true},
    {"'<f8'", NULL, VZ_DTYPE_FLOAT, 8, false},
    {"'<f16'", "'|V16'", VZ_DTYPE_RAW, 16, false},
    {"'bfloat16'", NULL, VZ_DTYPE_NARROW, 2, false},
    {"'int4'", NULL, VZ_DTYPE_NARROW, 1, false},
    {"'<c8'", NULL, VZ_DTYPE_COMPLEX, 8, false},
    {"'>c16'", NULL, VZ_DTYPE_COMPLEX, 16, true},
    {"'|S5'", NULL, VZ_DTYPE_BYTES, 5, false},
    {"'|S0'", NULL, VZ_DTYPE_BYTES, 0, false},
    {"'<U3'", NULL, VZ_DTYPE_UNICODE, 12, false},
    {"'>U3'", NULL, VZ_DTYPE_UNICODE, 12, true},
    {"'<U0'", NULL, VZ_DTYPE_UNICODE, 0, false},
    {"'|V6'", NULL, VZ_DTYPE_RAW, 6, false},
    {"'|V0'", NULL, VZ_DTYPE_RAW, 0, false},
    {"'<M8[ns]'", NULL, VZ_DTYPE_DATETIME, 8, false},
    {"'>m8[25s]'", NULL, VZ_DTYPE_TIMEDELTA, 8, true},
    {"'<M8'", NULL, VZ_DTYPE_DATETIME, 8, false},
    {"'<m8[generic]'", "'<m8'", VZ_DTYPE_TIMEDELTA, 8, false},
    {"[['a','<i4'],['b','>f8']]", NULL, VZ_DTYPE_STRUCT, 12, false},
    {"[['a','|i1'],['n',[['x','<f4'],['y','<U2']]]]", NULL, VZ_DTYPE_STRUCT, 13, false},
    {"[['a','<i4'],['b','<f8',[3,2]]]", NULL, VZ_DTYPE_STRUCT, 52, false},
    {"[['b','<f8',3]]", "[['b','<f8',[3]]]", VZ_DTYPE_STRUCT, 24, false},
    {"[[['title','a'],'<i4'],['','|V4']]", "[['a','<i4'],['f1','|V4']]", VZ_DTYPE_STRUCT, 8, false},
    {"[['a','<i4'],['e','<i4',[0]]]", NULL, VZ_DTYPE_STRUCT, 4, false},
};

static void known_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        vz_json *spelling = json_of(known[i].spelling), *printed = NULL;
        vz_dtype *dtype = NULL, *copy = NULL;
        must((dtype = vz_dtype_parse_v2(spelling, NULL, &err)));
        assert_int_equal(dtype->kind, known[i].kind);
        assert_int_equal(dtype->size, known[i].size);
        assert_int_equal(dtype->big_endian, known[i].big_endian);
        must((printed = vz_dtype_print_v2(dtype, &err)));
        assert_json(printed, known[i].printed ? known[i].printed : known[i].spelling);
        must((copy = vz_dtype_copy(dtype, &err)));
        assert_true(vz_dtype_equal(dtype, copy));
        vz_dtype_free(copy);
        vz_dtype_free(dtype);
        vz_json_free(printed);
        vz_json_free(spelling);
    }
}

static const struct {
    const char *spelling;
    vz_error_class class;
    const char *message;
} wrong[] = {
    {"'bfloat32'", VZ_UNSUPPORTED, "is not known"},
    {"'<bfloat16'", VZ_UNSUPPORTED, "is not known"},
    {"'<x4'", VZ_UNSUPPORTED, "\"<x4\" is not known"},
    {"''", VZ_UNSUPPORTED, "is not known"},
    {"'<'", VZ_UNSUPPORTED, "is not known"},
    {"'<i3'", VZ_UNSUPPORTED, "is not known"},
    {"'<i16'", VZ_UNSUPPORTED, "is not known"},
    {"'<i'", VZ_UNSUPPORTED, "is not known"},
    {"'<i4x'", VZ_UNSUPPORTED, "is not known"},
    {"'<c4'", VZ_UNSUPPORTED, "is not known"},
    {"'|S-1'", VZ_UNSUPPORTED, "is not known"},
    {"'|S99999999999999999999'", VZ_UNSUPPORTED, "is not known"},
    {"'|S9999999999'", VZ_LIMIT, "too large"},
    {"'<U999999999'", VZ_LIMIT, "too large"},
    {"'<M8[parsec]'", VZ_UNSUPPORTED, "is not known"},
    {"'<M8[]'", VZ_UNSUPPORTED, "is not known"},
    {"'<M8['", VZ_UNSUPPORTED, "is not known"},
    {"'<M4[ns]'", VZ_UNSUPPORTED, "is not known"},
    {"'<M8[12345678901234567890ns]'", VZ_UNSUPPORTED, "is not known"},
    {"4", VZ_CORRUPT, "not text or a list"},
    {"null", VZ_CORRUPT, "not text or a list"},
    {"{'a':'<i4'}", VZ_CORRUPT, "not text or a list"},
    {"[]", VZ_CORRUPT, "without fields"},
    {"['<i4']", VZ_CORRUPT, "field 0 is not"},
    {"[['a']]", VZ_CORRUPT, "field 0 is not"},
    {"[['a','<i4',[1],1]]", VZ_CORRUPT, "field 0 is not"},
    {"[[1,'<i4']]", VZ_CORRUPT, "field 0 is not"},
    {"[['a','<i4'],['a','<f8']]", VZ_CORRUPT, "two fields"},
    {"[['a','<i4',[-1]]]", VZ_CORRUPT, "is no size"},
    {"[['a','<i4',['x']]]", VZ_CORRUPT, "is no size"},
    {"[['a','<i4',[4294967296,4294967296]]]", VZ_LIMIT, "too large"},
    {"[['a','|S1000000000'],['b','|S1000000000']]", VZ_LIMIT, "too large"},
    {"[['a','<i4',[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]]", VZ_LIMIT, "dimensions"},
};

static void wrong_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vz_json *spelling = json_of(wrong[i].spelling);
        must_fail(vz_dtype_parse_v2(spelling, NULL, &err), wrong[i].class, wrong[i].message);
        vz_json_free(spelling);
    }
    must_fail(vz_dtype_parse_v2(NULL, NULL, &err), VZ_CORRUPT, "missing");
}

static void deep_nesting(void **state)
{
    (void)state;
    vz_json *spelling = json_of("'<i4'");
    for (int depth = 0; depth < 40; depth++) {
        vz_json *field = NULL, *list = NULL;
        must((field = vz_json_array(&err)) && vz_json_append(field, vz_json_text("n", &err), &err) &&
             vz_json_append(field, spelling, &err) && (list = vz_json_array(&err)) &&
             vz_json_append(list, field, &err));
        spelling = list;
    }
    must_fail(vz_dtype_parse_v2(spelling, NULL, &err), VZ_LIMIT, "nested deeper");
    vz_json_free(spelling);
}

static const struct {
    const char *filters;
    vz_dtype_object_kind object;
    const char *codec;
} objects[] = {
    {"[{'id':'vlen-utf8'}]", VZ_OBJECT_TEXT, NULL},
    {"[{'id':'vlen-bytes'},{'id':'zlib','level':1}]", VZ_OBJECT_BYTES, NULL},
    {"[{'id':'vlen-array','dtype':'<i4'}]", VZ_OBJECT_SEQUENCE, NULL},
    {"[{'id':'json2','encoding':'utf-8'}]", VZ_OBJECT_JSON, "json2"},
    {"[{'id':'pickle','protocol':5}]", VZ_OBJECT_JSON, "pickle"},
    {"[{'id':'msgpack2'}]", VZ_OBJECT_JSON, "msgpack2"},
    {"[{'id':'json'}]", VZ_OBJECT_OTHER, "json"},
    {"null", VZ_OBJECT_OTHER, NULL},
};

static void object_types(void **state)
{
    (void)state;
    vz_json *spelling = json_of("'|O'");
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        vz_json *filters = json_of(objects[i].filters);
        vz_dtype *dtype = NULL;
        must((dtype = dtype_parse_json(spelling, filters, &err)));
        assert_int_equal(dtype->kind, VZ_DTYPE_OBJECT);
        assert_int_equal(dtype->size, sizeof(vz_item));
        assert_int_equal(dtype->object, objects[i].object);
        if (objects[i].codec)
            assert_string_equal(dtype->codec, objects[i].codec);
        else
            assert_null(dtype->codec);
        assert_int_equal(dtype->item != NULL, objects[i].object == VZ_OBJECT_SEQUENCE);
        vz_dtype_free(dtype);
        vz_json_free(filters);
    }
    vz_json *nested = json_of("[{'id':'vlen-array','dtype':'|O'}]"), *none = json_of("[{'id':'vlen-array'}]");
    must_fail(dtype_parse_json(spelling, nested, &err), VZ_UNSUPPORTED, "sequences of objects");
    must_fail(dtype_parse_json(spelling, none, &err), VZ_CORRUPT, "missing");
    vz_json_free(nested);
    vz_json_free(none);
    vz_json_free(spelling);
}

/* hdmf-zarr pickles structures with members of kind |O: each element is an object, a row; other codecs have none. */
static void structure_of_objects(void **state)
{
    (void)state;
    vz_json *spelling = json_of("[['a','<i4'],['s','|O']]"), *filters = json_of("[{'id':'pickle'}]");
    vz_dtype *dtype = NULL;
    must((dtype = dtype_parse_json(spelling, filters, &err)));
    assert_int_equal(dtype->kind, VZ_DTYPE_OBJECT);
    assert_int_equal(dtype->object, VZ_OBJECT_JSON);
    assert_string_equal(dtype->codec, "pickle");
    assert_int_equal(dtype->item->kind, VZ_DTYPE_STRUCT);
    assert_int_equal(dtype->item->object, VZ_OBJECT_NONE);
    assert_int_equal(dtype->item->fields[1].dtype->object, VZ_OBJECT_JSON);
    assert_null(dtype->item->fields[1].dtype->codec);
    vz_dtype *copy = NULL;
    vz_json *printed = NULL;
    must((copy = vz_dtype_copy(dtype, &err)) && (printed = vz_dtype_print_v2(copy, &err)));
    assert_true(vz_dtype_equal(copy, dtype));
    assert_json(printed, "[['a','<i4'],['s','|O']]");
    vz_json_free(printed);
    vz_dtype_free(copy);
    vz_dtype_free(dtype);
    vz_json_free(filters);
    filters = json_of("[{'id':'vlen-utf8'}]");
    must((dtype = dtype_parse_json(spelling, filters, &err)));
    assert_int_equal(dtype->kind, VZ_DTYPE_STRUCT);
    assert_int_equal(dtype->object, VZ_OBJECT_OTHER);
    vz_dtype_free(dtype);
    vz_json_free(spelling);
    vz_json_free(filters);
}

static void many_fields(void **state)
{
    (void)state;
    vz_dtype *record = NULL;
    must((record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, &err)));
    for (int i = 0; i < VZ_DTYPE_MAX_FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        must(vz_dtype_add_field(record, name, vz_dtype_new(VZ_DTYPE_UINT, 1, false, &err), 0, NULL, &err));
    }
    assert_int_equal(record->fields[VZ_DTYPE_MAX_FIELDS / 2].offset, VZ_DTYPE_MAX_FIELDS / 2);
    must_fail(vz_dtype_add_field(record, "x", vz_dtype_new(VZ_DTYPE_UINT, 1, false, &err), 0, NULL, &err), VZ_LIMIT,
              "fields");
    vz_dtype_free(record);
    must_fail(vz_dtype_new(VZ_DTYPE_INT, 3, false, &err), VZ_INVALID, "3 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_types),  cmocka_unit_test(wrong_types),          cmocka_unit_test(deep_nesting),
        cmocka_unit_test(object_types), cmocka_unit_test(structure_of_objects), cmocka_unit_test(many_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
