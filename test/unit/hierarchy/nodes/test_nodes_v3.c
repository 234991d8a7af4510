/* test_nodes_v3.c - zarr.json of arrays: documents as zarr-python 3 writes them are read and, printed into, stay
 * what they are; fill values in every form; broken documents and damaged shards are refused, never trusted. */
#include "node_support.h"
#include "metadata/metadata/format_internal.h"
#include "base/os/thread.h"
#include "array/chunks/shard.h"

#define DOCUMENT                                                                                                       \
    "{'shape':[7,6],'data_type':%s,'chunk_grid':{'name':'regular','configuration':{'chunk_shape':[4,6]}},"             \
    "'chunk_key_encoding':{'name':'default','configuration':{'separator':'/'}},'fill_value':%s,'codecs':%s,"           \
    "'attributes':{'a':1},'dimension_names':['y',null],'zarr_format':3,'node_type':'array',"                           \
    "'storage_transformers':[],'extra':{'must_understand':false}}"
#define BYTES "[{'name':'bytes','configuration':{'endian':'little'}}]"
#define INNER                                                                                                          \
    "[{'name':'sharding_indexed','configuration':{'chunk_shape':[2,3],'codecs':[{'name':'bytes'}],"                    \
    "'index_codecs':[{'name':'bytes','configuration':{'endian':'little'}},{'name':'crc32c'}],"                         \
    "'index_location':'end'}}]"

static vz_json *document_of(const char *type, const char *fill, const char *codecs)
{
    char text[4096];
    assert_true(snprintf(text, sizeof text, DOCUMENT, type, fill, codecs) < (int)sizeof text);
    return json_of(text);
}

/* ---- fill values ---- */

static const struct {
    const char *type, *fill, *bytes;
    const char *printed; /* in a new document; NULL: the same */
} fills[] = {
    {"'bool'", "true", "01", NULL},
    {"'int16'", "-2", "feff", NULL},
    {"'uint64'", "18446744073709551615", "ffffffffffffffff", NULL},
    {"'float16'", "'NaN'", "007e", NULL},
    {"'bfloat16'", "'NaN'", "c07f", NULL},
    {"'bfloat16'", "'0x7fc1'", "c17f", NULL},
    {"'bfloat16'", "0.1", "cd3d", "0.10009765625"},
    {"'float8_e5m2'", "'-Infinity'", "fc", NULL},
    {"'float8_e4m3fnuz'", "'NaN'", "80", NULL},
    {"'float8_e8m0fnu'", "1.0", "7f", "'0x7f'"},
    {"'float8_e8m0fnu'", "0.0", "00", "'0x00'"},
    {"'float4_e2m1fn'", "6.0", "07", NULL},
    {"'int4'", "-8", "08", NULL},
    {"'uint2'", "3", "03", NULL},
    {"'float32'", "'0x7fc00123'", "2301c07f", NULL},
    {"'float32'", "'0x3f800000'", "0000803f", "1.0"},
    {"'float64'", "'-Infinity'", "000000000000f0ff", NULL},
    {"'complex64'", "[1.0,'0xffc00000']", "0000803f0000c0ff", NULL},
    {"'r24'", "[1,2,255]", "0102ff", "'AQL/'"},
    {"{'name':'raw_bytes','configuration':{'length_bytes':3}}", "'AQL/'", "0102ff", NULL},
    {"{'name':'null_terminated_bytes','configuration':{'length_bytes':4}}", "'YWI='", "61620000", NULL},
    {"{'name':'fixed_length_utf32','configuration':{'length_bytes':8}}", "'x'", "7800000000000000", NULL},
    {"{'name':'numpy.datetime64','configuration':{'unit':'ns','scale_factor':1}}", "-9223372036854775808",
     "0000000000000080", NULL},
    {"{'name':'numpy.timedelta64','configuration':{'unit':'s','scale_factor':25}}", "'NaT'", "0000000000000080",
     "-9223372036854775808"},
    {"{'name':'struct','configuration':{'fields':[{'name':'i','data_type':'int16'},{'name':'f','data_type':'float32'}]}"
     "}",
     "{'i':258,'f':'NaN'}", "02010000c07f", "'AgEAAMB/'"},
    {"{'name':'structured','configuration':{'fields':[['i','int16'],['f','float32']]}}", "'AgEAAMB/'", "02010000c07f",
     NULL},
    {"'string'", "'hi'", "6869", NULL},
    {"'variable_length_bytes'", "'aGk='", "6869", NULL},
    {"'bytes'", "[104,105]", "6869", "'aGk='"},
    {"'int8'", "null", "00", "0"},
};

