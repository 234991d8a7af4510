/* test_metadata_meta.c - .zarray documents: real ones (made by zarr-python 3.1, zarr-python 2,
 * hdmf-zarr) are read and, printed into, stay what they are; broken ones are refused by name. */
#include "node_support.h"
#include "metadata/metadata/format_internal.h"

/* ---- fill values, as zarr-python 3.1 wrote them for these types ---- */

static const struct {
    const char *dtype, *filters, *fill;
    const char *bytes;   /* hexadecimal; NULL: undefined */
    const char *printed; /* by us in a new document; NULL: the same */
} fills[] = {
    {"'|b1'", "null", "true", "01", NULL},
    {"'|b1'", "null", "0", "00", "false"},
    {"'|b1'", "null", "1", "01", "true"},
    {"'|i1'", "null", "-5", "fb", NULL},
    {"'<i4'", "null", "1.0", "01000000", "1"},
    {"'>i2'", "null", "258", "0102", NULL},
    {"'<u8'", "null", "18446744073709551615", "ffffffffffffffff", NULL},
    {"'<f2'", "null", "'NaN'", "007e", NULL},
    {"'<f2'", "null", "0.5", "0038", NULL},
    {"'>f4'", "null", "'Infinity'", "7f800000", NULL},
    {"'<f8'", "null", "'-Infinity'", "000000000000f0ff", NULL},
    {"'<f8'", "null", "0.1", "9a9999999999b93f", NULL},
    {"'<f4'", "null", "0.10000000149011612", "cdcccc3d", NULL},
    {"'<f8'", "null", "1", "000000000000f03f", "1.0"},
    {"'<f8'", "null", "NaN", "000000000000f87f", "'NaN'"},
    {"'<f4'", "null", "1e+300", "0000807f", "'Infinity'"},
    {"'<c8'", "null", "[1.0,'NaN']", "0000803f0000c07f", NULL},
    {"'>c16'", "null", "['-Infinity',2.0]", "fff00000000000004000000000000000", NULL},
    {"'<c8'", "null", "3", "0000404000000000", "[3.0,0.0]"},
    {"'|S5'", "null", "'YWJj'", "6162630000", NULL},
    {"'|S5'", "null", "''", "0000000000", NULL},
    {"'|S5'", "null", "'AAAAAAA='", "0000000000", "''"},
    {"'|S5'", "null", "'n/a'", "6e2f610000", "'bi9h'"},
    {"'|S0'", "null", "''", "", NULL},
    {"'<U4'", "null", "'\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80'", "e90000002d4e000000f6010000000000", NULL},
    {"'>U2'", "null", "'x'", "0000007800000000", NULL},
    {"'<U2'", "null", "'long'", "6c0000006f000000", "'lo'"},
    {"'<U0'", "null", "''", "", NULL},
    {"'|V6'", "null", "'MTIzNDU2'", "313233343536", NULL},
    {"'|V2'", "null", "''", "0000", "'AAA='"},
    {"'|V2'", "null", "0", "0000", "'AAA='"},
    {"'<M8[ns]'", "null", "-9223372036854775808", "0000000000000080", NULL},
    {"'<M8[ns]'", "null", "'NaT'", "0000000000000080", "-9223372036854775808"},
    {"'>m8[25s]'", "null", "7", "0000000000000007", NULL},
    {"[['a','<i4'],['b','>f8'],['n',[['x','|u1'],['y','<U2']]]]", "null", "'AQAAAEAAAAAAAAAAA3oAAAAAAAAA'",
     "010000004000000000000000037a00000000000000", NULL},
    {"[['a','<i4']]", "null", "0", "00000000", "'AAAAAA=='"},
    {"[['a','<i4']]", "null", "null", NULL, NULL},
    {"'<f16'", "null", "0.0", "00000000000000000000000000000000", "'AAAAAAAAAAAAAAAAAAAAAA=='"},
    {"'<i4'", "null", "null", NULL, NULL},
    {"'|O'", "[{'id':'vlen-utf8'}]", "'hi'", "6869", NULL},
    {"'|O'", "[{'id':'vlen-utf8'}]", "''", "", NULL},
    {"'|O'", "[{'id':'vlen-utf8'}]", "0", "", "''"},
    {"'|O'", "[{'id':'vlen-utf8'}]", "null", NULL, NULL},
    {"'|O'", "[{'id':'vlen-bytes'}]", "'aGk='", "6869", NULL},
    {"'|O'", "[{'id':'vlen-bytes'}]", "0", "", "''"},
    {"'|O'", "[{'id':'vlen-array','dtype':'<i4'}]", "[]", "", "0"},
    {"'|O'", "[{'id':'json2'}]", "''", "2222", NULL},
    {"'|O'", "[{'id':'json2'}]", "0", "30", NULL},
    {"'|O'", "[{'id':'pickle','protocol':5}]", "false", "66616c7365", NULL},
    {"'|O'", "[{'id':'msgpack2'}]", "null", NULL, NULL},
    {"[['a','<i4'],['r','|O']]", "[{'id':'pickle'}]", "'gAVLAC4='", "30", "'gAVLAC4='"},
    {"[['a','<i4'],['r','|O']]", "[{'id':'pickle'}]", "'gARLAC4='", "30", "'gAVLAC4='"},
    {"[['a','<i4'],['r','|O']]", "[{'id':'pickle'}]", "0", "30", "'gAVLAC4='"},
    {"[['a','<i4'],['r','|O']]", "[{'id':'pickle'}]", "null", NULL, NULL},
};

