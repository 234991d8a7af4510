/* test_selection_hyperslab.c - which chunks a region touches, and how a chunk's share falls into boxes. */
#include "array_support.h"
#include "array/selection/selection.h"

static vz_meta *grid(const char *shape, const char *chunks, char order)
{
    char document[400];
    snprintf(document, sizeof document,
             "{\"zarr_format\":2,\"shape\":%s,\"chunks\":%s,\"dtype\":\"<i4\",\"order\":\"%c\",\"filters\":null,"
             "\"compressor\":null,\"fill_value\":0}",
             shape, chunks, order);
    return meta_of(document);
}

/* Strided far apart: chunks between are not visited. */
static void test_chunks_are_skipped(void **state)
{
    (void)state;
    vz_meta *meta = grid("[1000000]", "[10]", 'C');
    const vz_region region = {
        .rank = 1, .start = {5}, .stride = {100000}, .count = {10}, .block = {7}, .memory_stride = {1}};
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_region_start(&walk, meta, &region, &err), &err);
    for (unsigned i = 0; i < 20; i++) {
        assert_true(vz_region_next(&walk));
        assert_int_equal(walk.chunk[0], i / 2 * 10000 + i % 2);
        assert_int_equal(walk.spans[0].first, i / 2 * 7 + (i % 2 ? 5 : 0));
        assert_int_equal(walk.spans[0].count, i % 2 ? 2 : 5);
    }
    assert_false(vz_region_next(&walk));
    assert_false(vz_region_next(&walk));
    vz_meta_free(meta);
}

static void test_scalar_is_one_chunk(void **state)
{
    (void)state;
    vz_meta *meta = grid("[]", "[]", 'C');
    const vz_region region = {.rank = 0};
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_region_start(&walk, meta, &region, &err), &err);
    assert_true(vz_region_next(&walk));
    assert_false(vz_region_next(&walk));
    vz_meta_free(meta);
}

typedef struct noted {
    unsigned count;
    vz_box last;
} noted;

static bool note(void *context, const vz_box *box, vz_error *err)
{
    noted *n = context;
    (void)err;
    n->count++;
    n->last = *box;
    return true;
}

/* The boxes of the first touched chunk. */
static noted boxes_of(const vz_meta *meta, const vz_region *region, bool *whole)
{
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    noted n = {0};
    uint64_t memory;
    no_error(vz_region_start(&walk, meta, region, &err), &err);
    assert_true(vz_region_next(&walk));
    const vz_box_strides layout = vz_layout_of(meta, &walk.region, 4);
    const vz_selection_in_chunk piece = {.chunk = walk.chunk, .spans = walk.spans, .covers = true};
    assert_true(vz_piece_walk(&layout, &piece, note, &n, &err));
    *whole = vz_piece_is_whole(&layout, &piece, &memory);
    return n;
}

/* A chunk that is contiguous on both sides is one loop, whatever its rank. */
static void test_loops_are_joined(void **state)
{
    (void)state;
    bool whole;
    vz_meta *meta = grid("[8,4,6]", "[4,4,6]", 'C');
    vz_region region = block_of(meta, NULL, NULL);
    noted n = boxes_of(meta, &region, &whole);
    assert_true(whole);
    assert_int_equal(n.count, 1);
    assert_int_equal(n.last.loop_count, 1);
    assert_int_equal(n.last.loops[0].count, 96);
    region.memory_stride[1] = 7, region.memory_stride[0] = 28; /* a gap after each row */
    n = boxes_of(meta, &region, &whole);
    assert_false(whole);
    assert_int_equal(n.last.loop_count, 2);
    assert_int_equal(n.last.loops[0].count, 16);
    vz_meta_free(meta);
    meta = grid("[8,4]", "[4,4]", 'F');
    region = block_of(meta, NULL, NULL);
    n = boxes_of(meta, &region, &whole);
    assert_false(whole);
    assert_int_equal(n.last.loop_count, 2);
    region.memory_stride[0] = 1, region.memory_stride[1] = 4; /* the buffer's order is the chunk's */
    n = boxes_of(meta, &region, &whole);
    assert_true(whole);
    vz_meta_free(meta);
}

/* Blocks cut by a chunk's border: a rest, whole blocks, a beginning. */
static void test_blocks_fall_into_three(void **state)
{
    (void)state;
    bool whole;
    vz_meta *meta = grid("[100]", "[100]", 'C');
    const vz_region region = {
        .rank = 1, .start = {1}, .stride = {10}, .count = {5}, .block = {4}, .memory_stride = {1}};
    const noted n = boxes_of(meta, &region, &whole);
    assert_int_equal(n.count, 1);
    assert_int_equal(n.last.loop_count, 2);
    vz_meta_free(meta);
    meta = grid("[100]", "[23]", 'C');
    const uint64_t chunk = 1;
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    noted middle = {0};
    no_error(vz_region_start(&walk, meta, &region, &err), &err);
    assert_true(vz_region_next(&walk) && vz_region_next(&walk));
    assert_int_equal(walk.chunk[0], chunk);
    assert_int_equal(walk.spans[0].first, 10); /* 21 22 | 23 24, 31..34, 41..44 */
    assert_int_equal(walk.spans[0].count, 10);
    const vz_box_strides layout = vz_layout_of(meta, &walk.region, 4);
    const vz_selection_in_chunk piece = {.chunk = walk.chunk, .spans = walk.spans};
    assert_true(vz_piece_walk(&layout, &piece, note, &middle, &err));
    assert_int_equal(middle.count, 2);
    uint64_t low, high;
    vz_piece_extent(&layout, &piece, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, 4 * 22);
    vz_meta_free(meta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks_are_skipped),
        cmocka_unit_test(test_scalar_is_one_chunk),
        cmocka_unit_test(test_loops_are_joined),
        cmocka_unit_test(test_blocks_fall_into_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