static void assert_bytes(const vz_meta *meta, const char *hex)
{
    vz_item item = {meta->fill, meta->dtype->size};
    if (meta->dtype->kind == VZ_DTYPE_OBJECT)
        memcpy(&item, meta->fill, sizeof item);
    assert_int_equal(strlen(hex), 2 * item.size);
    for (size_t i = 0; i < item.size; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", item.data[i]);
        assert_memory_equal(digits, hex + 2 * i, 2);
    }
}

static void fill_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        const bool text = strstr(fills[i].type, "'string'"),
                   blob = strstr(fills[i].type, "bytes'") && !strchr(fills[i].type, '{');
        const char *codecs = text ? "[{'name':'vlen-utf8'}]" : blob ? "[{'name':'vlen-bytes'}]" : BYTES;
        vz_json *document = document_of(fills[i].type, fills[i].fill, codecs), *fresh = json_of("{}");
        vz_json *expected = json_of(fills[i].printed ? fills[i].printed : fills[i].fill);
        vz_meta *meta = NULL;
        must((meta = vz_meta_parse_v3(document, &err)));
        assert_bytes(meta, fills[i].bytes);
        must(vz_meta_print_v3(meta, fresh, &err));
        assert_true(vz_json_equal(vz_json_get(fresh, "fill_value"), expected));
        vz_meta *again = NULL;
        must((again = vz_meta_parse_v3(fresh, &err)));
        assert_true(vz_meta_same_fill(meta, again));
        vz_meta_free(meta), vz_meta_free(again);
        vz_json_free(document), vz_json_free(fresh), vz_json_free(expected);
    }
}

/* ---- documents ---- */

static const char *const chains[] = {
    BYTES,
    "[{'name':'transpose','configuration':{'order':[1,0]}},{'name':'bytes','configuration':{'endian':'big'}}]",
    "['bytes',{'name':'gzip','configuration':{'level':5}},{'name':'crc32c'}]",
    "[{'name':'bytes'},{'name':'blosc','configuration':{'typesize':4,'cname':'zstd','clevel':5,'shuffle':'bitshuffle',"
    "'blocksize':0}}]",
    "[{'name':'bytes'},{'name':'numcodecs.shuffle','configuration':{'elementsize':4}},{'name':'zstd','configuration':"
    "{'level':0,'checksum':true}}]",
    INNER,
    "[{'name':'sharding_indexed','configuration':{'chunk_shape':[4,3],'codecs':" INNER
    ",'index_codecs':['bytes'],'index_location':'start'}}]",
    "[{'name':'sharding_indexed','configuration':{'chunk_shape':[2,3],'codecs':['bytes'],'index_codecs':[{'name':'"
    "bytes',"
    "'configuration':{'endian':'big'}},'crc32c',{'name':'numcodecs.adler32'}]}},{'name':'crc32c'},"
    "{'name':'gzip','configuration':{'level':1}}]",
    "[{'name':'transpose','configuration':{'order':[1,0]}},{'name':'sharding_indexed','configuration':{'chunk_shape':"
    "[6,2],'codecs':[{'name':'transpose','configuration':{'order':[1,0]}},{'name':'sharding_indexed','configuration':"
    "{'chunk_shape':[1,3],'codecs':['bytes','crc32c'],'index_codecs':[{'name':'transpose','configuration':{'order':"
    "[2,0,1]}},'bytes'],'index_location':'start'}},"
    "{'name':'zstd','configuration':{'level':0,'checksum':true}}],'index_codecs':['bytes','crc32c']}}]",
    "[{'name':'numcodecs.delta','configuration':{'dtype':'<i4','astype':'<i8'}},"
    "{'name':'bytes','configuration':{'endian':'big'}},{'name':'gzip','configuration':{'level':5}}]",
};
#define FIRST_SHARDED 5 /* of the chains; the one behind the last has filters */
#define LAST_SHARDED  8

/* A change of the shape leaves everything else as it was written. */
static void documents_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        vz_json *document = document_of("'int32'", "0", chains[i]), *expected = vz_json_copy(document, NULL);
        vz_meta *meta = NULL;
        must((meta = vz_meta_parse_v3(document, &err)));
        meta->shape[0] = 99;
        must(vz_meta_print_v3(meta, document, &err));
        must(vz_json_set(expected, "shape", json_of("[99,6]"), &err));
        assert_true(vz_json_equal(document, expected));
        vz_json *fresh = json_of("{}");
        must(vz_meta_print_v3(meta, fresh, &err)); /* and what is written anew means the same */
        vz_meta *again = NULL;
        must((again = vz_meta_parse_v3(fresh, &err)));
        assert_true(vz_meta_same_shards(again, meta));
        assert_memory_equal(again->chunks, meta->chunks, sizeof meta->chunks);
        assert_true(vz_meta_same_order(again, meta));
        vz_meta_free(meta), vz_meta_free(again);
        vz_json_free(document), vz_json_free(expected), vz_json_free(fresh);
    }
}