static vz_json *document_of(const char *dtype, const char *filters, const char *fill)
{
    char *text = NULL;
    assert_true(asprintf(&text,
                         "{'shape':[3,0],'chunks':[2,1],'dtype':%s,'fill_value':%s,'order':'C','filters':%s,"
                         "'dimension_separator':'.','compressor':{'id':'blosc','cname':'lz4'},'zarr_format':2}",
                         dtype, fill, filters) > 0);
    vz_json *document = json_of(text);
    free(text);
    return document;
}

static void assert_hex(const void *data, size_t size, const char *expected)
{
    char text[128] = "";
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, sizeof text - 2 * i, "%02x", ((const uint8_t *)data)[i]);
    assert_string_equal(text, expected);
}

static void assert_fill(const vz_meta *meta, const char *expected)
{
    assert_int_equal(meta->fill_defined, expected != NULL);
    if (!expected)
        return;
    vz_item item;
    if (meta->dtype->kind != VZ_DTYPE_OBJECT) {
        assert_hex(meta->fill, meta->dtype->size, expected);
        return;
    }
    memcpy(&item, meta->fill, sizeof item);
    assert_hex(item.data, (size_t)item.size, expected);
    assert_ptr_equal(item.data, meta->fill_item);
}

static void fill_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        vz_json *document = document_of(fills[i].dtype, fills[i].filters, fills[i].fill);
        vz_json *untouched = NULL, *fresh = NULL;
        vz_meta *meta = NULL, *copy = NULL;
        must((meta = vz_meta_parse_v2(document, &err)));
        assert_fill(meta, fills[i].bytes);
        must((untouched = vz_json_copy(document, &err)) && (fresh = vz_json_object(&err)));
        must(vz_meta_print_v2(meta, document, &err));
        assert_true(vz_json_equal(document, untouched)); /* others' spelling stays */
        must((copy = vz_meta_copy(meta, &err)) && vz_meta_print_v2(copy, fresh, &err));
        assert_json(vz_json_get(fresh, "fill_value"), fills[i].printed ? fills[i].printed : fills[i].fill);
        vz_meta_free(copy);
        vz_meta_free(meta);
        vz_json_free(document);
        vz_json_free(untouched);
        vz_json_free(fresh);
    }
}

/* ---- whole documents ---- */

