/* test_map_attributes.c - attribute values as JSON and back, through a store on disk. */
#include "bind_here.h"
#include "map/attribute.h"
#include "map/attribute_json.h"
#include "map/types_record.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

#define TEXT "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}"
#define BOOL "{\"enum\":\"|i1\",\"m\":{\"FALSE\":0,\"TRUE\":1}}"

static char path[512];
static vz_hierarchy *hierarchy;
static vz_node *root;
static vz_error err;

static void ok(bool result)
{
    if (!result)
        fail_msg("%s", err.text);
}

static int open_store(void **state)
{
    (void)state;
    vz_options options;
    err = VZ_ERROR_NONE;
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/test_map_attributes.%d.zarr", place ? place : P_tmpdir, (int)getpid());
    ok(vz_options_init(&options, &err));
    ok(vz_hierarchy_open(path, VZ_CREATE_TRUNCATE, &options, &hierarchy, &root, &err));
    return 0;
}

static void reopen(void)
{
    vz_options options;
    ok(vz_options_init(&options, &err));
    vz_node_unref(root);
    ok(vz_hierarchy_close(hierarchy, &err));
    ok(vz_hierarchy_open(path, VZ_OPEN_WRITE, &options, &hierarchy, &root, &err));
}

static int close_store(void **state)
{
    (void)state;
    err = VZ_ERROR_NONE;
    vz_node_unref(root);
    ok(vz_hierarchy_close(hierarchy, &err));
    ok(vz_hierarchy_delete(path, &err));
    return 0;
}

static vz_json *parse_json(const char *text)
{
    vz_json *json = vz_json_parse(text, strlen(text), &err);
    if (!json)
        fail_msg("%s: %s", text, err.text);
    return json;
}

static void expect_json(const vz_json *json, const char *text)
{
    vz_buffer out = {0};
    if (!json) {
        assert_string_equal("-", text);
        return;
    }
    assert_true(vz_json_print(json, 0, &out, &err) && vz_buffer_append(&out, "", 1, &err));
    assert_string_equal((char *)out.data, text);
    vz_buffer_clear(&out);
}

static hid_t type_of(const char *note)
{
    vz_json *json = parse_json(note);
    hid_t type = vz_note_type_parse(json, &err);
    if (type < 0)
        fail_msg("%s: %s", note, err.text);
    vz_json_free(json);
    return type;
}

/* "null", "[]" (scalar), "[2,3]". */
static hid_t space_of(const char *dims, hsize_t *count)
{
    vz_json *json = parse_json(dims);
    const size_t rank = vz_json_length(json);
    hsize_t length[VZ_MAX_RANK];
    *count = vz_json_kind_of(json) != VZ_JSON_NULL;
    for (size_t d = 0; d < rank; d++) {
        assert_true(vz_json_get_uint64(vz_json_at(json, d), (uint64_t *)&length[d]));
        *count *= length[d];
    }
    hid_t space = vz_json_kind_of(json) == VZ_JSON_NULL ? H5Screate(H5S_NULL)
                  : rank                                ? H5Screate_simple((int)rank, length, NULL)
                                                        : H5Screate(H5S_SCALAR);
    vz_json_free(json);
    return space;
}

static void expect_seen(const char *name, const char *type, const char *dims)
{
    hid_t seen, space;
    hsize_t count;
    ok(vz_attribute_type(root, name, &seen, &err));
    vz_json *note = vz_note_type_print(seen, &err);
    expect_json(note, type);
    vz_json_free(note);
    H5Tclose(seen);
    ok(vz_attribute_space(root, name, &space, &err));
    hid_t expected = space_of(dims, &count);
    assert_true(H5Sextent_equal(space, expected) > 0);
    H5Sclose(expected);
    H5Sclose(space);
}

static const vz_json *entry(const char *name)
{
    return vz_json_get(vz_json_get(root->annotation, "a"), name);
}

static void reclaim(hid_t type, hid_t space, void *data)
{
    assert_true(H5Treclaim(type, space, H5P_DEFAULT, data) >= 0);
}

/* ---- HDF5 values that go to disk and come back ---- */

typedef struct attribute_case {
    const char *type, *dims, *json, *entry;
} attribute_case;

