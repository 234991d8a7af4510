/* h5zarr advise without a clock: the ways that are tried, the choice among measures that the test gives, the line. */
#include "command/advise/advise_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)

/* ---- the sample ---- */

static vz_trial_source source_of(unsigned rank, const uint64_t *dims, const uint64_t *chunk, uint64_t size,
                                 uint64_t sample)
{
    vz_trial_source source = {.path = "/a", .rank = rank, .element_size = size, .datasets = 1};
    memcpy(source.dims, dims, rank * sizeof *dims);
    if (chunk)
        memcpy(source.chunk, chunk, rank * sizeof *chunk);
    vz_trial_sample_of(&source, sample);
    return source;
}

static uint64_t product(unsigned rank, const uint64_t *extent)
{
    uint64_t elements = 1;
    for (unsigned i = 0; i < rank; i++)
        elements *= extent[i];
    return elements;
}

static void test_sample(void **state)
{
    (void)state;
    const uint64_t small[] = {100, 60}, large[] = {1000000, 125000}, chunk[] = {1000, 50}, line[] = {(uint64_t)1 << 40},
                   wide[] = {3, (uint64_t)1 << 40};
    vz_trial_source all = source_of(2, small, NULL, 8, 32 * MIB);
    assert_true(all.extent[0] == 100 && all.extent[1] == 60 && all.start[0] == 0 && all.start[1] == 0);
    vz_trial_source some = source_of(2, large, chunk, 8, 32 * MIB); /* of 1 TB */
    const uint64_t bytes = 8 * product(2, some.extent);
    assert_true(bytes <= 32 * MIB && bytes > 8 * MIB);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(some.start[i] % chunk[i], 0);
        assert_true(some.start[i] > 0 && some.start[i] + some.extent[i] <= large[i]);
    }
    some = source_of(1, line, NULL, 1, 32 * MIB);
    assert_int_equal(some.extent[0], 32 * MIB);
    some = source_of(2, wide, NULL, 16, MIB);
    assert_true(some.extent[0] == 3 && 48 * some.extent[1] <= MIB);
    some = source_of(1, line, NULL, 64 * MIB, MIB); /* one element is larger */
    assert_int_equal(some.extent[0], 1);
}

/* ---- ways ---- */

static void test_shapes(void **state)
{
    (void)state;
    const uint64_t dims[] = {100000, 20000}, chunk[] = {1000, 50};
    const vz_trial_source source = source_of(2, dims, chunk, 4, 32 * MIB);
    vz_advise_ways ways = {0};
    vz_advise_add_shapes(&source, &ways);
    assert_int_equal(ways.count, 6);
    assert_string_equal(ways.list[0].what, "as it is");
    assert_memory_equal(ways.list[0].trial.chunk, chunk, sizeof chunk);
    for (unsigned i = 0; i < ways.count; i++) {
        const uint64_t *shape = ways.list[i].trial.chunk, bytes = 4 * product(2, shape);
        assert_true(shape[0] > 0 && shape[0] <= source.extent[0] && shape[1] > 0 && shape[1] <= source.extent[1]);
        assert_true(bytes <= 8 * MIB);
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(shape, ways.list[k].trial.chunk, sizeof dims);
        if (strcmp(ways.list[i].what, "whole rows") == 0)
            assert_true(shape[1] == source.extent[1] && bytes <= MIB);
        if (strcmp(ways.list[i].what, "whole columns") == 0)
            assert_true(shape[0] == source.extent[0] && bytes <= MIB);
    }
}

static void test_shapes_of_one_dimension(void **state)
{
    (void)state;
    const uint64_t dims[] = {1000};
    const vz_trial_source source = source_of(1, dims, NULL, 8, 32 * MIB);
    vz_advise_ways ways = {0};
    vz_advise_add_shapes(&source, &ways);
    assert_int_equal(ways.count, 2); /* without chunks, and in one: all other shapes are the whole array */
    assert_int_equal(ways.list[0].trial.chunk[0], 0);
    assert_int_equal(ways.list[1].trial.chunk[0], 1000);
    for (ways.chosen = 0; ways.chosen < 2; ways.chosen++) {
        vz_advise_add_shards(&source, &ways);
        assert_int_equal(ways.count, 2); /* one chunk needs no shard */
    }
}