static const char *const real[] = {
    /* zarr-python 3.1 */
    "{'shape':[3],'chunks':[2],'dtype':'<i4','fill_value':0,'order':'C','filters':null,'dimension_separator':'.',"
    "'compressor':{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':0},'zarr_format':2}",
    /* zarr-python 2 (sorted keys, no separator) */
    "{'chunks':[100,1],'compressor':{'blocksize':0,'clevel':5,'cname':'lz4','id':'blosc','shuffle':1},'dtype':'<f8',"
    "'fill_value':0.0,'filters':null,'order':'F','shape':[1000,0],'zarr_format':2}",
    /* a scalar of text */
    "{'chunks':[],'compressor':null,'dtype':'|O','fill_value':0,'filters':[{'id':'vlen-utf8'}],'order':'C','shape':[],"
    "'zarr_format':2}",
    /* hdmf-zarr */
    "{'chunks':[1],'compressor':{'blocksize':0,'clevel':5,'cname':'lz4','id':'blosc','shuffle':1},'dtype':'|O',"
    "'fill_value':0,'filters':[{'id':'pickle','protocol':5}],'order':'C','shape':[1],'zarr_format':2}",
    /* filters, nested chunk keys, members nobody knows */
    "{'zarr_format':2,'shape':[4,4],'chunks':[2,2],'dtype':'>i2','fill_value':null,'order':'C',"
    "'filters':[{'id':'shuffle','elementsize':2}],'dimension_separator':'/','compressor':{'id':'zlib','level':4},"
    "'_who':{'knows':[1,2]}}",
    /* an empty list of filters; chunk length 0 where there is nothing */
    "{'zarr_format':2,'shape':[0],'chunks':[0],'dtype':'<i4','fill_value':0,'order':'C','filters':[],'compressor':"
    "null}",
};

static void real_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        vz_json *document = json_of(real[i]);
        vz_meta *meta = NULL;
        must((meta = vz_meta_parse_v2(document, &err)));
        meta->shape[0] = meta->rank ? 7 : 0;
        if (meta->rank && vz_json_length(vz_json_get(document, "chunks")) == 1)
            assert_true(meta->chunks[0] >= 1);
        must(vz_meta_print_v2(meta, document, &err));
        vz_meta *again = NULL;
        must((again = vz_meta_parse_v2(document, &err)));
        assert_memory_equal(again->shape, meta->shape, sizeof again->shape);
        assert_int_equal(again->separator, meta->separator);
        assert_true(vz_meta_same_order(again, meta));
        if (strstr(real[i], "_who"))
            assert_json(vz_json_get(document, "_who"), "{'knows':[1,2]}");
        if (!strstr(real[i], "separator"))
            assert_null(vz_json_get(document, "dimension_separator"));
        vz_meta_free(again);
        vz_meta_free(meta);
        vz_json_free(document);
    }
}

static void new_document(void **state)
{
    (void)state;
    vz_json *document = json_of(real[0]), *fresh = NULL;
    vz_meta *meta = NULL;
    must((meta = vz_meta_parse_v2(document, &err)));
    assert_int_equal(meta->chunk_count, 2);
    assert_int_equal(meta->chunk_size, 8);
    must((fresh = vz_json_object(&err)) && vz_meta_print_v2(meta, fresh, &err));
    assert_json(fresh, real[0]); /* zarr-python 3's own order of keys */
    const int32_t seven = 7;
    must(vz_meta_set_fill(meta, &seven, &err) && vz_meta_print_v2(meta, fresh, &err));
    assert_json(vz_json_get(fresh, "fill_value"), "7");
    must(vz_meta_set_fill(meta, NULL, &err) && vz_meta_print_v2(meta, fresh, &err));
    assert_json(vz_json_get(fresh, "fill_value"), "null");
    vz_meta_free(meta);
    vz_json_free(document);
    vz_json_free(fresh);
}