static const struct {
    const char *key, *value;
    vz_error_class class;
    const char *message;
} broken[] = {
    {"zarr_format", "2", VZ_UNSUPPORTED, "zarr_format"},
    {"node_type", "'group'", VZ_CORRUPT, "node_type"},
    {"shape", "[-1,6]", VZ_CORRUPT, "shape"},
    {"shape", "[9223372036854775807,9223372036854775807]", VZ_LIMIT, "2^63"},
    {"chunk_grid", "{'name':'regular','configuration':{'chunk_shape':[0,6]}}", VZ_CORRUPT, "is 0"},
    {"chunk_grid", "{'name':'regular','configuration':{'chunk_shape':[4]}}", VZ_CORRUPT, "chunk_shape"},
    {"chunk_grid", "{'name':'rectilinear'}", VZ_UNSUPPORTED, "rectilinear"},
    {"chunk_grid", "{'name':'triangular'}", VZ_UNSUPPORTED, "triangular"},
    {"chunk_grid", "{'name':'rectilinear','configuration':{'kind':'inline','chunk_shapes':[4]}}", VZ_CORRUPT,
     "chunk_shapes"},
    {"chunk_grid", "{'name':'rectilinear','configuration':{'kind':'inline','chunk_shapes':[[1,1],6]}}", VZ_CORRUPT,
     "[0] has 2 elements"},
    {"chunk_grid", "{'name':'rectilinear','configuration':{'kind':'inline','chunk_shapes':[4,[[3,0],6]]}}", VZ_CORRUPT,
     "[1][0]"},
    {"chunk_grid",
     "{'name':'rectilinear','configuration':{'kind':'inline','chunk_shapes':[9223372036854775807,9223372036854775807]}"
     "}",
     VZ_LIMIT, "chunk"},
    {"chunk_key_encoding", "{'name':'hash'}", VZ_UNSUPPORTED, "hash"},
    {"chunk_key_encoding", "{'name':'v2','configuration':{'separator':':'}}", VZ_CORRUPT, "separator"},
    {"data_type", "'float8'", VZ_UNSUPPORTED, "float8"},
    {"data_type", "'r7'", VZ_UNSUPPORTED, "r7"},
    {"data_type", "{'name':'raw_bytes','configuration':{'length_bytes':99999999999}}", VZ_LIMIT, "bytes"},
    {"data_type", "{'name':'fixed_length_utf32','configuration':{'length_bytes':13}}", VZ_CORRUPT, "13 bytes"},
    {"data_type", "{'name':'struct','configuration':{'fields':[]}}", VZ_CORRUPT, "fields"},
    {"fill_value", "'0xzz'", VZ_CORRUPT, "fill_value"},
    {"codecs", "[]", VZ_CORRUPT, "codecs"},
    {"codecs", "['bytes','bytes']", VZ_CORRUPT, "out of place"},
    {"codecs", "['bytes',{'name':'transpose','configuration':{'order':[1,0]}}]", VZ_CORRUPT, "out of place"},
    {"codecs", "[{'name':'transpose','configuration':{'order':[0,0]}},'bytes']", VZ_CORRUPT, "permutation"},
    {"codecs", "[{'name':'transpose','configuration':{'order':[0,2]}},'bytes']", VZ_CORRUPT, "permutation"},
    {"codecs",
     "[{'name':'sharding_indexed','configuration':{'chunk_shape':[3,3],'codecs':['bytes'],'index_codecs':['bytes']}}]",
     VZ_CORRUPT, "whole number"},
    {"codecs",
     "[{'name':'sharding_indexed','configuration':{'chunk_shape':[0,3],'codecs':['bytes'],'index_codecs':['bytes']}}]",
     VZ_CORRUPT, "chunk_shape"},
    {"codecs",
     "[{'name':'sharding_indexed','configuration':{'chunk_shape':[2,3],'codecs':['bytes'],'index_codecs':['gzip']}}]",
     VZ_UNSUPPORTED, "index_codecs"},
    {"codecs",
     "[{'name':'sharding_indexed','configuration':{'chunk_shape':[2,3],'codecs':['bytes'],'index_codecs':['bytes']}},"
     "'bytes']",
     VZ_CORRUPT, "out of place"},
    {"codecs",
     "[{'name':'numcodecs.delta','configuration':{'dtype':'<i4'}},{'name':'sharding_indexed','configuration':"
     "{'chunk_shape':[2,3],'codecs':['bytes'],'index_codecs':['bytes']}}]",
     VZ_UNSUPPORTED, "numcodecs.delta"},
    {"storage_transformers", "[{'name':'indirect'}]", VZ_UNSUPPORTED, "indirect"},
    {"mystery", "{'v':1}", VZ_UNSUPPORTED, "mystery"},
};