static const attribute_case cases[] = {
    {TEXT, "[]", "\"caf\xc3\xa9\"", "-"},
    {TEXT, "[1]", "[\"x\"]", "-"},
    {TEXT, "[2]", "[\"a\",\"\"]", "-"},
    {TEXT, "[0]", "[]", "{\"t\":" TEXT "}"},
    {TEXT, "null", "\"\"", "{\"s\":\"null\"}"},
    {"{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"ascii\"}", "[]", "\"a\"",
     "{\"t\":{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"ascii\"}}"},
    {"{\"str\":4,\"pad\":\"nul\",\"cs\":\"ascii\"}", "[]", "\"abc\"",
     "{\"t\":{\"str\":4,\"pad\":\"nul\",\"cs\":\"ascii\"}}"},
    {"{\"str\":4,\"pad\":\"space\",\"cs\":\"utf8\"}", "[2]", "[\"a b\",\"\"]",
     "{\"t\":{\"str\":4,\"pad\":\"space\",\"cs\":\"utf8\"}}"},
    {BOOL, "[]", "true", "-"},
    {BOOL, "[2]", "[false,true]", "-"},
    {"\"<i8\"", "[]", "-5", "-"},
    {"\"<i8\"", "[2,2]", "[[1,2],[3,9223372036854775807]]", "-"},
    {"\"<i8\"", "[0]", "[]", "{\"t\":\"<i8\"}"},
    {"\"<f8\"", "[0]", "[]", "-"},
    {"\"<f8\"", "[2,0]", "[[],[]]", "-"},
    {"\"<f8\"", "[0,3]", "[]", "{\"s\":{\"d\":[0,3]}}"},
    {"\"<f8\"", "[]", "0.1", "-"},
    {"\"<f8\"", "[]", "1.0", "-"},
    {"\"<f8\"", "[4]", "[NaN,Infinity,-Infinity,-0.0]", "-"},
    {"\"<f4\"", "[]", "0.10000000149011612", "{\"t\":\"<f4\"}"},
    {"\">f2\"", "[2]", "[0.5,65504.0]", "{\"t\":\">f2\"}"},
    {"\"<f4\"", "null", "null", "-"},
    {"\"<f8\"", "null", "null", "{\"t\":\"<f8\",\"s\":\"null\"}"},
    {"\"|u1\"", "[]", "255", "{\"t\":\"|u1\"}"},
    {"\">i4\"", "[2]", "[-1,2]", "{\"t\":\">i4\"}"},
    {"\"<u8\"", "[]", "18446744073709551615", "-"},
    {"\"<u8\"", "[]", "5", "{\"t\":\"<u8\"}"},
    {"\"<u8\"", "[2]", "[5,18446744073709551615]", "-"},
    {"{\"enum\":\"<i2\",\"m\":{\"red\":-1,\"blue\":7}}", "[2]", "[7,-1]",
     "{\"t\":{\"enum\":\"<i2\",\"m\":{\"red\":-1,\"blue\":7}}}"},
    {"{\"bits\":\"<u2\"}", "[]", "65535", "{\"t\":{\"bits\":\"<u2\"}}"},
    {"{\"opaque\":3,\"tag\":\"x\"}", "[]", "\"AAEC\"", "{\"t\":{\"opaque\":3,\"tag\":\"x\"}}"},
    {"{\"cmpd\":8,\"m\":[[\"r\",0,\"<f4\"],[\"i\",4,\"<f4\"]]}", "[]", "[1.0,-2.5]",
     "{\"t\":{\"cmpd\":8,\"m\":[[\"r\",0,\"<f4\"],[\"i\",4,\"<f4\"]]},\"s\":{\"d\":[]}}"},
    {"{\"cmpd\":24,\"m\":[[\"n\",4,\"<i4\"],[\"s\",16," TEXT "]]}", "[2]",
     "[{\"n\":1,\"s\":\"one\"},{\"n\":2,\"s\":\"\"}]",
     "{\"t\":{\"cmpd\":24,\"m\":[[\"n\",4,\"<i4\"],[\"s\",16," TEXT "]]},\"s\":{\"d\":[2]}}"},
    {"{\"vlen\":\"<i4\"}", "[2]", "[[1,2,3],[]]", "{\"t\":{\"vlen\":\"<i4\"},\"s\":{\"d\":[2]}}"},
    {"{\"vlen\":" TEXT "}", "[]", "[\"a\",\"b\"]", "{\"t\":{\"vlen\":" TEXT "},\"s\":{\"d\":[]}}"},
    {"{\"arr\":\"<i2\",\"d\":[2,2]}", "[2]", "[[1,2,3,4],[5,6,7,8]]",
     "{\"t\":{\"arr\":\"<i2\",\"d\":[2,2]},\"s\":{\"d\":[2]}}"},
};

