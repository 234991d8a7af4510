/* test_selection_edges.c - grids of chunks of different shapes, compared with their lengths one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array/selection/selection.h"
#include "metadata/metadata/format_internal.h"

static vz_json *document_of(const char *shapes, uint64_t extent)
{
    char text[1024];
    vz_error err = VZ_ERROR_NONE;
    snprintf(text, sizeof text,
             "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%llu],\"data_type\":\"int8\",\"fill_value\":0,"
             "\"chunk_key_encoding\":\"default\",\"codecs\":[\"bytes\"],\"chunk_grid\":{\"name\":\"rectilinear\","
             "\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[%s]}}}",
             (unsigned long long)extent, shapes);
    vz_json *document = vz_json_parse(text, strlen(text), &err);
    assert_non_null(document);
    return document;
}

static vz_meta *parse(const char *shapes, uint64_t extent)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *document = document_of(shapes, extent);
    vz_meta *meta = vz_meta_parse_v3(document, &err);
    assert_string_equal(err.text, "");
    vz_json_free(document);
    return meta;
}

/* lengths: one by one, ending with 0. */
static void compare(const char *shapes, uint64_t extent, const uint64_t *lengths)
{
    vz_meta *meta = parse(shapes, extent);
    uint64_t start = 0, chunk = 0, longest = 0, dims;
    for (uint64_t at = 0; at < extent; at++) {
        if (at == start + lengths[chunk])
            start += lengths[chunk++];
        const uint64_t length = lengths[chunk], left = extent - start;
        longest = length > longest ? length : longest;
        assert_int_equal(vz_grid_at(meta, 0, at), chunk);
        assert_int_equal(vz_grid_start(meta, 0, chunk), start);
        assert_int_equal(vz_grid_edge(meta, 0, chunk), length);
        assert_int_equal(vz_grid_extent(meta, 0, chunk), length < left ? length : left);
    }
    vz_grid_dims(meta, meta->shape, &dims);
    assert_int_equal(dims, chunk + 1);
    assert_int_equal(meta->chunks[0], longest);
    for (uint64_t outside = chunk + 1; outside < chunk + 40; outside++)
        assert_int_equal(vz_grid_extent(meta, 0, outside), 0);
    vz_meta_free(meta);
}

static void lengths(void **state)
{
    (void)state;
    compare("[3,1,9,7]", 20, (uint64_t[]){3, 1, 9, 7, 0});
    compare("[[3,2],4]", 10, (uint64_t[]){3, 3, 4, 0});
    compare("[[3,1],[3,2],3,[1,4],1]", 17, (uint64_t[]){3, 3, 3, 3, 1, 1, 1, 1, 1, 0});
    compare("4", 10, (uint64_t[]){4, 4, 4, 0});
    compare("[5,5,900]", 7, (uint64_t[]){5, 5, 0});
    compare("[[2,9223372036854775807],[9,9223372036854775807]]", 9, (uint64_t[]){2, 2, 2, 2, 2, 0});
    compare("[1,[8,9223372036854775807],[8,9223372036854775807],1]", 12, (uint64_t[]){1, 8, 8, 0});
}

static void large_counts(void **state)
{
    (void)state;
    const uint64_t far = (uint64_t)1 << 60;
    vz_meta *meta = parse("[[1,10],[2,1125899906842624],[7,9223372036854775807]]", (uint64_t)1 << 61);
    const uint64_t behind = 10 + ((uint64_t)2 << 50), chunk = 10 + ((uint64_t)1 << 50) + (far - behind) / 7;
    assert_int_equal(vz_grid_at(meta, 0, far), chunk);
    assert_int_equal(vz_grid_start(meta, 0, chunk), behind + (far - behind) / 7 * 7);
    assert_int_equal(vz_grid_extent(meta, 0, UINT64_MAX), 0);
    vz_meta_free(meta);
}

static void printed(void **state)
{
    (void)state;
    static const char *const forms[] = {"[[3,2],4]", "4", "[1,[8,5],1]", "[[1,4611686018427387904]]"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_meta *meta = parse(forms[i], 10), *copy = vz_meta_copy(meta, &err);
        vz_json *document = vz_json_object(&err), *expected = document_of(forms[i], 10);
        assert_true(vz_meta_print_v3(copy, document, &err));
        assert_true(vz_json_equal(vz_json_get(document, "chunk_grid"), vz_json_get(expected, "chunk_grid")));
        assert_true(vz_meta_same_grid(meta, copy));
        assert_false(vz_meta_print_v2(copy, document, &err));
        assert_non_null(strstr(err.text, "different shapes"));
        vz_json_free(document);
        vz_json_free(expected);
        vz_meta_free(copy);
        vz_meta_free(meta);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths), cmocka_unit_test(large_counts),
                                       cmocka_unit_test(printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
