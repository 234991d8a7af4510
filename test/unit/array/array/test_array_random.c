/* test_array_random.c - arrays of random shape, order, type and codecs under random operations, against a model
 * that holds every element and knows no chunks. */
#include "array_model.h"

enum { ROUNDS = 600, STEPS = 24 };

/* ---- regions ---- */

static vz_region make_region(const vz_meta *meta)
{
    vz_region r = {.rank = meta->rank};
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t side = meta->shape[d];
        r.count[d] = r.block[d] = r.stride[d] = 1;
        if (side == 0 || maybe(40)) {
            r.count[d] = 0;
            continue;
        }
        r.start[d] = maybe(2) ? 0 : chance(side);
        const uint64_t left = side - r.start[d];
        r.block[d] = maybe(3) ? left : 1 + chance(left);
        r.stride[d] = r.block[d] + chance(4);
        r.count[d] = 1 + (maybe(2) ? 0 : chance((left - r.block[d]) / r.stride[d] + 1));
    }
    return r;
}

/* Memory strides: dimensions in any order, with gaps; returns the elements needed. */
static uint64_t lay_out(vz_region *r)
{
    unsigned order[VZ_MAX_RANK];
    uint64_t step = 1;
    for (unsigned d = 0; d < r->rank; d++)
        order[d] = r->rank - 1 - d;
    for (unsigned d = 0; d + 1 < r->rank && maybe(3); d++) {
        const unsigned other = d + (unsigned)chance(r->rank - d), swap = order[d];
        order[d] = order[other], order[other] = swap;
    }
    const bool gaps = maybe(3);
    for (unsigned i = 0; i < r->rank; i++) {
        const uint64_t side = r->count[order[i]] * r->block[order[i]];
        r->memory_stride[order[i]] = step;
        step *= (side ? side : 1) + (gaps ? chance(3) : 0);
    }
    r->memory_offset = maybe(3) ? chance(5) : 0;
    return step + r->memory_offset;
}

static void apply_region(model *m, const way *w, const vz_region *r, user_memory *memory)
{
    uint64_t index[VZ_MAX_RANK] = {0};
    for (unsigned d = 0; d < r->rank; d++)
        if (r->count[d] * r->block[d] == 0)
            return;
    for (;;) {
        uint64_t array = 0, at = r->memory_offset;
        for (unsigned d = 0; d < r->rank; d++) {
            const uint64_t i = index[d];
            array = array * m->s.meta->shape[d] + r->start[d] + i / r->block[d] * r->stride[d] + i % r->block[d];
            at += i * r->memory_stride[d];
        }
        apply(m, w, memory, array, at);
        unsigned d = r->rank;
        while (d > 0 && ++index[d - 1] == r->count[d - 1] * r->block[d - 1])
            index[--d] = 0;
        if (d == 0)
            return;
    }
}

static void step_region(model *m, bool reading)
{
    const way w = make_way(m->s.meta, reading);
    vz_region region = make_region(m->s.meta);
    user_memory memory = make_memory(lay_out(&region), w.element);
    vz_transfer transfer = make_transfer(&w, &memory);
    transfer.region = &region;
    apply_region(m, &w, &region, &memory);
    run_transfer(m, &w, &transfer, &memory);
    free_memory(&memory);
}

/* ---- boxes in a chunk that may be in memory ---- */

static vz_region make_box(const vz_meta *meta)
{
    vz_region r = {.rank = meta->rank};
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t side = meta->shape[d];
        r.count[d] = r.stride[d] = 1;
        r.start[d] = side ? chance(side) : 0;
        const uint64_t in_chunk = meta->chunks[d] - r.start[d] % meta->chunks[d];
        r.block[d] = maybe(2) ? in_chunk : 1 + chance(in_chunk + (maybe(8) ? 2 : 0));
        if (maybe(8))
            r.block[d] = side;
        else if (r.block[d] > side - r.start[d] && !maybe(8))
            r.block[d] = side - r.start[d];
    }
    uint64_t step = 1;
    for (unsigned d = meta->rank; d-- > 0; step *= r.block[d])
        r.memory_stride[d] = step;
    return r;
}