/* The bytes that a user would have for the JSON value: no oracle for numbers, which have tests of their own below. */
static uint8_t *bytes_of(const attribute_case *c, const vz_layout *layout, vz_arena *arena, hsize_t count)
{
    vz_json *json = parse_json(c->json), *dims = parse_json(c->dims);
    uint8_t *data = calloc(count + 1, layout->size);
    hsize_t length[VZ_MAX_RANK];
    for (size_t d = 0; d < vz_json_length(dims); d++)
        vz_json_get_uint64(vz_json_at(dims, d), (uint64_t *)&length[d]);
    if (count)
        assert_true(vz_json_take(layout, (unsigned)vz_json_length(dims), length, json, data, arena));
    vz_json_free(dims);
    vz_json_free(json);
    return data;
}

static void expect_bytes(const vz_layout *layout, const uint8_t *a, const uint8_t *b, hsize_t count)
{
    for (hsize_t i = 0; i < count; i++) {
        vz_buffer x = {0}, y = {0};
        assert_true(vz_record_write(layout, a + i * layout->size, &x, NULL));
        assert_true(vz_record_write(layout, b + i * layout->size, &y, NULL));
        assert_int_equal(x.size, y.size);
        if (x.size)
            assert_memory_equal(x.data, y.data, x.size);
        vz_buffer_clear(&x);
        vz_buffer_clear(&y);
    }
}

