/* test_chain_open.c - chains that cannot be built and why, objects with hostile payloads, sizes that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codecs_json.h"
#include "codec/codec/codec_internal.h"
#include "base/os/thread.h"

typedef struct opening {
    const char *filters, *compressor;
    bool objects;
    vz_error_class class; /* VZ_OK: opens */
    const char *text;     /* in the message */
} opening;

static const opening openings[] = {
    {"null", "null", false, VZ_OK, ""},
    {"[]", "null", false, VZ_OK, ""},
    {"null", "{\"id\":\"zlib\",\"unknown\":[1]}", false, VZ_OK, ""},
    {"null", "{\"id\":\"zlib\",\"level\":null}", false, VZ_OK, ""},
    {"[{\"id\":\"vlen-utf8\"}]", "{\"id\":\"zlib\"}", true, VZ_OK, ""},
    {"{}", "null", false, VZ_CORRUPT, "\"id\""},
    {"[null]", "null", false, VZ_CORRUPT, "\"id\""},
    {"[{\"id\":3}]", "null", false, VZ_CORRUPT, "\"id\""},
    {"null", "\"zlib\"", false, VZ_CORRUPT, "\"id\""},
    {"null", "{\"id\":\"zlib\",\"level\":\"4\"}", false, VZ_CORRUPT, "zlib: \"level\""},
    {"null", "{\"id\":\"zlib\",\"level\":4.0}", false, VZ_CORRUPT, "zlib: \"level\""},
    {"null", "{\"id\":\"zlib\",\"level\":10}", false, VZ_CORRUPT, "outside -1 to 9"},
    {"null", "{\"id\":\"bz2\",\"level\":0}", false, VZ_CORRUPT, "bz2"},
    {"null", "{\"id\":\"zstd\",\"checksum\":1}", false, VZ_CORRUPT, "zstd: \"checksum\""},
    {"null", "{\"id\":\"zfpy\"}", false, VZ_OK, ""},
    {"null", "{\"id\":\"zfpy\",\"mode\":6}", false, VZ_CORRUPT, "zfpy: \"mode\""},
    {"null", "{\"id\":\"zfpy\",\"tolerance\":\"x\"}", false, VZ_CORRUPT, "zfpy: \"tolerance\""},
    {"[{\"id\":\"pcodec\"}]", "{\"id\":\"zlib\"}", false, VZ_UNSUPPORTED, "\"pcodec\""},
    {"[{\"id\":\"json2\"}]", "null", true, VZ_OK, ""},
    {"[{\"id\":\"json2\",\"indent\":4,\"strict\":false,\"encoding\":null}]", "null", true, VZ_OK, ""},
    {"[{\"id\":\"json2\",\"encoding\":\"utf-16\"}]", "null", true, VZ_UNSUPPORTED, "utf-16"},
    {"[{\"id\":\"json2\",\"sort_keys\":3}]", "null", true, VZ_CORRUPT, "json2: \"sort_keys\""},
    {"[{\"id\":\"json2\"}]", "null", false, VZ_CORRUPT, "out of place"},
    {"null", "{\"id\":\"pcodec\"}", false, VZ_UNSUPPORTED, "\"pcodec\""},
    {"[{\"id\":\"pickle\"}]", "null", true, VZ_OK, ""},
    {"[{\"id\":\"msgpack2\"}]", "null", true, VZ_OK, ""},
    {"[{\"id\":\"msgpack2\",\"use_single_float\":1}]", "null", true, VZ_CORRUPT, "use_single_float"},
    {"[{\"id\":\"json\"}]", "null", true, VZ_UNSUPPORTED, "\"json\""},
    {"[{\"id\":\"msgpack\"}]", "null", true, VZ_UNSUPPORTED, "\"msgpack\""},
    {"[{\"id\":\"shuffle\"}]", "null", true, VZ_UNSUPPORTED, "\"shuffle\""},
    {"null", "{\"id\":\"zlib\"}", true, VZ_CORRUPT, "without an object codec"},
    {"[{\"id\":\"vlen-utf8\"}]", "null", false, VZ_CORRUPT, "out of place"},
    {"[{\"id\":\"vlen-utf8\"},{\"id\":\"vlen-bytes\"}]", "null", true, VZ_CORRUPT, "out of place"},
    {"[{\"id\":\"vlen-array\"}]", "null", true, VZ_CORRUPT, "\"dtype\" is missing"},
    {"[{\"id\":\"vlen-array\",\"dtype\":\"|O\"}]", "null", true, VZ_UNSUPPORTED, "|O"},
    {"null", "{\"id\":\"blosc\",\"cname\":\"nosuch\"}", false, VZ_UNSUPPORTED, "\"nosuch\""},
    {"null", "{\"id\":\"blosc\",\"shuffle\":3}", false, VZ_CORRUPT, "shuffle"},
    {"null", "{\"id\":\"blosc\",\"clevel\":-1}", false, VZ_CORRUPT, "clevel"},
    {"null", "{\"id\":\"blosc\",\"blocksize\":99999999999}", false, VZ_CORRUPT, "blocksize"},
    {"null", "{\"id\":\"blosc\",\"typesize\":0}", false, VZ_CORRUPT, "typesize"},
    {"[{\"id\":\"delta\"}]", "null", false, VZ_CORRUPT, "\"dtype\" is missing"},
    {"[{\"id\":\"delta\",\"dtype\":\"uint32\"}]", "null", false, VZ_OK, ""},
    {"[{\"id\":\"delta\",\"dtype\":\"uint7\"}]", "null", false, VZ_UNSUPPORTED, "uint7"},
    {"[{\"id\":\"delta\",\"dtype\":\"float99999999999999999999\"}]", "null", false, VZ_UNSUPPORTED, "float9"},
    {"[{\"id\":\"scale_offset\"}]", "null", false, VZ_CORRUPT, "\"dtype\" is missing"},
    {"[{\"id\":\"scale_offset\",\"dtype\":\"<c8\"}]", "null", false, VZ_UNSUPPORTED, "scale_offset"},
    {"[{\"id\":\"scale_offset\",\"dtype\":\"<i2\",\"scale\":40000}]", "null", false, VZ_CORRUPT, "\"scale\""},
    {"[{\"id\":\"scale_offset\",\"dtype\":\"<i2\",\"scale\":-2.0,\"offset\":\"17\"}]", "null", false, VZ_OK, ""},
    {"[{\"id\":\"scale_offset\",\"dtype\":\"<u8\",\"offset\":18446744073709551616}]", "null", false, VZ_CORRUPT,
     "\"offset\""},
    {"[{\"id\":\"cast_value\",\"dtype\":\"<i2\"}]", "null", false, VZ_CORRUPT, "\"astype\" is missing"},
    {"[{\"id\":\"cast_value\",\"dtype\":\"<i2\",\"astype\":\"<f4\",\"rounding\":2}]", "null", false, VZ_CORRUPT,
     "\"rounding\""},
    {"[{\"id\":\"cast_value\",\"dtype\":\"<i2\",\"astype\":\"<f4\",\"scalar_map\":{\"encode\":[[1,\"0x7fc0\"]]}}]",
     "null", false, VZ_CORRUPT, "\"encode\"[0]"},
    {"[{\"id\":\"cast_value\",\"dtype\":\"<i2\",\"astype\":\"<f4\",\"scalar_map\":{\"encode\":[[1,\"0x7fc00001\"]]}}]",
     "null", false, VZ_OK, ""},
    {"[{\"id\":\"zarr.packbits\",\"bits\":32,\"first_bit\":null,\"last_bit\":3}]", "null", false, VZ_OK, ""},
    {"[{\"id\":\"zarr.packbits\"}]", "null", false, VZ_UNSUPPORTED, "packbits: of elements of 4 bytes"},
    {"[{\"id\":\"zarr.packbits\",\"bits\":8}]", "null", false, VZ_UNSUPPORTED, "packbits: of elements of 4 bytes"},
    {"[{\"id\":\"zarr.packbits\",\"bits\":65}]", "null", false, VZ_CORRUPT, "\"bits\""},
    {"[{\"id\":\"zarr.packbits\",\"bits\":32,\"first_bit\":3,\"last_bit\":2}]", "null", false, VZ_CORRUPT,
     "\"first_bit\""},
    {"[{\"id\":\"zarr.packbits\",\"bits\":32,\"last_bit\":32}]", "null", false, VZ_CORRUPT, "\"last_bit\""},
    {"[{\"id\":\"zarr.packbits\",\"bits\":32,\"padding_encoding\":\"middle\"}]", "null", false, VZ_CORRUPT, "middle"},
    {"[{\"id\":\"delta\",\"dtype\":7}]", "null", false, VZ_CORRUPT, "\"dtype\""},
    {"[{\"id\":\"delta\",\"dtype\":\"<M8[ns]\"}]", "null", false, VZ_UNSUPPORTED, "M8"},
    {"[{\"id\":\"delta\",\"dtype\":\"<i3\"}]", "null", false, VZ_UNSUPPORTED, "i3"},
    {"[{\"id\":\"delta\",\"dtype\":\"<i99999999999999999999\"}]", "null", false, VZ_UNSUPPORTED, "i9999"},
    {"[{\"id\":\"delta\",\"dtype\":\"\"}]", "null", false, VZ_UNSUPPORTED, "\"\""},
    {"null", "{\"id\":\"lzma\",\"format\":9}", false, VZ_CORRUPT, "format"},
    {"null", "{\"id\":\"lzma\",\"format\":3}", false, VZ_CORRUPT, "filters"},
    {"null", "{\"id\":\"lzma\",\"preset\":77}", false, VZ_CORRUPT, "preset"},
    {"null", "{\"id\":\"lzma\",\"filters\":[]}", false, VZ_CORRUPT, "filters"},
    {"null", "{\"id\":\"lzma\",\"filters\":[{}]}", false, VZ_CORRUPT, "\"id\""},
    {"null", "{\"id\":\"lzma\",\"filters\":[{\"id\":12345}]}", false, VZ_UNSUPPORTED, "12345"},
    {"null", "{\"id\":\"lzma\",\"format\":3,\"filters\":[{\"id\":33,\"dict_size\":4294967295}]}", false, VZ_LIMIT,
     "bytes"},
};

