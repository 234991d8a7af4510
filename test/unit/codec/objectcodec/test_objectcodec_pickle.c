/* test_objectcodec_pickle.c - pickles that want more than data, that are too large, and that are wrong: refused by
 * name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codecs_json.h"
#include "codec/objectcodec/objects_internal.h"
#include "base/os/thread.h"

#define START  "\x80\4"
#define EMPTY  "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0tC\1btR"
#define DTYPE  "cnumpy\ndtype\n(\x8c\2O8\x89\x88tR(K\3\x8c\1|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftb"
#define ARRAY  START EMPTY "(K\1(K\1t" DTYPE "\x89"
#define BEFORE ARRAY "](" /* an array of one item, which follows */
#define AFTER  "etb."

/* Decodes a pickle of `count` items; the text of the first one, which the caller frees, or NULL with err set. */
static char *decode_as(const void *data, size_t size, const char *record_text, size_t count, vz_error *err)
{
    vz_chain chain;
    vz_error none = VZ_ERROR_NONE;
    vz_json *filters = vz_json_parse("[{\"id\":\"pickle\"}]", 17, &none);
    vz_json *record = record_text ? vz_json_parse(record_text, strlen(record_text), &none) : NULL;
    const vz_chain_chunk chunk = {
        .objects = true, .element_size = sizeof(vz_item), .element_count = count, .record = record};
    assert_true(chain_open_json(&chain, filters, NULL, &chunk, &none));
    vz_json_free(filters);
    vz_json_free(record);
    vz_arena arena = {0};
    vz_item *items = calloc(count + 1, sizeof *items);
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    *err = VZ_ERROR_NONE;
    char *text = NULL;
    if (vz_chain_decode_items(&chain, (vz_bytes){exact, size}, items, count, &arena, 0, err))
        text = strndup(count ? (const char *)items[0].data : "", count ? (size_t)items[0].size : 0);
    free(exact);
    free(items);
    vz_arena_clear(&arena);
    vz_chain_clear(&chain);
    return text;
}

static void expect_text(const void *data, size_t size, const char *expected)
{
    vz_error err;
    char *text = decode_as(data, size, NULL, 1, &err);
    if (!text)
        fail_msg("%s: %s", expected, err.text);
    assert_string_equal(text, expected);
    free(text);
}
#define ITEM(item, expected) expect_text(BEFORE item AFTER, sizeof(BEFORE item AFTER) - 1, expected)

static void expect_refused(const void *data, size_t size, vz_error_class class, const char *named)
{
    vz_error err;
    char *text = decode_as(data, size, NULL, 1, &err);
    if (text)
        fail_msg("%s: decodes to %.100s", named, text);
    if (err.class != class || !strstr(err.text, named))
        fail_msg("%s: class %d, \"%s\"", named, err.class, err.text);
}
#define REFUSED(pickle, class, named)    expect_refused(pickle, sizeof(pickle) - 1, class, named)
#define REFUSED_ITEM(item, class, named) REFUSED(BEFORE item AFTER, class, named)

static void data_are_read(void **state)
{
    (void)state;
    ITEM("N", "null");
    ITEM("\x8a\0", "0");
    ITEM("\x8a\1\xff", "-1");
    ITEM("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0", "18446744073709551615");
    ITEM("\x8a\x09\0\0\0\0\0\0\0\x80\xff", "-9223372036854775808");
    ITEM("\x8a\x0c\5\0\0\0\0\0\0\0\0\0\0\0", "5");
    ITEM("X\2\0\0\0\xc3\xa4", "\"\xc3\xa4\"");
    ITEM("\x8c\3\xed\xa0\x80", "\"\\ud800\"");
    ITEM("C\2\xff\1", "{\"__bytes__\":\"/wE=\"}");
    ITEM("c_codecs\nencode\n(X\2\0\0\0\xc3\xa4X\6\0\0\0latin1tR", "{\"__bytes__\":\"5A==\"}");
    ITEM("chdmf_zarr.utils\nZarrReference\n)\x81(\x8c\1kN\x8c\1lK\1u", "{\"k\":null,\"l\":1}");
    ITEM("(K\1(K\2]K\3att", "[1,[2,[3]]]");
    ITEM("K\7q\x40"
         "0h\x40",
         "7");
    ITEM("]\x94K\1ah\0"
         "0",
         "[1]");
}