/* ---- hostile documents: one key of a good one replaced (or removed by NULL) ---- */

static const struct {
    const char *key, *value;
    vz_error_class class;
    const char *message;
} hostile[] = {
    {"zarr_format", NULL, VZ_CORRUPT, "\"zarr_format\" is missing"},
    {"zarr_format", "'2'", VZ_CORRUPT, "\"zarr_format\" is"},
    {"zarr_format", "3", VZ_UNSUPPORTED, "zarr_format 3"},
    {"shape", NULL, VZ_CORRUPT, "\"shape\" is missing"},
    {"shape", "4", VZ_CORRUPT, "\"shape\" is"},
    {"shape", "'4'", VZ_CORRUPT, "\"shape\" is"},
    {"shape", "[-1]", VZ_CORRUPT, "\"shape\"[0] is no size"},
    {"shape", "[1.5]", VZ_CORRUPT, "\"shape\"[0] is no size"},
    {"shape", "[null]", VZ_CORRUPT, "\"shape\"[0] is no size"},
    {"shape", "[18446744073709551615]", VZ_CORRUPT, "\"shape\"[0] is no size"},
    {"shape", "[99999999999999999999999]", VZ_CORRUPT, "\"shape\"[0] is no size"},
    {"shape", "[4611686018427387904]", VZ_LIMIT, "2^63 bytes"},
    {"shape", "[4,4]", VZ_CORRUPT, "\"chunks\" has 1 dimensions, \"shape\" has 2"},
    {"shape", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", VZ_LIMIT, "\"shape\" has 33"},
    {"chunks", NULL, VZ_CORRUPT, "\"chunks\" is missing"},
    {"chunks", "null", VZ_CORRUPT, "\"chunks\" is"},
    {"chunks", "[0]", VZ_CORRUPT, "\"chunks\"[0] is 0"},
    {"chunks", "[-2]", VZ_CORRUPT, "\"chunks\"[0] is no size"},
    {"chunks", "[]", VZ_CORRUPT, "\"chunks\" has 0 dimensions"},
    {"chunks", "[9223372036854775807]", VZ_LIMIT, "a chunk has more than"},
    {"dtype", NULL, VZ_CORRUPT, "\"dtype\" is missing"},
    {"dtype", "'<q9'", VZ_UNSUPPORTED, "\"<q9\" is not known"},
    {"dtype", "17", VZ_CORRUPT, "dtype: is"},
    {"dtype", "'|S1073741824'", VZ_CORRUPT, "fill_value"}, /* 0.5 is no text */
    {"fill_value", NULL, VZ_CORRUPT, "\"fill_value\" is missing"},
    {"fill_value", "'NaN'", VZ_CORRUPT, "fill_value: is"},
    {"fill_value", "2147483648", VZ_CORRUPT, "does not fit"},
    {"fill_value", "[1]", VZ_CORRUPT, "fill_value: is"},
    {"fill_value", "0.5", VZ_CORRUPT, "fill_value: is"},
    {"order", NULL, VZ_CORRUPT, "\"order\" is missing"},
    {"order", "'A'", VZ_CORRUPT, "\"order\" is"},
    {"filters", NULL, VZ_CORRUPT, "\"filters\" is missing"},
    {"filters", "{}", VZ_CORRUPT, "\"filters\" is"},
    {"filters", "['zlib']", VZ_CORRUPT, "\"filters\"[0] is no codec"},
    {"filters", "[{'level':1}]", VZ_CORRUPT, "\"filters\"[0] is no codec"},
    {"compressor", NULL, VZ_CORRUPT, "\"compressor\" is missing"},
    {"compressor", "'zlib'", VZ_CORRUPT, "\"compressor\" is"},
    {"compressor", "{'id':1}", VZ_CORRUPT, "\"compressor\" is"},
    {"dimension_separator", "'-'", VZ_CORRUPT, "\"dimension_separator\" is"},
    {"dimension_separator", "null", VZ_CORRUPT, "\"dimension_separator\" is"},
};

