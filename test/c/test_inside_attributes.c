/* test_inside_attributes.c - attribute values as JSON and back, through a store on disk. */
#include "inside_attributes_support.h"
#include "hdf5/types/elements.h"

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
static uint8_t *bytes_of(const attribute_case *c, const vz_type_tree *layout, vz_arena *arena, hsize_t count)
{
    vz_json *json = parse_json(c->json), *dims = parse_json(c->dims);
    uint8_t *data = calloc(count + 1, layout->size);
    hsize_t length[VZ_MAX_RANK];
    for (size_t d = 0; d < vz_json_length(dims); d++)
        vz_json_get_uint64(vz_json_at(dims, d), (uint64_t *)&length[d]);
    if (count)
        assert_true(vz_elements_from_json(layout, (unsigned)vz_json_length(dims), length, json, data, arena));
    vz_json_free(dims);
    vz_json_free(json);
    return data;
}

static void write_case(const attribute_case *c, const char *name)
{
    hsize_t count;
    vz_arena arena = {0};
    hid_t type = type_of(c->type), space = space_of(c->dims, &count);
    vz_type_tree *layout = vz_type_tree_new(type, &err);
    uint8_t *data = bytes_of(c, layout, &arena, count);
    ok(vz_attribute_create(root, name, type, space, NULL, &err));
    expect_seen(name, c->type, c->dims); /* before anything is written, too */
    write_value(name, type, data);
    free(data);
    vz_type_tree_free(layout);
    vz_arena_clear(&arena);
    H5Sclose(space);
    H5Tclose(type);
}

static void read_case(const attribute_case *c, const char *name)
{
    hsize_t count, size;
    vz_arena arena = {0};
    hid_t type = type_of(c->type), space = space_of(c->dims, &count);
    vz_type_tree *layout = vz_type_tree_new(type, &err);
    uint8_t *data = bytes_of(c, layout, &arena, count), *read = calloc(count + 1, layout->size);
    expect_json(vz_node_attribute(root, name), c->json);
    expect_json(entry(name), c->entry);
    expect_seen(name, c->type, c->dims);
    read_value(name, type, read);
    expect_equal(layout, data, read, count);
    WITH(name, vz_attribute_storage_size(&attribute, &size, &err));
    assert_int_equal(size, count * layout->size);
    if (layout->has_pointers && count)
        reclaim(type, space, read);
    free(read);
    free(data);
    vz_type_tree_free(layout);
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
        ok(vz_attribute_create(root, name, type, space, NULL, &err));
        write_value(name, type, lossy[i].bytes);
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
        read_value(name, type, read);
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
    ok(vz_attribute_create(root, "t", type, space, NULL, &err));
    write_value("t", type, in);
    reopen();
    expect_json(vz_node_attribute(root, "t"), "[\"ok\",\"\xef\xbf\xbd"
                                              "ber\"]");
    read_value("t", type, out);
    assert_string_equal(out[0], in[0]);
    assert_string_equal(out[1], in[1]);
    reclaim(type, space, out);
    H5Sclose(space);
    H5Tclose(type);
}

/* ---- conversion ---- */

static void memory_types_are_converted(void **state)
{
    (void)state;
    const double in[3] = {1.25, -2, 3e9};
    const hsize_t three = 3;
    int32_t out[3];
    hid_t space = H5Screate_simple(1, &three, NULL);
    ok(vz_attribute_create(root, "c", H5T_IEEE_F32BE, space, NULL, &err));
    write_value("c", H5T_NATIVE_DOUBLE, in);
    expect_json(vz_node_attribute(root, "c"), "[1.25,-2.0,3000000000.0]");
    read_value("c", H5T_NATIVE_INT32, out);
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
    ok(vz_attribute_create(root, "p", type, space, NULL, &err));
    write_value("p", type, &whole);
    write_value("p", half, &part);
    expect_json(vz_node_attribute(root, "p"), "{\"n\":42,\"s\":\"one\"}");
    part.n = 0;
    read_value("p", half, &part);
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
    ok(vz_attribute_create(root, "v", type, space, NULL, &err));
    WITH("v", vz_attribute_write(&attribute, type, in, NULL, &err));
    assert_int_equal(given, 0);
    WITH("v", vz_attribute_read(&attribute, type, out, dxpl, NULL, &err));
    assert_int_equal(given, 2);
    assert_true(H5Treclaim(type, space, dxpl, out) >= 0);
    assert_int_equal(given, 0);
    H5Pclose(dxpl);
    H5Sclose(space);
    H5Tclose(type);
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        TEST(values_survive),        TEST(lost_bits_are_kept),
        TEST(text_that_is_not_utf8), TEST(memory_types_are_converted),
        TEST(parts_of_compounds),    TEST(the_readers_allocator_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