static void code_is_refused(void **state)
{
    (void)state;
    REFUSED_ITEM("cos\nsystem\n(\x8c\4trueTtR", VZ_UNSUPPORTED, "\"os.system\"");
    REFUSED_ITEM("cposix\nsystem\n(\x8c\4truetR", VZ_UNSUPPORTED, "\"posix.system\"");
    REFUSED_ITEM("cbuiltins\neval\n(\x8c\4truetR", VZ_UNSUPPORTED, "\"builtins.eval\"");
    REFUSED_ITEM("\x8c\2os\x8c\6system\x93", VZ_UNSUPPORTED, "\"os.system\"");
    REFUSED_ITEM("\x8c\5numpy\x8c\4load\x93", VZ_UNSUPPORTED, "\"numpy.load\"");
    REFUSED_ITEM("cnumpy.core.multiarray.\n_reconstruct\n", VZ_UNSUPPORTED, "is none that data need");
    REFUSED_ITEM("c\n\n", VZ_UNSUPPORTED, "\".\"");
    REFUSED_ITEM("ca\x01\nb\xff\n", VZ_UNSUPPORTED, "\"a?.b?\"");
    REFUSED_ITEM("cbuiltins\nstr\n(K\1tR", VZ_UNSUPPORTED, "a call that data do not need");
    REFUSED_ITEM("cbuiltins\nbytes\n(K\1tR", VZ_UNSUPPORTED, "a call that data do not need");
    REFUSED_ITEM("cbuiltins\nbytes\n)\x81", VZ_UNSUPPORTED, "an object of a class");
    REFUSED_ITEM("chdmf_zarr.utils\nZarrReference\n(K\1t\x81", VZ_UNSUPPORTED, "an object of a class");
    REFUSED_ITEM("K\1)R", VZ_UNSUPPORTED, "a call that data do not need");
    REFUSED_ITEM("c_codecs\nencode\n(X\1\0\0\0aX\5\0\0\0utf-8tR", VZ_UNSUPPORTED, "Latin 1");
    REFUSED_ITEM("cbuiltins\nstr\n", VZ_UNSUPPORTED, "a class or a dtype where data are expected");
    REFUSED_ITEM(DTYPE, VZ_UNSUPPORTED, "a class or a dtype where data are expected");
    REFUSED_ITEM("cnumpy.core.multiarray\n_reconstruct\n(cbuiltins\ndict\n(K\0tC\1btR", VZ_UNSUPPORTED,
                 "numpy.ndarray");
    REFUSED_ITEM("K\1}b", VZ_UNSUPPORTED, "neither an array nor a dtype");
    REFUSED_ITEM("}}\x8c\1aK\1sb", VZ_UNSUPPORTED, "neither an array nor a dtype");
    static const char opcodes[] =
        "ios\nsystem\n|o|Pabc\n|Q|\x82\1|\x97|\x98|\x96\1\0\0\0\0\0\0\0x|2|1|I1\n|L1L\n|S'a'\n|"
        "V1\n|F1\n|d|l|p0\n|g0\n|\x92|\x8b\1\0\0\0\1|\x8e\1\0\0\0\0\0\0\0x|T\1\0\0\0x|U\1x|\x8f|"
        "\x90|\x91|\xff";
    for (const char *at = opcodes; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        char pickle[512], named[32];
        memcpy(pickle, BEFORE, sizeof BEFORE - 1);
        memcpy(pickle + sizeof BEFORE - 1, at, 4);
        snprintf(named, sizeof named, "opcode 0x%02x", (uint8_t)*at);
        expect_refused(pickle, sizeof BEFORE + 3, VZ_UNSUPPORTED, named);
    }
    REFUSED("(lp0\n.", VZ_UNSUPPORTED, "not of protocol 2 to 5");
    REFUSED("\x80\1N.", VZ_UNSUPPORTED, "not of protocol 2 to 5");
    REFUSED("\x80\6N.", VZ_UNSUPPORTED, "not of protocol 2 to 5");
}