static void hostile_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        vz_json *document = json_of(ARRAY_DOCUMENT);
        if (strcmp(hostile[i].message, "fill_value") == 0)
            must(vz_json_set(document, "fill_value", json_of("0.5"), &err));
        if (hostile[i].value)
            must(vz_json_set(document, hostile[i].key, json_of(hostile[i].value), &err));
        else
            assert_true(vz_json_remove(document, hostile[i].key));
        must_fail(vz_meta_parse_v2(document, &err), hostile[i].class, hostile[i].message);
        vz_json_free(document);
    }
    vz_json *list = json_of("[]");
    must_fail(vz_meta_parse_v2(list, &err), VZ_CORRUPT, "not an object");
    vz_json_free(list);
}

static void hostile_fills(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"'<f4'", "'nan'", "expected a number"},
        {"'<f4'", "'0x7fc00000'", "expected a number"},
        {"'<c8'", "[1]", "two parts"},
        {"'<c8'", "[1,2,3]", "two parts"},
        {"'<c8'", "[1,'x']", "expected a number"},
        {"'|b1'", "2", "true or false"},
        {"'|b1'", "'x'", "true or false"},
        {"'<U2'", "5", "expected text"},
        {"'|S2'", "5", "base64"},
        {"'|S2'", "'YWJj'", "3 bytes"},
        {"'|V2'", "'YWJj'", "3 bytes"},
        {"'|V4'", "'YWJj'", "3 bytes"},
        {"'|V2'", "'*'", "not base64"},
        {"[['a','<i4']]", "'AAAA'", "3 bytes"},
        {"'<M8[ns]'", "'2020-01-01'", "integer"},
        {"'<u2'", "-1", "integer"},
        {"'<u2'", "65536", "does not fit"},
        {"'|i1'", "200", "does not fit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vz_json *document = document_of(rows[i][0], "null", rows[i][1]);
        must_fail(vz_meta_parse_v2(document, &err), VZ_CORRUPT, rows[i][2]);
        vz_json_free(document);
    }
    vz_json *document = document_of("'|O'", "[{'id':'vlen-utf8'}]", "5");
    must_fail(vz_meta_parse_v2(document, &err), VZ_CORRUPT, "expected text");
    vz_json_free(document);
}

/* ---- chunk keys ---- */

static void chunk_keys(void **state)
{
    (void)state;
    vz_meta meta = {.rank = 2, .separator = '.'};
    const uint64_t chunk[] = {1, 18446744073709551615u};
    char key[64];
    must(vz_meta_chunk_key(&meta, "a/b", chunk, key, sizeof key, &err));
    assert_string_equal(key, "a/b/1.18446744073709551615");
    meta.separator = '/';
    must(vz_meta_chunk_key(&meta, "", chunk, key, sizeof key, &err));
    assert_string_equal(key, "1/18446744073709551615");
    meta.rank = 0;
    must(vz_meta_chunk_key(&meta, "x", chunk, key, sizeof key, &err));
    assert_string_equal(key, "x/0");
    must(vz_meta_chunk_key(&meta, "", chunk, key, sizeof key, &err));
    assert_string_equal(key, "0");
    meta.key_c = true;
    must(vz_meta_chunk_key(&meta, "x", chunk, key, sizeof key, &err));
    assert_string_equal(key, "x/c");
    meta.rank = 2;
    must(vz_meta_chunk_key(&meta, "", chunk, key, sizeof key, &err));
    assert_string_equal(key, "c/1/18446744073709551615");
    meta.key_c = false;
    for (size_t size = 0; size < 26; size++) {
        char *small = malloc(size + 1); /* its end is watched by the sanitizer */
        must_fail(vz_meta_chunk_key(&meta, "a/b", chunk, small, size, &err), VZ_LIMIT, "longer than");
        free(small);
    }
    must(vz_meta_chunk_key(&meta, "a/b", chunk, key, 27, &err));
}