static bool is_inside(const vz_meta *meta, const vz_region *r)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (r->block[d] == 0 || r->block[d] > meta->shape[d] - r->start[d] ||
            r->start[d] / meta->chunks[d] != (r->start[d] + r->block[d] - 1) / meta->chunks[d])
            return false;
    return true;
}

static uint64_t boxes_moved[2];

/* What is not moved changes nothing; what is must lie inside of one chunk. */
static void step_box(model *m, bool reading)
{
    vz_error err = VZ_ERROR_NONE;
    const way w = make_way(m->s.meta, reading);
    const vz_region region = make_box(m->s.meta);
    uint64_t count = 1;
    for (unsigned d = 0; d < region.rank; d++)
        count *= region.block[d];
    user_memory memory = make_memory(count, w.element);
    const vz_array_box box = {region.start, region.block, memory.bytes, w.element, w.converts ? &w.conversion : NULL};
    bool moved = false;
    if (reading)
        moved = vz_array_read_box(m->s.array, &box);
    else
        no_error(vz_array_write_box(m->s.array, &box, &moved, &err), &err);
    if (moved) {
        assert_true(is_inside(m->s.meta, &region));
        apply_region(m, &w, &region, &memory);
        boxes_moved[reading]++;
    }
    if (reading)
        assert_memory_equal(memory.bytes, memory.before, memory.size);
    free_memory(&memory);
}

/* ---- runs ---- */

typedef struct run_list {
    vz_point_run *runs;
    size_t count, given;
} run_list;

static bool give_runs(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err)
{
    run_list *list = context;
    (void)err;
    const size_t left = list->count - list->given;
    size_t part = 1 + chance(20);
    part = part < left ? part : left;
    part = part < max ? part : max;
    memcpy(runs, list->runs + list->given, part * sizeof *runs);
    list->given += part;
    *count = part;
    return true;
}

/* A random set of elements as runs, in random order; *needed elements of memory. */
static run_list make_runs(const model *m, uint64_t *needed)
{
    run_list list = {.runs = malloc((m->count + 1) * sizeof *list.runs)};
    assert_non_null(list.runs);
    const unsigned density = 1 + (unsigned)chance(6);
    bool inside = false;
    for (uint64_t i = maybe(2) ? 0 : chance(m->count + 1); i < m->count; i++) {
        const bool take = density == 1 || (inside ? !maybe(density) : maybe(density));
        if (take && inside && !maybe(10))
            list.runs[list.count - 1].length++;
        else if (take)
            list.runs[list.count++] = (vz_point_run){i, 0, 1};
        inside = take;
    }
    for (size_t i = 0; maybe(2) && i < list.count; i++) {
        const size_t other = chance(list.count);
        const vz_point_run swap = list.runs[i];
        list.runs[i] = list.runs[other], list.runs[other] = swap;
    }
    *needed = 0;
    for (size_t i = 0; i < list.count; i++) {
        *needed += maybe(4) ? chance(3) : 0;
        list.runs[i].memory = *needed;
        *needed += list.runs[i].length;
    }
    return list;
}

static void step_runs(model *m, bool reading)
{
    const way w = make_way(m->s.meta, reading);
    uint64_t needed;
    run_list list = make_runs(m, &needed);
    user_memory memory = make_memory(needed, w.element);
    vz_transfer transfer = make_transfer(&w, &memory);
    transfer.next_runs = give_runs;
    transfer.runs_context = &list;
    for (size_t i = 0; i < list.count; i++)
        for (uint64_t k = 0; k < list.runs[i].length; k++)
            apply(m, &w, &memory, list.runs[i].array + k, list.runs[i].memory + k);
    run_transfer(m, &w, &transfer, &memory);
    free_memory(&memory);
    free(list.runs);
}

/* ---- the rest ---- */