static void test_codecs_and_shards(void **state)
{
    (void)state;
    const uint64_t dims[] = {4096, 4096}, chunk[] = {64, 64};
    const vz_trial_source source = source_of(2, dims, chunk, 4, 64 * MIB);
    vz_advise_ways ways = {0};
    vz_advise_add_shapes(&source, &ways);
    const unsigned shapes = ways.count;
    ways.chosen = 0;
    vz_advise_add_codecs(&ways);
    assert_int_equal(ways.count, shapes + 4); /* the source may have any filter */
    ways.chosen = 1;
    ways.count = shapes;
    memset(&ways.list[shapes], 0, sizeof ways.list[shapes]);
    vz_advise_add_codecs(&ways);
    assert_int_equal(ways.count, shapes + 3); /* its shape was tried with blosc */
    ways.count = shapes;
    ways.chosen = 0;
    vz_advise_add_codecs(&ways);
    for (unsigned i = shapes; i < ways.count; i++) {
        assert_memory_equal(ways.list[i].trial.chunk, chunk, sizeof chunk);
        assert_non_null(strstr(ways.list[i].trial.options, ways.list[i].compress));
    }
    ways.chosen = shapes + 1;
    vz_advise_add_shards(&source, &ways);
    assert_int_equal(ways.count, shapes + 5);
    assert_string_equal(ways.list[ways.count - 1].compress, "zstd");
    assert_string_equal(ways.list[ways.count - 1].trial.options,
                        "container=directory;dialect=plain;compress=zstd;format=3;shards=16777216");
    for (unsigned i = 0; i < 20; i++)
        vz_advise_add_codecs(&ways);
    assert_int_equal(ways.count, VZ_ADVISE_WAYS_MAX);
}

/* ---- the choice ---- */

/* Times for whole, rows, columns, random rows; bytes; writing. */
static void give(vz_advise_ways *ways, int64_t whole, int64_t rows, int64_t columns, int64_t random, uint64_t stored,
                 int64_t write)
{
    ways->list[ways->count++].trial =
        (vz_trial){.is_measured = true, .stored = stored, .write_ns = write, .read_ns = {whole, rows, columns, random}};
}

static void test_the_best_for_a_goal(void **state)
{
    (void)state;
    vz_advise_ways ways = {0};
    give(&ways, 100, 100, 400, 400, 1000, 100); /* 0: by rows */
    give(&ways, 100, 400, 100, 800, 1000, 100); /* 1: by columns */
    give(&ways, 50, 300, 300, 800, 1000, 100);  /* 2: as a whole */
    give(&ways, 400, 400, 800, 100, 1000, 100); /* 3: single rows */
    give(&ways, 120, 120, 120, 200, 1000, 100); /* 4: none of them, and all */
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ROWS), 0);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_COLUMNS), 1);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_WHOLE), 2);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_RANDOM), 3);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 4);
}

static void test_bytes_and_writing_decide_where_reading_does_not(void **state)
{
    (void)state;
    vz_advise_ways ways = {0};
    give(&ways, 100, 100, 100, 100, 4000, 100);
    give(&ways, 100, 100, 100, 100, 1000, 100);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
    ways.count = 0;
    give(&ways, 100, 100, 100, 100, 1000, 10000);
    give(&ways, 100, 100, 100, 100, 1000, 100);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
    ways.count = 0; /* but a fourth of the bytes does not make up for ten times the time */
    give(&ways, 1000, 1000, 1000, 1000, 1000, 100);
    give(&ways, 100, 100, 100, 100, 4000, 100);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
}

static void test_without_a_codec_only_where_none_saves_bytes(void **state)
{
    (void)state;
    vz_advise_ways ways = {0};
    give(&ways, 1000, 1000, 1000, 1000, 850, 100);
    give(&ways, 100, 100, 100, 100, 1000, 100);
    ways.list[0].compress = "zstd";
    ways.list[1].compress = "none";
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 0);
    ways.list[0].trial.stored = 950;
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
}

static void test_about_as_good_is_no_reason_to_change(void **state)
{
    (void)state;
    vz_advise_ways ways = {0};
    give(&ways, 104, 104, 104, 104, 1000, 100);
    give(&ways, 100, 100, 100, 100, 1000, 100);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 0);
    ways.count = 0;
    give(&ways, 130, 130, 130, 130, 1000, 100);
    give(&ways, 100, 100, 100, 100, 1000, 100);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
}

static void test_what_was_not_measured_is_not_chosen(void **state)
{
    (void)state;
    vz_advise_ways ways = {.count = 1};
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1); /* none */
    give(&ways, 0, 0, 0, 0, 0, 0);                               /* a clock that does not move */
    ways.count++;
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
    give(&ways, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, UINT64_MAX, INT64_MAX);
    assert_int_equal(vz_advise_choose(&ways, VZ_ADVISE_ALL), 1);
}