static void wrong_programs_are_refused(void **state)
{
    (void)state;
    REFUSED("", VZ_CORRUPT, "end before");
    REFUSED(START "N.", VZ_CORRUPT, "not an array");
    REFUSED(START EMPTY ".", VZ_CORRUPT, "not built");
    REFUSED(START ".", VZ_CORRUPT, "missing on the stack");
    REFUSED(START ").", VZ_CORRUPT, "not an array");
    REFUSED(START "NN.", VZ_CORRUPT, "more than one value");
    REFUSED(START "(N.", VZ_CORRUPT, "more than one value");
    REFUSED(BEFORE "N" AFTER "x", VZ_CORRUPT, "1 bytes after");
    REFUSED(ARRAY "]tb.", VZ_CORRUPT, "not as many items");
    REFUSED(BEFORE "NN" AFTER, VZ_CORRUPT, "not as many items");
    REFUSED(START EMPTY "(K\1(K\2t" DTYPE "\x89](NNetb.", VZ_CORRUPT, "2 items, must be 1");
    REFUSED(START EMPTY "(K\1(J\xff\xff\xff\xfft" DTYPE "\x89](Netb.", VZ_CORRUPT, "no size");
    REFUSED(START EMPTY "(K\2(K\1t" DTYPE "\x89](Netb.", VZ_CORRUPT, "state of an array");
    REFUSED(START EMPTY "((K\1t" DTYPE "\x89](Netb.", VZ_CORRUPT, "state of an array");
    REFUSED(ARRAY "](Netbb.", VZ_CORRUPT, "missing on the stack");
    REFUSED_ITEM("0", VZ_CORRUPT, "missing on the stack");
    REFUSED_ITEM("t", VZ_CORRUPT, "");
    REFUSED_ITEM("K\1K\2a", VZ_CORRUPT, "no list");
    REFUSED_ITEM("]K\1K\2s", VZ_CORRUPT, "no dict");
    REFUSED_ITEM("}(K\1u", VZ_CORRUPT, "no dict");
    REFUSED_ITEM("}K\1K\2s", VZ_UNSUPPORTED, "key that is no text");
    REFUSED_ITEM("K\1K\2\x93", VZ_CORRUPT, "name that is no text");
    REFUSED_ITEM("h\0", VZ_CORRUPT, "entry 0 of the memo");
    REFUSED_ITEM("j\xff\xff\xff\xff", VZ_CORRUPT, "entry 4294967295 of the memo");
    REFUSED_ITEM("Nr\xff\xff\xff\xff", VZ_CORRUPT, "entry 4294967295 of the memo");
    REFUSED_ITEM("\x95\xff\xff\xff\xff\xff\xff\xff\x7fN", VZ_CORRUPT, "end before");
    REFUSED_ITEM("X\xff\xff\xff\xff", VZ_CORRUPT, "end before");
    REFUSED_ITEM("\x8d\xff\xff\xff\xff\xff\xff\xff\xff", VZ_CORRUPT, "end before");
    REFUSED_ITEM("\x8a\xff", VZ_CORRUPT, "end before");
    REFUSED_ITEM("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\1", VZ_UNSUPPORTED, "more than 64 bits");
    REFUSED_ITEM("\x8a\x09\0\0\0\0\0\0\0\0\xff", VZ_UNSUPPORTED, "more than 64 bits");
    REFUSED_ITEM("\x8c\1\xff", VZ_CORRUPT, "UTF-8");
    REFUSED_ITEM("cnumpy\ndtype\n(\x8c\3x99tR", VZ_UNSUPPORTED, "code is not known");
    REFUSED_ITEM("cnumpy\ndtype\n(\x8c\x0bU4294967295tR", VZ_UNSUPPORTED, "code is not known");
    REFUSED_ITEM("cnumpy\ndtype\n)R", VZ_UNSUPPORTED, "dtype without a code");
    REFUSED_ITEM("cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(\x8c\2i4tRC\3abctR", VZ_CORRUPT,
                 "scalar of 3 bytes");
    REFUSED_ITEM("cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(\x8c\2M8tRC\10abcdefghtR", VZ_UNSUPPORTED,
                 "type M8");
    REFUSED_ITEM("cnumpy.core.multiarray\nscalar\n(K\1C\3abctR", VZ_UNSUPPORTED, "scalar that is not made");
}