static bool open_text(vz_chain *chain, const char *filters_text, const char *compressor_text, bool objects,
                      size_t element_size, size_t count, vz_error *err)
{
    vz_error parsing = VZ_ERROR_NONE;
    vz_json *filters = vz_json_parse(filters_text, strlen(filters_text), &parsing);
    vz_json *compressor = vz_json_parse(compressor_text, strlen(compressor_text), &parsing);
    assert_true(filters && compressor);
    const bool ok = chain_open_json(
        chain, filters, compressor,
        &(vz_chain_chunk){.objects = objects, .element_size = element_size, .element_count = count}, err);
    vz_json_free(filters);
    vz_json_free(compressor);
    return ok;
}

static void test_open(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        const opening *o = &openings[i];
        vz_error err = VZ_ERROR_NONE;
        vz_chain chain;
        const bool ok =
            open_text(&chain, o->filters, o->compressor, o->objects, o->objects ? sizeof(vz_item) : 4, 10, &err);
        if (ok != (o->class == VZ_OK) || err.class != o->class || !strstr(err.text, o->text))
            fail_msg("%s %s: class %d, \"%s\"", o->filters, o->compressor, err.class, err.text);
        if (ok)
            vz_chain_clear(&chain);
    }
}

static void test_open_limits(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    assert_false(open_text(&chain, "null", "null", false, SIZE_MAX / 2, 3, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer many = {0};
    err = VZ_ERROR_NONE;
    for (int i = 0; i < VZ_CHAIN_MAX; i++)
        assert_true(vz_buffer_printf(&many, &err, "%s{\"id\":\"zlib\"}", i ? "," : "["));
    assert_true(vz_buffer_append(&many, "]", 2, &err));
    assert_true(open_text(&chain, (const char *)many.data, "null", false, 4, 10, &err));
    uint8_t chunk[40] = {1}, again[40];
    vz_buffer out = {0};
    assert_true(vz_chain_encode(&chain, chunk, sizeof chunk, &out, 0, &err));
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, sizeof again, 0, &err));
    assert_memory_equal(chunk, again, sizeof chunk);
    vz_buffer_clear(&out);
    vz_chain_clear(&chain);
    assert_false(open_text(&chain, (const char *)many.data, "{\"id\":\"zlib\"}", false, 4, 10, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer_clear(&many);
}

/* Decodes the object payload `in` of `count` items; the class of the failure, with what the arena came to hold. */
static vz_error_class decode_payload(const char *codec, const void *in, size_t size, size_t count, size_t *used)
{
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    assert_true(open_text(&chain, codec, "null", true, sizeof(vz_item), count, &err));
    vz_arena arena = {0};
    vz_item items[8];
    assert_true(count <= 8);
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, in, size);
    const bool ok = vz_chain_decode_items(&chain, (vz_bytes){exact, size}, items, count, &arena, 0, &err);
    assert_int_equal(ok, err.class == VZ_OK);
    *used = arena.used;
    free(exact);
    vz_arena_clear(&arena);
    vz_chain_clear(&chain);
    return err.class;
}

static void test_payloads(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size, count;
        vz_error_class class;
    } cases[] = {
        {"\0\0\0\0", 4, 0, VZ_OK},
        {"\1\0\0\0\0\0\0\0", 8, 1, VZ_OK},
        {"", 0, 0, VZ_CORRUPT},
        {"\1\0\0", 3, 1, VZ_CORRUPT},
        {"\1\0\0\0", 4, 1, VZ_CORRUPT},
        {"\2\0\0\0\0\0\0\0", 8, 2, VZ_CORRUPT},
        {"\1\0\0\0\0\0\0\0", 8, 2, VZ_CORRUPT},
        {"\xff\xff\xff\xff\0\0\0\0", 8, 1, VZ_CORRUPT},
        {"\1\0\0\0\xff\xff\xff\xffxyz", 11, 1, VZ_CORRUPT},
        {"\1\0\0\0\4\0\0\0xyz", 11, 1, VZ_CORRUPT},
        {"\1\0\0\0\2\0\0\0xyz", 11, 1, VZ_CORRUPT},
        {"\1\0\0\0\3\0\0\0xyz", 11, 1, VZ_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t used;
        const vz_error_class class =
            decode_payload("[{\"id\":\"vlen-bytes\"}]", cases[i].bytes, cases[i].size, cases[i].count, &used);
        if (class != cases[i].class || used > 64)
            fail_msg("payload %zu: class %d, %zu bytes taken", i, class, used);
    }
    size_t used;
    const char three[] = "\1\0\0\0\3\0\0\0xyz";
    assert_int_equal(decode_payload("[{\"id\":\"vlen-array\",\"dtype\":\"<i2\"}]", three, 11, 1, &used), VZ_CORRUPT);
    assert_int_equal(decode_payload("[{\"id\":\"vlen-array\",\"dtype\":\"|u1\"}]", three, 11, 1, &used), VZ_OK);
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"", true},
        {"only ascii, longer than a word", true},
        {"ascii and then \xc3\xa4", true},
        {"\xe2\x82\xac\xf0\x9f\x99\x82", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xc3", false},
        {"ascii and then \xc3", false},
        {"12345678\xff", false},
        {"\xc0\x80", false},
        {"\xe0\x80\x80", false},
        {"\xed\xa0\x80", false},
        {"\xf4\x90\x80\x80", false},
        {"\x80", false},
    };
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    assert_true(open_text(&chain, "[{\"id\":\"vlen-utf8\"}]", "null", true, sizeof(vz_item), 1, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const vz_item item = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        vz_buffer payload = {0};
        err = VZ_ERROR_NONE;
        assert_int_equal(vz_chain_encode_items(&chain, &item, 1, &payload, 0, &err), cases[i].good);
        assert_int_equal(err.class, cases[i].good ? VZ_OK : VZ_INVALID);
        vz_buffer_clear(&payload);
        uint8_t head[8] = {1};
        vz_bytes_store_le32(head + 4, (uint32_t)item.size);
        assert_true(vz_buffer_append(&payload, head, 8, NULL) &&
                    vz_buffer_append(&payload, item.data, item.size, NULL));
        size_t used;
        assert_int_equal(decode_payload("[{\"id\":\"vlen-utf8\"}]", payload.data, payload.size, 1, &used),
                         cases[i].good ? VZ_OK : VZ_CORRUPT);
        vz_buffer_clear(&payload);
    }
    vz_chain_clear(&chain);
}

static void test_missing_items(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    assert_true(open_text(&chain, "[{\"id\":\"vlen-utf8\"}]", "{\"id\":\"zstd\"}", true, sizeof(vz_item), 2, &err));
    const vz_item items[2] = {{NULL, 0}, {(const uint8_t *)"x", 1}};
    vz_item again[2];
    vz_arena arena = {0};
    vz_buffer out = {0};
    assert_true(vz_chain_encode_items(&chain, items, 2, &out, 0, &err));
    assert_true(vz_chain_decode_items(&chain, (vz_bytes){out.data, out.size}, again, 2, &arena, 0, &err));
    assert_non_null(again[0].data);
    assert_int_equal(again[0].size, 0);
    assert_int_equal(again[1].size, 1);
    /* calls that do not fit an array of objects */
    uint8_t chunk[32];
    assert_false(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, chunk, sizeof chunk, 0, &err));
    assert_int_equal(err.class, VZ_INVALID);
    assert_false(vz_chain_encode(&chain, chunk, sizeof chunk, &out, 0, NULL));
    assert_false(vz_chain_decode_range(&chain, (vz_bytes){out.data, out.size}, 0, 1, chunk, 0, NULL));
    const vz_item huge = {(const uint8_t *)"x", (uint64_t)1 << 33};
    err = VZ_ERROR_NONE;
    assert_false(vz_chain_encode_items(&chain, &huge, 1, &out, 0, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer_clear(&out);
    vz_arena_clear(&arena);
    vz_chain_clear(&chain);
}

/* Compressed data of `size` zero bytes, by a chain of its own. */
static vz_buffer compressed_zeros(const char *compressor, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    vz_buffer out = {0};
    uint8_t *zeros = calloc(1, size);
    assert_true(open_text(&chain, "null", compressor, false, 1, size, &err));
    assert_true(vz_chain_encode(&chain, zeros, size, &out, 0, &err));
    free(zeros);
    vz_chain_clear(&chain);
    return out;
}

/* A small chunk that decodes to far more than it may: refused, in the last stage and in one before, without the space
 * ever being made. */
static void test_bombs(void **state)
{
    (void)state;
    static const char *const compressors[] = {"{\"id\":\"zlib\"}", "{\"id\":\"gzip\"}", "{\"id\":\"zstd\"}",
                                              "{\"id\":\"lz4\"}",  "{\"id\":\"bz2\"}",  "{\"id\":\"lzma\"}",
                                              "{\"id\":\"blosc\"}"};
    for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++) {
        vz_buffer bomb = compressed_zeros(compressors[i], 8 << 20);
        const vz_bytes stored = {bomb.data, bomb.size};
        static const char *const filters[] = {"null", "[{\"id\":\"zlib\"}]", "[{\"id\":\"fletcher32\"}]"};
        for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
            vz_error err = VZ_ERROR_NONE;
            vz_chain chain;
            uint8_t chunk[64];
            assert_true(open_text(&chain, filters[f], compressors[i], false, 1, sizeof chunk, &err));
            assert_false(vz_chain_decode(&chain, stored, chunk, sizeof chunk, 0, &err));
            assert_int_equal(err.class, VZ_CORRUPT);
            assert_true(vz_pool_scratch(0, VZ_CHAIN_SCRATCH_A)->capacity < 1 << 20);
            assert_true(vz_pool_scratch(0, VZ_CHAIN_SCRATCH_B)->capacity < 1 << 20);
            vz_chain_clear(&chain);
        }
        vz_buffer_clear(&bomb);
    }
}