static void test_goals(void **state)
{
    (void)state;
    vz_advise_goal goal = VZ_ADVISE_ALL;
    assert_true(vz_advise_goal_parse("random-rows", &goal) && goal == VZ_ADVISE_RANDOM);
    assert_true(vz_advise_goal_parse("all", &goal) && goal == VZ_ADVISE_ALL);
    assert_false(vz_advise_goal_parse("", &goal) || vz_advise_goal_parse("row", &goal));
}

static void test_one_file(void **state)
{
    (void)state;
    static const struct {
        uint64_t datasets, chunks, bytes;
        bool one;
    } cases[] = {
        {5000, 5000, 5000 * 1024, true},            /* many small datasets */
        {1, 100000, (uint64_t)100000 * 4096, true}, /* many small chunks */
        {1, 100000, (uint64_t)100000 << 20, false}, /* large ones */
        {10, 10, 10 * 1024, false},                 /* few */
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, true}, /* more than there can be */
        {0, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t files;
        const vz_trial_source source = {
            .datasets = cases[i].datasets, .chunks = cases[i].chunks, .bytes = cases[i].bytes};
        assert_int_equal(vz_advise_one_file(&source, &files), cases[i].one);
    }
}

/* ---- the line ---- */

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *file, *path;
        uint64_t shards, datasets;
        const char *line;
    } cases[] = {
        {"x.h5", "/a/b", 0, 1, "h5zarr convert x.h5 x.zarr --chunks '/a/b:10,20' --compress '/a/b:zstd'"},
        {"d/x.zarr/", "/a", 16 * MIB, 1,
         "h5zarr convert d/x.zarr/ d/x-new.zarr --chunks '/a:10,20' --compress '/a:zstd' --format 3 --shards 16M"},
        {"x.y/z", "/a", 0, 9999,
         "h5zarr convert x.y/z x.y/z.zarr --chunks '/a:10,20' --compress '/a:zstd' --container file"},
        {"it's.h5", "/a'b [*?]\\", 0, 1,
         "h5zarr convert 'it'\\''s.h5' 'it'\\''s.zarr' --chunks '/a'\\''b \\[\\*\\?]\\\\:10,20' --compress '/a'\\''b "
         "\\[\\*\\?]\\\\:zstd'"},
        {"x.h5", "/a;b", 0, 1, "h5zarr convert x.h5 x.zarr --chunks '10,20' --compress 'zstd'"},
        {"s3://b/c/x.h5", "/a", 0, 1, "h5zarr convert s3://b/c/x.h5 x.zarr --chunks '/a:10,20' --compress '/a:zstd'"},
        {"$(x).h5", "/a", 0, 1, "h5zarr convert '$(x).h5' '$(x).zarr' --chunks '/a:10,20' --compress '/a:zstd'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static vz_advise_report report;
        vz_buffer out = {0};
        report = (vz_advise_report){.source = {.rank = 2, .datasets = cases[i].datasets}, .ways = {.count = 1}};
        report.ways.list[0] =
            (vz_advise_way){.compress = "zstd", .shards = cases[i].shards, .trial = {.chunk = {10, 20}}};
        snprintf(report.source.path, sizeof report.source.path, "%s", cases[i].path);
        assert_true(vz_advise_line(cases[i].file, &report, &out, NULL));
        assert_string_equal((const char *)out.data, cases[i].line);
        vz_buffer_clear(&out);
    }
}

static void test_the_line_of_what_is_as_it_is(void **state)
{
    (void)state;
    static vz_advise_report report;
    vz_buffer out = {0};
    report = (vz_advise_report){.source = {.rank = 2, .path = "/a"}, .ways = {.count = 1}};
    report.ways.list[0] = (vz_advise_way){.compress = "auto", .trial = {.chunk = {10, 20}}};
    assert_true(vz_advise_line("x.h5", &report, &out, NULL));
    assert_string_equal((const char *)out.data, "h5zarr convert x.h5 x.zarr");
    vz_buffer_clear(&out);
    report.ways.list[0] = (vz_advise_way){.compress = "zlib"}; /* without chunks */
    assert_true(vz_advise_line("x.h5", &report, &out, NULL));
    assert_string_equal((const char *)out.data, "h5zarr convert x.h5 x.zarr --compress '/a:zlib'");
    vz_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shapes_of_one_dimension),
        cmocka_unit_test(test_codecs_and_shards),
        cmocka_unit_test(test_the_best_for_a_goal),
        cmocka_unit_test(test_bytes_and_writing_decide_where_reading_does_not),
        cmocka_unit_test(test_without_a_codec_only_where_none_saves_bytes),
        cmocka_unit_test(test_about_as_good_is_no_reason_to_change),
        cmocka_unit_test(test_what_was_not_measured_is_not_chosen),
        cmocka_unit_test(test_goals),
        cmocka_unit_test(test_one_file),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_the_line_of_what_is_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