/* ---- what is known of documents that are refused ---- */

static const struct {
    int format;
    const char *document;
    unsigned rank; /* 99: not even the shape is known */
    uint64_t shape, chunk;
    vz_dtype_kind kind;
    size_t size;
} outlines[] = {
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'bfloat24'}", 1, 5, 5, VZ_DTYPE_RAW, 3},
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'int3'}", 1, 5, 5, VZ_DTYPE_RAW, 1},
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'float8_e9m9'}", 1, 5, 5, VZ_DTYPE_RAW, 1},
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'complex_bfloat16'}", 1, 5, 5, VZ_DTYPE_RAW, 4},
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'x99999999999999999999'}", 1, 5, 5, VZ_DTYPE_RAW,
     1},
    {3, "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':7}", 1, 5, 5, VZ_DTYPE_RAW, 1},
    {3, "{'zarr_format':3,'node_type':'array','shape':[0],'data_type':'float64'}", 1, 0, 1, VZ_DTYPE_FLOAT, 8},
    {3,
     "{'zarr_format':3,'node_type':'array','shape':[5],'data_type':'int16',"
     "'chunk_grid':{'name':'regular','configuration':{'chunk_shape':[2]}}}",
     1, 5, 2, VZ_DTYPE_INT, 2},
    {3, "{'zarr_format':3,'node_type':'array','shape':[9223372036854775807],'data_type':'uint8'}", 1,
     9223372036854775807u, 1, VZ_DTYPE_UINT, 1},
    {3, "{'zarr_format':3,'node_type':'array','shape':[9223372036854775807],'data_type':'int16'}", 99, 0, 0, 0, 0},
    {3, "{'zarr_format':3,'node_type':'array','shape':[-1],'data_type':'int16'}", 99, 0, 0, 0, 0},
    {3, "{'zarr_format':3,'node_type':'array','data_type':'int16'}", 99, 0, 0, 0, 0},
    {3, "{'zarr_format':4,'node_type':'array','shape':[5]}", 99, 0, 0, 0, 0},
    {2, "{'zarr_format':2,'shape':[5],'dtype':'<X8','chunks':[3]}", 1, 5, 3, VZ_DTYPE_RAW, 8},
    {2, "{'zarr_format':2,'shape':[5],'dtype':'<i4','chunks':[0]}", 1, 5, 5, VZ_DTYPE_INT, 4},
    {2, "{'zarr_format':2,'shape':[]}", 0, 0, 0, VZ_DTYPE_RAW, 1},
    {2, "{'zarr_format':2,'shape':7}", 99, 0, 0, 0, 0},
};

static void outlines_of_refused_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outlines / sizeof *outlines; i++) {
        vz_json *document = json_of(outlines[i].document);
        vz_error why = VZ_ERROR_NONE, err = VZ_ERROR_NONE;
        const vz_zarr_format *spelling = vz_zarr_format_of(outlines[i].format);
        assert_null(spelling->load(document, &why));
        vz_meta *outline = spelling->outline(document, &err);
        assert_int_equal(outline != NULL, outlines[i].rank != 99);
        if (outline) {
            assert_int_equal(outline->rank, outlines[i].rank);
            assert_int_equal(outline->dtype->kind, outlines[i].kind);
            assert_int_equal(outline->dtype->size, outlines[i].size);
            assert_false(outline->fill_defined);
        }
        if (outline && outline->rank) {
            assert_true(outline->shape[0] == outlines[i].shape && outline->chunks[0] == outlines[i].chunk);
        }
        vz_meta_free(outline);
        vz_json_free(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_values),
        cmocka_unit_test(real_documents),
        cmocka_unit_test(new_document),
        cmocka_unit_test(hostile_documents),
        cmocka_unit_test(hostile_fills),
        cmocka_unit_test(chunk_keys),
        cmocka_unit_test(outlines_of_refused_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