/* Sizes and kinds of calls that do not belong to the chain. */
static void test_wrong_calls(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    uint8_t chunk[40] = {0};
    vz_buffer out = {0};
    assert_true(open_text(&chain, "null", "null", false, 4, 10, &err));
    assert_true(vz_chain_has_range(&chain));
    assert_false(vz_chain_encode(&chain, chunk, 39, &out, 0, &err));
    assert_int_equal(err.class, VZ_INVALID);
    err = VZ_ERROR_NONE;
    assert_false(vz_chain_decode(&chain, (vz_bytes){chunk, 39}, chunk, 40, 0, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    vz_item item;
    assert_false(vz_chain_encode_items(&chain, &item, 1, &out, 0, NULL));
    assert_false(vz_chain_decode_items(&chain, (vz_bytes){chunk, 39}, &item, 1, NULL, 0, NULL));
    vz_chain_clear(&chain);
    assert_true(open_text(&chain, "null", "{\"id\":\"blosc\"}", false, 4, 10, NULL));
    assert_true(vz_chain_has_range(&chain));
    vz_chain_clear(&chain);
    assert_true(open_text(&chain, "null", "{\"id\":\"zlib\"}", false, 4, 10, NULL));
    assert_false(vz_chain_has_range(&chain));
    vz_chain_clear(&chain);
    assert_null(vz_codec_find("nosuch", false));
    vz_buffer_clear(&out);
}

/* All halves survive, and the doubles between two neighbours go to the nearer, ties to the even one. */
static void test_half(void **state)
{
    (void)state;
    for (uint32_t half = 0; half <= 0xffff; half++)
        assert_int_equal(vz_half_from_double(vz_half_to_double((uint16_t)half)), half);
    for (uint32_t half = 0; half < 0x7bff; half++) {
        const double low = vz_half_to_double((uint16_t)half), high = vz_half_to_double((uint16_t)(half + 1));
        const double middle = low + (high - low) / 2;
        assert_int_equal(vz_half_from_double(middle), half & 1 ? half + 1 : half);
        assert_int_equal(vz_half_from_double(middle + (high - low) / 1024), half + 1);
        assert_int_equal(vz_half_from_double(middle - (high - low) / 1024), half);
    }
    assert_int_equal(vz_half_from_double(65519.99), 0x7bff);
    assert_int_equal(vz_half_from_double(65520.0), 0x7c00);
    assert_int_equal(vz_half_from_double(-1e300), 0xfc00);
    assert_int_equal(vz_half_from_double(-0.0), 0x8000);
    assert_int_equal(vz_half_from_double(1e-300), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),        cmocka_unit_test(test_open_limits),   cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_utf8),        cmocka_unit_test(test_missing_items), cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_half),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