static void broken_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        vz_json *document = document_of("'float32'", "0", BYTES);
        must(vz_json_set(document, broken[i].key, json_of(broken[i].value), &err));
        must_fail(vz_meta_parse_v3(document, &err), broken[i].class, broken[i].message);
        vz_json_free(document);
    }
}

static void filters_of_numbers_on_text(void **state)
{
    (void)state;
    vz_json *document =
        document_of("'string'", "''", "[{'name':'numcodecs.delta','configuration':{'dtype':'<i4'}},'bytes']");
    must_fail(vz_meta_parse_v3(document, &err), VZ_CORRUPT, "delta");
    vz_json_free(document);
}

/* Whatever stands in the place of a value: an error or metadata, nothing else (for the sanitizers). */
static void replaced_values(void **state)
{
    (void)state;
    static const char *const values[] = {"null", "true", "-1", "1e999",       "'x'",
                                         "[]",   "[[]]", "{}", "{'name':{}}", "[null,null]"};
    vz_json *whole = document_of("'float32'", "0", chains[6]);
    const char *key;
    vz_json *unused;
    for (size_t k = 0; vz_json_member(whole, k, &key, &unused); k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            vz_json *document = vz_json_copy(whole, NULL);
            must(vz_json_set(document, key, json_of(values[v]), &err));
            vz_error ignored = VZ_ERROR_NONE;
            vz_meta_free(vz_meta_parse_v3(document, &ignored));
            vz_json_free(document);
        }
    vz_json_free(whole);
}

/* ---- shards ---- */

static void put_elements(vz_array *array, const vz_meta *meta, int32_t *values)
{
    const vz_region all = {.rank = 2,
                           .stride = {1, 1},
                           .count = {1, 1},
                           .block = {meta->shape[0], meta->shape[1]},
                           .memory_stride = {meta->shape[1], 1}};
    const vz_transfer transfer = {.region = &all, .buffer = values, .element_size = sizeof *values};
    must(vz_array_write(array, &transfer, &err) && vz_array_flush(array, &err));
}

static bool get_elements(vz_array *array, const vz_meta *meta, int32_t *values, vz_error *err)
{
    const vz_region all = {.rank = 2,
                           .stride = {1, 1},
                           .count = {1, 1},
                           .block = {meta->shape[0], meta->shape[1]},
                           .memory_stride = {meta->shape[1], 1}};
    const vz_transfer transfer = {.region = &all, .buffer = values, .element_size = sizeof *values};
    return vz_array_read(array, &transfer, err);
}

/* Each byte of a shard is changed, and each length tried: the data, an error, but never a byte from outside. */
static void damaged_shards(void **state)
{
    (void)state;
    for (size_t c = FIRST_SHARDED; c <= LAST_SHARDED; c++) {
        vz_json *document = document_of("'int32'", "-1", chains[c]);
        vz_meta *meta = NULL;
        vz_array *array = NULL;
        vz_store *store = NULL;
        int32_t values[42], read[42];
        vz_buffer shard = {0};
        bool found;
        must((meta = vz_meta_parse_v3(document, &err)) && (store = vz_store_new_memory(&err)) &&
             (array = vz_array_open(store, meta, "a", false, &err)));
        for (int i = 0; i < 42; i++)
            values[i] = i;
        put_elements(array, meta, values);
        assert_int_equal(vz_store_counted(store).puts, 2); /* two shards, each once */
        must(get_elements(array, meta, read, &err));
        assert_memory_equal(read, values, sizeof values);
        must(vz_store_get(store, "a/c/0/0", VZ_WHOLE, &shard, &found, &err));
        for (size_t i = 0; i < 2 * shard.size; i++) {
            vz_error ignored = VZ_ERROR_NONE;
            uint8_t *copy = malloc(shard.size);
            memcpy(copy, shard.data, shard.size);
            copy[i % shard.size] ^= 0xff;
            must(vz_store_put(store, "a/c/0/0", (vz_bytes){copy, i < shard.size ? shard.size : i - shard.size}, &err));
            vz_array_drop_clean(array);
            get_elements(array, meta, read, &ignored);
            assert_true(ignored.class == VZ_OK || ignored.class == VZ_CORRUPT);
            free(copy);
        }
        vz_buffer_clear(&shard);
        vz_array_close(array);
        vz_meta_free(meta);
        vz_store_close(store);
        vz_json_free(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_values),      cmocka_unit_test(documents_are_kept),
        cmocka_unit_test(broken_documents), cmocka_unit_test(filters_of_numbers_on_text),
        cmocka_unit_test(replaced_values),  cmocka_unit_test(damaged_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