/* A structure whose member lies behind its end; one that is its own member; one of no size at all. */
static void wrong_structures_are_refused(void **state)
{
    (void)state;
#define RECORD_STATE(size) "(K\3\x8c\1|N(\x8c\1at}\x8c\1a"
#define SCALAR             "cnumpy.core.multiarray\nscalar\n("
    REFUSED_ITEM(SCALAR
                 "cnumpy\ndtype\n(\x8c\2V4tR" RECORD_STATE() "cnumpy\ndtype\n(\x8c\2i4tRK\1\x86sK\4K\1K\0tbC\4abcdtR",
                 VZ_CORRUPT, "lies nowhere");
    REFUSED_ITEM(SCALAR "cnumpy\ndtype\n(\x8c\2V4tR" RECORD_STATE() "NsK\4K\1K\0tbC\4abcdtR", VZ_CORRUPT,
                 "lies nowhere");
    REFUSED_ITEM(SCALAR "cnumpy\ndtype\n(\x8c\2V4tRq\0" RECORD_STATE() "h\0K\0\x86sK\4K\1K\0tbC\4abcdtR", VZ_LIMIT,
                 "nested deeper");
    REFUSED_ITEM(SCALAR "cnumpy\ndtype\n(\x8c\2V0tR(K\3\x8c\1|cnumpy\ndtype\n(\x8c\2V0tRJ\xff\xff\xff\x7f\x85\x86NN"
                        "K\0K\1K\0tbC\0tR",
                 VZ_CORRUPT, "not as many");
    REFUSED_ITEM(SCALAR "cnumpy\ndtype\n(\x8c\2i4tR(K\3\x8c\1|N(\x8c\1at}K\4K\1K\0tbC\4abcdtR", VZ_CORRUPT,
                 "state of a dtype");
}

/* ---- bombs ---- */

static void append(vz_buffer *buffer, const void *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_buffer_append(buffer, data, size, &err));
}

static void begin(vz_buffer *pickle)
{
    pickle->size = 0;
    append(pickle, BEFORE, sizeof BEFORE - 1);
}

static void end_refused(vz_buffer *pickle, vz_error_class class, const char *named)
{
    append(pickle, AFTER, sizeof AFTER - 1);
    expect_refused(pickle->data, pickle->size, class, named);
}