static void write_case(const attribute_case *c, const char *name)
{
    hsize_t count;
    vz_arena arena = {0};
    hid_t type = type_of(c->type), space = space_of(c->dims, &count);
    vz_layout *layout = vz_layout_new(type, &err);
    uint8_t *data = bytes_of(c, layout, &arena, count);
    ok(vz_attribute_create(root, name, type, space, &err));
    expect_seen(name, c->type, c->dims); /* before anything is written, too */
    ok(vz_attribute_write(root, name, type, data, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    free(data);
    vz_layout_free(layout);
    vz_arena_clear(&arena);
    H5Sclose(space);
    H5Tclose(type);
}

static void read_case(const attribute_case *c, const char *name)
{
    hsize_t count, size;
    vz_arena arena = {0};
    hid_t type = type_of(c->type), space = space_of(c->dims, &count);
    vz_layout *layout = vz_layout_new(type, &err);
    uint8_t *data = bytes_of(c, layout, &arena, count), *read = calloc(count + 1, layout->size);
    expect_json(vz_node_attribute(root, name), c->json);
    expect_json(entry(name), c->entry);
    expect_seen(name, c->type, c->dims);
    ok(vz_attribute_read(root, name, type, read, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    expect_bytes(layout, data, read, count);
    ok(vz_attribute_storage_size(root, name, &size, &err));
    assert_int_equal(size, count * layout->size);
    if (layout->has_pointers && count)
        reclaim(type, space, read);
    free(read);
    free(data);
    vz_layout_free(layout);
    vz_arena_clear(&arena);
    H5Sclose(space);
    H5Tclose(type);
}

static void values_survive(void **state)
{
    (void)state;
    char name[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(name, sizeof name, "a%zu", i);
        write_case(&cases[i], name);
    }
    reopen();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(name, sizeof name, "a%zu", i);
        read_case(&cases[i], name);
    }
}

/* ---- what JSON cannot hold ---- */

static const struct {
    const char *type;
    const char *bytes;
    size_t size;
    const char *json;
} lossy[] = {
    {"\"<f8\"", "\x01\x00\x00\x00\x00\x00\xf8\xff", 8, "NaN"},
    {"\"<f4\"", "\x00\x00\xc0\xff", 4, "NaN"},
    {"{\"str\":6,\"pad\":\"nul\",\"cs\":\"ascii\"}", "ab\0cd", 6, "\"ab\""},
    {"{\"str\":3,\"pad\":\"null\",\"cs\":\"utf8\"}",
     "a\xff"
     "b",
     3,
     "\"a\xef\xbf\xbd"
     "b\""},
    {"{\"str\":4,\"pad\":\"space\",\"cs\":\"ascii\"}", "a\0 ", 4, "\"a\""},
    {"{\"float\":16,\"order\":\"<\",\"prec\":80,\"off\":0,\"fields\":[79,64,15,0,64],\"bias\":16383,\"norm\":\"none\"}",
     "\x01\x00\x00\x00\x00\x00\x00\x80\xff\x3f\0\0\0\0\0\0", 16, "1.0"},
    {"{\"int\":4,\"sign\":true,\"order\":\"<\",\"prec\":17,\"off\":3}", "\xf8\xff\x0f\x00", 4, "-1"},
    {BOOL, "\x07", 1, "true"},
};

static void lost_bits_are_kept(void **state)
{
    (void)state;
    char name[16];
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++) {
        hid_t type = type_of(lossy[i].type), space = H5Screate(H5S_SCALAR);
        snprintf(name, sizeof name, "l%zu", i);
        ok(vz_attribute_create(root, name, type, space, &err));
        ok(vz_attribute_write(root, name, type, lossy[i].bytes, H5P_DATASET_XFER_DEFAULT, NULL, &err));
        H5Sclose(space);
        H5Tclose(type);
    }
    reopen();
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++) {
        uint8_t read[16] = {0};
        hid_t type = type_of(lossy[i].type);
        snprintf(name, sizeof name, "l%zu", i);
        expect_json(vz_node_attribute(root, name), lossy[i].json);
        expect_seen(name, lossy[i].type, "[]");
        ok(vz_attribute_read(root, name, type, read, H5P_DATASET_XFER_DEFAULT, NULL, &err));
        assert_memory_equal(read, lossy[i].bytes, lossy[i].size);
        H5Tclose(type);
    }
}

static void text_that_is_not_utf8(void **state)
{
    (void)state;
    const char *in[2] = {"ok", "\xfc"
                               "ber"};
    char *out[2];
    const hsize_t two = 2;
    hid_t type = type_of(TEXT), space = H5Screate_simple(1, &two, NULL);
    ok(vz_attribute_create(root, "t", type, space, &err));
    ok(vz_attribute_write(root, "t", type, in, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    reopen();
    expect_json(vz_node_attribute(root, "t"), "[\"ok\",\"\xef\xbf\xbd"
                                              "ber\"]");
    ok(vz_attribute_read(root, "t", type, out, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_string_equal(out[0], in[0]);
    assert_string_equal(out[1], in[1]);
    reclaim(type, space, out);
    H5Sclose(space);
    H5Tclose(type);
}

/* ---- JSON written by others ---- */

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
    {"18446744073709551616", "\"<f8\"", "[]"},
    {"[1,2.5]", "\"<f8\"", "[2]"},
    {"[-1,9223372036854775808]", "\"<f8\"", "[2]"},
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
    ok(vz_attribute_read(root, "o", type, &text, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_string_equal(text, "{\"a\":[1,2.50],\"b\":null}");
    ok(vz_attribute_write(root, "o", type, &text, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    expect_json(vz_node_attribute(root, "o"), "{\"a\":[1,2.50],\"b\":null}"); /* untouched */
    ok(vz_attribute_write(root, "o", type, &other, H5P_DATASET_XFER_DEFAULT, NULL, &err));
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
    ok(vz_attribute_create(root, "e", H5T_IEEE_F32LE, space, &err));
    ok(vz_attribute_write(root, "e", H5T_NATIVE_FLOAT, &tenth, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    ok(vz_node_set_attribute(root, "e", parse_json("7"), &err));
    expect_seen("e", "\"<f4\"", "[]"); /* it fits the type that was */
    ok(vz_attribute_read(root, "e", H5T_NATIVE_FLOAT, &real, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_true(real == 7.0f);
    ok(vz_node_set_attribute(root, "e", parse_json("1e300"), &err));
    expect_seen("e", "\"<f8\"", "[]"); /* it does not */
    ok(vz_node_set_attribute(root, "e", parse_json("\"text\""), &err));
    expect_seen("e", TEXT, "[]");

    hid_t fixed = type_of("{\"str\":6,\"pad\":\"nul\",\"cs\":\"ascii\"}");
    ok(vz_attribute_create(root, "b", fixed, space, &err));
    ok(vz_attribute_write(root, "b", fixed, "ab\0cd", H5P_DATASET_XFER_DEFAULT, NULL, &err));
    ok(vz_node_set_attribute(root, "b", parse_json("\"xy\""), &err));
    char read[6];
    ok(vz_attribute_read(root, "b", fixed, read, H5P_DATASET_XFER_DEFAULT, NULL, &err));
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
        ok(vz_note_set(root, "a", all, &err));
        expect_seen("h", TEXT, "[]");
    }
}

/* ---- conversion ---- */

static void memory_types_are_converted(void **state)
{
    (void)state;
    const double in[3] = {1.25, -2, 3e9};
    const hsize_t three = 3;
    int32_t out[3];
    hid_t space = H5Screate_simple(1, &three, NULL);
    ok(vz_attribute_create(root, "c", H5T_IEEE_F32BE, space, &err));
    ok(vz_attribute_write(root, "c", H5T_NATIVE_DOUBLE, in, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    expect_json(vz_node_attribute(root, "c"), "[1.25,-2.0,3000000000.0]");
    ok(vz_attribute_read(root, "c", H5T_NATIVE_INT32, out, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], -2);
    assert_int_equal(out[2], INT32_MAX);
    H5Sclose(space);
}

/* Members that the other side lacks stay as they are, on both sides. */
static void parts_of_compounds(void **state)
{
    (void)state;
    struct {
        int32_t n;
        int32_t pad;
        const char *s;
    } whole = {1, 0, "one"};
    struct {
        int64_t n;
        double x;
    } part = {42, 2.5};
    hid_t type = type_of("{\"cmpd\":16,\"m\":[[\"n\",0,\"<i4\"],[\"s\",8," TEXT "]]}");
    hid_t half = type_of("{\"cmpd\":16,\"m\":[[\"n\",0,\"<i8\"]]}"), space = H5Screate(H5S_SCALAR);
    ok(vz_attribute_create(root, "p", type, space, &err));
    ok(vz_attribute_write(root, "p", type, &whole, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    ok(vz_attribute_write(root, "p", half, &part, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    expect_json(vz_node_attribute(root, "p"), "{\"n\":42,\"s\":\"one\"}");
    part.n = 0;
    ok(vz_attribute_read(root, "p", half, &part, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_int_equal(part.n, 42);
    assert_true(part.x == 2.5);
    H5Sclose(space);
    H5Tclose(half);
    H5Tclose(type);
}

static size_t given;

static void *counted_alloc(size_t size, void *info)
{
    (void)info;
    given++;
    return malloc(size);
}

static void counted_free(void *memory, void *info)
{
    (void)info;
    given--;
    free(memory);
}

static void the_readers_allocator_is_used(void **state)
{
    (void)state;
    const char *in[2] = {"a", "b"};
    char *out[2];
    const hsize_t two = 2;
    hid_t type = type_of(TEXT), space = H5Screate_simple(1, &two, NULL), dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_vlen_mem_manager(dxpl, counted_alloc, NULL, counted_free, NULL);
    ok(vz_attribute_create(root, "v", type, space, &err));
    ok(vz_attribute_write(root, "v", type, in, dxpl, NULL, &err));
    assert_int_equal(given, 0);
    ok(vz_attribute_read(root, "v", type, out, dxpl, NULL, &err));
    assert_int_equal(given, 2);
    assert_true(H5Treclaim(type, space, dxpl, out) >= 0);
    assert_int_equal(given, 0);
    H5Pclose(dxpl);
    H5Sclose(space);
    H5Tclose(type);
}

/* ---- lists of attributes ---- */

static void names_and_order(void **state)
{
    (void)state;
    static const char *const names[] = {"zebra", "apple", "mango"};
    hid_t space = H5Screate(H5S_SCALAR);
    ok(vz_node_set_attribute(root, "zarr_dtype", parse_json("\"x\""), &err));
    for (size_t i = 0; i < 3; i++) {
        ok(vz_attribute_create(root, names[i], H5T_NATIVE_INT, space, &err));
        if (i == 1)
            ok(vz_node_set_attribute(root, "zarr_link", parse_json("[]"), &err));
    }
    assert_int_equal(vz_attribute_count(root), 3);
    for (size_t i = 0; i < 3; i++) {
        H5A_info_t info;
        assert_string_equal(vz_attribute_at(root, i), names[i]);
        ok(vz_attribute_info(root, names[i], &info, &err));
        assert_int_equal(info.corder, i);
        assert_int_equal(info.data_size, 4);
    }
    assert_null(vz_attribute_at(root, 3));
    assert_false(vz_attribute_exists(root, "zarr_dtype"));
    assert_true(vz_attribute_exists(root, "mango"));

    assert_false(vz_attribute_create(root, "mango", H5T_NATIVE_INT, space, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_create(root, "_HDF5", H5T_NATIVE_INT, space, &err)); /* under another key */
    assert_string_equal(vz_attribute_at(root, 3), "_HDF5");
    assert_non_null(vz_node_attribute(root, "%5FHDF5"));
    expect_json(vz_json_get(root->annotation, "an"), "{\"%5FHDF5\":\"X0hERjU=\"}");
    ok(vz_attribute_delete(root, "_HDF5", &err));
    expect_json(vz_json_get(root->annotation, "an"), "-");
    assert_false(vz_attribute_rename(root, "mango", "apple", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_rename(root, "mango", "kiwi", &err));
    expect_seen("kiwi", "\"<i4\"", "[]");
    expect_json(entry("mango"), "-");
    ok(vz_attribute_delete(root, "kiwi", &err));
    ok(vz_attribute_delete(root, "apple", &err));
    ok(vz_attribute_delete(root, "zebra", &err));
    expect_json(vz_json_get(root->annotation, "a"), "-");
    assert_false(vz_attribute_delete(root, "zebra", &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_create(root, "r", H5T_STD_REF_OBJ, space, &err));
    expect_seen("r", "{\"ref\":\"obj\"}", "[]");
    expect_json(entry("r"), "-");
    ok(vz_attribute_delete(root, "r", &err));
    H5Sclose(space);
}

/* Thousands of attributes and one of a million elements: seconds, not minutes, under a memory checker as well. */
static void many_and_large(void **state)
{
    (void)state;
    enum { MANY = 5000, LARGE = 300000 };
    char name[32];
    hid_t space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "attribute %d", i);
        ok(vz_attribute_create(root, name, H5T_STD_I16LE, space, &err));
        ok(vz_attribute_write(root, name, H5T_NATIVE_INT, &i, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    }
    H5Sclose(space);
    assert_int_equal(vz_attribute_count(root), MANY);
    for (int i = 0; i < MANY; i++) {
        int value;
        ok(vz_attribute_read(root, vz_attribute_at(root, (size_t)i), H5T_NATIVE_INT, &value, H5P_DATASET_XFER_DEFAULT,
                             NULL, &err));
        assert_int_equal(value, i);
    }
    const hsize_t large = LARGE;
    float *numbers = malloc(LARGE * sizeof *numbers), *again = malloc(LARGE * sizeof *numbers);
    for (size_t i = 0; i < LARGE; i++)
        numbers[i] = (float)i / 7;
    space = H5Screate_simple(1, &large, NULL);
    ok(vz_attribute_create(root, "large", H5T_IEEE_F32LE, space, &err));
    ok(vz_attribute_write(root, "large", H5T_NATIVE_FLOAT, numbers, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    reopen();
    ok(vz_attribute_read(root, "large", H5T_NATIVE_FLOAT, again, H5P_DATASET_XFER_DEFAULT, NULL, &err));
    assert_memory_equal(numbers, again, LARGE * sizeof *numbers);
    H5Sclose(space);
    free(again);
    free(numbers);
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        TEST(values_survive),
        TEST(lost_bits_are_kept),
        TEST(text_that_is_not_utf8),
        TEST(json_of_others_is_typed),
        TEST(objects_are_their_text),
        TEST(edits_by_others_win),
        TEST(hostile_entries_are_ignored),
        TEST(memory_types_are_converted),
        TEST(parts_of_compounds),
        TEST(the_readers_allocator_is_used),
        TEST(names_and_order),
        TEST(many_and_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