static void step_resize(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    vz_meta *meta = m->s.meta;
    uint64_t old[VZ_MAX_RANK] = {0}, at[VZ_MAX_RANK] = {0};
    unsigned char *before = m->elements;
    const size_t size = meta->dtype->size;
    memcpy(old, meta->shape, sizeof old);
    for (unsigned d = 0; d < meta->rank; d++)
        meta->shape[d] = maybe(2) ? old[d] : chance(SIDE + 3);
    fill_model(m);
    for (uint64_t i = 0; i < m->count; i++) {
        uint64_t rest = i, from = 0;
        bool inside = true;
        for (unsigned d = meta->rank; d-- > 0;) {
            at[d] = rest % meta->shape[d];
            rest /= meta->shape[d];
            inside = inside && at[d] < old[d];
        }
        for (unsigned d = 0; d < meta->rank; d++)
            from = from * old[d] + at[d];
        if (inside)
            memcpy(m->elements + i * size, before + from * size, size);
    }
    free(before);
    no_error(vz_array_resized(m->s.array, old, &err), &err);
}

/* One decoded chunk out, changed, and in again. */
static void step_direct(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_meta *meta = m->s.meta;
    uint64_t chunk[VZ_MAX_RANK], at[VZ_MAX_RANK] = {0};
    vz_buffer bytes = {0};
    bool found;
    if (m->count == 0)
        return;
    for (unsigned d = 0; d < meta->rank; d++)
        chunk[d] = chance(meta->shape[d]) / meta->chunks[d];
    no_error(vz_array_get_chunk(m->s.array, chunk, VZ_CHUNK_DECODED, &bytes, &found, &err), &err);
    if (!found) {
        vz_buffer_clear(&bytes);
        return;
    }
    assert_int_equal(bytes.size, meta->chunk_size);
    const size_t size = meta->dtype->size;
    for (uint64_t i = 0; i < meta->chunk_count; i++) {
        uint64_t rest = i, array = 0;
        bool inside = true;
        for (unsigned d = meta->rank; d-- > 0;) {
            at[d] = chunk[d] * meta->chunks[d] + rest % meta->chunks[d];
            rest /= meta->chunks[d];
            inside = inside && at[d] < meta->shape[d];
        }
        for (unsigned d = 0; d < meta->rank; d++)
            array = array * meta->shape[d] + at[d];
        if (!inside)
            continue;
        assert_memory_equal(bytes.data + i * size, m->elements + array * size, size);
        bytes.data[i * size] ^= 1;
        m->elements[array * size] ^= 1;
    }
    no_error(vz_array_put_chunk(m->s.array, chunk, VZ_CHUNK_DECODED, (vz_bytes){bytes.data, bytes.size}, &err), &err);
    vz_buffer_clear(&bytes);
}

static void check_all(model *m)
{
    const size_t size = m->s.meta->dtype->size;
    unsigned char *all = malloc(m->count * size + 1);
    assert_non_null(all);
    read_block(&m->s, NULL, NULL, all);
    assert_memory_equal(all, m->elements, m->count * size);
    free(all);
}

static void step(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    switch (chance(20)) {
    case 0:
        step_resize(m);
        break;
    case 1:
        no_error(vz_array_flush(m->s.array, &err), &err);
        break;
    case 2:
        vz_array_drop_clean(m->s.array);
        break;
    case 3:
        reopen(m);
        break;
    case 4:
        step_direct(m);
        break;
    case 5:
    case 6:
        step_runs(m, true);
        break;
    case 7:
    case 8:
        step_runs(m, false);
        break;
    case 9:
    case 10:
        step_region(m, true);
        break;
    case 11:
    case 12:
    case 13:
        step_box(m, true);
        break;
    case 14:
    case 15:
    case 16:
        step_box(m, false);
        break;
    default:
        step_region(m, false);
        break;
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    const char *rounds_text = getenv("VZ_TEST_ROUNDS");
    const uint64_t rounds = rounds_text ? strtoull(rounds_text, NULL, 10) : ROUNDS;
    for (uint64_t round = 0; round < rounds; round++) {
        state_of_chance = round * 7919 + 1;
        vz_pool_set_threads(1 + (unsigned)chance(3));
        model m = make_model();
        if (getenv("VZ_TEST_VERBOSE"))
            print_message("round %llu\n", (unsigned long long)round);
        for (unsigned i = 0; i < STEPS; i++)
            step(&m);
        check_all(&m);
        reopen(&m);
        check_all(&m);
        subject_clear(&m.s);
        free(m.elements);
    }
    assert_true(boxes_moved[false] > rounds / 4 && boxes_moved[true] > rounds / 4);
    vz_pool_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