static void bombs_are_refused(void **state)
{
    (void)state;
    vz_buffer pickle = {0};
    begin(&pickle); /* lists of lists */
    for (int i = 0; i < 100000; i++)
        append(&pickle, "](", 2);
    for (int i = 0; i < 100000; i++)
        append(&pickle, "e", 1);
    end_refused(&pickle, VZ_LIMIT, "nested deeper");

    begin(&pickle); /* each list holds the one before twice: 2^40 empty ones */
    append(&pickle, "]q\0", 3);
    for (uint8_t i = 0; i < 40; i++)
        append(&pickle, (const uint8_t[]){'0', ']', '(', 'h', i, 'h', i, 'e', 'q', (uint8_t)(i + 1)}, 10);
    end_refused(&pickle, VZ_LIMIT, "");

    begin(&pickle); /* one long text, again and again */
    append(&pickle, "](X\0\0\1\0", 7);
    for (int i = 0; i < 65536; i++)
        append(&pickle, "x", 1);
    append(&pickle, "q\0", 2);
    for (int i = 0; i < 65536; i++)
        append(&pickle, "h\0", 2);
    append(&pickle, "e", 1);
    end_refused(&pickle, VZ_LIMIT, "");
    vz_buffer_clear(&pickle);

    REFUSED_ITEM("]\x94h\0"
                 "a",
                 VZ_CORRUPT, "holds itself");
    REFUSED_ITEM("}\x94\x8c\1kh\0s", VZ_CORRUPT, "holds itself");
    REFUSED_ITEM("]\x94](h\0eah\0"
                 "0",
                 VZ_CORRUPT, "holds itself");
}

/* Marks, entries and integers by the megabyte cost memory in proportion, and nothing else. */
static void long_programs_end(void **state)
{
    (void)state;
    vz_buffer pickle = {0};
    begin(&pickle);
    for (int i = 0; i < 1000000; i++)
        append(&pickle, "(", 1);
    for (int i = 0; i < 1000000; i++)
        append(&pickle, "t0", 2);
    append(&pickle, "N", 1);
    append(&pickle, AFTER, sizeof AFTER - 1);
    expect_text(pickle.data, pickle.size, "null");
    begin(&pickle);
    for (int i = 0; i < 1000000; i++)
        append(&pickle,
               "N\x94"
               "0",
               3);
    append(&pickle, "h\5", 2);
    append(&pickle, AFTER, sizeof AFTER - 1);
    expect_text(pickle.data, pickle.size, "null");
    vz_buffer_clear(&pickle);
}

/* One reference that a whole chunk shares is printed once. */
static void shared_items_cost_nothing(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    vz_buffer pickle = {0};
    append(&pickle, START EMPTY "(K\1(J", sizeof(START EMPTY "(K\1(J") - 1);
    uint8_t count[4];
    vz_bytes_store_le32(count, COUNT);
    append(&pickle, count, 4);
    append(&pickle, "t" DTYPE "\x89](\x8c\xffq\1", sizeof("t" DTYPE "\x89](") - 1);
    append(&pickle, "X\0\x10\0\0", 5);
    for (int i = 0; i < 4096; i++)
        append(&pickle, "x", 1);
    append(&pickle, "q\1", 2);
    for (int i = 1; i < COUNT; i++)
        append(&pickle, "h\1", 2);
    append(&pickle, AFTER, sizeof AFTER - 1);
    vz_error err;
    char *text = decode_as(pickle.data, pickle.size, NULL, COUNT, &err);
    assert_non_null(text);
    assert_int_equal(strlen(text), 4098);
    free(text);
    vz_buffer_clear(&pickle);
}

static void rows_must_fit(void **state)
{
    (void)state;
    static const char record[] = "[[\"a\",\"<i4\"],[\"b\",\"|O\"]]";
    vz_error err;
    static const char two[] = BEFORE "K\1N\x86" AFTER, three[] = BEFORE "K\1NN\x87" AFTER, none[] = BEFORE "K\1" AFTER;
    char *text = decode_as(two, sizeof two - 1, record, 1, &err);
    assert_non_null(text);
    assert_string_equal(text, "[1,null]");
    free(text);
    assert_null(decode_as(three, sizeof three - 1, record, 1, &err));
    assert_non_null(strstr(err.text, "no row of 2 members"));
    assert_null(decode_as(none, sizeof none - 1, record, 1, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
}

/* ---- writing ---- */

static const struct {
    const char *codec, *record, *item;
    vz_error_class class; /* VZ_OK: is written */
    const char *named;
} writings[] = {
    {"pickle", NULL, "{\"a\":[1,2.5]}", VZ_OK, ""},
    {"pickle", NULL, "", VZ_OK, ""},
    {"pickle", NULL, "nonsense", VZ_INVALID, "item 0"},
    {"pickle", NULL, "18446744073709551616", VZ_UNSUPPORTED, "more than 64 bits"},
    {"pickle", NULL, "1e999", VZ_UNSUPPORTED, "double precision"},
    {"pickle", NULL, "{\"a\\u0000b\":1}", VZ_UNSUPPORTED, "NUL"},
    {"pickle", NULL, "{\"__bytes__\":\"!\"}", VZ_CORRUPT, "base64"},
    {"pickle", "[[\"a\",\"<i4\"],[\"b\",\"|O\"]]", "[1,{}]", VZ_OK, ""},
    {"pickle", "[[\"a\",\"<i4\"],[\"b\",\"|O\"]]", "[1]", VZ_INVALID, "no row of 2 members"},
    {"pickle", "[[\"a\",\"<i4\"],[\"b\",\"|O\"]]", "[1.5,{}]", VZ_INVALID, "member \"a\" cannot be a real"},
    {"pickle", "[[\"a\",\"<i4\"],[\"b\",\"|O\"]]", "[\"x\",{}]", VZ_INVALID, "member \"a\" cannot be a string"},
    {"pickle", "[[\"a\",[[\"c\",\"<i4\"]]],[\"b\",\"|O\"]]", "[[1],{}]", VZ_UNSUPPORTED, "members that are structures"},
    {"pickle", "[[\"a\",\"<i4\",[2]],[\"b\",\"|O\"]]", "[[1,2],{}]", VZ_UNSUPPORTED, "members that are structures"},
    {"pickle", "[[\"a\",\"<M8[ns]\"],[\"b\",\"|O\"]]", "[1,{}]", VZ_UNSUPPORTED, "members that are structures"},
    {"json2", NULL, "[", VZ_INVALID, "item 0"},
    {"json2", NULL, "18446744073709551616", VZ_OK, ""},
    {"json2", NULL, "{\"a\\u0000b\":1}", VZ_OK, ""},
    {"msgpack2", NULL, "18446744073709551616", VZ_UNSUPPORTED, "more than 64 bits"},
    {"msgpack2", NULL, "{\"a\\u0000b\":1}", VZ_UNSUPPORTED, "NUL"},
    {"msgpack2", NULL, "tru", VZ_INVALID, "item 0"},
};

static void wrong_items_are_not_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof writings / sizeof *writings; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_chain chain;
        vz_buffer text = {0}, out = {0};
        const char *spelling = writings[i].record;
        assert_true(vz_buffer_printf(&text, &err, "[{\"id\":\"%s\"}]", writings[i].codec));
        vz_json *filters = vz_json_parse((const char *)text.data, text.size, &err);
        vz_json *record = spelling ? vz_json_parse(spelling, strlen(spelling), &err) : NULL;
        const vz_chain_chunk chunk = {
            .objects = true, .element_size = sizeof(vz_item), .element_count = 1, .record = record};
        assert_true(chain_open_json(&chain, filters, NULL, &chunk, &err));
        const vz_item item = {(const uint8_t *)writings[i].item, strlen(writings[i].item)};
        const bool ok = vz_chain_encode_items(&chain, &item, 1, &out, 0, &err);
        if (ok != (writings[i].class == VZ_OK) || err.class != writings[i].class ||
            !strstr(err.text, writings[i].named))
            fail_msg("%s: class %d, \"%s\"", writings[i].item, err.class, err.text);
        vz_chain_clear(&chain);
        vz_json_free(filters);
        vz_json_free(record);
        vz_buffer_clear(&text);
        vz_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_read),
        cmocka_unit_test(code_is_refused),
        cmocka_unit_test(wrong_programs_are_refused),
        cmocka_unit_test(wrong_structures_are_refused),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(long_programs_end),
        cmocka_unit_test(shared_items_cost_nothing),
        cmocka_unit_test(rows_must_fit),
        cmocka_unit_test(wrong_items_are_not_written),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
